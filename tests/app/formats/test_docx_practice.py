"""Real-world content of Word documents: tracked changes, comments, boxes, fields, controls, hyphens, split runs."""

from __future__ import annotations

import io
import zipfile

import pytest
from docx import Document as WordDocument
from lxml import etree

from app.formats.read_file import read_document
from tests.app.formats.test_docx import BODY, body_of, changed, sources, with_body

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
BY = 'w:author="A" w:date="2024-01-01T00:00:00Z"'


def run(text: str, properties: str = "") -> str:
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def sign(kind: str) -> str:
    return f'<w:fldChar w:fldCharType="{kind}"/>'


def code(text: str) -> str:
    return f'<w:instrText xml:space="preserve"> {text} </w:instrText>'


def fields(*parts: str) -> str:
    """Each part in its own run."""
    return "".join(f"<w:r>{part}</w:r>" for part in parts)


DELETED = f'<w:del w:id="5" {BY}><w:r><w:delText>u</w:delText></w:r></w:del>'
MOVED_AWAY = (
    f'<w:moveFromRangeStart w:id="6" w:name="m" {BY}/><w:moveFrom w:id="7" {BY}>{run("once ")}</w:moveFrom>'
    '<w:moveFromRangeEnd w:id="6"/>'
)
INSERTED_AND_DELETED = f'<w:ins w:id="8" {BY}>{DELETED}</w:ins>'
COMMENT = (
    '<w:commentRangeEnd w:id="0"/><w:r><w:rPr><w:rStyle w:val="CommentReference"/></w:rPr>'
    '<w:commentReference w:id="0"/></w:r>'
)
SMART = '<w:smartTag w:uri="u" w:element="place"><w:smartTagPr><w:attr w:name="a" w:val="b"/></w:smartTagPr>'
NUMBER_PARTS = [sign("begin"), code("PAGEREF _Toc1"), sign("separate"), "<w:t>3</w:t>", sign("end")]
NUMBER = fields(*NUMBER_PARTS)
INSERTED_NUMBER = "".join(f'<w:ins w:id="{n}" {BY}>{fields(part)}</w:ins>' for n, part in enumerate(NUMBER_PARTS))
IN_ONE_RUN = f"<w:r>{sign('begin')}{code('PAGE')}{sign('separate')}<w:t>3</w:t>{sign('end')}</w:r>"

