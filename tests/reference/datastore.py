"""Nearest-neighbour interpolation piece by piece, in plain numbers (Khandelwal et al. 2021, section 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine import DatastoreOptions


def mixed_log_probs(
    state: Sequence[float],
    log_probs: Sequence[float],
    stored: Sequence[tuple[Sequence[float], int]],
    options: DatastoreOptions,
) -> list[float]:
    """The log-probability of each next piece; `stored` are the states of a datastore with the pieces after them."""
    distances = sorted((_distance(state, other), piece) for other, piece in stored)[: options.num_neighbours]
    weights = [math.exp(-distance / options.temperature) for distance, _ in distances]
    share = options.share / (1 + math.exp((distances[0][0] - options.reach) / options.fall))
    if share < 0.01:
        return list(log_probs)
    mixed = []
    for piece, log_prob in enumerate(log_probs):
        of_piece = sum(w for w, (_, other) in zip(weights, distances, strict=True) if other == piece) / sum(weights)
        mixed.append(math.log(share * of_piece + (1 - share) * math.exp(log_prob)))
    return mixed


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    """The squared distance of the two directions."""
    lengths = [math.sqrt(sum(x * x for x in state)) for state in (one, other)]
    return sum((x / lengths[0] - y / lengths[1]) ** 2 for x, y in zip(one, other, strict=True))
