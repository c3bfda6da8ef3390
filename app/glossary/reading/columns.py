"""Rows of cells -> glossary entries by the use of each column, and splitting lines into cells (CSV, TSV, UTX)."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from app.glossary.model import Case, Matching, Status
from app.glossary.reading.column_uses import USES, ColumnUse, Layout
from app.glossary.reading.memoq_info import is_forbidden, read_source_info
from app.glossary.reading.row_checks import RowChecker, RowKind, TermEntry, clean, row_list
from app.i18n import Message, joined
from app.text.language_names import language_of

DELIMITERS = {"\t": "<TAB>", ";": ";", ",": ","}  # in the order of preference on a tie
ROWS_TO_SNIFF = 200
# UTX, the simple term format of AAMT (1.11 and 1.20): tab-separated, with a header whose lines begin with "#"
_UTX_START = re.compile(r"#\s*UTX\b", re.IGNORECASE)
_UTX_DIRECTION = re.compile(r"([A-Za-z]{2,3})(?:-[\w-]+)?\s*(?:/|->|;)\s*([A-Za-z]{2,3})")
_VARIANT_MARK = "|"
STATUSES: dict[str, Status] = {
    **{status: status for status in get_args(Status)},
    "do not translate": "do_not_translate",
    "dnt": "do_not_translate",
    **dict.fromkeys(
        ("approved", "admitted", "provisional", "non-standard", "new", "ok", "final", "valid", "standard", "allowed",
         "bevorzugt", "zugelassen", "erlaubt", "freigegeben", "genehmigt", "neu"),
        "preferred",
    ),
    **dict.fromkeys(
        ("deprecated", "rejected", "obsolete", "superseded", "not recommended", "do not use", "banned",
         "verboten", "abgelehnt", "veraltet", "nicht empfohlen", "nicht verwenden"),
        "forbidden",
    ),
}  # fmt: skip
YES = frozenset({"yes", "y", "true", "1", "x", "ja", "wahr"})
_NO = frozenset({"", "no", "n", "false", "0", "nein", "falsch"})
_CASES: dict[str, Case] = {case: case for case in get_args(Case)}
_CASES |= {**dict.fromkeys(YES, "exact"), **dict.fromkeys(_NO, "any"), "": "permissive"}
_MATCHINGS: dict[str, Matching] = {matching: matching for matching in get_args(Matching)}
_MATCHINGS |= {**dict.fromkeys(YES, "exact"), **dict.fromkeys(_NO, "lemma"), "": "exact"}
_YES_OR_NO = (*sorted(YES), *sorted(_NO))
_OPTIONS: Mapping[ColumnUse, Collection[str]] = {
    "status": STATUSES,
    "forbidden": _YES_OR_NO,
    "do_not_translate": _YES_OR_NO,
    "translatable": _YES_OR_NO,
    "case": _CASES,
    "matching": _MATCHINGS,
}
_MAX_SHOWN_VALUES = 4  # of a column, in an error: of a status, those of our own glossaries
_LANGUAGE_COLUMNS: tuple[ColumnUse, ...] = ("source_language", "target_language")


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its number as in a text editor or spreadsheet, its text for the report, its cells."""

    number: int
    shown: str
    cells: Sequence[str]


