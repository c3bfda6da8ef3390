"""Budgets of projects: how many words of documents may be opened in a project in a month (UTC)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from sqlite_utils import Database

from app.errors import CommandError
from app.formats.documents import Segment
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.project_tables import keep_project_setting, load_project, project_setting, project_settings
from app.text.words import count_words

_BUDGET: Final = "words_a_month"
_USED: Final = "words_opened "  # with the month behind it
MAX_BUDGET: Final = 10**9


def month_of(ms: int) -> str:
    """The month of a time in milliseconds since 1970, such as 2026-11 (UTC)."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m")


def budgets(log: LogConnection) -> dict[int, int]:
    """The words a month that projects have as their budget, by project."""
    return {project: int(words) for project, words in project_settings(log, _BUDGET).items()}


def words_opened(log: LogConnection, project_id: int, month: str) -> int:
    """The words that counted for the budget of a project in this month."""
    return int(project_setting(log, project_id, _USED + month) or 0)


def set_budget(log: LogConnection, project_id: int, words: int | None) -> None:
    """Gives a project a budget; None removes it. Raises CommandError."""
    if words is not None and words > MAX_BUDGET:
        raise CommandError("A budget has at most {limit:,} words a month.", limit=MAX_BUDGET)
    if load_project(log, project_id) is None:
        raise CommandError("there is no project {number}: `people projects` lists the projects", number=project_id)
    with log.transaction(Message("change the project")):
        keep_project_setting(log.db, project_id, _BUDGET, None if words is None else str(words))


def spend(log: LogConnection, db: Database, project_id: int, segments: Iterable[Segment], now_ms: int) -> None:
    """Counts the words of a new document. Call inside a transaction. Raises CommandError over the budget."""
    budget = budgets(log).get(project_id)
    if budget is None:
        return
    month = month_of(now_ms)
    words, used = sum(count_words(segment.source) for segment in segments), words_opened(log, project_id, month)
    if used + words > budget:
        project = load_project(log, project_id)
        raise CommandError(
            "The project {project} has a budget of {budget:,} words a month. {used:,} are used, and this document "
            "has {words:,}: open it in {next}, or ask an administrator for a larger budget (`pinpoint usage budget "
            "{number} WORDS`).",
            project=f"“{project.name}”" if project and project.name else str(project_id),
            budget=budget,
            used=used,
            words=words,
            next=_next(month),
            number=project_id,
        )
    keep_project_setting(db, project_id, _USED + month, str(used + words))


def _next(month: str) -> str:
    year, number = map(int, month.split("-"))
    return f"{year + number // 12}-{number % 12 + 1:02}"
