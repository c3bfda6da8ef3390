"""The segments of a document that are assigned to people: others read them, and do not change them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final

from app.access.actor import Actor
from app.errors import CommandError
from app.log.project_tables import segment_assignees
from app.log.store import LogStore
from app.segments.state import SegmentState
from app.segments.text_changes import translator_work

LOOK_SECONDS: Final = 1.0


class Parts:
    """Assignments of the segments of one document to people. Used under the lock of its workspace.

    An assignment counts while the person is a member of the document's project.
    """

    def __init__(self, store: LogStore, session_id: int) -> None:
        self._store = store
        self._session_id = session_id
        self._names = segment_assignees(store.connection, session_id)
        self._changed: dict[int, int] = {}  # by segment: the version at which it was assigned last in this run
        self._looked = time.monotonic()
        self._version = store.connection.data_version()

    def current(self) -> dict[int, str]:
        """The person of each segment that is assigned to a member."""
        if not self._names:
            return {}
        members = self._store.people.members(self._store.project_number(self._session_id))
        return {index: name for index, name in self._names.items() if name in members}

    def changed_elsewhere(self) -> list[int]:
        """Reads changes by another process, such as `pinpoint assignments`; returns the changed segments.

        Looks once in LOOK_SECONDS.
        """
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return []
        self._looked = now
        if (version := self._store.connection.data_version()) == self._version:
            return []
        before, self._version = self._names, version
        self._names = segment_assignees(self._store.connection, self._session_id)
        return sorted(
            index for index in before.keys() | self._names.keys() if before.get(index) != self._names.get(index)
        )

    def held_by_others(self, actor: Actor) -> dict[int, str]:
        """The segments that the actor may not change, with the person who may.

        Those who review or manage the project may change all.
        """
        if not (current := self.current()):
            return {}
        project = self._store.project_number(self._session_id)
        if actor.kind != "person" or self._store.people.access(actor).reviews(project):
            return {}
        return {index: name for index, name in current.items() if name != actor.name}

    def check_changes(
        self, actor: Actor, pairs: Sequence[tuple[SegmentState, SegmentState]], positions: Mapping[int, int]
    ) -> None:
        """Raises CommandError for work on a segment of another person, from one state to another; comments are free.

        `positions` are the positions of the segments in the document.
        """
        held = self.held_by_others(actor) if pairs else {}
        for before, after in pairs:
            if before.index in held and _work(before) != _work(after):
                raise CommandError(
                    "Segment {index} is assigned to {name}: ask them, or a project manager.",
                    index=positions.get(before.index, before.index) + 1,
                    name=held[before.index],
                )

    def check_is_known(self, indices: Sequence[int], version: int) -> None:
        """Raises CommandError if one of these segments was assigned after this version of the page."""
        if any(self._changed.get(index, -1) > version for index in indices):
            raise CommandError(
                "Some of these segments were assigned to somebody else in the meantime: check them again."
            )

    def noticed(self, indices: Sequence[int], version: int) -> None:
        """Notes that pages see the assignments of these segments from this version on."""
        self._changed.update(dict.fromkeys(indices, version))

    def assigned(self, indices: Sequence[int], name: str, version: int) -> None:
        """Notes that these segments were assigned to a person at this version; "" ends the assignment."""
        for index in indices:
            self._names.pop(index, None)
            if name:
                self._names[index] = name
        self.noticed(indices, version)


def first_waiting(
    actor: Actor, segments: Sequence[SegmentState], assigned: Mapping[int, str], *, is_reviewer: bool
) -> SegmentState:
    """The first segment that waits for the actor, otherwise the first of all.

    That is an unconfirmed segment that is assigned to them; otherwise, for a reviewer, one to review; otherwise an
    unconfirmed one that is assigned to nobody; otherwise any unconfirmed one. Locked segments do not wait. `assigned`
    has the person of each assigned segment.
    """
    person = actor.name
    waiting = (
        (s for s in segments if person and assigned.get(s.index) == person and s.is_open),
        (s for s in segments if is_reviewer and s.is_to_review),
        (s for s in segments if s.index not in assigned and s.is_open),
        (s for s in segments if s.is_open),
    )
    return next((segment for some in waiting for segment in some), segments[0])


def _work(segment: SegmentState) -> tuple[object, ...]:
    source, text, is_confirmed, _, *constraints = translator_work(segment)
    return source, text, is_confirmed, *constraints
