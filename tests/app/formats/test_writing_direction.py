"""Files that are translated into a language with another direction of writing, read by other libraries."""

from __future__ import annotations

import io
import re
import zipfile

import docx
import openpyxl
import pptx
import pytest
from docx.oxml.ns import qn
from pptx.util import Inches

from app.formats.documents import Document
from app.formats.read_file import read_document
from app.text.writing_direction import is_right_to_left

ARABIC = "افتح الملف"
ENGLISH = "Open the file."


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("ar", True), ("he", True), ("iw", True), ("fa", True), ("ur", True), ("yi", True), ("pes_Arab", True),
        ("ar-EG", True), ("dv", True), ("en", False), ("de", False), ("az", False), ("uz-Latn", False),
        ("uz-Arab", True), ("zho_Hans", False), ("", False), ("no language", False),
    ],
)  # fmt: skip
def test_the_script_decides_the_direction_of_a_language(language: str, expected: bool) -> None:
    assert is_right_to_left(language) is expected


def translated(data: bytes, name: str, text: str, language: str) -> bytes:
    """The file with each segment translated as `text`."""
    document = read_document(data, name)
    return exported(document, text, language)


def exported(document: Document, text: str, language: str) -> bytes:
    texts = {segment.index: text for segment in document.segments}
    return document.export_file(texts, language).data


def word_file() -> bytes:
    document = docx.Document()
    document.add_paragraph(ENGLISH)
    document.add_paragraph("Close it.", style="List Bullet")
    table = document.add_table(rows=1, cols=1)
    table.cell(0, 0).text = "A cell"
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def test_word_turns_to_right_to_left_and_back() -> None:
    arabic = translated(word_file(), "a.docx", ARABIC, "ar")
    document = docx.Document(io.BytesIO(arabic))
    for paragraph in [*document.paragraphs, document.tables[0].cell(0, 0).paragraphs[0]]:
        assert paragraph.text == ARABIC
        assert paragraph._p.pPr.find(qn("w:bidi")) is not None
        assert all(run._r.rPr.find(qn("w:rtl")) is not None for run in paragraph.runs)
    assert document.tables[0]._tbl.tblPr.find(qn("w:bidiVisual")) is not None
    english = translated(arabic, "a.docx", ENGLISH, "en")
    assert not re.search(rb"<w:(bidi|rtl|bidiVisual)\b", zipfile.ZipFile(io.BytesIO(english)).read("word/document.xml"))


def test_the_marks_of_word_are_where_the_schema_wants_them() -> None:
    arabic = translated(word_file(), "a.docx", ARABIC, "ar")
    xml = zipfile.ZipFile(io.BytesIO(arabic)).read("word/document.xml").decode()
    assert '<w:pStyle w:val="ListBullet"/><w:bidi/>' in xml
    assert re.search(r"<w:tblStyle [^>]*/><w:bidiVisual/><w:tblW|<w:bidiVisual/><w:tblW", xml)
    assert re.search(r"<w:bidi/><w:docGrid", xml)


def test_a_quotation_in_another_direction_stays() -> None:
    document = docx.Document()
    for text in (ENGLISH, "Close it.", "Save it."):
        document.add_paragraph(text)
    quotation = document.add_paragraph(ARABIC)
    quotation._p.get_or_add_pPr().append(quotation._p.makeelement(qn("w:bidi"), {}))
    target = io.BytesIO()
    document.save(target)
    german = translated(target.getvalue(), "a.docx", "Öffnen Sie die Datei.", "de")
    found = docx.Document(io.BytesIO(german)).paragraphs
    assert [p._p.pPr is not None and p._p.pPr.find(qn("w:bidi")) is not None for p in found] == [False] * 3 + [True]


def slides() -> bytes:
    presentation = pptx.Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = "A title"
    slide.placeholders[1].text_frame.text = ENGLISH
    table = slide.shapes.add_table(1, 1, Inches(1), Inches(1), Inches(2), Inches(1)).table
    table.cell(0, 0).text = "A cell"
    target = io.BytesIO()
    presentation.save(target)
    return target.getvalue()


