"""The tables of sessions, documents and segments: written at the start of a session, read to resume it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from sqlite_utils import Database

from app.errors import LogError
from app.formats import stored_format
from app.formats.documents import Document, Segment
from app.glossary.glossary import MAX_OWN_ID, Glossary
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.glossary_tables import add_document_term, load_document_terms, load_glossaries, store_glossaries
from app.log.project_tables import current_project
from app.log.records import FIRST_HASH, Event, SavedSegment, SessionRecord, SessionSummary, to_json
from app.precedence import giving_way
from app.text.text_limits import packed, unpacked

SEGMENTS_AT_ONCE: Final = 500  # are written or read while others wait, which takes some 6 ms
# Until a new session is complete, it is in no project and has no event. A rescued one may have lost its events.
IS_FINISHED: Final = "(num_events > 0 OR project_id IS NOT NULL)"


def insert_session(
    log: LogConnection,
    document: Document,
    *,
    token: str,
    direction: str,
    pseudonym: str,
    versions: Mapping[str, Any],
    options: Mapping[str, Any],
    now_ms: int,
    project_id: int | None,
    session_id: int | None = None,
) -> int:
    """Inserts a session on this document without segments and events; returns its number. Call inside a transaction.

    Without `session_id` it gets a number that no session ever had.
    """
    document_id = log.insert(
        "document",
        name=document.name,
        format=document.format.stored,
        sha256=hashlib.sha256(document.data).hexdigest(),
        encoding=document.encoding,
        mark=document.mark,
        data=document.data,
    )
    return log.insert(
        "session",
        id=session_id,
        token=token,
        document_id=document_id,
        project_id=project_id,
        direction=direction,
        pseudonym=pseudonym,
        versions=to_json(versions),
        options=to_json(options),
        created_ms=now_ms,
        last_ms=now_ms,
        num_events=0,
        last_hash=FIRST_HASH,
    )


def insert_segments(log: LogConnection, session_id: int, segments: Iterable[Segment]) -> None:
    """Inserts segments of a document as its file has them; call inside a transaction."""
    log.db.conn.executemany(
        "INSERT INTO segment (session_id, segment_index, source, source_start, source_end, note, "
        "given_target, given_state, target, state, version, constraints, limits, placeholders) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7, ?8, 0, ?10, ?9, ?11)",
        [
            (
                session_id,
                s.index,
                s.source,
                s.start,
                s.end,
                s.note,
                s.target,
                s.state,
                packed(s.limits),
                to_json(_given(s)),
                to_json(s.placeholders),
            )
            for s in segments
        ],
    )


def new_record(
    row: Mapping[str, Any],
    document: Document,
    versions: Mapping[str, Any],
    options: Mapping[str, Any],
    glossaries: tuple[Glossary, ...],
) -> SessionRecord:
    """What `load_session` returns for a new session; `row` is its row. Nothing is read that could fail."""
    return SessionRecord(
        **{name: row[name] for name in _PLAIN_COLUMNS},
        document=replace(document, notes=(), rules=None),
        versions=dict(versions),
        options=dict(options),
        segments=tuple(
            SavedSegment(s.index, s.source, s.target, s.state, 0, _given(s), s.note, s.limits, s.placeholders)
            for s in giving_way(document.segments)
        ),
        glossaries=glossaries,
        document_terms=(),
    )


def discard_unfinished_sessions(db: Database) -> None:
    """Deletes what interrupted openings of documents left; call inside a transaction."""
    query = f"SELECT id, document_id FROM session WHERE NOT {IS_FINISHED}"  # noqa: S608
    for session_id, document_id in db.execute(query).fetchall():
        db.execute("DELETE FROM session WHERE id = ?", (session_id,))
        db.execute("DELETE FROM document WHERE id = ?", (document_id,))


def adopt_session(log: LogConnection, record: SessionRecord, events: Iterable[Event], token: str) -> int:
    """Inserts a session of another log with all its events and returns its number; call inside a transaction.

    It keeps its number if no session here has or had it. Raises LogError if the log already contains the session.
    """
    query = "SELECT session_id FROM event WHERE seq = ? AND hash = ?"
    for row in log.db.execute(query, (record.num_events, record.last_hash)):
        raise LogError("this session is already in {path}, as session {number}", path=log.path, number=row[0])
    taken = "SELECT 1 FROM session WHERE id = ?1 UNION SELECT 1 FROM tombstone WHERE session_id = ?1"
    is_free = record.id > 0 and log.db.execute(taken, (record.id,)).fetchone() is None
    session_id = insert_session(
        log,
        record.document,
        token=token,
        direction=record.direction,
        pseudonym=record.pseudonym,
        versions=record.versions,
        options=record.options,
        now_ms=record.created_ms,
        project_id=current_project(log.db, record.direction, record.created_ms),
        session_id=record.id if is_free else None,
    )
    insert_segments(log, session_id, record.document.segments)
    log.db.execute(
        "UPDATE session SET last_ms = ?, num_events = ?, last_hash = ? WHERE id = ?",
        (record.last_ms, record.num_events, record.last_hash, session_id),
    )
    log.db.conn.executemany(
        "UPDATE segment SET target = ?, state = ?, version = ?, constraints = ? "
        "WHERE session_id = ? AND segment_index = ?",
        ((s.target, s.state, s.version, to_json(s.constraints), session_id, s.index) for s in record.segments),
    )
    first_free = max((glossary.id for glossary in record.glossaries if not glossary.is_shared), default=0) + 1
    own = [  # term bases of a project elsewhere become the session's own glossaries
        replace(glossary, id=first_free + place, revision=0) if glossary.is_shared else glossary
        for place, glossary in enumerate(record.glossaries)
    ]
    store_glossaries(log.db, session_id, (), own)
    for term in record.document_terms:
        add_document_term(log.db, session_id, term)
    log.db.conn.executemany(
        "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (session_id, e.seq, e.wall_ms, e.monotonic_ms, e.type, e.segment, e.segment_version, e.payload_json,
             e.previous_hash, e.hash)
            for e in events
        ),
    )  # fmt: skip
    return session_id


_CHANGED = """
    (EXISTS (SELECT 1 FROM glossary WHERE session_id = session.id AND glossary_id <= :max_own)
        OR EXISTS (SELECT 1 FROM segment INDEXED BY changed_segment WHERE session_id = session.id AND version > 0))
