"""Deadlines of projects and documents, as times in UTC. A document without its own has that of its project."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
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


def parse_deadline(text: str, *, is_local: bool = False) -> int:
    """Milliseconds since 1970 of a time in ISO 8601 with its time zone. Raises CommandError.

    `is_local`: a time without a time zone is one of this computer's.

    >>> parse_deadline("2026-03-05T13:00+01:00")
    1772712000000
    """
    with suppress(ValueError, OverflowError):
        parsed = datetime.fromisoformat(text.strip())
        if is_local:
            parsed = parsed.astimezone()
        if parsed.tzinfo is not None and len(text.strip()) > len("2026-12-04"):  # not only a day
            deadline_ms = (parsed - datetime.fromtimestamp(0, UTC)) // timedelta(milliseconds=1)
            check_deadline(deadline_ms)
            return deadline_ms
    raise CommandError(
        "{text!r} is not a day with a time and its time zone: write it as {example}.",
        text=text[:40],
        example="2026-12-04T17:00+01:00",
    )


def iso_time(deadline_ms: int) -> str:
    """The time in ISO 8601, in UTC, to the second.

    >>> iso_time(1_772_712_000_000)
    '2026-03-05T12:00:00Z'
    """
    return f"{datetime.fromtimestamp(deadline_ms / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def urgency_of(due_ms: int | None, num_to_do: int, now_ms: int) -> Urgency:
    """Whether work is overdue, or due within a day; "" if nothing is to do or nothing is due.

    >>> urgency_of(2_000, 5, now_ms=2_000), urgency_of(2_000, 0, now_ms=9_000), urgency_of(None, 5, now_ms=9_000)
    ('soon', '', '')
    """
    if due_ms is None or not num_to_do or due_ms > now_ms + SOON_MS:
        return ""
    return "overdue" if due_ms < now_ms else "soon"


def set_project_deadline(db: Database, project_id: int, deadline_ms: int | None) -> None:
    """Sets the deadline of a project; None removes it. Call inside a transaction."""
    db.execute("UPDATE project SET deadline_ms = ? WHERE id = ?", (deadline_ms, project_id))


def set_document_deadline(db: Database, session_id: int, deadline_ms: int | None) -> None:
    """Sets the deadline of a document; None leaves it to the project. Call inside a transaction."""
    db.execute("UPDATE session SET deadline_ms = ? WHERE id = ?", (deadline_ms, session_id))
