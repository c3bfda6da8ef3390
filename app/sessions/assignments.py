"""Assignments of documents and of their parts to people, for programs and the command line.

The page assigns through `app.sessions.members`. The rules are the same: those who manage a project assign its documents
to its members.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.access.actor import Actor
from app.errors import Checked, CommandError
from app.log.project_tables import assign_segments, assign_session, segment_assignees
from app.log.records import NewEvent, SessionSummary
from app.log.store import LogStore
from app.workspace.commands import Workspace


@dataclass(frozen=True, slots=True)
class AssignedPart(Checked):
    """Segments of a document, from one number to another, counted from 1 in the order of the document."""

    person: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class DocumentAssignment(Checked):
    """A document with the person to whom it is assigned, or "", and its parts that are assigned to members."""

    session: int
    document: str
    project: int
    num_segments: int
    person: str
    parts: tuple[AssignedPart, ...]


class Assignments:
    """The assignments in a log. A document that is open here is changed there, too; another app sees it in a second."""

    def __init__(self, store: LogStore, opened: Callable[[int], Workspace | None] = lambda session_id: None) -> None:
        """`opened` returns the workspace of a session that is open in this process."""
        self._store = store
        self._opened = opened

    def all(self, actor: Actor) -> list[DocumentAssignment]:
        """The assignments of all documents that the actor sees, the one used last first."""
        return [self._read(actor, summary) for summary in self._store.sessions(actor)]

    def of(self, actor: Actor, session_id: int) -> DocumentAssignment:
        """The assignment of one document. Raises CommandError."""
        return self._read(actor, self._find(actor, session_id))

    def assign(
        self, actor: Actor, session_id: int, person: str, segments: tuple[int, int] | None = None
    ) -> tuple[DocumentAssignment, int]:
        """Assigns a document, or its segments from one number to another, to a member of its project; "": to nobody.

        Returns the assignments of the document, and how many of the segments were somebody else's. Raises CommandError.
        """
        summary = self._find(actor, session_id)
        check_assignable(actor, self._store, summary.project_id, person)
        names = self._parts(summary)
        order = self._order(actor, session_id) if names or segments else []
        # Whatever is read is read before the change: once it is written, nothing may fail.
        if segments is None:
            assign_document(actor, self._store, session_id, summary.project_id, person)
            return _described(replace(summary, assignee=person), names, order), 0
        indices = sorted(order[segments[0] - 1 : segments[1]])
        if not 1 <= segments[0] <= segments[1] or len(indices) < segments[1] - segments[0] + 1:
            raise _unknown_segments(segments, len(order))
        num_taken = self._assign_part(actor, summary, names, indices, person)
        return _described(summary, {**names, **dict.fromkeys(indices, person)}, order), num_taken

    def _assign_part(
        self, actor: Actor, summary: SessionSummary, before: Mapping[int, str], indices: Sequence[int], person: str
    ) -> int:
        opened = self._opened(summary.id)
        if opened is not None:
            return assign_open_part(actor, opened, indices, person)
        self._store.append_all(
            actor,
            summary.id,
            [part_event(summary.project_id, indices, person)],
            change=lambda db: assign_segments(actor, db, summary.id, indices, person),
        )
        self._store.news.changed()
        self._store.list_changes.row(summary.id)
        return sum(before.get(index, person) != person for index in indices)

    def _read(self, actor: Actor, summary: SessionSummary) -> DocumentAssignment:
        names = self._parts(summary) if summary.part_assignees else {}
        return _described(summary, names, self._order(actor, summary.id) if names else [])

    def _parts(self, summary: SessionSummary) -> dict[int, str]:
        """The member who has each segment that is assigned."""
        members = self._store.people.members(summary.project_id)
        found = segment_assignees(self._store.connection, summary.id)
        return {index: name for index, name in found.items() if name in members}

    def _order(self, actor: Actor, session_id: int) -> list[int]:
        return self._store.load_session(actor, session_id).document.order

    def _find(self, actor: Actor, session_id: int) -> SessionSummary:
        found = next((one for one in self._store.sessions(actor) if one.id == session_id), None)
        if found is None:
            raise UnknownDocument("Document {number} does not exist.", number=session_id)
        return found


class UnknownDocument(CommandError):
    """An error for a number that is not the number of a document that the person sees."""


def _described(summary: SessionSummary, names: Mapping[int, str], order: Sequence[int]) -> DocumentAssignment:
    """The assignments of a document with the names of those who have its segments, in the order of the document."""
    parts: list[AssignedPart] = []
    for number, index in enumerate(order, 1):
        person = names.get(index, "")
        if parts and (parts[-1].person, parts[-1].last) == (person, number - 1):
            parts[-1] = AssignedPart(person, parts[-1].first, number)
        elif person:
            parts.append(AssignedPart(person, number, number))
    return DocumentAssignment(
        summary.id, summary.shown_name, summary.project_id, summary.num_segments, summary.assignee, tuple(parts)
    )


def _unknown_segments(segments: tuple[int, int], num_segments: int) -> CommandError:
    first, last = segments
    if first == last:
        return CommandError(
            "Segment {index} does not exist (segments in the document: {count}).", index=first, count=num_segments
        )
    return CommandError(
        "Segments {first} to {last} do not exist (segments in this document: {count}).",
        first=first,
        last=last,
        count=num_segments,
    )


def check_assignable(actor: Actor, store: LogStore, project_id: int, person: str) -> None:
    """Raises CommandError unless the actor manages the project, and `person` is a member or ""."""
    store.people.access(actor).check_manages(project_id)
    if person and person not in store.people.members(project_id):
        raise CommandError("“{name}” is not a member of this project: add them first.", name=person)


def assign_document(actor: Actor, store: LogStore, session_id: int, project_id: int, person: str) -> None:
    """Assigns a document to a person; "" to nobody."""
    event = NewEvent("project", {"change": "assign", "project": project_id, "member": person})
    store.append_all(actor, session_id, [event], change=lambda db: assign_session(actor, db, session_id, person))
    store.news.changed()
    store.list_changes.row(session_id)


def assign_open_part(actor: Actor, workspace: Workspace, indices: Sequence[int], person: str) -> int:
    """Assigns segments of an open document to a person, in one step; returns how many were assigned to others."""
    core = workspace.core
    with core.command(actor) as work:
        before = core.parts.current()
        work.events.append(part_event(workspace.project.id, indices, person))
        work.write(lambda db: assign_segments(actor, db, core.session_id, indices, person))
        work.then(lambda: core.show_again(indices))
        work.then(lambda: core.parts.assigned(indices, person, core.version))
        work.then(core.store.news.changed)
        work.then(lambda: core.store.list_changes.row(core.session_id))
    return sum(before.get(index, person) != person for index in indices)


def part_event(project_id: int, indices: Sequence[int], person: str) -> NewEvent:
    """The event of segments, in ascending order, that are assigned to a person."""
    ranges: list[list[int]] = []  # [2, 3, 4, 7] is [[2, 4], [7, 7]]
    for index in indices:
        if ranges and index == ranges[-1][1] + 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    return NewEvent("project", {"change": "assign_part", "project": project_id, "member": person, "segments": ranges})
