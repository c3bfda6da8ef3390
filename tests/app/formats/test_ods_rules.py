"""Lists of choices and formulas of OpenDocument spreadsheets that contain texts of cells."""

from __future__ import annotations

import re
from html import escape

import pytest

from app.formats.read_file import read_document
from tests.app.formats.test_odf import part, sample


def cell(text: str, attributes: str = "") -> str:
    return (
        f'<table:table-cell office:value-type="string" {attributes}><text:p>{escape(text)}</text:p></table:table-cell>'
    )


def spreadsheet(*texts: str, condition: str = "", rows: str = "", behind: str = "") -> bytes:
    """The texts from A1 down, and a validation with this condition."""
    attributes = f"""table:condition="{escape(condition)}" table:base-cell-address="$'My sheet'.$B$2\""""
    validation = f"<table:content-validations><table:content-validation {attributes}/></table:content-validations>"
    validation = validation if condition else ""
    cells = "".join(f"<table:table-row>{cell(text)}</table:table-row>" for text in texts)
    body = f'<office:spreadsheet>{validation}<table:table table:name="My sheet">{cells}{rows}</table:table>{behind}'
    return sample(body + "</office:spreadsheet>", "spreadsheet")


def conditions(data: bytes) -> list[str]:
    return re.findall(r'table:condition="([^"]*)"', part(data))


def test_items_that_are_texts_of_cells_get_their_translations():
    condition = 'of:cell-content-is-in-list("green";"a ""b""";"blue")'
    data = spreadsheet("green", 'a "b"', "green", "other", condition=condition)
    document = read_document(data, "a.ods")
    assert document.export({}) == data
    assert conditions(document.export({3: "anderes"})) == [escape(condition)]
    written = document.export_file({0: "grün, hell", 1: 'das "B"', 2: "unreif"}, "de")
    assert conditions(written.data) == [
        escape('of:cell-content-is-in-list("grün, hell";"unreif";"das ""B""";"blue")'),
    ]
    assert document.notes == (
        "Not offered: items of lists of data validation that are not the text of a cell "
        "(1; the first: “blue”, sheet My sheet, cell B2).",
    )


FORMULA = 'table:formula="of:=COUNTIF([.A1:.A9];&quot;GREEN&quot;)"'
ROWS = f"""<table:table-row table:number-rows-repeated="3"/><table:table-row>{cell("x")}
<table:table-cell table:number-columns-repeated="2"/>{cell("1", FORMULA)}</table:table-row>"""
NAME = """<table:named-expressions><table:named-expression table:name="Colour"
 table:expression="IF([.A1]=&quot;green&quot;;1;2)"/></table:named-expressions>"""
FORMAT = """<calcext:conditional-format xmlns:calcext="c" calcext:target-range-address="Parts.C2:Parts.C9">
<calcext:condition calcext:value="=&quot;green&quot;"/></calcext:conditional-format>"""
CASES = [
    ({"rows": ROWS}, "“GREEN”, sheet My sheet, cell D5"),
    ({"condition": 'of:is-true-formula([.B2]="green")'}, "“green”, sheet My sheet, cell B2"),
    ({"condition": 'of:cell-content-is-in-list("green")'}, ""),
    ({"behind": NAME}, "“green”, the name Colour"),
    ({"behind": FORMAT}, "“green”, sheet Parts, cell C2"),
]


@pytest.mark.parametrize(("parts", "place"), CASES, ids=range(len(CASES)))
def test_formula_with_the_text_of_a_cell_is_named(parts: dict[str, str], place: str):
    notes = read_document(spreadsheet("green", **parts), "a.ods").notes
    assert [f": 1; the first: {place}." in note for note in notes] == ([True] if place else [])
