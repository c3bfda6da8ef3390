"""Rows of cells -> glossary entries: headers, columns by name, and splitting lines into cells (CSV, TSV, UTX).

Without a header, the columns are source, target and a comment (OmegaT), or source, target and both languages (DeepL).
A header may also name status, variants (one cell, separated by "|"), case, matching and note.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from app.glossary.model import Case, Matching, Status
from app.glossary.reading.row_checks import RowChecker, RowKind, TermEntry, clean, row_list
from app.i18n import Message, joined
from app.text.language_names import column_language, language_of

DELIMITERS = {"\t": "<TAB>", ";": ";", ",": ","}  # in the order of preference on a tie
ROWS_TO_SNIFF = 200
# UTX, the simple term format of AAMT (1.11 and 1.20): tab-separated, with a header whose lines begin with "#"
_UTX_START = re.compile(r"#\s*UTX\b", re.IGNORECASE)
_UTX_DIRECTION = re.compile(r"([A-Za-z]{2,3})(?:-[\w-]+)?\s*(?:/|->|;)\s*([A-Za-z]{2,3})")
_VARIANT_MARK = "|"
_COLUMNS: dict[str, set[str]] = {
    "source": {"source", "src", "source term", "source text", "source_term", "quelle", "quelltext", "ausgangstext"},
    "target": {"target", "tgt", "target term", "target text", "target_term", "ziel", "zieltext", "translation"},
    "source_language": {"source_lang", "source language", "source_language"},
    "target_language": {"target_lang", "target language", "target_language"},
    "variants": {"variants", "variant", "target variants", "varianten", "synonyms"},
    "status": {"status", "term status", "usage", "usage status"},
    "case": {"case", "capitals", "case sensitive"},
    "matching": {"matching", "match", "match type"},
    "note": {
        "note",
        "notes",
        "comment",
        "comments",
        "bemerkung",
        "kommentar",
        "anmerkung",
        "definition",
        "description",
        "entry_note",
        "concept definition",
        "beschreibung",
    },
}
_STATUSES: dict[str, Status] = {
    **{status: status for status in get_args(Status)},
    "do not translate": "do_not_translate",
    "dnt": "do_not_translate",
    "approved": "preferred",
    "admitted": "preferred",
    "provisional": "preferred",
    "non-standard": "preferred",
    "deprecated": "forbidden",
    "rejected": "forbidden",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its number as in a text editor or spreadsheet, its text for the report, its cells."""

    number: int
    shown: str
    cells: Sequence[str]


@dataclass(frozen=True, slots=True)
class Layout:
    """Column numbers by name, and the number of header rows."""

    columns: Mapping[str, int] = field(default_factory=lambda: {"source": 0, "target": 1, "note": 2})
    num_header_rows: int = 0

    def cell(self, row: Row, name: str) -> str:
        """The cell of that column in the row, empty if there is none."""
        at = self.columns.get(name, -1)
        return row.cells[at] if 0 <= at < len(row.cells) else ""


class TableReader:
    """Passes rows of cells to a checker as entries. `separator` is shown in messages between two cells."""

    def __init__(self, layout: Layout, direction: str | None, checker: RowChecker, separator: str) -> None:
        self._layout = layout
        self._direction = (direction or "").split("-")
        self._checker = checker
        self._expected = expected(separator)
        self._last_used = max(layout.columns.values())
        self._rows_with_more_columns: list[int] = []

    def read(self, row: Row) -> None:
        """Adds the entry of a row to the checker, or reports why the row is left out."""
        layout, needed = self._layout, max(self._layout.columns["source"], self._layout.columns["target"])
        if len(row.cells) <= needed:
            num_cells = len(row.cells)
            found = Message("found 1 column") if num_cells == 1 else Message("found {count} columns", count=num_cells)
            only_source = TermEntry(row.number, row.shown, layout.cell(row, "source"), "")
            self._reject(row, "columns", joined(", ", [self._expected, found]), only_source)
            return
        if layout.num_header_rows == 0 and any(cell.strip() for cell in row.cells[self._last_used + 1 :]):
            self._rows_with_more_columns.append(row.number)
        source, target = layout.cell(row, "source"), layout.cell(row, "target")
        languages = [
            language_of(layout.cell(row, name))
            for name in ("source_language", "target_language")
            if name in layout.columns
        ]
        if any(languages) and len(self._direction) == 2:
            if languages == self._direction[::-1]:
                source, target = target, source
            elif languages != self._direction:
                given = " → ".join(layout.cell(row, name).strip() for name in ("source_language", "target_language"))
                problem = Message(
                    "this term is for {given}, not for {direction}", given=given, direction=" → ".join(self._direction)
                )
                self._reject(row, "languages", problem)
                return
        options = self._options(row)
        if options is None:
            return
        status, case, matching = options
        variants = tuple(layout.cell(row, "variants").split(_VARIANT_MARK))
        note = layout.cell(row, "note")
        self._checker.add(TermEntry(row.number, row.shown, source, target, variants, status, case, matching, note))

    def notes(self) -> list[str]:
        """A note about columns that were not read."""
        if not self._rows_with_more_columns:
            return []
        return [
            Message(
                "Unknown columns are ignored; there are some in {rows}.",
                rows=row_list(self._rows_with_more_columns),
            )
        ]

    def _options(self, row: Row) -> tuple[Status, Case, Matching] | None:
        if self._layout.columns.keys().isdisjoint(("status", "case", "matching")):
            return "preferred", "permissive", "exact"
        cells = {name: clean(self._layout.cell(row, name)).casefold() for name in ("status", "case", "matching")}
        choices: dict[str, Iterable[str]] = {
            "status": _STATUSES,
            "case": get_args(Case),
            "matching": get_args(Matching),
        }
        for name, value in cells.items():
            if value and value not in choices[name]:
                known = ", ".join(choices[name])
                problem = Message(
                    "the column “{name}” contains “{value}”; it must be empty or one of {known}",
                    name=name,
                    value=value[:40],
                    known=known,
                )
                self._reject(row, "value", problem)
                return None
        status = _STATUSES[cells["status"] or "preferred"]
        case: Case = next((known for known in get_args(Case) if known == cells["case"]), "permissive")
        matching: Matching = next((known for known in get_args(Matching) if known == cells["matching"]), "exact")
        return status, case, matching

    def _reject(self, row: Row, kind: RowKind, problem: str, entry: TermEntry | None = None) -> None:
        self._checker.num_rows += 1
        self._checker.reject(row.number, row.shown, kind, problem, entry=entry)


