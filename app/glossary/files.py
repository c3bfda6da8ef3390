"""Glossary files (CSV or TSV: source, target) -> terms, with every row that is left out explained.

Knows delimiters, quotation marks, header rows and what makes a row unusable. Rows are counted from 1 as a text editor
counts lines; a cell never holds a line break. Knows nothing of how terms are found in a text.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.errors import GlossaryError
from app.glossary.folding import fold_spelling, fold_term
from app.glossary.matching import Glossary
from app.glossary.terms import Term
from app.messages import Message, joined
from app.text_files import decode_text, listing, safe_name

MAX_BYTES = 10 * 1024 * 1024
MAX_TERMS = 100_000
MAX_TERM_CHARACTERS = 200

RowErrorKind = Literal["columns", "empty", "too_long", "characters", "quotes", "conflict"]

_DELIMITERS = {"\t": "<TAB>", ";": ";", ",": ","}  # in the order of preference on a tie
_ROWS_TO_SNIFF = 200
_SPACES = re.compile(r"[ \t\f\v]+")
_SOURCE_HEADERS = {"source", "src", "source term", "source text", "source_term", "quelle", "quelltext", "ausgangstext"}
_TARGET_HEADERS = {"target", "tgt", "target term", "target text", "target_term", "ziel", "zieltext", "translation"}
_LANGUAGES = {
    "de": {"de", "ger", "deu", "german", "deutsch"},
    "en": {"en", "eng", "english", "englisch"},
    "fr": {"fr", "fra", "fre", "french", "französisch"},
    "es": {"es", "spa", "spanish", "spanisch"},
    "it": {"it", "ita", "italian", "italienisch"},
    "nl": {"nl", "nld", "dut", "dutch", "niederländisch"},
    "pl": {"pl", "pol", "polish", "polnisch"},
    "pt": {"pt", "por", "portuguese", "portugiesisch"},
}
_LANGUAGE_OF = {word: code for code, words in _LANGUAGES.items() for word in words}


@dataclass(frozen=True, slots=True)
class RowError:
    """A row that was left out: its text as it stands in the file, and why, with the cure."""

    row: int
    text: str
    message: str
    kind: RowErrorKind


@dataclass(frozen=True, slots=True)
class GlossaryImport:
    """What a file gave: the usable terms, the rows left out, and notes for the person."""

    glossary: Glossary
    errors: tuple[RowError, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which columns hold the terms, and how many leading rows are a header."""

    source: int = 0
    target: int = 1
    num_header_rows: int = 0


def read_glossary(data: bytes, name: str, direction: str | None = None) -> GlossaryImport:
    """The terms in these bytes; `name` is the upload's, untrusted.

    A header may name the columns ("source,target", "en;de"), in any order; `direction` ("en-de") then says which
    language is the source. Raises GlossaryError, naming the first row that is wrong, where no row is usable.
    """
    name = safe_name(name, "glossary.tsv")
    if len(data) > MAX_BYTES:
        raise GlossaryError(
            Message(
                "{name} has {size:.1f} MiB; Pinpoint takes glossaries of up to {limit} MiB: leave out "
                "what this document does not need",
                name=name,
                size=len(data) / 2**20,
                limit=MAX_BYTES // 2**20,
            )
        )
    decoded = decode_text(data, name, GlossaryError)
    lines = [
        (row, line) for row, line in enumerate(re.split(r"\r\n|\r|\n", decoded.text), 1) if line.strip(" \t\f\v;,")
    ]
    notes = [decoded.note] if decoded.note else []
    if not lines:
        raise GlossaryError(Message("{name} holds no terms: give one a line, as source<TAB>target", name=name))
    delimiter = _sniff([line for _, line in lines[:_ROWS_TO_SNIFF]])
    layout = _read_header(_cells(lines[0][1], delimiter) or [], direction)
    lines = lines[layout.num_header_rows :]
    if not lines:
        raise GlossaryError(
            Message("{name} holds a header and no terms: give one a line, as source<TAB>target", name=name)
        )
    if len(lines) > MAX_TERMS:
        raise GlossaryError(
            Message(
                "{name} has {count:,} rows; Pinpoint takes up to {limit:,}: leave out what is not needed",
                name=name,
                count=len(lines),
                limit=MAX_TERMS,
            )
        )
    reader = _RowReader(delimiter, layout)
    for row, line in lines:
        reader.read(row, line)
    if not reader.terms:
        first = reader.errors[0]
        more = Message("; none of the {count:,} rows is usable", count=len(lines)) if len(lines) > 1 else ""
        raise GlossaryError(joined("", [first.message, more]))
    return GlossaryImport(Glossary(tuple(reader.terms), name), tuple(reader.errors), (*notes, *reader.notes()))


