"""Translation memories in tables: which columns and rows are read, and the errors for bad ones."""

from __future__ import annotations

import io
import time

import pytest
from openpyxl import Workbook

from app.errors import DocumentError
from app.text.workbook import Sheet, workbook
from app.tm.entries import MemoryEntry
from app.tm.memory_file import MAX_PAIRS, MemoryFile, read_memory
from app.tm.memory_table import write_csv, write_workbook


def read(data: str | bytes, name: str = "m.csv") -> MemoryFile:
    return read_memory(data.encode() if isinstance(data, str) else data, name, "en", "de")


def excel(*rows: list[str]) -> bytes:
    return workbook([Sheet("memory", rows)])


PAIRS = [("Open the file.", "Öffnen Sie die Datei."), ("Close it.", "Schließen Sie sie.")]
TABLES = [
    ("en,de\nOpen the file.,Öffnen Sie die Datei.\nClose it.,Schließen Sie sie.\n", "m.csv", "language codes"),
    ("de;en\nÖffnen Sie die Datei.;Open the file.\nSchließen Sie sie.;Close it.", "m.csv", "the other order"),
    ("id\tEnglish (US)\tdate\tGerman\n1\tOpen the file.\t\tÖffnen Sie die Datei.\n2\tClose it.\t\tSchließen Sie sie.",
     "m.tsv", "other columns between them"),
    ("Source;Target;Author\r\nOpen the file.;Öffnen Sie die Datei.;A\r\nClose it.;Schließen Sie sie.;B\r\n",
     "m.txt", "source and target"),
    ("Open the file.\tÖffnen Sie die Datei.\nClose it.\tSchließen Sie sie.\n", "M.TAB", "without names: the first two"),
    ("\ufeffen,de\n\"Open\nthe file.\",Öffnen Sie die Datei.\n\nClose it.,\"Schließen Sie\n sie.\"\n", "m.csv",
     "a quoted cell with a line break, an empty line"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "reason"), TABLES, ids=[reason for _, _, reason in TABLES])
def test_pairs_are_read_from_the_columns_of_the_languages(text: str, name: str, reason: str):
    found = read(text, name)
    assert [(" ".join(source.split()), " ".join(target.split())) for source, target in found.pairs] == PAIRS, reason
    assert not found.notes


@pytest.mark.parametrize("title", ["Our memory\n", "Our memory;;\n;May 2026\n\n"])
@pytest.mark.parametrize("header", ["en;de;by", "source;target", "note;German;English"])
def test_rows_above_the_names_of_the_columns_are_not_used(title: str, header: str):
    row = ["x", PAIRS[0][1], PAIRS[0][0]] if header.startswith("note") else [*PAIRS[0], "x"]
    found = read(f"{title}{header}\n{';'.join(row)}\n")
    assert found.pairs == PAIRS[:1]
    number = "1, 2" if "May" in title else "1"
    assert found.notes == [f"Rows above the names of the columns are not used: {number}."]


def test_title_of_a_workbook_is_not_used():
    found = read(excel(["Our memory"], ["en", "de"], *map(list, PAIRS)), "m.xlsx")
    assert found.pairs == PAIRS and len(found.notes) == 1


def test_workbook_of_a_spreadsheet_program_is_read():
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["English", "French", "German"], *([one, "x", other] for one, other in PAIRS), [None, None, None]):
        sheet.append(row)
    book.create_sheet("more").append(["a", "b"])
    file = io.BytesIO()
    book.save(file)
    found = read(file.getvalue(), "m.xlsx")
    assert found.pairs == PAIRS
    assert len(found.notes) == 1 and "2 sheets" in found.notes[0]


def test_tables_that_pinpoint_writes_are_read_again_with_tags_and_formulas():
    entries = [MemoryEntry("=1+1 {1}x{/1}", "=1+1 {1}y{/1}", "a.docx", 0)]
    for data, name in (
        (write_csv(entries, ("en", "de"), {}), "m.csv"),
        (write_workbook(entries, ("en", "de"), {}), "m.xlsx"),
    ):
        assert read(data, name).pairs == [("=1+1 {1}x{/1}", "=1+1 {1}y{/1}")], name


def test_rows_without_one_of_the_texts_are_reported():
    found = read("en,de\nOne,Eins\nTwo,\n,Drei\nFour\nFive,Fünf\n")
    assert found.pairs == [("One", "Eins"), ("Five", "Fünf")]
    assert found.notes == ["Rows without a source or a translation are left out (3): 3, 4, 5."]


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        ("en,fr\nOne,Un\n", "m.csv", "columns for en, fr, not for “en” and “de”: name the two columns"),
        ("Only one column\nand another row\n", "m.csv", "does not have two columns of texts"),
        ("A title\nOne,Eins\n", "m.csv", "in the first row, and remove rows above it"),
        ("A title\nen,fr\nOne,Un\n", "m.csv", "columns for en, fr, not for “en” and “de”"),
        ("", "m.csv", "empty (0 bytes)"),
        ("en,de\n,\n", "m.csv", "no units in both"),
        ("en,de\nOne," + "x" * 140_000 + "\n", "m.csv", "line 2 cannot be read as a row"),
        (b"PK\x03\x04 damaged", "m.xlsx", "damaged archive"),
        (b"en,de\nOne,\xff\xfe\x00Eins\n" * 3, "m.csv", ""),
    ],
)
def test_bad_table_is_refused_with_the_place_and_the_cure(data: str | bytes, name: str, says: str):
    with pytest.raises(DocumentError, match=r"^m\.(csv|xlsx)") as raised:
        read(data, name)
    assert says in str(raised.value)


def test_too_many_rows_are_refused():
    text = "en,de\n" + "One,Eins\n" * (MAX_PAIRS + 1)
    with pytest.raises(DocumentError, match="more than 200,000"):
        read(text)


def test_largest_memory_is_read_in_seconds():
    text = "en\tde\n" + "One of many sentences.\tEiner von vielen Sätzen.\n" * MAX_PAIRS
    began = time.process_time()
    assert len(read(text, "m.tsv").pairs) == MAX_PAIRS
    assert time.process_time() - began < 30
