"""Decoders of two kinds as one: the compiled core for most sentences, PyTorch for what the core does not cover."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from engine.model.cached_decoder import CachedDecoder
from engine.model.compiled_decoder import CompiledDecoder
from engine.model.decoder import Decoder

Part = CompiledDecoder | CachedDecoder | Decoder


class DecoderParts:
    """A `Decoder` whose rows are those of its parts, one part after the other."""

    def __init__(self, parts: Sequence[tuple[Part, int]]) -> None:
        """`parts` has each decoder, before its first step, with its number of sentences."""
        self._decoders = [decoder for decoder, _ in parts]
        self._num_rows = [num_sentences for _, num_sentences in parts]

    def step(self, tokens_R: Tensor) -> Tensor:
        """Log-probabilities (R, V) of the next token of each row; see `Decoder.step`."""
        if len(self._decoders) == 1:
            return self._decoders[0].step(tokens_R)
        split = tokens_R.split(self._num_rows)
        return torch.cat([decoder.step(tokens) for decoder, tokens in zip(self._decoders, split, strict=True)])

    def read(self, pieces_B: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """Let each sentence's row begin with these pieces; see `Decoder.read`."""
        bounds = pairwise([0, *np.cumsum(self._num_rows).tolist()])
        parts = zip(self._decoders, bounds, strict=True)
        return [log_probs for decoder, (first, behind) in parts for log_probs in decoder.read(pieces_B[first:behind])]

    def select(self, parents_R2: Tensor) -> None:
        """Let new row i go on from old row `parents_R2[i]`; see `Decoder.select`."""
        bounds = list(pairwise([0, *np.cumsum(self._num_rows).tolist()]))
        left: list[tuple[Part, int]] = []
        for decoder, (first, behind) in zip(self._decoders, bounds, strict=True):
            own = parents_R2[(parents_R2 >= first) & (parents_R2 < behind)] - first
            if len(own):
                decoder.select(own)
                left.append((decoder, len(own)))
        self._decoders, self._num_rows = [decoder for decoder, _ in left], [count for _, count in left]

    def join(self, other: DecoderParts) -> None:
        """Append the rows of `other`; see `Decoder.join`."""
        for decoder, num_rows in zip(other._decoders, other._num_rows, strict=True):
            last = self._decoders[-1] if self._decoders else None
            if last is not None and isinstance(last, CompiledDecoder) is isinstance(decoder, CompiledDecoder):
                last.join(decoder)  # type: ignore[arg-type] # both are of one kind
            else:
                self._decoders.append(decoder)
                self._num_rows.append(0)
            self._num_rows[-1] += num_rows
