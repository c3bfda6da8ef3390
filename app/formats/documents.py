"""Documents: reads a file into segments and writes the same bytes back with translations in their places.

A document contains the file's bytes and the place of each segment. The meaning of a place depends on the format
(`app.formats`). Independent of models, sessions and the page.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Literal, Protocol

from app.collector import collector_paused
from app.errors import DocumentError
from app.formats import Format, Reading, format_by_key, format_of
from app.formats.added_forms import HasAddedForms, all_units
from app.formats.base import (
    Comment,
    HasLanguages,
    HasMatches,
    HasReviews,
    HasTags,
    ParsedFile,
    RawTags,
    Reversible,
    ReviewState,
    SupportsComments,
    Unit,
    UnitTranslation,
)
from app.formats.bilingual.table import TableFile, first_rows
from app.formats.blocks import Block, HasBlocks
from app.formats.coverage import MARKDOWN, Coverage, coverage_of
from app.formats.office.docx import extras_of
from app.formats.part_rules import HasParts, Part
from app.formats.srx import RuleFile, segmenter_of
from app.i18n import Message
from app.text.encoding import safe_name
from app.text.sentences import sentence_spans
from app.text.text_limits import TextLimits

MAX_SEGMENTS = 20_000
MAX_SEGMENT_CHARACTERS = 50_000
OVERVIEW_CHARACTERS = 4000


class Split(Protocol):
    """Returns the spans of the segments of a text; none ends inside the spans of `whole`."""

    def __call__(self, text: str, whole: Sequence[tuple[int, int]] = ...) -> list[tuple[int, int]]: ...


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence, or an entry of a file with sources and targets; `start` and `end` are its place in the format.

    A segment that was merged into another has an empty source and an empty place. `target` is the file's own
    translation, "confirmed" if the file marks it as done. `note` is the file's comment on the segment, `limits` how
    long its translation may be.
    """

    index: int
    source: str
    start: int
    end: int
    target: str | None = None
    state: Literal["new", "edited", "confirmed"] = "new"
    note: str = ""
    limits: TextLimits | None = None
    review: ReviewState = field(default="", compare=False)  # known when the file is read; then the log has it


