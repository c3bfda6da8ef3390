"""Locks of the segments of one document: nobody changes a locked segment until it is unlocked.

A step locks or unlocks many segments, and can be undone and redone. The log has an event for each segment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from app.access.actor import Actor
from app.errors import CommandError
from app.log.project_tables import Project
from app.segments.state import Json, SegmentLock, SegmentState, StoredAnswer
from app.workspace.core import UnitOfWork, WorkspaceCore
from app.workspace.decoding import DecodeQueue

_Origin = Literal["person", "undo", "redo"]


class Locks:
    """The locks of one document."""

    def __init__(self, core: WorkspaceCore, decoding: DecodeQueue, project: Callable[[], Project]) -> None:
        """`project` returns the document's project as it is now."""
        self._core = core
        self._decoding = decoding
        self._project = project
        self._steps: list[dict[int, tuple[SegmentLock | None, SegmentLock | None]]] = []  # before and after

    def set(self, actor: Actor, indices: Sequence[int], *, is_locked: bool) -> Json:
        """Locks segments, or unlocks them; those that are so already stay. Raises CommandError."""
        lock = SegmentLock() if is_locked else None
        with self._core.command(actor) as work:
            self._check(actor)
            segments = [self._core.segment(index) for index in dict.fromkeys(indices)]
            changed = [segment for segment in segments if (segment.lock is not None) != is_locked]
            self._change(work, changed, dict.fromkeys((one.index for one in changed), lock), "person")
            number = len(self._steps)
            if changed:
                step = {segment.index: (segment.lock, lock) for segment in changed}
                work.then(lambda: self._steps.append(step))
            return {"step": number, "segments": [segment.index for segment in changed]}

    def step(self, actor: Actor, number: int, *, is_undo: bool) -> Json:
        """Undoes a step, or redoes it. Returns how many segments were changed, and how many were left."""
        core = self._core
        with core.command(actor) as work:
            self._check(actor)
            if not 0 <= number < len(self._steps):
                raise CommandError(
                    "This step can no longer be undone, because the document was closed in the meantime."
                )
            step = self._steps[number]
            targets = {index: before if is_undo else after for index, (before, after) in step.items()}
            due = [
                core.segments[index]
                for index, lock in targets.items()
                if core.segments[index].source and (core.segments[index].lock is None) != (lock is None)
            ]
            self._change(work, due, targets, "undo" if is_undo else "redo")
            return {"num_segments": len(due), "num_left": len(step) - len(due)}

    def view(self, index: int) -> Json | None:
        """Who has locked a segment, for the page; None if it is not locked."""
        segment = self._core.segments[index]
        if segment.lock is None:
            return None
        return {"is_of_file": segment.lock.is_of_file, "person": self._core.locked_by(segment)}

    def _check(self, actor: Actor) -> None:
        self._core.store.people.access(actor).check_reviews(self._project().id)

    def _change(
        self,
        work: UnitOfWork,
        segments: Sequence[SegmentState],
        locks: Mapping[int, SegmentLock | None],
        origin: _Origin,
    ) -> None:
        for segment in segments:
            lock = locks[segment.index]
            after = replace(_still(segment), lock=lock, version=segment.version + 1)
            payload: Json = {"origin": origin} | ({"is_of_file": True} if lock and lock.is_of_file else {})
            work.change(after, [("unlock" if lock is None else "lock", payload)])
        if segments:
            indices = [segment.index for segment in segments]
            work.then(lambda: self._decoding.locks_changed(work.actor, indices))


def _still(segment: SegmentState) -> SegmentState:
    """The segment with no request to the model, whose proposal, if it has no other text, is kept in the log."""
    number = segment.requested + segment.is_pending  # the answer to a running request counts as late
    kept, text = segment.stored_answer, segment.machine_text
    if segment.target is None and text is not None and (kept is None or kept.text != text):
        best = segment.shown.best if segment.shown else None
        kept = StoredAnswer(text, best.score if best else 0.0, segment.resolved.key, "")
    return replace(segment, stored_answer=kept, requested=number, answered=number)
