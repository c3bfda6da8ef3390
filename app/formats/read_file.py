"""Reads a file into a document: chooses the format, parses the file, and splits its texts into segments.

A file is parsed before its language is known, because the language may be found in its texts. It is split afterwards,
because the ends of sentences depend on the language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, Protocol

from app.collector import collector_paused
from app.errors import DocumentError
from app.formats import format_of
from app.formats.base import Unit
from app.formats.documents import MAX_SEGMENT_CHARACTERS, Document, Segment
from app.formats.file_format import MIB, Format, Reading
from app.formats.kept_file import KeptFile
from app.formats.parsed_file import ParsedFile
from app.formats.soft_breaks import LineBreaks, lines
from app.formats.srx import RuleFile, segmenter_of
from app.i18n import Message
from app.text.encoding import safe_name
from app.text.placeholder_conventions import conventions_of, placeholders_in
from engine import sentence_spans

MAX_SEGMENTS = 20_000
OVERVIEW_CHARACTERS = 4000


class Split(Protocol):
    """Returns the spans of the segments of a text; none ends inside the spans of `whole`."""

    def __call__(self, text: str, whole: Sequence[tuple[int, int]] = ...) -> list[tuple[int, int]]: ...


@dataclass(frozen=True, slots=True)
class FileOverview:
    """The evidence for the direction of a parsed file: its languages, and about OVERVIEW_CHARACTERS of its text.

    `is_paired`: its format has targets. `turned` is the overview of the file with its targets as sources, or None.
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
    """A parsed file that is not yet split into segments, because that depends on the language.

    `parsed` has the sources to translate; `as_written` is the file before these were exchanged with the targets.
    """

    name: str
    format: Format
    data: bytes = field(repr=False)
    parsed: ParsedFile = field(repr=False)
    as_written: ParsedFile = field(repr=False)

    @property
    def languages(self) -> tuple[str, str]:
        """The declared source and target language; "" if not declared."""
        return self.parsed.languages

    def reversed(self) -> ReadFile | None:
        """The file with its targets as sources; None if the format has no targets or the file contains none."""
        parsed = self.parsed.reversed()
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
        """Splits the file into segments, by `rules` if they have some for the source `language`, otherwise by our own.

        The plural forms that the `target` language needs and the file lacks are segments, too. A file with targets
        beside its sources is not split. Raises DocumentError, also for rules that cannot be used.
        """
        name, parsed = self.name, self.parsed
        if target is not None:
            parsed = parsed.with_targets_in(target)
        is_by_paragraph = self.format.reading.segments == "paragraph"
        if self.format.is_paired or is_by_paragraph:
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
        if target is not None and (fixed := parsed.fixed_plurals_note(target)):
            notes = (*notes, fixed)
        split: Split = partial(sentence_spans, language=language) if segmenter is None else segmenter.spans
        if is_by_paragraph:
            split = _paragraph_spans
        segments: list[Segment] = []
        for unit in parsed.units if target is None else parsed.all_units(target):
            segments += self._segments_of(unit, parsed, split, len(segments))
            if len(segments) > MAX_SEGMENTS:
                raise DocumentError(
                    "{name} has more than {limit:,} segments: split the file and open the parts one by one",
                    name=name,
                    limit=MAX_SEGMENTS,
                )
        _check_lengths(segments, parsed, name)
        if conventions := conventions_of(self.format.conventions, (segment.source for segment in segments)):
            segments = [replace(one, placeholders=placeholders_in(one.source, conventions)) for one in segments]
        if not segments and self.format.reading.rules:
            raise DocumentError(
                "{name}: the rules leave no text to translate: change them, or remove one that skips too much",
                name=name,
            )
        if not segments:
            raise DocumentError("{name} contains no text to translate: choose a file with text in it", name=name)
        document = Document(
            name,
            self.format,
            self.data,
            parsed.encoding,
            parsed.mark,
            tuple(segments),
            notes,
            rules if segmenter else None,
            KeptFile(self.as_written, len(self.data)),
        )
        coverage = document.coverage
        note = coverage.note if coverage else None
        return replace(document, notes=(*document.notes, note)) if note else document

    def _segments_of(self, unit: Unit, parsed: ParsedFile, split: Split, index: int) -> Iterator[Segment]:
        """The segments of a unit, of which the first has this index."""
        if self.format.is_paired:
            state: Literal["new", "edited", "confirmed"] = "new"
            if unit.target is not None:
                state = "confirmed" if unit.is_confirmed else "edited"
            yield Segment(
                index,
                unit.source,
                unit.start,
                unit.end,
                unit.target,
                state,
                unit.note,
                unit.limits,
                review=unit.review,
                is_locked=unit.is_locked,
            )
            return
        for number, (start, end) in enumerate(_spans_of(unit, split, self.format.reading.line_breaks), index):
            place = unit.start + start, unit.start + end
            yield Segment(number, parsed.source(*place), *place, note=unit.note, limits=unit.limits)


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
            "{name} is too large ({size:.1f} MiB, limit {limit} MiB): split the file and open the parts one by one",
            name=name,
            size=len(data) / MIB,
            limit=its_format.max_bytes // MIB,
        )
    parsed = its_format.parse(data, name)
    return ReadFile(name, its_format, data, parsed, parsed)


def _paragraph_spans(text: str, whole: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """The span of a paragraph without white space at its ends; none if it has only white space."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return [(start, end)] if start < end else []


def _spans_of(unit: Unit, split: Split, line_breaks: LineBreaks | None) -> Iterator[tuple[int, int]]:
    """The spans of the segments of a unit: of the sentences of its lines."""
    if not unit.breaks:
        yield from split(unit.source, whole=unit.whole)
        return
    for first, last in lines(unit.source, unit.breaks, line_breaks):
        inside = [(max(s, first) - first, min(e, last) - first) for s, e in unit.whole if s < last and e > first]
        for start, end in split(unit.source[first:last], whole=inside):
            yield first + start, first + end


def _check_lengths(segments: list[Segment], parsed: ParsedFile, name: str) -> None:
    for segment in segments:
        if len(segment.source) > MAX_SEGMENT_CHARACTERS:
            raise DocumentError(
                "{name}, {place}: the segment is too long ({count:,} characters, limit {limit:,}): break it up "
                "and open the file again",
                name=name,
                place=parsed.describe(segment.start),
                count=len(segment.source),
                limit=MAX_SEGMENT_CHARACTERS,
            )
