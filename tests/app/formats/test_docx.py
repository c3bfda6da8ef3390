"""Word documents, created and read back with python-docx."""

from __future__ import annotations

import io
import zipfile

import pytest
from docx import Document as WordDocument
from docx.oxml.ns import qn
from docx.text.paragraph import Paragraph as WordParagraph
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import DocumentError
from app.formats.documents import Document
from app.formats.read_file import read_document

BODY = "word/document.xml"
LINK = (
    '<w:hyperlink r:id="rId1" w:history="1"><w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t>the page</w:t></w:r>'
    "</w:hyperlink>"
)


def saved(word: object) -> bytes:
    stream = io.BytesIO()
    word.save(stream)  # type: ignore[attr-defined]
    return stream.getvalue()


EMPTY = saved(WordDocument())


def sample() -> bytes:
    word = WordDocument()
    word.add_heading("Getting started", 1)
    paragraph = word.add_paragraph("Press ")
    paragraph.add_run("OK").bold = True
    paragraph.add_run(" now. The second ")
    paragraph.add_run("sentence ").italic = True
    paragraph.add_run("is here.")
    word.add_paragraph("Name:\tValue\nNext line")
    table = word.add_table(1, 2)
    table.cell(0, 0).text = "Cell one"
    table.cell(0, 1).text = "12"
    word.sections[0].header.paragraphs[0].text = "The header"
    return saved(word)


def with_body(body: str) -> bytes:
    """A document with this XML as its body."""
    return changed(EMPTY, lambda xml: xml.replace("<w:body>", f"<w:body>{body}"))


def changed(data: bytes, change: object) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename == BODY:
                content = change(content.decode()).encode()  # type: ignore[operator]
            new.writestr(info.filename, content)
    return target.getvalue()


def body_of(data: bytes) -> str:
    return zipfile.ZipFile(io.BytesIO(data)).read(BODY).decode()


def sources(document: Document) -> list[str]:
    return [segment.source for segment in document.segments]


def runs_of(paragraph: WordParagraph) -> list[tuple[str, bool, bool]]:
    return [(run.text, bool(run.bold), bool(run.italic)) for run in paragraph.runs]


def test_body_tables_and_headers_are_split_into_sentences() -> None:
    assert sources(read_document(sample(), "a.docx")) == [
        "Getting started",
        "Press {1}OK{/1} now.",
        "The second {1}sentence {/1}is here.",
        "Name:",
        "Value",
        "Next line",
        "Cell one",
        "The header",
    ]


def test_translations_keep_formats_tabs_tables_and_all_other_parts() -> None:
    data = sample()
    document = read_document(data, "a.docx")
    exported = document.export_file(
        {0: "Erste Schritte", 1: "Jetzt {1}Ja{/1} & los < drücken.", 4: "Wert", 6: "Zelle eins", 7: "Die Kopfzeile"},
        "de",
    )
    assert exported.name == "a.de.docx"
    word = WordDocument(io.BytesIO(exported.data))
    heading, paragraph, lines = word.paragraphs[:3]
    assert (heading.text, heading.style.name) == ("Erste Schritte", "Heading 1")
    assert runs_of(paragraph) == [
        ("Jetzt ", False, False),
        ("Ja", True, False),
        (" & los < drücken. The second ", False, False),
        ("sentence ", False, True),
        ("is here.", False, False),
    ]
    assert lines.text == "Name:\tWert\nNext line"
    assert word.tables[0].cell(0, 0).text == "Zelle eins"
    assert word.sections[0].header.paragraphs[0].text == "Die Kopfzeile"
    before, after = zipfile.ZipFile(io.BytesIO(data)), zipfile.ZipFile(io.BytesIO(exported.data))
    assert after.namelist() == before.namelist()
    differing = [name for name in before.namelist() if before.read(name) != after.read(name)]
    assert sorted(differing) == [BODY, "word/header1.xml", "word/styles.xml"]  # these state the language


def test_untranslated_document_is_exported_byte_for_byte() -> None:
    data = sample()
    document = read_document(data, "a.docx")
    assert document.export({}) == data
    assert document.export({segment.index: segment.source for segment in document.segments}) == data


