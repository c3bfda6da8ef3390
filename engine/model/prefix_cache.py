"""Prefill: the decoder reads the given beginning of a translation in one pass, and keeps it for the next request.

All pieces of a prefix go through the decoder together: the keys and values of each are known before the next layer, so
each piece attends to those before it. The latest prefix of each source is cached, so that a prefix that shares its
beginning costs only its new pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class CachedPrefix:
    """A prefix that was read: its pieces, their log-probabilities, and the decoder's keys and values.

    `entries_TLZ` (T, layers, 2E) are keys and values of all decoder inputs before the last piece: the start pieces, and
    the pieces but the last, which is the input of the next step. Without pieces: the start pieces but the last.
    """

    pieces: tuple[int, ...]
    log_probs: tuple[float, ...]
    entries_TLZ: Tensor

    def shared_with(self, pieces: Sequence[int]) -> CachedPrefix:
        """The longest common beginning of this prefix and `pieces`."""
        num_shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self.pieces, pieces, strict=False)))
        num_entries = len(self.entries_TLZ) - len(self.pieces) + num_shared
        return CachedPrefix(self.pieces[:num_shared], self.log_probs[:num_shared], self.entries_TLZ[:num_entries])


class PrefixCache:
    """The latest prefix that was read of one source's translation."""

    def __init__(self, latest: CachedPrefix | None = None) -> None:
        self.latest = latest or CachedPrefix((), (), torch.empty(0, 0, 0))

    def copy(self) -> PrefixCache:
        """Another cache with the same prefix."""
        return PrefixCache(self.latest)

    def shared_with(self, pieces: Sequence[int]) -> CachedPrefix:
        """The cached beginning of `pieces`; without entries if no piece has been read yet."""
        return self.latest.shared_with(pieces)

    def store(self, prefix: CachedPrefix) -> None:
        """Replace the cached prefix."""
        self.latest = prefix


@dataclass(eq=False, slots=True)
class PendingPrefix:
    """A prefix to read, of one sentence or of several of one source; `known` is the part of it that was read before."""

    cache: PrefixCache
    starts: tuple[int, ...]  # what the decoder reads before the pieces
    pieces: tuple[int, ...]
    known: CachedPrefix

    @classmethod
    def for_sentences(
        cls, caches_B: Sequence[PrefixCache], starts_B: Sequence[Sequence[int]], pieces_B: Sequence[Sequence[int]]
    ) -> list[PendingPrefix]:
        """One prefix for each sentence; equal prefixes of one source share one object."""
        pending: dict[tuple[PrefixCache, tuple[int, ...]], PendingPrefix] = {}
        for cache, starts, pieces in zip(caches_B, starts_B, map(tuple, pieces_B), strict=True):
            if (cache, pieces) not in pending:
                pending[cache, pieces] = cls(cache, tuple(starts), pieces, cache.shared_with(pieces))
        return [pending[cache, tuple(pieces)] for cache, pieces in zip(caches_B, pieces_B, strict=True)]

    @property
    def inputs(self) -> tuple[int, ...]:
        """The pieces that the decoder reads before the next step."""
        return (*self.starts, *self.pieces)[:-1]

    @property
    def unread(self) -> range:
        """The positions of the inputs that are still to be read."""
        return range(len(self.known.entries_TLZ), len(self.inputs))

    @property
    def first_before_a_piece(self) -> int:
        """The position of the first input that a piece follows."""
        return len(self.starts) - 1

    @property
    def new_pieces(self) -> tuple[int, ...]:
        """The pieces that follow the unread inputs."""
        return self.pieces[len(self.known.pieces) :]

    def finish(self, log_probs: Sequence[float], entries_TLZ: Tensor) -> None:
        """Store the whole prefix: log-probabilities of the new pieces, and the entries of all inputs."""
        self.known = CachedPrefix(self.pieces, (*self.known.log_probs, *log_probs), entries_TLZ)
        self.cache.store(self.known)
