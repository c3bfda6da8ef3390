"""The best continuations of each sentence over all its rows, found without sorting the tokens of any row.

Each row is cut into blocks of tokens. The k-th largest of the blocks' maxima is a bound that at least k continuations
reach, so the best k are all in blocks whose maximum reaches it. Those blocks are few.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
from torch import Tensor

from engine.search.arrays import Bools, Floats, Ints
from engine.search.banks import rank_within

_BLOCK = 128  # tokens; 8,000 make 62 blocks and a rest
_LEAST = float(np.finfo(np.float64).min)  # above -inf, which no continuation has


def leaders(log_probs_RV: Tensor, before_R: Floats, sentences_R: Ints, beam_B: Ints) -> tuple[Ints, Bools]:
    """Keys row * V + token, ascending: the best `beam_B` of each sentence and the best one of each row.

    Also (R,) the failed rows: those with a NaN. Their keys, and those of the other rows of their sentences, are
    meaningless. `log_probs_RV` is on the CPU; `before_R` is the log-probability of each row, so that
    continuations of different rows compare. Tokens with -inf are not continuations.
    """
    values_RV: npt.NDArray[np.float32] = log_probs_RV.numpy()
    num_rows, size = values_RV.shape
    rows_R = np.arange(num_rows)
    best_R = values_RV.argmax(1)  # not-a-number is the largest
    best_values_R = values_RV[rows_R, best_R]
    is_failed_R = np.isnan(best_values_R) | np.isnan(before_R)

    num_blocks = size // _BLOCK
    rest = num_blocks * _BLOCK
    largest_RX = log_probs_RV.unfold(1, _BLOCK, _BLOCK).amax(2).numpy() if num_blocks else values_RV[:, :0]
    sums_RX = before_R[:, None] + largest_RX
    bounds_R = _bounds(sums_RX, sentences_R, beam_B)
    rows_X, blocks_X = (sums_RX >= bounds_R[:, None]).nonzero()
    values_XT = values_RV[:, :rest].reshape(num_rows, num_blocks, _BLOCK)[rows_X, blocks_X]
    places, columns = (before_R[rows_X, None] + values_XT >= bounds_R[rows_X, None]).nonzero()
    keys_N = rows_X[places] * size + blocks_X[places] * _BLOCK + columns
    if rest < size:
        more_rows, more_columns = (before_R[:, None] + values_RV[:, rest:] >= bounds_R[:, None]).nonzero()
        keys_N = np.sort(np.concatenate([keys_N, more_rows * size + rest + more_columns]))

    rows_N = keys_N // size
    sentences_N, sums_N = sentences_R[rows_N], before_R[rows_N] + values_RV.ravel()[keys_N]
    is_among_best_N = rank_within(sentences_N, sums_N) < beam_B[sentences_N]
    own = (rows_R * size + best_R)[best_values_R > -np.inf]
    return np.unique(np.concatenate([keys_N[is_among_best_N], own])), is_failed_R


def _bounds(sums_RX: Floats, sentences_R: Ints, beam_B: Ints) -> Floats:
    """(R,): a bound that at least `beam_B` continuations of a row's sentence reach; the lowest float if unknown."""
    bounds_R = np.full(len(sums_RX), _LEAST)
    edges = [0, len(sentences_R)]
    if sentences_R[0] != sentences_R[-1]:
        edges[1:1] = (np.flatnonzero(np.diff(sentences_R)) + 1).tolist()
    for first, last in pairwise(edges):
        sums = sums_RX[first:last].ravel()
        place = len(sums) - int(beam_B[sentences_R[first]])
        if 0 <= place < len(sums):
            bounds_R[first:last] = max(_LEAST, np.partition(sums, place)[place])
    return bounds_R
