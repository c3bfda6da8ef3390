"""Writes tables of texts and numbers for spreadsheet programs, without formulas: Excel workbooks and CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from app.text.encoding import FORMULA_STARTS, escape_formula

MAX_CELL_CHARACTERS: Final = 32_767  # the limit of Excel
Cell = str | int | float | None
_NOT_IN_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LINE_END: Final = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its title of up to 31 characters, and rows. `head` is a first row in bold that stays in view.

    `widths` are the widths of the first columns in characters. Texts stay texts, also if a cell with "=1+1" is edited
    later. Lines end with a line feed, as in Excel. Characters that XML does not allow are replaced, and longer texts
    than Excel allows are cut.
    """

    title: str
    rows: Iterable[Sequence[Cell]]
    head: Sequence[str] = ()
    widths: Sequence[int] = ()


def csv_table(
    rows: Iterable[Sequence[Cell]], delimiter: str = ",", quoting: Literal[0, 1] = csv.QUOTE_MINIMAL
) -> bytes:
    """The rows in UTF-8 with a byte order mark; an apostrophe is put before texts that look like formulas."""
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\r\n", quoting=quoting)
    for row in rows:
        writer.writerow([escape_formula(cell) if isinstance(cell, str) else cell for cell in row])
    return file.getvalue().encode("utf-8-sig", "replace")


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """The sheets as an XLSX file.

    >>> workbook([Sheet("a", [["b", 1]])])[:2]
    b'PK'
    """
    from xlsxwriter import Workbook  # takes long to import

    file = io.BytesIO()
    with Workbook(file, {"constant_memory": True}) as book:  # otherwise, each cell is an object
        styles = {"bold": book.add_format({"bold": True}), "quoted": book.add_format({"quote_prefix": True})}
        for sheet in sheets:
            _write(book.add_worksheet(sheet.title), sheet, **styles)
    return file.getvalue()


def _write(page: Any, sheet: Sheet, *, bold: Any, quoted: Any) -> None:
    for column, width in enumerate(sheet.widths):
        page.set_column(column, column, width)
    if sheet.head:
        page.freeze_panes(1, 0)
        for column, name in enumerate(sheet.head):
            page.write_string(0, column, name, bold)
    write_string, write_number = page.write_string, page.write_number
    for number, row in enumerate(sheet.rows, 1 if sheet.head else 0):
        for column, cell in enumerate(row):
            if isinstance(cell, str):
                if cell:
                    text = _storable(cell)
                    write_string(number, column, text, quoted if text.lstrip().startswith(FORMULA_STARTS) else None)
            elif cell is not None and math.isfinite(cell):
                write_number(number, column, cell)


def _storable(text: str) -> str:
    text = _NOT_IN_XML.sub("\ufffd", _LINE_END.sub("\n", text))
    return text if len(text) <= MAX_CELL_CHARACTERS else text[: MAX_CELL_CHARACTERS - 1] + "…"
