"""Prefilling a document from a translation memory with exact matches, without review of each segment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.text.nontranslatables import placeholder_problem
from app.tm.entries import EVERYTHING, MemoryEntry, MemoryScope
from app.tm.index import MemoryIndex


@dataclass(frozen=True, slots=True)
class Prefill:
    """`texts` are translations by position of the source; `num_similar` counts sources with fuzzy matches only."""

    texts: dict[int, str]
    num_similar: int


def index_of_pairs(pairs: Iterable[tuple[str, str]]) -> MemoryIndex:
    """An index of the pairs of a file; later pairs count as newer."""
    index = MemoryIndex()
    for number, (source, target) in enumerate(pairs):
        index.add(number, MemoryEntry(source, target, changed_ms=number))
    return index


def prefill(index: MemoryIndex, sources: Sequence[str]) -> Prefill:
    """The newest translation of each source with an exact match, ignoring differences in white space.

    Skips translations whose placeholders differ from the source, and fuzzy matches, which a person must review.
    """
    texts: dict[int, str] = {}
    num_similar = 0
    for place, source in enumerate(sources):
        if exact := exact_texts(index, source):
            texts[place] = exact[0]
        else:
            num_similar += bool(index.matches(source))
    return Prefill(texts, num_similar)


def exact_texts(index: MemoryIndex, source: str, scope: MemoryScope = EVERYTHING) -> list[str]:
    """The distinct translations of exactly this source with the same placeholders, newest first.

    If the project has one, those of other projects do not count. Entries with a penalty do not count either: with it,
    they are no 100 % match.
    """
    found = [entry for entry in index.exact(source, scope) if not any(scope.penalties(entry))]
    own = [entry for entry in found if scope.is_own(entry)]
    texts = dict.fromkeys(entry.target for entry in own or found)
    return [text for text in texts if not placeholder_problem(source, text)]
