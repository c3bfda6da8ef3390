"""Documents: bytes in, segments out, and the same bytes back with translations in place.

A document keeps its bytes and the place of each segment in them; what the places mean is its format's business
(`app.formats`). Knows nothing of models, sessions or the page.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from app.errors import DocumentError
from app.formats import Format, format_by_key, format_of
from app.formats.base import Comment, HasLanguages, ParsedFile, Reversible, SupportsComments, Unit, UnitTranslation
from app.i18n import Message
from app.text.encoding import safe_name
from app.text.sentences import sentence_spans

MAX_SEGMENTS = 20_000
MAX_SEGMENT_CHARACTERS = 50_000


@dataclass(frozen=True, slots=True)
class Segment:
    """One sentence, or one entry of a file that pairs sources with targets. `start` and `end` are its format's.

    A segment that was joined to another has no source any more, and an empty place.
    `target` is the translation that the file came with, "confirmed" where the file says that it is done. `note` is what
    the file says about the segment.
    """

    index: int
    source: str
    start: int
    end: int
    target: str | None = None
    state: Literal["new", "edited", "confirmed"] = "new"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Export:
    """A file to hand to the person; `note` says what differs from what they may expect."""

    name: str
    data: bytes
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A file's bytes and its segments. `notes` are for the person who opened it.

    `encoding` and `mark` are those of a text file; a container, such as DOCX, has none ("" and b"").
    """

    name: str
    format: str
    data: bytes = field(repr=False)
    encoding: str
    mark: bytes
    segments: tuple[Segment, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def order(self) -> list[int]:
        """The segments' indices in the order of their places; without those that were joined to another."""
        return [segment.index for segment in sorted(self.segments, key=lambda s: s.start) if segment.source]

    @property
    def text(self) -> str:
        """The text of a text file, without its byte order mark."""
        assert self.encoding, f"{self.name} is no text file"
        return self.data[len(self.mark) :].decode(self.encoding)

    def export(self, translations: Mapping[int, str]) -> bytes:
        """The document with these segments' text replaced, by index: `export_file` without its name and note."""
        return self.export_file(translations).data

    def export_file(
        self,
        translations: Mapping[int, str],
        language: str | None = None,
        *,
        drafts: Collection[int] = (),
        comments: Mapping[int, str] = MappingProxyType({}),
    ) -> Export:
        """The document with these segments translated, by index; all else is as it was.

        `drafts` are the segments whose translation is not confirmed, `comments` what is remarked on segments, for
        formats that tell. Where nothing is new, the
        bytes are the document's own. The note says what the format could not keep; the name gets the language:
        "manual.de.txt".
        """
        unknown = [index for index in translations if not 0 <= index < len(self.segments)]
        if unknown:
            raise DocumentError(
                Message(
                    "{name} has {count} segments, none with index {index}",
                    name=self.name,
                    count=len(self.segments),
                    index=unknown[0],
                )
            )
        name = with_language(self.name, language)
        parsed = format_by_key(self.format).read(self.data, self.name)
        changes = []
        for index, text in sorted(translations.items()):
            segment, is_confirmed = self.segments[index], index not in drafts
            if _is_news(segment, text, is_confirmed, parsed):
                changes.append(UnitTranslation(segment.start, segment.end, text, is_confirmed))
        changes.sort(key=lambda change: change.start)
        remarks = [Comment(self.segments[i].start, self.segments[i].end, text) for i, text in comments.items() if text]
        remarks.sort(key=lambda remark: remark.start)
        if remarks and isinstance(parsed, SupportsComments):
            written = parsed.write_with_comments(changes, remarks, language)
        elif changes:
            written = parsed.write(changes, language)
        else:
            return Export(name, self.data)
        return Export(name, written.data, written.note)


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file whose structure is known, and whose segments are not yet: where they end depends on the language."""

    name: str
    format: Format
    data: bytes = field(repr=False)
    parsed: ParsedFile = field(repr=False)

    @property
    def languages(self) -> tuple[str, str]:
        """Those of source and target that the file names; empty where it says nothing."""
        return self.parsed.languages if isinstance(self.parsed, HasLanguages) else ("", "")

    def turned(self) -> ReadFile | None:
        """The file with its targets as sources, where it says that it has both side by side, and has any targets."""
        parsed = self.parsed.turned() if isinstance(self.parsed, Reversible) else None
        return replace(self, parsed=parsed) if parsed and parsed.units else None

    def beginning(self, num_characters: int) -> str:
        """The text of the first units, about that long."""
        texts: list[str] = []
        for unit in self.parsed.units:
            if num_characters <= 0:
                break
            texts.append(unit.source[:num_characters])
            num_characters -= len(unit.source)
        return "\n".join(texts)

    def document(self, language: str) -> Document:
        """The document; `language` is that of the source, whose rules end a sentence. Raises DocumentError."""
        name, parsed = self.name, self.parsed
        segments: list[Segment] = []
        for unit in parsed.units:
            segments += _segments_of(unit, parsed, language, len(segments))
            if len(segments) > MAX_SEGMENTS:
                raise DocumentError(
                    Message(
                        "{name} has more than {limit:,} segments, which is what Pinpoint opens: split the "
                        "file and open the parts one by one",
                        name=name,
                        limit=MAX_SEGMENTS,
                    )
                )
        _check_lengths(segments, parsed, name)
        if not segments:
            raise DocumentError(Message("{name} holds no text to translate: choose a file with text in it", name=name))
        return Document(name, self.format.key, self.data, parsed.encoding, parsed.mark, tuple(segments), parsed.notes)


def read_document(data: bytes, name: str, language: str = "en") -> Document:
    """The document in these bytes, with sources in that language: `read_file` and `ReadFile.document`."""
    return read_file(data, name).document(language)


def read_file(data: bytes, name: str) -> ReadFile:
    """The file in these bytes; `name` is the upload's, untrusted, and its ending tells the format.

    Raises DocumentError with the cure.
    """
    name = safe_name(name, "document.txt")
    its_format = format_of(name)
    if len(data) > its_format.max_bytes:
        raise DocumentError(
            Message(
                "{name} has {size:.1f} MiB; Pinpoint opens up to {limit} MiB: split the file and open "
                "the parts one by one",
                name=name,
                size=len(data) / 2**20,
                limit=its_format.max_bytes // 2**20,
            )
        )
    return ReadFile(name, its_format, data, its_format.read(data, name))


def with_language(name: str, language: str | None) -> str:
    """The name with the language before its ending: "manual.de.txt"."""
    if not language:
        return name
    stem, dot, extension = name.rpartition(".")
    return f"{stem}.{language}.{extension}" if dot and stem else f"{name}.{language}"


def _segments_of(unit: Unit, parsed: ParsedFile, language: str, index: int) -> list[Segment]:
    if parsed.is_paired:
        state: Literal["new", "edited", "confirmed"] = "new"
        if unit.target is not None:
            state = "confirmed" if unit.is_confirmed else "edited"
        return [Segment(index, unit.source, unit.start, unit.end, unit.target, state, unit.note)]
    segments: list[Segment] = []
    for start, end in sentence_spans(unit.source, language, unit.whole):
        place = unit.start + start, unit.start + end
        segments.append(Segment(index + len(segments), parsed.source(*place), *place, note=unit.note))
    return segments


def _is_news(segment: Segment, text: str, is_confirmed: bool, parsed: ParsedFile) -> bool:
    """Whether the file does not say it already; raises where the file is not read as it was when it was opened."""
    try:
        source = parsed.source(segment.start, segment.end)
    except LookupError:
        source = None
    if source != segment.source:
        raise DocumentError(
            Message(
                "Segment {index} was found by another version of Pinpoint, which reads this format "
                "otherwise: open the document anew",
                index=segment.index + 1,
            )
        )
    if parsed.is_paired:
        return text != segment.target or is_confirmed != (segment.state == "confirmed")
    return text != source


def _check_lengths(segments: list[Segment], parsed: ParsedFile, name: str) -> None:
    for segment in segments:
        if len(segment.source) > MAX_SEGMENT_CHARACTERS:
            raise DocumentError(
                Message(
                    "{name}, {place}: {count:,} characters in one segment; Pinpoint takes up to "
                    "{limit:,}: break it up and open the file again",
                    name=name,
                    place=parsed.describe(segment.start),
                    count=len(segment.source),
                    limit=MAX_SEGMENT_CHARACTERS,
                )
            )
