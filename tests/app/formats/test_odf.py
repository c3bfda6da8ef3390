"""OpenDocument files: only translated paragraphs change, and the translate toolkit reads the new texts."""

from __future__ import annotations

import io
import zipfile

import pytest
from translate.storage.odf_io import open_odf
from translate.storage.odf_shared import inline_elements, no_translate_content_elements
from translate.storage.xliff import xlifffile
from translate.storage.xml_extract.extract import ParseState, build_store

from app.errors import DocumentError
from app.formats.read_file import read_document

NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in [
        ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("style", "style"),
        ("fo", "xsl-fo-compatible"), ("svg", "svg-compatible"), ("presentation", "presentation"),
    ]
)  # fmt: skip
BODY = """<office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>Deleted.</text:p>
</text:deletion></text:changed-region></text:tracked-changes>
<text:h text:style-name="H1">Set up the router</text:h>
<text:p>Press <text:span text:style-name="T1">OK</text:span> &amp; wait<text:s text:c="3"/>here.<text:note text:id="n1">
<text:note-citation>1</text:note-citation><text:note-body><text:p>See page 5.</text:p></text:note-body></text:note> Then
<text:a xlink:href="a.html">read on</text:a>.<text:bookmark text:name="b"/></text:p>
<text:p>Left<text:tab/>Right<text:line-break/>12</text:p>
<text:p><draw:frame><svg:title>A red door</svg:title><draw:text-box><text:p>In the box</text:p></draw:text-box>
</draw:frame></text:p><text:p/>
<table:table><table:table-row><table:table-cell office:value-type="string"><text:p>Door</text:p></table:table-cell>
<table:table-cell office:value-type="date"><text:p>May 5</text:p></table:table-cell>
<table:table-cell office:value-type="string" table:formula="of:=A1"><text:p>Door</text:p></table:table-cell>
</table:table-row></table:table></office:text>"""
STYLES = """<office:styles><style:default-style style:family="paragraph"><style:text-properties fo:language="en"
 fo:country="US"/></style:default-style></office:styles><office:master-styles><style:master-page><style:header>
<text:p>The header</text:p></style:header></style:master-page></office:master-styles>"""
PRESENTATION = """<office:presentation><draw:page><draw:frame><draw:text-box><text:p>First slide</text:p>
</draw:text-box></draw:frame><presentation:notes><draw:frame><draw:text-box><text:p>Say hello.</text:p></draw:text-box>
</draw:frame></presentation:notes></draw:page></office:presentation>"""


def sample(body: str = BODY, kind: str = "text", manifest: str = "<manifest/>") -> bytes:
    """A file with this body, as LibreOffice packs it: the type first and not compressed."""
    names = f'{NAMES} xmlns:xlink="http://www.w3.org/1999/xlink"'
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}", zipfile.ZIP_STORED)
        content = f"<office:document-content {names}><office:body>{body}</office:body></office:document-content>"
        archive.writestr("content.xml", f'<?xml version="1.0" encoding="UTF-8"?>\n{content}')
        styles = STYLES.replace('"en"\n ', '"en" ')
        archive.writestr("styles.xml", f"<office:document-styles {names}>{styles}</office:document-styles>")
        archive.writestr("META-INF/manifest.xml", manifest)
    return target.getvalue()


def part(data: bytes, name: str = "content.xml") -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name).decode()


def texts_of(data: bytes) -> list[str]:
    """The texts as the translate toolkit reads them."""
    store = xlifffile()
    for name, content in open_odf(io.BytesIO(data)).items():
        store.switchfile(name, createifmissing=True)
        state = ParseState(no_translate_content_elements, inline_elements)
        build_store(io.BytesIO(content), store, state, collect_ids=False)
    return [str(unit.source) for unit in store.units]


def test_texts_are_offered_with_tags_and_without_numbers_formulas_and_deleted_text() -> None:
    data = sample()
    document = read_document(data, "a.odt")
    assert [segment.source for segment in document.segments] == [
        "Set up the router",
        "Press {1}OK{/1} & wait   here.",
        "{1} Then {2}read on{/2}.",
        "See page 5.",
        "Left",
        "Right",
        "A red door",
        "In the box",
        "Door",
        "The header",
    ]
    assert document.export({}) == data


