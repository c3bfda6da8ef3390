"""Lists of choices in Excel's data validation: an item that is the text of a cell gets the cell's translation."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.datavalidation import DataValidation
from xlsxwriter import Workbook as XlsxWriter

from app.formats.documents import Document, Export
from app.formats.office.xlsx_lists import choice_lists, with_new_items
from app.formats.read_file import read_document
from tests.app.formats.test_pptx import edited

SHEET = "xl/worksheets/sheet1.xml"
COLOURS = {"green": "grün", "red": "rot"}


def workbook(cells: Sequence[str], *formulas: str) -> bytes:
    """The cells from A1 down, and a list of choices from each formula in a column of its own, from B on."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Parts"
    for cell in cells:
        sheet.append([cell])
    for column, formula in zip("BCDEFG", formulas, strict=False):
        validation = DataValidation(type="list", formula1=formula)
        validation.add(f"{column}2:{column}9")
        sheet.add_data_validation(validation)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def export(document: Document, translations: Mapping[str, str]) -> Export:
    texts = {s.index: translations[s.source] for s in document.segments if s.source in translations}
    return document.export_file(texts, "de")


def formulas(data: bytes) -> list[str]:
    (sheet,) = load_workbook(io.BytesIO(data))
    return [validation.formula1 for validation in sheet.data_validations.dataValidation]


def test_items_that_are_texts_of_cells_get_their_translations():
    data = workbook(["green", "red", "Other"], '"green, red,blue"', "$A$1:$A$3", '"red"', '"other,greenish"')
    written = export(read_document(data, "parts.xlsx"), COLOURS)
    assert formulas(written.data) == ['"grün, rot,blue"', "$A$1:$A$3", '"rot"', '"other,greenish"']
    assert written.note is None
    (sheet,) = load_workbook(io.BytesIO(written.data))
    assert [cell.value for (cell,) in sheet["A1:A3"]] == ["grün", "rot", "Other"]


def test_lists_change_in_a_sheet_that_also_has_texts_inside():
    def inline(xml: str) -> str:
        return xml.replace(
            "</sheetData>", '<row r="9"><c r="A9" t="inlineStr"><is><t>blue</t></is></c></row></sheetData>'
        )

    data = edited(workbook(["green"], '"green,blue"'), SHEET, inline)
    written = export(read_document(data, "parts.xlsx"), {"green": "grün", "blue": "blau"})
    assert formulas(written.data) == ['"grün,blau"']
    (sheet,) = load_workbook(io.BytesIO(written.data))
    assert sheet["A9"].value == "blau"


def test_without_translations_the_workbook_is_the_same_byte_for_byte():
    data = workbook(["green", "red"], '"green,red"')
    document = read_document(data, "parts.xlsx")
    assert document.export({}) == data
    assert document.notes == (), "the list needs nobody's attention"


def test_items_that_are_not_in_a_cell_are_counted_when_the_file_opens():
    data = workbook(["green"], '"green,1,2"', '"blue,green"', '"blue,yellow"')
    assert read_document(data, "parts.xlsx").notes[0] == (
        "Not offered: items of lists of data validation that are not the text of a cell "
        "(2; the first: “blue”, sheet Parts, cells C2:C9)."
    )


@pytest.mark.parametrize(
    ("items", "translations"),
    [
        ("green,red", {"green": "grün, hell", "red": "rot"}),
        ("green,red," + ",".join(["x" * 9] * 24), {"green": "grünlich", "red": "rötlich"}),
    ],
    ids=["a comma", "more than 255 characters"],
)
def test_list_that_cannot_have_the_translations_stays_and_is_named(items: str, translations: dict[str, str]):
    data = workbook(["green", "red"], f'"{items}"', '"red"')
    written = export(read_document(data, "parts.xlsx"), translations)
    assert formulas(written.data) == [f'"{items}"', f'"{translations["red"]}"']
    assert written.note is not None
    assert "longer than 255 characters (1): sheet Parts, cells B2:B9." in written.note
    assert written.note.in_language("de").count("Blatt Parts, Zellen B2:B9") == 1


