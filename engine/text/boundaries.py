"""Boundaries of a phrase in a text: character classes, and the plain search that defines a match.

These rules define a match: any faster search must agree with `occurrences`. They apply to code points of text in NFC
and do not depend on pieces. The regular expression `\\b` cannot be used: it fails on `C++` and `.NET`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from engine.errors import InvalidRequest
from engine.request import Boundary

Standing = Boundary | Literal["end"]

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
# Thai, Lao, Tibetan, Burmese, Khmer, Tai scripts and their extensions; bopomofo, kana, Han and its extensions.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u1950-\u19df\u3005-\u3007\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaadf\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


@lru_cache(maxsize=8192)
def is_word_char(char: str) -> bool:
    """True if `char` is a letter, mark or number (Unicode L, M, N). Underscores and hyphens are not."""
    return unicodedata.category(char)[0] in "LMN"


@lru_cache(maxsize=8192)
def is_mark(char: str) -> bool:
    """True if `char` continues the character before it: a combining accent, a vowel sign, a variation selector."""
    return unicodedata.category(char)[0] == "M"


@lru_cache(maxsize=8192)
def is_unspaced(char: str) -> bool:
    """True if `char` is a letter or mark of a script without spaces between words, such as Han, kana and Thai.

    Only a dictionary could find the ends of words in such a script, so each character is a boundary for its neighbours.
    """
    return char > "\u0dff" and _UNSPACED.match(char) is not None and is_word_char(char) and not is_digit(char)


def joins_words(char: str) -> bool:
    """True if `char` joins the word character next to it into one word: true except in unspaced scripts."""
    return is_word_char(char) and not is_unspaced(char)


def is_digit(char: str) -> bool:
    """True if `char` is a decimal digit of any script; `²` and `½` are word characters but not digits."""
    return char.isdecimal()


def is_left_boundary(text: str, start: int) -> bool:
    """True if a word may begin at `start`: the text before is not part of the same word or number."""
    if start == 0 or not joins_words(text[start]):
        return True
    before = text[start - 1]
    if joins_words(before):
        return False
    joins_numbers = before in NUMBER_JOINERS and is_digit(text[start]) and start >= 2 and is_digit(text[start - 2])
    return not joins_numbers


def is_right_boundary(text: str, end: int) -> bool:
    """True if a word may end before `end`: the text after it is not part of the same word or number.

    Looks at most two characters ahead: "1" ends in `1.` and in `1. April` but not in `1.5`.
    """
    if end == len(text) or not joins_words(text[end - 1]):
        return True
    after = text[end]
    if joins_words(after):
        return False
    joins_numbers = (
        after in NUMBER_JOINERS and is_digit(text[end - 1]) and end + 1 < len(text) and is_digit(text[end + 1])
    )
    return not joins_numbers


def is_sentence_start(text: str, start: int) -> bool:
    """True if a sentence begins at `start`: at the start of the text, or after sentence-final punctuation and space.

    Closing quotes and brackets may follow the punctuation, opening ones the space.
    """
    return _BEFORE_SENTENCE.search(text[:start]) is not None


def stands_alone(text: str, start: int, end: int, boundary: Standing = "word") -> bool:
    """True if `text[start:end]` is not part of a longer word or number, except as `boundary` allows.

    "word" requires a boundary on both sides; "start" only on the left; "end" on the right, and forbids one on the left;
    "anywhere" on neither side. "compound" equals "start" here, because the end of a compound is spelt differently. A
    combining mark after the end always excludes a match, because it would change the last character. In scripts without
    spaces, "end" never matches, and all others have the same meaning.
    """
    if end < len(text) and is_mark(text[end]):
        return False
    if boundary != "anywhere" and is_left_boundary(text, start) == (boundary == "end"):
        return False
    return boundary not in ("word", "end") or is_right_boundary(text, end)


def head_of_compound(noun: str) -> str:
    """A noun as spelt at the end of a German compound: "Datei" -> "datei"."""
    return noun[:1].lower() + noun[1:]


def occurrences(text: str, phrase: str, boundary: Standing = "word") -> list[tuple[int, int]]:
    """All (start, end) of `phrase` in `text` at word boundaries, overlapping ones too, in order. Both texts in NFC.

    >>> occurrences("cat, concat, cats", "cat")
    [(0, 3)]
    >>> occurrences("cat, concat, cats", "cat", "start")
    [(0, 3), (13, 16)]
    >>> occurrences("Cat, Concat, Catalog", "Cat", "compound")
    [(0, 3), (8, 11), (13, 16)]
    """
    if not phrase:
        return []
    if boundary == "compound":
        return sorted(occurrences(text, phrase, "start") + occurrences(text, head_of_compound(phrase), "end"))
    found = []
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if stands_alone(text, start, end, boundary):
            found.append((start, end))
        start = text.find(phrase, start + 1)
    return found


def words(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pieces of each word, as (first, one past the last). A mark is a word; "" and " " are not.

    `spans[i]` are the characters of piece i in `text`. Pieces whose spans overlap have bytes of one character.
    """
    found: list[tuple[int, int]] = []
    before = -1  # the end of the piece before, if it is part of a word
    for number, (start, end) in enumerate(spans):
        if not text[start:end].strip(" "):
            before = -1
            continue
        if start <= before and _is_one_word(text, spans[number - 1], (start, end)):
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
        before = end
    return found


def word_at(text: str, spans: Sequence[tuple[int, int]], offset: int) -> tuple[int, int]:
    """The pieces of the word that contains the character at `offset`; raises InvalidRequest if there is none."""
    for first, last in words(text, spans):
        if spans[first][0] <= offset < spans[last - 1][1]:
            return first, last
    raise InvalidRequest(f"offset {offset} is not on a word of {text!r}")


def word_of_piece(text: str, spans: Sequence[tuple[int, int]], piece: int) -> tuple[int, int]:
    """The pieces of the word that piece number `piece` is part of; raises InvalidRequest if there is none."""
    for first, last in words(text, spans):
        if first <= piece < last:
            return first, last
    raise InvalidRequest(f"piece {piece} is not part of a word of {text!r}")


def _is_one_word(text: str, left: tuple[int, int], right: tuple[int, int]) -> bool:
    """True if two adjacent pieces are parts of one word: letters on both sides and nothing between.

    In scripts without spaces each piece is a word, but a character's bytes are never separated.
    """
    if right[0] < left[1]:
        return True
    return left[1] == right[0] and joins_words(text[left[1] - 1]) and joins_words(text[right[0]])
