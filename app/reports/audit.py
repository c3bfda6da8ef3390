"""Activity: who did what and when, from the events in documents of the projects that a person manages."""

from __future__ import annotations

import csv
import heapq
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from app.access.actor import Actor
from app.errors import Checked
from app.formats.documents import Export
from app.i18n import Message
from app.log.records import EventType, SessionSummary
from app.log.store import LogStore
from app.text.encoding import escape_formula

AuditKind = Literal["document", "text", "confirmation", "review", "comment", "constraint", "term", "project", "export"]
Place = tuple[int, int, int]  # (wall_ms, session, number) of an event

PAGE_ROWS: Final = 100
MAX_CSV_ROWS: Final = 200_000
CSV_COLUMNS: Final = ("time", "person", "project", "document", "session", "segment", "kind", "event", "detail")
# Only what people do. The model's events, single keys and moves between segments are in the exported log.
TYPES: Final[Mapping[AuditKind, tuple[EventType, ...]]] = {
    "document": ("open", "resume", "split", "merge", "style", "model", "checks_chosen", "consent"),
    "text": ("insert", "delete", "paste", "edit", "undo", "redo", "hypothesis_taken"),
    "confirmation": ("confirm", "reopen"),
    "review": ("review", "remark", "lock", "unlock"),
    "comment": ("comment",),
    "constraint": ("pin", "unpin", "avoid", "unavoid", "beginning", "locked"),
    "term": ("glossary", "term_added", "term_removed"),
    "project": ("project",),
    "export": ("export",),
}
_KIND_OF: Final = {event_type: kind for kind, types in TYPES.items() for event_type in types}
_DETAILS: Final[Mapping[EventType, tuple[str, ...]]] = {  # fields of the payload
    "export": ("kind",),
    "review": ("decision",),
    "project": ("change", "member"),
}


@dataclass(frozen=True, slots=True)
class AuditFilter(Checked):
    """A filter for events: by person (the owner is ""), session and kind; None: all."""

    person: str | None = None
    session: int | None = None
    kind: AuditKind | None = None


@dataclass(frozen=True, slots=True)
class AuditRow:
    """An event that a person caused; the owner has the name "".

    `segment` counts from 1, in the order of the file; `detail` is what was exported, or who joined.
    """

    wall_ms: int
    session: int
    seq: int
    person: str
    project: int
    document: str
    segment: int | None
    kind: AuditKind
    type: EventType
    detail: str

    @property
    def place(self) -> Place:
        """The place of the event among all others, which are shown from the newest."""
        return self.wall_ms, self.session, self.seq


def managed_sessions(actor: Actor, store: LogStore) -> list[SessionSummary]:
    """The sessions whose events the actor may see: sessions of projects that they manage."""
    access = store.people.access(actor)
    return [summary for summary in store.sessions(actor) if access.manages(summary.project_id)]


def audit_rows(
    actor: Actor, store: LogStore, chosen: AuditFilter, before: Place | None = None, limit: int = PAGE_ROWS
) -> list[AuditRow]:
    """The newest events, those before the place `before`, at most `limit`; newest first.

    Reads one session at a time, so that others can write meanwhile, and none whose last event is older than the rows.
    """
    rows: list[AuditRow] = []
    for summary in managed_sessions(actor, store):  # the one used last first
        if chosen.session not in (None, summary.id):
            continue
        if len(rows) == limit and rows[-1].wall_ms > summary.last_ms:
            break
        rows = heapq.nlargest(limit, [*rows, *_rows(store, summary, chosen, before, limit)], key=lambda row: row.place)
    return rows


def audit_csv(actor: Actor, store: LogStore, chosen: AuditFilter) -> Export:
    """The newest events as a CSV table, at most MAX_CSV_ROWS. Times are ISO 8601 in UTC; the owner's name is empty.

    UTF-8 with a byte order mark. An apostrophe is put before cells that look like formulas.
    """
    names = {summary.project.id: summary.project.name for summary in store.projects(actor)}
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(CSV_COLUMNS)
    for row in audit_rows(actor, store, chosen, limit=MAX_CSV_ROWS):
        time = datetime.fromtimestamp(row.wall_ms / 1000, UTC).isoformat(timespec="milliseconds")
        project = names.get(row.project, "")
        cells = [time, row.person, project, row.document, row.session, row.segment, row.kind, row.type, row.detail]
        writer.writerow([escape_formula(cell) if isinstance(cell, str) else cell for cell in cells])
    return Export("activity.csv", table.getvalue().encode("utf-8-sig"))


def _rows(
    store: LogStore, summary: SessionSummary, chosen: AuditFilter, before: Place | None, limit: int
) -> Iterator[AuditRow]:
    types = TYPES[chosen.kind] if chosen.kind else tuple(_KIND_OF)
    for event in store.newest_events(summary.id, types, limit, chosen.person, before):
        with store.connection.checked(Message("read the events")):
            payload = event.payload
            details = [payload[name] for name in _DETAILS.get(event.type, ()) if payload.get(name) is not None]
        yield AuditRow(
            event.wall_ms,
            summary.id,
            event.seq,
            payload.get("person") or "",
            summary.project_id,
            summary.shown_name,
            None if event.segment is None else event.segment + 1,
            _KIND_OF[event.type],
            event.type,
            " ".join(details),
        )
