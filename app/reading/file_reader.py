"""Reads documents, glossaries and memories in this process, as the command line does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from app.errors import DocumentError
from app.formats import Reading, srx
from app.formats.archive import Archive, ArchiveMember
from app.formats.documents import Document
from app.formats.read_file import FileOverview, read_file
from app.formats.srx import RuleFile
from app.formats.word_table import WordTables, read_tables
from app.glossary.reading.column_uses import Layout
from app.glossary.reading.glossary_file import GlossaryTable, read_glossary, read_table
from app.glossary.reading.row_checks import GlossaryImport
from app.models.document_direction import facing
from app.tm.memory_file import MemoryFile, read_memory

# Chooses the direction of a document; it may raise an AppError instead.
ChooseDirection = Callable[[FileOverview], str]


PartRules = tuple[tuple[str, tuple[str, ...]], ...]  # keys of formats, each with lines of rules


@dataclass(frozen=True, slots=True)
class ProjectRules:
    """A project's rules for new documents: segmentation rules, and rules for the parts of files."""

    segmentation: RuleFile | None = None
    parts: PartRules = ()


# The rules for a document in a direction.
ChooseRules = Callable[[str], ProjectRules]


def no_rules(direction: str) -> ProjectRules:
    """A document is read and segmented by our own rules."""
    return ProjectRules()


class FileReader:
    """Reads files, which are untrusted."""

    def document(
        self,
        data: bytes,
        name: str,
        choose: ChooseDirection,
        reading: Reading | None = None,
        rules_for: ChooseRules = no_rules,
    ) -> Document:
        """The document in the direction that `choose` returns, by the rules that `rules_for` has for it.

        Rules for the parts of the file are used if there is no `reading`, and if they leave some text. Raises
        DocumentError, and what `choose` raises.
        """
        file = read_file(data, name, reading)
        direction = choose(file.overview())
        source, _, target = direction.partition("-")
        rules = rules_for(direction)
        if reading is None and (parts := dict(rules.parts).get(file.format.key)):
            with suppress(DocumentError):
                by_rules = read_file(data, name, Reading(rules=parts))
                return facing(by_rules, direction).document(source, rules.segmentation, target)
        return facing(file, direction).document(source, rules.segmentation, target)

    def num_rules(self, data: bytes, name: str) -> int:
        """The number of rules of a file of segmentation rules (SRX). Raises DocumentError if they cannot be used."""
        return srx.read(data, name).num_rules

    def glossary(self, data: bytes, name: str, direction: str, layout: Layout | None = None) -> GlossaryImport:
        """The terms of a glossary; `layout` is the use of a table's columns, None to guess it. Raises GlossaryError."""
        return read_glossary(data, name, direction, layout)

    def glossary_table(self, data: bytes, name: str, direction: str) -> GlossaryTable | None:
        """The first rows of a glossary that is a table, with the guessed use of its columns. Raises GlossaryError."""
        return read_table(data, name, direction)

    def memory(self, data: bytes, name: str, source_language: str, target_language: str) -> MemoryFile:
        """The (source, target) pairs of a translation memory. Raises DocumentError."""
        return read_memory(data, name, source_language, target_language)

    def archive(self, data: bytes, name: str) -> list[ArchiveMember]:
        """The files of a ZIP archive. Raises DocumentError if it is none; a damaged file in it has a problem."""
        return list(members_of(data, name))

    def word_tables(self, data: bytes, name: str) -> WordTables:
        """The tables of a Word document. Raises DocumentError if it cannot be read."""
        return read_tables(data, name)

    def close(self) -> None:
        """Stops reading."""


def members_of(data: bytes, name: str) -> Iterator[ArchiveMember]:
    """The files of an archive, each unpacked once to see whether it is whole. Raises DocumentError."""
    archive = Archive(data, name)
    for member in archive.members:
        try:
            if member.problem is None:
                archive.read(member)
            yield member
        except DocumentError as problem:
            yield replace(member, problem=problem.args[0])
