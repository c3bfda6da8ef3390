"""What the encoder made of the newest sources, kept, so that a request that asks anew costs only decoding."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import torch

from engine.constraints import Constraints
from engine.model import PAD, Encoded, LoadedModel

_MAX_KEPT = 64
_Key = tuple[str, tuple[str, ...], str]  # direction, marks and text


class Encodings:
    """The encoder of one model with the encodings that it gave last."""

    def __init__(self, model: LoadedModel) -> None:
        self._model = model
        self._kept: OrderedDict[_Key, Encoded] = OrderedDict()

    def of(self, sources: Sequence[Constraints]) -> list[Encoded]:
        """The encoded sources; those that are not kept are encoded together."""
        keys: list[_Key] = [(wanted.direction, wanted.marks, wanted.source) for wanted in sources]
        found = {key: self._kept.pop(key) for key in set(keys) if key in self._kept}
        new = {key: wanted for key, wanted in zip(keys, sources, strict=True) if key not in found}
        if new:
            ids = [self._model.source_ids(asked.source_ids, asked.direction, asked.marks) for asked in new.values()]
            longest, device = max(map(len, ids)), self._model.transformer.device
            padded = torch.tensor([[*own, *[PAD] * (longest - len(own))] for own in ids], device=device)
            lengths = torch.tensor([*map(len, ids)], device=device)
            starts = self._model.starts([asked.direction for asked in new.values()], device)
            together = self._model.transformer.encode(padded, lengths, starts)
            found.update((key, together.take(torch.tensor([place]))) for place, key in enumerate(new))
        self._kept.update((key, found[key]) for key in keys)
        while len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)
        return [found[key] for key in keys]
