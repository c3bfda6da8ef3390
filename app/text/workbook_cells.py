"""Cells of a written Excel workbook. Import this module only to write one: importing openpyxl takes long."""

from __future__ import annotations

from typing import Any, Final

from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from app.text.encoding import FORMULA_STARTS

MAX_CELL_CHARACTERS: Final = 32_767  # the limit of Excel


def text_cell(sheet: Any, text: str) -> Any:
    """A text cell: without the mark, openpyxl writes "=1+1" as a formula, and Excel makes it one when it is edited."""
    text = ILLEGAL_CHARACTERS_RE.sub("", text)
    if len(text) > MAX_CELL_CHARACTERS:
        text = text[: MAX_CELL_CHARACTERS - 1] + "…"
    cell = WriteOnlyCell(sheet, text)
    cell.data_type = "s"
    cell.quotePrefix = text.lstrip().startswith(FORMULA_STARTS)
    return cell
