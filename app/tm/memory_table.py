"""The translation memory as a table: CSV and Excel, for review and for tools that do not read TMX.

The texts are in the first two columns, which the languages name, so that the table can be opened as a document. Inline
tags are as on the page, "{1}…{/1}". Cells that look like formulas stay texts.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from app.text.encoding import escape_formula
from app.text.workbook import Sheet, workbook
from app.tm.entries import MemoryEntry, each_pair_once

_MORE_COLUMNS: Final = ("origin", "kind", "project", "changed")
_WIDTHS: Final = (60, 60, 30, 11, 20, 26)


def write_csv(entries: Iterable[MemoryEntry], languages: tuple[str, str], projects: Mapping[int, str]) -> bytes:
    """A CSV file in UTF-8 with a byte order mark, each pair of texts once; `projects` are names by number."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(_header(languages))
    for row in _rows(entries, projects):
        writer.writerow([escape_formula(cell) for cell in row])
    return file.getvalue().encode("utf-8-sig", "replace")


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
