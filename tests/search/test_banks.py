"""The shares of the banks against their definition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.search.banks import allocate, rank_within
from tests.reference.search import slow_allocate, slow_spread


@pytest.mark.parametrize(
    ("waiting", "beam", "places", "why"),
    [
        ([9], 5, [5], "no constraints: the whole beam"),
        ([9, 9], 5, [2, 3], "floor(5 / 2) each, the remainder to the top"),
        ([9, 9, 9], 10, [3, 3, 4], "floor(10 / 3) each, the remainder to the top"),
        ([3, 5, 0, 0, 0], 5, [1, 4, 0, 0, 0], "as in figure 3: empty banks give to the nearest with candidates"),
        ([9, 9, 9, 9], 3, [0, 0, 0, 3], "more banks than places: the top has them all"),
        ([9, 0, 0, 0], 3, [3, 0, 0, 0], "unless nothing waits there"),
        ([9, 0, 9], 4, [1, 0, 3], "equally near: the higher bank first"),
        ([1, 1, 1], 9, [1, 1, 1], "fewer candidates than places: all of them"),
        ([0, 0, 0], 4, [0, 0, 0], "no candidates"),
    ],
)
def test_places_follow_the_allocation_rule(waiting, beam, places, why):
    given = allocate(np.array([waiting]), np.array([len(waiting) - 1]), beam)
    assert given.tolist() == [places], why
    assert slow_allocate(waiting, beam) == places, why


def test_allocation_agrees_with_its_definition_for_sentences_of_any_number_of_banks():
    rng = random.Random(4)
    for _ in range(2000):
        beam = rng.randint(1, 12)
        tops = [rng.randint(0, 8) for _ in range(rng.randint(1, 4))]
        waiting = [[rng.choice([0, 0, 1, 2, 5, 9]) for _ in range(top + 1)] for top in tops]
        padded = np.array([counts + [0] * (max(tops) + 1 - len(counts)) for counts in waiting])
        given = allocate(padded, np.array(tops), beam)
        for row, counts in zip(given.tolist(), waiting, strict=True):
            assert row[: len(counts)] == slow_allocate(counts, beam)
            assert sum(row) == min(beam, sum(counts)), "never a free place while candidates wait"
            assert all(got <= count for got, count in zip(row, counts, strict=False))


@pytest.mark.parametrize(
    ("waiting", "beam", "places", "why"),
    [
        ([9, 9, 9, 9], 3, [1, 0, 1, 1], "evenly spaced, the lowest and the topmost among them"),
        ([9, 9, 9, 9, 9], 3, [1, 0, 1, 0, 1], "every other one"),
        ([9, 0, 9, 0, 9, 0], 3, [1, 0, 1, 0, 1, 0], "over the banks in which something waits"),
        ([9, 1, 0, 0, 0, 0], 5, [4, 1, 0, 0, 0, 0], "what one bank lacks goes to the others"),
        ([9, 9, 9], 1, [0, 0, 1], "one place is the topmost's"),
        ([9, 9, 9], 2, [1, 0, 1], "two are the lowest's and the topmost's"),
        ([9, 9, 9], 4, [1, 1, 2], "enough places for all banks: the shares of the rule"),
        ([0, 1, 0, 0], 3, [0, 1, 0, 0], "fewer candidates than places"),
        ([0, 0, 0, 0], 3, [0, 0, 0, 0], "no candidates"),
    ],
)
def test_places_can_be_spread_where_there_are_more_banks(waiting, beam, places, why):
    given = allocate(np.array([waiting]), np.array([len(waiting) - 1]), beam, np.array([True]))
    assert given.tolist() == [places], why


def test_spreading_agrees_with_its_definition_for_sentences_of_any_number_of_banks():
    rng = random.Random(6)
    for _ in range(1000):
        tops = [rng.randint(0, 9) for _ in range(rng.randint(1, 4))]
        beams = [rng.randint(1, 9) for _ in tops]
        spreads = [rng.random() < 0.7 for _ in tops]
        waiting = [[rng.choice([0, 0, 1, 2, 5, 9]) for _ in range(top + 1)] for top in tops]
        padded = np.array([counts + [0] * (max(tops) + 1 - len(counts)) for counts in waiting])
        given = allocate(padded, np.array(tops), np.array(beams), np.array(spreads))
        for row, counts, beam, is_spread in zip(given.tolist(), waiting, beams, spreads, strict=True):
            share = slow_spread if is_spread and beam < len(counts) else slow_allocate
            assert row[: len(counts)] == share(counts, beam)
            assert sum(row) == min(beam, sum(counts))


def test_rank_within_counts_better_items_of_the_same_group():
    rng = random.Random(5)
    for _ in range(200):
        groups = [rng.randrange(4) for _ in range(rng.randint(1, 20))]
        scores = [float(rng.randrange(6)) for _ in groups]
        ranks = rank_within(np.array(groups), np.array(scores)).tolist()
        for i, (group, score) in enumerate(zip(groups, scores, strict=True)):
            better = sum(
                groups[j] == group and (scores[j] > score or (scores[j] == score and j < i)) for j in range(len(groups))
            )
            assert ranks[i] == better
