"""Grid beam search (Hokamp & Liu 2017), the baseline of dynamic beam allocation: a whole beam for each bank.

A sentence with C constraint tokens has up to beam * (C + 1) rows, and time grows with C. Everything but the choice of
rows is that of `BeamSearch`: the same phrases, masks, finishing and stopping rules. In the paper a hypothesis inside a
phrase can only go on with it; here it may leave it, as everywhere in this search.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.search.beam import BeamSearch


class GridBeamSearch(BeamSearch):
    """One search over one batch, with `options.beam` places in every bank; use once."""

    def _is_among_best(self, sentences_RK: Tensor, scores_RK: Tensor) -> Tensor:
        """(R, K): whether a continuation is one of the best k of its row."""
        return (scores_RK > -torch.inf).cumsum(1) <= self._options.beam

    def _places(self, waiting_BC: Tensor) -> Tensor:
        """(B, C + 1): the whole beam for each bank, and what one cannot fill stays empty."""
        return torch.minimum(waiting_BC, self._beam_left()[:, None])
