"""Divides a given translation among the sentences of its source, by the lengths of its sentences.

After Gale and Church 1993, but every sentence of the source has a translation of one or more sentences: of the
alignments in order, the most probable one counts.
"""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int]
_VARIANCE = 6.8  # of the length of a translation, for each character of the source (Gale and Church)
_SEVERAL = 2.3  # -log of the share of sentences with two sentences as their translation, beside one with one
_LARGEST = 6  # sentences that translate one sentence
_MOST_EXTRA = 20  # sentences of a translation, beyond those of the source
_MOST = 500  # sentences; a text with more takes too long


def grouped(source_lengths: Sequence[int], targets: Sequence[Span], *, is_open: bool = False) -> list[Span] | None:
    """The spans of the translation of each source sentence; None if there are too few or too many.

    `targets` are the spans of the translation's sentences. If it is open, it is the beginning of a translation: the
    last span is that of a sentence in progress, of which any length is left, and later sources have no span.

    >>> grouped([18, 18], [(0, 3), (4, 16), (17, 35)])
    [(0, 16), (17, 35)]
    >>> grouped([18, 18, 40], [(0, 19), (20, 25)], is_open=True)
    [(0, 19), (20, 25)]
    """
    num_sources, num_targets = len(source_lengths), len(targets)
    extra = num_targets - 1 if is_open else num_targets - num_sources
    is_too_long = max(num_sources, num_targets) > _MOST
    if not targets or extra < 0 or is_too_long or (not is_open and extra > _MOST_EXTRA):
        return None
    if extra == 0 and not is_open:
        return list(targets)
    # costs[i, k]: of the best division of the first k targets among the first i sources, and its last group's size
    costs: dict[Span, tuple[float, int]] = {(0, 0): (0.0, 0)}
    for i in range(1, num_sources + 1 - is_open):
        for k in range(i, min(i + min(extra, _MOST_EXTRA), num_targets - is_open) + 1):
            ways = [
                (costs[i - 1, k - size][0] + _cost(source_lengths[i - 1], targets[k - size : k]), size)
                for size in range(1, _LARGEST + 1)
                if (i - 1, k - size) in costs
            ]
            if ways:
                costs[i, k] = min(ways)
    if is_open:
        ends = [
            (cost + _cost(source_lengths[i], targets[k:], is_open=True), i, k) for (i, k), (cost, _) in costs.items()
        ]
        _, i, k = min(ends)
        groups = [(targets[k][0], targets[-1][1])]
    elif (num_sources, num_targets) in costs:
        i, k, groups = num_sources, num_targets, []
    else:
        return None
    while i:
        size = costs[i, k][1]
        groups.append((targets[k - size][0], targets[k - 1][1]))
        i, k = i - 1, k - size
    return groups[::-1]


def _cost(source_length: int, group: Sequence[Span], *, is_open: bool = False) -> float:
    """How unlikely it is that these sentences translate one of this length, in nats; of an open one, by excess only."""
    difference = group[-1][1] - group[0][0] - source_length
    if is_open:
        difference = max(0, difference)
    return difference**2 / (2 * _VARIANCE * max(1, source_length)) + _SEVERAL * (len(group) - 1)
