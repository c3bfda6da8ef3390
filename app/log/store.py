"""The log: one SQLite file that keeps every session, document, segment and event.

Append-only, write-ahead, synchronous: what `append` has returned survives a kill at any instant. An event and the
segment state that it brought are one transaction. Any thread may call; other processes may have the same file open.
Knows nothing of the page or of what payloads mean.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from sqlite_utils import Database

from app.errors import LogError
from app.formats.documents import Document, Segment
from app.glossary import Term
from app.glossary.glossary import Glossary, change_payload
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.file import back_up, open_database, open_to_read
from app.log.glossary_tables import (
    add_document_term,
    portions_of,
    remove_document_term,
    store_glossaries,
    store_portion,
)
from app.log.records import (
    ChainReport,
    Event,
    EventType,
    NewEvent,
    SegmentUpdate,
    SessionRecord,
    SessionSummary,
    Tombstone,
    chain_report,
    event_hash,
    storable,
    to_json,
)
from app.log.session_tables import adopt_session, insert_session, list_sessions, load_session, store_places

__all__ = ["EventType", "LogStore", "SegmentUpdate", "SessionRecord", "SessionSummary"]

_EVENTS_PER_PAGE = 500


class LogStore:
    """An open log. `path` is the file in use; `notes` say what the person should know about it."""

    def __init__(self, db: Database, path: Path, notes: tuple[str, ...] = ()) -> None:
        self.path = path
        self.notes = notes
        self._db = db
        self._log = LogConnection(db, path)

    @classmethod
    def open(cls, path: str | Path) -> LogStore:
        """The log in this file, made where there is none and brought up to date where it is older.

        A damaged file is left as it is and a new one opened beside it, which `notes` say. Raises LogError where
        nothing can be written there, or where the file belongs to another program or to a newer version.
        """
        db, opened, notes = open_database(Path(path))
        return cls(db, opened, notes)

    @classmethod
    def open_to_read(cls, path: str | Path, *, may_be_older: bool = False) -> LogStore:
        """The log in this file as it is, never changed: for files that lie where nothing can be written, too.

        Raises LogError where there is none, where it is damaged, or of another version. One that `may_be_older` can be
        backed up whatever its version, and nothing else be done with it.
        """
        return cls(open_to_read(Path(path), may_be_older=may_be_older), Path(path))

    @property
    def connection(self) -> LogConnection:
        """The file's connection, for what has tables of its own in it."""
        return self._log

    def back_up(self, path: str | Path) -> int:
        """Copies the whole log into a new file, as it is at one instant, while others go on writing.

        Returns how many sessions the copy holds. Raises LogError where that file is there already or cannot be written;
        then there is none.
        """
        with self._log.lock:
            return back_up(self._db, Path(path))

    def close(self) -> None:
        """Closes the file; nothing is lost if this is never called."""
        with self._log.lock:
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
        with self._log.transaction(Message("start a session")):
            session_id = insert_session(
                self._log,
                document,
                token=token,
                direction=direction,
                pseudonym=pseudonym,
                versions=versions or {},
                options=options or {},
                now_ms=_wall_ms(),
            )
            opening = {
                "document": document.name,
                "sha256": hashlib.sha256(document.data).hexdigest(),
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
        return list_sessions(self._log)

    def load_session(self, id_or_token: int | str) -> SessionRecord:
        """Everything needed to go on with a session. Raises LogError where there is none."""
        return load_session(self._log, id_or_token)

    def adopt_session(self, record: SessionRecord, events: Iterable[Event]) -> int:
        """Takes in a session of another log with all its events; returns its number, its old one where that is free.

        The caller has verified the chain. Raises LogError where the session is here already; then nothing is written.
        """
        with self._log.transaction(Message("import the session")):
            return adopt_session(self._log, record, events, secrets.token_urlsafe(24))

    def delete_session(self, session_id: int) -> Tombstone:
        """Removes a session with its document and all its events; what stays is a tombstone with the last hash."""
        with self._log.transaction(Message("delete the session")):
            session = self._session_row(session_id)
            self._log.insert(
                "tombstone",
                session_id=session_id, deleted_ms=_wall_ms(),
                num_events=session["num_events"], last_hash=session["last_hash"],
            )  # fmt: skip
            self._db.execute("DELETE FROM session WHERE id = ?", (session_id,))
            self._db.execute("DELETE FROM document WHERE id = ?", (session["document_id"],))
        with self._log.lock:
            # Other processes may be reading: then the write-ahead file is emptied at their next checkpoint.
            self._db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return next(stone for stone in self.tombstones() if stone.session_id == session_id)

    def tombstones(self) -> list[Tombstone]:
        """What stays of deleted sessions, the oldest first."""
        rows = self._log.rows(Message("list deleted sessions"), "SELECT * FROM tombstone ORDER BY deleted_ms")
        return [Tombstone(**row) for row in rows]

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
        with self._log.transaction(Message("write an event")):
            seq = self._append(session_id, event_type, payload, segment, segment_version)
            if update is not None:
                assert segment is not None, "an update needs its segment"
                self._update_segment(session_id, segment, update)
        return seq

    def append_all(
        self,
        session_id: int,
        events: Iterable[NewEvent],
        updates: Iterable[tuple[int, SegmentUpdate]] = (),
        places: Sequence[Segment] = (),
    ) -> None:
        """Writes these events in one transaction, all or none.

        With them come the new states of segments by their index, and the new places of segments that were split or
        merged. Raises LogError where nothing could be written; then nothing was.
        """
        with self._log.transaction(Message("write the events")):
            for event in events:
                assert event.type in get_args(EventType), event.type
                self._append(session_id, event.type, event.payload, event.segment, event.segment_version)
            if places:
                store_places(self._log, session_id, places)
            for segment, update in updates:
                self._update_segment(session_id, segment, update)

    def store_ahead(self, session_id: int, base: Glossary) -> None:
        """Writes the terms of a glossary that the session is to have, in portions, so that other events come between.

        Nobody sees them until `change_glossaries` names the glossary.
        """
        for first, portion in enumerate(portions_of(session_id, base)):
            with self._log.transaction(Message("store the glossary")):
                store_portion(self._db, session_id, base, portion, is_first=first == 0)

    def change_glossaries(
        self,
        session_id: int,
        before: Sequence[Glossary],
        after: Sequence[Glossary],
        said: Mapping[str, Any] | str,
        *,
        event_type: Literal["glossary", "term_added"] = "glossary",
        segment: int | None = None,
        stored: Collection[int] = (),
    ) -> int:
        """The session works with these glossaries from now on; returns the event's number.

        A "glossary" event holds, beside what is `said`, all terms that came and went, so that the events alone tell
        the story; "term_added", of a term that was added while at a segment, only what is said. `said` may be that
        event as `glossary_payload` has made it; `stored` are glossaries whose terms are written already.
        """
        if event_type == "glossary" and not isinstance(said, str):
            said = glossary_payload(before, after, said)
        with self._log.transaction(Message("store the glossary")):
            seq = self._append(session_id, event_type, said, segment, None)
            store_glossaries(self._db, session_id, before, after, stored)
        return seq

    def add_term(self, session_id: int, term: Term, segment: int) -> int:
        """One more term of the document, added while at a segment; returns the event's number."""
        payload = {"source": term.source, "target": term.target, "scope": "document"}
        with self._log.transaction(Message("store the term")):
            seq = self._append(session_id, "term_added", payload, segment, None)
            add_document_term(self._db, session_id, term)
        return seq

    def remove_terms(self, session_id: int, terms: Iterable[Term]) -> None:
        """Requires these terms in the whole document no longer, with an event for each, in one transaction."""
        with self._log.transaction(Message("remove the term")):
            for term in terms:
                payload = {"source": term.source, "target": term.target, "scope": "document"}
                self._append(session_id, "term_removed", payload, None, None)
                remove_document_term(self._db, session_id, term)

    def events(self, session_id: int, *, after: int = 0) -> Iterator[Event]:
        """The session's events in order, those beyond number `after`; a page at a time, so that others can write."""
        query = "SELECT * FROM event WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"
        while page := self._log.rows(Message("read the events"), query, (session_id, after, _EVENTS_PER_PAGE)):
            for row in page:
                row["segment"] = row.pop("segment_index")
                row["payload_json"] = row.pop("payload")
                yield Event(**row)
            after = page[-1]["seq"]

    def last_event(self, session_id: int, event_type: EventType) -> Event | None:
        """The session's newest event of that type, if there is any."""
        query = "SELECT max(seq) AS seq FROM event WHERE session_id = ? AND type = ?"
        (row,) = self._log.rows(Message("read the events"), query, (session_id, event_type))
        return None if row["seq"] is None else next(self.events(session_id, after=row["seq"] - 1))

    def verify_chain(self, session_id: int) -> ChainReport:
        """Whether every event is there and as it was written."""
        session = self._session_row(session_id)
        return chain_report(self.events(session_id), session["num_events"], session["last_hash"])

    # ---- inside a transaction ----

    def _append(
        self,
        session_id: int,
        event_type: EventType,
        payload: Mapping[str, Any] | str,
        segment: int | None,
        segment_version: int | None,
    ) -> int:
        session = self._session_row(session_id)
        seq: int = session["num_events"] + 1
        previous: str = session["last_hash"]
        wall_ms, monotonic_ms = _wall_ms(), int(time.monotonic() * 1000)
        payload_json = payload if isinstance(payload, str) else to_json(payload)
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
        target = None if update.target is None else storable(update.target)
        changed = self._db.execute(
            "UPDATE segment SET state = ?, target = ?, version = ?, constraints = ? "
            "WHERE session_id = ? AND segment_index = ? AND version <= ?",
            (update.state, target, update.version, to_json(update.constraints), session_id, segment, update.version),
        ).rowcount
        if changed != 1:
            raise LogError(
                Message(
                    "Segment {number} was changed elsewhere, or is not in this session; the newer text is kept: reload "
                    "the page to see it",
                    number=segment + 1,
                )
            )

    def _session_row(self, session_id: int) -> dict[str, Any]:
        found = self._log.rows(Message("find the session"), "SELECT * FROM session WHERE id = ?", (session_id,))
        if not found:
            raise LogError(
                Message(
                    "{path} has no session {number}; it may have been deleted: open the document again",
                    path=self.path,
                    number=session_id,
                )
            )
        return found[0]


def glossary_payload(before: Sequence[Glossary], after: Sequence[Glossary], said: Mapping[str, Any]) -> str:
    """A "glossary" event as JSON: what is said, and all terms that came and went. Takes seconds for many."""
    return to_json({**said, **change_payload(before, after)})


def _wall_ms() -> int:
    return int(time.time() * 1000)
