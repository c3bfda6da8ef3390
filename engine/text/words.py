"""Which pieces of a text make up each of its words."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import InvalidRequest
from engine.text.boundaries import joins_words


def words(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pieces of each word, as (first, one past the last); a mark is a word of its own, empty pieces are none.

    `spans[i]` are the characters of piece i in `text`.
    """
    found: list[tuple[int, int]] = []
    for number, (start, end) in enumerate(spans):
        if start == end:
            continue
        goes_on = found and found[-1][1] == number and _is_one_word(text, spans[number - 1], (start, end))
        if goes_on:
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return found


def word_at(text: str, spans: Sequence[tuple[int, int]], offset: int) -> tuple[int, int]:
    """The pieces of the word that holds the character at `offset`; raises InvalidRequest where no word is."""
    for first, last in words(text, spans):
        if spans[first][0] <= offset < spans[last - 1][1]:
            return first, last
    raise InvalidRequest(f"offset {offset} is on no word of {text!r}")


def _is_one_word(text: str, left: tuple[int, int], right: tuple[int, int]) -> bool:
    """Whether two neighbouring pieces are parts of one word: letters on both sides and nothing between.

    In scripts without spaces each piece is a word.
    """
    return left[1] == right[0] and joins_words(text[left[1] - 1]) and joins_words(text[right[0]])
