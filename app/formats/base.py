"""The common interface of all formats: parsed files, translatable units, and writing translations back.

A format's module has a function `read(data, name) -> ParsedFile`. Reading only depends on the bytes, so that a document
can be written from its stored bytes and the stored spans of its segments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Literal, Protocol, runtime_checkable

from app.i18n import Message
from app.text.encoding import DecodedText, encoding_label, shortened_list, unencodable
from app.text.text_limits import TextLimits

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_BREAKS = re.compile(r"[\r\n]+")
_LINE_END = re.compile(r"\r\n|\r|\n")

# The raw start and end tag of each numbered tag of a source; the end of a lone tag is None.
RawTags = Mapping[str, tuple[str, str | None]]
# (start, end, text): replaces the characters from start to end by the text.
Edit = tuple[int, int, str]

# A reviewer's decision about a translation; "" without one.
ReviewState = Literal["approved", "returned", ""]


@dataclass(frozen=True, slots=True)
class Unit:
    """A translatable unit of a file; its place (`start`, `end`) is unique in the file.

    In prose, `source[i]` is at `start + i` and the unit may be split into lines and sentences. In a file with targets,
    the unit is one segment. `target` is the translation that the file already contains, `limits` are the limits of its
    length. `form` names the form of a message with several, such as plural forms: texts of other forms are not
    repetitions.
    """

    start: int
    end: int
    source: str
    target: str | None = None
    is_confirmed: bool = False
    note: str = ""
    whole: tuple[tuple[int, int], ...] = ()  # spans of `source` in which no sentence may end
    limits: TextLimits | None = None
    review: ReviewState = ""
    form: str = ""
    breaks: tuple[tuple[int, int], ...] = ()  # spans of `source` with a line break (`app.formats.soft_breaks`)


@dataclass(frozen=True, slots=True)
class UnitTranslation:
    """The translation for the place (`start`, `end`); a draft if it is not confirmed."""

    start: int
    end: int
    text: str
    is_confirmed: bool
    review: ReviewState = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A user's comment on the segment at the place (`start`, `end`); it may have several lines."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """The bytes of a written file; `note` informs the user of an unexpected change, such as another encoding."""

    data: bytes
    note: str | None = None


class ParsedFile(Protocol):
    """A parsed file. `encoding` and `mark` describe its text; a container has none ("" and b"")."""

    @property
    def units(self) -> Sequence[Unit]:
        """The translatable units in file order, places ascending."""

    @property
    def is_paired(self) -> bool:
        """True if the file has targets beside its sources. Its units are not split, and missing targets stay empty."""

    @property
    def encoding(self) -> str:
        """The codec of the file's text; empty for a container."""

    @property
    def mark(self) -> bytes:
        """The byte order mark."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notices for the user who opens the file."""

    def source(self, start: int, end: int) -> str:
        """The source at a place as one line: a unit or, in prose, a part of one."""

    def describe(self, start: int) -> str:
        """A description of a place for messages: "line 3"."""

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these translations (ascending places); everything else is unchanged byte for byte."""


@runtime_checkable
class SupportsComments(Protocol):
    """A file that can contain comments on its segments."""

    def write_with_comments(
        self, translations: Sequence[UnitTranslation], comments: Sequence[Comment], language: str | None
    ) -> WrittenFile:
        """Like `ParsedFile.write`, with these comments (ascending places)."""


@runtime_checkable
class HasReviews(Protocol):
    """A file that states which translations a reviewer approved or returned."""

    @property
    def reviews(self) -> Mapping[tuple[int, int], ReviewState]:
        """The decision about the translation at each place."""


@runtime_checkable
class HasTags(Protocol):
    """A file whose inline elements are shown as numbered tags."""

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place."""


@runtime_checkable
class HasLanguages(Protocol):
    """A file that may declare its languages."""

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target language as written in the file ("en-US", "German"); "" if not declared."""


@runtime_checkable
class HasSeveralTargets(Protocol):
    """A file that may have targets in several languages."""

    def with_targets_in(self, language: str) -> ParsedFile:
        """The file with the targets of one language, which may have none yet."""


@runtime_checkable
class HasMatches(Protocol):
    """A file that contains matches of a memory for its segments."""

    def matches(self) -> Iterable[tuple[str, str, str]]:
        """Source, target and origin of each match."""


@runtime_checkable
class Reversible(Protocol):
    """A file of two languages side by side, either of which may be the source; places stay the same."""

    def reversed(self) -> ParsedFile | None:
        """The file with its targets as sources; None if it does not declare its languages."""


class TextFile:
    """Base class of files that are a single text."""

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
        """The line number, from 1."""
        return line_of(self.decoded.text, start)


class PairedFile(TextFile):
    """Base class of text files with targets beside their sources: each place is a whole unit."""

    units: Sequence[Unit]

    def source(self, start: int, end: int) -> str:
        """The source at this place. Raises LookupError if there is none."""
        return self._sources[start, end]

    @cached_property
    def _sources(self) -> dict[tuple[int, int], str]:
        return {(unit.start, unit.end): unit.source for unit in self.units}


def splice(text: str, edits: Iterable[Edit]) -> str:
    """Applies edits, which must not overlap, to a text. Edits at the same place keep their order."""
    parts: list[str] = []
    position = 0
    for start, end, replacement in sorted(edits, key=itemgetter(0, 1)):
        assert start >= position, f"edits overlap at {start}"
        parts += [text[position:start], replacement]
        position = end
    return "".join([*parts, text[position:]])


def encode(text: str, encoding: str, mark: bytes) -> WrittenFile:
    """Encodes the text; as UTF-8, with a note, if the encoding does not support all characters."""
    if missing := unencodable(text, encoding):
        described = shortened_list(f"{c} (U+{ord(c):04X})" for c in missing)
        note = Message(
            "{encoding} does not support {characters}; the file was saved as UTF-8 instead.",
            encoding=encoding_label(encoding),
            characters=described,
        )
        return WrittenFile(text.encode("utf-8"), note)
    return WrittenFile(mark + text.encode(encoding))


def one_line(text: str) -> str:
    """The text as one line: line breaks become spaces, lone surrogates become U+FFFD."""
    return _SURROGATE.sub("\ufffd", _LINE_BREAKS.sub(" ", text))


def line_of(text: str, position: int) -> str:
    """The line of an offset, for messages: "line 3"."""
    return Message("line {number}", number=len(_LINE_END.findall(text, 0, position)) + 1)