def test_list_has_all_translations_of_a_text():
    def bold(xml: str) -> str:
        return xml.replace("<t>other</t>", "<r><rPr><b/></rPr><t>green</t></r>")

    data = edited(workbook(["green", "other"], '"green"'), SHEET, bold)
    document = read_document(data, "parts.xlsx")
    assert [segment.source for segment in document.segments] == ["green", "green"]
    assert formulas(document.export({0: "grün", 1: "unreif"})) == ['"grün,unreif"']
    assert formulas(document.export({0: "grün", 1: "grün"})) == ['"grün"']
    assert formulas(document.export({0: "grün"})) == ['"grün,green"']


def listed(inner: str, attributes: str = 'type="list" sqref="B2:B3 D1"', prefix: str = "") -> bytes:
    return f"<sheetData/><{prefix}dataValidation {attributes}>{inner}</{prefix}dataValidation>".encode()


LISTS = [
    ("<formula1>&quot;green,red&quot;</formula1>", "<formula1>&quot;gr&#252;n,rot&quot;</formula1>", "LibreOffice"),
    ('<formula1>"a ""b"",green"</formula1>', '<formula1>"&lt;""x"">,gr&#252;n"</formula1>', "quotation marks"),
    ('<formula1>"grau &amp; grün,red"</formula1>', '<formula1>"gray,rot"</formula1>', "references and letters"),
    ('<formula1>"green"&amp;"red"</formula1>', None, "a formula"),
    ("<formula1>Names</formula1>", None, "a name"),
]  # fmt: skip


@pytest.mark.parametrize(("inner", "expected", "reason"), LISTS, ids=[reason for _, _, reason in LISTS])
def test_list_keeps_its_way_of_writing(inner: str, expected: str | None, reason: str):
    texts = {"green": ["grün"], "red": ["rot"], 'a "b"': ['<"x">'], "grau & grün": ["gray"]}
    expected = expected.replace('"">', '""&gt;') if expected else inner
    assert with_new_items(listed(inner), "S", texts) == (listed(expected), []), reason


def test_list_of_newer_versions_of_excel_is_read():
    inner = '<x14:formula1><xm:f>"green,red"</xm:f></x14:formula1><xm:sqref>C4:C5</xm:sqref>'
    sheet = listed(inner, 'type="list" allowBlank="1"', "x14:")
    assert [(choices.cells, choices.items) for choices in choice_lists(sheet, "S")] == [("C4:C5", ["green", "red"])]
    assert b'<xm:f>"green,rot"</xm:f>' in with_new_items(sheet, "S", {"red": ["rot"]})[0]


def test_list_whose_items_contain_commas_stays_and_is_named():
    inner = (
        '<mc:AlternateContent xmlns:mc="m"><mc:Choice Requires="x12ac"><x12ac:list>"one, two",red</x12ac:list>'
        '</mc:Choice><mc:Fallback><formula1>"one, two,red"</formula1></mc:Fallback></mc:AlternateContent>'
    )
    (choices,) = choice_lists(listed(inner), "S")
    assert choices.items == ["one, two", "red"]
    assert with_new_items(listed(inner), "S", {"red": ["rot"]}) == (listed(inner), ["sheet S, cells B2:B3"])


def test_other_kinds_of_validation_are_not_lists():
    attributes = 'type="custom" error="type=&quot;list&quot;" sqref="B2"'
    assert choice_lists(listed('<formula1>"green"</formula1>', attributes), "S") == []
    assert choice_lists(b'<sheetData/><dataValidation type="list"/><formula1>"green"</formula1>', "S") == []


def test_nothing_else_in_the_sheet_changes():
    file = io.BytesIO()
    book = XlsxWriter(file)
    sheet = book.add_worksheet()
    sheet.write_string("A1", "green")
    sheet.data_validation("B2", {"validate": "list", "source": ["green"]})
    book.close()
    written = export(read_document(file.getvalue(), "parts.xlsx"), COLOURS).data
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(io.BytesIO(written)) as new:
        changed = [name for name in old.namelist() if old.read(name) != new.read(name)]
        assert sorted(changed) == ["xl/sharedStrings.xml", SHEET]
        assert new.read(SHEET) == old.read(SHEET).replace(b'"green"', b'"gr&#252;n"')