def expected(separator: str) -> Message:
    """The expected form of a row, for messages."""
    return Message("expected source{delimiter}target", delimiter=separator)


def layout_of(cells: Sequence[str], direction: str | None) -> Layout:
    """The columns by name if the first row is a header, else the default columns."""
    names = [clean(cell).casefold() for cell in cells]
    named = {
        what: next(column for column, name in enumerate(names) if name in known)
        for what, known in _COLUMNS.items()
        if any(name in known for name in names)
    }
    if "source" in named and "target" in named:
        return Layout(named, 1)
    languages = [column_language(name) for name in names]
    codes = (direction or "").split("-")
    extra = {what: column for what, column in named.items() if what not in ("source", "target")}
    if len(codes) == 2:  # "it<TAB>es" is an English-German term, not a header
        is_row = (
            len(names) == 4 and languages[2] and languages[3] and not languages[1]
        )  # a term and its languages, as DeepL writes it
        if set(codes) <= set(languages[:2]) or (set(codes) <= set(languages) and not is_row):
            source, target = (languages.index(code) for code in codes)
            return Layout({"source": source, "target": target, **extra}, 1)
    else:
        known_columns = [column for column, language in enumerate(languages) if language]
        if len(known_columns) >= 2 and languages[known_columns[0]] != languages[known_columns[1]] and len(names) != 4:
            return Layout({"source": known_columns[0], "target": known_columns[1], **extra}, 1)
    if len(names) == 4 and languages[2] and languages[3]:
        return Layout({"source": 0, "target": 1, "source_language": 2, "target_language": 3})
    return Layout()


def foreign_languages(cells: Sequence[str], direction: str | None) -> list[str]:
    """The names of the language columns of a header that lacks a language of `direction`; empty if it lacks none.

    Two names of other languages alone are no header: "it<TAB>es" is an English-German term.
    """
    codes = (direction or "").split("-")
    languages = [column_language(clean(cell)) for cell in cells]
    known = {language for language in languages if language}
    if len(codes) != 2 or set(codes) <= known or len(known) < 2 or (len(known) == 2 and not known & set(codes)):
        return []
    if len(cells) == 4 and languages[2] and languages[3] and not languages[1]:
        return []  # a term with its languages, as DeepL writes it
    return [clean(cell) for cell, language in zip(cells, languages, strict=True) if language]


def sniff(lines: Sequence[str]) -> str:
    """The delimiter that splits most of these lines; on a tie, tab before semicolon before comma."""
    lines = lines[:ROWS_TO_SNIFF]

    def num_split(delimiter: str) -> int:
        return sum(1 for line in lines if len(cells_of(line, delimiter) or []) > 1)

    return max(DELIMITERS, key=num_split)  # the first of equals


def cells_of(line: str, delimiter: str) -> list[str] | None:
    """The cells of one line; None if a quotation mark is never closed.

    In tab-separated lines, quotation marks are ordinary characters unless they enclose a whole cell.
    """
    if delimiter == "\t":
        return [_unquote(cell.strip(" ")) for cell in line.split("\t")]
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error:
        return None


def _unquote(cell: str) -> str:
    if not cell.startswith('"'):
        return cell
    inner = cell[1:-1]
    is_quoted = len(cell) >= 2 and cell[-1] == '"' and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if is_quoted else cell


def is_utx(text: str) -> bool:
    """Whether a text starts like a UTX file."""
    return _UTX_START.match(text.lstrip("\ufeff")) is not None


def utx_layout(lines: list[str], direction: str | None) -> tuple[Layout, int]:
    """The columns and the number of header lines; source and target are swapped if the file has the other direction.

    `lines` are the first lines of the file.
    """
    header = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    named = next((line for line in reversed(lines[:header]) if "\t" in line), "#src\ttgt")
    names = [name.strip().casefold() for name in named.lstrip("#").split("\t")]
    columns = {"source": 0, "target": 1}
    for what, known in (("source", "src"), ("target", "tgt"), ("status", "term status"), ("note", "comment")):
        if known in names:
            columns[what] = names.index(known)
    found = _UTX_DIRECTION.search(lines[0][lines[0].find(";") :]) if lines else None
    if found and direction and [language_of(found[2]), language_of(found[1])] == direction.split("-"):
        columns["source"], columns["target"] = columns["target"], columns["source"]
    return Layout(columns, 1), header
