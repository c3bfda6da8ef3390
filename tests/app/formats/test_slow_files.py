"""Files with much of one thing: the work grows with the size, not with its square, or a limit is named at once."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from time import process_time

import pytest

from app.errors import DocumentError
from app.formats.bilingual import table, xliff
from app.formats.inline import Piece, show
from app.formats.office import office_file, xlsx
from app.formats.read_file import read_document
from benchmarks.files.hostile import indesign, open_document, word, workbook
from tests.app.work import growth

RUN = "<w:r><w:t>a</w:t></w:r>"

FIELD = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
BOOKMARK = '<w:bookmarkStart w:id="#" w:name="a"/><w:r/><w:bookmarkEnd w:id="#"/>'
REFERENCE = "<w:r><w:instrText> REF a </w:instrText></w:r>"


@pytest.mark.parametrize("body", [FIELD, REFERENCE + BOOKMARK, '<w:hyperlink w:anchor="a">', "<w:ins>"])
def test_paragraph_of_unfinished_parts_takes_linear_time(body: str):
    end = "</w:hyperlink>" if "hyper" in body else "</w:ins>" if "ins>" in body else ""
    content = (body + end).replace("#", "1")
    assert growth(lambda size: read_document(word(f"<w:p>{content * size}{RUN}</w:p>"), "a.docx"), 100) < 2.5


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (word(f"<w:p>{RUN}</w:p><w:p>{RUN * 4}</w:p>"), "a.docx"),
        (open_document(f"<text:p>a</text:p><text:p>{'<text:span>a</text:span>' * 4}</text:p>"), "a.odt"),
        (
            workbook('<row><c t="s"><v>2</v></c></row>', ["a", "</t></si><si>" + "<r><t>a</t></r>" * 4 + "<t>"]),
            "a.xlsx",
        ),
        (
            indesign(
                "<ParagraphStyleRange><CharacterStyleRange><Content>a</Content><Br/>"
                + "<Content>a</Content>" * 4
                + "</CharacterStyleRange></ParagraphStyleRange>"
            ),
            "a.idml",
        ),
    ],
)
def test_paragraph_with_too_many_runs_is_refused_with_its_place(
    data: bytes, name: str, monkeypatch: pytest.MonkeyPatch
):
    read_document(data, name)
    monkeypatch.setattr(office_file, "MAX_RUNS", 3)
    with pytest.raises(DocumentError, match=r"paragraph [23]: the paragraph has more than 3 texts and elements"):
        read_document(data, name)


def test_cells_without_text_do_not_fill_a_list():
    rows = f"<row>{'<c><v>1</v></c>' * 1000}</row>" + '<row><c r="A2" t="s"><v> 0 </v></c></row>'
    assert [segment.source for segment in read_document(workbook(rows, ["Text"]), "a.xlsx").segments] == ["Text"]


@pytest.mark.parametrize(
    "cell",
    [
        '<c t="s"><f><v>1</v></f><v>0</v></c>',  # a value inside of another element
        '<c t="s"><v>0</v><v>1</v></c>',
        '<x:c xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" t="s"><x:v>0</x:v></x:c>',
    ],
)
def test_first_value_of_a_cell_is_its_text(cell: str):
    data = workbook(f"<row>{cell}</row>", ["First", "Second"])
    assert [segment.source for segment in read_document(data, "a.xlsx").segments] == ["First"]


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """The package with other content in one part."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for part in old.namelist():
            new.writestr(part, content if part == name else old.read(part))
    return file.getvalue()


def test_too_many_texts_of_a_workbook_are_refused_before_its_cells_are_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(xlsx, "MAX_TEXTS", 2)
    read_document(workbook('<row><c t="s"><v>1</v></c></row>', ["a", "b"]), "a.xlsx")
    data = with_part(workbook("", ["a", "b", "c"]), "xl/worksheets/sheet1.xml", b"<")
    with pytest.raises(DocumentError, match=r"a\.xlsx has more than 2 texts"):
        read_document(data, "a.xlsx")


def test_shared_texts_of_a_workbook_in_utf_16_are_read():
    data = workbook('<row><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>', ["First", "Second"])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        [name] = (part for part in archive.namelist() if "sharedStrings" in part)
        xml = archive.read(name).decode()
    declared = '<?xml version="1.0" encoding="UTF-16"?>' + xml[xml.index("<sst") :]
    document = read_document(with_part(data, name, declared.encode("utf-16")), "a.xlsx")
    assert [segment.source for segment in document.segments] == ["Second"], "there is no text with number 2"


def test_document_has_no_coverage_if_one_of_its_parts_is_not_read_as_a_whole():
    data = workbook('<row><c t="s"><v>0</v></c></row>', ["First"])
    document = read_document(data, "a.xlsx")
    assert document.coverage is not None
    large = replace(document, data=with_part(data, "xl/worksheets/sheet1.xml", b"<"))
    assert large.coverage is None


def test_sheet_that_defines_entities_is_refused():
    data = workbook('</sheetData></worksheet><!DOCTYPE a [<!ENTITY b "c">]><worksheet><sheetData>', ["a"])
    with pytest.raises(DocumentError, match="cannot be read"):
        read_document(data, "a.xlsx")


def test_tables_and_units_beyond_the_limit_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(table, "MAX_ROWS", 2)
    monkeypatch.setattr(xliff, "MAX_UNITS", 2)
    unit = '<trans-unit id="1"><source>a</source></trans-unit>'
    for num_rows in (2, 3):
        units = f'<xliff version="1.2"><file source-language="en" target-language="de"><body>{unit * num_rows}'
        for data, name, what in (
            (b"a,b\n" * num_rows, "a.csv", "rows"),
            (f"{units}</body></file></xliff>".encode(), "a.xlf", "segments"),
        ):
            if num_rows == 2:
                assert read_document(data, name).segments
            else:
                with pytest.raises(DocumentError, match=f"more than 2 {what}"):
                    read_document(data, name)


def test_elements_around_all_of_a_text_are_hidden_in_linear_time():
    def shown(depth: int) -> None:
        around = [Piece("open", "<b>")] * depth, [Piece("close", "</b>")] * depth
        found = show([Piece("text", " "), *around[0], Piece("text", " a "), *around[1]])
        assert (found.text, found.lead) == ("a", " " + "<b>" * depth + " ")
        assert found.raw("b") == f" {'<b>' * depth} b {'</b>' * depth}"

    assert growth(shown, 100) < 2.5


def test_tags_of_a_translation_are_put_back_in_linear_time():
    def written(size: int) -> None:
        source = show([Piece("text", "a"), *[Piece("open", "<b>")] * size, *[Piece("close", "</b>")] * size])
        ends = "".join(f"{{/{number}}}" for number in range(size, 0, -1))
        assert source.raw(source.text.replace(ends, ends[::-1]))

    assert growth(written, 100) < 2.5


def test_long_text_before_xliff_units_does_not_slow_the_export():
    comment = f"<!--{'a' * 4_000_000}-->"
    units = "".join(f'<trans-unit id="{n}"><source>Text</source></trans-unit>' for n in range(1000))

    def seconds(before: str, after: str) -> float:
        text = f'<xliff version="1.2"><file source-language="en"><body>{before}{units}{after}</body></file></xliff>'
        document = read_document(text.encode(), "a.xlf")
        began = process_time()
        document.export({segment.index: "Wort" for segment in document.segments})
        return process_time() - began

    assert seconds(comment, "") < 3 * seconds("", comment)
