"""The best match rate of each segment that is not confirmed, looked up in the background and kept up to date.

A thread looks up all segments, from the open one on. Later it looks up again only segments similar to what came
into the memory or left it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from app.errors import LogError
from app.precedence import LongWork
from app.segments.state import SegmentState
from app.tm.entries import Match, MemoryEntry, MemoryScope
from app.tm.index import MemoryIndex
from app.tm.library import MemoryLibrary
from app.workspace.core import WorkspaceCore
from app.workspace.turns import LOOKUPS, Turns

_log = logging.getLogger("pinpoint")
PORTION_SECONDS: Final = 0.2  # of lookups, whose results go to the page together


_Find = Callable[[MemoryIndex, SegmentState, MemoryScope, int], list[Match]]


class MatchRates:
    """Keeps `SegmentState.match_rate` and `match_text` for one document."""

    def __init__(
        self, core: WorkspaceCore, library: MemoryLibrary, scope: Callable[[], MemoryScope], find: _Find
    ) -> None:
        """`scope` returns which entries the document uses, `find` the matches of a segment, best first."""
        self._core = core
        self._library = library
        self._scope = scope
        self._find = find
        self._turns = Turns(LOOKUPS)
        self._is_stopped = False
        # Changed under the lock of the document; read by the work.
        self._todo: dict[int, None] = {}
        self._left: list[str] = []  # sources that are no longer in the memory
        self._moved: set[int] = set()  # segments with another source than before
        # Of the work alone.
        self._sources = MemoryIndex()  # of the document, to find the segments that a new entry concerns
        self._index: MemoryIndex | None = None
        self._num_seen = 0  # entries of the index
        self._scope_seen = MemoryScope()
        self._is_first = True  # all segments are being looked up
        core.observe(self._follow)

    @property
    def num_left(self) -> int:
        """The number of segments that are still to be looked up."""
        return len(self._todo)

    def wake(self) -> None:
        """Looks up rates that are missing or outdated."""
        self._is_stopped = False
        with suppress(RuntimeError):  # closed in the meantime
            self._turns.submit(self._work)

    def pause(self) -> None:
        """Stops until the next call of `wake`: another document is on the screen."""
        self._is_stopped = True

    def close(self) -> None:
        """Stops for good."""
        self._is_stopped = True
        self._turns.close(drops_waiting=True)

    def _follow(self, before: SegmentState, after: SegmentState) -> None:
        was_confirmed, is_confirmed = before.state == "confirmed", after.state == "confirmed"
        is_moved = before.source != after.source
        if is_moved:
            self._moved.add(after.index)
        if was_confirmed and not (is_confirmed and before.target == after.target):
            self._left.append(before.source)
        if is_moved or was_confirmed != is_confirmed or (is_confirmed and before.target != after.target):
            self.wake()

    def _work(self) -> None:
        try:
            if self._is_stopped:
                return
            self._collect()
            self._show(self._portion())
            if self._todo and not self._is_stopped:
                with suppress(RuntimeError):  # closed in the meantime
                    self._turns.submit(self._work)  # after other documents had their turn
        except LogError as error:
            self._core.report(error.args[0])

    def _show(self, portion: Iterable[tuple[SegmentState, int, str]]) -> None:
        core = self._core
        for before, rate, text in portion:
            with core.lock:
                segment = core.segments[before.index]
                is_news = (segment.match_rate, segment.match_text) != (rate, text)
                if is_news and segment.source == before.source:
                    core.adopt(replace(segment, match_rate=rate, match_text=text))
        if self._is_first and not self._todo:
            self._is_first = False
            with core.lock:
                core.touch()  # pages show that everything has been looked up

    def _collect(self) -> None:
        """Adds the segments that have to be looked up."""
        core, scope = self._core, self._scope()
        index = self._library.index(core.direction)
        with core.lock:
            is_new = index is not self._index or scope != self._scope_seen
            moved = list(core.order) if self._index is None else list(self._moved)
            self._moved.clear()
            gone, self._left = self._left, []
            segments = [core.segments[number] for number in moved]
        for segment in segments:
            self._sources.put(segment.index, MemoryEntry(segment.source, "") if segment.source else None)
        num_seen, new = index.sources_from(0 if is_new else self._num_seen)
        concerned = dict.fromkeys(moved)
        if not is_new:
            for source in (*gone, *new):
                for key in self._sources.keys_like(source, scope.min_rate):
                    concerned[int(str(key))] = None
        with core.lock:
            if is_new:
                self._is_first = True
                position = core.positions.get(core.open_index or 0, 0)
                concerned = dict.fromkeys((*core.order[position:], *core.order[:position]))
            self._todo = {**concerned, **self._todo}
        self._index, self._num_seen, self._scope_seen = index, num_seen, scope

    def _portion(self) -> list[tuple[SegmentState, int, str]]:
        """Some of the segments to be looked up, each with the rate and the translation of its best match."""
        core, index, scope = self._core, self._index, self._scope_seen
        portion: list[tuple[SegmentState, int, str]] = []
        began = time.monotonic()
        work = LongWork()
        while self._todo and index is not None and not self._is_stopped:
            with core.lock:
                number = next(iter(self._todo))
                del self._todo[number]
                segment = core.segments[number]
            if segment.source and segment.state != "confirmed":
                try:
                    found = self._find(index, segment, scope, 1)
                except Exception as error:  # otherwise, nobody would report it, and the others are to be looked up
                    _log.exception("a lookup in the translation memory failed")
                    core.report(f"Segment {core.number(number)}: {type(error).__name__}: {error}")
                    continue
                portion.append((segment, *((found[0].rate, found[0].entry.target) if found else (0, ""))))
            work.give_way()
            if time.monotonic() - began > PORTION_SECONDS:
                break
        return portion
