"""Ratios, shares and BLEU with 95 % bootstrap intervals over segments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sacrebleu

NUM_RESAMPLES = 1000


def ratio(ours: Sequence[float], base: Sequence[float], seed: int) -> list[float] | None:
    """[ratio of the sums, lower end, upper end], resampling segments; None if the base is 0.

    >>> ratio([1, 2], [2, 4], seed=1)
    [0.5, 0.5, 0.5]
    """
    a, b = np.asarray(ours, dtype=float), np.asarray(base, dtype=float)
    if not b.sum():
        return None
    rows = np.random.default_rng(seed).integers(0, len(a), (NUM_RESAMPLES, len(a)))
    tops, bottoms = a[rows].sum(axis=1), b[rows].sum(axis=1)
    ratios = tops[bottoms > 0] / bottoms[bottoms > 0]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return [round(float(figure), 4) for figure in (a.sum() / b.sum(), low, high)]


def share(values: Sequence[bool], seed: int) -> list[float] | None:
    """The share of true values with its interval."""
    return ratio([float(value) for value in values], [1.0] * len(values), seed)


def bleu(texts: Sequence[str], goals: Sequence[str]) -> float:
    return round(sacrebleu.corpus_bleu(list(texts), [list(goals)]).score, 2)


def bleu_gain(texts: Sequence[str], others: Sequence[str], goals: Sequence[str], seed: int) -> list[float]:
    """[BLEU of the texts less that of the others, lower end, upper end], by paired bootstrap."""
    sides = [np.asarray(list(map(_counts, side, goals))) for side in (texts, others)]
    rows = np.random.default_rng(seed).integers(0, len(goals), (NUM_RESAMPLES, len(goals)))
    gains = [_score(sides[0][row].sum(axis=0)) - _score(sides[1][row].sum(axis=0)) for row in rows]
    low, high = np.quantile(gains, [0.025, 0.975])
    gain = _score(sides[0].sum(axis=0)) - _score(sides[1].sum(axis=0))
    return [round(float(figure), 2) for figure in (gain, low, high)]


def _counts(text: str, goal: str) -> list[int]:
    """Matches and n-grams of each order, and both lengths, which add up over segments."""
    score = sacrebleu.corpus_bleu([text], [[goal]])
    return [*score.counts, *score.totals, score.sys_len, score.ref_len]


def _score(sums: np.ndarray) -> float:
    correct, total = [int(n) for n in sums[:4]], [int(n) for n in sums[4:8]]
    score = sacrebleu.BLEU.compute_bleu(correct, total, int(sums[8]), int(sums[9]), smooth_method="exp")
    return float(score.score)
