"""The common interface of all formats: a parsed file, its translatable units, and writing translations back.

Reading only depends on the bytes, so that a document can be written from its stored bytes and the stored places of its
segments. A format overrides what its files have; by default, a file has none of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter

from app.formats.added_forms import AddedForm, FixedPlural, Place
from app.formats.base import Comment, RawTags, ReviewState, Unit, UnitTranslation, WrittenFile, line_of
from app.formats.blocks import Block
from app.formats.part_rules import Part
from app.formats.unit_notes import numbers_note
from app.i18n import Message
from app.text.encoding import DecodedText, shortened_list


class ParsedFile(ABC):
    """A parsed file. The properties are cached, so that a format may have a plain attribute in their place."""

    @cached_property
    def units(self) -> Sequence[Unit]:
        """The translatable units in file order, places ascending."""
        raise NotImplementedError

    @cached_property
    def encoding(self) -> str:
        """The codec of the text; empty for a container, such as DOCX."""
        return ""

    @cached_property
    def mark(self) -> bytes:
        """The byte order mark of the text."""
        return b""

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notices for the user who opens the file."""
        return ()

    @cached_property
    def languages(self) -> tuple[str, str]:
        """Source and target language as written in the file ("en-US", "German"); "" if not declared."""
        return "", ""

    @cached_property
    def extras(self) -> Sequence[str]:
        """The kinds of further texts (`Format.extras`) that the file has, chosen or not."""
        return ()

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The visible parts in the order in which they are read; empty if each unit is one."""
        return ()

    @cached_property
    def added(self) -> Mapping[Place, AddedForm]:
        """Plural forms that a target language may need, by the places of their segments, ascending."""
        return {}

    @cached_property
    def fixed_plurals(self) -> Sequence[FixedPlural]:
        """Plurals to which no forms are added, in the order of the file."""
        return ()

    @cached_property
    def reviews(self) -> Mapping[Place, ReviewState]:
        """A reviewer's decision about the translation at each place, if the format has reviews."""
        return {}

    @cached_property
    def locks(self) -> Mapping[Place, bool]:
        """Whether each place is locked, where the format can store a lock."""
        return {}

    def with_locks(self, locks: Mapping[Place, bool]) -> ParsedFile:
        """The file that writes these locks, of places in `locks`, with the translations."""
        return self

    @abstractmethod
    def source(self, start: int, end: int) -> str:
        """The source at a place as one line: a unit or, in prose, a part of one. Raises LookupError without one."""

    @abstractmethod
    def describe(self, start: int) -> str:
        """A description of a place for messages: "line 3"."""

    @abstractmethod
    def write(self, translations: Sequence[UnitTranslation], language: str | None) -> WrittenFile:
        """The file with these translations (ascending places); everything else is unchanged byte for byte."""

    def write_with_comments(
        self, translations: Sequence[UnitTranslation], comments: Sequence[Comment], language: str | None
    ) -> WrittenFile:
        """Like `write`, with these comments (ascending places) if the format has comments."""
        return self.write(translations, language)

    def tags(self, start: int, end: int) -> RawTags:
        """The tags of the source at a place, if the format shows inline elements as numbered tags."""
        return {}

    def with_targets_in(self, language: str) -> ParsedFile:
        """The file with the targets of one language, if it has targets in several; it may have none yet."""
        return self

    def reversed(self) -> ParsedFile | None:
        """The file with its targets as sources; None if it is not of two languages side by side, which it declares.

        Places stay the same.
        """
        return None

    def matches(self) -> Iterable[tuple[str, str, str]]:
        """Source, target and origin of each match of a memory that the file contains for its segments."""
        return ()

    def text_parts(self) -> Sequence[Part]:
        """The parts with text that a person can choose, in the order of the file, including those left out."""
        return ()

    def preview(self, num_rows: int) -> tuple[tuple[int, int] | None, list[list[str]]]:
        """The columns of sources and targets of a table, and its first rows below the header; otherwise None."""
        return None, []

    def all_units(self, language: str | None = None) -> list[Unit]:
        """The units with those of added forms, ascending: of the forms that a language needs, or of all."""
        units = [*self.units]
        for form in self.added.values():
            numbers = "" if language is None else form.numbers(language)
            if numbers is not None:
                note = numbers_note(form.unit.note, numbers) if numbers else form.unit.note
                units.append(replace(form.unit, note=note))
        return sorted(units, key=attrgetter("start"))

    def fixed_plurals_note(self, language: str) -> str | None:
        """The note that names the plurals without forms that a language needs; None if the file has none."""
        names = [plural.name for plural in self.fixed_plurals if plural.lacks_forms(language)]
        if not names:
            return None
        return Message(
            "Plural forms of the target language were not added to {places}, because “other” contains further forms "
            "there: write the plural inside these forms in the source file, or add its forms to the translated file.",
            places=shortened_list(dict.fromkeys(names)),
        )


class TextFile(ParsedFile):
    """Base class of files that are a single text."""

    decoded: DecodedText

    @cached_property
    def encoding(self) -> str:
        """The codec of the file's text."""
        return self.decoded.encoding

    @cached_property
    def mark(self) -> bytes:
        """The byte order mark."""
        return self.decoded.mark

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """The note about a guessed encoding, if any."""
        return (self.decoded.note,) if self.decoded.note else ()

    def describe(self, start: int) -> str:
        """The line number, from 1."""
        return line_of(self.decoded.text, start)


class PairedFile(TextFile):
    """Base class of text files with targets beside their sources: each place is a whole unit."""

    def source(self, start: int, end: int) -> str:
        """The source at this place. Raises LookupError if there is none."""
        return self._sources[start, end]

    @cached_property
    def _sources(self) -> dict[Place, str]:
        return {(unit.start, unit.end): unit.source for unit in self.units}
