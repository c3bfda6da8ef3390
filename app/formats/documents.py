"""Documents: a file with its segments, exported as the same bytes with translations in their places.

A document contains the bytes of its file and the place of each segment. The meaning of a place depends on the format
(`app.formats`). `app.formats.read_file` makes documents. Independent of models, sessions and the page.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from app.collector import collector_paused
from app.errors import DocumentError
from app.formats.base import Comment, RawTags, ReviewState, UnitTranslation
from app.formats.blocks import Block
from app.formats.coverage import Coverage, coverage_of
from app.formats.file_format import Format
from app.formats.kept_file import KeptFile
from app.formats.parsed_file import ParsedFile
from app.formats.part_rules import Part
from app.formats.srx import RuleFile
from app.text.text_limits import TextLimits

MAX_SEGMENT_CHARACTERS = 50_000


@dataclass(frozen=True, slots=True)
class Segment:
    """A sentence, or an entry of a file with sources and targets; `start` and `end` are its place in the format.

    A segment that was merged into another has an empty source and an empty place. `target` is the file's own
    translation, and `state` is "confirmed" if the file marks it as done. `note` is the file's comment on the segment,
    `limits` are the limits of the length of its translation. `placeholders` are texts of its source that are
    placeholders by the conventions of the file (`app.text.placeholder_conventions`). `is_locked`: nobody may change it.
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
    is_locked: bool = field(default=False, compare=False)  # the same


