"""Grid beam search (Hokamp & Liu 2017), the baseline of dynamic beam allocation: a whole beam for each bank.

A sentence with C constraint tokens has up to beam * (C + 1) rows, and time grows with C. Everything but the choice of
rows is that of `BeamSearch`: the same phrases, masks, finishing and stopping rules. In the paper a hypothesis inside a
phrase can only go on with it; here it may leave it, as everywhere in this search.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.search.arrays import Ints
from engine.search.beam import BeamSearch
from engine.search.candidates import Limits

_ALL = 2**40  # more than any sentence has candidates


class GridBeamSearch(BeamSearch):
    """Sentences that go forward together, with `options.beam` places in every bank."""

    def _limits(self, vocabulary_size: int) -> Limits:
        """Every row's k best are candidates, so that each bank can be filled with its best."""
        limits = super()._limits(vocabulary_size)
        self._beam_B = limits.beam_B
        return replace(limits, beam_B=np.full_like(limits.beam_B, _ALL))

    def _places(self, waiting_BC: Ints, limits: Limits) -> Ints:
        """(B, C + 1): the whole beam for each bank, and what one cannot fill stays empty."""
        return np.minimum(waiting_BC, self._beam_B[:, None])
