"""The memory at work on a document: what it has for the open segment, kept up to date as segments are confirmed.

One library belongs to a log and is shared by all its documents; it reads a language pair when it is first asked.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from app.documents import Export
from app.log.store import LogStore
from app.memory.index import Entry, Match, MemoryIndex, runs_between
from app.memory.storage import import_entries, load_entries, segment_key, state_of
from app.memory.tmx import read_pairs, write_tmx
from app.messages import Message
from app.segments.state import Json, SegmentState
from app.text_files import safe_name

if TYPE_CHECKING:
    from app.workspace import Workspace


class Library:
    """The indexes of one log's memory, by direction. Safe from several threads."""

    def __init__(self, store: LogStore) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._indexes: dict[str, MemoryIndex] = {}
        self._data_version = 0
        self._state: tuple[float, ...] = ()

    def index(self, direction: str) -> MemoryIndex:
        """The memory of a direction, read where it was not or another process has changed it; others wait meanwhile."""
        with self._lock:
            self._look_for_changes()
            if direction not in self._indexes:
                index = MemoryIndex()
                for key, entry in load_entries(self.store.connection, *_languages(direction)):
                    index.add(key, entry)
                self._indexes[direction] = index
            return self._indexes[direction]

    def forget(self) -> None:
        """Reads the memory anew when it is next asked: sessions were deleted."""
        with self._lock:
            self._indexes.clear()

    def _look_for_changes(self) -> None:
        """Forgets what was read where other processes, which write their events all the time, wrote to the memory."""
        version = self.store.connection.data_version()
        if version == self._data_version:
            return
        state = state_of(self.store.connection)
        if state != self._state:
            self._indexes.clear()
        self._data_version, self._state = version, state

    def index_if_read(self, direction: str) -> MemoryIndex | None:
        """The memory of a direction, if anybody has asked for it yet."""
        return self._indexes.get(direction)

    def import_tmx(self, data: bytes, name: str, direction: str) -> Json:
        """Adds a file's pairs, in place of those of an earlier file of that name. Raises DocumentError, LogError."""
        name = safe_name(name, "memory.tmx")
        pairs = read_pairs(data, name, *_languages(direction))
        num_pairs = import_entries(self.store.connection, name, *_languages(direction), pairs)
        self.forget()
        return {"name": name, "num_pairs": num_pairs}

    def export_tmx(self, direction: str) -> Export:
        """The whole memory of a direction as a file."""
        entries = self.index(direction).entries()
        note = None if entries else Message("The memory is empty: confirm segments or import a TMX file first.")
        return Export(f"memory.{direction}.tmx", write_tmx(entries, *_languages(direction)), note)


class Recall:
    """What the memory has for the segments of one workspace."""

    def __init__(self, workspace: Workspace, library: Library) -> None:
        self.workspace = workspace
        self.library = library

    def follow(self, before: SegmentState, after: SegmentState) -> None:
        """A segment has changed: a confirmed one is in the memory, any other is not."""
        if (before.state, before.target) == (after.state, after.target):
            return
        if "confirmed" not in (before.state, after.state):
            return
        workspace = self.workspace
        for direction in (workspace.direction, "-".join(reversed(_languages(workspace.direction)))):
            if (index := self.library.index_if_read(direction)) is None:
                continue
            key = segment_key(workspace.session_id, after.index)
            if after.state != "confirmed" or after.target is None:
                index.remove(key)
                continue
            is_forward = direction == workspace.direction
            source, target = (after.source, after.target) if is_forward else (after.target, after.source)
            index.add(key, Entry(source, target, workspace.document.name, time.time_ns() // 1_000_000))

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


def _languages(direction: str) -> tuple[str, str]:
    source, _, target = direction.partition("-")
    return source, target