def test_slides_turn_to_right_to_left_and_back() -> None:
    arabic = translated(slides(), "a.pptx", ARABIC, "ar")
    presentation = pptx.Presentation(io.BytesIO(arabic))
    [slide] = presentation.slides
    for shape in slide.placeholders:
        assert all(paragraph._p.pPr.get("rtl") == "1" for paragraph in shape.text_frame.paragraphs)
    master = zipfile.ZipFile(io.BytesIO(arabic)).read("ppt/slideMasters/slideMaster1.xml").decode()
    assert re.search(r'<a:lvl1pPr [^>]*algn="r"[^>]*rtl="1"', master) and 'rtl="0"' not in master
    assert re.search(r'<p:titleStyle>\s*<a:lvl1pPr [^>]*algn="ctr"', master)
    english = translated(arabic, "a.pptx", ENGLISH, "en")
    archive = zipfile.ZipFile(io.BytesIO(english))
    assert not [name for name in archive.namelist() if b'rtl="1"' in archive.read(name)]
    assert re.search(r'<a:lvl1pPr [^>]*algn="l"', archive.read("ppt/slideMasters/slideMaster1.xml").decode())


def test_sheets_turn_to_right_to_left_and_back() -> None:
    workbook = openpyxl.Workbook()
    workbook.active["A1"] = ENGLISH
    workbook.create_sheet("Second")["A1"] = "Close it."
    target = io.BytesIO()
    workbook.save(target)
    arabic = translated(target.getvalue(), "a.xlsx", ARABIC, "ar")
    assert all(s.sheet_view.rightToLeft for s in openpyxl.load_workbook(io.BytesIO(arabic)).worksheets)
    english = translated(arabic, "a.xlsx", ENGLISH, "en")
    assert not any(s.sheet_view.rightToLeft for s in openpyxl.load_workbook(io.BytesIO(english)).worksheets)


CONTENT = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:p>Open the file.'
    "</text:p></office:text></office:body></office:document-content>"
)
STYLES = (
    '<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><office:styles><style:default-style '
    'style:family="paragraph"><style:paragraph-properties/></style:default-style></office:styles>'
    '<office:automatic-styles><style:page-layout style:name="a"><style:page-layout-properties '
    'style:writing-mode="lr-tb"/></style:page-layout></office:automatic-styles></office:document-styles>'
)


def test_an_open_document_turns_to_right_to_left_and_back() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", CONTENT)
        archive.writestr("styles.xml", STYLES)
    arabic = translated(target.getvalue(), "a.odt", ARABIC, "ar")
    styles = zipfile.ZipFile(io.BytesIO(arabic)).read("styles.xml").decode()
    assert styles.count('style:writing-mode="rl-tb"') == 2
    english = zipfile.ZipFile(io.BytesIO(translated(arabic, "a.odt", ENGLISH, "en"))).read("styles.xml").decode()
    assert english.count('style:writing-mode="lr-tb"') == 2


@pytest.mark.parametrize(
    ("tag", "language", "expected"),
    [
        ('<html lang="en">', "ar", '<html lang="ar" dir="rtl">'),
        ("<html>", "he", '<html lang="he" dir="rtl">'),
        ('<html dir="rtl" lang="ar">', "en", '<html dir="ltr" lang="en">'),
        ('<html dir=rtl lang="ar">', "he", '<html dir=rtl lang="he">'),
        ('<html lang="en" dir="auto">', "ar", '<html lang="ar" dir="auto">'),
        ('<html lang="en">', "de", '<html lang="de">'),
    ],
)
def test_a_page_declares_the_direction_of_its_translation(tag: str, language: str, expected: str) -> None:
    page = f"{tag}<body class='a' dir='ltr'><p>Open the file.</p></body></html>"
    direction = "rtl" if is_right_to_left(language) else "ltr"
    found = translated(page.encode(), "a.html", "X", language).decode()
    attribute = "dir='ltr'" if direction == "ltr" else 'dir="rtl"'
    assert found == f"{expected}<body class='a' {attribute}><p>X</p></body></html>"
