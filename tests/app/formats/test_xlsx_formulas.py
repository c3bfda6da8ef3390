"""Formulas of workbooks that contain the text of a cell: the note that names them; and new results of formulas."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable

import pytest
from openpyxl import load_workbook
from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from app.formats.read_file import read_document
from app.i18n import translated
from tests.app.formats.test_pptx import edited

MAIN = "xl/workbook.xml"
SHEET = "xl/worksheets/sheet1.xml"


def workbook(add: Callable[[Workbook, Worksheet], object]) -> bytes:
    """A workbook with "green", "Yes" and "a "b" & c" in the column A of the sheet Parts, and what `add` adds."""
    file = io.BytesIO()
    book = Workbook(file)
    sheet = book.add_worksheet("Parts")
    sheet.write_column("A1", ["green", "Yes", 'a "b" & c'])
    add(book, sheet)
    book.close()
    return file.getvalue()


def note(data: bytes, language: str = "en") -> str:
    """The note about formulas, empty without one."""
    notes = [each for each in read_document(data, "parts.xlsx").notes if each.startswith("Formulas")]
    return str(translated(notes[0], language)) if notes else ""


def formula(text: str) -> Callable[[Workbook, Worksheet], object]:
    return lambda _, sheet: sheet.write_formula("D7", text)


def rule(**options: object) -> Callable[[Workbook, Worksheet], object]:
    return lambda _, sheet: sheet.conditional_format("B2:B9", options)


def validation(**options: object) -> Callable[[Workbook, Worksheet], object]:
    return lambda _, sheet: sheet.data_validation("C3:C4", options)


CASES = [
    (formula('=COUNTIF(A:A,"green")'), "“green”, sheet Parts, cell D7"),
    (formula('=IF(A2="yes",1,0)'), "“yes”, sheet Parts, cell D7"),
    (formula('=COUNTIF(A:A,"<>green")+1'), "“<>green”, sheet Parts, cell D7"),
    (formula('=IF("no"=A2,"*GREEN*","x")'), "“*GREEN*”, sheet Parts, cell D7"),
    (formula('=IF(A1="a ""b"" & c",1,0)'), "“a \"b\" & c”, sheet Parts, cell D7"),
    (formula("=COUNTIF('green \"Yes\"'!A1,5)"), ""),
    (formula('=A1&"greens"&"  "&""'), ""),
    (formula("=A1+green"), ""),
    (rule(type="cell", criteria="==", value='"green"'), "“green”, sheet Parts, cells B2:B9"),
    (rule(type="text", criteria="containing", value="green"), "“green”, sheet Parts, cells B2:B9"),
    (rule(type="cell", criteria="==", value='"blue"'), ""),
    (validation(validate="custom", value='=A1="green"'), "“green”, sheet Parts, cells C3:C4"),
    (validation(validate="list", source=["green"]), ""),
    (lambda book, _: book.define_name("Colour", '=IF(Parts!$A$1="green",1,2)'), "“green”, the name Colour"),
]  # fmt: skip


@pytest.mark.parametrize(("add", "place"), CASES, ids=range(len(CASES)))
def test_formula_with_the_text_of_a_cell_is_named(add: Callable[[Workbook, Worksheet], object], place: str):
    found = note(workbook(add))
    assert (f": 1; the first: {place}." in found) == bool(place), found


def test_formulas_of_all_places_are_counted_and_the_first_is_named():
    def add(book: Workbook, sheet: Worksheet) -> None:
        sheet.write_formula("B1", '=IF(A1="red",1,0)')
        sheet.write_formula("B2", '=IF(A1="green",1,0)')
        sheet.conditional_format("B2:B9", {"type": "cell", "criteria": "==", "value": '"green"'})
        book.add_worksheet("More").write_formula("A1", '=COUNTIF(Parts!A:A,"yes")')

    assert note(workbook(add)).startswith(
        "Formulas, also of conditional formats, that contain the text of a cell: 3; the first: “green”, sheet Parts, "
        "cell B2. Formulas stay unchanged"
    )
    assert "3; die erste: „green“, Blatt Parts, Zelle B2." in note(workbook(add), "de")


def test_copies_of_a_shared_formula_are_counted():
    def shared(xml: str) -> str:
        copies = "".join(
            f'<row r="{row}"><c r="B{row}"><f t="shared" si="{row % 2}"/></c></row>' for row in range(10, 16)
        )
        first = (
            '<row r="9"><c r="B9" s="1"><f t="shared" ref="B9:B15" si="0">IF(A9=&quot;green&quot;,1,0)</f></c></row>'
        )
        return xml.replace("</sheetData>", f"{first}{copies}</sheetData>")

    found = note(edited(workbook(lambda *_: None), SHEET, shared))
    assert ": 4; the first: “green”, sheet Parts, cell B9." in found


def test_rule_of_newer_versions_of_excel_is_named():
    def newer(xml: str) -> str:
        rule = '<x14:cfRule type="cellIs"><xm:f>"green"</xm:f></x14:cfRule><xm:sqref>B5 C5</xm:sqref>'
        return xml.replace("</worksheet>", f'<extLst xmlns:x14="x" xmlns:xm="m"><ext>{rule}</ext></extLst></worksheet>')

    found = note(edited(workbook(lambda *_: None), SHEET, newer))
    assert ": 1; the first: “green”, sheet Parts, cells B5." in found


def test_text_that_is_not_offered_does_not_count():
    def add(_: Workbook, sheet: Worksheet) -> None:
        sheet.add_table("F1:F3", {"columns": [{"header": "Colour"}]})
        sheet.write_formula("B1", '=INDIRECT("Colour")')
        sheet.write_string("B2", "100")
        sheet.write_formula("B3", '=COUNTIF(A:A,"100")')

    assert note(workbook(add)) == ""


def main_part(data: bytes) -> str:
    """The main part after the translation of "green"."""
    with zipfile.ZipFile(io.BytesIO(read_document(data, "parts.xlsx").export({0: "grün"}))) as file:
        return file.read(MAIN).decode()


def test_excel_calculates_the_formulas_of_a_translation_again():
    with_names = workbook(
        lambda book, sheet: (sheet.write_formula("B1", "=A1"), book.define_name("Name", "=Parts!$A$1"))
    )
    settings = '<calcPr calcId="191029"/>'
    data = edited(with_names, MAIN, lambda xml: re.sub("<calcPr[^>]*>", settings, xml))
    assert '<calcPr calcId="191029" fullCalcOnLoad="1"/>' in main_part(data)
    assert read_document(data, "parts.xlsx").export({}) == data
    data = edited(with_names, MAIN, lambda xml: re.sub("<calcPr[^>]*>", "", xml))
    assert '</definedNames><calcPr fullCalcOnLoad="1"/></workbook>' in main_part(data)
    assert load_workbook(io.BytesIO(read_document(data, "parts.xlsx").export({0: "grün"}))).calculation.fullCalcOnLoad


def test_settings_of_the_calculation_stay_without_formulas():
    data = edited(workbook(lambda *_: None), MAIN, lambda xml: re.sub("<calcPr[^>]*>", "", xml))
    assert "calcPr" not in main_part(data)
