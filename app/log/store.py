"""The log: one SQLite file with every session, document, segment and event.

Append-only, write-ahead, synchronous: once `append` has returned, the event survives a kill at any time. An event and
the new state of its segment are written in one transaction. Thread-safe; other processes may have the same file open.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from sqlite_utils import Database

from app.access.actor import Actor, check_actor
from app.errors import CommandError, LogError
from app.formats.documents import Document, Segment
from app.i18n import Message
from app.log.budgets import spend
from app.log.bundle_tables import BundlePlace, discard_empty_bundles, insert_place, move_place
from app.log.connection import LogConnection
from app.log.event_chain import EventChain, wall_ms
from app.log.file import back_up, open_database, open_to_read
from app.log.glossary_log import GlossaryLog
from app.log.glossary_tables import discard_unfinished_term_bases
from app.log.list_changes import ListChanges
from app.log.lock import LogLock
from app.log.news import News
from app.log.people import People, insert_own_project
from app.log.project_tables import (
    Project,
    ProjectSummary,
    current_project,
    list_projects,
    load_project,
    move_session,
    projects_for_new,
)
from app.log.records import (
    ChainReport,
    Event,
    EventType,
    NewEvent,
    SavedSegment,
    SegmentStateName,
    SegmentUpdate,
    SessionRecord,
    SessionSummary,
    Tombstone,
    chain_report,
    storable,
    to_json,
)
from app.log.session_tables import (
    IS_FINISHED,
    SEGMENTS_AT_ONCE,
    adopt_session,
    changed_segments,
    discard_unfinished_sessions,
    insert_segments,
    insert_session,
    list_sessions,
    load_session,
    new_record,
    no_such_session,
    segments_in_order,
    store_places,
)
from app.precedence import giving_way
from app.whole_files import free_bytes

__all__ = ["EventType", "LogStore", "SegmentUpdate", "SessionRecord", "SessionSummary"]

_EVENTS_PER_PAGE = 500
# The fields of `Event`, in their order.
_EVENT_COLUMNS = (
    "session_id, seq, wall_ms, monotonic_ms, type, segment_index, segment_version, payload, previous_hash, hash"
)
_LATEST = (2**62, 0, 0)  # later than any event
_SESSIONS_PER_PAGE = 20
MAX_PERSON_BYTES = 5 * 2**30  # of the documents and archives that a person has opened, in the log
# The first event of a session names the person who opened it.
_STORED_BY = """
    WITH own AS (
        SELECT session.id, document_id FROM session JOIN event ON session_id = session.id AND seq = 1
        WHERE json_extract(payload, '$.person') = ?)
    SELECT (SELECT coalesce(sum(length(data)), 0) FROM document WHERE id IN (SELECT document_id FROM own))
        + (SELECT coalesce(sum(length(data)), 0) FROM bundle
            WHERE id IN (SELECT bundle_id FROM bundle_document WHERE session_id IN (SELECT id FROM own))) AS num_bytes
