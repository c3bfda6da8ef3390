"""Usage by month (UTC): documents, segments, words and the model's work of each project; characters of each API key."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from app.access.actor import Actor
from app.formats.documents import Export
from app.i18n import Message
from app.log.budgets import budgets, words_opened
from app.log.store import LogStore
from app.text.words import count_words
from app.text.workbook import csv_table

CSV_COLUMNS: Final = (
    "month", "project", "name", "client", "documents", "segments", "words", "decodes", "model_seconds", "budget",
    "budget_used",
)  # fmt: skip
_COUNTS: Final = """
    SELECT project_id, strftime('%Y-%m', wall_ms / 1000, 'unixepoch') AS month, sum(type = 'open') AS documents,
        sum(type = 'decode_request') AS decodes,
        sum(CASE WHEN type = 'decode_result' AND json_valid(payload) THEN json_extract(payload, '$.elapsed_ms') END)
            AS model_ms
    FROM session JOIN event ON session_id = session.id WHERE type IN ('open', 'decode_request', 'decode_result')
    GROUP BY project_id, month
"""
# A segment counts in the month in which it was confirmed last.
_CONFIRMED: Final = """
    SELECT project_id, strftime('%Y-%m', confirmed_ms / 1000, 'unixepoch') AS month, source
    FROM (SELECT session_id, segment_index, max(wall_ms) AS confirmed_ms FROM event
        WHERE type = 'confirm' GROUP BY session_id, segment_index)
    JOIN segment USING (session_id, segment_index) JOIN session ON session.id = session_id
    WHERE state = 'confirmed'
"""


@dataclass(frozen=True, slots=True)
class ProjectUsage:
    """The usage of a project in a month. `segments` were confirmed last in it; `words` are those of their sources."""

    month: str
    project: int
    name: str
    client: str
    documents: int
    segments: int
    words: int
    decodes: int
    model_seconds: float
    budget: int | None
    budget_used: int | None


def project_usage(actor: Actor, store: LogStore, month: str = "") -> list[ProjectUsage]:
    """The usage of all projects that the actor manages, newest month first; by default of all months."""
    log = store.connection
    access, purpose = store.people.access(actor), Message("read the events")
    projects = {one.project.id: one.project for one in store.projects(actor) if access.manages(one.project.id)}
    limits = budgets(log)
    confirmed: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in log.rows(purpose, _CONFIRMED):
        counts = confirmed[row["project_id"], row["month"]]
        counts[0] += 1
        counts[1] += count_words(row["source"])
    worked = {(row["project_id"], row["month"]): row for row in log.rows(purpose, _COUNTS)}
    found = []
    for place in sorted(worked.keys() | confirmed.keys(), key=lambda place: (place[1], -(place[0] or 0)), reverse=True):
        number, when = place
        if number not in projects or month not in ("", when):
            continue
        project, row, (segments, words) = projects[number], worked.get(place, {}), confirmed[place]
        found.append(
            ProjectUsage(
                when,
                number,
                project.name,
                project.client,
                row.get("documents", 0),
                segments,
                words,
                row.get("decodes", 0),
                round((row.get("model_ms") or 0) / 1000, 1),
                limits.get(number),
                words_opened(log, number, when) if number in limits else None,
            )
        )
    return found


def usage_csv(actor: Actor, store: LogStore) -> Export:
    """The usage of all projects and months as a CSV table. UTF-8 with a byte order mark."""
    rows = [[getattr(row, column) for column in CSV_COLUMNS] for row in project_usage(actor, store)]
    return Export("usage.csv", csv_table([CSV_COLUMNS, *rows]))
