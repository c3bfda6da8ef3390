"""HTML blocks in Markdown: the texts between their block tags, and the texts of attributes outside of these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from app.formats.markup.html import CODE, HIDDEN, INLINE
from app.formats.markup.html_attributes import Value, attributes, is_translated, texts

Span = tuple[int, int]

_TAG = re.compile(
    r"""<!--(?:.*?-->|.*\Z)
    | <(?P<slash>/?)(?P<name>[A-Za-z][\w:-]*)(?P<rest>(?:[^<>"']|"[^"<>]*"|'[^'<>]*')*+)>
    | <[!?][^<>]*>""",
    re.VERBOSE | re.DOTALL,
)
_JOINT = re.compile(r"[ \t]*(?:\r\n|\r|\n)[ \t>]*")
# Tags with a line of their own make a block of HTML, so they are not joined with the text.
_LEAD = re.compile(r"(?:(?:[\s>]*+<[^<>]*+>)++[ \t]*+(?:\r\n|\r|\n))?[\s>]*+")
_LETTER = re.compile(r"[^\W\d_]")
_IN_TEXT = INLINE | CODE


class _Tag(NamedTuple):
    """A tag, or a whole element that is not shown; `name` is empty for a comment and the like."""

    start: int
    end: int
    name: str
    values: dict[str, Value]


def texts_of_block(text: str, start: int, end: int) -> Iterator[tuple[int, int, list[Span]]]:
    """The spans of the texts of an HTML block, each with its line ends; inline tags belong to the text around them."""
    position, has_letters, inline_end = start, False, start
    for tag in [*_tags(text, start, end), _Tag(end, end, "", {})]:
        has_letters = has_letters or _LETTER.search(text, inline_end, tag.start) is not None
        if tag.name in _IN_TEXT:
            inline_end = tag.end
            continue
        if has_letters:
            raw = text[position : tag.start]
            lead = _LEAD.match(raw)
            first, last = position + (lead.end() if lead else 0), position + len(raw.rstrip())
            yield first, last, [joint.span() for joint in _JOINT.finditer(text, first, last)]
        position = inline_end = tag.end
        has_letters = False


def is_kept(block: str) -> bool:
    """True if an HTML block declares that it, or a part of it, is not translated."""
    return any(is_translated(tag.values) is False for tag in _tags(block, 0, len(block)))


def values_of_block(text: str, start: int, end: int) -> Iterator[Span]:
    """The spans of the attributes with readable text in quotes in an HTML block."""
    for tag in _tags(text, start, end):
        yield from ((value.start, value.end) for value in texts(tag.name, tag.values) if value.quote)


def _tags(text: str, start: int, end: int) -> Iterator[_Tag]:
    lowered: str | None = None
    while tag := _TAG.search(text, start, end):
        start = tag.end()
        name = (tag["name"] or "").lower()
        if name in HIDDEN and not tag["slash"]:
            lowered = text[:end].lower() if lowered is None else lowered
            closing = lowered.find(f"</{name}", start)
            start = end if closing < 0 or len(lowered) != end else lowered.find(">", closing) + 1 or end
        yield _Tag(tag.start(), start, name, attributes(tag["rest"], tag.start("rest")) if name else {})
