"""What a memory has ready for the segments of a document that nobody looks at one by one: exact matches alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.text.nontranslatables import placeholder_problem
from app.tm.index import MemoryEntry, MemoryIndex


@dataclass(frozen=True, slots=True)
class Prefill:
    """`texts` are translations by the place of their source; `num_similar` counts sources with similar entries only."""

    texts: dict[int, str]
    num_similar: int


def index_of_pairs(pairs: Iterable[tuple[str, str]]) -> MemoryIndex:
    """The pairs of a file, its last the newest."""
    index = MemoryIndex()
    for number, (source, target) in enumerate(pairs):
        index.add(number, MemoryEntry(source, target, changed_ms=number))
    return index


def prefill(index: MemoryIndex, sources: Sequence[str]) -> Prefill:
    """The translations for the sources that stand in the memory word for word; of several, the newest.

    Where only spaces differ, it is the same text. A translation that lacks placeholders of its source, or has others,
    is not taken; nor is one of a similar text, since what differs is for a person to see.
    """
    texts: dict[int, str] = {}
    num_similar = 0
    for place, source in enumerate(sources):
        if exact := exact_texts(index, source):
            texts[place] = exact[0]
        else:
            num_similar += bool(index.matches(source))
    return Prefill(texts, num_similar)


def exact_texts(index: MemoryIndex, source: str) -> list[str]:
    """The different translations of this very source, the newest first, whose placeholders are the source's."""
    texts = dict.fromkeys(entry.target for entry in index.exact(source))
    return [text for text in texts if not placeholder_problem(source, text)]
