"""The values that all formats share: units, their translations, and edits of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Literal

from app.i18n import Message
from app.text.encoding import encoding_label, shortened_list, unencodable
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
    length. `is_locked`: the file forbids to change its translation. `form` names the form of a message with several,
    such as plural forms: texts of other forms are not repetitions.
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
    is_locked: bool = False
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
    """A user's comment on the segment at the place (`start`, `end`); it may have several lines.

    `author` wrote it at `written_ms`, in milliseconds since 1970; "" and 0 if unknown.
    """

    start: int
    end: int
    text: str
    author: str = ""
    written_ms: int = 0


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """The bytes of a written file; `note` informs the user of an unexpected change, such as another encoding."""

    data: bytes
    note: str | None = None


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
