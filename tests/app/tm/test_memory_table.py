"""The memory as CSV and Excel: columns, each pair once, no formulas, and the texts as a document again."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from xml.etree import ElementTree

import openpyxl
from hypothesis import given
from hypothesis import strategies as st

from app.formats.read_file import read_document
from app.tm.entries import MemoryEntry
from app.tm.memory_table import write_csv, write_workbook
from app.tm.tmx_memory import write_tmx

MAY = int(datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC).timestamp() * 1000)
ENTRIES = [
    MemoryEntry("One", "Eins", "old.docx", MAY - 1000, 7),
    MemoryEntry("Press {1}OK{/1}", "{1}OK{/1} drücken", "a.tmx", is_imported=True),
    MemoryEntry("One", "Eins", "new.docx", MAY, 8),
    MemoryEntry("=1+1", "@SUM(A1)", "-b.docx", MAY, 9),
]
PROJECTS = {7: "First", 8: "Second, GmbH"}
HEADER = ["en", "de", "origin", "kind", "project", "changed"]
ROWS = [
    ["One", "Eins", "new.docx", "confirmed", "Second, GmbH", "2026-05-04T03:02:01+00:00"],
    ["Press {1}OK{/1}", "{1}OK{/1} drücken", "a.tmx", "imported", "", ""],
    ["=1+1", "@SUM(A1)", "-b.docx", "confirmed", "", "2026-05-04T03:02:01+00:00"],
]


def csv_rows(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_csv_has_each_pair_once_with_its_last_origin_and_no_formula() -> None:
    header, *rows = csv_rows(write_csv(ENTRIES, ("en", "de"), PROJECTS))
    assert header == HEADER
    assert rows == [*ROWS[:2], ["'=1+1", "'@SUM(A1)", "'-b.docx", *ROWS[2][3:]]]


def test_workbook_has_the_same_rows_as_texts() -> None:
    (sheet,) = openpyxl.load_workbook(io.BytesIO(write_workbook(ENTRIES, ("en", "de"), PROJECTS)))
    header, *rows = sheet.iter_rows()
    assert [cell.value for cell in header] == HEADER
    assert [[cell.value or "" for cell in row] for row in rows] == ROWS
    assert [cell.quotePrefix for cell in rows[2][:3]] == [True, True, True]
    assert {cell.data_type for row in rows for cell in row if cell.value} == {"s"}


def test_columns_are_named_by_language_tags() -> None:
    entries = [MemoryEntry("A page", "頁")]
    assert csv_rows(write_csv(entries, ("eng_Latn", "zho_Hant"), {}))[0][:2] == ["eng-Latn", "zho-Hant"]


TEXTS = st.text("ab {1}/;,\"'=", max_size=8).map(lambda text: f"a{text}b")


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5, unique=True))
def test_table_opens_as_a_document_with_both_texts(pairs: list[tuple[str, str]]) -> None:
    document = read_document(write_csv([MemoryEntry(*pair) for pair in pairs], ("en", "de"), {}), "memory.en-de.csv")
    assert [(segment.source, segment.target) for segment in document.segments] == pairs


def test_tmx_has_the_date_of_each_entry() -> None:
    units = ElementTree.fromstring(write_tmx(ENTRIES, "en", "de")).iter("tu")
    assert [unit.get("changedate") for unit in units] == ["20260504T030201Z", None, "20260504T030201Z"]
