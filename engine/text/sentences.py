"""Splits paragraphs into sentences with sentencex and rules of our own; all offsets refer to the unchanged text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from sentencex import segment

from engine.text.sentence_rules import rules_of

# A longer paragraph is split first: sentencex takes quadratic time for some characters.
_MAX_CHUNK = 10_000
_RARE_SPACE = re.compile(r"[^\S \t\n\r]")  # sentencex 1.0.32 panics at some multi-byte spaces
_LETTER = re.compile(r"[^\W\d_]")
_NO_SPACE = re.compile(r"\S")
_GOES_ON = re.compile(r"[:;,](?=\s)")  # behind an abbreviation: "Betr.: Rechnung", but no smiley
_END = re.compile(r".*[.!?…:;]\s|.*\s", re.DOTALL)


def sentence_spans(text: str, language: str, whole: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """The spans of the sentences in `text`, without the white space between them.

    A number or mark at the start of a paragraph ("1. ", "– ") belongs to the sentence after it. No sentence begins with
    a comma, semicolon or colon and a space, or ends inside the spans of `whole` (ascending), such as links and code.

    >>> sentence_spans("1. It is on.  It works.", "en")
    [(0, 12), (14, 23)]
    """
    starts = [start for start, _ in whole]
    spans: list[tuple[int, int]] = []
    begin = previous = 0
    has_letters = False
    for position in [*rules_of(language).corrected(text, _starts(text, language)), len(text)]:
        has_letters = has_letters or _LETTER.search(text, previous, position) is not None
        previous = position
        nearest = bisect_right(starts, position - 1) - 1
        is_inside = nearest >= 0 and whole[nearest][0] < position < whole[nearest][1]
        if position < len(text) and (is_inside or not has_letters or _GOES_ON.match(text, position)):
            continue
        sentence = text[begin:position]
        if sentence.strip():
            start = begin + len(sentence) - len(sentence.lstrip())
            spans.append((start, begin + len(sentence.rstrip())))
        begin, has_letters = position, False
    return spans


def _starts(text: str, language: str) -> list[int]:
    """The starts of further sentences that the library finds, behind the white space between sentences."""
    starts: list[int] = []
    position = start = 0
    for chunk in _chunks(text):
        for piece in _sentences(chunk, language):
            position += len(piece)
            if start < position < len(text):
                found = _NO_SPACE.search(text, position)
                if found is None:
                    return starts
                start = found.start()
                starts.append(start)
    return starts


def _sentences(text: str, language: str) -> list[str]:
    if len(text) > _MAX_CHUNK:
        return [text]
    plain = _RARE_SPACE.sub(" ", text)
    pieces: list[str] = segment(language, plain)
    if "".join(pieces) != plain:  # the library has changed the text: one long sentence is better than wrong offsets
        return [text]
    ends = list(accumulate(map(len, pieces)))
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _chunks(text: str) -> Iterator[str]:
    """Splits a long text after sentence ends if possible, else at spaces; text without spaces stays whole."""
    position = 0
    while len(text) - position > _MAX_CHUNK:
        end = _END.match(text, position, position + _MAX_CHUNK)
        if end is None:
            break
        yield end.group()
        position = end.end()
    yield text[position:]