@dataclass(frozen=True, slots=True)
class Export:
    """An exported file; `note` informs the user of an unexpected change, such as another encoding."""

    name: str
    data: bytes
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """The bytes of a file and its segments. `notes` are notices for the user who opened it.

    `encoding` and `mark` (byte order mark) describe a text file; a container such as DOCX has none ("" and b"").
    `rules` are the segmentation rules that the file was just split by; None for our own and for a document of the log,
    which has its segments.
    """

    name: str
    format: str
    data: bytes = field(repr=False)
    encoding: str
    mark: bytes
    segments: tuple[Segment, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    rules: RuleFile | None = None

    @property
    def order(self) -> list[int]:
        """The segment indices in the order of their places, without segments merged into another."""
        return [segment.index for segment in sorted(self.segments, key=lambda s: s.start) if segment.source]

    @property
    def text(self) -> str:
        """The text of a text file, without its byte order mark."""
        assert self.encoding, f"{self.name} is not a text file"
        return self.data[len(self.mark) :].decode(self.encoding)

    @property
    def format_key(self) -> str:
        """The key of the file's format, independent of the import settings."""
        return format_by_key(self.format).key

    @property
    def reading(self) -> Reading:
        """The import settings that a person has chosen."""
        return format_by_key(self.format).reading

    @property
    def can_be_reread(self) -> bool:
        """True if the file has import settings: columns, encoding, other texts, or keys."""
        options = format_by_key(self.format).options
        is_text = "encoding" in options and self.encoding != "utf-8"
        return is_text or not {"columns", "rules"}.isdisjoint(options) or bool(self.extras)

    @property
    def has_encoding_choice(self) -> bool:
        """True if a person may choose the encoding."""
        return "encoding" in format_by_key(self.format).options

    @property
    def has_segments_choice(self) -> bool:
        """True if a person may choose paragraphs or sentences as segments."""
        return not format_by_key(self.format).is_paired

    def text_parts(self, rules: tuple[str, ...] | None = None) -> Sequence[Part]:
        """The keys or elements with text whose use a person can choose; under these rules, if given.

        Empty for a format without this choice. Raises CommandError for a rule that cannot be used.
        """
        chosen = format_by_key(self.format)
        if "rules" not in chosen.options:
            return ()
        if rules is not None:
            chosen = format_by_key(chosen.key).chosen(replace(self.reading, rules=rules or None))
        parsed = _parsed(chosen.log_key, self.data, self.name)
        return parsed.text_parts() if isinstance(parsed, HasParts) else ()

    @property
    def extras(self) -> Sequence[str]:
        """The kinds of texts of the file that a person may have offered, such as comments, chosen or not."""
        if "extras" not in format_by_key(self.format).options:
            return ()
        return extras_of(self.data, self.name)

    def preview(self, num_rows: int) -> tuple[tuple[int, int] | None, list[list[str]]]:
        """The columns of sources and targets of a table, and its first rows below the header; otherwise None."""
        parsed = _parsed(self.format, self.data, self.name)
        return (parsed.columns, first_rows(parsed, num_rows)) if isinstance(parsed, TableFile) else (None, [])

    @property
    def coverage(self) -> Coverage | None:
        """The share of the visible text that is offered; None for a format that declares the texts to be translated."""
        key = format_by_key(self.format).key
        return self._coverage(_parsed(self.format, self.data, self.name) if key in MARKDOWN else None)

    def _coverage(self, parsed: ParsedFile | None) -> Coverage | None:
        return coverage_of(
            format_by_key(self.format).key,
            self.data,
            self.text if self.encoding else "",
            (segment.source for segment in self.segments),
            parsed=parsed,
            with_properties="properties" in (self.reading.extras or ()),
        )

    def blocks(self) -> Sequence[Block]:
        """The blocks of the document; one for each unit if the format does not provide blocks."""
        parsed = _parsed(self.format, self.data, self.name)
        blocks = parsed.blocks if isinstance(parsed, HasBlocks) else ()
        return blocks or [
            Block("entry" if unit.note else "paragraph", unit.start, unit.end, label=unit.note)
            for unit in all_units(parsed)
        ]

    def matches(self) -> list[tuple[str, str, str]]:
        """Source, target and origin of the matches of a memory that the file contains."""
        if not format_by_key(self.format).is_paired:
            return []
        parsed = _parsed(self.format, self.data, self.name)
        return list(parsed.matches()) if isinstance(parsed, HasMatches) else []

    def tags(self, index: int) -> RawTags:
        """The raw start and end tag for each numbered tag in the source of a segment; empty if it has none."""
        segment = self.segments[index]
        if "{" not in segment.source:
            return {}
        parsed = _parsed(self.format, self.data, self.name)
        return parsed.tags(segment.start, segment.end) if isinstance(parsed, HasTags) else {}

    def export(self, translations: Mapping[int, str]) -> bytes:
        """The bytes of `export_file(translations)`."""
        return self.export_file(translations).data

    @collector_paused()
    def export_file(
        self,
        translations: Mapping[int, str],
        language: str | None = None,
        *,
        drafts: Collection[int] = (),
        comments: Mapping[int, str] = MappingProxyType({}),
        reviews: Mapping[int, ReviewState] = MappingProxyType({}),
    ) -> Export:
        """Exports the document with translations by segment index; everything else is unchanged.

        `drafts` are the segments with an unconfirmed translation, `comments` the users' comments and `reviews` the
        decisions of reviewers, for formats that support these. Without changes, the bytes are the original ones.
        The note lists data that the format could not keep. The language becomes part of the file name: "manual.de.txt".
        """
        unknown = [index for index in translations if not 0 <= index < len(self.segments)]
        if unknown:
            raise DocumentError(
                Message(
                    "{name}: segment index {index} does not exist (segments in the document: {count})",
                    name=self.name,
                    count=len(self.segments),
                    index=unknown[0],
                )
            )
        name = with_language(self.name, language)
        parsed = format_by_key(self.format).read(self.data, self.name)
        changes = []
        # asked once: each `isinstance` with a protocol looks at all its names
        reviewed = parsed.reviews if isinstance(parsed, HasReviews) else None
        added = parsed.added if isinstance(parsed, HasAddedForms) else {}
        for index, text in sorted(translations.items()):
            segment, is_confirmed = self.segments[index], index not in drafts
            review = reviews.get(index, "")
            place = (segment.start, segment.end)
            is_reviewed = bool(review) and reviewed is not None and review != reviewed.get(place, "")
            is_changed = _is_change(segment, text, is_confirmed, is_reviewed, parsed)
            if is_changed or (place in added and not parsed.is_paired):
                changes.append(UnitTranslation(segment.start, segment.end, text, is_confirmed, review))
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
class FileOverview:
    """The evidence for the direction of a parsed file: its languages, and about OVERVIEW_CHARACTERS of its text.

    `is_paired`: its format has targets. `turned` is the file with its targets as sources, where it can be turned.
    """

    name: str
    languages: tuple[str, str]
    text: str
    is_paired: bool
    turned: FileOverview | None = None

    def reversed(self) -> FileOverview | None:
        """The overview with targets as sources; None if the format has no targets or the file contains none."""
        return self.turned


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A parsed file that is not yet split into segments, because that depends on the language."""

    name: str
    format: Format
    data: bytes = field(repr=False)
    parsed: ParsedFile = field(repr=False)

    @property
    def languages(self) -> tuple[str, str]:
        """The declared source and target language; "" if not declared."""
        return self.parsed.languages if isinstance(self.parsed, HasLanguages) else ("", "")

    def reversed(self) -> ReadFile | None:
        """The file with its targets as sources; None if the format has no targets or the file contains none."""
        parsed = self.parsed.reversed() if isinstance(self.parsed, Reversible) else None
        return replace(self, parsed=parsed) if parsed and parsed.units else None

    def overview(self) -> FileOverview:
        """The evidence for the direction of the document."""
        turned = self.reversed()
        whole = self._overview()
        return whole if turned is None else replace(whole, turned=turned._overview())

    def _overview(self) -> FileOverview:
        texts: list[str] = []
        num_characters = OVERVIEW_CHARACTERS
        for unit in self.parsed.units:
            if num_characters <= 0:
                break
            texts.append(unit.source[:num_characters])
            num_characters -= len(unit.source)
        return FileOverview(self.name, self.languages, "\n".join(texts), self.format.is_paired)

    @collector_paused()
    def document(self, language: str, rules: RuleFile | None = None, target: str | None = None) -> Document:
        """Splits the file into segments: by `rules` if they have some for the source `language`, otherwise by our own.

        The plural forms that the `target` language needs and the file lacks are segments, too.
        Raises DocumentError, also for rules that cannot be used. A file with targets beside its sources is not split.
        """
        name, parsed = self.name, self.parsed
        is_by_paragraph = self.format.reading.segments == "paragraph"
        if parsed.is_paired or is_by_paragraph:
            rules = None
        segmenter = None if rules is None else segmenter_of(rules, language)
        notes: tuple[str, ...] = parsed.notes
        if rules is not None and segmenter is None:
            missing = Message(
                "{rules} has no rules for the language “{language}”: Pinpoint's own segmentation rules were used.",
                rules=rules.name,
                language=language,
            )
            notes = (*notes, missing)
        split: Split = partial(sentence_spans, language=language) if segmenter is None else segmenter.spans
        if is_by_paragraph:
            split = _paragraph_spans
        segments: list[Segment] = []
        for unit in parsed.units if target is None else all_units(parsed, target):
            segments += _segments_of(unit, parsed, split, len(segments))
            if len(segments) > MAX_SEGMENTS:
                raise DocumentError(
                    Message(
                        "{name} has more than {limit:,} segments: split the file and open the parts one by one",
                        name=name,
                        limit=MAX_SEGMENTS,
                    )
                )
        _check_lengths(segments, parsed, name)
        if not segments and self.format.reading.rules:
            raise DocumentError(
                Message(
                    "{name}: the rules leave no text to translate: change them, or remove one that skips too much",
                    name=name,
                )
            )
        if not segments:
            raise DocumentError(
                Message("{name} contains no text to translate: choose a file with text in it", name=name)
            )
        document = Document(
            name,
            self.format.log_key,
            self.data,
            parsed.encoding,
            parsed.mark,
            tuple(segments),
            notes,
            rules if segmenter else None,
        )
        coverage = document._coverage(parsed)
        note = coverage.note if coverage else None
        return replace(document, notes=(*document.notes, note)) if note else document


@collector_paused()
def read_document(
    data: bytes, name: str, language: str = "en", reading: Reading | None = None, target: str | None = None
) -> Document:
    """Reads a document with sources in that language: `read_file` and `ReadFile.document`."""
    return read_file(data, name, reading).document(language, target=target)


@collector_paused()
def read_file(data: bytes, name: str, reading: Reading | None = None) -> ReadFile:
    """Parses a file; the format depends on the extension of `name`, which is untrusted.

    Raises DocumentError with a remedy, and CommandError for a `reading` that the format does not have.
    """
    name = safe_name(name, "document.txt")
    its_format = format_of(name) if reading is None or reading == Reading() else format_of(name).chosen(reading)
    if len(data) > its_format.max_bytes:
        raise DocumentError(
            Message(
                "{name} is too large ({size:.1f} MiB, limit {limit} MiB): split the file and open the parts one by one",
                name=name,
                size=len(data) / 2**20,
                limit=its_format.max_bytes // 2**20,
            )
        )
    return ReadFile(name, its_format, data, its_format.read(data, name))


def with_language(name: str, language: str | None) -> str:
    """The name with the language before its extension: "manual.de.txt". A template (.pot) becomes a PO file (.po)."""
    if not language:
        return name
    stem, dot, extension = name.rpartition(".")
    extension = extension[:-1] if extension.lower() == "pot" else extension
    return f"{stem}.{language}.{extension}" if dot and stem else f"{name}.{language}"


def _paragraph_spans(text: str, whole: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """The span of a paragraph without white space at its ends; none if it has only white space."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return [(start, end)] if start < end else []


def _segments_of(unit: Unit, parsed: ParsedFile, split: Split, index: int) -> list[Segment]:
    if parsed.is_paired:
        state: Literal["new", "edited", "confirmed"] = "new"
        if unit.target is not None:
            state = "confirmed" if unit.is_confirmed else "edited"
        return [
            Segment(index, unit.source, unit.start, unit.end, unit.target, state, unit.note, unit.limits, unit.review)
        ]
    segments: list[Segment] = []
    for start, end in split(unit.source, whole=unit.whole):
        place = unit.start + start, unit.start + end
        number = index + len(segments)
        segments.append(Segment(number, parsed.source(*place), *place, note=unit.note, limits=unit.limits))
    return segments


def _is_change(segment: Segment, text: str, is_confirmed: bool, is_reviewed: bool, parsed: ParsedFile) -> bool:
    """True if the translation differs from the file. Raises DocumentError if the file is now parsed differently."""
    try:
        source = parsed.source(segment.start, segment.end)
    except LookupError:
        source = None
    if source != segment.source:
        raise DocumentError(
            Message(
                "Segment {index} was created by another version of Pinpoint that reads this format differently: "
                "open the document again",
                index=segment.index + 1,
            )
        )
    if parsed.is_paired:
        return text != segment.target or is_confirmed != (segment.state == "confirmed") or is_reviewed
    return text != source


def _check_lengths(segments: list[Segment], parsed: ParsedFile, name: str) -> None:
    for segment in segments:
        if len(segment.source) > MAX_SEGMENT_CHARACTERS:
            raise DocumentError(
                Message(
                    "{name}, {place}: the segment is too long ({count:,} characters, limit {limit:,}): break it up "
                    "and open the file again",
                    name=name,
                    place=parsed.describe(segment.start),
                    count=len(segment.source),
                    limit=MAX_SEGMENT_CHARACTERS,
                )
            )


@lru_cache(maxsize=2)
def _parsed(key: str, data: bytes, name: str) -> ParsedFile:
    return format_by_key(key).read(data, name)
