"""The search that lets the model read a prefix step by step, a row and a piece at a time, as it writes what follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine import Translator
from engine.search.batching import SearchStream
from engine.search.beam import BeamSearch
from engine.search.rows import BeamRows, ForcedPrefix


class StepwiseSearch(BeamSearch):
    """Every sentence starts from nothing."""

    def _begin(self, numbers: Sequence[int]) -> BeamRows:
        nothing = np.zeros(self._tracker.num_phrases, dtype=np.int64)
        beginnings = [ForcedPrefix((), int(self._tracker.start_B[number]), nothing) for number in numbers]
        return BeamRows.start(np.array(numbers), beginnings, [()] * len(numbers), self._vocabulary.roles.begin)


class StepwiseTranslator(Translator):
    """A translator that searches so, and remembers nothing of the prefixes before."""

    def whole_loop(self, *arguments: Any, **settings: Any) -> Any:
        loop = super().whole_loop(*arguments, **settings)
        given, opened = loop._search, self.pipeline.decoder
        loop._search = SearchStream(
            opened, self._vocabulary, given.batch_size, given._schedule, given._refill_share, StepwiseSearch
        )
        return loop
