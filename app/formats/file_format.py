"""A file format as an object: its names, what its files can have, and how a person chose to read a file of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol
from urllib.parse import quote, unquote

from app.errors import Checked, CommandError
from app.formats.parsed_file import ParsedFile
from app.formats.soft_breaks import LineBreaks
from app.i18n import Message
from app.text.encoding import codec_of
from app.text.placeholder_conventions import Convention

MIB: Final = 2**20


@dataclass(frozen=True, slots=True)
class Reading(Checked):
    """Import settings that a person chose for a file; None if the reader of the format decides.

    `encoding` is a codec's name; `columns` are the numbers of the columns of sources and targets of a table, from 0.
    `extras` are the kinds of further texts to offer (`Format.extras`). `segments` is "paragraph" if each paragraph is
    one segment, otherwise each sentence is; formats with targets beside their sources do not have this choice.
    `line_breaks` is "separate" if each line break ends a segment, "join" if none does (`app.formats.soft_breaks`);
    formats without line breaks inside paragraphs do not have this choice. `rules` are lines that choose the parts of
    the file to translate (`app.formats.part_rules`).
    """

    encoding: str | None = None
    columns: tuple[int, int] | None = None
    extras: tuple[str, ...] | None = None
    segments: Literal["paragraph"] | None = None
    rules: tuple[str, ...] | None = None
    line_breaks: LineBreaks | None = None

    @property
    def stored(self) -> list[str]:
        """The chosen settings for the log: ["encoding=cp1250", "columns=1,2"]."""
        given = ((name, getattr(self, setting), write) for name, (setting, write, _) in _STORED.items())
        return [f"{name}={write(value)}" for name, value, write in given if value]

    @classmethod
    def of_stored(cls, settings: Iterable[str]) -> Reading:
        """The import settings of such texts. Raises LookupError, ValueError or CommandError for any other text."""
        given: dict[str, Any] = {}
        for name, _, text in (setting.partition("=") for setting in settings):
            field_name, _, read = _STORED[name]
            given[field_name] = read(text)
        return cls(**given)


def _encoding(text: str) -> str:
    if codec_of(text) != text:
        raise LookupError(text)
    return text


def _columns(text: str) -> tuple[int, int]:
    source, target = map(int, text.split(","))
    if min(source, target) < 0:
        raise ValueError(text)
    return source, target


# By the name in the log: the field of `Reading`, and the functions that write and read its value.
_STORED: Final[Mapping[str, tuple[str, Callable[[Any], str], Callable[[str], Any]]]] = {
    "encoding": ("encoding", str, _encoding),
    "columns": ("columns", lambda columns: f"{columns[0]},{columns[1]}", _columns),
    "extras": ("extras", ",".join, lambda text: tuple(text.split(","))),
    "segments": ("segments", str, str),
    "rules": ("rules", lambda rules: quote("\n".join(rules), safe=""), lambda text: tuple(unquote(text).split("\n"))),
    "lines": ("line_breaks", str, str),
}


class FormattedFile(Protocol):
    """A file with its format, such as a document (`app.formats.documents`). A container, such as DOCX, has no text."""

    @property
    def format(self) -> Format: ...
    @property
    def data(self) -> bytes: ...
    @property
    def text(self) -> str: ...
    @property
    def parsed(self) -> ParsedFile: ...


VisibleTexts = Callable[[FormattedFile], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Format:
    """One file format, and the import settings of a file of it.

    Args:
        key: Identifies the format in the log and in the settings of projects.
        label: Its name in messages.
        endings: Of file names, in small letters.
        parser: Parses the bytes of a file with this name, and with those import settings that the format has.
        max_bytes: Larger files are refused.
        is_paired: Files have targets beside their sources: their units are not split, and missing targets stay empty.
        takes_comments: Files can have comments on their segments.
        comments_on_request: They are exported only if a person asks for them, because the readers of a file see them.
        has_forms: Units may be forms of a message, such as plural forms.
        has_encoding: A person may choose the encoding.
        has_columns: A person may choose the columns of sources and targets.
        has_line_breaks: Paragraphs may have line breaks inside, and a person may choose whether these end segments.
        joins_lines: The parser takes that choice, because lines of a file are joined to paragraphs.
        extras: The kinds of further texts that a person may choose, with their names in messages.
        rules: Checks lines that choose the parts to translate; None if a person cannot choose them.
        conventions: Placeholders of its texts, beside those of every text.
        visible_texts: Finds the texts that a reader sees; None if files declare the texts to be translated.
        as_seen: An offered text as a reader sees it, without marks.
        reading: The chosen import settings.
    """

    key: str
    label: str
    endings: tuple[str, ...]
    parser: Callable[..., ParsedFile]
    max_bytes: int = 5 * MIB
    is_paired: bool = False
    takes_comments: bool = False
    comments_on_request: bool = False
    has_forms: bool = False
    has_encoding: bool = False
    has_columns: bool = False
    has_line_breaks: bool = False
    joins_lines: bool = False
    extras: Mapping[str, str] = field(default_factory=dict)
    rules: Callable[[Iterable[str]], object] | None = None
    conventions: tuple[Convention, ...] = ()
    visible_texts: VisibleTexts | None = None
    as_seen: Callable[[str], str] = str
    reading: Reading = Reading()

    @property
    def stored(self) -> str:
        """The format with its import settings, for the log: "csv;encoding=cp1250;columns=1,2"."""
        return ";".join([self.key, *self.reading.stored])

    def chosen(self, reading: Reading) -> Format:
        """The format with files read this way. Raises CommandError for a choice that it does not have."""
        refused = [
            what
            for value, is_possible, what in (
                (reading.encoding, self.has_encoding, Message("encoding")),
                (reading.columns, self.has_columns, Message("columns")),
                (reading.extras, self.extras, Message("other texts")),
                (reading.rules, self.rules, Message("parts to translate")),
                (reading.segments, not self.is_paired, Message("segments")),
                (reading.line_breaks, self.has_line_breaks, Message("line breaks")),
            )
            if value is not None and not is_possible
        ]
        if refused:
            raise CommandError("{format} does not have the import setting “{what}”", format=self.label, what=refused[0])
        if unknown := [name for name in reading.extras or () if name not in self.extras]:
            raise CommandError(
                "{name!r} is not a kind of text: choose from {list}", name=unknown[0], list=", ".join(self.extras)
            )
        if self.rules is not None:
            self.rules(reading.rules or ())
        return replace(self, reading=replace(reading, extras=reading.extras or None, rules=reading.rules or None))

    def parse(self, data: bytes, name: str) -> ParsedFile:
        """Parses a file. Raises DocumentError with a remedy."""
        names = ("encoding", "columns", "extras", "rules", *(["line_breaks"] if self.joins_lines else []))
        given = {name: value for name in names if (value := getattr(self.reading, name)) is not None}
        return self.parser(data, name, **given)
