"""The translation memory of a log: one index for each language direction, shared by all its documents."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal

from app.access.actor import Actor
from app.formats.documents import Export
from app.i18n import Message
from app.log.project_tables import Project
from app.log.store import LogStore
from app.text.encoding import safe_name
from app.tm.entries import Match, MemoryEntry, MemoryScope
from app.tm.index import MemoryIndex
from app.tm.memory_file import MemoryFile, read_memory
from app.tm.memory_table import write_csv, write_workbook
from app.tm.storage import Pair, directions_of, import_entries, import_key, load_entries, put_entries, state_of
from app.tm.tmx_memory import write_tmx

MemoryEnding = Literal["tmx", "csv", "xlsx"]
ReadMemory = Callable[[bytes, str, str, str], MemoryFile]


class MemoryLibrary:
    """The memory of a log: an index for each direction, read at its first use. Thread-safe.

    `fills` says whether untouched segments with an exact match are filled automatically. `read` reads a memory: its
    bytes, name, source and target language.
    """

    def __init__(self, store: LogStore, *, fills: bool = True, read: ReadMemory = read_memory) -> None:
        self.store = store
        self.fills = fills
        self._read_file = read
        self._lock = threading.Lock()
        self._indexes: dict[str, MemoryIndex] = {}
        self._changing = threading.Lock()
        self._missed: dict[str, list[tuple[Hashable, MemoryEntry | None]]] = {}  # changes while an index is being read
        self._data_version = 0
        self._state: tuple[float, ...] = ()

    def index(self, direction: str) -> MemoryIndex:
        """The index of a direction; blocks while it is read, the first time and after another process changed it."""
        with self._lock:
            self._check_for_changes()
            if direction not in self._indexes:
                self._read(direction)
            return self._indexes[direction]

    def scope(self, project: Project) -> MemoryScope:
        """The memory entries that documents of a project use, and the penalties of their matches.

        All members of the project see these entries, so only entries of projects that all members see are used.
        """
        return MemoryScope(
            project.id,
            is_only=not project.shares_memory,
            min_rate=project.min_match,
            other_penalty=project.other_penalty,
            import_penalty=project.import_penalty,
            projects=self.store.people.seen_by_all_members(project.id),
        )

    def put(self, direction: str, key: Hashable, entry: MemoryEntry | None) -> None:
        """Adds, replaces or (None) removes an entry in the index of a direction, if that is loaded or being loaded."""
        with self._changing:
            if (index := self._indexes.get(direction)) is not None:
                index.put(key, entry)
            elif direction in self._missed:
                self._missed[direction].append((key, entry))

    def _read(self, direction: str) -> None:
        index = MemoryIndex(languages_of(direction))
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

    def directions(self) -> list[str]:
        """The language pairs that have entries, sorted."""
        return directions_of(self.store.connection)

    def matches(self, direction: str, text: str, count: int, scope: MemoryScope) -> list[Match]:
        """The entries of a scope whose source is similar to a text, best first."""
        return self.index(direction).matches(text, count=count, scope=scope)

    def add(self, direction: str, name: str, pairs: Sequence[Pair], project: int) -> int:
        """Adds pairs to the memory of this name in a project, in place of those with the same source.

        Returns how many. Raises LogError.
        """
        languages = languages_of(direction)
        with self._lock:  # no index is read meanwhile, which could miss them or have those that are replaced
            replaced, added = put_entries(self.store.connection, name, *languages, dict(pairs), project)
            for way in (languages, languages[::-1]):
                for number in replaced:
                    self.put("-".join(way), import_key(number), None)
                for number, entry in added.items():
                    turned = entry if way == languages else replace(entry, source=entry.target, target=entry.source)
                    self.put("-".join(way), import_key(number), turned)
        return len(added)

    def forget(self) -> None:
        """Drops all indexes, so that the memory is read again at the next lookup."""
        with self._lock:
            self._indexes.clear()

    def _check_for_changes(self) -> None:
        """Drops all indexes if another process changed the memory; most of their writes are only events."""
        version = self.store.connection.data_version()
        if version == self._data_version:
            return
        state = state_of(self.store.connection)
        if state != self._state:
            self._indexes.clear()
        self._data_version, self._state = version, state

    def index_if_read(self, direction: str) -> MemoryIndex | None:
        """The index of a direction if it is loaded, otherwise None."""
        return self._indexes.get(direction)

    def import_memory(self, data: bytes, name: str, direction: str, project: int = 0) -> dict[str, Any]:
        """Imports the pairs of a file into a project's memory, replacing an earlier file of that name.

        Raises DocumentError, LogError.
        """
        name = safe_name(name, "memory.tmx")
        read = self._read_file(data, name, *languages_of(direction))
        pairs = read.pairs
        num_pairs = import_entries(self.store.connection, name, *languages_of(direction), pairs, project)
        self.forget()
        return {"name": name, "num_pairs": num_pairs, "notes": read.notes}

    def export(self, actor: Actor, direction: str, ending: MemoryEnding = "tmx") -> Export:
        """The whole memory of a direction, as far as the actor sees its projects, as a file."""
        entries, languages = self.seen(actor, direction), languages_of(direction)
        if ending == "tmx":
            data = write_tmx(entries, *languages)
        else:
            projects = {summary.project.id: summary.project.name for summary in self.store.projects(actor)}
            data = (write_csv if ending == "csv" else write_workbook)(entries, languages, projects)
        return Export(f"memory.{direction}.{ending}", data, self.note_if_empty(actor, direction))

    def note_if_empty(self, actor: Actor, direction: str) -> Message | None:
        """A hint if a direction has no memory; None if it has one."""
        if self.seen(actor, direction):
            return None
        return Message("The memory is empty: confirm segments or import a TMX file first.")

    def seen(self, actor: Actor, direction: str) -> list[MemoryEntry]:
        """The entries of a direction whose projects the actor sees."""
        access = self.store.people.access(actor)
        return [entry for entry in self.index(direction).entries() if entry.project == 0 or access.sees(entry.project)]


def languages_of(direction: str) -> tuple[str, str]:
    source, _, target = direction.partition("-")
    return source, target
