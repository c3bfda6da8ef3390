"""Changes of many segments in one step, which can be taken back and made again as one: replacing, repetitions.

Each changed segment has its own events in the log, all of a step in one transaction. A segment that was changed
since is left as it is when the step is taken back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from app.errors import CommandError
from app.i18n import Message
from app.log.changes import ReportedChange
from app.segments.constraint_changes import clean_target
from app.segments.find_replace import Query, found_in, text_for
from app.segments.state import Json, Origin, SegmentState, State
from app.segments.text_changes import batch_events

if TYPE_CHECKING:
    from app.workspace.commands import Workspace

BatchOrigin = Literal["replace", "propagated", "undo", "redo"]
# A segment before and after, and what changed in its text where that is known.
_Share = tuple[SegmentState, SegmentState, Sequence[ReportedChange]]


@dataclass(frozen=True, slots=True)
class _Change:
    """One segment's share of a step: as it was before and after."""

    before: SegmentState
    after: SegmentState

    def is_due(self, now: SegmentState, *, is_undo: bool) -> bool:
        """Whether the segment is as the step left it, be it by other steps that were taken back since."""
        left = self.after if is_undo else self.before
        return (now.target, now.state == "confirmed") == (left.target, left.state == "confirmed")


class Batches:
    """The steps of one workspace; used under its lock."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._steps: list[list[_Change]] = []
        self.rearranged()

    def rearranged(self) -> None:
        """Segments were cut or joined: their sources are others."""
        self._by_source: dict[str, list[int]] = defaultdict(list)
        for segment in self.workspace.structure.in_order():
            self._by_source[segment.source].append(segment.index)

    def find(self, query: Query) -> Json:
        """Where the text stands, with a preview; see `found_in`."""
        with self.workspace.lock:
            return found_in(self.workspace.structure.in_order(), query)

    def replace(self, query: Query, indices: Sequence[int] | None = None) -> Json:
        """Replaces in these segments, or in all that the query looks into; a confirmed one stays confirmed."""
        workspace = self.workspace
        with workspace.lock:
            segments = (
                workspace.structure.in_order() if indices is None else [workspace.segment(index) for index in indices]
            )
            changes = []
            for segment in segments:
                text = text_for(segment, query)
                if text is None or not (spans := query.spans(text)):
                    continue
                new = clean_target(query.replaced(text))
                state: State = "confirmed" if segment.state == "confirmed" and new.strip() else "edited"
                after = replace(segment, target=new, state=state, origin=segment.origin or "typed")
                # From the last place to the first, so that each stands where it stood.
                told = [(start, end - start, query.replacement, "replace") for start, end in reversed(spans)]
                changes.append((segment, after, told))
            return {**self._make(changes, "replace"), "num_places": sum(len(told) for _, _, told in changes)}

    def propagate(self, confirmed: SegmentState) -> Json | None:
        """Fills segments of the same source whose text no person typed; None where there are none."""
        origin: Origin = "propagated"
        with self.workspace.lock:
            others = (self.workspace.segments[index] for index in self._by_source[confirmed.source])
            changes = [
                (other, replace(other, target=confirmed.target, state="edited", origin=origin), ())
                for other in others
                if other.state != "confirmed" and other.origin != "typed" and other.target != confirmed.target
            ]
            return self._make(changes, "propagated") if changes else None

    def step(self, number: int, *, is_undo: bool) -> Json:
        """Takes a step back, or makes it again. Returns how many segments were changed, and how many were left."""
        workspace = self.workspace
        with workspace.lock:
            if not 0 <= number < len(self._steps):
                raise CommandError(Message("This step cannot be undone any more: Pinpoint was started anew since."))
            due = [
                change
                for change in self._steps[number]
                if change.is_due(workspace.segments[change.before.index], is_undo=is_undo)
            ]
            wanted = [change.before if is_undo else change.after for change in due]
            self._write(
                [
                    (current, replace(current, target=to.target, state=to.state, origin=to.origin), ())
                    for change, to in zip(due, wanted, strict=True)
                    for current in [workspace.segments[change.before.index]]
                ],
                "undo" if is_undo else "redo",
                number,
            )
            return {"num_segments": len(due), "num_left": len(self._steps[number]) - len(due)}

    def _make(self, changes: Sequence[_Share], origin: BatchOrigin) -> Json:
        number = len(self._steps)
        afters = self._write(changes, origin, number)
        self._steps.append([_Change(before, after) for (before, _, _), after in zip(changes, afters, strict=True)])
        return {"step": number, "segments": [after.index for after in afters]}

    def _write(self, changes: Iterable[_Share], origin: BatchOrigin, number: int) -> list[SegmentState]:
        """Stores and adopts the changed segments; all or, where the log fails, none."""
        numbered = [(before, replace(after, version=before.version + 1), told) for before, after, told in changes]
        self.workspace.log_all(
            [
                (after, batch_events(before, after, {"origin": origin, "state": after.state, "step": number}, told))
                for before, after, told in numbered
            ]
        )
        return [self.workspace.adopt(after) for _, after, _ in numbered]
