"""The tracker's tables: arrays with a row for each node or sentence, which grow with these."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", np.int64, np.bool_)


class GrowingTable(Generic[Number]):
    """An array that grows at the ends of its axes; new and cleared entries have the value `empty`."""

    def __init__(self, empty: Number, *shape: int) -> None:
        self._empty: Number = empty
        self.values: npt.NDArray[Number] = np.full(shape, empty)

    def clear(self, rows: list[int]) -> None:
        """Empty these rows."""
        self.values[rows] = self._empty

    def grow(self, *num_more: int) -> None:
        """Grow by so many entries along each axis; the last axes may be left out."""
        old: npt.NDArray[Number] = self.values
        more = (*num_more, *(0,) * (old.ndim - len(num_more)))
        self.values = np.full([size + add for size, add in zip(old.shape, more, strict=True)], self._empty)
        self.values[tuple(map(slice, old.shape))] = old

    def forget_phrases(self) -> None:
        """Drop all entries of phrases, which have the second axis."""
        self.values = self.values[:, :0]


class SentenceTables:
    """Facts about each phrase of each sentence, (B, P)."""

    def __init__(self) -> None:
        # Required occurrences; 0 for phrases that share a form, which have tables of their own.
        self.required = GrowingTable(np.int64(0), 0, 0)
        self.num_pieces = GrowingTable(np.int64(0), 0, 0)
        self.is_sharing = GrowingTable(np.bool_(False), 0, 0)
        self.ends_text = GrowingTable(np.bool_(False), 0, 0)

    @property
    def num_phrases(self) -> int:
        """P: the most phrases of any sentence since the tables were last empty."""
        num_phrases: int = self.required.values.shape[1]
        return num_phrases

    def clear(self, sentences: list[int]) -> None:
        """Empty the rows of these sentences."""
        for table in self._all:
            table.clear(sentences)

    def grow(self, num_sentences: int, num_phrases: int) -> None:
        """Grow by so many sentences and phrases."""
        for table in self._all:
            table.grow(num_sentences, num_phrases)

    def forget_phrases(self) -> None:
        """Drop all phrases; the rows of the sentences stay."""
        for table in self._all:
            table.forget_phrases()

    @property
    def _all(self) -> tuple[GrowingTable[np.int64] | GrowingTable[np.bool_], ...]:
        return self.required, self.num_pieces, self.is_sharing, self.ends_text


class NodeTables:
    """Facts about each node: a number or truth value (N,), one for each phrase (N, P), or its next pieces."""

    def __init__(self, capacity: int) -> None:
        """Room for so many nodes without phrases."""
        self.pending = GrowingTable(np.int64(0), capacity, 0)  # occurrences that count if the sentence ends here
        self.to_go = GrowingTable(np.int64(0), capacity, 0)  # missing pieces of the partial occurrence
        self.forced = GrowingTable(np.int64(-1), capacity, 0, 0)  # pieces that advance the phrase
        self.is_open = GrowingTable(np.bool_(False), capacity)
        self.ends_here = GrowingTable(np.bool_(False), capacity)
        self.is_met_if_ended = GrowingTable(np.bool_(True), capacity)
        self.in_prefix = GrowingTable(np.bool_(False), capacity)
        self.may_die = GrowingTable(np.bool_(False), capacity)
        self.prefix_left = GrowingTable(np.int64(0), capacity)  # pieces
        self.shared_missing = GrowingTable(np.int64(0), capacity)  # pieces of phrases that share a form
        self.shared_under_way = GrowingTable(np.bool_(False), capacity)

    @property
    def capacity(self) -> int:
        return len(self.to_go.values)

    @property
    def num_spellings(self) -> int:
        """F: the most spellings of any phrase."""
        num_spellings: int = self.forced.values.shape[2]
        return num_spellings

    def clear(self, nodes: list[int]) -> None:
        """Empty the rows of these nodes."""
        for table in self._all:
            table.clear(nodes)

    def double(self) -> None:
        """Make room for as many more nodes."""
        more = self.capacity
        for table in self._all:
            table.grow(more)

    def grow(self, num_phrases: int, num_spellings: int) -> None:
        """Grow by so many phrases, and spellings of each."""
        self.pending.grow(0, num_phrases)
        self.to_go.grow(0, num_phrases)
        self.forced.grow(0, num_phrases, num_spellings)

    @property
    def _all(self) -> tuple[GrowingTable[np.int64] | GrowingTable[np.bool_], ...]:
        return (
            self.pending,
            self.to_go,
            self.forced,
            self.is_open,
            self.ends_here,
            self.is_met_if_ended,
            self.in_prefix,
            self.may_die,
            self.prefix_left,
            self.shared_missing,
            self.shared_under_way,
        )