@dataclass(frozen=True, slots=True)
class Export:
    """An exported file; `note` informs the user of an unexpected change, such as another encoding."""

    name: str
    data: bytes
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """The bytes of a file and its segments. `notes` are notices for the user who opened it.

    `format` has the import settings. `encoding` and `mark` (byte order mark) describe a text file; they are empty for a
    container such as DOCX. `rules` are the segmentation rules of a file that was just read; None for our own rules, and
    for a document of the log, which is not split again.
    """

    name: str
    format: Format
    data: bytes = field(repr=False)
    encoding: str
    mark: bytes
    segments: tuple[Segment, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    rules: RuleFile | None = None
    kept: KeptFile = field(default_factory=KeptFile, repr=False, compare=False)

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
    def parsed(self) -> ParsedFile:
        """The parsed file, which is kept while the document is used."""
        return self.kept.get(lambda: self.format.parse(self.data, self.name), len(self.data))

    @property
    def can_be_reread(self) -> bool:
        """True if the file has import settings: columns, encoding, other texts, or keys."""
        is_text = self.format.has_encoding and self.encoding != "utf-8"
        return is_text or self.format.has_columns or self.format.rules is not None or bool(self.extras)

    def text_parts(self, rules: tuple[str, ...] | None = None) -> Sequence[Part]:
        """The keys or elements with text whose use a person can choose; `rules`, if given, replace the chosen ones.

        Empty for a format without this choice. Raises CommandError for a rule that cannot be used.
        """
        if self.format.rules is None:
            return ()
        if rules is None:
            return self.parsed.text_parts()
        return self.format.chosen(replace(self.format.reading, rules=rules)).parse(self.data, self.name).text_parts()

    @property
    def extras(self) -> Sequence[str]:
        """The kinds of texts of the file that a person may have offered, such as comments, chosen or not."""
        if self.kept.extras is None:
            self.kept.extras = self.parsed.extras if self.format.extras else ()
        return self.kept.extras

    @property
    def coverage(self) -> Coverage | None:
        """The share of the visible text that is offered; None for a format that declares the texts to be translated.

        Also None if a part of the file has too many XML elements for a tree, such as a sheet with a million cells.
        """
        if self.format.visible_texts is None:
            return None
        offered = self.format.as_seen("\n".join(segment.source for segment in self.segments))
        try:
            return coverage_of(offered, [*self.format.visible_texts(self)])
        except DocumentError:
            return None

    def blocks(self) -> Sequence[Block]:
        """The blocks of the document; one for each unit if the format does not provide blocks."""
        return self.parsed.blocks or [
            Block("entry" if unit.note else "paragraph", unit.start, unit.end, label=unit.note)
            for unit in self.parsed.all_units()
        ]

    def forms(self) -> Mapping[int, str]:
        """The forms of messages, such as plural forms, that segments are, by index; see `app.formats.base.Unit`."""
        if not self.format.has_forms:
            return {}
        units = [unit for unit in self.parsed.all_units() if unit.form]
        starts = [unit.start for unit in units]
        found = {}
        for segment in self.segments:
            place = bisect_right(starts, segment.start) - 1
            if segment.source and place >= 0 and segment.end <= units[place].end:
                found[segment.index] = units[place].form
        return found

    def matches(self) -> list[tuple[str, str, str]]:
        """Source, target and origin of the matches of a memory that the file contains."""
        return [*self.parsed.matches()] if self.format.is_paired else []

    def tags(self, index: int) -> RawTags:
        """The raw start and end tag for each numbered tag in the source of a segment; empty if it has none."""
        segment = self.segments[index]
        return self.parsed.tags(segment.start, segment.end) if "{" in segment.source else {}

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
        authors: Mapping[int, Comment] = MappingProxyType({}),
        reviews: Mapping[int, ReviewState] = MappingProxyType({}),
        locks: Mapping[int, bool] = MappingProxyType({}),
    ) -> Export:
        """Exports the document with translations by segment index; everything else is unchanged.

        `drafts` are the segments with an unconfirmed translation, `comments` the users' comments, with `authors` and
        times, `reviews` the decisions of reviewers, and `locks` whether segments are locked, for formats that support
        these. Without changes, the bytes are the original ones. The note lists data that the format could not keep. The
        language becomes part of the file name: "manual.de.txt".
        """
        unknown = [index for index in translations if not 0 <= index < len(self.segments)]
        if unknown:
            raise DocumentError(
                "{name}: segment index {index} does not exist (segments in the document: {count})",
                name=self.name,
                count=len(self.segments),
                index=unknown[0],
            )
        name = with_language(self.name, language)
        parsed = self.parsed
        changes = []
        for index, text in sorted(translations.items()):
            segment, is_confirmed = self.segments[index], index not in drafts
            review = reviews.get(index, "")
            place = (segment.start, segment.end)
            is_reviewed = bool(review) and place in parsed.reviews and review != parsed.reviews[place]
            is_changed = self._is_change(parsed, segment, text, is_confirmed, is_reviewed)
            if is_changed or (place in parsed.added and not self.format.is_paired):
                changes.append(UnitTranslation(segment.start, segment.end, text, is_confirmed, review))
        changes.sort(key=lambda change: change.start)
        remarks = [
            replace(
                authors.get(i, Comment(0, 0, "")), start=self.segments[i].start, end=self.segments[i].end, text=text
            )
            for i, text in comments.items()
            if text
        ]
        remarks.sort(key=lambda remark: remark.start)
        places = {(self.segments[index].start, self.segments[index].end): lock for index, lock in locks.items()}
        new_locks = {place: lock for place, lock in places.items() if parsed.locks.get(place, lock) != lock}
        if not changes and not new_locks and not (remarks and self.format.takes_comments):
            return Export(name, self.data)
        parsed = parsed.with_locks(new_locks) if new_locks else parsed
        written = parsed.write_with_comments(changes, remarks, language) if remarks else parsed.write(changes, language)
        return Export(name, written.data, written.note)

    def _is_change(
        self, parsed: ParsedFile, segment: Segment, text: str, is_confirmed: bool, is_reviewed: bool
    ) -> bool:
        """True if the translation differs from the file. Raises DocumentError if it is now parsed differently."""
        try:
            source = parsed.source(segment.start, segment.end)
        except LookupError:
            source = None
        if source != segment.source:
            raise DocumentError(
                "Segment {index} was created by another version of Pinpoint that reads this format differently: "
                "open the document again",
                index=segment.index + 1,
            )
        if self.format.is_paired:
            return text != segment.target or is_confirmed != (segment.state == "confirmed") or is_reviewed
        return text != source


def with_language(name: str, language: str | None) -> str:
    """The name with the language before its extension: "manual.de.txt". A template (.pot) becomes a PO file (.po)."""
    if not language:
        return name
    stem, dot, extension = name.rpartition(".")
    extension = extension[:-1] if extension.lower() == "pot" else extension
    return f"{stem}.{language}.{extension}" if dot and stem else f"{name}.{language}"
