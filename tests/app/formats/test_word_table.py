"""Tables of Word documents from outside: tracked changes, comments, and files that are refused."""

from __future__ import annotations

import io
import zipfile

import docx
import pytest

from app.errors import DocumentError
from app.formats import word_table
from app.formats.word_table import WordComment, WordRow, read_tables
from app.reading import SeparateReader

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def word(row: str, comments: str = "", start: str = "") -> bytes:
    """A document with one row of a table."""
    file = io.BytesIO()
    docx.Document().save(file)
    target = io.BytesIO()
    body = f'{start}<w:document xmlns:w="{W}"><w:body><w:tbl>{row}</w:tbl><w:p/></w:body></w:document>'
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename == "word/document.xml":
                content = body.encode()
            elif info.filename == "word/_rels/document.xml.rels":
                relation = f'<Relationship Id="c" Type="{W}/comments" Target="comments.xml"/>'
                content = content.replace(b"</Relationships>", relation.encode() + b"</Relationships>")
            new.writestr(info, content)
        new.writestr("word/comments.xml", f'<w:comments xmlns:w="{W}">{comments}</w:comments>')
    return target.getvalue()


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (f"<w:p>{run('Der ')}<w:del><w:r><w:delText>alte</w:delText></w:r></w:del><w:ins>{run('neue')}</w:ins></w:p>",
         "Der neue"),
        (f"<w:p><w:moveFrom>{run('a ')}</w:moveFrom>{run('b')}<w:moveTo>{run(' a')}</w:moveTo></w:p>", "b a"),
        (f"<w:p><w:del><w:ins>{run('typed and deleted')}</w:ins></w:del>{run('rest')}</w:p>", "rest"),
        # The end of the first paragraph is deleted: both are one.
        (f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{run('eins ')}</w:p><w:p>{run('zwei')}</w:p>", "eins zwei"),
        (f"<w:p>{run('eins')}</w:p><w:p>{run('zwei')}</w:p>", "eins\nzwei"),
        (f"<w:p><w:hyperlink>{run('a.example')}</w:hyperlink><w:r><w:tab/><w:noBreakHyphen/></w:r></w:p>",
         "a.example\t\u2011"),
        (f"<w:p>{run('x')}<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:sym w:char='2192'/></w:r></w:p>", "x→"),
        (f"<w:sdt><w:sdtContent><w:p>{run('in a control')}</w:p></w:sdtContent></w:sdt>", "in a control"),
        (f"<w:p>{run(' ends with a space ')}</w:p>", " ends with a space "),
    ],
)  # fmt: skip
def test_text_of_a_cell_has_tracked_changes_accepted(content: str, text: str) -> None:
    (row,) = read_tables(word(f"<w:tr><w:tc>{content}</w:tc></w:tr>"), "a.docx").rows
    assert row.cells == (text,)
    assert row.is_tracked == any(mark in content for mark in ("<w:del>", "<w:del/>", "<w:move", "<w:ins>"))


def test_rows_of_a_table_in_a_cell_are_rows_of_their_own() -> None:
    inner = f"<w:tbl><w:tr><w:tc><w:p>{run('inner')}</w:p></w:tc><w:tc><w:p>{run('too')}</w:p></w:tc></w:tr></w:tbl>"
    row = f"<w:tr><w:tc><w:p>{run('outer')}</w:p>{inner}<w:p/></w:tc><w:tc><w:p>{run('next')}</w:p></w:tc></w:tr>"
    assert read_tables(word(row), "a.docx").rows == (
        WordRow(("inner", "too")),
        WordRow(("outer\n", "next"), has_table=True),
    )
    assert [r.cells for r in read_tables(word(f"<w:tr><w:tc>{inner}<w:p/></w:tc></w:tr>"), "a.docx").rows] == [
        ("inner", "too"),
        ("",),
    ]


def test_comments_belong_to_the_first_row_that_they_touch() -> None:
    def comment(number: int, text: str) -> str:
        return f'<w:comment w:id="{number}" w:author="Ana">{text}</w:comment>'

    marks = '<w:commentRangeStart w:id="{0}"/>', '<w:r><w:commentReference w:id="{0}"/></w:r>'
    first = f"<w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p>{marks[0].format(1)}{marks[0].format(7)}</w:p></w:tc></w:tr>"
    second = f"<w:tr><w:tc><w:p>{marks[1].format(1)}{marks[1].format(2)}</w:p></w:tc></w:tr>"
    comments = comment(1, f"<w:p>{run('one')}</w:p><w:p>{run('two')}</w:p>") + comment(2, "<w:p/>")
    assert read_tables(word(first + second, comments), "a.docx").rows == (
        WordRow(("",), (WordComment("Ana", "one\ntwo"),), is_tracked=True, is_deleted=True),
        WordRow(("",)),
    ), "an empty comment and an unknown one are left out"


def test_hostile_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = '<!DOCTYPE w [<!ENTITY a "b">]>'
    deep = "<w:sdt>" * 200 + "</w:sdt>" * 200
    for data in (b"", b"text", word("", start=declared), word(f"<w:tr><w:tc>{deep}</w:tc></w:tr>"), word("<w:tr>")):
        with pytest.raises(DocumentError):
            read_tables(data, "a.docx")
    monkeypatch.setattr(word_table, "MAX_ROWS", 2)
    with pytest.raises(DocumentError, match="more than 2 rows"):
        read_tables(word("<w:tr/>" * 3), "a.docx")
    monkeypatch.setattr(word_table, "MAX_BYTES", 100)
    with pytest.raises(DocumentError, match="is larger than"):
        read_tables(word(""), "a.docx")


def test_separate_process_reads_the_same() -> None:
    data = word(f"<w:tr><w:tc><w:p>{run('Text')}</w:p></w:tc></w:tr>")
    reader = SeparateReader()
    try:
        assert reader.word_tables(data, "a.docx") == read_tables(data, "a.docx")
        with pytest.raises(DocumentError):
            reader.word_tables(b"text", "a.docx")
    finally:
        reader.close()
