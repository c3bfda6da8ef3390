"""Workbooks, made by XlsxWriter and read back by openpyxl: what is offered, and what a translation changes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest
from openpyxl import load_workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from xlsxwriter import Workbook

from app.errors import DocumentError
from app.formats.documents import Document
from app.formats.office import xlsx
from app.formats.read_file import read_document
from tests.app.formats.test_docx import sample as word_sample
from tests.app.formats.test_pptx import edited

STRINGS = "xl/sharedStrings.xml"


def sample() -> bytes:
    target = io.BytesIO()
    book = Workbook(target)
    sheet = book.add_worksheet("Parts & more")
    sheet.write_string("A1", "Open the door. Close it.")
    sheet.write_number("B1", 42)
    sheet.write_string("C1", "4711-B")
    sheet.write_rich_string("A2", "Press ", book.add_format({"bold": True}), "OK", " now <or> later")
    sheet.write_formula("B2", '="Total: "&B1', value="Total: 42")
    sheet.write_string("A3", "First line\nSecond line")
    sheet.write_string("A4", "  Padded ")
    second = book.add_worksheet("Table")
    second.add_table(
        "A1:B3", {"data": [["Door", "red"], ["Lid", "red"]], "columns": [{"header": "Name"}, {"header": "Colour"}]}
    )
    second.write_string("D1", "Open the door. Close it.")
    second.write_comment("D1", "Ask Eva")
    book.close()
    return target.getvalue()


@pytest.fixture(scope="module")
def data() -> bytes:
    return sample()


def sources(document: Document) -> list[str]:
    return [document.segments[index].source for index in document.order]


def cells(data: bytes) -> dict[str, object]:
    book = load_workbook(io.BytesIO(data), rich_text=True)
    return {
        f"{sheet.title}!{cell.coordinate}": cell.value for sheet in book for row in sheet.iter_rows() for cell in row
    }


def test_each_text_is_offered_once_without_formulas_numbers_and_headings(data: bytes):
    document = read_document(data, "parts.xlsx")
    assert sources(document) == [
        "Open the door.",
        "Close it.",
        "4711-B",
        "Press {1}OK{/1} now <or> later",
        "First line",
        "Second line",
        "Padded",
        "Door",
        "red",
        "Lid",
    ]
    assert document.notes[0] == "Not offered: comments; headings of tables, because formulas may refer to them (2)."


def test_without_translations_the_file_is_the_same_byte_for_byte(data: bytes):
    assert read_document(data, "parts.xlsx").export({}) == data


def test_translations_appear_in_all_cells_with_the_text_and_nothing_else_changes(data: bytes):
    document = read_document(data, "parts.xlsx")
    translations = {
        "Open the door.": "Öffnen Sie die Tür.",
        "Press {1}OK{/1} now <or> later": "{1}OK{/1} jetzt & <oder> später drücken",
        "Second line": "Zweite Zeile",
        "Padded": "Gepolstert",
        "red": "=rot",
    }
    written = document.export_file(
        {s.index: translations[s.source] for s in document.segments if s.source in translations}, "de"
    )
    before, after = cells(data), cells(written.data)
    changed = {place: after[place] for place in before if before[place] != after[place]}
    rich = changed.pop("Parts & more!A2")
    assert changed == {
        "Parts & more!A1": "Öffnen Sie die Tür. Close it.",
        "Parts & more!A3": "First line\nZweite Zeile",
        "Parts & more!A4": "  Gepolstert ",
        "Table!D1": "Öffnen Sie die Tür. Close it.",
        "Table!B2": "=rot",
        "Table!B3": "=rot",
    }
    assert isinstance(rich, CellRichText)
    assert str(rich) == "OK jetzt & <oder> später drücken"
    assert [str(block) for block in rich if isinstance(block, TextBlock) and block.font.b] == ["OK"]
    sheet = load_workbook(io.BytesIO(written.data))["Table"]
    assert sheet["B2"].data_type == "s", "a translation never becomes a formula"
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(io.BytesIO(written.data)) as new:
        assert [name for name in old.namelist() if old.read(name) != new.read(name)] == [STRINGS]


def test_text_inside_of_a_sheet_is_offered_too(data: bytes):
    def inline(xml: str) -> str:
        return xml.replace(
            "<sheetData>", '<sheetData><row r="9"><c r="A9" t="inlineStr"><is><t>Inside</t></is></c></row>'
        )

    document = read_document(edited(data, "xl/worksheets/sheet1.xml", inline), "parts.xlsx")
    index = next(s.index for s in document.segments if s.source == "Inside")
    assert cells(document.export({index: "Innen"}))["Parts & more!A9"] == "Innen"


def test_escapes_of_excel_are_shown_as_their_characters():
    target = io.BytesIO()
    with Workbook(target) as book:
        book.add_worksheet().write_column("A1", ["First line\r\nSecond line", "The code _x0041_ and more"])
    document = read_document(target.getvalue(), "parts.xlsx")
    assert sources(document) == ["First line", "Second line", "The code _x0041_ and more"]
    written = document.export({1: "Zweite Zeile", 2: "Der Code _x0042_"})
    again = read_document(written, "parts.xlsx")
    assert sources(again) == ["First line", "Zweite Zeile", "Der Code _x0042_"]
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        assert "Der Code _x005F_x0042_" in archive.read(STRINGS).decode()


def test_places_are_named_by_sheet_and_cell(data: bytes):
    file = xlsx.parse(data, "parts.xlsx")
    places = {unit.source: file.describe(unit.start) for unit in file.units}
    assert places["First line Second line"] == "sheet Parts & more, cell A3"
    assert places["red"] == "sheet Table, cell B2"


DAMAGED: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda data: data[:1000], r"not a \.xlsx file or is damaged"),
    (lambda data: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + data, r"old \.xls format: in Excel, save it as \.xlsx"),
    (lambda data: word_sample(), r"is a \.docx file with another ending"),
    (lambda data: edited(data, STRINGS, lambda xml: xml[:-9]), r"sharedStrings\.xml"),
    (lambda data: edited(data, "xl/worksheets/sheet1.xml", lambda xml: xml[:-9]), "cannot be read"),
    (
        lambda data: edited(
            data,
            "xl/worksheets/sheet1.xml",
            lambda xml: '<?xml version="1.0" encoding="UT8"?>' + xml.partition("?>")[2],
        ),
        "unknown encoding",
    ),
    (
        lambda data: edited(
            data, "xl/worksheets/sheet1.xml", lambda xml: "<!DOCTYPE x [<!ENTITY a 'b'>]>" + xml.partition("?>")[2]
        ),
        "cannot be read",
    ),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_workbook_is_refused_with_the_cure(data: bytes, damage: Callable[[bytes], bytes], message: str):
    with pytest.raises(DocumentError, match=message):
        read_document(damage(data), "parts.xlsx")


def test_limits_are_named(data: bytes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(xlsx, "MAX_CELLS", 3)
    with pytest.raises(DocumentError, match="more than 3 cells"):
        read_document(data, "parts.xlsx")
    monkeypatch.setattr(xlsx, "MAX_CELLS", 100)
    monkeypatch.setattr(xlsx, "MAX_TEXTS", 3)
    with pytest.raises(DocumentError, match="more than 3 texts"):
        read_document(data, "parts.xlsx")


def with_drawings() -> bytes:
    """A text box, a chart with names from cells, a header, and a list of choices with a message."""
    target = io.BytesIO()
    book = Workbook(target)
    sheet = book.add_worksheet("Sales & more")
    sheet.write_column("A1", ["East", "West"])
    sheet.write_column("B1", [1e-30, 2])
    sheet.insert_textbox("D1", "Open the door. Close it.", {"description": "A yellow note"})
    chart = book.add_chart({"type": "pie"})
    chart.add_series(
        {"name": "Doors", "categories": "='Sales & more'!$A$1:$A$2", "values": "='Sales & more'!$B$1:$B$2"}
    )
    chart.set_title({"name": "Sold doors"})
    sheet.insert_chart("D9", chart)
    sheet.set_header('&C&"Arial,Bold"&12Report &D')
    sheet.data_validation("A1", {"validate": "list", "source": ["East", "West"], "input_message": "Choose a region"})
    book.close()
    return target.getvalue()


def test_texts_in_drawings_and_titles_of_charts_are_offered_after_the_cells():
    data = with_drawings()
    document = read_document(data, "sales.xlsx")
    offered = ["East", "West", "Open the door.", "Close it.", "A yellow note", "Sold doors", "Doors"]
    assert sorted(sources(document)) == sorted(offered) and sources(document)[:2] == offered[:2]
    assert document.notes[0] == "Not offered: headers and footers; messages of data validation."
    file = xlsx.parse(data, "sales.xlsx")
    places = {segment.source: file.describe(segment.start) for segment in document.segments}
    assert places["Close it."] == "sheet Sales & more, drawing" and places["Sold doors"] == "sheet Sales & more, chart"
    written = document.export({s.index: s.source.upper() for s in document.segments})
    assert sorted(sources(read_document(written, "sales.xlsx"))) == sorted(map(str.upper, offered))
    (chart,) = load_workbook(io.BytesIO(written)).worksheets[0]._charts
    assert chart.title.tx.rich.p[0].r[0].t == "SOLD DOORS"
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(io.BytesIO(written)) as new:
        changed = [name for name in old.namelist() if old.read(name) != new.read(name)]
    list_of_choices = "xl/worksheets/sheet1.xml"
    assert sorted(changed) == ["xl/charts/chart1.xml", "xl/drawings/drawing1.xml", STRINGS, list_of_choices]


def test_names_from_cells_and_small_numbers_do_not_count_as_missing_text():
    coverage = read_document(with_drawings(), "sales.xlsx").coverage
    assert coverage is not None and coverage.num_seen == coverage.num_offered > 0


def test_drawings_are_shown_with_their_sheet():
    blocks = xlsx.parse(with_drawings(), "sales.xlsx").blocks
    assert [block.kind for block in blocks] == ["part", "cell", "cell", *["paragraph"] * (len(blocks) - 3)]
    assert blocks[0].label == "Sales & more" and len(blocks) > 4


@pytest.mark.parametrize(
    ("header", "is_text"), [("&C&P", False), ('&L&"Arial,Bold"&12&A', False), ("&RPage &P", True), ("&C&D", False)]
)
def test_header_without_text_is_not_named(header: str, is_text: bool):
    target = io.BytesIO()
    book = Workbook(target)
    sheet = book.add_worksheet()
    sheet.write_string("A1", "East")
    sheet.set_footer(header)
    book.close()
    notes = read_document(target.getvalue(), "a.xlsx").notes
    assert notes == (("Not offered: headers and footers.",) if is_text else ())


def test_tips_of_links_are_named_as_not_offered():
    for tip, notes in (("", ()), ("Read the manual", ("Not offered: tips of links.",))):
        target = io.BytesIO()
        book = Workbook(target)
        book.add_worksheet().write_url("A1", "https://example.com", string="Manual", tip=tip)
        book.close()
        assert read_document(target.getvalue(), "a.xlsx").notes == notes


def test_number_of_a_shared_text_that_does_not_exist_is_passed_over(data: bytes):
    def beyond(xml: str) -> str:
        return xml.replace("<v>0</v>", "<v>999</v>").replace("<v>1</v>", "<v>-1</v>")

    assert "Door" in sources(read_document(edited(data, "xl/worksheets/sheet1.xml", beyond), "parts.xlsx"))
