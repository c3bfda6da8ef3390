"""Repetition: places at which a hypothesis writes a run of pieces that it has written before.

A run has `RUN` pieces; runs may overlap. The number of repeats never falls as a row grows, so scores with a penalty for
each stay bounded like log-probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.search.arrays import Bools, Ints

RUN = 3  # pieces


def num_repeats(pieces: Sequence[int]) -> int:
    """The number of runs of these pieces that are repetitions of earlier runs.

    >>> num_repeats([1, 2, 3, 1, 2, 3]), num_repeats([1, 2, 3, 1, 2])
    (1, 0)
    """
    runs = [tuple(pieces[end - RUN : end]) for end in range(RUN, len(pieces) + 1)]
    return len(runs) - len(set(runs))


def repeating(tokens_RT: Ints) -> Ints:
    """(R, M): the pieces with which each row would write a run again, -1 as padding; a piece may occur twice."""
    num_rows, num_columns = tokens_RT.shape
    num_earlier = num_columns - RUN + 1
    if num_earlier <= 0:
        return np.zeros((num_rows, 0), dtype=np.int64)
    is_same_RT = np.ones((num_rows, num_earlier), dtype=np.bool_)
    for place in range(RUN - 1):
        last_R1 = tokens_RT[:, [num_columns - RUN + 1 + place]]
        is_same_RT &= tokens_RT[:, place : place + num_earlier] == last_R1
    pieces_RT = np.where(is_same_RT, tokens_RT[:, RUN - 1 :], -1)
    width = int(is_same_RT.sum(1).max(initial=0))
    return -np.sort(-pieces_RT, axis=1)[:, :width]


def is_among(pieces_RM: Ints, rows_N: Ints, tokens_N: Ints) -> Bools:
    """(N,): whether each token is among the pieces of its row."""
    is_one_N: Bools = (pieces_RM[rows_N] == tokens_N[:, None]).any(1)
    return is_one_N
