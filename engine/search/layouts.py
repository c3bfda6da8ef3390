"""Layouts of pieces: what a piece does to a matcher that has no match under way and in which it begins none.

Pieces of one layout lead such a matcher to the same state, so a search has to ask only once for all of them. Most
pieces of a translation are such pieces.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from engine.search.arrays import Ints
from engine.search.matching import AT_START, ENDED, INSIDE, NUMBER_JOINER, OTHER, kind_of
from engine.search.matching import sentence_after as after_one
from engine.search.phrases import PieceTexts
from engine.text import has_bytes
from engine.text.boundaries import SENTENCE_CLOSERS, SENTENCE_ENDS, SENTENCE_OPENERS

NO_LAYOUT = -1  # of pieces that lead to a state of their own
_PLACES = (AT_START, INSIDE, ENDED)
# Characters that do not just lead into a sentence; few pieces have any, and the loops over their characters take long.
_MATTERS = re.compile(rf"[\s{re.escape(''.join(sorted(SENTENCE_ENDS | SENTENCE_CLOSERS | SENTENCE_OPENERS)))}]")


def layouts_of(texts: PieceTexts) -> npt.NDArray[np.int32]:
    """(V,): the layouts of a vocabulary's pieces; odd numbers for those that glue to their left.

    A layout is where spaces may be, the kinds of the last characters, and what happens to the position in a sentence.
    None of this depends on the text before the piece, except in bytes and in single characters that join numbers, which
    have no layout.
    """
    surfaces = texts.surfaces
    lengths_V = np.array([len(surface) for surface in surfaces])
    kinds_V = np.array([kind_of(surface[-1]) if surface else OTHER for surface in surfaces])
    before_last_V = np.array(
        [
            kind_of(s[-2]) if kind == NUMBER_JOINER and len(s) > 1 else OTHER
            for s, kind in zip(surfaces, kinds_V, strict=True)
        ]
    )
    inside = _sentences_after("a")
    sentences_V = np.array([_sentences_after(s) if _MATTERS.search(s) else inside for s in surfaces])
    keys_V = sentences_V * 32 + before_last_V * 8 + kinds_V * 2 + np.array(texts.glues_right)
    numbers_V: Ints = np.unique(keys_V, return_inverse=True)[1].ravel()
    layouts_V: npt.NDArray[np.int32] = (2 * numbers_V + np.array(texts.glues_left)).astype(np.int32)
    is_own_V = (lengths_V == 1) & (kinds_V == NUMBER_JOINER)
    is_own_V |= np.array([*map(has_bytes, surfaces)])
    layouts_V[is_own_V | (lengths_V == 0)] = NO_LAYOUT
    return layouts_V


def _sentences_after(surface: str) -> int:
    """The positions in a sentence that the piece leads to from each position, with and without a space before it."""
    number = 0
    for characters in (surface, " " + surface):
        for place in _PLACES:
            for character in characters:
                place = after_one(place, character)
            number = 4 * number + place
    return number
