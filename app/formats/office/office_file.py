"""Office files whose text is in paragraphs of several XML parts: places, tags, and parts with translations."""

from __future__ import annotations

import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final, Protocol, TypeVar

from app.errors import DocumentError
from app.formats.base import Edit, RawTags, Unit, UnitTranslation, WrittenFile, one_line, splice
from app.formats.inline import Shown
from app.formats.office.office_package import OfficePackage
from app.formats.paragraph import OBJECT
from app.formats.parsed_file import ParsedFile
from app.i18n import Message
from app.text.encoding import DecodedText

MAX_PARAGRAPHS: Final = 50_000
MAX_RUNS: Final = 10_000  # in a paragraph
# The end of a paragraph, or the start of a run, in any of the formats.
_PARAGRAPH_OR_RUN = re.compile(r"</(?:[\w.-]+:)?(p|h|si|is)\s*>|<(?:[\w.-]+:)?(?:r|span)[\s>]")
# By paragraph: the characters from start to end, and their translation.
Changes = Mapping[int, Sequence[tuple[int, int, str]]]


class TextOfPart(Protocol):
    """A text of a part, such as a paragraph; it is in the part's XML from `start` to `end`."""

    start: int
    end: int
    text: str
    unsplit: list[tuple[int, int]]

    @property
    def breaks(self) -> Sequence[tuple[int, int]]:
        """The spans of line breaks and tabs in `text`."""

    @property
    def stretches(self) -> list[tuple[int, int]]:
        """The spans of `text` to translate."""

    def shown(self, start: int, end: int) -> Shown:
        """The text from start to end with placeholders."""

    def xml(self, translations: Sequence[tuple[int, int, str]]) -> str:
        """The XML with these spans (ascending) replaced."""


class HasParagraphs(Protocol):
    """A part of a file: its paragraphs, and their offsets in the text of the whole file."""

    @property
    def paragraphs(self) -> Sequence[TextOfPart]:
        """The paragraphs in order."""

    @property
    def starts(self) -> Sequence[int]:
        """The offset of each paragraph, ascending."""


P = TypeVar("P", bound=HasParagraphs)


def check_size(num_paragraphs: int, name: str) -> None:
    """Raises DocumentError if a document, or a part of it, has too many paragraphs."""
    if num_paragraphs > MAX_PARAGRAPHS:
        raise DocumentError(
            "{name} has more than {limit:,} paragraphs: split the document and open the parts one by one",
            name=name,
            limit=MAX_PARAGRAPHS,
        )


def check_runs(xml: str, name: str) -> int:
    """The number of paragraphs with an end tag. Raises DocumentError if one has too many runs.

    Called before the XML is parsed into a tree, because that takes longer.
    """
    num_paragraphs = num_runs = 0
    for found in _PARAGRAPH_OR_RUN.finditer(xml):
        if found[1]:
            num_paragraphs, num_runs = num_paragraphs + 1, 0
            continue
        num_runs += 1
        check_length(num_runs, num_paragraphs + 1, name)
    return num_paragraphs


def check_length(num_runs: int, number: int, name: str) -> None:
    """Raises DocumentError if paragraph `number` has too many runs."""
    if num_runs > MAX_RUNS:
        raise DocumentError(
            "{name}, {place}: the paragraph has more than {limit:,} texts and elements: break it up and open "
            "the file again",
            name=name,
            place=Message("paragraph {number}", number=number),
            limit=MAX_RUNS,
        )


@dataclass(frozen=True)
class OfficePart:
    """One XML file of the archive, with the description and the offset of each paragraph in the text of the whole file.

    `copies` are the names of the parts with the same paragraphs; `label` is the name of the part for a person.
    """

    name: str
    places: Sequence[str] = field(repr=False)
    decoded: DecodedText
    paragraphs: Sequence[TextOfPart] = field(repr=False)
    starts: Sequence[int] = field(repr=False)
    copies: Sequence[str] = ()
    label: str = ""

    @property
    def end(self) -> int:
        """The first offset of the next part."""
        return self.starts[-1] + len(self.paragraphs[-1].text) + 1


