"""Plain text: each paragraph is a unit; blank lines and white space at line ends are layout.

A paragraph is one line, or several: a line break inside a sentence does not end it, and neither do the line breaks of a
text that a program has wrapped at a width. Such a paragraph is wrapped at its own width again when it is exported.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from textwrap import wrap
from typing import Final
from unicodedata import east_asian_width

from app.errors import DocumentError
from app.formats.base import Edit, Unit, UnitTranslation, splice
from app.formats.prose import ProseFile, blanked
from app.formats.soft_breaks import LineBreaks
from app.text.encoding import decode_text
from app.text.line_breaks import begins_item, ends_sentence, is_inside_sentence

# Only CR and LF end a line; a form feed or U+2028 is part of the text.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_INDENT = re.compile(r"(?:[ \t]*>)*(?=\s|\Z)\s*|\s*")  # "> " in quoted e-mails
_IN_PROSE = re.compile(r"[.!?]\s+\w")
_JOINT = re.compile(r"[^\r\n]*(\r\n|\r|\n)(.*)")
_MIN_WIDTH, _LAST_WIDTH = 50, 140  # characters of a line in a text that was wrapped by a program
_MAX_WIDTH: Final = 200  # in which a paragraph is wrapped
_MAX_PARAGRAPH: Final = 8_000  # characters; a longer one is no prose
_MIN_LINES: Final = 3  # of a paragraph that shows the width of the text


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with the text from `start` to `end` behind its `indent`: white space and marks of a quoted e-mail."""

    start: int
    end: int
    indent: str
    text: str

    @property
    def width(self) -> int:
        return len(self.indent) + len(self.text)

    def fills(self, width: int, following: _Line) -> bool:
        """True if the line is not longer than the width, and the first word of the following line would make it so."""
        return self.width <= width < self.width + 1 + len(following.text.split(maxsplit=1)[0])


