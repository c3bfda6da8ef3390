"""The translation memory of one document: matches for the open segment, updated as segments are confirmed.

One library belongs to a log and is shared by all its documents; it reads a language pair when it is first asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Final

from app.access.actor import Actor
from app.errors import LogError
from app.log.project_tables import Project
from app.precedence import giving_way
from app.segments.clean_texts import clean_target
from app.segments.find_replace import check_searched
from app.segments.state import Json, SegmentState
from app.segments.text_changes import batch_events
from app.tm.entries import Match, MemoryEntry, MemoryScope
from app.tm.index import MAX_MATCHES, MemoryIndex
from app.tm.library import MemoryLibrary, languages_of
from app.tm.prefill import exact_texts
from app.tm.similarity import runs_between
from app.tm.storage import segment_key
from app.workspace.core import UnitOfWork, WorkspaceCore
from app.workspace.match_rates import MatchRates

NUM_FILLED_AT_ONCE: Final = 50  # segments, in one transaction
BREATH_SECONDS: Final = 0.001  # a thread that takes a lock again at once starves the others


class MemoryLookup:
    """Looks the segments of one document up in the translation memory, and keeps the memory up to date with them."""

    def __init__(
        self,
        core: WorkspaceCore,
        library: MemoryLibrary,
        project: Callable[[], Project],
    ) -> None:
        """`project` returns the project of the document, of which its own entries are."""
        self._core = core
        self._project = project
        self.library = library
        core.observe(self._follow)
        self.rates = MatchRates(core, library, self._scope, self._found)  # after `_follow`: it finds the memory changed

    def fill(self, actor: Actor) -> int:
        """Fills every untouched segment whose very source the memory has, see `prefill`; returns how many.

        Takes the lock for a portion at a time: call without it. A log that cannot be written ends it and is reported.
        """
        core, num_filled = self._core, 0
        index = self.library.index(core.direction)
        order = core.order if self.library.fills else ()
        for first in giving_way(range(0, len(order), NUM_FILLED_AT_ONCE)):
            num_new = 0
            try:
                with core.command(actor) as work:
                    for number in order[first : first + NUM_FILLED_AT_ONCE]:
                        num_new += self._prefill(work, index, core.segments[number]) is not None
            except LogError as error:
                core.report(error.args[0])
                return num_filled
            if num_new:
                num_filled += num_new
                time.sleep(BREATH_SECONDS)
        return num_filled

    def prefill(self, work: UnitOfWork, segment: SegmentState) -> SegmentState:
        """The segment with the memory's translation of exactly this source, if the segment is unchanged.

        Left as it is where several translations contradict each other, and where the memory has not been read yet.
        The version stays, because no person has changed anything.
        """
        index = self.library.index_if_read(self._core.direction) if self.library.fills else None
        filled = None if index is None else self._prefill(work, index, segment)
        return filled or segment

    def import_memory(self, actor: Actor, data: bytes, name: str) -> Json:
        """See `MemoryLibrary.import_memory`; segments whose source is in the file are filled, `num_filled` of them."""
        imported = self.library.import_memory(data, name, self._core.direction, self._project().id)
        num_filled = self._core.carry_out(lambda: self.fill(actor))  # the memory is saved already
        self.rates.wake()
        return {**imported, "num_filled": num_filled or 0}

    def matches(self, actor: Actor, index: int) -> Json:
        """The matches of the memory for this segment, best first, with the differences."""
        core = self._core
        segment = core.segment(index)
        library_index = self.library.index(core.direction)
        view = [_view(match, segment.source) for match in self._found(library_index, segment, self._scope())]
        if view:
            shown = [{name: row[name] for name in ("rate", "source", "target", "origin", "is_adapted")} for row in view]
            with core.command(actor) as work:
                work.log("memory_shown", {"matches": shown}, segment)
        return {"segment": index, "matches": view, "num_entries": len(library_index)}

    def _found(
        self, index: MemoryIndex, segment: SegmentState, scope: MemoryScope, count: int = MAX_MATCHES
    ) -> list[Match]:
        """The matches of a segment in the memory and in the document's file, best first; at most `count` of each."""
        besides = segment_key(self._core.session_id, segment.index)
        found = index.matches(segment.source, besides=besides, scope=scope, count=count)
        of_file = self._of_file.matches(segment.source, scope=scope, count=count) if len(self._of_file) else []
        known = {(match.entry.source, match.entry.target) for match in found}
        found += [match for match in of_file if (match.entry.source, match.entry.target) not in known]
        return sorted(found, key=lambda match: -match.rate)

    @cached_property
    def _of_file(self) -> MemoryIndex:
        """The matches that the document's file contains."""
        index = MemoryIndex(languages_of(self._core.direction))
        name = self._core.document.name
        for number, (source, target, origin) in enumerate(self._core.document.matches()):
            index.add(number, MemoryEntry(source, target, f"{name} ({origin})" if origin else name))
        return index

    def concordance(self, words: str) -> Json:
        """The entries of the memory that contain these words. Raises CommandError for a text that is too long."""
        check_searched(words)
        found = self.library.index(self._core.direction).concordance(words, scope=self._scope())
        rows = [{"source": entry.source, "target": entry.target, "origin": entry.origin} for entry in found]
        return {"words": words, "rows": rows}

    def _scope(self) -> MemoryScope:
        return self.library.scope(self._project())

    def _prefill(self, work: UnitOfWork, index: MemoryIndex, segment: SegmentState) -> SegmentState | None:
        if not segment.can_be_filled or segment.version:
            return None
        texts = {clean_target(text) for text in exact_texts(index, segment.source, self._scope())}
        if len(texts) != 1 or not (text := texts.pop()).strip():
            return None
        after = replace(segment, target=text, state="pretranslated", origin="memory", filled_rate=100)
        work.change(after, batch_events(segment, after, {"origin": "memory", "state": after.state, "rate": 100}))
        return after

    def _follow(self, before: SegmentState, after: SegmentState) -> None:
        """Puts a segment into the memory when it is confirmed, and takes it out when it is reopened."""
        if (before.state, before.target) == (after.state, after.target):
            return
        if "confirmed" not in (before.state, after.state):
            return
        core = self._core
        for direction in (core.direction, "-".join(reversed(languages_of(core.direction)))):
            entry = None
            if after.state == "confirmed" and after.target is not None:
                is_forward = direction == core.direction
                source, target = (after.source, after.target) if is_forward else (after.target, after.source)
                now_ms = time.time_ns() // 1_000_000
                entry = MemoryEntry(source, target, core.document.name, now_ms, self._project().id)
            self.library.put(direction, segment_key(core.session_id, after.index), entry)


def _view(match: Match, source: str) -> Json:
    entry = match.entry
    other_penalty, import_penalty = match.penalties
    return {
        "rate": match.rate,
        "other_penalty": other_penalty,
        "import_penalty": import_penalty,
        "source": entry.source,
        "target": entry.target,
        "origin": entry.origin,
        "runs": runs_between(entry.source, source),
        "is_adapted": bool(match.original),
        "target_runs": [run for run in runs_between(match.original or entry.target, entry.target) if run[0] != "d"],
    }
