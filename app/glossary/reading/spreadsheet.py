"""XLSX workbooks -> rows of cells of the first sheet with content. Formulas are read as their stored values.

openpyxl reads row by row; because defusedxml is installed (requirements.txt), XML entities are refused.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date

from app.errors import GlossaryError
from app.glossary.reading.column_uses import MAX_COLUMNS
from app.glossary.reading.columns import Row
from app.i18n import Message
from app.text import excel_text

MAX_UNPACKED_BYTES = 500 * 2**20
MAX_CELLS = 10_000_000
MAX_STRINGS = 2_000_000  # all of them are in memory at once, with some 100 bytes each
_STRINGS = "xl/sharedStrings.xml"
_STRING = re.compile(rb"<(?:\w{1,9}:)?si[\s/>]")
_LONGEST_START = 13  # bytes of the beginning of a string that may be in two chunks
XLSX_START = b"PK\x03\x04"


def read_workbook(data: bytes, name: str, max_rows: int) -> tuple[list[Row], list[str]]:
    """The non-empty rows, numbered as in the sheet, and notes for the user.

    Raises GlossaryError for a file that is not a workbook, damaged, protected, or too large when unpacked.
    """
    from openpyxl import load_workbook

    _check_archive(data, name)
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        notes: list[str] = []
        rows: list[Row] = []
        for sheet in book.worksheets:
            rows = list(_rows(sheet, max_rows))
            if rows:
                if len(book.worksheets) > 1:
                    notes = [
                        Message(
                            "Only the sheet “{sheet}” is read; {name} has {count} sheets.",
                            sheet=sheet.title[:40],
                            name=name,
                            count=len(book.worksheets),
                        )
                    ]
                break
        book.close()
    except GlossaryError:
        raise
    except Exception as problem:  # damaged files make openpyxl raise all kinds of errors
        raise GlossaryError(
            "{name} cannot be read as an Excel workbook ({reason}): open it in a spreadsheet program and save it "
            "again as .xlsx or .csv",
            name=name,
            reason=type(problem).__name__,
        ) from problem
    return rows, notes


def _rows(sheet: object, max_rows: int) -> Iterator[Row]:
    sheet.reset_dimensions()  # type: ignore[attr-defined]  # the stated size may be wrong
    num_rows = num_cells = 0
    for number, values in enumerate(sheet.iter_rows(values_only=True, max_col=MAX_COLUMNS), 1):  # type: ignore[attr-defined]
        cells = [_text(value) for value in values]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            num_rows += 1
            num_cells += len(cells)
            if num_cells > MAX_CELLS:
                raise GlossaryError(
                    "the sheet has more than {limit:,} cells: remove columns that are not needed", limit=MAX_CELLS
                )
            yield Row(number, " | ".join(filter(None, cells)), cells)
            if num_rows > max_rows:  # one more than allowed: the caller reports it
                return


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, date) else excel_text.decoded(str(value))


def _count_strings(archive: zipfile.ZipFile) -> int:
    """The number of texts that the cells share, or any number above MAX_STRINGS."""
    if _STRINGS not in archive.NameToInfo:
        return 0
    count, tail = 0, b""
    with archive.open(_STRINGS) as file:
        while count <= MAX_STRINGS and (chunk := file.read(2**20)):
            count += len(_STRING.findall(tail + chunk))
            tail = chunk[-_LONGEST_START:] if not _STRING.search(chunk[-_LONGEST_START:]) else b""
    return count


def _check_archive(data: bytes, name: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            num_strings = _count_strings(archive)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, ValueError, OSError) as problem:
        raise GlossaryError(
            "{name} is a damaged archive ({reason}): save it again and import that file", name=name, reason=problem
        ) from problem
    size = sum(info.file_size for info in infos)
    if size > MAX_UNPACKED_BYTES:
        raise GlossaryError(
            "{name} is {size:,.0f} MiB when unpacked; Pinpoint imports workbooks of up to {limit} MiB: remove "
            "what is not needed",
            name=name,
            size=size / 2**20,
            limit=MAX_UNPACKED_BYTES // 2**20,
        )
    if num_strings > MAX_STRINGS:
        raise GlossaryError(
            "{name} has more than {limit:,} texts: remove what is not needed, or save the table as .csv",
            name=name,
            limit=MAX_STRINGS,
        )
    if not any(info.filename.startswith("xl/") for info in infos):
        raise GlossaryError("{name} is an archive but not an Excel workbook: import the table itself", name=name)
