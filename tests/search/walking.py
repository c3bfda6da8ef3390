"""What the tracker makes of a sequence of pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.search.phrases import PieceTexts, SentenceConstraints, TrackedPhrase
from engine.search.tracker import ConstraintTracker
from tests.reference.toy import END


@dataclass(frozen=True, slots=True)
class Walked:
    """Occurrences met for certain by phrase, and what the tracker tells of how to go on."""

    met: list[int]
    may_end: bool
    missing: int
    closes: bool
    forced: set[int]


def walk(texts: PieceTexts, phrases: Sequence[TrackedPhrase], pieces: Sequence[int]) -> Walked:
    """What a sentence with these phrases has come to after `pieces`."""
    return walk_on(ConstraintTracker([SentenceConstraints(tuple(phrases))], texts), 0, pieces)


def walk_on(tracker: ConstraintTracker, number: int, pieces: Sequence[int]) -> Walked:
    """The same for the sentence of that number."""
    sentences, nodes = np.array([number]), tracker.start_B[[number]]
    met = np.zeros((1, tracker.num_phrases), dtype=np.int64)
    for piece in pieces if tracker.is_needed else ():
        nodes, completed = tracker.follow(nodes, np.array([piece]))
        met = met + completed
    remaining = tracker.remaining_cost(sentences, nodes, met)
    return Walked(
        met[0].tolist(),
        bool(remaining.may_end_N[0]),
        int(remaining.missing_N[0]),
        bool(remaining.closes_N[0]),
        set(tracker.forced(sentences, nodes, remaining, END)[0].tolist()) - {-1},
    )
