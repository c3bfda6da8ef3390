"""The documents in the log, open or not: their list, offers to continue, and untouched ones."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence

from app.access.actor import Actor
from app.formats.documents import Document
from app.log.deadlines import urgency_of
from app.log.records import SessionRecord, SessionSummary
from app.log.store import LogStore
from app.models.style import Style, chosen_style
from app.segments.state import Json
from app.sessions import example

MAX_OFFERS = 8
MAX_TOKENS = 100  # of documents in tabs


class LoggedDocuments:
    """The sessions of a log as a person sees them: one row for each document."""

    def __init__(self, store: LogStore) -> None:
        self._store = store

    def rows(self, actor: Actor) -> list[Json]:
        """All documents, most recently used first."""
        return [_row(summary) for summary in self._store.sessions(actor)]

    def rows_of(self, actor: Actor, session_ids: Iterable[int]) -> list[Json]:
        """The rows of these documents."""
        return [_row(summary) for summary in self._store.sessions_of(actor, session_ids)]

    def rows_by_token(self, actor: Actor, tokens: Sequence[str]) -> list[Json | None]:
        """The rows of the documents with these tokens, of the first MAX_TOKENS; None if the actor sees no such one."""
        numbers = {token: self._store.session_of(actor, token) for token in tokens[:MAX_TOKENS]}
        rows = {row["session"]: row for row in self.rows_of(actor, filter(None, numbers.values()))}
        return [rows.get(numbers.get(token) or 0) for token in tokens]

    def rows_of_project(self, actor: Actor, session_id: int) -> list[Json]:
        """The documents of a document's project in its language pair, in the order in which they were opened."""
        (own,) = self._store.sessions_of(actor, [session_id])
        found = self._store.sessions_of_project(actor, own.project_id, own.direction) if own.project_id else [own]
        return [_row(summary) for summary in found]

    def next_waiting(self, actor: Actor, session_id: int, *, to_review: bool = False) -> Json | None:
        """The document of the project, after this one, with segments that wait for the actor; None if there is none.

        After the last comes the first. Segments wait to be confirmed, with `to_review` to be approved. Documents that
        are assigned to others are left out, except for reviews.
        """
        (own,) = self._store.sessions_of(actor, [session_id])
        others = self._store.sessions_of_project(actor, own.project_id, own.direction)
        waiting = [one for one in others if one.id != own.id and _waits(one, actor, to_review=to_review)]
        after = [one for one in waiting if one.id > own.id]
        return _row((after or waiting)[0]) if waiting else None

    def offers(self, actor: Actor, besides: int | None = None) -> list[Json]:
        """Earlier sessions in which something was done, the last one first; at most MAX_OFFERS.

        `besides` is a session that is not offered.
        """
        offers: list[Json] = []
        for summary in self._store.changed_sessions(actor):
            if summary.id == besides or self.is_untouched(actor, summary):
                continue
            offers.append(_offer(summary))
            if len(offers) == MAX_OFFERS:
                break
        return offers

    def by_last_use(self, actor: Actor) -> list[SessionSummary]:
        """All sessions, the one used last first; an untouched sample is last."""
        found = self._store.sessions(actor)
        return sorted(found, key=lambda one: one.document_name == example.DOCUMENT and self.is_untouched(actor, one))

    def is_untouched(self, actor: Actor, summary: SessionSummary) -> bool:
        """True if no person has done any work in the session."""
        is_sample = summary.document_name == example.DOCUMENT
        return summary.is_untouched or (
            is_sample and example.has_only_example(self._store.load_session(actor, summary.id))
        )

    def untouched_twin(
        self, actor: Actor, document: Document, direction: str, project_id: int, style: Style, besides: Collection[int]
    ) -> SessionRecord | None:
        """An untouched session with the same bytes, which is used again instead of a new one.

        None if there is none, or only among the sessions `besides` and those that were opened together with others.
        """
        may_have_example = document.name == example.DOCUMENT
        for summary in self._store.sessions_on(actor, document, untouched=not may_have_example):
            is_alike = summary.document_name == document.name and summary.project_id == project_id
            if is_alike and not summary.path and summary.id not in besides and self.is_untouched(actor, summary):
                record = self._store.load_session(actor, summary.id)
                has_style = chosen_style(self._store, summary.id) == style
                same = record.document
                if has_style and (record.direction, same.data, same.segments, same.format) == (
                    direction,
                    document.data,
                    document.segments,
                    document.format,
                ):
                    return record
        return None


def _waits(summary: SessionSummary, actor: Actor, *, to_review: bool) -> bool:
    if to_review:
        return summary.num_approved < summary.num_confirmed
    is_for_actor = summary.assignee in ("", actor.name) or actor.name in summary.part_assignees
    return is_for_actor and summary.num_to_do > 0


def _row(summary: SessionSummary) -> Json:
    return {
        **_offer(summary),
        "num_approved": summary.num_approved,
        "num_returned": summary.num_returned,
        "direction": summary.direction,
        "project": summary.project_id,
        "due_ms": summary.due_ms,
        "urgency": urgency_of(summary.due_ms, summary.num_to_do, time.time_ns() // 1_000_000),
        "assignee": summary.assignee,
        "part_assignees": list(summary.part_assignees),
    }


def _offer(summary: SessionSummary) -> Json:
    return {
        "session": summary.id,
        "name": summary.shown_name,
        "num_confirmed": summary.num_confirmed,
        "num_segments": summary.num_segments,
        "num_locked": summary.num_locked,
        "last_ms": summary.last_ms,
    }
