"""Finished hypotheses of one sentence, and when there are enough of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.request import SearchOptions


@dataclass(frozen=True, slots=True)
class Found:
    """One sequence that the search ended with. `is_satisfying`: it ended by itself and meets every phrase."""

    tokens: tuple[int, ...]
    token_log_probs: tuple[float, ...]
    log_prob: float
    num_missing: int = 0
    is_satisfying: bool = True

    @property
    def score(self) -> float:
        """Log-probability per token, the end included."""
        return self.log_prob / max(1, len(self.tokens))


class FinishedPool:
    """The finished hypotheses of one sentence, of each text the best."""

    def __init__(self, options: SearchOptions, text_of: Callable[[Sequence[int]], str]) -> None:
        self._options = options
        self._text_of = text_of
        self._best_by_text: dict[str, Found] = {}
        self.num_finished = 0
        self.best_log_prob = float("-inf")

    def add(self, found: Found) -> None:
        self.num_finished += 1
        self.best_log_prob = max(self.best_log_prob, found.log_prob)
        text = self._text_of(found.tokens)
        held = self._best_by_text.get(text)
        if held is None or found.score > held.score:
            self._best_by_text[text] = found

    def best(self) -> list[Found]:
        """The n-best list: distinct texts by falling score."""
        ranked = sorted(self._best_by_text.values(), key=lambda found: -found.score)
        return ranked[: self._options.nbest]

    def is_enough(self, best_live_log_prob: float, max_length: int) -> bool:
        """Whether the sentence may stop, given its best live row and the longest that it can become.

        "optimal" (after Huang et al. 2017): log-probabilities only fall, so no live row can end with a score above its
        log_prob / max_length. It is a certificate only where pruning is off.
        """
        options = self._options
        if options.stopping == "first_finished":
            return self.num_finished > 0
        if options.stopping == "beam_finished":
            wanted = min(options.nbest, options.beam)
            return self.num_finished >= options.beam and len(self._best_by_text) >= wanted
        best = self.best()
        return len(best) == options.nbest and best[-1].score >= best_live_log_prob / max_length
