"""Writes Excel workbooks: tables of texts and numbers, without formulas.

openpyxl makes an object of each cell, which takes five times as long.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from app.text.encoding import FORMULA_STARTS

MAX_CELL_CHARACTERS: Final = 32_767  # the limit of Excel
Cell = str | int | float | None
_NOT_IN_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CONTENT: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_BOLD, _QUOTED = 1, 2  # the styles of cells, in the order of cellXfs
_STYLES: Final = (
    f'<styleSheet xmlns="{_MAIN}">'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
_FROZEN_FIRST_ROW: Final = (
    '<sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
    '<selection pane="bottomLeft"/></sheetView></sheetViews>'
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its title of up to 31 characters, and rows. `head` is a first row in bold that stays in view.

    `widths` are the widths of the first columns in characters. Texts stay texts, also if a cell with "=1+1" is edited
    later. Characters that XML does not allow are replaced, and longer texts than Excel allows are cut.
    """

    title: str
    rows: Iterable[Sequence[Cell]]
    head: Sequence[str] = ()
    widths: Sequence[int] = ()


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """The sheets as an XLSX file.

    >>> workbook([Sheet("a", [["b", 1]])])[:2]
    b'PK'
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in _parts([sheet.title for sheet in sheets]):
            package.writestr(name, _HEAD + content)
        for number, sheet in enumerate(sheets, 1):
            with package.open(f"xl/worksheets/sheet{number}.xml", "w") as part:
                for text in _sheet_xml(sheet):
                    part.write(text.encode("utf-8"))
    return file.getvalue()


def _parts(titles: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The parts of the package that only name others, and the styles."""
    numbers = range(1, len(titles) + 1)
    kinds = {"xl/workbook.xml": "sheet.main", "xl/styles.xml": "styles"}
    kinds |= {f"xl/worksheets/sheet{number}.xml": "worksheet" for number in numbers}
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{_CONTENT}.{kind}+xml"/>' for name, kind in kinds.items()
    )
    yield (
        "[Content_Types].xml",
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>',
    )
    yield "_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")])
    sheets = "".join(
        f'<sheet name={quoteattr(title)} sheetId="{number}" r:id="rId{number}"/>'
        for number, title in zip(numbers, titles, strict=True)
    )
    yield (
        "xl/workbook.xml",
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><bookViews><workbookView/></bookViews>'
        f"<sheets>{sheets}</sheets></workbook>",
    )
    targets = [("worksheet", f"worksheets/sheet{number}.xml") for number in numbers]
    yield "xl/_rels/workbook.xml.rels", _relations([*targets, ("styles", "styles.xml")])
    yield "xl/styles.xml", _STYLES


def _relations(targets: Iterable[tuple[str, str]]) -> str:
    relations = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>'


def _sheet_xml(sheet: Sheet) -> Iterator[str]:
    columns = "".join(
        f'<col min="{number}" max="{number}" width="{width}" customWidth="1"/>'
        for number, width in enumerate(sheet.widths, 1)
    )
    yield (
        f'{_HEAD}<worksheet xmlns="{_MAIN}">{_FROZEN_FIRST_ROW if sheet.head else ""}'
        f"{f'<cols>{columns}</cols>' if columns else ''}<sheetData>"
    )
    names: list[str] = []
    first = 1
    if sheet.head:
        yield _row(1, sheet.head, names, _BOLD)
        first = 2
    for number, row in enumerate(sheet.rows, first):
        yield _row(number, row, names)
    yield "</sheetData></worksheet>"


def _row(number: int, cells: Sequence[Cell], names: list[str], style: int = 0) -> str:
    """One row. `names` are the names of columns known so far; missing ones are added."""
    names.extend(map(_column_name, range(len(names), len(cells))))
    texts = [
        f'<c r="{name}{number}"><v>{cell}</v></c>' if type(cell) is int else _cell(f"{name}{number}", cell, style)
        for name, cell in zip(names, cells, strict=False)
        if cell is not None
    ]
    return f'<row r="{number}">{"".join(texts)}</row>'


def _cell(place: str, cell: str | float, style: int) -> str:
    return _text_cell(place, cell, style) if isinstance(cell, str) else _number_cell(place, cell)


def _number_cell(place: str, number: float) -> str:
    return f'<c r="{place}"><v>{number}</v></c>' if math.isfinite(number) else ""


def _text_cell(place: str, text: str, style: int) -> str:
    if not text:
        return ""
    text = _NOT_IN_XML.sub("\ufffd", text)
    if len(text) > MAX_CELL_CHARACTERS:
        text = text[: MAX_CELL_CHARACTERS - 1] + "…"
    if text.lstrip().startswith(FORMULA_STARTS):
        style = _QUOTED
    styled = f' s="{style}"' if style else ""
    content = escape(text, {"\r": "&#13;"})  # otherwise, XML reads it as a line break
    return f'<c r="{place}"{styled} t="inlineStr"><is><t xml:space="preserve">{content}</t></is></c>'


def _column_name(number: int) -> str:
    """
    >>> [_column_name(number) for number in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    before, letter = divmod(number, 26)
    return (_column_name(before - 1) if before else "") + chr(ord("A") + letter)
