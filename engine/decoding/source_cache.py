"""Cache of the newest sources: what a model has computed of each, so that a repeated request computes only the rest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from engine.decoding.constraints import PreparedRequest
from engine.interruption import NEVER, Interruption

MAX_KEPT = 64
_Key = tuple[str, tuple[str, ...], str]  # direction, marks and text

Kept = TypeVar("Kept")


class SourceCache(Generic[Kept]):
    """The newest sources of one model, those used last at the end."""

    def __init__(self, encode: Callable[[Sequence[PreparedRequest], Interruption], Sequence[Kept]]) -> None:
        """`encode` computes what is kept of some sources."""
        self._encode = encode
        self._kept: OrderedDict[_Key, Kept] = OrderedDict()

    def of(self, sources: Sequence[PreparedRequest], interruption: Interruption = NEVER) -> list[Kept]:
        """What is kept of each source; encodes the missing ones together."""
        keys: list[_Key] = [(asked.direction, asked.marks, asked.source) for asked in sources]
        found = {key: self._kept[key] for key in set(keys) if key in self._kept}
        new = {key: asked for key, asked in zip(keys, sources, strict=True) if key not in found}
        if new:
            found.update(zip(new, self._encode(list(new.values()), interruption), strict=True))
        for key in keys:
            self._kept.pop(key, None)
        self._kept.update((key, found[key]) for key in keys)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return [found[key] for key in keys]

    def forget(self) -> None:
        """Forgets all sources."""
        self._kept.clear()
