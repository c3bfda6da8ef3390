"""Paragraphs to sentences, by sentencex; every character stays where it is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from sentencex import segment

# A paragraph longer than this is split in parts: sentencex takes quadratic time for some signs.
_MAX_CHUNK = 10_000
_RARE_SPACE = re.compile(r"[^\S \t\n\r]")  # sentencex 1.0.32 panics at some that are longer than a byte
_END = re.compile(r".*[.!?…:;]\s|.*\s", re.DOTALL)


def sentence_spans(text: str, language: str, whole: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """Start and end of each sentence in `text`, the white space between them left out.

    A number or a mark that begins a paragraph ("1. ", "– ") stays with what follows. No sentence ends inside one of the
    stretches of `whole`, ascending: a link, a piece of code.

    >>> sentence_spans("1. It is on.  It works.", "en")
    [(0, 12), (14, 23)]
    """
    pieces = [piece for chunk in _chunks(text) for piece in _sentences(chunk, language)]
    starts = [start for start, _ in whole]
    spans: list[tuple[int, int]] = []
    begin = position = 0
    has_letters = False
    for piece in pieces:
        position += len(piece)
        has_letters = has_letters or any(c.isalpha() for c in piece)
        nearest = bisect_right(starts, position - 1) - 1
        is_inside = nearest >= 0 and whole[nearest][0] < position < whole[nearest][1]
        if position < len(text) and (is_inside or not has_letters):
            continue
        sentence = text[begin:position]
        if sentence.strip():
            start = begin + len(sentence) - len(sentence.lstrip())
            spans.append((start, begin + len(sentence.rstrip())))
        begin, has_letters = position, False
    return spans


def _sentences(text: str, language: str) -> list[str]:
    if len(text) > _MAX_CHUNK:
        return [text]
    plain = _RARE_SPACE.sub(" ", text)
    pieces: list[str] = segment(language, plain)
    if "".join(pieces) != plain:  # the library has changed the text: one long sentence is better than a wrong place
        return [text]
    ends = list(accumulate(map(len, pieces)))
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _chunks(text: str) -> Iterator[str]:
    """The text in parts that end with a sentence where they can; what has no space in it stays whole."""
    position = 0
    while len(text) - position > _MAX_CHUNK:
        end = _END.match(text, position, position + _MAX_CHUNK)
        if end is None:
            break
        yield end.group()
        position = end.end()
    yield text[position:]
