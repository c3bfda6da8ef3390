"""The log: one SQLite file that keeps every session, document, segment and event.

Append-only, write-ahead, synchronous: what `append` has returned survives a kill at any instant. An event and the
segment state that it brought are one transaction. Any thread may call; other processes may have the same file open.
Knows nothing of the page or of what payloads mean.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from sqlite_utils import Database

from app.documents import Document, Segment
from app.errors import LogError
from app.glossary import Glossary, Term
from app.log_file import open_database
from app.log_records import (
    FIRST_HASH,
    ChainReport,
    Event,
    EventType,
    SavedSegment,
    SegmentUpdate,
    SessionRecord,
    SessionSummary,
    Tombstone,
    event_hash,
    to_json,
)
from app.log_terms import add_term, load_document_terms, load_glossary, remove_document_term, replace_glossary

__all__ = ["EventType", "LogStore", "SegmentUpdate", "SessionRecord", "SessionSummary"]

_EVENTS_PER_PAGE = 500
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class LogStore:
    """An open log. `path` is the file in use; `notes` say what the person should know about it."""

    def __init__(self, db: Database, path: Path, notes: tuple[str, ...] = ()) -> None:
        self.path = path
        self.notes = notes
        self._db = db
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: str | Path) -> LogStore:
        """The log in this file, made where there is none and brought up to date where it is older.

        A damaged file is left as it is and a new one opened beside it, which `notes` say. Raises LogError where
        nothing can be written there, or where the file belongs to another program or to a newer version.
        """
        db, opened, notes = open_database(Path(path))
        return cls(db, opened, notes)

    def close(self) -> None:
        """Closes the file; nothing is lost if this is never called."""
        with self._lock:
            self._db.close()

    # ---- sessions ----

    def start_session(
        self,
        document: Document,
        direction: str,
        *,
        pseudonym: str = "",
        versions: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        token: str | None = None,
    ) -> SessionRecord:
        """A new session on this document, with its first event ("open"). Without a token it gets an unguessable one."""
        token = token or secrets.token_urlsafe(24)
        data = document.data
        checksum = hashlib.sha256(data).hexdigest()
        now_ms = _wall_ms()
        with self._transaction("start a session"):
            document_id = self._insert(
                "document",
                name=document.name, format=document.format, sha256=checksum, encoding=document.encoding,
                mark=document.mark, data=data,
            )  # fmt: skip
            session_id = self._insert(
                "session",
                token=token, document_id=document_id, direction=direction, pseudonym=pseudonym,
                versions=to_json(versions or {}), options=to_json(options or {}),
                created_ms=now_ms, last_ms=now_ms, num_events=0, last_hash=FIRST_HASH,
            )  # fmt: skip
            self._db.conn.executemany(
                "INSERT INTO segment (session_id, segment_index, source, source_start, source_end, note, "
                "given_target, given_state, target, state, version, constraints) "
                "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7, ?8, 0, '{}')",
                ((session_id, s.index, s.source, s.start, s.end, s.note, s.target, s.state) for s in document.segments),
            )
            opening = {
                "document": document.name,
                "sha256": checksum,
                "num_segments": len(document.segments),
                "num_translated": sum(segment.target is not None for segment in document.segments),
                "direction": direction,
                "pseudonym": pseudonym,
                "versions": versions or {},
                "options": options or {},
            }
            self._append(session_id, "open", opening, None, None)
        return self.load_session(session_id)

    def sessions(self) -> list[SessionSummary]:
        """All sessions, the one last worked on first."""
        query = """
            SELECT session.id, token, document.name AS document_name, direction, pseudonym, created_ms, last_ms,
                (SELECT count(*) FROM segment WHERE session_id = session.id) AS num_segments,
                (SELECT count(*) FROM segment WHERE session_id = session.id AND state = 'confirmed') AS num_confirmed,
                glossary_name IS NULL AND NOT EXISTS
                    (SELECT 1 FROM segment WHERE session_id = session.id AND version > 0) AS is_untouched
            FROM session JOIN document ON document.id = session.document_id
            ORDER BY last_ms DESC, session.id DESC
        """
        rows = self._rows("list the sessions", query)
        return [SessionSummary(**{**row, "is_untouched": bool(row["is_untouched"])}) for row in rows]

    def find_session(self, token: str) -> int | None:
        """The session of that token; None where there is none, or none any more."""
        found = self._rows("find the session", "SELECT id FROM session WHERE token = ?", (token,))
        return found[0]["id"] if found else None

    def load_session(self, id_or_token: int | str) -> SessionRecord:
        """Everything needed to go on with a session. Raises LogError where there is none."""
        # A constant, so that no text of a caller ever becomes SQL.
        condition = "session.id = ?" if isinstance(id_or_token, int) else "session.token = ?"
        with self._lock:
            found = self._rows(
                "load the session",
                "SELECT session.*, document.name, format, encoding, mark, data FROM session "  # noqa: S608
                f"JOIN document ON document.id = session.document_id WHERE {condition}",
                (id_or_token,),
            )
            if not found:
                raise LogError(f"{self.path} has no such session; it may have been deleted: open the document anew")
            session = found[0]
            segments = self._rows(
                "load the session",
                "SELECT * FROM segment WHERE session_id = ? ORDER BY segment_index",
                (session["id"],),
            )
            glossary = load_glossary(self._db, session["id"], session["glossary_name"])
            document_terms = load_document_terms(self._db, session["id"])
        return SessionRecord(
            id=session["id"],
            token=session["token"],
            document=_document(session, segments),
            direction=session["direction"],
            pseudonym=session["pseudonym"],
            versions=json.loads(session["versions"]),
            options=json.loads(session["options"]),
            segments=tuple(
                SavedSegment(
                    index=row["segment_index"],
                    source=row["source"],
                    target=row["target"],
                    state=row["state"],
                    version=row["version"],
                    constraints=json.loads(row["constraints"]),
                    note=row["note"],
                )
                for row in segments
            ),
            glossary=glossary,
            document_terms=document_terms,
            created_ms=session["created_ms"],
            num_events=session["num_events"],
        )

    def delete_session(self, session_id: int) -> Tombstone:
        """Removes a session with its document and all its events; what stays is a tombstone with the last hash."""
        with self._transaction("delete the session"):
            session = self._session_row(session_id)
            self._insert(
                "tombstone",
                session_id=session_id, deleted_ms=_wall_ms(),
                num_events=session["num_events"], last_hash=session["last_hash"],
            )  # fmt: skip
            self._db.execute("DELETE FROM session WHERE id = ?", (session_id,))
            self._db.execute("DELETE FROM document WHERE id = ?", (session["document_id"],))
        with self._lock:
            # Other processes may be reading: then the write-ahead file is emptied at their next checkpoint.
            self._db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return next(stone for stone in self.tombstones() if stone.session_id == session_id)

    def tombstones(self) -> list[Tombstone]:
        """What stays of deleted sessions, the oldest first."""
        return [Tombstone(**row) for row in self._rows("list deletions", "SELECT * FROM tombstone ORDER BY deleted_ms")]

    # ---- events ----

    def append(
        self,
        session_id: int,
        event_type: EventType,
        payload: Mapping[str, Any],
        *,
        segment: int | None = None,
        segment_version: int | None = None,
        update: SegmentUpdate | None = None,
    ) -> int:
        """Writes an event, and with `update` the segment's new state, in one transaction; returns its number, from 1.

        Once this returns, both survive a kill. Raises LogError where nothing could be written; then nothing was.
        """
        assert event_type in get_args(EventType), event_type
        with self._transaction("write an event"):
            seq = self._append(session_id, event_type, payload, segment, segment_version)
            if update is not None:
                assert segment is not None, "an update needs its segment"
                self._update_segment(session_id, segment, update)
        return seq

    def append_edits(self, session_id: int, edits: Sequence[tuple[int, int, Mapping[str, Any], SegmentUpdate]]) -> None:
        """Writes edits (segment, its version, payload, its new state) in one transaction: all of them or none."""
        with self._transaction("write the edits"):
            for segment, version, payload, update in edits:
                self._append(session_id, "edit", payload, segment, version)
                self._update_segment(session_id, segment, update)

    def set_glossary(self, session_id: int, glossary: Glossary | None, report: Mapping[str, Any] | None = None) -> int:
        """The session works with these terms from now on (None: with none); returns the event's number.

        The "glossary" event holds all terms, so that the events alone tell the story; `report` is what the import
        said.
        """
        terms = glossary.terms if glossary else ()
        payload = {
            "name": glossary.name if glossary else None,
            "checksum": glossary.checksum if glossary else None,
            "terms": [(term.source, term.target, term.row) for term in terms],
            "report": report or {},
        }
        with self._transaction("store the glossary"):
            seq = self._append(session_id, "glossary", payload, None, None)
            replace_glossary(self._db, session_id, _storable(glossary.name) if glossary else None, glossary)
        return seq

    def add_term(self, session_id: int, term: Term, glossary_name: str, segment: int) -> int:
        """One more term of the glossary, or of the document, added while at a segment; returns the event's number."""
        payload = {"source": term.source, "target": term.target, "scope": _scope(term)}
        with self._transaction("store the term"):
            seq = self._append(session_id, "term_added", payload, segment, None)
            add_term(self._db, session_id, term, _storable(glossary_name))
        return seq

    def remove_term(self, session_id: int, term: Term) -> int:
        """A term of the document is required no longer; returns the event's number."""
        payload = {"source": term.source, "target": term.target, "scope": _scope(term)}
        with self._transaction("remove the term"):
            seq = self._append(session_id, "term_removed", payload, None, None)
            remove_document_term(self._db, session_id, term)
        return seq

    def events(self, session_id: int, *, after: int = 0) -> Iterator[Event]:
        """The session's events in order, those beyond number `after`; a page at a time, so that others can write."""
        query = "SELECT * FROM event WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"
        while page := self._rows("read the events", query, (session_id, after, _EVENTS_PER_PAGE)):
            for row in page:
                row["segment"] = row.pop("segment_index")
                row["payload_json"] = row.pop("payload")
                yield Event(**row)
            after = page[-1]["seq"]

    def verify_chain(self, session_id: int) -> ChainReport:
        """Whether every event is there and as it was written."""
        session = self._session_row(session_id)
        previous, count = FIRST_HASH, 0
        for event in self.events(session_id):
            if event.seq > session["num_events"]:
                break  # written since this began
            if event.seq != count + 1:
                return ChainReport(False, count, count + 1, f"event {count + 1} is missing")
            if event.previous_hash != previous or event.hash != _hash_of(event):
                return ChainReport(False, count, event.seq, f"event {event.seq} is not as it was written")
            previous, count = event.hash, event.seq
        if count != session["num_events"] or previous != session["last_hash"]:
            return ChainReport(False, count, count + 1, f"the events from {count + 1} on are missing")
        return ChainReport(True, count)

    # ---- inside a transaction ----

    def _append(
        self,
        session_id: int,
        event_type: EventType,
        payload: Mapping[str, Any],
        segment: int | None,
        segment_version: int | None,
    ) -> int:
        session = self._session_row(session_id)
        seq: int = session["num_events"] + 1
        previous: str = session["last_hash"]
        wall_ms, monotonic_ms = _wall_ms(), int(time.monotonic() * 1000)
        payload_json = to_json(payload)
        own = event_hash(previous, seq, wall_ms, monotonic_ms, event_type, segment, segment_version, payload_json)
        self._db.execute(
            "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (session_id, seq, wall_ms, monotonic_ms, event_type, segment, segment_version, payload_json, previous, own),
        )
        self._db.execute(
            "UPDATE session SET num_events = ?, last_hash = ?, last_ms = ? WHERE id = ?",
            (seq, own, wall_ms, session_id),
        )
        return seq

    def _update_segment(self, session_id: int, segment: int, update: SegmentUpdate) -> None:
        target = None if update.target is None else _storable(update.target)
        changed = self._db.execute(
            "UPDATE segment SET state = ?, target = ?, version = ?, constraints = ? "
            "WHERE session_id = ? AND segment_index = ? AND version <= ?",
            (update.state, target, update.version, to_json(update.constraints), session_id, segment, update.version),
        ).rowcount
        if changed != 1:
            raise LogError(
                f"Segment {segment + 1} was changed elsewhere, or is not in this session; the newer text is kept: "
                "reload the page to see it"
            )

    def _insert(self, table: str, **values: Any) -> int:
        """Table and column names come from this file alone."""
        columns = ", ".join(values)
        marks = ", ".join("?" for _ in values)
        statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608
        return int(self._db.execute(statement, tuple(values.values())).lastrowid or 0)

    def _session_row(self, session_id: int) -> dict[str, Any]:
        found = self._rows("find the session", "SELECT * FROM session WHERE id = ?", (session_id,))
        if not found:
            raise LogError(f"{self.path} has no session {session_id}; it may have been deleted: open the document anew")
        return found[0]

    # ---- the file ----

    def _rows(self, purpose: str, query: str, parameters: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        with self._lock, self._clear_errors(purpose):
            cursor = self._db.conn.execute(query, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    @contextmanager
    def _transaction(self, purpose: str) -> Iterator[None]:
        """All that is written inside is written, or nothing; takes the file's write lock at once."""
        with self._lock, self._clear_errors(purpose):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.commit()
            except BaseException:
                self._db.rollback()
                raise

    @contextmanager
    def _clear_errors(self, purpose: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise LogError(
                f"{self.path}: could not {purpose} ({error}). Nothing was written. Check that the disk has room and "
                "the file can be written, or start with another one: --log FILE"
            ) from error


def _document(session: Mapping[str, Any], segments: list[dict[str, Any]]) -> Document:
    places = tuple(
        Segment(
            row["segment_index"],
            row["source"],
            row["source_start"],
            row["source_end"],
            row["given_target"],
            row["given_state"],
            row["note"],
        )
        for row in segments
    )
    return Document(session["name"], session["format"], session["data"], session["encoding"], session["mark"], places)


def _hash_of(event: Event) -> str:
    return event_hash(
        event.previous_hash,
        event.seq,
        event.wall_ms,
        event.monotonic_ms,
        event.type,
        event.segment,
        event.segment_version,
        event.payload_json,
    )


def _scope(term: Term) -> str:
    return "document" if term.is_for_document else "glossary"


def _storable(text: str) -> str:
    """SQLite stores UTF-8, which has no halves of surrogate pairs; the event's payload keeps them as escapes."""
    return _SURROGATE.sub("\ufffd", text)


def _wall_ms() -> int:
    return int(time.time() * 1000)