def test_links_pictures_fields_and_marks_follow_their_placeholders() -> None:
    footnote = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>3</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    data = with_body(
        f'<w:p><w:bookmarkStart w:id="0" w:name="b"/><w:r><w:t xml:space="preserve">See </w:t></w:r>{LINK}'
        f'<w:proofErr w:type="spellStart"/><w:r w:rsidR="00A"><w:t xml:space="preserve"> on</w:t></w:r>{footnote}'
        f'<w:r><w:rPr><w:lang w:val="en-GB"/></w:rPr><w:t xml:space="preserve"> page </w:t></w:r>{field}'
        '<w:bookmarkEnd w:id="0"/><w:r><w:t>!</w:t></w:r></w:p>'
    )
    document = read_document(data, "a.docx")
    assert sources(document) == ["See {1}the page{/1} on{2} page {3}!"]
    body = body_of(document.export({0: "Auf Seite {3} steht{2} {1}die Seite{/1}."}))
    assert f'Auf Seite </w:t></w:r>{field}<w:r><w:t xml:space="preserve"> steht</w:t></w:r>{footnote}' in body
    assert '<w:bookmarkStart w:id="0" w:name="b"/><w:r>' in body
    assert LINK.replace("<w:t>the page", '<w:t xml:space="preserve">die Seite') in body
    assert body.index("bookmarkEnd") > body.index("die Seite")


def test_link_field_shows_its_text_even_across_paragraphs() -> None:
    begin, end = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>', '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    separate = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    link = f'{begin}<w:r><w:instrText> HYPERLINK "https://a.example" </w:instrText></w:r>{separate}'
    contents = f"{begin}<w:r><w:instrText> TOC </w:instrText></w:r>{separate}"
    data = with_body(
        f"<w:p><w:r><w:t>Go </w:t></w:r>{link}<w:r><w:t>there</w:t></w:r>{end}</w:p>"
        f"<w:p>{contents}<w:r><w:t>Chapter one</w:t></w:r></w:p><w:p><w:r><w:t>Chapter two</w:t></w:r>{end}</w:p>"
    )
    document = read_document(data, "a.docx")
    assert sources(document) == ["Go{1}there{/1}", "Chapter one", "Chapter two"]
    body = body_of(document.export({0: "Geh {1}dorthin{/1}", 1: "Eins", 2: "Zwei"}))
    assert f'{link}<w:r><w:t xml:space="preserve">dorthin</w:t></w:r>{end}</w:p>' in body
    assert f'{contents}<w:r><w:t xml:space="preserve">Eins</w:t></w:r></w:p>' in body
    assert f"Zwei</w:t></w:r>{end}</w:p>" in body