class ParagraphFile(ParsedFile):
    """A file of paragraphs; a place is a span of the text of all paragraphs in order. Each part has paragraphs."""

    parts: Sequence[OfficePart]

    @cached_property
    def units(self) -> Sequence[Unit]:
        """The texts in the order of the paragraphs."""
        return [
            unit_of(paragraph, start, end, offset)
            for part in self.parts
            for offset, paragraph in zip(part.starts, part.paragraphs, strict=True)
            for start, end in paragraph.stretches
        ]

    def source(self, start: int, end: int) -> str:
        """The text at a place, with placeholders. Raises LookupError if there is none."""
        return self._shown(start, end).text

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place. Raises LookupError if there is none."""
        return self._shown(start, end).tags

    def describe(self, start: int) -> str:
        """A description of the place of a text, for messages."""
        part, index = self._find(start)
        return part.places[index]

    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these spans replaced."""
        return WrittenFile(self.file_with(self.changed_parts(self.changes(translations), language)))

    def changes(self, translations: Sequence[UnitTranslation]) -> dict[str, Changes]:
        """The changes of each part, by its name."""
        found: dict[str, dict[int, list[tuple[int, int, str]]]] = {}
        for t in translations:
            part, index = self._find(t.start)
            first = t.start - part.starts[index]
            span = (first, first + t.end - t.start, one_line(t.text))
            found.setdefault(part.name, {}).setdefault(index, []).append(span)
        return {**found}

    def changed_parts(self, changes: Mapping[str, Changes], language: str | None) -> dict[str, bytes]:
        """The new content of the parts that change, by name."""
        new: dict[str, bytes] = {}
        for part in self.parts:
            if part.name in changes:
                new |= self.rewritten(part, changes[part.name], language)
        return new

    @abstractmethod
    def file_with(self, new: Mapping[str, bytes]) -> bytes:
        """The file with new content of some parts."""

    @abstractmethod
    def rewritten(self, part: OfficePart, changes: Changes, language: str | None) -> dict[str, bytes]:
        """The part with these changes, and other parts that change with it, by name."""

    def _shown(self, start: int, end: int) -> Shown:
        part, index = self._find(start)
        first = start - part.starts[index]
        return part.paragraphs[index].shown(first, first + end - start)

    def _find(self, start: int) -> tuple[OfficePart, int]:
        return find_paragraph(self.parts, start)


@dataclass(frozen=True)
class OfficeFile(ParagraphFile):
    """An Office file."""

    package: OfficePackage = field(repr=False)
    parts: Sequence[OfficePart] = field(repr=False)
    notes: tuple[str, ...] = ()

    def file_with(self, new: Mapping[str, bytes]) -> bytes:
        """The archive with new content of some parts."""
        return self.package.rewritten(new)


def unit_of(paragraph: TextOfPart, start: int, end: int, offset: int) -> Unit:
    """The unit from `start` to `end` of a paragraph that begins at `offset`: line breaks are spaces, objects U+2060."""
    breaks = [(first - start, last - start) for first, last in paragraph.breaks if start < first and last < end]
    spaces = [(first, last, " " * (last - first)) for first, last in breaks]
    whole = sorted((first - start, last - start) for first, last in paragraph.unsplit if first < end and last > start)
    source = splice(paragraph.text[start:end], spaces).replace(OBJECT, "\u2060")
    return Unit(offset + start, offset + end, source, whole=tuple(whole), breaks=tuple(breaks))


def find_paragraph(parts: Sequence[P], start: int) -> tuple[P, int]:
    """The part, and the index of the paragraph in it, at an offset. Raises LookupError if there is none."""
    number = bisect_right(parts, start, key=lambda part: part.starts[0]) - 1
    part = parts[max(number, 0)]
    index = bisect_right(part.starts, start) - 1
    if index < 0 or start - part.starts[index] >= len(part.paragraphs[index].text):
        raise LookupError(start)
    return part, index


def changed_at_once(xml: str, paragraphs: Sequence[TextOfPart], changes: Changes) -> str | None:
    """The XML with these changes; None if a changed text is inside of another, so that they have to be made in turn."""
    changed = sorted((paragraphs[number].start, paragraphs[number].end, number) for number in changes)
    if any(end > start for (_, end, _), (start, *_) in pairwise(changed)):
        return None
    return splice(xml, [(start, end, paragraphs[number].xml(changes[number])) for start, end, number in changed])


def moved(starts: Iterable[int], edits: Iterable[Edit]) -> list[int]:
    """The new starts of elements that began at `starts`, after edits before or inside of them."""
    ordered = sorted(edits, key=lambda edit: edit[1])
    ends = [end for _, end, _ in ordered]
    growths = list(accumulate((len(text) - (end - first) for first, end, text in ordered), initial=0))
    return [start + growths[bisect_right(ends, start)] for start in starts]


def starts_of(paragraphs: Sequence[TextOfPart], offset: int) -> list[int]:
    """The offsets of the paragraphs of a part that begins at `offset`."""
    return list(accumulate((len(paragraph.text) + 1 for paragraph in paragraphs), initial=offset))[:-1]
