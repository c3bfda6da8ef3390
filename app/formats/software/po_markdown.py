"""Markdown in PO files of po4a and mdpo: emphasis and links are tags, tables are offered cell by cell, code is not.

po4a marks such messages with the flag "markdown-text", or names a Markdown file as their reference; mdpo names the kind
of the block in the reference: "manual.md:block 4 (table)". Older versions of po4a join the lines of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from markdown_it.common.utils import normalizeReference

from app.formats.base import splice
from app.formats.inline import Shown
from app.formats.markup.markdown_inline import marked_up_content, shown, shown_beside
from app.formats.software.po_entries import PoEntry, flags_of

Span = tuple[int, int]

_FLAG = "markdown-text"
_BLOCK = re.compile(r":block \d+ \(([a-z ]+)\)")  # of mdpo
_MARKDOWN_FILE = re.compile(r"\.(?:md|mdx|mkd|markdown):\d", re.IGNORECASE)
_TYPE = re.compile(r"type: (.+)")
_TEXT_TYPES = re.compile(r"Title\b|Plain text\b|Bullet\b")
_CODE_TYPES = re.compile(r"(?:Fenced|Indented) code\b", re.IGNORECASE)
_INDENTS = ("    ", "\t")
_TABLE_LINE = re.compile(r"(?:\A|\|)[ \t\n]*:?-{2,}:?[ \t\n]*(?:\||\Z)")
_CELL_END = re.compile(r"\\.|(?P<end>[|\n])", re.DOTALL)  # also inside of inline code
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_LABEL = re.compile(r"\]\[([^\[\]]{1,500})\]")


@dataclass(frozen=True)
class MarkdownMessage:
    """A message in Markdown; `texts` are the offered spans of its value: the whole text, or cells of a table."""

    value: str
    texts: Sequence[Span]
    is_table: bool

    def content(self, number: int) -> Shown:
        """An offered text with placeholders for its delimiters."""
        return shown(self.value[slice(*self.texts[number])], self._labels)

    @cached_property
    def _labels(self) -> frozenset[str]:
        return _labels(self.value)

    def given(self, target: str) -> list[tuple[str, Shown] | None]:
        """The part of a translation for each offered text, and as it is shown; None where it has none.

        The tags of the source keep their numbers.
        """
        if not self.is_table:
            parts = [target.strip()] * len(self.texts)
        elif len(cells := list(_cells(target))) == len(own := list(_cells(self.value))):
            cell_of = dict(zip(own, cells, strict=True))
            parts = [target[slice(*cell_of[span])] for span in self.texts]
        else:
            parts = [""] * len(self.texts)
        labels = self._labels | _labels(target)
        return [
            (part, shown_beside(part, labels, self.content(number))) if part else None
            for number, part in enumerate(parts)
        ]

    def with_texts(self, texts: Sequence[str]) -> str:
        """The whole value with these texts in Markdown in place of the offered ones."""
        if self.is_table:
            texts = [_BARE_PIPE.sub(r"\\|", text) for text in texts]
        return splice(self.value, [(*span, text) for span, text in zip(self.texts, texts, strict=True)])

    def marked_up(self, number: int, tags: dict[str, tuple[str, str | None]], translation: str) -> str:
        """A translation of an offered text in Markdown; `tags` are those of the source and of the old translation."""
        return marked_up_content(replace(self.content(number), tags=tags), translation)


def markdown_message(entry: PoEntry, text: str) -> MarkdownMessage | None:
    """The message if it is Markdown, without texts to offer if it is code; None for other messages."""
    if entry.is_header or "msgid_plural" in entry.ids:
        return None
    blocks = [found[1] for reference in entry.references for found in _BLOCK.finditer(reference)]
    types = [found[1] for comment in entry.comments if (found := _TYPE.match(comment))]
    is_flagged = entry.flags is not None and _FLAG in flags_of(text[slice(*entry.flags)])
    is_of_file = any(map(_MARKDOWN_FILE.search, entry.references))
    is_code = any(map(_CODE_TYPES.match, types)) or "code" in blocks
    is_flagged |= is_code or any(name.startswith("Title #") for name in types)
    if not (is_flagged or blocks or (is_of_file and any(map(_TEXT_TYPES.match, types)))):
        return None
    value = entry.ids["msgid"].value
    is_indented = value.startswith(_INDENTS) and all(
        line.startswith(_INDENTS) for line in value.split("\n") if line.strip()
    )
    if is_code or is_indented:
        return MarkdownMessage(value, (), False)
    if _TABLE_LINE.search(value) and "|" in value:
        cells = [span for span in _cells(value) if any(map(str.isalpha, value[slice(*span)]))]
        return MarkdownMessage(value, cells, True)
    start, end = len(value) - len(value.lstrip()), len(value.rstrip())
    return MarkdownMessage(value, [(start, end)] if start < end else (), False)


def _cells(value: str) -> Iterator[Span]:
    """The cells of a table without the white space around them, and empty ones between them."""
    position = 0
    for found in [*_CELL_END.finditer(value), None]:
        if found is not None and found["end"] is None:
            continue
        end = found.start() if found else len(value)
        cell = value[position:end]
        start = position + len(cell) - len(cell.lstrip())
        yield start, max(start, position + len(cell.rstrip()))
        position = end + 1


def _labels(value: str) -> frozenset[str]:
    """The labels of links in a text; their definitions are in other messages."""
    return frozenset(normalizeReference(label) for label in _LABEL.findall(value))
