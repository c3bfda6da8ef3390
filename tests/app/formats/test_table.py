"""CSV and TSV documents agree with Python's csv module; all other cells stay byte for byte the same."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import CommandError, DocumentError
from app.formats import Reading, stored_format
from app.formats.read_file import read_document


def rows_of(data: bytes, separator: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=separator, strict=True))


READ_CASES = [
    (b"source,target\nOpen,\xc3\x96ffnen\nSave,\n", "a.csv", [("Open", "Öffnen"), ("Save", None)], "a header"),
    (b"id;Quelle;Ziel;note\r\n1;Open;;x\r\n", "a.csv", [("Open", None)], "German names, semicolons"),
    (b"en-US\tde\nOpen\tA\n", "a.tsv", [("Open", "A")], "languages"),
    (b"key,en_US,de_DE,note\nk1,Open,,x\n", "a.csv", [("Open", None)], "languages after a key column"),
    (b"Key;English;German\r\nk1;Open;A\r\n", "a.csv", [("Open", "A")], "names of languages"),
    (b"sep=;\r\nsource;target\r\n1,5;A\r\n", "a.csv", [("1,5", "A")], "the separator declared as in Excel"),
    (b"sep=;\r\nOpen, now\r\n", "a.csv", [("Open, now", None)], "the same without a header"),
    (b"go,to,it\nOpen,A,x\n", "a.csv", [("Open", "A")], "codes of other languages in the first two columns"),
    (b"Open,A\nSave,B\n", "a.csv", [("Open", "A"), ("Save", "B")], "no header"),
    (b"Open\nSave\n", "a.csv", [("Open", None), ("Save", None)], "one column"),
    (b'source,target\n"a, ""b""\nc",x\n', "a.csv", [('a, "b"{1}c', "x")], "quoted cells with separators and line ends"),
    (b'source\ttarget\n5" disk\t"x\n', "a.tsv", [('5" disk', '"x')], "quotation marks as plain text"),
    (b"source,target\n\n  ,x\nA,\n", "a.csv", [("A", None)], "rows without a source"),
]


@pytest.mark.parametrize(("data", "name", "expected", "why"), READ_CASES)
def test_sources_and_targets_are_found_in_their_columns(
    data: bytes, name: str, expected: list[tuple[str, str | None]], why: str
):
    document = read_document(data, name)
    assert [(s.source, s.target) for s in document.segments] == expected, why
    assert document.export({}) == data
    assert document.export({s.index: s.target for s in document.segments if s.target is not None}) == data


def test_only_the_target_cell_changes():
    data = b'\xef\xbb\xbfid;source;target;note\r\n1;Open;;"a ""b"""\r\n2;"Save";"alt";\r\n3;Short\r\n'
    written = read_document(data, "a.csv").export({0: "Auf; zu", 1: 'Si"chern', 2: "Kurz"})
    assert written == (
        b'\xef\xbb\xbfid;source;target;note\r\n1;Open;"Auf; zu";"a ""b"""\r\n2;"Save";"Si""chern";\r\n3;Short;Kurz\r\n'
    )
    assert rows_of(written, ";")[1:] == [
        ["1", "Open", "Auf; zu", 'a "b"'],
        ["2", "Save", 'Si"chern', ""],
        ["3", "Short", "Kurz"],
    ]


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", " =1"])
def test_translation_is_not_a_formula_unless_its_source_is(formula: str):
    data = b"source,target\nOpen,\n-x,\n"
    assert rows_of(read_document(data, "a.csv").export({0: formula}))[1][1] == "'" + formula
    assert rows_of(read_document(data, "a.csv").export({1: "-y"}))[2][1] == "-y"


def test_unclosed_quote_is_rejected_with_its_line():
    with pytest.raises(DocumentError, match="line 2: a cell starts with a quotation mark"):
        read_document(b'source,target\n"Open,x\n', "a.csv")


CELLS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Zs")), min_size=1, max_size=8)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5), st.sampled_from(",;\t"), CELLS)
def test_table_agrees_with_the_csv_module_on_random_cells(rows: list[tuple[str, str, str]], separator: str, text: str):
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=separator).writerows([("note", "source", "target"), *rows])
    data = table.getvalue().encode()
    document = read_document(data, "a.tsv" if separator == "\t" else "a.csv")
    assert [(s.source, s.target) for s in document.segments] == [(source, target) for _, source, target in rows]
    written = rows_of(document.export({0: text}), separator)
    assert written[2:] == [list(row) for row in rows[1:]]
    assert written[1][:2] == list(rows[0][:2])
    assert written[1][2].removeprefix("'") == text.removeprefix("'") or written[1][2] == text


