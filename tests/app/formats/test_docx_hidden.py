"""Texts of Word documents that no paragraph shows: field codes, lists of choices, tips, WordArt, and placeholders."""

from __future__ import annotations

import io
import time
import zipfile

import pytest

from app.formats import Reading
from app.formats.office.docx_fields import texts_of_code
from app.formats.read_file import read_document
from tests.app.formats.test_docx import body_of, sources, with_body
from tests.app.formats.test_docx_practice import code, fields, run, sign

HIDDEN = Reading(extras=("hidden",))


@pytest.mark.parametrize(
    ("field_code", "texts"),
    [
        (r' XE "pump:water pump" \t "See valve" \f "a" ', ["pump", "water pump", "See valve"]),
        (r' XE "Ratio 1\:2" \r Mark ', [r"Ratio 1\:2"]),
        (r' TC "A chapter" \l "2" ', ["A chapter"]),
        (r' ASK Name "Your name?" \d "Nobody" \o ', ["Your name?", "Nobody"]),
        (r' FILLIN "Say \"yes\"" ', [r"Say \"yes\""]),
        (r' HYPERLINK "https://harbor.example" \o "Open the page" ', ["Open the page"]),
        (" MACROBUTTON NoMacro [Click here] ", ["[Click here]"]),
        (r' IF "{AGE}" = "old" "Replace it" "Keep it" ', ["Replace it", "Keep it"]),
        (r' QUOTE "The quoted text" ', ["The quoted text"]),
        (r' SET greeting "Good morning" ', ["Good morning"]),
        (r' GREETINGLINE \f "<<_TITLE0_>>" \e "Dear friend" ', ["Dear friend"]),
        (r' MERGEFIELD "Name" \b "Dear" ', []),
        (' XE "open', []),
        ("", []),
    ],
)
def test_texts_in_codes_of_fields_are_found(field_code: str, texts: list[str]):
    assert [field_code[start:end] for start, end in texts_of_code(field_code)] == texts


def part_of_code(text: str) -> str:
    return f'<w:instrText xml:space="preserve">{text}</w:instrText>'


ENTRY = (sign("begin"), part_of_code(' XE "'), part_of_code("pump"), part_of_code('" '), sign("end"))
SPLIT = (sign("begin"), part_of_code(' XE "old '), part_of_code('valve" '), sign("end"))
TIP = (sign("begin"), code(r'HYPERLINK "a.html" \o "The page"'), sign("separate"), "<w:t>here</w:t>", sign("end"))
VML = 'xmlns:v="urn:schemas-microsoft-com:vml"'
WORD_ART = f'<w:pict><v:shape {VML}><v:textpath string="DRAFT &amp; SECRET"/></v:shape></w:pict>'
LIST = '<w:listItem w:displayText="First" w:value="a"/><w:listItem w:displayText="Second" w:value="b"/>'
HELP = '<w:ffData><w:helpText w:type="text" w:val="Type it"/><w:textInput/></w:ffData>'
BODY_WITH_HIDDEN = (
    f"<w:p>{run('The pump')}{fields(*ENTRY)}{run(' is old.')}{fields(*SPLIT)}</w:p>"
    f"<w:p>{run('Look ')}{fields(*TIP)}{run(' now.')}</w:p>"
    f'<w:sdt><w:sdtPr><w:alias w:val="Choose one"/><w:tag w:val="tag"/><w:dropDownList>'
    f"{LIST}</w:dropDownList></w:sdtPr>"
    f"<w:sdtContent><w:p>{run('First')}</w:p></w:sdtContent></w:sdt>"
    f'<w:p><w:hyperlink w:anchor="a" w:tooltip="Go there">{run("There")}</w:hyperlink><w:r>{WORD_ART}</w:r></w:p>'
    f'<w:p><w:r><w:fldChar w:fldCharType="begin">{HELP}</w:fldChar></w:r>{fields(sign("end"))}{run("A form")}</w:p>'
)


def test_hidden_texts_are_counted_in_a_note_and_in_the_share():
    document = read_document(with_body(BODY_WITH_HIDDEN), "a.docx")
    assert sources(document) == ["The pump{1} is old.", "Look {1}here{/1} now.", "First", "There", "A form"]
    assert document.extras == ("properties", "hidden")
    first, second = document.notes
    assert "WordArt (9)" in first and "--also hidden" in first
    assert document.coverage is not None and document.coverage.percent < 50 and "for example in" in second


