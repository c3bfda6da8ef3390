"""Translation memories as tables: Excel workbooks, CSV and, only read, TSV.

In a written table, the texts are in the first two columns, which the languages name, so that it can be opened as a
document. Inline tags are as on the page, "{1}…{/1}". Cells that look like formulas stay texts.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Final

from app.errors import DocumentError, GlossaryError
from app.glossary.reading.column_uses import (
    MAX_TITLE_ROWS,
    Layout,
    foreign_languages,
    layout_of,
    num_title_rows,
    title_note,
)
from app.glossary.reading.columns import ROWS_TO_SNIFF, cells_of, sniff
from app.glossary.reading.spreadsheet import XLSX_START, read_workbook
from app.i18n import Message
from app.text.encoding import decode_text, shortened_list, unescape_formula
from app.text.workbook import Sheet, csv_table, workbook
from app.tm.entries import MemoryEntry, each_pair_once

_MORE_COLUMNS: Final = ("origin", "kind", "project", "changed")
_WIDTHS: Final = (60, 60, 30, 11, 20, 26)
_ENDINGS: Final = (".csv", ".tsv", ".tab", ".txt")
_Numbered = tuple[int, list[str]]


def write_csv(entries: Iterable[MemoryEntry], languages: tuple[str, str], projects: Mapping[int, str]) -> bytes:
    """A CSV file in UTF-8 with a byte order mark, each pair of texts once; `projects` are names by number."""
    return csv_table([_header(languages), *_rows(entries, projects)])


def write_workbook(entries: Iterable[MemoryEntry], languages: tuple[str, str], projects: Mapping[int, str]) -> bytes:
    """An Excel workbook with one sheet, with the rows of `write_csv`."""
    return workbook([Sheet("Translation memory", _rows(entries, projects), _header(languages), _WIDTHS)])


def _header(languages: tuple[str, str]) -> tuple[str, ...]:
    source, target = (tag.replace("_", "-") for tag in languages)
    return (source, target, *_MORE_COLUMNS)


def _rows(entries: Iterable[MemoryEntry], projects: Mapping[int, str]) -> Iterator[list[str]]:
    for entry in each_pair_once(entries):
        changed = datetime.fromtimestamp(entry.changed_ms / 1000, UTC).isoformat(timespec="seconds")
        kind = "imported" if entry.is_imported else "confirmed"
        yield [
            entry.source,
            entry.target,
            entry.origin,
            kind,
            projects.get(entry.project, ""),
            changed if entry.changed_ms else "",
        ]


def is_table(data: bytes, name: str) -> bool:
    """Whether a file is a table, by its first bytes and its name."""
    return data.startswith(XLSX_START) or name.lower().endswith(_ENDINGS)


def read_table(
    data: bytes, name: str, languages: tuple[str, str], max_rows: int, notes: list[str]
) -> Iterator[tuple[str, str]]:
    """The source and target of each row; adds notes about what is not used.

    The columns are those named after the languages, or "source" and "target"; without such names, the first two. Rows
    above the names and rows without one of the texts are left out. Raises DocumentError.
    """
    rows = _workbook_rows(data, name, max_rows, notes) if data.startswith(XLSX_START) else _text_rows(data, name, notes)
    start = [*islice(rows, MAX_TITLE_ROWS + 1)]
    if not start:
        return
    if num_titles := num_title_rows((cells for _, cells in start), "-".join(languages)):
        notes.append(title_note(number for number, _ in start[:num_titles]))
    layout = _layout(start[num_titles][1], name, languages)
    source, target = (layout.places(use)[0] for use in ("source", "target"))
    incomplete: list[int] = []
    for number, cells in chain(start[num_titles + layout.num_header_rows :], rows):
        texts = [cells[place].strip() if place < len(cells) else "" for place in (source, target)]
        if all(texts):
            yield texts[0], texts[1]
        elif any(cells):
            incomplete.append(number)
    if incomplete:
        shown = shortened_list(map(str, incomplete))
        notes.append(
            Message(
                "Rows without a source or a translation are left out ({count:,}): {rows}.",
                count=len(incomplete),
                rows=shown,
            )
        )


def _layout(cells: list[str], name: str, languages: tuple[str, str]) -> Layout:
    direction = "-".join(languages)
    if foreign := foreign_languages(cells, direction):
        raise DocumentError(
            "{name} has columns for {found}, not for “{source}” and “{target}”: name the two columns source and "
            "target, or choose another memory",
            name=name,
            found=shortened_list(foreign),
            source=languages[0],
            target=languages[1],
        )
    layout = layout_of(cells, direction)
    if not layout.is_complete or len(cells) < 2:
        raise DocumentError(
            "{name} does not have two columns of texts: name the columns “{source}” and “{target}” in the first "
            "row, and remove rows above it",
            name=name,
            source=languages[0],
            target=languages[1],
        )
    return layout


def _workbook_rows(data: bytes, name: str, max_rows: int, notes: list[str]) -> Iterator[_Numbered]:
    try:
        rows, found = read_workbook(data, name, max_rows)
    except GlossaryError as problem:
        raise DocumentError(*problem.args) from problem
    notes += found
    return ((row.number, list(row.cells)) for row in rows)


def _text_rows(data: bytes, name: str, notes: list[str]) -> Iterator[_Numbered]:
    decoded = decode_text(data, name, DocumentError)
    if decoded.note:
        notes.append(decoded.note)
    lines = [line.rstrip("\n") for line in io.StringIO(decoded.text, newline=None)]
    delimiter = sniff(list(islice((line for line in lines if line.strip()), ROWS_TO_SNIFF)))
    if delimiter == "\t":
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, [unescape_formula(cell) for cell in cells_of(line, delimiter) or []]
        return
    reader = csv.reader(io.StringIO(decoded.text, newline=""), delimiter=delimiter)
    while True:
        number = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            raise DocumentError(
                "{name}, line {number} cannot be read as a row of a table ({reason}): check its quotation marks",
                name=name,
                number=number,
                reason=problem,
            ) from problem
        if any(cell.strip() for cell in cells):
            yield number, [unescape_formula(" ".join(cell.split("\n"))) for cell in cells]