"""
_ROOM_FACTOR = 3
_ROOM_BYTES = 2**20
_VERSIONS_PER_RUN = 10**9  # more than any run counts; a script's integers are exact for nine million runs


class LogStore:
    """An open log. `path` is the file in use; `notes` are messages about it for the user.

    `glossaries` writes those of sessions and projects. `people` decides which sessions and projects the person of the
    request sees: the others do not exist for them. `news` has the notices to people,
    `list_changes` what has changed in the list of documents.
    """

    def __init__(
        self, db: Database, path: Path, notes: tuple[str, ...] = (), exclusive_lock: LogLock | None = None
    ) -> None:
        self.path = path
        self.notes = notes
        self._db = db
        self._exclusive_lock = exclusive_lock
        self._log = LogConnection(db, path)
        self._chain = EventChain(self._log)
        self.glossaries = GlossaryLog(self._log, self._chain)
        self.list_changes = ListChanges(self._log)
        self.people = People(self._log, self.list_changes.whole)
        self.news = News(self._log, self.people)

    @classmethod
    def open(cls, path: str | Path, *, exclusively: bool = False) -> LogStore:
        """Opens the log in this file, creates it if it does not exist, and updates it if it is older.

        A damaged file is left unchanged and another one is opened beside it (see `notes`). With `exclusively`, no other
        process can open the log so until this one closes it: two that keep texts in memory would overwrite each
        other's. Raises LogError if the file cannot be written, is in exclusive use, or belongs to another program or a
        newer version.
        """
        return cls(*open_database(Path(path), exclusively=exclusively))

    @classmethod
    def open_to_read(cls, path: str | Path, *, may_be_older: bool = False) -> LogStore:
        """Opens the log in this file read-only, also on read-only media.

        Raises LogError if it does not exist, is damaged or has another version. With `may_be_older` a log of an earlier
        version is opened, which can only be backed up.
        """
        return cls(open_to_read(Path(path), may_be_older=may_be_older), Path(path))

    @property
    def connection(self) -> LogConnection:
        """The connection to the file, for modules with tables of their own."""
        return self._log

    def back_up(self, path: str | Path) -> int:
        """Copies a consistent snapshot of the log into a new file, while others may write.

        Returns the number of sessions in the copy. Raises LogError if the file exists or cannot be written.
        """
        with self._log.lock:
            back_up(self._db, Path(path))
        copy = sqlite3.connect(path)
        try:
            return int(copy.execute("SELECT count(*) FROM session").fetchone()[0])
        finally:
            copy.close()

    def close(self) -> None:
        """Closes the file. Nothing is lost without this call."""
        with self._log.lock:
            self._db.close()
            if self._exclusive_lock is not None:
                self._exclusive_lock.release()
                self._exclusive_lock = None

    def announce(self, address: str) -> None:
        """Names the address of this app in the message for others that find the log in use."""
        if self._exclusive_lock is not None:
            self._exclusive_lock.note(address)

    # ---- sessions ----

    def start_session(
        self,
        actor: Actor,
        document: Document,
        direction: str,
        *,
        pseudonym: str = "",
        versions: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        token: str | None = None,
        events: Iterable[NewEvent] = (),
        project_id: int | None = None,
        place: BundlePlace | None = None,
    ) -> SessionRecord:
        """Writes a new session on this document: its "open" event, then these `events`; everything or nothing.

        The segments of a long document are written in portions before, so that others can write meanwhile: no list
        shows the session yet. `place` is that of a document that was opened together with others.

        Without a token it gets an unguessable one, without a project the current one of its language pair; for a person
        who sees none of that pair, a new one of their own. It has the project's term bases at once. Raises CommandError
        if the document exceeds the project's budget.
        """
        num_bytes = len(document.data) + (len(place.bundle.data) if place and not place.bundle.id else 0)
        self._check_room(num_bytes)
        self._check_share(actor, num_bytes)
        needs_project = project_id is None and self.people.access(actor).projects is not None
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
        if document.rules is not None:
            opening["rules"] = document.rules.named()
        now_ms = wall_ms()
        begin = partial(
            insert_session,
            self._log,
            document,
            token=token or secrets.token_urlsafe(24),
            direction=direction,
            pseudonym=pseudonym,
            versions=versions or {},
            options=options or {},
            now_ms=now_ms,
            project_id=None,
        )
        segments = document.segments
        portions = [segments[first : first + SEGMENTS_AT_ONCE] for first in range(0, len(segments), SEGMENTS_AT_ONCE)]
        purpose = Message("start a session")
        stored: int | None = None  # the number of the session, once any of it is on the disk
        try:
            for portion in giving_way(portions[:-1]):
                with self._log.transaction(purpose, leaves="preparation"):
                    session_id = stored or begin()
                    insert_segments(self._log, session_id, portion)
                stored = session_id
            with self._log.transaction(purpose):
                session_id = stored or begin()
                insert_segments(self._log, session_id, portions[-1] if portions else ())
                if needs_project:
                    project_id = insert_own_project(self._db, actor.name, direction, now_ms)
                project_id = project_id or current_project(self._db, direction, now_ms)
                spend(self._log, self._db, project_id, segments, now_ms)
                move_session(self._db, session_id, project_id)
                if place is not None:
                    insert_place(self._db, session_id, place, wall_ms())
                self._chain.append(actor, session_id, "open", opening)
                for event in events:
                    self._chain.append(
                        actor, session_id, event.type, event.payload, event.segment, event.segment_version
                    )
                glossaries = self.glossaries.catch_up(actor, session_id)
                row = self._chain.session_row(session_id)
        except BaseException:
            if stored is not None:
                with suppress(LogError):
                    self.discard_session(stored)
            raise
        if needs_project:
            self.people.changed()
        self.list_changes.row(session_id)
        return new_record(row, document, versions or {}, options or {}, glossaries)

    def resume_session(self, actor: Actor, session_id: int, versions: Mapping[str, Any]) -> None:
        """Writes that a session is taken up again, and the term bases of its project if they have changed since."""
        with self._log.transaction(Message("write the events")):
            self._chain.append(actor, session_id, "resume", {"versions": versions})
            self.glossaries.catch_up(actor, session_id)

    def sessions(self, actor: Actor) -> list[SessionSummary]:
        """All sessions that the actor sees, most recently used first."""
        return list_sessions(self._log, projects=self.people.access(actor).projects)

    def sessions_of(self, actor: Actor, numbers: Iterable[int]) -> list[SessionSummary]:
        """Those of these sessions that the actor sees."""
        return list_sessions(self._log, projects=self.people.access(actor).projects, numbers=numbers)

    def sessions_of_project(self, actor: Actor, project_id: int, direction: str) -> list[SessionSummary]:
        """The sessions of a project in this language pair, in the order in which they were opened.

        None of them if the actor does not see the project.
        """
        is_seen = self.people.access(actor).sees(project_id)
        found = list_sessions(self._log, projects=[project_id]) if is_seen else []
        return sorted((one for one in found if one.direction == direction), key=lambda one: one.id)

    def texts_of(self, session_id: int) -> list[tuple[int, SegmentStateName, str | None, bool]]:
        """Index, state, stored text and lock of each segment of a session, in the order of the document."""
        query = """
            SELECT segment_index, state, target, is_locked FROM segment WHERE session_id = ? AND source != ''
            ORDER BY source_start, segment_index
        """
        rows = self._log.rows(Message("read the log"), query, (session_id,))
        return [(row["segment_index"], row["state"], row["target"], bool(row["is_locked"])) for row in rows]

    def segments_in_order(
        self, session_id: int, *, first: int = 0, limit: int = -1, indices: Iterable[int] | None = None
    ) -> list[SavedSegment]:
        """Segments as the log has them; see `session_tables.segments_in_order`. Without access checks."""
        return segments_in_order(self._log, session_id, first=first, limit=limit, indices=indices)

    def changed_segments(self, session_id: int, after: int) -> set[int] | None:
        """The segments that were changed; see `session_tables.changed_segments`. Without access checks."""
        return changed_segments(self._log, session_id, after)

    def has_sessions(self, actor: Actor) -> bool:
        """True if there is a session that the actor sees."""
        return bool(list_sessions(self._log, projects=self.people.access(actor).projects, limit=1))

    def changed_sessions(self, actor: Actor) -> Iterator[SessionSummary]:
        """The sessions that the person sees and in which something was done, most recently used first.

        They are read in pages, so that the first ones take no longer the more there are.
        """
        first, projects = 0, self.people.access(actor).projects
        while page := list_sessions(self._log, "changed", projects=projects, first=first, limit=_SESSIONS_PER_PAGE):
            yield from page
            first += len(page)

    def sessions_on(self, actor: Actor, document: Document, *, untouched: bool) -> list[SessionSummary]:
        """The sessions with the same bytes that the person sees; with `untouched`, only sessions without any work."""
        which: Literal["untouched of document", "of document"] = "untouched of document" if untouched else "of document"
        checksum = hashlib.sha256(document.data).hexdigest()
        return list_sessions(self._log, which, projects=self.people.access(actor).projects, sha256=checksum)

    def session_of(self, actor: Actor, token: str) -> int | None:
        """The number of the session with this token; None if the actor sees no such session."""
        row = self._seen(actor, "token = ?", token)
        return None if row is None else int(row["id"])

    def num_sessions(self) -> int:
        """The number of all sessions, without access checks."""
        query = f"SELECT count(*) AS number FROM session WHERE {IS_FINISHED}"  # noqa: S608
        (row,) = self._log.rows(Message("list the sessions"), query)
        return int(row["number"])

    def load_session(self, actor: Actor, id_or_token: int | str) -> SessionRecord:
        """All data for resuming a session. Raises LogError if the actor may not see such a session."""
        record = load_session(self._log, id_or_token)
        if not self.people.access(actor).sees(record.project_id):
            raise no_such_session(self._log)
        return record

    def project_of(self, actor: Actor, session_id: int) -> int:
        """The project of a session. Raises LogError if the actor sees no such session."""
        if (row := self._seen(actor, "id = ?", session_id)) is None:
            raise no_such_session(self._log)
        return int(row["project_id"])

    def _seen(self, actor: Actor, condition: str, value: int | str) -> dict[str, Any] | None:
        """The row of the session that meets the condition, if the actor sees it."""
        query = f"SELECT id, project_id, num_events FROM session WHERE {condition}"  # noqa: S608 (ours)
        rows = self._log.rows(Message("find the session"), query, (value,))
        return rows[0] if rows and self.people.access(actor).sees(rows[0]["project_id"]) else None

    def project_number(self, session_id: int) -> int:
        """The number of a session's project, without access checks; 0 without a project."""
        rows = self._log.rows(Message("find the session"), "SELECT project_id FROM session WHERE id = ?", (session_id,))
        return int(rows[0]["project_id"] or 0) if rows else 0

    def projects(self, actor: Actor) -> list[ProjectSummary]:
        """All projects that the actor sees, the one chosen last first."""
        access = self.people.access(actor)
        return [summary for summary in list_projects(self._log) if access.sees(summary.project.id)]

    def project_for_new(self, actor: Actor, direction: str) -> Project | None:
        """The current project for new documents in this language pair, among those that the person sees."""
        access = self.people.access(actor)
        return next((one for one in projects_for_new(self._log, direction) if access.sees(one.id)), None)

    def project(self, actor: Actor, project_id: int) -> Project | None:
        """One project; None if the actor does not see a project with this number."""
        return load_project(self._log, project_id) if self.people.access(actor).sees(project_id) else None

    def adopt_session(self, record: SessionRecord, events: Iterable[Event]) -> int:
        """Imports a session of another log with all its events and returns its number: its old one if that is free.

        The caller has verified the hash chain. Raises LogError if the log already contains the session.
        """
        with self._log.transaction(Message("import the session")):
            session_id = adopt_session(self._log, record, events, secrets.token_urlsafe(24))
        self.list_changes.row(session_id)
        return session_id

    def delete_session(self, session_id: int) -> Tombstone:
        """Deletes a session with its document and all its events, and returns the tombstone that is kept."""
        with self._log.transaction(Message("delete the session")):
            session = self._chain.session_row(session_id)
            stone = Tombstone(session_id, wall_ms(), session["num_events"], session["last_hash"])
            self._log.insert("tombstone", **asdict(stone))
            self._delete(session)
        self.list_changes.whole()
        with self._log.lock, suppress(sqlite3.Error):
            # The session is gone even where this fails. While other processes read, the write-ahead file is emptied at
            # their next checkpoint.
            self._db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return stone

    def discard_unfinished(self) -> None:
        """Deletes what interrupted openings of documents and imports of term bases left."""
        with self._log.transaction(Message("start a session")):
            discard_unfinished_sessions(self._db)
            discard_unfinished_term_bases(self._db)

    def discard_session(self, session_id: int) -> None:
        """Removes a session that a command began and could not finish; it leaves no tombstone."""
        with self._log.transaction(Message("delete the session"), leaves="nothing"):
            self._delete(self._chain.session_row(session_id))
        self.list_changes.whole()

    def move_place(self, session_id: int, new_session_id: int) -> None:
        """Gives the place of a session in its bundle, if it has one, to the session that replaces it."""
        with self._log.transaction(Message("start a session")):
            move_place(self._db, session_id, new_session_id)

    def tombstones(self) -> list[Tombstone]:
        """The tombstones of deleted sessions, oldest first."""
        rows = self._log.rows(Message("list deleted sessions"), "SELECT * FROM tombstone ORDER BY deleted_ms")
        return [Tombstone(**row) for row in rows]

    # ---- events ----

    def append(
        self,
        actor: Actor,
        session_id: int,
        event_type: EventType,
        payload: Mapping[str, Any],
        *,
        segment: int | None = None,
        segment_version: int | None = None,
        update: SegmentUpdate | None = None,
    ) -> None:
        """Writes an event, and with `update` the new state of its segment; see `append_all`."""
        updates = [] if update is None or segment is None else [(segment, update)]
        self.append_all(actor, session_id, [NewEvent(event_type, payload, segment, segment_version)], updates)

    def append_all(
        self,
        actor: Actor,
        session_id: int,
        events: Iterable[NewEvent],
        updates: Iterable[tuple[int, SegmentUpdate]] = (),
        places: Sequence[Segment] = (),
        change: Callable[[Database], object] = lambda db: None,
    ) -> None:
        """Writes these events in one transaction, all or none. Once this returns, they survive a kill.

        `updates` are the new states of segments by index, and `places` the positions of segments after a split or
        merge; `change` writes to other tables. On LogError nothing was written.
        """
        with self._log.shared_transaction(Message("write the events")):
            change(self._db)
            for event in events:
                assert event.type in get_args(EventType), event.type
                self._chain.append(actor, session_id, event.type, event.payload, event.segment, event.segment_version)
            if places:
                store_places(self._log, session_id, places)
            for segment, update in updates:
                self._update_segment(session_id, segment, update)

    def events(self, session_id: int, *, after: int = 0) -> Iterator[Event]:
        """The events of a session after number `after`, in order; read in pages, so that others can write."""
        for rows in self._event_pages(session_id, after):
            with self._log.checked(Message("read the events")):
                page = [Event(*row) for row in rows]
            yield from page

    def _event_pages(self, session_id: int, after: int = 0) -> Iterator[list[tuple[Any, ...]]]:
        query = f"SELECT {_EVENT_COLUMNS} FROM event WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"  # noqa: S608
        while page := self._log.tuples(Message("read the events"), query, (session_id, after, _EVENTS_PER_PAGE)):
            after = page[-1][1]
            yield page

    def segment_events(self, session_id: int, segment: int, types: Collection[str]) -> list[Event]:
        """The events of one segment with these types, and all split and merge events, in order."""
        condition = "(segment_index = ? OR type IN ('split', 'merge')) ORDER BY seq"
        return self._events_of_types(session_id, types, condition, segment)

    def newest_events(
        self,
        session_id: int,
        types: Collection[str],
        limit: int,
        person: str | None = None,
        before: tuple[int, int, int] | None = None,
    ) -> list[Event]:
        """The newest events of a session with these types, newest first; all, or those by `person`.

        With `before`, only those before an event with that time, session and number.
        """
        by_person = "(?3 IS NULL OR coalesce(json_extract(payload, '$.person'), '') = ?3)"
        condition = f"{by_person} AND (wall_ms, session_id, seq) < (?, ?, ?) ORDER BY seq DESC LIMIT ?"
        return self._events_of_types(session_id, types, condition, person, *(before or _LATEST), limit)

    def _events_of_types(self, session_id: int, types: Collection[str], condition: str, *values: Any) -> list[Event]:
        query = f"""
            SELECT {_EVENT_COLUMNS} FROM event WHERE session_id = ? AND type IN (SELECT value FROM json_each(?))
            AND {condition}
        """  # noqa: S608
        purpose = Message("read the events")
        rows = self._log.tuples(purpose, query, (session_id, json.dumps(sorted(types)), *values))
        with self._log.checked(purpose):
            return [Event(*row) for row in rows]

    def num_events(self, actor: Actor, session: int | str) -> int | None:
        """The number of events of the session with this number or token; None if the person does not see it."""
        row = self._seen(actor, "id = ?" if isinstance(session, int) else "token = ?", session)
        return None if row is None else int(row["num_events"])

    def has_session(self, token: str) -> bool:
        """True if there is a session with this token, without access checks."""
        return bool(self._log.rows(Message("find the session"), "SELECT 1 FROM session WHERE token = ?", (token,)))

    def last_event(self, session_id: int, event_type: EventType) -> Event | None:
        """The newest event of that type in a session, if any."""
        return next(iter(self.newest_events(session_id, (event_type,), 1)), None)

    def first_version(self, session_id: int) -> int:
        """A number with which the versions of a run can begin: larger than any of an earlier run.

        A page that outlives a run then sees everything of the next one as new, wherever the clock is set meanwhile.
        """
        query = """
            SELECT max(wall_ms) AS newest_ms, count(*) FILTER (WHERE type = 'resume') AS num_resumed
            FROM event WHERE session_id = ?
        """
        (row,) = self._log.rows(Message("read the events"), query, (session_id,))
        with self._log.checked(Message("read the events")):
            return int(row["newest_ms"] or 0) + int(row["num_resumed"]) * _VERSIONS_PER_RUN

    def verify_chain(self, session_id: int) -> ChainReport:
        """Checks that the events of a session are complete and unchanged."""
        session = self._chain.session_row(session_id)
        events = (Event(*row) for page in self._event_pages(session_id) for row in page)
        with self._log.checked(Message("read the events")):
            return chain_report(events, session["num_events"], session["last_hash"])

    def _check_room(self, num_bytes: int) -> None:
        """Raises LogError if a file of so many bytes does not fit; segments and the write-ahead file need room too."""
        needed = _ROOM_BYTES + _ROOM_FACTOR * num_bytes
        with suppress(OSError):  # then writing says whether it fits
            if (free := free_bytes(self.path)) < needed:
                raise LogError(
                    "{path}: the document needs {needed:,} MB of disk space, and {free:,} MB are free: free some "
                    "disk space",
                    path=self.path,
                    needed=-(-needed // 10**6),
                    free=free // 10**6,
                )

    def _check_share(self, actor: Actor, num_bytes: int) -> None:
        """Raises CommandError if the files that a person has opened are too large with so many bytes more."""
        check_actor(actor)
        if not actor.name:  # the owner has the disk
            return
        stored = self._log.rows(Message("read the documents"), _STORED_BY, (actor.name,))[0]["num_bytes"]
        if stored + num_bytes > MAX_PERSON_BYTES:
            raise CommandError(
                "The documents and archives that you opened have {stored:,} MB, and at most {limit:,} MB are "
                "allowed: delete some documents first.",
                stored=stored // 10**6,
                limit=MAX_PERSON_BYTES // 10**6,
            )

    # ---- inside a transaction ----

    def _delete(self, session: Mapping[str, Any]) -> None:
        self._db.execute("DELETE FROM session WHERE id = ?", (session["id"],))
        self._db.execute("DELETE FROM document WHERE id = ?", (session["document_id"],))
        discard_empty_bundles(self._db)

    def _update_segment(self, session_id: int, segment: int, update: SegmentUpdate) -> None:
        target = None if update.target is None else storable(update.target)
        changed = self._db.execute(
            "UPDATE segment SET state = ?, target = ?, version = ?, constraints = ? "
            "WHERE session_id = ? AND segment_index = ? AND version = ?",
            (
                update.state,
                target,
                update.version,
                to_json(update.constraints),
                session_id,
                segment,
                update.read_version,
            ),
        ).rowcount
        if changed != 1:
            raise LogError(
                "Segment {number} was changed elsewhere, or is not in this session; the newer text is kept: reload "
                "the page to see it",
                number=segment + 1,
            )