def test_quotation_marks_behind_backslashes_are_read_and_written() -> None:
    data = b'id,source,target\n1,"Press \\"OK\\", then go",\n2,"C:\\dir","x"\n'
    document = read_document(data, "a.csv")
    assert [s.source for s in document.segments] == ['Press "OK", then go', "C:\\dir"]
    assert document.export({}) == data
    written = document.export({0: '"OK" drücken, los', 1: 'Ordner "C:\\"'})
    rows = list(csv.reader(io.StringIO(written.decode()), escapechar="\\", doublequote=False, strict=True))
    assert [row[2] for row in rows] == ["target", '"OK" drücken, los', 'Ordner "C:\\"']


@pytest.mark.parametrize("row", [b'1,"a "b" c",', b'1,"a" b,', b'1,"\\"a" b\\",'])
def test_row_with_quotation_marks_that_cannot_be_read_is_named(row: bytes) -> None:
    with pytest.raises(DocumentError, match=r"line 3: a cell starts with a quotation mark .* double it"):
        read_document(b"id,source,target\n0,ok,\n" + row + b"\n", "a.csv")


def test_line_breaks_inside_of_cells_are_tags_and_are_written_again() -> None:
    data = b'source,target\r\n"One\r\n\r\ntwo","Eins\r\nzwei"\r\n" Three\nfour ",\r\n'
    document = read_document(data, "a.csv")
    assert [(s.source, s.target) for s in document.segments] == [
        ("One{1}{2}two", "Eins{1}zwei"),
        ("Three{1}four", None),
    ]
    assert document.tags(0) == {"1": ("\r\n", None), "2": ("\r\n", None)}
    written = document.export({0: "Eins{1}{2}zwei", 1: "Drei{1}vier"})
    assert [row[1] for row in rows_of(written)] == ["target", "Eins\r\n\r\nzwei", "Drei\nvier"]
    assert document.export({0: "Eins{1}zwei"}) == data


def test_columns_can_be_chosen_and_stay_chosen_in_the_log() -> None:
    data = "Nr|Bild|Text|Übersetzung\n1|a.png|Open|\n2|b.png|Save|Sichern\n".encode()
    assert [s.source for s in read_document(data, "a.csv").segments] == ["Nr", "1", "2"]  # a guess
    document = read_document(data, "a.csv", reading=Reading(columns=(2, 3)))
    assert [(s.source, s.target) for s in document.segments] == [("Open", None), ("Save", "Sichern")]
    assert "Not offered: column 2." in document.notes[0]
    assert document.export({0: "Auf|zu"}) == data.replace(b"Open|", b'Open|"Auf|zu"')
    assert document.format.stored == "csv;columns=2,3"
    assert stored_format(document.format.stored).reading == document.format.reading == Reading(columns=(2, 3))
    with pytest.raises(DocumentError, match=r"a\.csv does not have the column 9"):
        read_document(data, "a.csv", reading=Reading(columns=(8, 3)))
    with pytest.raises(CommandError, match="Markdown does not have the import setting “columns”"):
        read_document(b"x", "a.md", reading=Reading(columns=(8, 3)))


def test_column_of_keys_is_not_taken_for_the_sources() -> None:
    data = b"menu.open,Open\nmenu.save,Save all\n"
    document = read_document(data, "a.csv")
    assert [s.source for s in document.segments] == ["Open", "Save all"]
    assert document.export({0: "Auf"}) == data.replace(b"Open\n", b"Open,Auf\n")
    assert document.notes == ("Column 2 is read as source and column 3 as target. Not offered: column 1.",)


@pytest.mark.parametrize(
    "key", ["csv;columns=1", "csv;columns=-1,2", "csv;columns=a,b", "txt;encoding=klingon", "x;", "csv;1"]
)
def test_reading_of_a_damaged_log_is_refused(key: str) -> None:
    with pytest.raises((LookupError, ValueError)):
        stored_format(key)


def test_row_of_a_million_columns_is_refused_with_its_line() -> None:
    with pytest.raises(DocumentError, match=r"a\.csv, line 2: the row has more than 16,384 columns"):
        read_document(b"source;target\n" + b"a;" * 1_000_000, "a.csv")
