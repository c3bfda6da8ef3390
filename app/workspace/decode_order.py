"""The order in which the segments of a document are decoded ahead of the translator."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence

from app.segments.state import SegmentState
from app.workspace.core import WorkspaceCore

# Segments behind the open one that are decoded in full though their text is known from an earlier run.
AHEAD = 2


class DecodeOrder:
    """The segments to decode next: those behind the open one, then the rest; first those to translate again.

    Runs under the workspace's lock.
    """

    def __init__(self, core: WorkspaceCore) -> None:
        self._core = core
        self._todo: deque[int] = deque()
        self._ahead: set[int] = set()
        self._again: set[int] = set()  # to be translated again, also where the translator has a text

    def ahead_from(self, index: int) -> list[int]:
        """This segment and the next ones, as far as the translator has not written there."""
        position = self._core.positions.get(index, 0)
        behind = (self._core.segments[i] for i in self._core.order[position : position + 1 + AHEAD])
        return [segment.index for segment in behind if segment.target is None]

    def begin_at(self, index: int, ahead: Sequence[int]) -> None:
        """Starts with `ahead`, then takes untranslated segments from this one on."""
        positions = self._core.positions
        waiting = sorted(self._core.tally.to_translate, key=positions.__getitem__)
        first = bisect_left(waiting, positions.get(index, 0), key=positions.__getitem__)
        self._ahead = set(ahead)
        self._todo = deque((*ahead, *waiting[first:], *waiting[:first]))

    def put_again(self, indices: Sequence[int]) -> None:
        """Puts segments first that are to be translated again."""
        self._again.update(indices)
        self._todo = deque([*indices, *(index for index in self._todo if index not in indices)])

    def put_last(self, index: int) -> None:
        """Puts a segment behind all others."""
        self._todo.append(index)

    def next(self, *, only_again: bool) -> SegmentState | None:
        """Takes the next segment that needs a translation; with `only_again`, None behind those to translate again."""
        while self._todo and (self._todo[0] in self._again or not only_again):
            segment = self._core.segments[self._todo.popleft()]
            is_again = segment.index in self._again
            self._again.discard(segment.index)
            if is_again or (segment.index in self._ahead and segment.target is None):
                is_due = segment.needs_decoding
            else:
                is_due = segment.needs_translation and segment.target is None
            if is_due:
                return segment
        return None
