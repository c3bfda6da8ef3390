"""Paragraphs to sentences, by sentencex; every character stays where it is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from sentencex import segment


def sentence_spans(text: str, language: str, whole: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """Start and end of each sentence in `text`, the white space between them left out.

    A number or a mark that begins a paragraph ("1. ", "– ") stays with what follows. No sentence ends inside one of the
    stretches of `whole`, ascending: a link, a piece of code.

    >>> sentence_spans("1. It is on.  It works.", "en")
    [(0, 12), (14, 23)]
    """
    pieces: list[str] = segment(language, text)
    if "".join(pieces) != text:
        pieces = [text]  # the library has changed the text: better one long segment than a wrong place
    starts = [start for start, _ in whole]
    spans: list[tuple[int, int]] = []
    begin = position = 0
    for piece in pieces:
        position += len(piece)
        sentence = text[begin:position]
        nearest = bisect_right(starts, position - 1) - 1
        is_inside = nearest >= 0 and whole[nearest][0] < position < whole[nearest][1]
        if position < len(text) and (is_inside or not any(c.isalpha() for c in sentence)):
            continue
        if sentence.strip():
            start = begin + len(sentence) - len(sentence.lstrip())
            spans.append((start, begin + len(sentence.rstrip())))
        begin = position
    return spans
