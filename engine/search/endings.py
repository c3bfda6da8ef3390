"""Late phrases: sentences that a hypothesis begins, beyond as many as the source has, while phrases are missing.

A row has three counts: sentences begun after the first, whether the text ends with sentence-final punctuation, and late
beginnings. The last one never falls as a row grows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from engine.search.arrays import Bools, Ints
from engine.search.phrases import PieceTexts
from engine.text import SENTENCE_CLOSERS, SENTENCE_ENDS, is_word_char

_BEGINNING = re.compile(
    rf"[{re.escape(''.join(sorted(SENTENCE_ENDS)))}][{re.escape(''.join(sorted(SENTENCE_CLOSERS)))}]*\s+\W*(?=\w)"
)


def num_sentences(text: str) -> int:
    """How many sentences a text seems to have, at least 1; an abbreviation may count as an end."""
    return 1 + len(_BEGINNING.findall(text))


class SentenceEndings:
    """Which pieces of a vocabulary end a sentence, begin a word, or write words at all."""

    def __init__(self, texts: PieceTexts) -> None:
        surfaces = [surface.strip() for surface in texts.surfaces]
        closers = "".join(SENTENCE_CLOSERS)
        self._ends_V = np.array([surface.rstrip(closers)[-1:] in SENTENCE_ENDS for surface in surfaces])
        self._has_word_V = np.array([any(map(is_word_char, surface)) for surface in surfaces])
        self._begins_V = self._has_word_V & ~np.array(texts.glues_left, dtype=np.bool_)

    def behind(self, pieces_R: Sequence[Sequence[int]]) -> Ints:
        """(R, 3): the counts of rows that must begin with these pieces."""
        endings_R3 = np.zeros((len(pieces_R), 3), dtype=np.int64)
        one, no = np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.bool_)
        for row, pieces in enumerate(pieces_R):
            for piece in pieces:
                endings_R3[[row]] = self.after(endings_R3[[row]], piece * one, one, no)
        return endings_R3

    def after(self, endings_N3: Ints, tokens_N: Ints, max_sentences_N: Ints, is_lacking_N: Bools) -> Ints:
        """(N, 3): the counts after one more piece each; `is_lacking_N`: phrases were missing before it."""
        begun_N, is_ended_N, late_N = endings_N3.T
        begins_N = (is_ended_N > 0) & self._begins_V[tokens_N]
        is_late_N = begins_N & is_lacking_N & (begun_N + 1 >= max_sentences_N)
        stays_N = (is_ended_N > 0) & ~self._has_word_V[tokens_N]
        return np.stack([begun_N + begins_N, self._ends_V[tokens_N] | stays_N, late_N + is_late_N], 1).astype(np.int64)
