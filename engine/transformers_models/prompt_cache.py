"""The keys and values of the newest prompts, so that what two prompts begin with is computed once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from torch import Tensor

MAX_BYTES = 128 << 20
Keys = list[tuple[Tensor, Tensor]]  # of each layer, (1, H, T, D)


class PromptCache:
    """Keeps the newest prompts, as many as have room in `max_bytes`."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[tuple[int, ...], Keys] = OrderedDict()
        self.num_bytes = 0

    def longest(self, prompt: Sequence[int]) -> tuple[int, Keys]:
        """The most tokens at the beginning of the prompt that another prompt began with, and their keys and values."""
        found = max(self._kept, key=lambda kept: num_common(kept, prompt), default=None)
        if found is None:
            return 0, []
        self._kept.move_to_end(found)
        num_known = num_common(found, prompt)
        return num_known, [(keys[:, :, :num_known], values[:, :, :num_known]) for keys, values in self._kept[found]]

    def keep(self, prompt: Sequence[int], keys: Keys) -> None:
        """Keep a prompt, in place of the beginnings of it that are kept; the oldest ones go if there is no room."""
        for other in [kept for kept in self._kept if kept == tuple(prompt[: len(kept)])]:
            self._forget(other)
        size = _num_bytes(keys)
        if size > self._max_bytes:
            return
        while self.num_bytes + size > self._max_bytes:
            self._forget(next(iter(self._kept)))
        self._kept[tuple(prompt)] = keys
        self.num_bytes += size

    def _forget(self, prompt: tuple[int, ...]) -> None:
        self.num_bytes -= _num_bytes(self._kept.pop(prompt))


def num_common(one: Sequence[int], other: Sequence[int]) -> int:
    """The number of tokens that both begin with."""
    shorter = min(len(one), len(other))
    return next((place for place in range(shorter) if one[place] != other[place]), shorter)


def _num_bytes(keys: Keys) -> int:
    return sum(tensor.numel() * tensor.element_size() for pair in keys for tensor in pair)
