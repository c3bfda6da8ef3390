"""Deadlines of projects and documents, as times in UTC. A document without its own has that of its project."""

from __future__ import annotations

from typing import Final, Literal

from sqlite_utils import Database

from app.errors import CommandError

Urgency = Literal["overdue", "soon", ""]
SOON_MS: Final = 24 * 60 * 60 * 1000
_LATEST_MS: Final = 253_402_214_400_000  # 31 December 9999; later ones have no date in Python


def check_deadline(deadline_ms: int | None) -> None:
    """Raises CommandError for a time that is not in the years 1970 to 9999."""
    if deadline_ms is not None and not 0 <= deadline_ms < _LATEST_MS:
        raise CommandError("The deadline must be in the years 1970 to 9999: choose another day.")


def urgency_of(due_ms: int | None, num_to_do: int, now_ms: int) -> Urgency:
    """Whether work is overdue, or due within a day; "" if nothing is to do or nothing is due.

    >>> urgency_of(2_000, 5, now_ms=2_000), urgency_of(2_000, 0, now_ms=9_000), urgency_of(None, 5, now_ms=9_000)
    ('soon', '', '')
    """
    if due_ms is None or not num_to_do or due_ms > now_ms + SOON_MS:
        return ""
    return "overdue" if due_ms < now_ms else "soon"


def set_document_deadline(db: Database, session_id: int, deadline_ms: int | None) -> None:
    """Sets the deadline of a document; None leaves it to the project. Call inside a transaction."""
    db.execute("UPDATE session SET deadline_ms = ? WHERE id = ?", (deadline_ms, session_id))
