"""The memory at work on a document: what it has for the open segment, kept up to date as segments are confirmed.

One library belongs to a log and is shared by all its documents; it reads a language pair when it is first asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from app.segments.constraint_changes import clean_target
from app.segments.state import Json, SegmentState
from app.segments.text_changes import batch_events
from app.tm.index import Match, MemoryEntry, MemoryIndex, runs_between
from app.tm.library import MemoryLibrary, languages_of
from app.tm.prefill import exact_texts
from app.tm.storage import segment_key

if TYPE_CHECKING:
    from app.workspace.commands import Workspace

NUM_FILLED_AT_ONCE: Final = 50  # segments, in one transaction
BREATH_SECONDS: Final = 0.001  # a thread that takes a lock again at once leaves it to nobody else


class MemoryLookup:
    """What the memory has for the segments of one workspace."""

    def __init__(self, workspace: Workspace, library: MemoryLibrary) -> None:
        self.workspace = workspace
        self.library = library

    def follow(self, before: SegmentState, after: SegmentState) -> None:
        """A segment has changed: a confirmed one is in the memory, any other is not."""
        if (before.state, before.target) == (after.state, after.target):
            return
        if "confirmed" not in (before.state, after.state):
            return
        workspace = self.workspace
        for direction in (workspace.direction, "-".join(reversed(languages_of(workspace.direction)))):
            entry = None
            if after.state == "confirmed" and after.target is not None:
                is_forward = direction == workspace.direction
                source, target = (after.source, after.target) if is_forward else (after.target, after.source)
                entry = MemoryEntry(source, target, workspace.document.name, time.time_ns() // 1_000_000)
            self.library.put(direction, segment_key(workspace.session_id, after.index), entry)

    def fill(self) -> int:
        """Fills the segments that nobody has touched with what the memory has for their very source, see `filled`.

        Returns how many. Others get a word in now and then: call without the workspace's lock.
        """
        workspace, num_filled = self.workspace, 0
        index = self.library.index(workspace.direction)
        order = workspace.structure.order if self.library.fills else ()
        for first in range(0, len(order), NUM_FILLED_AT_ONCE):
            with workspace.lock:
                some = [workspace.segments[i] for i in order[first : first + NUM_FILLED_AT_ONCE]]
                num_new = len(self._fill(index, some))
            if num_new:
                num_filled += num_new
                time.sleep(BREATH_SECONDS)
        return num_filled

    def filled(self, segment: SegmentState) -> SegmentState:
        """The segment with the memory's translation of its very source, where the person has done nothing in it.

        As it was where several translations contradict each other, and where the memory has not been read yet. No
        version is counted, since nobody has changed anything. Call under the workspace's lock.
        """
        index = self.library.index_if_read(self.workspace.direction) if self.library.fills else None
        found = self._fill(index, [segment]) if index is not None else []
        return found[0] if found else segment

    def _fill(self, index: MemoryIndex, segments: Iterable[SegmentState]) -> list[SegmentState]:
        changes = []
        for segment in segments:
            if not segment.source or segment.target is not None or segment.version:
                continue
            texts = {clean_target(text) for text in exact_texts(index, segment.source)}
            if len(texts) == 1 and (text := texts.pop()).strip():
                after = replace(segment, target=text, state="pretranslated", origin="memory")
                said = {"origin": "memory", "state": after.state}
                changes.append((after, batch_events(segment, after, said)))
        if changes:
            self.workspace.log_all(changes)
        return [self.workspace.adopt(after) for after, _ in changes]

    def import_tmx(self, data: bytes, name: str) -> Json:
        """See `MemoryLibrary.import_tmx`; segments that stand in the file are filled with it, `num_filled` of them."""
        imported = self.library.import_tmx(data, name, self.workspace.direction)
        return {**imported, "num_filled": self.fill()}

    def matches(self, index: int) -> Json:
        """What was translated before like this segment, best first, with what differs."""
        workspace = self.workspace
        source = workspace.segment(index).source
        key = segment_key(workspace.session_id, index)
        found = self.library.index(workspace.direction).matches(source, besides=key)
        view = [_view(match, source) for match in found]
        if view:
            shown = [{name: row[name] for name in ("rate", "source", "target", "origin")} for row in view]
            with workspace.lock:
                workspace.log("memory_shown", {"matches": shown}, workspace.segment(index))
        return {"segment": index, "matches": view, "num_entries": len(self.library.index(workspace.direction))}

    def concordance(self, words: str) -> Json:
        """Where these words stand in the memory."""
        found = self.library.index(self.workspace.direction).concordance(words)
        rows = [{"source": entry.source, "target": entry.target, "origin": entry.origin} for entry in found]
        return {"words": words, "rows": rows}


def _view(match: Match, source: str) -> Json:
    entry = match.entry
    return {
        "rate": match.rate,
        "source": entry.source,
        "target": entry.target,
        "origin": entry.origin,
        "runs": runs_between(entry.source, source),
    }
