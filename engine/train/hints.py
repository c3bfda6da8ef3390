"""Hints: phrases of the target, appended to some of the sources, from which the model learns to expect pins.

After Chen et al. 2020 (Lexical-Constraint-Aware Neural Machine Translation via Data Augmentation): the source is
followed by a separator and a phrase of the reference, several times. The phrases stand in random order, because the
phrases of a request have no order either, and most sources with hints have few.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.text import HINT_PIECE, Vocabulary
from engine.text.tokens import JOINER

PHRASE_COUNTS = (0.45, 0.25, 0.2, 0.1)  # probability of 1, 2, 3 and 4 phrases
PHRASE_WORDS = (0.5, 0.2, 0.15, 0.15)  # probability of 1, 2, 3 and 4 words in a phrase
EDGE_MARKS_RATE = 0.2  # share of the phrases that keep the punctuation at their edges
RARE_RATE = 0.5  # share of the phrases that are the rarest of several: a word that the model expects teaches nothing
CANDIDATES = 3

Ids = npt.NDArray[Any]


class HintSampler:
    """Draws hints for the share `rate` of the sources, to be appended to them behind their end.

    A phrase is one to four words between spaces, usually without punctuation at its edges, in the pieces that a request
    with this phrase has: `￭.` becomes `.` at the start. The phrases of a source do not overlap and have at most half of
    the target's words (one, if it has a single word). Half of them are the rarest of three by the mean surprisal of
    their words; `counts_V` are the occurrences of each piece in the data.
    """

    def __init__(self, vocabulary: Vocabulary, rate: float, counts_V: Ids) -> None:
        self._rate = rate
        self._surprisal_V = -np.log((counts_V + 1) / (counts_V.sum() + len(counts_V)))
        self._separator = vocabulary.id_of(HINT_PIECE)
        self._glues_left, self._glues_right = np.array(vocabulary.glues_left), np.array(vocabulary.glues_right)
        surfaces = vocabulary.surfaces
        self._is_mark = np.array([not any(char.isalnum() for char in surface) for surface in surfaces])
        self._first = _without_joiner(vocabulary, str.removeprefix)
        self._last = _without_joiner(vocabulary, str.removesuffix)

    def draw(self, targets: Sequence[Ids], rng: np.random.Generator) -> list[list[int]]:
        """For each target, the pieces to append to its source, including separators; often none."""
        has_hints = rng.random(len(targets)) < self._rate
        return [
            self._hints(np.asarray(target, dtype=np.int64), rng) if is_chosen else []
            for target, is_chosen in zip(targets, has_hints, strict=True)
        ]

    def _hints(self, target_T: Ids, rng: np.random.Generator) -> list[int]:
        after_space = np.flatnonzero(~(self._glues_right[target_T[:-1]] | self._glues_left[target_T[1:]])) + 1
        bounds = [0, *after_space.tolist(), len(target_T)]  # of the words
        surprisal = np.concatenate([[0.0], np.cumsum(self._surprisal_V[target_T])])[bounds]  # up to each word
        num_words = len(bounds) - 1
        room = (num_words + 1) // 2
        is_taken = np.zeros(num_words, dtype=bool)
        hints: list[int] = []
        for _ in range(1 + rng.choice(len(PHRASE_COUNTS), p=PHRASE_COUNTS)):
            length = min(1 + int(rng.choice(len(PHRASE_WORDS), p=PHRASE_WORDS)), room)
            keeps_marks = rng.random() < EDGE_MARKS_RATE
            firsts = rng.integers(num_words - length + 1, size=CANDIDATES)
            is_rarest = rng.random() < RARE_RATE
            first = int(firsts[np.argmax(surprisal[firsts + length] - surprisal[firsts])] if is_rarest else firsts[0])
            if not length or is_taken[first : first + length].any():
                continue
            is_taken[first : first + length] = True
            room -= length
            phrase = self._alone(target_T[bounds[first] : bounds[first + length]], keeps_marks)
            if phrase:
                hints += [self._separator, *phrase]
        return hints

    def _alone(self, pieces: Ids, keeps_marks: bool) -> list[int]:
        """The pieces as they spell a text of its own; empty for punctuation alone that is not to be kept."""
        if not keeps_marks:
            words = np.flatnonzero(~self._is_mark[pieces])
            if not len(words):
                return []
            pieces = pieces[words[0] : words[-1] + 1]
        alone: list[int] = pieces.tolist()
        alone[0] = int(self._first[alone[0]])
        alone[-1] = int(self._last[alone[-1]])
        return alone


def _without_joiner(vocabulary: Vocabulary, strip: Callable[[str, str], str]) -> Ids:
    """By id, the same mark without the joiner that `strip` removes."""
    stripped = (strip(piece, JOINER) for piece in vocabulary.pieces)
    return np.array([vocabulary.id_of(piece) if piece in vocabulary else i for i, piece in enumerate(stripped)])
