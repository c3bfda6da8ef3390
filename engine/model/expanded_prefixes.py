"""Prefixes of one source's translations, with the decoder's results for each.

Searches of the same source expand many of the same prefixes: a search with a changed pin shares those that meet no
constraint yet, and a repeated one shares all. A prefix that was expanded before costs neither a pass through the layers
nor a product with the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from engine.interruption import NEVER, Interruption

MAX_BYTES = 256 * 2**20  # of all sources of a model
_FIRST_CAPACITY = 64  # prefixes
_COPIED_AT_ONCE = 2**14  # prefixes; twice that takes a tenth of a second for a large model

EMPTY = 0  # the prefix before anything was read
Paths = npt.NDArray[np.int64]  # (R, T): the beginnings of each row's prefix, shortest first, EMPTY in front of them


def num_entries(paths_RT: Paths) -> npt.NDArray[np.int64]:
    """(R,): how many tokens were read in each path."""
    counts_R: npt.NDArray[np.int64] = (paths_RT != EMPTY).sum(1)
    return counts_R


class ExpandedPrefixes:
    """A tree of numbered prefixes, each with the cache entry of its last piece and the log-probabilities after it."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        """Log-probabilities are stored up to `max_bytes`; a search that needs more continues with `only` its own."""
        self._max_bytes = max_bytes
        self._continued: dict[tuple[int, int], int] = {}
        self._log_probs: list[Tensor | None] = [None]  # by prefix, (V,)
        self._num_log_prob_bytes = 0
        self._entries_NLZ: Tensor | None = None

    @property
    def num_bytes(self) -> int:
        """The memory that is in use."""
        return self._num_log_prob_bytes + (0 if self._entries_NLZ is None else self._entries_NLZ.nbytes)

    @property
    def entries(self) -> Tensor:
        """The decoder's entry for the last piece of each prefix, (prefixes, layers, Z), zeros for the empty prefix.

        Its keys and values or, of a recurrent decoder, the cells after it.
        """
        assert self._entries_NLZ is not None, "call make_room first"
        return self._entries_NLZ

    def make_room(self, entry_LZ: Tensor, interruption: Interruption = NEVER) -> None:
        """Make room for the entries of all prefixes, in the shape of this one.

        An `interruption` leaves everything as it was.
        """
        before, num_prefixes = self._entries_NLZ, len(self._log_probs)
        capacity = 0 if before is None else len(before)
        if num_prefixes <= capacity:
            return
        grown = entry_LZ.new_empty(max(_FIRST_CAPACITY, 2 * capacity, num_prefixes), *entry_LZ.shape)
        grown[EMPTY] = 0
        if before is not None:
            for first in range(0, capacity, _COPIED_AT_ONCE):
                interruption.check()
                some = slice(first, min(first + _COPIED_AT_ONCE, capacity))
                grown[some] = before[some]
        self._entries_NLZ = grown

    def is_full(self, num_more: int) -> bool:
        """True if the entries of so many more prefixes take more than the memory."""
        if self._entries_NLZ is None:
            return False
        num_prefixes, capacity = len(self._log_probs) + num_more, len(self._entries_NLZ)
        grown = max(2 * capacity, num_prefixes) if num_prefixes > capacity else capacity
        return grown * self._entries_NLZ[EMPTY].nbytes > self._max_bytes

    def only(self, paths_RT: Paths) -> tuple[ExpandedPrefixes, Paths]:
        """A copy with the prefixes of these paths alone, without log-probabilities, and the paths in its numbers.

        It takes up to four times the memory of these prefixes, also where that is more than `max_bytes`.
        """
        kept = np.union1d(paths_RT, [EMPTY])
        own = ExpandedPrefixes(max(self._max_bytes, 4 * len(kept) * self.entries[EMPTY].nbytes))
        own._entries_NLZ = self.entries[torch.from_numpy(kept)]
        own._log_probs = [None] * len(kept)
        numbers = {prefix: number for number, prefix in enumerate(kept.tolist())}
        own._continued = {
            (numbers[before], piece): numbers[after]
            for (before, piece), after in self._continued.items()
            if after in numbers and before in numbers
        }
        return own, np.searchsorted(kept, paths_RT)

    def continue_with(self, prefix: int, piece: int) -> int:
        """The prefix that has one more piece."""
        number = self._continued.setdefault((prefix, piece), len(self._log_probs))
        if number == len(self._log_probs):
            self._log_probs.append(None)
        return number

    def log_probs(self, prefix: int) -> Tensor | None:
        """The log-probabilities (V,) of the piece after a prefix, read-only; None if they are unknown."""
        return self._log_probs[prefix]

    def store(
        self,
        prefixes: Sequence[int],
        entries_RLZ: Tensor,
        log_probs_RV: Tensor | None,
        interruption: Interruption = NEVER,
    ) -> None:
        """Store the results for these prefixes. Keeps `log_probs_RV` itself, so callers must not change it later.

        For `interruption` see `make_room`.
        """
        self.make_room(entries_RLZ[0], interruption)
        self.entries[list(prefixes)] = entries_RLZ
        if log_probs_RV is None or self.num_bytes + log_probs_RV.nbytes > self._max_bytes:
            return
        self._num_log_prob_bytes += log_probs_RV.nbytes
        for prefix, log_probs_V in zip(prefixes, log_probs_RV, strict=True):
            self._log_probs[prefix] = log_probs_V