class _RowReader:
    """Reads rows one by one and remembers what earlier rows said."""

    def __init__(self, delimiter: str, layout: _Layout) -> None:
        self.terms: list[Term] = []
        self.errors: list[RowError] = []
        self._delimiter = delimiter
        self._layout = layout
        self._seen: dict[str, Term] = {}
        self._repeated: list[int] = []
        self._capital_pairs: list[tuple[int, int]] = []
        self._wide: list[int] = []

    def read(self, row: int, line: str) -> None:
        """Keeps the term of this row, or says why not."""
        term = self._parse(row, line)
        if term is None:
            return
        key = fold_spelling(term.source) if term.is_case_exact else fold_term(term.source)
        earlier = self._seen.setdefault(key, term)
        if earlier is term:
            self.terms.append(term)
        elif earlier.target == term.target:
            self._repeated.append(row)
            if earlier.source != term.source:
                self._capital_pairs.append((row, earlier.row))
        else:
            self._refuse(
                row,
                line,
                "conflict",
                Message(
                    "“{source}” is “{target}” in row {row} and “{other}” here; row {row} is used: remove one of them",
                    source=shown(term.source),
                    target=shown(earlier.target),
                    row=earlier.row,
                    other=shown(term.target),
                ),
            )

    def notes(self) -> list[str]:
        """What is worth knowing of rows that did no harm."""
        notes: list[str] = []
        if self._repeated:
            notes.append(Message("Repeats of earlier rows, left out: {rows}.", rows=_rows(self._repeated)))
        if self._capital_pairs:
            pairs = listing(f"{row} = {earlier}" for row, earlier in self._capital_pairs)
            notes.append(
                Message("Rows that are the same but for the capital, which is found either way: {rows}.", rows=pairs)
            )
        if self._wide:
            notes.append(Message("Only two columns are used; more stand in {rows}.", rows=_rows(self._wide)))
        return notes

    def _parse(self, row: int, line: str) -> Term | None:
        cells = _cells(line, self._delimiter)
        expected = Message("expected source{delimiter}target", delimiter=_DELIMITERS[self._delimiter])
        if cells is None:
            problem = Message(
                "{expected}; a quotation mark opens and does not close: close it, or double it inside quotes",
                expected=expected,
            )
            self._refuse(row, line, "quotes", problem)
            return None
        columns = (self._layout.source, self._layout.target)
        if len(cells) <= max(columns):
            found = Message("found 1 column") if len(cells) == 1 else Message("found {count} columns", count=len(cells))
            self._refuse(row, line, "columns", joined(", ", [expected, found]))
            return None
        if self._layout.num_header_rows == 0 and any(cell.strip() for cell in cells[2:]):
            self._wide.append(row)
        source, target = (_clean(cells[column]) for column in columns)
        for side, cell in (("source", source), ("target", target)):
            if wrong := _wrong_with(cell):
                self._refuse(row, line, wrong[0], f"the {side} {wrong[1]}")
                return None
        return Term(source, target, row)

    def _refuse(self, row: int, line: str, kind: RowErrorKind, problem: str) -> None:
        self.errors.append(
            RowError(row, shown(line, 120), Message("glossary row {row}: {problem}", row=row, problem=problem), kind)
        )


def _wrong_with(cell: str) -> tuple[RowErrorKind, str] | None:
    """What makes this cell no half of a term, with the cure; None where nothing does."""
    if not cell:
        return "empty", "is empty: fill it in or remove the row"
    if len(cell) > MAX_TERM_CHARACTERS:
        return "too_long", f"has {len(cell):,} characters; a term has at most {MAX_TERM_CHARACTERS}: shorten it"
    if bad := next((c for c in cell if unicodedata.category(c) in ("Cc", "Cn")), None):
        return "characters", f"holds the character U+{ord(bad):04X}, which cannot be typed: remove it"
    return None


def _sniff(lines: Sequence[str]) -> str:
    """The delimiter that splits the most of these lines; a tab before a semicolon before a comma."""

    def num_split(delimiter: str) -> int:
        return sum(1 for line in lines if len(_cells(line, delimiter) or []) > 1)

    return max(_DELIMITERS, key=num_split)  # the first of equals


def _cells(line: str, delimiter: str) -> list[str] | None:
    """The cells of one line; None where a quotation mark opens and does not close.

    Between tabs, quotation marks are letters unless they stand around a whole cell, as spreadsheets write them.
    """
    if delimiter == "\t":
        return [_unquote(cell.strip(" ")) for cell in line.split("\t")]
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error:
        return None


def _unquote(cell: str) -> str:
    inner = cell[1:-1]
    is_quoted = len(cell) >= 2 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if is_quoted else cell


def _read_header(cells: Sequence[str], direction: str | None) -> _Layout:
    """Which columns to read, by the first row where that is a header."""
    names = [_clean(cell).casefold() for cell in cells]
    sources = [column for column, name in enumerate(names) if name in _SOURCE_HEADERS]
    targets = [column for column, name in enumerate(names) if name in _TARGET_HEADERS]
    if sources and targets:
        return _Layout(sources[0], targets[0], 1)
    languages = [_LANGUAGE_OF.get(re.split(r"[-_]", name)[0]) for name in names]
    wanted = (direction or "").split("-")
    if len(wanted) == 2:  # "it<TAB>es" is a term of English and German, no header
        if not set(wanted) <= set(languages):
            return _Layout()
        source, target = (languages.index(code) for code in wanted)
        return _Layout(source, target, 1)
    known = [column for column, language in enumerate(languages) if language]
    if len(known) < 2 or languages[known[0]] == languages[known[1]]:
        return _Layout()
    return _Layout(known[0], known[1], 1)


def _clean(cell: str) -> str:
    """Composed letters, no white space around, single spaces inside; no-break spaces stay."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", cell).strip().strip("\ufeff"))


def _rows(rows: Sequence[int]) -> str:
    return f"row{'s' if len(rows) > 1 else ''} {listing(str(row) for row in rows)}"


def shown(text: str, limit: int = 60) -> str:
    """The text, cut where it is too long for a message."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
