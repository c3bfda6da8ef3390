"""Totals of a project: segments and words of its documents and people, done and to do, with their deadlines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from app.access.actor import Actor
from app.formats.documents import Export
from app.i18n import Message
from app.log.deadlines import Urgency, urgency_of
from app.log.project_tables import Project
from app.log.records import SessionSummary
from app.log.store import LogStore
from app.text.words import count_words, counting_unit
from app.text.workbook import Cell, Sheet, csv_table, workbook

_SEGMENTS: Final = """
    SELECT source, state = 'confirmed' AS is_confirmed, is_locked, coalesce(person, '') AS person
    FROM segment LEFT JOIN assigned_segment USING (session_id, segment_index)
    WHERE session_id = ? AND source != ''
"""


@dataclass(slots=True)
class Amount:
    """Segments with the words of their sources: in all, confirmed ("done"), and locked, which are not to do either."""

    num_segments: int = 0
    num_words: int = 0
    num_segments_done: int = 0
    num_words_done: int = 0
    num_segments_locked: int = 0
    num_words_locked: int = 0

    @property
    def num_segments_to_do(self) -> int:
        """Segments that are neither confirmed nor locked."""
        return self.num_segments - self.num_segments_done - self.num_segments_locked

    @property
    def num_words_to_do(self) -> int:
        """The words of these."""
        return self.num_words - self.num_words_done - self.num_words_locked

    def add(self, num_words: int, *, is_done: bool, is_locked: bool) -> None:
        """Counts one more segment."""
        self.num_segments += 1
        self.num_words += num_words
        if is_locked:
            self.num_segments_locked += 1
            self.num_words_locked += num_words
        elif is_done:
            self.num_segments_done += 1
            self.num_words_done += num_words


@dataclass(frozen=True, slots=True)
class DocumentTotals:
    """The totals of a document. `deadline_ms` is its own, `due_ms` that of the project if it has none."""

    session: int
    name: str
    assignee: str
    deadline_ms: int | None
    due_ms: int | None
    urgency: Urgency
    amount: Amount


@dataclass(frozen=True, slots=True)
class PersonTotals:
    """The totals of a person's segments in the project; "" has those that are assigned to nobody.

    `due_ms` is the first deadline of those that are to do.
    """

    name: str
    due_ms: int | None
    urgency: Urgency
    amount: Amount


@dataclass(frozen=True, slots=True)
class ProjectTotals:
    """The totals of a project; `unit` is what its words are counted in."""

    project: Project
    unit: str
    urgency: Urgency
    documents: tuple[DocumentTotals, ...]
    people: tuple[PersonTotals, ...]
    amount: Amount


def project_totals(actor: Actor, store: LogStore, project: Project, now_ms: int) -> ProjectTotals:
    """The totals of a project at this time, from the documents that the actor sees in it, by name."""
    found = [one for one in store.sessions(actor) if one.project_id == project.id]
    members = set(store.people.members(project.id))
    whole = Amount()
    by_person: dict[str, Amount] = defaultdict(Amount)
    due_of_person: dict[str, int] = {}
    documents = []
    for summary in sorted(found, key=lambda one: one.shown_name.casefold()):
        amount = Amount()
        for source, is_confirmed, is_locked, part in store.connection.tuples(
            Message("read the documents"), _SEGMENTS, (summary.id,)
        ):
            name, num_words = part if part in members else summary.assignee, count_words(source)
            for one in (whole, amount, by_person[name]):
                one.add(num_words, is_done=bool(is_confirmed), is_locked=bool(is_locked))
            if summary.due_ms is not None and not is_confirmed and not is_locked:
                due_of_person[name] = min(summary.due_ms, due_of_person.get(name, summary.due_ms))
        documents.append(_of_document(summary, amount, now_ms))
    return ProjectTotals(
        project,
        counting_unit(project.direction.partition("-")[0]),
        _most_urgent(one.urgency for one in documents),
        tuple(documents),
        tuple(
            PersonTotals(name, due, urgency_of(due, amount.num_segments_to_do, now_ms), amount)
            for name, amount in sorted(by_person.items(), key=lambda item: (not item[0], item[0].casefold()))
            for due in [due_of_person.get(name)]
        ),
        whole,
    )


def _of_document(summary: SessionSummary, amount: Amount, now_ms: int) -> DocumentTotals:
    return DocumentTotals(
        summary.id,
        summary.shown_name,
        summary.assignee,
        summary.deadline_ms,
        summary.due_ms,
        urgency_of(summary.due_ms, amount.num_segments_to_do, now_ms),
        amount,
    )


def _most_urgent(urgencies: Iterable[Urgency]) -> Urgency:
    found = set(urgencies)
    return "overdue" if "overdue" in found else "soon" if "soon" in found else ""


def totals_csv(totals: ProjectTotals) -> Export:
    """The totals as a table: a row for each document, and one for all."""
    return Export("totals.csv", csv_table([("document", *_heads(totals)), *_document_rows(totals)]))


def totals_workbook(totals: ProjectTotals) -> Export:
    """The totals as an Excel workbook: by document, and by person."""
    people: list[list[Cell]] = [
        [one.name, *_numbers(one.amount), _when(one.due_ms), one.urgency] for one in totals.people
    ]
    heads = _heads(totals)
    sheets = [
        Sheet("Documents", _document_rows(totals), ("document", *heads), (40, 20)),
        Sheet("People", people, heads, (20,)),
    ]
    return Export("totals.xlsx", workbook(sheets))


def _heads(totals: ProjectTotals) -> tuple[str, ...]:
    kinds = ("", " done", " to do", " locked")
    return ("person", *(f"{what}{kind}" for what in ("segments", totals.unit) for kind in kinds), "due (UTC)", "state")


def _document_rows(totals: ProjectTotals) -> list[list[Cell]]:
    rows: list[list[Cell]] = [
        [one.name, one.assignee, *_numbers(one.amount), _when(one.due_ms), one.urgency] for one in totals.documents
    ]
    return [*rows, ["Total", "", *_numbers(totals.amount), _when(totals.project.deadline_ms), totals.urgency]]


def _numbers(amount: Amount) -> list[Cell]:
    return [
        amount.num_segments,
        amount.num_segments_done,
        amount.num_segments_to_do,
        amount.num_segments_locked,
        amount.num_words,
        amount.num_words_done,
        amount.num_words_to_do,
        amount.num_words_locked,
    ]


def _when(due_ms: int | None) -> str:
    """The minute in UTC, as spreadsheet programs read it; empty for None."""
    return "" if due_ms is None else datetime.fromtimestamp(due_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