"""
_OF_DOCUMENT = "document_id IN (SELECT id FROM document WHERE sha256 = :sha256)"
_CONDITIONS = {
    "all": "1",
    "changed": _CHANGED,
    "of document": _OF_DOCUMENT,
    "untouched of document": " AND NOT ".join((_OF_DOCUMENT, _CHANGED)),
}


def list_sessions(
    log: LogConnection,
    which: Literal["all", "changed", "of document", "untouched of document"] = "all",
    *,
    projects: Iterable[int] | None = None,
    numbers: Iterable[int] | None = None,
    first: int = 0,
    limit: int = -1,
    sha256: str = "",
) -> list[SessionSummary]:
    """Sessions, most recently used first: `limit` of them from number `first` on, by default all.

    "changed" are those in which something was done, "of document" those on the bytes with the checksum `sha256`.
    Those of other projects than `projects`, and with other numbers than `numbers`, are left out.
    """
    condition = _CONDITIONS[which]
    if projects is not None:
        condition += " AND project_id IN (SELECT value FROM json_each(:projects))"
    if numbers is not None:
        condition += " AND id IN (SELECT value FROM json_each(:numbers))"
    query = f"""
        WITH found AS MATERIALIZED (
            SELECT id FROM session WHERE {IS_FINISHED} AND {condition}
            ORDER BY last_ms DESC, id DESC LIMIT :limit OFFSET :first)
        SELECT session.id, token, document.name AS document_name, direction, pseudonym, created_ms, last_ms,
            (SELECT count(*) FROM segment INDEXED BY filled_segment WHERE session_id = session.id AND source != '')
                AS num_segments,
            (SELECT count(*) FROM segment INDEXED BY confirmed_segment
                WHERE session_id = session.id AND state = 'confirmed')
                - {_locked("state = 'confirmed'")} AS num_confirmed,
            (SELECT count(*) FROM segment INDEXED BY reviewed_segment
                WHERE session_id = session.id AND review = 'approved')
                - {_locked("review = 'approved'")} AS num_approved,
            (SELECT count(*) FROM segment INDEXED BY reviewed_segment
                WHERE session_id = session.id AND review = 'returned')
                - {_locked("review = 'returned'")} AS num_returned,
            {_locked("source != ''")} AS num_locked,
            NOT {_CHANGED} AS is_untouched, coalesce(project_id, 0) AS project_id,
            assignee, coalesce(bundle_document.path, '') AS path, session.deadline_ms AS deadline_ms,
            (SELECT deadline_ms FROM project WHERE project.id = project_id) AS project_deadline_ms,
            (SELECT json_group_array(DISTINCT person) FROM assigned_segment WHERE session_id = session.id)
                AS part_assignees
        FROM found JOIN session ON session.id = found.id JOIN document ON document.id = session.document_id
        LEFT JOIN bundle_document ON bundle_document.session_id = session.id
        ORDER BY last_ms DESC, session.id DESC
    """  # noqa: S608 (conditions of ours)
    values = {
        "max_own": MAX_OWN_ID,
        "projects": to_json(sorted(projects or ())),
        "numbers": to_json(sorted(numbers or ())),
        "limit": limit,
        "first": first,
        "sha256": sha256,
    }
    purpose = Message("list the sessions")
    rows = log.rows(purpose, query, values)
    with log.checked(purpose):
        return [
            SessionSummary(
                **{
                    **row,
                    "is_untouched": bool(row["is_untouched"]),
                    "part_assignees": tuple(sorted(json.loads(row["part_assignees"]))),
                }
            )
            for row in rows
        ]


def _locked(condition: str) -> str:
    """The number of locked segments of a session that meet a condition, as SQL; few segments are locked."""
    locked = "SELECT count(*) FROM segment INDEXED BY locked_segment WHERE session_id = session.id AND is_locked"
    return f"({locked} AND {condition})"


# Of a session, those with the same name and value in a `SessionRecord`.
_PLAIN_COLUMNS = (
    *("id", "token", "direction", "pseudonym", "project_id"), *("created_ms", "last_ms", "num_events", "last_hash"),
)  # fmt: skip


def load_session(log: LogConnection, id_or_token: int | str) -> SessionRecord:
    """All data for resuming a session. Raises LogError if there is no such session.

    The segments of a long document are read in portions, so that others can write meanwhile.
    """
    # A constant, so that no input ever becomes SQL.
    condition = "session.id = ?" if isinstance(id_or_token, int) else "session.token = ?"
    purpose = Message("load the session")
    with log.lock:
        found = log.rows(
            purpose,
            "SELECT session.*, document.name, format, encoding, mark, data FROM session "  # noqa: S608
            f"JOIN document ON document.id = session.document_id WHERE {condition}",
            (id_or_token,),
        )
        if not found:
            raise no_such_session(log)
        session = found[0]
        segments = _segment_rows(log, session["id"], -1)
        with log.clear_errors(purpose), log.checked(purpose):
            glossaries = load_glossaries(log.db, session["id"])
            document_terms = load_document_terms(log.db, session["id"])
    if len(segments) == SEGMENTS_AT_ONCE:
        while page := _segment_rows(log, session["id"], segments[-1]["segment_index"]):
            segments += page
        query = "SELECT 1 FROM session WHERE id = ? AND last_hash = ?"
        if not log.rows(purpose, query, (session["id"], session["last_hash"])):
            with log.lock:  # it was changed while it was read
                return load_session(log, id_or_token)
    with log.checked(purpose):
        return SessionRecord(
            **{name: session[name] for name in _PLAIN_COLUMNS},
            document=_document(session, segments),
            versions=json.loads(session["versions"]),
            options=json.loads(session["options"]),
            segments=tuple(map(_saved_segment, segments)),
            glossaries=glossaries,
            document_terms=document_terms,
        )


def _segment_rows(log: LogConnection, session_id: int, after: int) -> list[dict[str, Any]]:
    """At most SEGMENTS_AT_ONCE segments of a session, from the one after index `after` on."""
    query = "SELECT * FROM segment WHERE session_id = ? AND segment_index > ? ORDER BY segment_index LIMIT ?"
    return log.rows(Message("load the session"), query, (session_id, after, SEGMENTS_AT_ONCE))


def segments_in_order(
    log: LogConnection, session_id: int, *, first: int = 0, limit: int = -1, indices: Iterable[int] | None = None
) -> list[SavedSegment]:
    """Segments of a session in the order of the document: `limit` from position `first` on, or only these `indices`."""
    query = """
        SELECT * FROM segment WHERE session_id = :session AND source != ''
        AND (:indices IS NULL OR segment_index IN (SELECT value FROM json_each(:indices)))
        ORDER BY source_start, segment_index LIMIT :limit OFFSET :first
    """
    chosen = None if indices is None else to_json(sorted(indices))
    values = {"session": session_id, "indices": chosen, "limit": limit, "first": first}
    purpose = Message("read the log")
    rows = log.rows(purpose, query, values)
    with log.checked(purpose):
        return [_saved_segment(row) for row in rows]


def changed_segments(log: LogConnection, session_id: int, after: int) -> set[int] | None:
    """The segments with events after number `after`; None if segments were split or merged, so that any may differ."""
    query = "SELECT DISTINCT segment_index, type IN ('split', 'merge') FROM event WHERE session_id = ? AND seq > ?"
    found = log.tuples(Message("read the events"), query, (session_id, after))
    if any(is_division for _, is_division in found):
        return None
    return {index for index, _ in found if index is not None}


def sources_elsewhere(log: LogConnection, session: SessionRecord) -> set[str]:
    """The sources of a session that other sessions of its project and language pair have, too."""
    query = """
        SELECT DISTINCT source FROM segment WHERE source != ''
        AND session_id IN (SELECT id FROM session WHERE project_id = :project AND direction = :direction AND id != :own)
        AND source IN (SELECT source FROM segment WHERE session_id = :own)
    """
    values = {"project": session.project_id, "direction": session.direction, "own": session.id}
    return {row["source"] for row in log.rows(Message("read the log"), query, values)}


def no_such_session(log: LogConnection) -> LogError:
    """The error for a session that does not exist, and for one that the actor does not see."""
    return LogError(
        "{path} does not contain this session; it may have been deleted: open the document again", path=log.path
    )


def store_places(log: LogConnection, session_id: int, segments: Iterable[Segment]) -> None:
    """Writes the positions of segments after a split or merge, including new ones; call inside a transaction."""
    log.db.conn.executemany(
        "INSERT INTO segment (session_id, segment_index, source, source_start, source_end, note, "
        "given_state, state, version, constraints) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'new', 'new', 0, '{}') "
        "ON CONFLICT DO UPDATE SET source = ?3, source_start = ?4, source_end = ?5",
        [(session_id, s.index, s.source, s.start, s.end, s.note) for s in segments],
    )


def _given(segment: Segment) -> dict[str, Any]:
    """The segment's constraints at the start: what the file states about its review and its lock."""
    verdict = {"verdict": {"decision": segment.review, "text": segment.target}} if segment.review else {}
    return {**verdict, "lock": {"is_of_file": True}} if segment.is_locked else verdict


def _saved_segment(row: Mapping[str, Any]) -> SavedSegment:
    return SavedSegment(
        index=row["segment_index"],
        source=row["source"],
        target=row["target"],
        state=row["state"],
        version=row["version"],
        constraints=json.loads(row["constraints"]),
        note=row["note"],
        limits=unpacked(row["limits"]),
        placeholders=tuple(json.loads(row["placeholders"])),
    )


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
            unpacked(row["limits"]),
            tuple(json.loads(row["placeholders"])),
        )
        for row in segments
    )
    its_format = stored_format(session["format"])
    return Document(session["name"], its_format, session["data"], session["encoding"], session["mark"], places)
