"""Line breaks inside paragraphs: where a line break ends a segment, by one rule for all formats.

A line break inside a sentence is a tag of its segment ("Need help choosing{1}a product?"); one between sentences, items
or the lines of an address separates segments. A tab in a Word or OpenDocument paragraph counts as a line break.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from app.text.line_breaks import is_inside_sentence

LineBreaks = Literal["separate", "join"]  # always, never
LineBreaksChoice = Literal["automatic", "separate", "join"]  # automatic: by `is_inside_sentence`

_SPACE: Final = " \t\r\n\f\u00a0\u2060"  # U+2060 stands for an object, such as a picture
_MAX_LINE: Final = 200  # characters of a line that are looked at


def lines(source: str, breaks: Sequence[tuple[int, int]], choice: LineBreaks | None) -> list[tuple[int, int]]:
    """The spans of the lines of a text that are separate segments, or have several; those without letters are left out.

    `breaks` are the spans of line breaks, ascending.

    >>> lines("Choose<br>a product.<br>Done.", [(6, 10), (20, 24)], None)
    [(0, 20), (24, 29)]
    """
    found: list[tuple[int, int]] = []
    start = position = 0
    for number, (first, last) in enumerate([*breaks, (len(source), len(source))]):
        if number < len(breaks):
            following = breaks[number + 1][0] if number + 1 < len(breaks) else len(source)
            before, after = (
                source[max(position, first - _MAX_LINE) : first],
                source[last : min(following, last + _MAX_LINE)],
            )
            position = last
            if choice == "join" or (choice is None and is_inside_sentence(before.strip(_SPACE), after.strip(_SPACE))):
                continue
        line = source[start:first]
        words = line.strip(_SPACE)
        if any(map(str.isalpha, words)):
            begin = start + line.index(words)
            found.append((begin, begin + len(words)))
        start = last
    return found


def line_breaks_of(choice: LineBreaksChoice | None) -> LineBreaks | None:
    """The choice of a person as an import setting; None for the automatic one."""
    return None if choice == "automatic" else choice
