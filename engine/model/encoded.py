"""Encoded sources: the output of the encoder, and the keys and values that the decoder makes of it once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor


def source_mask(lengths_B: Tensor, max_length: int) -> Tensor | None:
    """True where a source has a piece, (B, 1, 1, S); None when nothing is padded."""
    if int(lengths_B.min()) == max_length:
        return None
    places_S = torch.arange(max_length, device=lengths_B.device)
    return (places_S < lengths_B.unsqueeze(1))[:, None, None, :]


@dataclass(frozen=True, slots=True)
class EncodedSources:
    """EncodedSources sources. Immutable in use, so it may be kept per segment and shared by decoders.

    `memory_BSE` is the encoder's output; `cross_LBSE` holds keys and values of the decoder layers (keys of layer l at
    2l, values at 2l + 1). Positions beyond `lengths_B` are padding. `starts_BN` are the first inputs of the decoder,
    `<s>` if None.
    """

    memory_BSE: Tensor
    cross_LBSE: Tensor
    lengths_B: Tensor
    starts_BN: Tensor | None = None

    @property
    def num_sentences(self) -> int:
        return self.memory_BSE.shape[0]

    @staticmethod
    def stack(parts: Sequence[EncodedSources]) -> EncodedSources:
        """One batch of all sentences of `parts`, in order."""
        if len(parts) == 1:
            return parts[0]
        longest = max(part.memory_BSE.shape[1] for part in parts)

        def padded(x: Tensor) -> Tensor:
            return F.pad(x, (0, 0, 0, longest - x.shape[-2]))

        return EncodedSources(
            torch.cat([padded(part.memory_BSE) for part in parts]),
            torch.cat([padded(part.cross_LBSE) for part in parts], dim=1),
            torch.cat([part.lengths_B for part in parts]),
            None if parts[0].starts_BN is None else torch.cat([part.starts_BN for part in parts]),  # type: ignore[misc]
        )

    def take(self, sentences: Tensor) -> EncodedSources:
        """Only the given sentences, cut to the longest of them."""
        lengths_B = self.lengths_B[sentences]
        longest = int(lengths_B.max())
        starts_BN = None if self.starts_BN is None else self.starts_BN[sentences]
        return EncodedSources(
            self.memory_BSE[sentences, :longest], self.cross_LBSE[:, sentences, :longest], lengths_B, starts_BN
        )
