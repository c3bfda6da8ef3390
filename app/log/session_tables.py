"""The tables of sessions, documents and segments: written at the start of a session, read to resume it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

from app.errors import LogError
from app.formats import stored_format
from app.formats.documents import Document, Segment
from app.glossary.glossary import MAX_OWN_ID
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.glossary_tables import add_document_term, load_document_terms, load_glossaries, store_glossaries
from app.log.project_tables import current_project
from app.log.records import FIRST_HASH, Event, SavedSegment, SessionRecord, SessionSummary, to_json
from app.text.text_limits import packed, unpacked


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
    project_id: int | None = None,
    session_id: int | None = None,
) -> int:
    """Inserts a session on this document without events and returns its number; call inside a transaction.

    Without `session_id` it gets a number that no session ever had; without `project_id`, the current project of its
    language pair.
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
    session_id = log.insert(
        "session",
        id=session_id,
        token=token,
        document_id=document_id,
        project_id=project_id or current_project(log.db, direction, now_ms),
        direction=direction,
        pseudonym=pseudonym,
        versions=to_json(versions),
        options=to_json(options),
        created_ms=now_ms,
        last_ms=now_ms,
        num_events=0,
        last_hash=FIRST_HASH,
    )
    log.db.conn.executemany(
        "INSERT INTO segment (session_id, segment_index, source, source_start, source_end, note, "
        "given_target, given_state, target, state, version, constraints, limits, placeholders) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7, ?8, 0, ?10, ?9, ?11)",
        (
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
                _verdict(s),
                to_json(s.placeholders),
            )
            for s in document.segments
        ),
    )
    return session_id


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
        session_id=record.id if is_free else None,
    )
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
            SELECT id FROM session WHERE {condition} ORDER BY last_ms DESC, id DESC LIMIT :limit OFFSET :first)
        SELECT session.id, token, document.name AS document_name, direction, pseudonym, created_ms, last_ms,
            (SELECT count(*) FROM segment INDEXED BY filled_segment WHERE session_id = session.id AND source != '')
                AS num_segments,
            (SELECT count(*) FROM segment INDEXED BY confirmed_segment
                WHERE session_id = session.id AND state = 'confirmed') AS num_confirmed,
            (SELECT count(*) FROM segment INDEXED BY reviewed_segment
                WHERE session_id = session.id AND review = 'approved') AS num_approved,
            (SELECT count(*) FROM segment INDEXED BY reviewed_segment
                WHERE session_id = session.id AND review = 'returned') AS num_returned,
            NOT {_CHANGED} AS is_untouched, coalesce(project_id, 0) AS project_id,
            assignee, coalesce(bundle_document.path, '') AS path,
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


# Of a session, those with the same name and value in a `SessionRecord`.
_PLAIN_COLUMNS = (
    *("id", "token", "direction", "pseudonym", "project_id"), *("created_ms", "last_ms", "num_events", "last_hash"),
)  # fmt: skip


def load_session(log: LogConnection, id_or_token: int | str) -> SessionRecord:
    """All data for resuming a session. Raises LogError if there is no such session."""
    # A constant, so that no input ever becomes SQL.
    condition = "session.id = ?" if isinstance(id_or_token, int) else "session.token = ?"
    with log.lock:
        found = log.rows(
            Message("load the session"),
            "SELECT session.*, document.name, format, encoding, mark, data FROM session "  # noqa: S608
            f"JOIN document ON document.id = session.document_id WHERE {condition}",
            (id_or_token,),
        )
        if not found:
            raise no_such_session(log)
        session = found[0]
        segments = log.rows(
            Message("load the session"),
            "SELECT * FROM segment WHERE session_id = ? ORDER BY segment_index",
            (session["id"],),
        )
        with log.clear_errors(Message("load the session")), log.checked(Message("load the session")):
            glossaries = load_glossaries(log.db, session["id"])
            document_terms = load_document_terms(log.db, session["id"])
    with log.checked(Message("load the session")):
        return SessionRecord(
            **{name: session[name] for name in _PLAIN_COLUMNS},
            document=_document(session, segments),
            versions=json.loads(session["versions"]),
            options=json.loads(session["options"]),
            segments=tuple(map(_saved_segment, segments)),
            glossaries=glossaries,
            document_terms=document_terms,
        )


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


def _verdict(segment: Segment) -> str:
    """The segment's constraints at the start: what the file states about its review."""
    return to_json({"verdict": {"decision": segment.review, "text": segment.target}} if segment.review else {})


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
