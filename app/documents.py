"""Plain-text documents: bytes in, segments out, and the same bytes back with translations in place.

One line is one segment; blank lines belong to the layout. White space at either end of a line, line ends and the
encoding are kept as they are. Knows nothing of models, sessions or the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.errors import DocumentError
from app.text_files import decode_text, encoding_label, listing, safe_name, unwritable

MAX_BYTES = 5 * 1024 * 1024
MAX_SEGMENTS = 20_000
MAX_SEGMENT_CHARACTERS = 50_000

# Only these end a line: a form feed or U+2028 inside a line is a character of its text.
_LINE = re.compile(r"[^\r\n]+")
_LINE_BREAKS = re.compile(r"[\r\n]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Segment:
    """One line's text without the white space around it: `document.text[start:end] == source`."""

    index: int
    source: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Export:
    """A file to hand to the person; `note` says what differs from what they may expect."""

    name: str
    data: bytes
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A text, its segments, and all that is needed to write it again. `notes` are for the person who opened it."""

    name: str
    text: str = field(repr=False)
    encoding: str
    mark: bytes
    segments: tuple[Segment, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def data(self) -> bytes:
        """The file's bytes as they were opened."""
        return self.mark + self.text.encode(self.encoding)

    def export(self, translations: Mapping[int, str]) -> bytes:
        """The document with these segments' text replaced, by index: `export_file` without its name and note."""
        return self.export_file(translations).data

    def export_file(self, translations: Mapping[int, str], language: str | None = None) -> Export:
        """The document with these segments' text replaced, by index; the others keep their source.

        A line break inside a translation becomes a space, as a segment is a line. What the document's encoding cannot
        write makes the whole file UTF-8, which the note says. The name gets the language: "manual.de.txt".
        """
        unknown = [index for index in translations if not 0 <= index < len(self.segments)]
        if unknown:
            raise DocumentError(f"{self.name} has {len(self.segments)} segments, none with index {unknown[0]}")
        parts: list[str] = []
        position = 0
        for segment in self.segments:
            translation = translations.get(segment.index)
            if translation is None:
                continue
            parts += [self.text[position : segment.start], _one_line(translation)]
            position = segment.end
        text = "".join([*parts, self.text[position:]])
        name = with_language(self.name, language)
        if missing := unwritable(text, self.encoding):
            described = listing(f"{c} (U+{ord(c):04X})" for c in missing)
            note = f"{encoding_label(self.encoding)} cannot hold {described}; the file is saved as UTF-8 instead."
            return Export(name, text.encode("utf-8"), note)
        return Export(name, self.mark + text.encode(self.encoding))


def read_document(data: bytes, name: str) -> Document:
    """The document in these bytes; `name` is the upload's, untrusted. Raises DocumentError with the cure."""
    name = safe_name(name, "document.txt")
    if len(data) > MAX_BYTES:
        raise DocumentError(
            f"{name} has {len(data) / 2**20:.1f} MiB; Pinpoint opens up to {MAX_BYTES // 2**20} MiB: "
            "split the file and open the parts one by one"
        )
    decoded = decode_text(data, name, DocumentError)
    segments: list[Segment] = []
    for line in _LINE.finditer(decoded.text):
        source = line.group().strip()
        if not source:
            continue
        start = line.start() + len(line.group()) - len(line.group().lstrip())
        segments.append(Segment(len(segments), source, start, start + len(source)))
    _check_limits(segments, decoded.text, name)
    notes = (decoded.note,) if decoded.note else ()
    return Document(name, decoded.text, decoded.encoding, decoded.mark, tuple(segments), notes)


def with_language(name: str, language: str | None) -> str:
    """The name with the language before its ending: "manual.de.txt"."""
    if not language:
        return name
    stem, dot, extension = name.rpartition(".")
    return f"{stem}.{language}.{extension}" if dot and stem else f"{name}.{language}"


def _check_limits(segments: list[Segment], text: str, name: str) -> None:
    if len(segments) > MAX_SEGMENTS:
        raise DocumentError(
            f"{name} has {len(segments):,} lines of text; Pinpoint opens up to {MAX_SEGMENTS:,}: "
            "split the file and open the parts one by one"
        )
    for segment in segments:
        if len(segment.source) > MAX_SEGMENT_CHARACTERS:
            line = len(re.findall(r"\r\n|\r|\n", text[: segment.start])) + 1
            raise DocumentError(
                f"{name}, line {line}: {len(segment.source):,} characters in one line; Pinpoint takes up to "
                f"{MAX_SEGMENT_CHARACTERS:,}: break the line up and open the file again"
            )


def _one_line(translation: str) -> str:
    return _SURROGATE.sub("\ufffd", _LINE_BREAKS.sub(" ", translation))
