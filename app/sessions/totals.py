"""Totals and deadlines of projects: read by all who see a project, set by those who manage it."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Literal

from sqlite_utils import Database

from app.access.actor import Actor
from app.formats.documents import Export
from app.i18n import Message
from app.log.deadlines import check_deadline, iso_time, set_document_deadline, set_project_deadline
from app.log.records import NewEvent
from app.log.store import LogStore
from app.projects import Projects
from app.reports.project_totals import Amount, ProjectTotals, project_totals, totals_csv, totals_workbook
from app.segments.state import Json

FileKind = Literal["csv", "xlsx"]


class Totals:
    """The totals of the projects in a log, and their deadlines."""

    def __init__(self, store: LogStore, projects: Projects) -> None:
        self._store = store
        self._projects = projects

    def view(self, actor: Actor, project_id: int) -> Json:
        """The totals of a project as they are now, ready for JSON."""
        totals = self._of(actor, project_id)
        documents = [{**asdict(one), "amount": _amount(one.amount)} for one in totals.documents]
        people = [{**asdict(one), "amount": _amount(one.amount)} for one in totals.people]
        return {
            "project": project_id,
            "deadline_ms": totals.project.deadline_ms,
            "unit": totals.unit,
            "urgency": totals.urgency,
            "documents": documents,
            "people": people,
            "amount": _amount(totals.amount),
            "is_managed": self._store.people.access(actor).manages(project_id),
        }

    def file(self, actor: Actor, project_id: int, kind: FileKind) -> Export:
        """The totals of a project as a table."""
        totals = self._of(actor, project_id)
        return totals_csv(totals) if kind == "csv" else totals_workbook(totals)

    def with_times(self, actor: Actor, project_id: int) -> Json:
        """The same for people and programs outside: `deadline` and `due` are times in ISO 8601, in UTC."""
        return {
            name: value for name, value in _with_times(self.view(actor, project_id)).items() if name != "is_managed"
        }

    def set_project_deadline(self, actor: Actor, project_id: int, deadline_ms: int | None) -> None:
        """Sets the deadline of a project, for its documents without their own; None removes it.

        The log of the project's newest document has the event.
        """
        check_deadline(deadline_ms)
        project, store = self._projects.managed(actor, project_id), self._store

        def change(db: Database) -> None:
            set_project_deadline(db, project_id, deadline_ms)

        if newest := store.sessions_of_project(actor, project_id, project.direction)[-1:]:
            named = {"project": project_id, "name": project.name, "direction": project.direction}
            event = NewEvent("project", {"change": "deadline", **named, "deadline_ms": deadline_ms})
            store.append_all(actor, newest[0].id, [event], change=change)
        else:
            with store.connection.transaction(Message("change the project")):
                change(store.connection.db)
        store.list_changes.whole()

    def set_document_deadline(self, actor: Actor, session_id: int, deadline_ms: int | None) -> None:
        """Sets the deadline of a document; None leaves it to the project."""
        check_deadline(deadline_ms)
        project_id = self._store.project_of(actor, session_id)
        self._store.people.access(actor).check_manages(project_id)
        payload = {"change": "document_deadline", "project": project_id, "deadline_ms": deadline_ms}
        self._store.append_all(
            actor,
            session_id,
            [NewEvent("project", payload)],
            change=lambda db: set_document_deadline(db, session_id, deadline_ms),
        )
        self._store.list_changes.row(session_id)

    def _of(self, actor: Actor, project_id: int) -> ProjectTotals:
        project = self._projects.get(actor, project_id)
        return project_totals(actor, self._store, project, time.time_ns() // 1_000_000)


def _amount(amount: Amount) -> Json:
    to_do = {"num_segments_to_do": amount.num_segments_to_do, "num_words_to_do": amount.num_words_to_do}
    return {**asdict(amount), **to_do}


def _with_times(view: Json) -> Json:
    """The view with `deadline` in place of `deadline_ms`, and so on, here and in its lists."""
    found: Json = {}
    for name, value in view.items():
        if name in ("deadline_ms", "due_ms"):
            found[name.removesuffix("_ms")] = None if value is None else iso_time(value)
        else:
            found[name] = [_with_times(one) for one in value] if isinstance(value, list) else value
    return found
