"""Documents: a file with its segments, exported as the same bytes with translations in their places.

A document contains the bytes of its file and the place of each segment. The meaning of a place depends on the format
(`app.formats`). `app.formats.read_file` makes documents. Independent of models, sessions and the page.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from app.collector import collector_paused
from app.errors import DocumentError
from app.formats import Reading, format_by_key
from app.formats.added_forms import HasAddedForms, all_units
from app.formats.base import (
    Comment,
    HasMatches,
    HasReviews,
    HasTags,
    ParsedFile,
    RawTags,
    ReviewState,
    SupportsComments,
    UnitTranslation,
)
from app.formats.bilingual.table import TableFile, first_rows
from app.formats.blocks import Block, HasBlocks
from app.formats.coverage import MARKDOWN, Coverage, coverage_of
from app.formats.office.docx import extras_of
from app.formats.part_rules import HasParts, Part
from app.formats.srx import RuleFile
from app.i18n import Message
from app.text.text_limits import TextLimits

MAX_SEGMENT_CHARACTERS = 50_000


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence, or an entry of a file with sources and targets; `start` and `end` are its place in the format.

    A segment that was merged into another has an empty source and an empty place. `target` is the file's own
    translation, and `state` is "confirmed" if the file marks it as done. `note` is the file's comment on the segment,
    `limits` are the limits of the length of its translation. `placeholders` are texts of its source that are
    placeholders by the conventions of the file (`app.text.placeholder_conventions`).
    """

    index: int
    source: str
    start: int
    end: int
    target: str | None = None
    state: Literal["new", "edited", "confirmed"] = "new"
    note: str = ""
    limits: TextLimits | None = None
    placeholders: tuple[str, ...] = ()
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

    `encoding` and `mark` (byte order mark) describe a text file; they are empty for a container such as DOCX. `rules`
    are the segmentation rules of a file that was just read; None for our own rules, and for a document of the log,
    which is not split again.
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

    @property
    def has_line_breaks_choice(self) -> bool:
        """True if a person may choose whether line breaks end segments."""
        return format_by_key(self.format).has_line_breaks

    def text_parts(self, rules: tuple[str, ...] | None = None) -> Sequence[Part]:
        """The keys or elements with text whose use a person can choose; `rules`, if given, replace the chosen ones.

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
        return self.coverage_with(_parsed(self.format, self.data, self.name) if key in MARKDOWN else None)

    def coverage_with(self, parsed: ParsedFile | None) -> Coverage | None:
        """The same for a file that is parsed already; only formats in `MARKDOWN` need the parsed file."""
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

    def forms(self) -> Mapping[int, str]:
        """The forms of messages, such as plural forms, that segments are, by index; see `app.formats.base.Unit`."""
        if not format_by_key(self.format).has_forms:
            return {}
        units = [unit for unit in all_units(_parsed(self.format, self.data, self.name)) if unit.form]
        starts = [unit.start for unit in units]
        found = {}
        for segment in self.segments:
            place = bisect_right(starts, segment.start) - 1
            if segment.source and place >= 0 and segment.end <= units[place].end:
                found[segment.index] = units[place].form
        return found

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


def with_language(name: str, language: str | None) -> str:
    """The name with the language before its extension: "manual.de.txt". A template (.pot) becomes a PO file (.po)."""
    if not language:
        return name
    stem, dot, extension = name.rpartition(".")
    extension = extension[:-1] if extension.lower() == "pot" else extension
    return f"{stem}.{language}.{extension}" if dot and stem else f"{name}.{language}"


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


@lru_cache(maxsize=2)
def _parsed(key: str, data: bytes, name: str) -> ParsedFile:
    return format_by_key(key).read(data, name)