def test_text_box_inside_a_paragraph_is_translated() -> None:
    box = (
        '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        '<mc:Choice Requires="x"><w:txbxContent><w:p><w:r><w:t>Inside</w:t></w:r></w:p></w:txbxContent></mc:Choice>'
        "<mc:Fallback><w:txbxContent><w:p><w:r><w:t>Copy</w:t></w:r></w:p></w:txbxContent></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    data = with_body(f"<w:p><w:r><w:t>Before</w:t></w:r>{box}<w:r><w:t>behind</w:t></w:r></w:p>")
    document = read_document(data, "a.docx")
    assert sources(document) == ["Before{1}behind", "Inside"]
    body = body_of(document.export({0: "Vor{1}nach", 1: "Drinnen"}))
    assert "Drinnen" in body and "Copy" in body
    assert body.index("Vor<") < body.index("Drinnen") < body.index("nach<")


TEXT = st.text(st.sampled_from("ab. C{1}/\t&<ß 😀"), max_size=12)
RUNS = st.lists(st.tuples(TEXT, st.booleans(), st.booleans()), min_size=1, max_size=5)


@settings(max_examples=15, deadline=None)
@given(RUNS, st.data())
def test_text_and_formats_next_to_a_translation_are_unchanged(
    runs: list[tuple[str, bool, bool]], data: st.DataObject
) -> None:
    word = WordDocument()
    paragraph = word.add_paragraph("Start here. ")
    for text, bold, italic in runs:
        run = paragraph.add_run(text)
        run.bold, run.italic = bold or None, italic or None
    document = read_document(saved(word), "a.docx")
    index = data.draw(st.sampled_from(range(len(document.segments))))
    exported = document.export({index: "XYZ"})
    before, after = (
        WordDocument(io.BytesIO(document.data)).paragraphs[0],
        WordDocument(io.BytesIO(exported)).paragraphs[0],
    )

    def characters(p: WordParagraph) -> list[tuple[str, bool, bool]]:
        return [(c, b, i) for text, b, i in runs_of(p) for c in text]

    old, new = characters(before), characters(after)
    at = "".join(c for c, _, _ in new).index("XYZ")
    tail = len(new) - at - 3
    assert new[:at] == old[:at]
    assert new[at + 3 :] == old[len(old) - tail :]


def zip_of(**parts: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("TYPES", "[Content_Types].xml").replace("BODY", BODY), content)
    return target.getvalue()


TYPES = (
    b'<Types><Override PartName="/word/document.xml" '
    b'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 ...", "password-protected or in the old .doc"),
        (b"PK\x03\x04 cut off", "not a .docx file or is damaged"),
        (b"Hello", "not a .docx file"),
        (sample()[:-200], "not a .docx file or is damaged"),
        (zip_of(a=b"x"), "not a Word document ..Content_Types"),
        (zip_of(TYPES=b"<Types/>"), "not a Word document"),
        (zip_of(TYPES=TYPES), "not a Word document .word/document.xml is missing"),
        (zip_of(TYPES=TYPES, BODY=b"<w:document"), r"a.docx .word/document.xml., line 1: the XML is not well-formed"),
        (zip_of(TYPES=TYPES, BODY=b'<!DOCTYPE x [<!ENTITY a "b">]><x/>'), "entities"),
        (saved(WordDocument()), "no text to translate"),
    ],
    ids=range(11),
)
def test_rejected_document_names_the_reason_and_a_remedy(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(data, "a.docx")


def test_archives_that_are_too_large_when_unpacked_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zip_of(TYPES=TYPES, BODY=b"<x>" + b" " * 4 * 2**20 + b"</x>")
    assert len(data) < 10_000
    monkeypatch.setattr("app.formats.office.office_package.MAX_PART_BYTES", 2**20)
    with pytest.raises(DocumentError, match=r"document\.xml is larger than 1 MiB when unpacked"):
        read_document(data, "a.docx")
    monkeypatch.setattr("app.formats.office.office_package.MAX_TOTAL_BYTES", 2**20)
    with pytest.raises(DocumentError, match=r"too large when unpacked .2 files, 4 MiB"):
        read_document(data, "a.docx")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damaged_bytes_never_crash(data: st.DataObject) -> None:
    content = bytearray(sample_bytes)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        document = read_document(bytes(content), "a.docx")
    except DocumentError:
        return
    document.export({0: "Eins"})


sample_bytes = sample()


def test_space_with_its_own_format_keeps_it() -> None:
    word = WordDocument()
    paragraph = word.add_paragraph("Start here. ")
    paragraph.add_run("Bold and longer than that").bold = True
    exported = read_document(saved(word), "a.docx").export({0: "Hier"})
    after = WordDocument(io.BytesIO(exported)).paragraphs[0]
    assert [(c, b) for text, b, _ in runs_of(after) for c in text][:6] == [*((c, False) for c in "Hier "), ("B", True)]


def test_translated_document_declares_its_language() -> None:
    word = WordDocument()
    word.add_paragraph("One")
    other = word.add_paragraph("Deux").runs[0]
    other._r.get_or_add_rPr().append(other._r.makeelement(qn("w:lang"), {qn("w:val"): "fr-FR"}))
    written = read_document(saved(word), "a.docx").export_file({0: "Eins"}, "de").data
    with zipfile.ZipFile(io.BytesIO(written)) as archive:
        assert b'<w:lang w:val="de-DE"' in archive.read("word/styles.xml")
        assert b'<w:lang w:val="fr-FR"' in archive.read(BODY)  # text in another language
    assert [paragraph.text for paragraph in WordDocument(io.BytesIO(written)).paragraphs] == ["Eins", "Deux"]


def test_text_below_a_reading_aid_is_part_of_its_sentence() -> None:
    ruby = (
        "<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>aid</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>red pump</w:t></w:r></w:rubyBase></w:ruby></w:r>"
    )
    start, end = (
        '<w:r><w:t xml:space="preserve">The </w:t></w:r>',
        '<w:r><w:t xml:space="preserve"> is old.</w:t></w:r>',
    )
    data = with_body(f"<w:p>{start}{ruby}{end}</w:p>")
    document = read_document(data, "a.docx")
    assert sources(document) == ["The {1}red pump{/1} is old."]
    assert document.export({0: "The {1}red pump{/1} is old."}) == data
    body = body_of(document.export({0: "Die {1}rote Pumpe{/1} ist alt."}))
    assert ruby.replace("red pump", "rote Pumpe").replace("<w:t>rote", '<w:t xml:space="preserve">rote') in body
