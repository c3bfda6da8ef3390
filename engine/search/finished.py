"""Finished hypotheses of one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.request import SearchOptions


@dataclass(frozen=True, slots=True)
class SearchHypothesis:
    """One sequence that the search ended with. `is_satisfying`: it ended by itself and meets every phrase.

    `score` is what the options ask for; `stopping.Scoring` computes it.
    """

    tokens: tuple[int, ...]
    token_log_probs: tuple[float, ...]
    log_prob: float
    score: float
    num_missing: int = 0
    is_satisfying: bool = True


class FinishedPool:
    """The finished hypotheses of one sentence, of each text the best."""

    def __init__(self, options: SearchOptions, text_of: Callable[[Sequence[int]], str]) -> None:
        self._options = options
        self._text_of = text_of
        self._best_by_text: dict[str, SearchHypothesis] = {}
        self.num_finished = 0
        self.best_log_prob = float("-inf")
        self.latest_top: SearchHypothesis | None = None  # the likeliest of those that finished in the latest such step

    @property
    def num_texts(self) -> int:
        return len(self._best_by_text)

    @property
    def pruning_log_prob(self) -> float:
        """The best log-probability that has finished; as long as the list must not be cut short, minus infinity."""
        options = self._options
        is_full = self.num_texts >= min(options.nbest, options.beam)
        return self.best_log_prob if is_full or options.pruning == "first_finished" else float("-inf")

    def add(self, found: SearchHypothesis) -> None:
        """Take in a hypothesis, never a shorter one than before."""
        self.num_finished += 1
        top = self.latest_top
        if top is None or len(found.tokens) > len(top.tokens) or found.log_prob > top.log_prob:
            self.latest_top = found
        self.best_log_prob = max(self.best_log_prob, found.log_prob)
        text = self._text_of(found.tokens)
        held = self._best_by_text.get(text)
        if held is None or found.score > held.score:
            self._best_by_text[text] = found

    def best(self) -> list[SearchHypothesis]:
        """The n-best list: distinct texts by falling score.

        OpenNMT's rule answers with the likeliest of those that finished last, whatever finished before: it is first
        then.
        """
        by_text, top = self._best_by_text, self.latest_top
        if self._options.stopping == "opennmt" and top is not None:
            others = {text: found for text, found in by_text.items() if text != self._text_of(top.tokens)}
            return [top, *_ranked(others)][: self._options.nbest]
        return _ranked(by_text)[: self._options.nbest]


def _ranked(by_text: Mapping[str, SearchHypothesis]) -> list[SearchHypothesis]:
    return sorted(by_text.values(), key=lambda found: -found.score)