# Paragraph content, shown text, a translation, and the XML that the body must then contain.
CASES = {
    "deleted": (run("The colo") + DELETED + run("r."), "The color.", "Die Farbe.", [DELETED]),
    "moved away": (run("He ") + MOVED_AWAY + run("went."), "He went.", "Er ging.", [MOVED_AWAY]),
    "inserted and deleted": (
        run("No ") + INSERTED_AND_DELETED + run("trace."),
        "No trace.",
        "Nichts.",
        [INSERTED_AND_DELETED],
    ),
    "inserted": (
        run("A ") + f'<w:ins w:id="9" {BY}>{run("new")}</w:ins>' + run(" word."),
        "A {1}new{/1} word.",
        "Ein {1}neues{/1} Wort.",
        [f'<w:ins w:id="9" {BY}>{run("neues")}</w:ins>'],
    ),
    "comment": (
        run("Say ") + '<w:commentRangeStart w:id="0"/>' + run("this") + COMMENT + run(" now."),
        "Say this now.",
        "Sag es.",
        ['<w:commentRangeStart w:id="0"/>' + run("Sag es."), COMMENT],
    ),
    "smart tag": (
        run("In ") + f"{SMART}{run('Rome')}</w:smartTag>" + run(" then."),
        "In {1}Rome{/1} then.",
        "Damals in {1}Rom{/1}.",
        [f"{SMART}{run('Rom')}</w:smartTag>"],
    ),
    "custom XML": (
        run("In ") + f'<w:customXml w:element="e"><w:customXmlPr/>{run("Rome")}</w:customXml>',
        "In {1}Rome{/1}",
        "Nach {1}Rom{/1}",
        [f'<w:customXml w:element="e"><w:customXmlPr/>{run("Rom")}</w:customXml>'],
    ),
    "content control": (
        run("For ") + f'<w:sdt><w:sdtPr><w:id w:val="1"/></w:sdtPr><w:sdtContent>{run("you")}</w:sdtContent></w:sdt>',
        "For {1}you{/1}",
        "Für {1}dich{/1}",
        [f'<w:sdt><w:sdtPr><w:id w:val="1"/></w:sdtPr><w:sdtContent>{run("dich")}</w:sdtContent></w:sdt>'],
    ),
    "simple field": (
        run("Page ") + f'<w:fldSimple w:instr=" PAGE ">{run("3")}</w:fldSimple>' + run(" of it"),
        "Page {1} of it",
        "Seite {1} davon",
        [f'<w:fldSimple w:instr=" PAGE ">{run("3")}</w:fldSimple>'],
    ),
    "simple link field": (
        f"{run('See ')}<w:fldSimple w:instr=' HYPERLINK \"https://a.example\" '>{run('it')}</w:fldSimple>",
        "See {1}it{/1}",
        "Siehe {1}da{/1}",
        [f"<w:fldSimple w:instr=' HYPERLINK \"https://a.example\" '>{run('da')}</w:fldSimple>"],
    ),
    "field in one run": (run("Page ") + IN_ONE_RUN + run(" of it"), "Page {1} of it", "Seite {1} davon", [IN_ONE_RUN]),
    "field in insertions": (
        run("Page ") + INSERTED_NUMBER + run(" of it"),
        "Page {1} of it",
        "Seite {1} davon",
        [INSERTED_NUMBER],
    ),
    "entry of a table of contents": (
        fields(sign("begin"), code('HYPERLINK \\l "_Toc1"'), sign("separate"))
        + run("Chapter one")
        + "<w:r><w:tab/></w:r>"
        + NUMBER
        + fields(sign("end")),
        "Chapter one",
        "Kapitel eins",
        [f"{run('Kapitel eins')}<w:r><w:tab/></w:r>{NUMBER}{fields(sign('end'))}"],
    ),
    "split runs": (
        '<w:proofErr w:type="spellStart"/><w:r w:rsidR="00A1"><w:t>Wo</w:t></w:r><w:bookmarkStart w:id="2" w:name="x"/>'
        '<w:r w:rsidR="00B2"><w:rPr><w:lang w:val="en-GB"/></w:rPr><w:t>rd</w:t></w:r><w:bookmarkEnd w:id="2"/>',
        "Word",
        "Wort",
        [f'<w:bookmarkStart w:id="2" w:name="x"/>{run("Wort")}<w:bookmarkEnd w:id="2"/>'],
    ),
    "symbol": (
        run("Tick ") + '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>' + run(" it."),
        "Tick {1} it.",
        "Haken {1} setzen.",
        ['<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>'],
    ),
    "hidden text": (
        run("Seen ") + run("unseen", "<w:rPr><w:vanish/></w:rPr>") + run(" seen again"),
        "Seen {1}unseen{/1} seen again",
        "Sicht {1}unsicht{/1} bar",
        [run("unsicht", "<w:rPr><w:vanish/></w:rPr>")],
    ),
    "hyphens": (
        "<w:r><w:t>e</w:t><w:noBreakHyphen/><w:t>mail pro</w:t><w:softHyphen/><w:t>gram</w:t></w:r>",
        "e\u2011mail pro\u00adgram",
        "E\u2011Mail\u00adpro",
        [
            '<w:t xml:space="preserve">E</w:t><w:noBreakHyphen/><w:t xml:space="preserve">Mail</w:t><w:softHyphen/>'
            '<w:t xml:space="preserve">pro</w:t>'
        ],
    ),
    "typed hyphens": (run("e\u2011mail"), "e\u2011mail", "E\u2011Mail", [run("E\u2011Mail")]),
}


