"""Where a phrase may begin and end in a text: the character classes and the plain search that define a match.

The rules are the contract; whatever finds phrases faster must agree with `occurrences`. Everything here looks at code
points of text in NFC and knows nothing of pieces. Never the regex `\\b`: it fails on `C++` and `.NET`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from engine.request import Boundary

NUMBER_JOINERS = ".,"
SENTENCE_ENDS = frozenset(".!?…。！？")
SENTENCE_CLOSERS = frozenset("\"')]}”’»›“‘")
SENTENCE_OPENERS = frozenset("\"'([{„‚«‹»›“‘¿¡-–—")


def _one_of(characters: frozenset[str]) -> str:
    return "".join(sorted(map(re.escape, characters)))


_BEFORE_SENTENCE = re.compile(
    rf"(?:\A|[{_one_of(SENTENCE_ENDS)}][{_one_of(SENTENCE_ENDS | SENTENCE_CLOSERS)}]*\s)"
    rf"[\s{_one_of(SENTENCE_OPENERS)}]*\Z"
)


@lru_cache(maxsize=8192)
def is_word_char(char: str) -> bool:
    """Whether `char` is a letter, mark or number (Unicode L, M, N). The underscore, as every hyphen, is not."""
    return unicodedata.category(char)[0] in "LMN"


@lru_cache(maxsize=8192)
def is_mark(char: str) -> bool:
    """Whether `char` continues the character before it: a combining accent, a vowel sign, a variation selector."""
    return unicodedata.category(char)[0] == "M"


def is_digit(char: str) -> bool:
    """Whether `char` is a decimal digit of any script; `²` and `½` are word characters but not digits."""
    return char.isdecimal()


def is_left_boundary(text: str, start: int) -> bool:
    """Whether a word may begin at `start`: what stands before is no part of the same word or number."""
    if start == 0 or not is_word_char(text[start]):
        return True
    before = text[start - 1]
    if is_word_char(before):
        return False
    joins_numbers = before in NUMBER_JOINERS and is_digit(text[start]) and start >= 2 and is_digit(text[start - 2])
    return not joins_numbers


def is_right_boundary(text: str, end: int) -> bool:
    """Whether a word may end before `end`: what stands there is no part of the same word or number.

    Looks at most two characters ahead: "1" ends in `1.` and in `1. April` but not in `1.5`.
    """
    if end == len(text) or not is_word_char(text[end - 1]):
        return True
    after = text[end]
    if is_word_char(after):
        return False
    joins_numbers = (
        after in NUMBER_JOINERS and is_digit(text[end - 1]) and end + 1 < len(text) and is_digit(text[end + 1])
    )
    return not joins_numbers


def is_sentence_start(text: str, start: int) -> bool:
    """Whether a sentence begins at `start`: at the start of the text, or after sentence-final punctuation and space.

    Closing quotes and brackets may follow the punctuation, opening ones the space.
    """
    return _BEFORE_SENTENCE.search(text[:start]) is not None


def stands_alone(text: str, start: int, end: int, boundary: Boundary = "word") -> bool:
    """Whether `text[start:end]` is no part of a longer word or number.

    "word" asks for a boundary on both sides, "start" on the left only, "anywhere" on neither. A mark right after the
    end always forbids it, as it would change the last character.
    """
    if end < len(text) and is_mark(text[end]):
        return False
    if boundary != "anywhere" and not is_left_boundary(text, start):
        return False
    return boundary != "word" or is_right_boundary(text, end)


def occurrences(text: str, phrase: str, boundary: Boundary = "word") -> list[tuple[int, int]]:
    """All (start, end) at which `phrase` stands alone in `text`, overlapping ones too, in order. Both texts in NFC.

    >>> occurrences("cat, concat, cats", "cat")
    [(0, 3)]
    >>> occurrences("cat, concat, cats", "cat", "start")
    [(0, 3), (13, 16)]
    """
    if not phrase:
        return []
    found = []
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if stands_alone(text, start, end, boundary):
            found.append((start, end))
        start = text.find(phrase, start + 1)
    return found
