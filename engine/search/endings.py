"""Late phrases: sentences that a hypothesis begins, beyond as many as the source has, while phrases are missing.

A row has three counts: sentences begun after the first, how the text ends (`ENDED` with sentence-final punctuation,
`NUMBERED` with a digit, `OPEN` with punctuation that the next piece is glued to), and late beginnings. The last one
never falls as a row grows. A full stop right after a digit ends no sentence, as in "4. Juli", nor one inside a name
such as "node.js".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.search.arrays import Bools, Ints
from engine.search.phrases import PieceTexts
from engine.text import SENTENCE_CLOSERS, SENTENCE_ENDS, is_word_char

ENDED, NUMBERED, OPEN = 1, 2, 3
_BEGINNING = re.compile(
    rf"(?!(?<=\d)\.)[{re.escape(''.join(sorted(SENTENCE_ENDS)))}][{re.escape(''.join(sorted(SENTENCE_CLOSERS)))}]*\s+\W*(?=\w)"
)
_ORDINAL = re.compile(r"\d\.$")


def num_sentences(text: str) -> int:
    """The estimated number of sentences of a text, at least 1; an abbreviation may count as an end."""
    return 1 + len(_BEGINNING.findall(text))


class SentenceEndings:
    """Masks of the pieces of a vocabulary that end a sentence, begin a word, or contain letters of words."""

    def __init__(self, texts: PieceTexts) -> None:
        surfaces = [surface.strip() for surface in texts.surfaces]
        closers = "".join(SENTENCE_CLOSERS)
        ends = [surface.rstrip(closers) for surface in surfaces]
        self._ends_V = np.array([end[-1:] in SENTENCE_ENDS and not _ORDINAL.search(end) for end in ends])
        self._stops_V = np.array([end == "." for end in ends]) & np.array(texts.glues_left, dtype=np.bool_)
        self._glues_left_V = np.array(texts.glues_left, dtype=np.bool_)
        self._glues_right_V = np.array(texts.glues_right, dtype=np.bool_)
        self._numbers_V = np.array([surface[-1:].isdecimal() for surface in surfaces])
        self._has_word_V = np.array([any(map(is_word_char, surface)) for surface in surfaces])
        self._begins_V = self._has_word_V & ~np.array(texts.glues_left, dtype=np.bool_)

    @property
    def traits(self) -> npt.NDArray[np.uint8]:
        """(V,): the masks as bits, in the order of `engine/compiled/search/vocabulary.h`."""
        masks = (
            self._ends_V,
            self._stops_V,
            self._glues_left_V,
            self._glues_right_V,
            self._numbers_V,
            self._has_word_V,
            self._begins_V,
        )
        return np.packbits(np.stack(masks, 1), axis=1, bitorder="little")[:, 0]

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
        begun_N, end_N, late_N = endings_N3.T
        begins_N = (end_N == ENDED) & self._begins_V[tokens_N]
        is_late_N = begins_N & is_lacking_N & (begun_N + 1 >= max_sentences_N)
        is_word_N = self._has_word_V[tokens_N]
        ends_N = self._ends_V[tokens_N] & ~((end_N == NUMBERED) & self._stops_V[tokens_N])
        is_glued_N = self._glues_left_V[tokens_N] | (
            end_N != ENDED
        )  # otherwise, for example, an opening quotation mark
        is_ended_N = ends_N | ((end_N == ENDED) | (end_N == OPEN)) & ~is_word_N
        end_after_N = np.where(is_ended_N, ENDED, np.where(self._numbers_V[tokens_N], NUMBERED, 0))
        end_after_N = np.where(is_ended_N & is_glued_N & self._glues_right_V[tokens_N], OPEN, end_after_N)
        return np.stack([begun_N + begins_N, end_after_N, late_N + is_late_N], 1).astype(np.int64)