@pytest.mark.parametrize("case", CASES)
def test_all_paragraph_content_is_shown_and_kept(case: str) -> None:
    content, shown, translation, kept = CASES[case]
    data = with_body(f"<w:p>{content}</w:p><w:p>{run('Last one.')}</w:p>")
    document = read_document(data, "a.docx")
    assert sources(document) == [shown, "Last one."]
    exported = document.export({0: translation})
    body = body_of(exported)
    assert [part for part in kept if part not in body] == []
    assert "<w:t></w:t>" not in body and 'preserve"></w:t>' not in body
    assert sources(read_document(exported, "a.docx")) == [translation, "Last one."]
    assert WordDocument(io.BytesIO(exported)).paragraphs[1].text == "Last one."
    assert other_parts(exported) == other_parts(data)


def other_parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != BODY}


@pytest.mark.parametrize("case", CASES)
def test_sentence_next_to_a_translation_keeps_all_its_elements(case: str) -> None:
    content = CASES[case][0]
    data = with_body(f"<w:p>{run('First sentence. ')}{content}{run(' Last one.')}</w:p>")
    exported = read_document(data, "a.docx").export({0: "XYZ"})
    assert elements(exported) == elements(data)


def elements(data: bytes) -> list[str]:
    """All elements with their attributes, except runs, texts and proofing marks, which may be split differently."""
    cut = [WORD + name for name in ("r", "t", "rPr", "lang", "proofErr")]
    root = etree.fromstring(zipfile.ZipFile(io.BytesIO(data)).read(BODY))
    return [f"{e.tag} {sorted(e.attrib.items())}" for e in root.iter() if e.tag not in cut]


