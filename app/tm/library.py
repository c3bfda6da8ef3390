"""The translation memory of a log: one index for each language direction, shared by all its documents."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any

from app.formats.documents import Export
from app.i18n import Message
from app.log.store import LogStore
from app.text.encoding import safe_name
from app.tm.index import MemoryEntry, MemoryIndex
from app.tm.storage import import_entries, load_entries, state_of
from app.tm.tmx import read_pairs, write_tmx


class MemoryLibrary:
    """The indexes of one log's memory, by direction. Safe from several threads.

    `fills` says whether segments that stand in it word for word get their text from it by themselves.
    """

    def __init__(self, store: LogStore, *, fills: bool = True) -> None:
        self.store = store
        self.fills = fills
        self._lock = threading.Lock()
        self._indexes: dict[str, MemoryIndex] = {}
        self._changing = threading.Lock()
        self._missed: dict[str, list[tuple[Hashable, MemoryEntry | None]]] = {}  # changes while an index is being read
        self._data_version = 0
        self._state: tuple[float, ...] = ()

    def index(self, direction: str) -> MemoryIndex:
        """The memory of a direction, read where it was not or another process has changed it; others wait meanwhile."""
        with self._lock:
            self._look_for_changes()
            if direction not in self._indexes:
                self._read(direction)
            return self._indexes[direction]

    def put(self, direction: str, key: Hashable, entry: MemoryEntry | None) -> None:
        """This is under that key from now on, None: nothing, if anybody asks or has asked for that direction."""
        with self._changing:
            if (index := self._indexes.get(direction)) is not None:
                index.put(key, entry)
            elif direction in self._missed:
                self._missed[direction].append((key, entry))

    def _read(self, direction: str) -> None:
        index = MemoryIndex()
        with self._changing:
            self._missed[direction] = []
        try:
            for key, entry in load_entries(self.store.connection, *languages_of(direction)):
                index.add(key, entry)
            with self._changing:
                for key, change in self._missed[direction]:
                    index.put(key, change)
                self._indexes[direction] = index
        finally:
            with self._changing:
                del self._missed[direction]

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

    def import_tmx(self, data: bytes, name: str, direction: str) -> dict[str, Any]:
        """Adds a file's pairs, in place of those of an earlier file of that name. Raises DocumentError, LogError."""
        name = safe_name(name, "memory.tmx")
        pairs = read_pairs(data, name, *languages_of(direction))
        num_pairs = import_entries(self.store.connection, name, *languages_of(direction), pairs)
        self.forget()
        return {"name": name, "num_pairs": num_pairs}

    def export_tmx(self, direction: str) -> Export:
        """The whole memory of a direction as a file."""
        entries = self.index(direction).entries()
        note = None if entries else Message("The memory is empty: confirm segments or import a TMX file first.")
        return Export(f"memory.{direction}.tmx", write_tmx(entries, *languages_of(direction)), note)


def languages_of(direction: str) -> tuple[str, str]:
    source, _, target = direction.partition("-")
    return source, target