class TableReader:
    """Passes rows of cells to a checker as entries. `separator` is shown in messages between two cells."""

    def __init__(self, layout: Layout, direction: str | None, checker: RowChecker, separator: str) -> None:
        self._direction = (direction or "").split("-")
        self._checker = checker
        self._expected = expected(separator)
        self._places: dict[ColumnUse, list[int]] = {use: layout.places(use) for use in layout.uses}
        self._needed = max(self._places["source"][0], self._places["target"][0])
        self._last_used = len(layout.uses)
        self._is_guessed_by_order = layout.num_header_rows == 0
        self._rows_with_more_columns: list[int] = []

    def read(self, row: Row) -> None:
        """Adds the entries of a row to the checker, or reports why the row is left out."""
        if len(row.cells) <= self._needed:
            num_cells = len(row.cells)
            found = Message("found 1 column") if num_cells == 1 else Message("found {count} columns", count=num_cells)
            only_source = TermEntry(row.number, row.shown, self._cell(row, "source"), "")
            self._reject(row, "columns", joined(", ", [self._expected, found]), only_source)
            return
        if self._is_guessed_by_order and any(cell.strip() for cell in row.cells[self._last_used :]):
            self._rows_with_more_columns.append(row.number)
        source, target = self._cell(row, "source"), self._cell(row, "target")
        languages = [language_of(self._cell(row, name)) for name in _LANGUAGE_COLUMNS if name in self._places]
        if any(languages) and len(self._direction) == 2:
            if languages == self._direction[::-1]:
                source, target = target, source
            elif languages != self._direction:
                given = " → ".join(self._cell(row, name).strip() for name in _LANGUAGE_COLUMNS)
                problem = Message(
                    "this term is for {given}, not for {direction}", given=given, direction=" → ".join(self._direction)
                )
                self._reject(row, "languages", problem)
                return
        options = self._options(row)
        if options is None:
            return
        status, case, matching = options
        variants = self._parts(row, "variants")
        note = " · ".join(filter(None, (cell.strip() for cell in self._cells(row, "note"))))
        if domain := ", ".join(filter(None, (cell.strip() for cell in self._cells(row, "domain")))):
            note = f"[{domain}] {note}"
        if info := self._cell(row, "source_info"):
            source, case, matching = read_source_info(info, source)
        entry = TermEntry(row.number, row.shown, source, target, variants, status, case, matching, note)
        for one in self._without_banned(row, entry):
            self._checker.add(one)
        for other in self._parts(row, "source_variant"):
            if other.strip():
                self._checker.add(replace(entry, source=other))

    def _without_banned(self, row: Row, entry: TermEntry) -> Iterator[TermEntry]:
        """The entry without the targets that Term_Info bans, and an entry for each of these."""
        targets = [entry.target, *self._cells(row, "variants")]
        infos = self._cells(row, "target_info")
        banned = [target for target, info in zip(targets, infos, strict=False) if target.strip() and is_forbidden(info)]
        if not banned:
            yield entry
            return
        if allowed := [target for target in (entry.target, *entry.variants) if target.strip() and target not in banned]:
            yield replace(entry, target=allowed[0], variants=tuple(allowed[1:]))
        for target in banned:
            yield replace(entry, target=target, variants=(), status="forbidden")

    def notes(self) -> list[str]:
        """A note about columns that were not read."""
        if not self._rows_with_more_columns:
            return []
        return [
            Message(
                "Rows with more columns than are known: {rows}. The additional columns are ignored.",
                rows=row_list(self._rows_with_more_columns),
            )
        ]

    def _options(self, row: Row) -> tuple[Status, Case, Matching] | None:
        if self._places.keys().isdisjoint(_OPTIONS):
            return "preferred", "permissive", "exact"
        cells = {use: clean(self._cell(row, use)).casefold() for use in _OPTIONS if use in self._places}
        for use, value in cells.items():
            if value and value not in _OPTIONS[use]:
                known = ", ".join([one for one in _OPTIONS[use] if one][:_MAX_SHOWN_VALUES])
                problem = Message(
                    "the column “{name}” contains “{value}”, which is unknown: leave it empty or use {known}",
                    name=use,
                    value=value[:40],
                    known=known,
                )
                self._reject(row, "value", problem)
                return None
        status = STATUSES[cells.get("status") or "preferred"]
        if cells.get("do_not_translate") in YES or (cells.get("translatable") or "yes") in _NO:
            status = "do_not_translate"
        if cells.get("forbidden") in YES:
            status = "forbidden"
        return status, _CASES[cells.get("case", "")], _MATCHINGS[cells.get("matching", "")]

    def _cell(self, row: Row, use: ColumnUse) -> str:
        """The first cell with this use in the row, empty if there is none."""
        return next(self._cells(row, use), "")

    def _cells(self, row: Row, use: ColumnUse) -> Iterator[str]:
        return (row.cells[place] for place in self._places.get(use, ()) if place < len(row.cells))

    def _parts(self, row: Row, use: ColumnUse) -> tuple[str, ...]:
        return tuple(part for cell in self._cells(row, use) for part in cell.split(_VARIANT_MARK))

    def _reject(self, row: Row, kind: RowKind, problem: str, entry: TermEntry | None = None) -> None:
        self._checker.num_rows += 1
        self._checker.reject(row.number, row.shown, kind, problem, entry=entry)


def expected(separator: str) -> Message:
    """The expected form of a row, for messages."""
    return Message("expected source{delimiter}target", delimiter=separator)


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
    """True if a text starts like a UTX file."""
    return _UTX_START.match(text.lstrip("\ufeff")) is not None


def utx_layout(lines: list[str], direction: str | None) -> tuple[Layout, int]:
    """The columns and the number of header lines; source and target are swapped if the file has the other direction.

    `lines` are the first lines of the file.
    """
    header = next((n for n, line in enumerate(lines) if not line.startswith("#")), len(lines))
    named = next((line for line in reversed(lines[:header]) if "\t" in line), "#src\ttgt")
    names = [name.strip().casefold() for name in named.lstrip("#").split("\t")]
    are_named = "src" in names and "tgt" in names
    columns: dict[str, int] = {
        "source": names.index("src") if are_named else 0,
        "target": names.index("tgt") if are_named else 1,
    }
    for what, known in (("status", "term status"), ("note", "comment")):
        if known in names and names.index(known) not in columns.values():
            columns[what] = names.index(known)
    found = _UTX_DIRECTION.search(lines[0][lines[0].find(";") :]) if lines else None
    if found and direction and [language_of(found[2]), language_of(found[1])] == direction.split("-"):
        columns["source"], columns["target"] = columns["target"], columns["source"]
    use_of = {column: use for use in USES for what, column in columns.items() if what == use}
    return Layout(tuple(use_of.get(column, "ignore") for column in range(max(columns.values()) + 1)), 1), header