@dataclass(frozen=True)
class PlainTextFile(ProseFile):
    """A plain text; its joints are the line breaks inside of paragraphs.

    `width` is the width at which a program has wrapped its lines, or 0.
    """

    width: int = 0

    def _edits(self, translations: Sequence[UnitTranslation], language: str | None) -> list[Edit]:
        edits = super()._edits(translations, language)
        for start, end in self._wrapped_paragraphs(edits):
            first, last = (bisect_left(edits, (place,)) for place in (start, end))
            edits[first:last] = [(start, end, self._wrapped(start, end, edits[first:last]))]
        return edits

    def _wrapped_paragraphs(self, edits: Sequence[Edit]) -> Iterator[tuple[int, int]]:
        """The paragraphs with an edit of more than one line, the last one first."""
        starts = [unit.start for unit in self.units]
        found = {bisect_right(starts, start) - 1 for start, end, _ in edits if self._joints_in(start, end)}
        for number in sorted(found, reverse=True):
            yield self.units[number].start, self.units[number].end

    def _joints_in(self, start: int, end: int) -> Sequence[tuple[int, int]]:
        return self.joints[bisect_left(self.joints, (start,)) : bisect_left(self.joints, (end,))]

    def _wrapped(self, start: int, end: int, edits: Sequence[Edit]) -> str:
        """A paragraph with its edits, wrapped at the width of the text, or else in as many lines as before."""
        text, joints = self.decoded.text, self._joints_in(start, end)
        column = start - 1 - max(text.rfind(mark, max(0, start - _MAX_WIDTH), start) for mark in "\r\n")
        if column > _MAX_WIDTH:
            column = 0
        parts = [_parts_of_joint(text[first:last]) for first, last in joints]
        indents = [" " * column, *(indent for _, indent in parts)]
        starts, ends = [start, *(last for _, last in joints)], [*(first for first, _ in joints), end]
        longest = max(len(indent) + last - first for indent, first, last in zip(indents, starts, ends, strict=True))
        covered = [(first, last) for first, last, _ in edits]
        outside = [(s, e, " ") for s, e in joints if not _is_within(s, covered)]
        words = splice(text[start:end], [(s - start, e - start, new) for s, e, new in sorted([*edits, *outside])])
        least = self.width or max(len(words) // len(ends), longest)
        most = least if self.width else max(least, _MAX_WIDTH)
        for width in range(least, most + 1):
            lines = wrap(
                words,
                width,
                initial_indent=indents[0],
                subsequent_indent=indents[1],
                expand_tabs=False,
                replace_whitespace=False,
                break_long_words=False,
                break_on_hyphens=False,
            )
            if len(lines) <= len(ends):
                break
        return parts[0][0].join(lines)[column:]


def _parts_of_joint(joint: str) -> tuple[str, str]:
    """The line end in a joint, and the indent of the line behind it."""
    match = _JOINT.fullmatch(joint)
    assert match is not None
    return match[1], match[2]


def _is_within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """True if the place is in one of the spans, which are ascending."""
    number = bisect_right(spans, place, key=itemgetter(0))
    return number > 0 and place < spans[number - 1][1]


def parse(data: bytes, name: str, encoding: str | None = None, line_breaks: LineBreaks | None = None) -> PlainTextFile:
    """Parses a text in any common encoding. Raises DocumentError with a remedy.

    `line_breaks` is "separate" if each line is a paragraph, "join" if only blank lines separate paragraphs.
    """
    decoded = decode_text(data, name, DocumentError, encoding)
    text = decoded.text
    blocks = [list(lines) for has_text, lines in groupby(_lines(text), key=lambda line: bool(line.text)) if has_text]
    widths = [_width(block) for block in blocks]
    width = max(widths, default=0)
    units: list[Unit] = []
    joints: list[tuple[int, int]] = []
    for block, own in zip(blocks, widths, strict=True):
        for lines in _paragraphs(block, line_breaks, own or width):
            inside = [(line.end, following.start) for line, following in pairwise(lines)]
            start, end = lines[0].start, lines[-1].end
            units.append(Unit(start, end, blanked(text, start, end, inside)))
            joints += inside
    return PlainTextFile(decoded, units, joints, width=width)


def _lines(text: str) -> Iterator[_Line]:
    for match in _LINE.finditer(text):
        line = match.group()
        indent = line[: _INDENT.match(line).end()]  # type: ignore[union-attr]  # it always matches
        words = line[len(indent) :].rstrip()
        start = match.start() + len(indent)
        yield _Line(start, start + len(words), indent, words)


def _width(block: Sequence[_Line]) -> int:
    """The width at which the lines of a block were wrapped; 0 if no program has wrapped them."""
    width = max(line.width for line in block)
    pairs = list(pairwise(block))
    if len(block) < _MIN_LINES or not _MIN_WIDTH <= width <= _LAST_WIDTH:
        return 0
    is_full = all(line.fills(width, following) for line, following in pairs)
    is_prose = any(
        is_inside_sentence(line.text, following.text) or _IN_PROSE.search(line.text) for line, following in pairs
    )
    return width if is_full and is_prose else 0


def _paragraphs(block: Sequence[_Line], line_breaks: LineBreaks | None, width: int) -> Iterator[Sequence[_Line]]:
    """The paragraphs of a block between blank lines, in a text that was wrapped at this width, or 0."""
    if line_breaks is not None:
        yield from [block] if line_breaks == "join" else ([line] for line in block)
        return
    found = [[block[0]]]
    for line, following in pairwise(block):
        is_quoted_alike = line.indent.count(">") == following.indent.count(">")
        is_inside = is_inside_sentence(line.text, following.text) or _is_wrapped(line, following, width)
        if is_inside and is_quoted_alike:
            found[-1].append(following)
        else:
            found.append([following])
    for lines in found:
        is_sentence = not lines[0].text[0].islower() and ends_sentence(lines[-1].text)
        is_item = begins_item(lines[0].text) and len(lines[0].indent) < len(lines[-1].indent)
        is_paragraph = is_sentence or is_item or all(_is_wrapped(*pair, width) for pair in pairwise(lines))
        if is_paragraph and lines[-1].end - lines[0].start <= _MAX_PARAGRAPH:
            yield lines
        else:  # perhaps a list of words
            yield from ([line] for line in lines)


def _is_wrapped(line: _Line, following: _Line, width: int) -> bool:
    is_spaced = east_asian_width(following.text[0]) not in "WF"
    return is_spaced and line.fills(width, following) and not begins_item(following.text)
