"""What every format gives and takes: the units of a file, and the file again with translations in their places.

A format's module has `read(data, name) -> Parsed`. Reading is structure alone and gives the same for the same bytes, so
that a document can be written from its stored bytes and the stored places of its segments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Protocol, runtime_checkable

from app.i18n import Message
from app.text.encoding import DecodedText, encoding_label, shortened_list, unencodable

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_BREAKS = re.compile(r"[\r\n]+")
_LINE_END = re.compile(r"\r\n|\r|\n")

# Start, end, text: what stands between start and end makes way for the text.
Edit = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a file that is translated as a whole; `start` and `end` are its place, unique in the file.

    In prose `source[i]` stands at `start + i`, and the unit may be split into sentences; in a file that pairs sources
    with targets the unit is one segment. `target` is the translation that the file has already.
    """

    start: int
    end: int
    source: str
    target: str | None = None
    is_confirmed: bool = False
    note: str = ""
    whole: tuple[tuple[int, int], ...] = ()  # stretches of `source` in which no sentence may end


@dataclass(frozen=True, slots=True)
class UnitTranslation:
    """What goes to the place from `start` to `end`; a draft where it is not confirmed."""

    start: int
    end: int
    text: str
    is_confirmed: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """What a person remarks on the segment at the place from `start` to `end`; it may have several lines."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file's bytes; `note` says what differs from what a person may expect."""

    data: bytes
    note: str | None = None


class ParsedFile(Protocol):
    """A file that has been read. `encoding` and `mark` are those of its text; a container has none ("" and b"")."""

    @property
    def units(self) -> Sequence[Unit]:
        """What is translated, in the file's order, places ascending."""

    @property
    def is_paired(self) -> bool:
        """Whether the file has targets beside its sources, so that nothing is split and a missing target stays so."""

    @property
    def encoding(self) -> str:
        """The codec of the file's text; empty for a container."""

    @property
    def mark(self) -> bytes:
        """The byte order mark."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the person who opens the file should know."""

    def source(self, start: int, end: int) -> str:
        """The source at a place, as one line: a unit, or in prose a part of one."""

    def describe(self, start: int) -> str:
        """Where a place is, for a message: "line 3"."""

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these translations, in order of place; whatever they do not touch stays byte for byte."""


@runtime_checkable
class SupportsComments(Protocol):
    """A file that has a place for what people remark on its segments."""

    def write_with_comments(
        self, translations: Sequence[UnitTranslation], comments: Sequence[Comment], language: str | None
    ) -> WrittenFile:
        """As `ParsedFile.write`, with these comments in order of place."""


@runtime_checkable
class HasLanguages(Protocol):
    """A file that may say which languages it is in."""

    @property
    def languages(self) -> tuple[str, str]:
        """Those of its sources and targets, as the file writes them ("en-US", "German"); empty where not told."""


@runtime_checkable
class Reversible(Protocol):
    """A file of two languages side by side, either of which may be the source; places stay what they are."""

    def turned(self) -> ParsedFile | None:
        """The file with its targets as sources; None where it does not say which languages these are."""


class TextFile:
    """What all files have that are one text: its encoding is that with which it was read."""

    decoded: DecodedText

    @property
    def encoding(self) -> str:
        """The codec of the file's text."""
        return self.decoded.encoding

    @property
    def mark(self) -> bytes:
        """The byte order mark."""
        return self.decoded.mark

    def describe(self, start: int) -> str:
        """The line, from 1."""
        return line_of(self.decoded.text, start)


class PairedFile(TextFile):
    """A text file with targets beside its sources: each place is that of a whole unit."""

    units: Sequence[Unit]

    def source(self, start: int, end: int) -> str:
        """The source at this place. Raises LookupError where there is none."""
        return self._sources[start, end]

    @cached_property
    def _sources(self) -> dict[tuple[int, int], str]:
        return {(unit.start, unit.end): unit.source for unit in self.units}


def splice(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits made; they must not overlap. At one place they keep their order."""
    parts: list[str] = []
    position = 0
    for start, end, replacement in sorted(edits, key=itemgetter(0, 1)):
        assert start >= position, f"edits overlap at {start}"
        parts += [text[position:start], replacement]
        position = end
    return "".join([*parts, text[position:]])


def encode(text: str, encoding: str, mark: bytes) -> WrittenFile:
    """The text in its file's encoding; as UTF-8, with a note, where that encoding lacks a character of it."""
    if missing := unencodable(text, encoding):
        described = shortened_list(f"{c} (U+{ord(c):04X})" for c in missing)
        note = Message(
            "{encoding} cannot hold {characters}; the file is saved as UTF-8 instead.",
            encoding=encoding_label(encoding),
            characters=described,
        )
        return WrittenFile(text.encode("utf-8"), note)
    return WrittenFile(mark + text.encode(encoding))


def one_line(text: str) -> str:
    """The text as one line that any encoding of Unicode can hold: a line break becomes a space."""
    return _SURROGATE.sub("\ufffd", _LINE_BREAKS.sub(" ", text))


def line_of(text: str, position: int) -> str:
    """ "line 3": for a message."""
    return f"line {len(_LINE_END.findall(text, 0, position)) + 1}"
