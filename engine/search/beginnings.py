"""What of a sentence's prefix leaves no choice: the pieces that the model may read in one pass instead of step by step.

A step in which a sentence's only row may take only one piece takes it, whatever the model says, as long as everything
can still be met in time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.search.arrays import Ints
from engine.search.tracker import ConstraintTracker


class Beginning(NamedTuple):
    """Pieces with which a sentence must begin, the tracker's node behind them, and (P,) occurrences met by them."""

    pieces: tuple[int, ...]
    node: int
    met_P: Ints


def beginning_of(tracker: ConstraintTracker, sentence: int, max_length: int, never: tuple[int, ...]) -> Beginning:
    """Of the tracker's sentence of this number; it ends before the first piece that may not follow in time.

    That one is left to the search, which then tells why nothing more does. `never` are pieces that nothing contains.
    """
    start = int(tracker.start_B[sentence])
    pieces: list[int] = []
    nodes, met = [start], [np.zeros(tracker.num_phrases, dtype=np.int64)]
    while tracker.in_prefix(np.array(nodes[-1:]))[0]:
        allowed = tracker.prefix_pieces(nodes[-1])
        if len(allowed) != 1 or allowed[0] in never:
            break
        following, completed = tracker.follow(np.array(nodes[-1:]), np.array(allowed))
        if tracker.is_dead(following)[0]:
            break
        pieces += allowed
        nodes.append(int(following[0]))
        met.append(met[-1] + completed[0])
    if not pieces:
        return Beginning((), start, met[0])
    nodes_T = np.array(nodes[1:])
    outlook = tracker.outlook(np.full(len(pieces), sentence), nodes_T, np.stack(met[1:]))
    needed_T = np.maximum(outlook.needed_N, ~outlook.may_end_N)  # as in `candidates`, where avoided texts are
    is_in_time_T = needed_T + 1 < max_length - np.arange(len(pieces))
    num_read = len(pieces) if is_in_time_T.all() else int(is_in_time_T.argmin())
    return Beginning(tuple(pieces[:num_read]), nodes[num_read], met[num_read])
