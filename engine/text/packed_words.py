"""Words of a large dictionary in little memory: Python's own sets and dictionaries take ten times as much."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.int64]


class WordSet:
    """A set of words, as their hashes: 8 bytes a word. All words are added before the first one is looked up.

    A word that is not in it is taken for one that is, once in 10^13 times. It belongs to its process, as hashes do.
    """

    def __init__(self) -> None:
        self._added = array("q")

    def add(self, words: Iterable[str]) -> None:
        self._added.extend(map(hash, words))

    def update(self, others: WordSet) -> None:
        """Adds the words of another set."""
        self._added.extend(others._added)

    def __contains__(self, word: object) -> bool:
        place = int(np.searchsorted(self._in_order, hash(word)))
        return place < len(self._in_order) and int(self._in_order[place]) == hash(word)

    @cached_property
    def _in_order(self) -> Hashes:
        """The hashes in order."""
        return np.sort(np.frombuffer(self._added, dtype=np.int64))


class PackedEntries(Mapping[str, str]):
    """A mapping from words to texts, in one block of bytes. All are added before the first one is looked up.

    Of equal words, the last one counts.
    """

    def __init__(self) -> None:
        self._block = bytearray()
        self._places, self._added = array("i", [0]), array("q")

    def add(self, word: str, text: str) -> None:
        self._block += f"{word}\t{text}".encode("utf-8", "surrogatepass")
        self._places.append(len(self._block))
        self._added.append(hash(word))

    def __getitem__(self, word: str) -> str:
        hashes_N, order_N = self._in_order
        first, last = (int(np.searchsorted(hashes_N, hash(word), side)) for side in ("left", "right"))
        for place in reversed(order_N[first:last].tolist()):
            own, text = self._entry(place)
            if own == word:
                return text
        raise KeyError(word)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(self._entry(place)[0] for place in range(len(self._added))))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def _in_order(self) -> tuple[Hashes, npt.NDArray[np.int32]]:
        """The hashes in order, and the number of the entry of each."""
        added_N = np.frombuffer(self._added, dtype=np.int64)
        order_N = np.argsort(added_N, kind="stable")
        return added_N[order_N], order_N.astype(np.int32)

    def _entry(self, place: int) -> tuple[str, str]:
        entry = self._block[self._places[place] : self._places[place + 1]].decode("utf-8", "surrogatepass")
        word, _, text = entry.partition("\t")
        return word, text
