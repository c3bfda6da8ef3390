"""Entries of the translation memory, the choice of entries for a document, and matches."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.tm.similarity import INLINE_TAG

MIN_RATE = 75  # percent, where a project has no other threshold


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A text and its translation. `origin` is the name of a document or memory; `changed_ms` counts from 1970.

    `project` is the number of the project that it belongs to; 0 belongs to all. `is_imported`: from a file, not
    confirmed in a document here.
    """

    source: str
    target: str
    origin: str = ""
    changed_ms: int = 0
    project: int = 0
    is_imported: bool = False


def each_pair_once(entries: Iterable[MemoryEntry]) -> Iterable[MemoryEntry]:
    """The entries for an export: of several with the same two texts, the last."""
    return {(entry.source, entry.target): entry for entry in entries}.values()


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """The entries that a document uses: those of its project first, and with `is_only` no others.

    Of others, it uses those of `projects`; None: of all.

    Matches below `min_rate` percent are not shown. A match from another project or from an imported memory is worth
    less by these penalties, in percent.
    """

    project: int = 0
    is_only: bool = False
    min_rate: int = MIN_RATE
    other_penalty: int = 0
    import_penalty: int = 0
    projects: frozenset[int] | None = None

    def has(self, entry: MemoryEntry) -> bool:
        """True if the document uses this entry."""
        if entry.project in (0, self.project):
            return True
        return not self.is_only and (self.projects is None or entry.project in self.projects)

    def is_own(self, entry: MemoryEntry) -> bool:
        """True if the entry is of the document's project."""
        return bool(self.project) and entry.project == self.project

    def penalties(self, entry: MemoryEntry) -> tuple[int, int]:
        """The penalty of a match with the entry: for another project, and for an imported memory."""
        is_other = bool(self.project) and entry.project not in (0, self.project)
        return self.other_penalty * is_other, self.import_penalty * entry.is_imported


EVERYTHING = MemoryScope()


@dataclass(frozen=True, slots=True)
class Match:
    """An entry and the similarity of its source in percent; 100 is equal once folded.

    `penalties`, see `MemoryScope.penalties`, are taken off the rate already. If the entry's target was adapted to the
    numbers and placeholders of the text that was looked up, `original` is the target in the memory; else it is empty.
    """

    rate: int
    entry: MemoryEntry
    penalties: tuple[int, int] = (0, 0)
    original: str = ""


def with_tags_of(source: str, entry: MemoryEntry) -> MemoryEntry:
    """The entry with the tags of a source instead of its own; unchanged if they differ in number.

    >>> with_tags_of("Press {3}OK{/3}", MemoryEntry("Press <b>Ok</b>", "<b>Ok</b> drücken")).target
    '{3}Ok{/3} drücken'
    """
    ours, theirs = INLINE_TAG.findall(source), INLINE_TAG.findall(entry.source)
    if ours == theirs or len(ours) != len(theirs):
        return entry
    new: dict[str, str] = {}
    for own, other in zip(theirs, ours, strict=True):
        if new.setdefault(own, other) != other:
            return entry

    def replaced(tag: re.Match[str]) -> str:
        return new.get(tag.group(), tag.group())

    source, target = (INLINE_TAG.sub(replaced, text) for text in (entry.source, entry.target))
    return replace(entry, source=source, target=target)
