"""Other terms come into force in a document: its segments get their hits a portion at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from app.glossary import TermHit
from app.workspace.core import WorkspaceCore
from app.workspace.memory import BREATH_SECONDS
from app.workspace.terms import DocumentTerms, PreparedTerms

NUM_UPDATED_AT_ONCE: Final = 50  # segments


class SegmentHits:
    """Puts terms in force in a document; one update at a time."""

    def __init__(self, core: WorkspaceCore, terms: DocumentTerms) -> None:
        self._core = core
        self._terms = terms
        self._update: HitsUpdate | None = None

    def begin(self, prepared: PreparedTerms) -> HitsUpdate:
        """Puts these terms in force; the segments get their hits as the update is carried out. Needs the lock."""
        if self._update is not None:
            self._update.finish()  # prepared hits contain only changed segments
        self._terms.use(prepared)
        self._update = HitsUpdate(self._core, self._terms, prepared.hits)
        return self._update

    def carry_out(self, update: HitsUpdate) -> None:
        """Updates the segments in portions, so that an edit does not wait for all of them. Takes the lock itself."""
        is_left = True
        while is_left:
            with self._core.lock:
                is_left = update.carry_on(NUM_UPDATED_AT_ONCE)
            if is_left:
                time.sleep(BREATH_SECONDS)


class HitsUpdate:
    """Gives the segments the hits of other terms, a portion at a time: one with many hits takes a millisecond to check.

    Used under the workspace's lock, which may be released between two portions.
    """

    def __init__(
        self, core: WorkspaceCore, terms: DocumentTerms, hits: Mapping[str, tuple[TermHit, ...] | None]
    ) -> None:
        self._core = core
        self._terms = terms
        self._hits = hits
        self._todo = deque(range(len(core.segments)))
        if core.open_index is not None:
            self._todo.appendleft(core.open_index)
        self._changed: list[int] = []

    def carry_on(self, count: int) -> bool:
        """Updates this number of segments, the open one first; returns true if any is left."""
        for _ in range(min(count, len(self._todo))):
            segment = self._core.segments[self._todo.popleft()]
            # A segment that was split or merged in the meantime has a source of its own.
            is_known = segment.source in self._hits
            hits = self._hits[segment.source] if is_known else self._terms.hits(segment.source)
            if hits is None or hits == segment.hits:
                continue
            if hits != self._terms.listed(segment.hits):  # forms from the memory may come on top
                self._core.adopt(replace(segment, hits=hits))
                self._changed.append(segment.index)
        return bool(self._todo)

    def finish(self) -> list[int]:
        """Updates all remaining segments; returns the segments whose hits have changed, also in earlier portions."""
        self.carry_on(len(self._todo))
        return self._changed
