"""Excel workbooks as openpyxl reads them."""

import io
from typing import Any

import openpyxl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.text.workbook import MAX_CELL_CHARACTERS, Cell, Sheet, workbook
from tests.budget import rounds

# Without "_", with which Excel and openpyxl write characters ("_x000D_").
CHARACTERS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="_\ufffe\uffff")
TEXTS = st.text(CHARACTERS | st.sampled_from("\t\n\r"))
LARGEST = 9.99999999999999e307  # number that Excel can store
CELLS = st.none() | TEXTS | st.integers(-(10**15), 10**15) | st.floats(-LARGEST, LARGEST)


def read(data: bytes) -> Any:
    return openpyxl.load_workbook(io.BytesIO(data))


@settings(max_examples=rounds(50, 1000), deadline=None)
@given(st.lists(st.lists(CELLS, max_size=4), max_size=4))
@example([["\r"], ["one\r\ntwo"]])
def test_cells_are_read_as_they_were_written(rows: list[list[Cell]]) -> None:
    sheet = read(workbook([Sheet("a", rows)]))["a"]
    for number, row in enumerate(rows, 1):
        for column, value in enumerate(row, 1):
            read_value = sheet.cell(number, column).value
            if isinstance(value, float):
                assert read_value == pytest.approx(value, rel=1e-15)  # Excel keeps 15 digits
            else:
                text = value.replace("\r\n", "\n").replace("\r", "\n") if isinstance(value, str) else value
                assert read_value == (text if text != "" else None)


def test_head_is_bold_and_stays_in_view() -> None:
    book = read(workbook([Sheet("Fish & <Chips>", [["a", 1]], ("name", "number"), (9, 13)), Sheet("b", [["c"]])]))
    first, second = book["Fish & <Chips>"], book["b"]
    assert [[cell.value for cell in row] for row in first] == [["name", "number"], ["a", 1]]
    assert [[cell.font.b for cell in row] for row in first] == [[True, True], [False, False]]
    assert (first.freeze_panes, second.freeze_panes) == ("A2", None)
    assert [int(first.column_dimensions[name].width) for name in "AB"] == [9, 13]


def test_texts_never_become_formulas() -> None:
    texts = ["=1+1", " =1+1", "@SUM(A1)", "+1", "-1", "1=1", "plain"]
    cells = [row[0] for row in read(workbook([Sheet("a", [[text] for text in texts])]))["a"]]
    assert [cell.value for cell in cells] == texts
    assert {cell.data_type for cell in cells} == {"s"}
    assert [cell.quotePrefix for cell in cells] == [True, True, True, True, True, False, False]


def test_values_that_excel_does_not_accept_are_replaced() -> None:
    rows: list[list[Cell]] = [["a\x00\ud83d\uffffb", float("nan"), float("inf"), "x" * 40_000]]
    text, nan, infinity, long = (cell.value for cell in next(iter(read(workbook([Sheet("a", rows)]))["a"])))
    assert (text, nan, infinity) == ("a\ufffd\ufffd\ufffdb", None, None)
    assert (len(long), long[-1]) == (MAX_CELL_CHARACTERS, "…")