def box(choice: str, fallback: str) -> str:
    return (
        '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f'<mc:Choice Requires="wps"><w:txbxContent>{choice}</w:txbxContent></mc:Choice>'
        f"<mc:Fallback><w:pict><w:txbxContent>{fallback}</w:txbxContent></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )


def paragraph(*contents: str) -> str:
    return f"<w:p>{''.join(contents)}</w:p>"


def test_text_box_is_one_segment_and_is_written_for_every_word_version() -> None:
    bold = run("OK", "<w:rPr><w:b/></w:rPr>")
    inside = paragraph(run("Press "), bold) + paragraph(run("Same")) + paragraph(run("Same"))
    document = read_document(with_body(paragraph(run("Around"), box(inside, inside))), "a.docx")
    assert sources(document) == ["Around", "Press {1}OK{/1}", "Same", "Same"]
    body = body_of(document.export({0: "Rundum", 1: "{1}Ja{/1} drücken", 3: "Gleich"}))
    translated = paragraph(run("Ja", "<w:rPr><w:b/></w:rPr>"), run(" drücken")) + paragraph(run("Same"))
    translated += paragraph(run("Gleich"))
    assert body.count(translated) == 2 and "Press" not in body and "Rundum" in body


def test_nested_text_boxes_and_copies_that_differ() -> None:
    inner = box(paragraph(run("Inner")), paragraph(run("Inner")))
    outer = box(
        paragraph(run("Outer"), inner) + paragraph(run("Mine")), paragraph(run("Outer"), inner) + paragraph(run("Old"))
    )
    document = read_document(with_body(paragraph(outer)), "a.docx")
    assert sources(document) == ["Outer", "Inner", "Mine"]
    body = body_of(document.export({0: "Außen", 1: "Innen", 2: "Meins"}))
    assert (body.count("Außen"), body.count("Innen"), body.count("Inner<")) == (2, 3, 1)
    assert (body.count("Meins"), body.count("Old")) == (1, 1)


def test_link_with_a_tab_or_two_sentences_stays_one_link() -> None:
    inserted = f'<w:ins w:id="9" {BY}>{run("Two. Three.")}</w:ins>'
    data = with_body(f'<w:p><w:hyperlink w:anchor="a">{run("One")}<w:r><w:tab/></w:r>{inserted}</w:hyperlink></w:p>')
    document = read_document(data, "a.docx")
    body = body_of(document.export({0: "Eins", 1: "Zwei."}))
    inserted = f'<w:ins w:id="9" {BY}>{run("Zwei.")}{run(" Three.")}</w:ins>'
    assert f'<w:hyperlink w:anchor="a">{run("Eins")}<w:r><w:tab/></w:r>{inserted}</w:hyperlink></w:p>' in body


LARGE = '<w:rPr><w:sz w:val="99"/></w:rPr>'
DROP_CAP = (
    f'<w:p><w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr>{run("O", LARGE)}</w:p>'
    f"<w:p>{run('nce upon a ')}{run('time', '<w:rPr><w:b/></w:rPr>')}{run('. It ended.')}</w:p>"
)


@pytest.mark.parametrize(
    ("translation", "cap", "rest"),
    [
        ("Es war {1}einmal{/1}.", "E", "s war einmal."),
        ("{1}„Einst{/1}“ war.", "„E", "inst“ war."),
        ("A", "A", ""),
        ("E\u0301tait {1}un jour{/1}.", "E\u0301", "tait un jour."),
    ],
)
def test_drop_cap_is_one_text_with_its_paragraph(translation: str, cap: str, rest: str) -> None:
    document = read_document(with_body(DROP_CAP), "a.docx")
    assert sources(document) == ["Once upon a {1}time{/1}.", "It ended."]
    exported = document.export({0: translation, 1: "Aus."})
    first, second = (p for p in WordDocument(io.BytesIO(exported)).paragraphs if p.text)
    assert (first.text, first.runs[0].font.size.pt, second.text) == (cap, 49.5, f"{rest} Aus.")
    again = "„E{1}inst{/1}“ war." if cap == "„E" else translation
    assert sources(read_document(exported, "a.docx")) == [again, "Aus."]


ALT_TEXT = (
    '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
    '<wp:extent cx="99999" cy="99999"/><wp:docPr id="1" name="Picture 1" descr="The chief picture" title="a.png"/>'
    '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="u"/></a:graphic>'
    "</wp:inline></w:drawing></w:r>"
)


def test_alternative_text_is_translated_but_not_file_names() -> None:
    data = with_body(f"<w:p>{run('See ')}{ALT_TEXT}{run(' here.')}</w:p><w:p>{run('After.')}</w:p>")
    document = read_document(data, "a.docx")
    assert sources(document) == ["See {1} here.", "The chief picture", "After."]
    body = body_of(document.export({0: "Hier {1}.", 1: 'Das "Hauptbild" <&>'}))
    expected = 'descr="Das &quot;Hauptbild&quot; &lt;&amp;&gt;" title="a.png"/>'
    assert body.count(expected) == 1 and "Hier " in body and 'name="Picture 1"' in body
    assert elements(document.export({1: "The chief picture"})) == elements(data)
    only = body_of(document.export({1: "Bild"}))
    assert only == body_of(data).replace("The chief picture", "Bild")


BOOKMARK = '<w:bookmarkStart w:id="3" w:name="_Ref7"/>'
REFERENCE = (
    f'<w:p>{BOOKMARK}{run("Figure 1")}<w:bookmarkEnd w:id="3"/>{run(": The printer")}</w:p><w:p>{run("See ")}'
    + fields(sign("begin"), "<w:instrText> REF _Re</w:instrText>", "<w:instrText>f7 </w:instrText>", sign("separate"))
    + f"{run('Figure 1')}{fields(sign('end'))}{run('.')}</w:p>"
)


def test_cross_referenced_bookmark_is_a_placeholder_pair() -> None:
    document = read_document(with_body(REFERENCE), "a.docx")
    assert sources(document) == ["{1}Figure 1{/1}: The printer", "See {1}."]
    body = body_of(document.export({0: "Der Drucker ({1}Bild 1{/1})"}))
    assert f'{BOOKMARK}{run("Bild 1")}<w:bookmarkEnd w:id="3"/>{run(")")}' in body


def test_simplest_common_format_needs_no_tags() -> None:
    long = run("a long stretch of words", "<w:rPr><w:u/></w:rPr>")
    document = read_document(
        with_body(f"<w:p>{run('Press ')}{run('OK', '<w:rPr><w:b/></w:rPr>')}{run(' for ')}{long}</w:p>"), "a.docx"
    )
    assert sources(document) == ["Press {1}OK{/1} for {2}a long stretch of words{/2}"]


def test_deleted_text_is_not_a_segment_and_tracked_formats_leave_no_empty_runs() -> None:
    tracked = f'<w:rPr><w:b/><w:rPrChange w:id="1" {BY}><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr>'
    data = with_body(f"<w:p>{DELETED}</w:p><w:p>{run('All', tracked)}<w:r><w:br/></w:r>{run('Plain')}</w:p>")
    document = read_document(data, "a.docx")
    assert sources(document) == ["All", "Plain"]
    assert 'preserve"></w:t>' not in body_of(document.export({0: "Alles"}))


def with_notes(data: bytes) -> bytes:
    """The document with a footnotes part: the separator that Word adds, and a note."""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    notes = (
        f'<w:footnotes xmlns:w="{WORD[1:-1]}"><w:footnote w:type="separator" w:id="-1">'
        '<w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote w:id="1"><w:p><w:r><w:footnoteRef/></w:r>'
        f"{run(' A note.')}</w:p></w:footnote></w:footnotes>"
    )
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "[Content_Types].xml":
                override = f'<Override PartName="/word/footnotes.xml" ContentType="{kind}"/></Types>'
                content = content.replace(b"</Types>", override.encode())
            elif name == "word/_rels/document.xml.rels":
                of_kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
                related = f'<Relationship Id="rId99" Type="{of_kind}" Target="footnotes.xml"/></Relationships>'
                content = content.replace(b"</Relationships>", related.encode())
            new.writestr(name, content)
        new.writestr("word/footnotes.xml", notes)
    return target.getvalue()


def test_nested_tables_lists_drop_caps_headers_and_notes_keep_their_structure() -> None:
    word = WordDocument()
    outer = word.add_table(1, 1).cell(0, 0)
    outer.text = "Outer cell"
    outer.add_table(1, 1).cell(0, 0).text = "Inner cell"
    word.add_paragraph("Item", style="List Number")
    word.sections[0].footer.paragraphs[0].text = "The footer"
    stream = io.BytesIO()
    word.save(stream)
    lone_cap = f'<w:p><w:pPr><w:framePr w:dropCap="drop" w:lines="3"/></w:pPr>{run("O")}</w:p>'
    data = with_notes(changed(stream.getvalue(), lambda xml: xml.replace("<w:body>", f"<w:body>{lone_cap}")))
    document = read_document(data, "a.docx")
    assert sources(document) == ["O", "Outer cell", "Inner cell", "Item", "The footer", "A note."]
    assert document.export({}) == data
    exported = document.export(dict(enumerate(["E", "Außen", "Innen", "Punkt", "Der Fuß", "Eine Notiz."])))
    after = WordDocument(io.BytesIO(exported))
    cell = after.tables[0].cell(0, 0)
    assert (cell.paragraphs[0].text, cell.tables[0].cell(0, 0).text) == ("Außen", "Innen")
    assert [(p.text, p.style.name) for p in after.paragraphs if p.text] == [("E", "Normal"), ("Punkt", "List Number")]
    assert after.sections[0].footer.paragraphs[0].text == "Der Fuß"
    notes = zipfile.ZipFile(io.BytesIO(exported)).read("word/footnotes.xml").decode()
    assert f"<w:r><w:footnoteRef/></w:r>{run(' Eine Notiz.')}</w:p>" in notes and "<w:separator/>" in notes
    assert elements(exported) == elements(data)
