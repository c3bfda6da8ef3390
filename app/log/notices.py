"""Notices to people: a document or segments were assigned to them or taken back, or a reviewer returned segments.

A notice stays until the person opens the document. All changes are made inside a transaction; `News.changed` follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sqlite_utils import Database

from app.access.actor import Actor
from app.errors import Checked
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.event_chain import wall_ms

NoticeKind = Literal["assigned", "withdrawn", "returned"]


@dataclass(frozen=True, slots=True)
class Notice(Checked):
    """A notice for a person about a document.

    `sender` is the person who caused it ("": the owner of the server), `num_segments` the number of segments that it is
    about; 0: the whole document. A dismissed notice is only a mark in the list of documents.
    """

    session_id: int
    person: str
    kind: NoticeKind
    sender: str
    num_segments: int
    is_dismissed: bool
    document: str
    project_id: int


def load_notices(log: LogConnection) -> dict[str, tuple[Notice, ...]]:
    """All notices by person, the newest first."""
    query = """
        SELECT session_id, person, kind, sender, num_segments, is_dismissed,
            coalesce(project_id, 0) AS project_id,
            coalesce(nullif(bundle_document.path, ''), document.name) AS document
        FROM notice JOIN session ON session.id = session_id JOIN document ON document.id = session.document_id
            LEFT JOIN bundle_document USING (session_id)
        ORDER BY notice.wall_ms DESC, session_id, kind
    """
    purpose = Message("read the notices")
    found: dict[str, tuple[Notice, ...]] = {}
    for row in log.rows(purpose, query):
        with log.checked(purpose):
            notice = Notice(**{**row, "is_dismissed": bool(row["is_dismissed"])})
        found[notice.person] = (*found.get(notice.person, ()), notice)
    return found


def note_assignment(actor: Actor, db: Database, session_id: int, person: str, before: Iterable[str]) -> None:
    """Notices of a document, or of some of its segments, that were just assigned to a person; "" to nobody.

    `before` has the person to whom each segment, or the document, was assigned before, or "".
    """
    counts = Counter(before)
    counts.pop(person, None)
    num_gained = counts.total()
    for loser, number in counts.items():
        if loser not in ("", actor.name):
            _note_loss(actor, db, session_id, loser, number)
    if person in ("", actor.name) or not num_gained:
        return
    discard_notices(db, person, [session_id], "withdrawn")
    num_known = _num_noted(db, session_id, person, "assigned") or 0
    _put(actor, db, session_id, person, "assigned", min(num_known + num_gained, _num_held(db, session_id, person) or 0))


def note_returned(actor: Actor, db: Database, session_id: int, person: str, change: int) -> None:
    """Notice to a translator that one more segment was returned, or with -1 one less."""
    if person in ("", actor.name):
        return
    number = (_num_noted(db, session_id, person, "returned") or 0) + change
    if number > 0:
        _put(actor, db, session_id, person, "returned", number)
    else:
        discard_notices(db, person, [session_id], "returned")


def discard_notices(db: Database, person: str, session_ids: Iterable[int], kind: NoticeKind | None = None) -> None:
    """Removes a person's notices about documents, by default of every kind."""
    values = [(person, number, kind) for number in session_ids]
    db.conn.executemany(
        "DELETE FROM notice WHERE person = ?1 AND session_id = ?2 AND kind = coalesce(?3, kind)", values
    )


def _note_loss(actor: Actor, db: Database, session_id: int, person: str, number: int) -> None:
    num_held = _num_held(db, session_id, person)
    query = "SELECT is_dismissed FROM notice WHERE session_id = ? AND person = ? AND kind = 'assigned'"
    known = db.execute(query, (session_id, person)).fetchone()
    if known and num_held is None:
        discard_notices(db, person, [session_id], "assigned")
    elif known:
        db.execute(
            "UPDATE notice SET num_segments = CASE WHEN num_segments BETWEEN 1 AND ?1 THEN num_segments ELSE ?1 END "
            "WHERE session_id = ?2 AND person = ?3 AND kind = 'assigned'",
            (num_held, session_id, person),
        )
    if not known or known[0]:  # otherwise the person may not know of the assignment yet
        _put(actor, db, session_id, person, "withdrawn", 0 if num_held is None else number)


def _num_noted(db: Database, session_id: int, person: str, kind: NoticeKind) -> int | None:
    """The number of segments in a notice that is not dismissed; None if there is none."""
    query = """
        SELECT num_segments FROM notice WHERE session_id = ? AND person = ? AND kind = ? AND NOT is_dismissed
    """
    found = db.execute(query, (session_id, person, kind)).fetchone()
    return found[0] if found else None


def _num_held(db: Database, session_id: int, person: str) -> int | None:
    """The number of segments assigned to a person; 0 if the document is, None without any assignment."""
    query = """
        SELECT assignee = ?2, (SELECT count(*) FROM assigned_segment WHERE session_id = ?1 AND person = ?2)
        FROM session WHERE id = ?1
    """
    found = db.execute(query, (session_id, person)).fetchone()
    if found is None:
        return None
    is_whole, number = found
    return 0 if is_whole else number or None


def _put(actor: Actor, db: Database, session_id: int, person: str, kind: NoticeKind, num_segments: int) -> None:
    db.execute(
        "INSERT OR REPLACE INTO notice (session_id, person, kind, sender, num_segments, wall_ms, is_dismissed) "
        "VALUES (?, ?, ?, ?, ?, ?, 0)",
        (session_id, person, kind, actor.name, num_segments, wall_ms()),
    )
