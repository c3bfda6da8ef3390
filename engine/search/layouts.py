"""Layouts of pieces: what a piece does to a matcher that has no match under way and in which it begins none.

Pieces of one layout lead such a matcher to the same state, so a search has to ask only once for all of them. Most
pieces of a translation are such pieces.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from engine.search.arrays import Ints
from engine.search.matching import AT_START, DIGIT, ENDED, INSIDE, NUMBER_JOINER, OTHER, WORD, Pattern, kind_of
from engine.search.matching import sentence_after as after_one
from engine.search.phrases import PieceTexts
from engine.text import has_bytes
from engine.text.boundaries import SENTENCE_CLOSERS, SENTENCE_ENDS, SENTENCE_OPENERS

NO_LAYOUT = -1  # of pieces that lead to a state of their own
_PLACES = (AT_START, INSIDE, ENDED)
# Characters that do not just lead into a sentence; few pieces have any, and the loops over their characters take long.
_MATTERS = re.compile(rf"[\s{re.escape(''.join(sorted(SENTENCE_ENDS | SENTENCE_CLOSERS | SENTENCE_OPENERS)))}]")


class Layouts:
    """The layouts of a vocabulary's pieces, by piece; odd numbers for those that glue to their left.

    A layout is where spaces may be, the kinds of the last characters, and what happens to the position in a sentence.
    None of this depends on the text before the piece, except in bytes and in single characters that join numbers, which
    have no layout.
    """

    def __init__(self, texts: PieceTexts) -> None:
        surfaces = texts.surfaces
        lengths_V = np.array([len(surface) for surface in surfaces])
        characters_C = np.frombuffer("".join(surfaces).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        self._pieces_C = np.arange(len(surfaces)).repeat(lengths_V)
        numbers = np.zeros(sys.maxunicode + 1, dtype=np.int32)  # of the characters that occur
        numbers[characters_C] = 1
        found = numbers.nonzero()[0]
        numbers[found] = np.arange(len(found))
        numbers_C = numbers[characters_C]
        self._of_lower: dict[str, list[int]] = {}  # characters by their lower case
        for character in found.tolist():
            self._of_lower.setdefault(chr(character).lower(), []).append(character)
        kinds_C = np.array([kind_of(chr(character)) for character in found], dtype=np.int64)[numbers_C]
        is_first_C = np.ones(len(characters_C), dtype=np.bool_)
        is_first_C[1:] = self._pieces_C[1:] != self._pieces_C[:-1]
        kinds_before_C = np.where(is_first_C, OTHER, np.roll(kinds_C, 1))
        self._may_begin_word_C = (kinds_before_C != WORD) & (kinds_before_C != DIGIT)
        is_short = len(found) <= 2**16  # 16-bit numbers are sorted ten times as fast
        order_C = (numbers_C.astype(np.uint16) if is_short else numbers_C).argsort(kind="stable")
        self._order_C, self._sorted_C = order_C, characters_C[order_C]
        last_V = lengths_V.cumsum() - 1
        has_text_V = lengths_V > 0
        kinds_V = np.where(has_text_V, kinds_C[last_V] if len(kinds_C) else 0, OTHER)
        before_last_V = np.where(kinds_V == NUMBER_JOINER, kinds_before_C[last_V] if len(kinds_C) else 0, OTHER)
        inside = _sentences_after("a")
        sentences_V = np.array([_sentences_after(s) if _MATTERS.search(s) else inside for s in surfaces])
        keys_V = sentences_V * 32 + before_last_V * 8 + kinds_V * 2 + np.array(texts.glues_right)
        numbers_V: Ints = np.unique(keys_V, return_inverse=True)[1].ravel()
        self.of_V = 2 * numbers_V + np.array(texts.glues_left)
        is_own_V = (lengths_V == 1) & (kinds_V == NUMBER_JOINER)
        is_own_V |= np.array([*map(has_bytes, surfaces)])
        self.of_V[is_own_V | ~has_text_V] = NO_LAYOUT

    def without(self, patterns: Iterable[Pattern], pieces: Iterable[int]) -> npt.NDArray[np.int32]:
        """(V,): the layouts, without those of `pieces` and of all pieces in which one of the patterns may begin."""
        layouts_V: npt.NDArray[np.int32] = self.of_V.astype(np.int32)
        layouts_V[list(pieces)] = NO_LAYOUT
        beginnings = {
            (character, pattern.bounded_left) for pattern in patterns for character in self._beginnings(pattern)
        }
        for character, is_bounded in beginnings:
            first, last = np.searchsorted(self._sorted_C, (character, character + 1))
            places = self._order_C[first:last]
            if is_bounded:
                places = places[self._may_begin_word_C[places]]
            layouts_V[self._pieces_C[places]] = NO_LAYOUT
        return layouts_V

    def _beginnings(self, pattern: Pattern) -> Iterable[int]:
        """The characters that the pattern may begin with."""
        first = pattern.text[0]
        return self._of_lower.get(first, ()) if pattern.ignores_case else (ord(first),)


def _sentences_after(surface: str) -> int:
    """The positions in a sentence that the piece leads to from each position, with and without a space before it."""
    number = 0
    for characters in (surface, " " + surface):
        for place in _PLACES:
            for character in characters:
                place = after_one(place, character)
            number = 4 * number + place
    return number