def test_only_translated_paragraphs_change_with_those_inside_of_them() -> None:
    data = sample()
    document = read_document(data, "a.odt")
    new = {1: "{1}OK{/1} drücken & warten   hier.", 3: "Siehe  Seite 5.", 5: "Rechts <b>", 6: "Tür", 9: "Kopf"}
    exported = document.export_file(new, "de").data
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        assert archive.testzip() is None
    expected = part(data)
    for old, text in [
        (
            'Press <text:span text:style-name="T1">OK</text:span> &amp; wait<text:s text:c="3"/>here.',
            '<text:span text:style-name="T1">OK</text:span> drücken &amp; warten <text:s text:c="2"/>hier.',
        ),
        ("See page 5.", 'Siehe <text:s text:c="1"/>Seite 5.'),
        ("Right", "Rechts &lt;b&gt;"),
        ("A red door", "Tür"),
    ]:
        expected = expected.replace(old, text)
    assert part(exported) == expected.replace("</text:note> Then\n", "</text:note> Then ")
    styles = part(exported, "styles.xml")
    assert "<text:p>Kopf</text:p>" in styles and 'fo:language="de" fo:country="DE"' in styles
    assert "Tür" in texts_of(exported) and "Set up the router" in texts_of(exported)
    again = read_document(exported, "a.odt")
    assert [again.segments[index].source for index in new] == list(new.values())


def test_presentation_and_spreadsheet_are_read_too() -> None:
    assert [s.source for s in read_document(sample(PRESENTATION, "presentation"), "a.odp").segments][:2] == [
        "First slide",
        "Say hello.",
    ]
    assert read_document(sample(kind="spreadsheet"), "a.ods").segments


def test_translated_cell_loses_the_attribute_that_repeats_its_text_because_programs_prefer_it() -> None:
    cell = (
        '<table:table-cell office:value-type="string" office:string-value="{0}"><text:p>{0}</text:p></table:table-cell>'
    )
    body = "<table:table><table:table-row>" + cell.format("A door") + cell.format("A key")
    formula = cell.format("A sum").replace(" office:value", ' table:formula="of:=1" office:value', 1)
    data = sample(f"{body}{formula}</table:table-row></table:table>", "spreadsheet")
    document = read_document(data, "a.ods")
    assert document.export({}) == data
    expected = part(data).replace(cell.format("A door"), cell.format("12").replace(' office:string-value="12"', ""))
    assert part(document.export({0: "12"})) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"no archive", "is not a .odt, .ods, .odp file or is damaged"),
        (sample()[:-40], "is damaged"),
        (sample("<office:text>"), "not well-formed"),
        (sample(manifest="<m><encryption-data/></m>"), "password-protected"),
        (sample("<office:text><text:p>12</text:p></office:text>").replace(b"styles.xml", b"stiles.xml"), "no text"),
    ],
)
def test_bad_file_is_refused_with_the_cure(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(data, "a.odt")


def test_field_inside_of_a_sentence_is_a_tag_and_keeps_its_text() -> None:
    field = '<text:bookmark-ref text:ref-name="b">First steps</text:bookmark-ref>'
    document = read_document(sample(f"<office:text><text:p>See {field} first.</text:p></office:text>"), "a.odt")
    assert document.segments[0].source == "See {1} first."
    assert document.coverage and document.coverage.percent == 100
    assert f"<text:p>Siehe zuerst {field}.</text:p>" in part(document.export({0: "Siehe zuerst {1}."}))


def test_note_lists_comments_and_charts_that_are_not_offered() -> None:
    comment = "<office:annotation><text:p>Is it so?</text:p></office:annotation>"
    document = read_document(sample(f"<office:text><text:p>A door{comment}.</text:p></office:text>"), "a.odt")
    assert document.segments[0].source == "A door."
    assert document.notes[0] == "Not offered: comments."
    assert "for example in “Is it so?”" in document.notes[1]
    assert comment in part(document.export({0: "Eine Tür."}))
