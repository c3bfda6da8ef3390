"""Filters of workbooks for texts of cells: they get the translations of the cells."""

from __future__ import annotations

import io

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.table import Table

from app.formats.office.xlsx_filters import with_new_filters
from app.formats.read_file import read_document
from tests.app.formats.test_pptx import edited

SHEET = "xl/worksheets/sheet1.xml"


def workbook(*, has_table: bool) -> bytes:
    """Colours with a filter for two of them, in the sheet or in a table."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for text in ("Colour", "green", "red", "blue"):
        sheet.append([text])
    filtered = sheet.auto_filter
    if has_table:
        table = Table(displayName="Colours", ref="A1:A4")
        table._initialise_columns()
        assert table.autoFilter is not None
        filtered = table.autoFilter
        sheet.add_table(table)
    filtered.ref = "A1:A4"
    filtered.add_filter_column(0, ["green", "blue"])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@pytest.mark.parametrize("has_table", [False, True])
def test_filter_gets_the_translations_of_the_cells(has_table: bool):
    data = workbook(has_table=has_table)
    document = read_document(data, "colours.xlsx")
    assert document.export({}) == data
    texts = {segment.source: segment.index for segment in document.segments}
    written = document.export({texts["green"]: "grün & «ü»", texts["red"]: "rot"})
    (sheet,) = load_workbook(io.BytesIO(written))
    filtered = sheet.tables["Colours"].autoFilter if has_table else sheet.auto_filter
    assert filtered.filterColumn[0].filters.filter == ["grün & «ü»", "blue"]


def test_filter_for_a_text_with_several_translations_has_all_of_them():
    xml = b'<sheetData><filter val="a"/></sheetData><filters><filter val=\'a\'/><x:filter val="b &amp; c" /></filters>'
    written = with_new_filters(xml, {"a": ["1", '"2"'], "b & c": ["b"], "d": ["e"]})
    assert written == (
        b'<sheetData><filter val="a"/></sheetData><filters><filter val="1"/><filter val="&quot;2&quot;"/>'
        b'<x:filter val="b" /></filters>'
    )


def test_filter_for_a_text_that_only_some_cells_keep_has_both_texts():
    def again(xml: str) -> str:
        return xml.replace("<t>red</t>", "<r><rPr><b/></rPr><t>green</t></r>")

    document = read_document(edited(workbook(has_table=False), SHEET, again), "colours.xlsx")
    index = next(segment.index for segment in document.segments if segment.source == "green")
    (sheet,) = load_workbook(io.BytesIO(document.export({index: "grün"})))
    assert sheet.auto_filter.filterColumn[0].filters.filter == ["grün", "green", "blue"]