def test_hidden_texts_that_were_chosen_are_offered_and_written_with_the_paragraphs_around_them():
    data = with_body(BODY_WITH_HIDDEN)
    document = read_document(data, "a.docx", reading=HIDDEN)
    plain = ["The pump{1} is old.", "Look {1}here{/1} now.", "First", "There", "A form"]
    hidden = ["pump", "The page", "First", "Second", "Go there", "DRAFT & SECRET", "Type it", "Choose one"]
    assert sorted(sources(document)) == sorted([*plain, *hidden])
    assert document.export({}) == data
    assert [note for note in document.notes if "Not offered" in note] == []  # the share counts the code in two elements
    assert document.coverage is not None and 80 < document.coverage.percent < 100
    new = {"pump": 'Pumpe: "alt"', "Second": "2", "DRAFT & SECRET": "GEHEIM <&>", "The page": "Die Seite: \\"}
    german = {segment.index: new.get(segment.source, segment.source.upper()) for segment in document.segments}
    body = body_of(document.export(german))
    for expected in (
        r">Pumpe\: \"alt\"</w:instrText>",
        r'\o "Die Seite: \\" ',
        '<w:listItem w:displayText="FIRST" w:value="a"/><w:listItem w:displayText="2" w:value="b"/>',
        'string="GEHEIM &lt;&amp;&gt;"',
        'w:tooltip="GO THERE"',
        'w:val="TYPE IT"',
        '<w:alias w:val="CHOOSE ONE"/><w:tag w:val="tag"/>',
        ">THE PUMP</w:t>",
    ):
        assert expected in body, body


def test_lists_and_defaults_of_form_fields_and_alternative_texts_of_tables_are_hidden_texts():
    choices = '<w:ffData><w:ddList><w:default w:val="1"/><w:listEntry w:val="One"/></w:ddList></w:ffData>'
    default = '<w:ffData><w:textInput><w:default w:val="Type here"/></w:textInput></w:ffData>'
    table = '<w:tblPr><w:tblCaption w:val="Prices"/><w:tblDescription w:val="By year"/></w:tblPr>'
    shape = f'<w:pict><v:shape {VML} alt="A red pump"/></w:pict>'
    data = with_body(
        f'<w:p><w:r><w:fldChar w:fldCharType="begin">{choices}</w:fldChar></w:r>{fields(sign("end"))}</w:p>'
        f'<w:p><w:r><w:fldChar w:fldCharType="begin">{default}</w:fldChar></w:r>{fields(sign("end"))}</w:p>'
        f"<w:tbl>{table}<w:tr><w:tc><w:p>{run('A cell')}<w:r>{shape}</w:r></w:p></w:tc></w:tr></w:tbl>"
        f'<w:p>{run("Here")}<w:fldSimple w:instr=" XE &quot;entry&quot; "/></w:p>'
    )
    assert "WordArt (6)" in read_document(data, "a.docx").notes[0]
    document = read_document(data, "a.docx", reading=HIDDEN)
    texts = ["One", "Type here", "Prices", "By year", "A red pump"]
    assert sorted(sources(document)) == sorted([*texts, "A cell", "Here"])
    assert any("entry" in note for note in document.notes)
    body = body_of(document.export({segment.index: segment.source.upper() for segment in document.segments}))
    assert all(f'"{text.upper()}"' in body for text in texts), body


def test_placeholders_of_content_controls_are_offered_if_chosen():
    document = (
        '<w:glossaryDocument xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:docParts><w:docPart>'
        f"<w:docPartBody><w:p>{run('Click here.')}</w:p></w:docPartBody></w:docPart></w:docParts></w:glossaryDocument>"
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.glossary+xml"
    base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/glossaryDocument"
    added = {
        "[Content_Types].xml": ("</Types>", f'<Override PartName="/word/glossary/document.xml" ContentType="{kind}"/>'),
        "word/_rels/document.xml.rels": (
            "</Relationships>",
            f'<Relationship Id="rId99" Type="{base}" Target="glossary/document.xml"/>',
        ),
    }
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(with_body(f"<w:p>{run('One.')}</w:p>"))) as old,
        zipfile.ZipFile(stream, "w") as new,
    ):
        for name in old.namelist():
            end, more = added.get(name, ("", ""))
            content = old.read(name).decode("utf-8") if end else ""
            new.writestr(name, content.replace(end, more + end) if end else old.read(name))
        new.writestr("word/glossary/document.xml", document)
    data = stream.getvalue()
    plain = read_document(data, "a.docx")
    assert plain.extras == ("properties", "placeholders") and "placeholder texts of content controls" in plain.notes[0]
    chosen = read_document(data, "a.docx", reading=Reading(extras=("placeholders",)))
    assert sources(chosen) == ["One.", "Click here."] and chosen.notes == ()
    exported = zipfile.ZipFile(io.BytesIO(chosen.export({1: "Hier klicken."})))
    assert ">Hier klicken.<" in exported.read("word/glossary/document.xml").decode()


def test_time_is_linear_in_the_number_of_fields_and_the_length_of_codes():
    text = "".join(fields(*ENTRY) for _ in range(1000)) + fields(
        sign("begin"), code('XE "' + "a:" * 5_000 + '"'), sign("end")
    )
    data = with_body(f"<w:p>{run('One')}{text}</w:p>")
    began = time.process_time()
    assert len(read_document(data, "a.docx", reading=HIDDEN).segments) > 5_000
    assert time.process_time() - began < 30
