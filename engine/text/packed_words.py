"""Words of a large dictionary in little memory: Python's own sets and dictionaries take ten times as much.

Both kinds are NumPy arrays, which can be stored (`arrays`) and are the same in every process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Hashes = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int32]
Arrays = Mapping[str, npt.NDArray[Any]]

# FNV-1a with 64 bits, of the first bytes of a word.
_OFFSET: Final = 0xCBF29CE484222325
_PRIME: Final = 0x100000001B3
_MASK: Final = 2**64 - 1
_MAX_HASHED: Final = 64


def hash_of(word: str) -> int:
    """A hash that is the same in every process."""
    found = _OFFSET
    for byte in _encoded(word)[:_MAX_HASHED]:
        found = ((found ^ byte) * _PRIME) & _MASK
    return found


def hashes_of(words: Sequence[str]) -> Hashes:
    """(N,): `hash_of` of each word, computed for all at once."""
    encoded = [_encoded(word)[:_MAX_HASHED] for word in words]
    lengths_N = np.fromiter(map(len, encoded), np.int64, len(encoded))
    order_N = np.argsort(-lengths_N, kind="stable")
    starts_N, shorter_N = (np.cumsum(lengths_N) - lengths_N)[order_N], -lengths_N[order_N]
    block = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    found_N = np.full(len(encoded), _OFFSET, dtype=np.uint64)
    for place in range(-int(shorter_N[0]) if len(encoded) else 0):
        num_longer = int(np.searchsorted(shorter_N, -place))
        found_N[:num_longer] = (found_N[:num_longer] ^ block[starts_N[:num_longer] + place]) * np.uint64(_PRIME)
    hashes_N = np.empty_like(found_N)
    hashes_N[order_N] = found_N
    return hashes_N


class WordSet:
    """A set of words, as their hashes: 8 bytes a word.

    A word that is not in it is taken for one that is, once in 10^13 times.
    """

    def __init__(self, hashes_N: Hashes) -> None:
        """`hashes_N` are in order."""
        self._hashes_N = hashes_N

    @classmethod
    def of(cls, words: Iterable[str], *others: WordSet) -> WordSet:
        """The set of these words and those of other sets."""
        hashes_N = np.sort(np.concatenate([hashes_of([*words]), *(other._hashes_N for other in others)]))
        return cls(hashes_N[np.concatenate([[True], hashes_N[1:] != hashes_N[:-1]])[: len(hashes_N)]])

    def __contains__(self, word: object) -> bool:
        hashed = hash_of(str(word))
        place = int(np.searchsorted(self._hashes_N, np.uint64(hashed)))
        return place < len(self._hashes_N) and int(self._hashes_N[place]) == hashed

    def arrays(self) -> Arrays:
        """The arguments of the set, to be stored."""
        return {"hashes_N": self._hashes_N}


class PackedEntries(Mapping[str, str]):
    """A mapping from words to texts, in one block of bytes. Of equal words, the last one counts."""

    def __init__(self, block: Bytes, ends_N: Places, hashes_N: Hashes, order_N: Places) -> None:
        """`block` has the entries, which end at `ends_N`; `hashes_N` are in order, and `order_N` has their entries."""
        self._block, self._ends_N, self._hashes_N, self._order_N = block, ends_N, hashes_N, order_N

    @classmethod
    def of(cls, items: Iterable[tuple[str, str]]) -> PackedEntries:
        """The entries of these words and their texts."""
        words, entries = [], []
        for word, text in items:
            words.append(word)
            entries.append(_encoded(f"{word}\t{text}"))
        hashes_N = hashes_of(words)
        order_N = np.argsort(hashes_N, kind="stable")
        ends_N = np.cumsum(np.fromiter(map(len, entries), np.int64, len(entries))).astype(np.int32)
        block = np.frombuffer(b"".join(entries), dtype=np.uint8)
        return cls(block, ends_N, hashes_N[order_N], order_N.astype(np.int32))

    def __getitem__(self, word: str) -> str:
        hashed = np.uint64(hash_of(word))
        first, last = (int(np.searchsorted(self._hashes_N, hashed, side)) for side in ("left", "right"))
        for place in reversed(self._order_N[first:last].tolist()):
            own, text = self._entry(place)
            if own == word:
                return text
        raise KeyError(word)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(self._entry(place)[0] for place in range(len(self._ends_N))))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def arrays(self) -> Arrays:
        """The arguments of the mapping, to be stored."""
        return {"block": self._block, "ends_N": self._ends_N, "hashes_N": self._hashes_N, "order_N": self._order_N}

    def _entry(self, place: int) -> tuple[str, str]:
        start = int(self._ends_N[place - 1]) if place else 0
        entry = self._block[start : self._ends_N[place]].tobytes().decode("utf-8", "surrogatepass")
        word, _, text = entry.partition("\t")
        return word, text


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
