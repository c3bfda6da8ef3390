"""Finished hypotheses of one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.search.arrays import Bools, Floats, Ints
from engine.search_options import SearchOptions


@dataclass(frozen=True, slots=True)
class SearchHypothesis:
    """One sequence in the result of a search. `is_satisfying`: it wrote the end token and meets every phrase.

    `score` is the score that the options select; `stopping.Scoring` computes it. `penalty` is the cost of leaving a
    previous text, in nats; `total` is `log_prob` minus all penalties, and `ranking_score` its score, by which
    hypotheses compete. `reverse_score` is the score of the source given this text, if it was computed after the search.
    """

    tokens: tuple[int, ...]
    token_log_probs: tuple[float, ...]
    log_prob: float
    score: float
    penalty: float
    total: float
    ranking_score: float
    num_missing: int = 0
    is_satisfying: bool = True
    reverse_score: float | None = None


class FinishedPool:
    """The finished hypotheses of one sentence: the best-scoring one for each distinct text."""

    def __init__(self, options: SearchOptions, text_of: Callable[[Sequence[int]], str]) -> None:
        self._options = options
        self._text_of = text_of
        self._best_by_text: dict[str, SearchHypothesis] = {}
        self.num_finished = 0
        self.best_total = float("-inf")
        self.latest_top: SearchHypothesis | None = None  # the likeliest of the last step in which any finished

    @property
    def num_texts(self) -> int:
        return len(self._best_by_text)

    @property
    def pruning_total(self) -> float:
        """The best finished total; minus infinity while pruning by it could shorten the n-best list."""
        options = self._options
        is_full = self.num_texts >= min(options.nbest, options.beam)
        return self.best_total if is_full or options.pruning == "first_finished" else float("-inf")

    def add(self, found: SearchHypothesis) -> None:
        """Add a hypothesis. Lengths must not fall from one call to the next."""
        self.num_finished += 1
        top = self.latest_top
        if top is None or len(found.tokens) > len(top.tokens) or found.total > top.total:
            self.latest_top = found
        self.best_total = max(self.best_total, found.total)
        text = self._text_of(found.tokens)
        held = self._best_by_text.get(text)
        if held is None or found.ranking_score > held.ranking_score:
            self._best_by_text[text] = found

    def best(self) -> list[SearchHypothesis]:
        """The n-best list: distinct texts, highest score first.

        OpenNMT's rule puts the likeliest hypothesis of the last step first, before all that finished earlier.
        """
        by_text, top = self._best_by_text, self.latest_top
        if self._options.stopping == "opennmt" and top is not None:
            others = {text: found for text, found in by_text.items() if text != self._text_of(top.tokens)}
            return [top, *_ranked(others)][: self._options.nbest]
        return _ranked(by_text)[: self._options.nbest]


class KeptPlaces:
    """Finished hypotheses that keep competing for their places in the beam, as in the DBA paper (`finished="keep"`).

    Parallel arrays: the tracker's number of the sentence, and the log-probability. Empty with `finished="leave"`.
    """

    def __init__(self) -> None:
        self.sentences: Ints = np.zeros(0, dtype=np.int64)
        self.scores: Floats = np.zeros(0)

    def __len__(self) -> int:
        return len(self.sentences)

    def add(self, sentences: Ints, scores: Floats) -> None:
        self.sentences = np.concatenate([self.sentences, sentences])
        self.scores = np.concatenate([self.scores, scores])

    def keep(self, is_kept: Bools) -> None:
        self.sentences, self.scores = self.sentences[is_kept], self.scores[is_kept]


def _ranked(by_text: Mapping[str, SearchHypothesis]) -> list[SearchHypothesis]:
    return sorted(by_text.values(), key=lambda found: -found.ranking_score)
