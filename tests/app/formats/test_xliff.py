"""XLIFF 1.2 and 2.x: reading and writing, with any translation."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from translate.storage import xliff, xliff2

from app.errors import DocumentError
from app.formats.documents import Document
from app.formats.read_file import read_document

V1 = """<?xml version="1.0" encoding="UTF-8"?>
<!-- kept -->
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file original='a.htm' source-language="en" datatype="html">
  <body>
    <trans-unit id="1" resname="title" approved="yes">
      <source>Settings &amp; more</source>
      <target state="final">Einstellungen &amp; mehr</target>
      <note>On the   first page</note>
    </trans-unit>
    <trans-unit id="2">
      <source>Press <g id="1">OK</g> to copy {1} files<x id="2"/>.</source>
    </trans-unit>
    <trans-unit id="3"><source><g id="1"> All <bpt id="2">&lt;b></bpt>bold<ept id="2">&lt;/b></ept></g></source>
      <target/></trans-unit>
    <trans-unit id="4">
      <source>Wrapped
        over lines</source>
      <target state="needs-translation">Wrapped over lines</target>
    </trans-unit>
    <trans-unit id="5" translate="no"><source>SKIP</source></trans-unit>
    <trans-unit id="6">
      <source>One. Two.</source>
      <seg-source><mrk mtype="seg" mid="0">One.</mrk> <mrk mtype="seg" mid="1">Two.</mrk></seg-source>
      <target state="needs-review-translation"><mrk mtype="seg" mid="0">Eins.</mrk> <mrk mtype="seg" mid="1"/></target>
      <alt-trans><target>no target of ours</target></alt-trans>
    </trans-unit>
  </body>
 </file>
</xliff>
"""
V2 = """<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en">
  <file id="f1">
    <unit id="u1" name="greeting">
      <notes><note>Be kind</note></notes>
      <segment id="s1" state="initial" subState="x:y">
        <source>Hello <pc id="1">dear</pc> <ph id="2"/>world.</source>
      </segment>
      <ignorable><source> </source></ignorable>
      <segment id="s2" state="reviewed">
        <source>Bye.</source>
        <target>Tschüs.</target>
      </segment>
    </unit>
    <unit id="u2" translate="no"><segment><source>SKIP</source></segment></unit>
    <unit id="u3"><segment><source xml:space="preserve">Line
two</source></segment></unit>
  </file>
</xliff>
"""
NAMESPACE = {"x": "urn:oasis:names:tc:xliff:document:1.2", "y": "urn:oasis:names:tc:xliff:document:2.0"}


def parsed(data: bytes) -> etree._Element:
    """The file as lxml reads it."""
    return etree.fromstring(data)


def target_of(data: bytes, unit: str) -> etree._Element:
    (found,) = parsed(data).xpath(f"//x:trans-unit[@id='{unit}']/x:target", namespaces=NAMESPACE)
    return found


def test_segments_have_their_targets_states_and_notes() -> None:
    document = read_document(V1.encode(), "a.xlf")
    assert [(s.source, s.target, s.state) for s in document.segments] == [
        ("Settings & more", "Einstellungen & mehr", "confirmed"),
        ("Press {2}OK{/2} to copy {1} files{3}.", None, "new"),  # {1} is literal text of the file
        ("All {1}bold{/1}", None, "new"),
        ("Wrapped over lines", None, "new"),
        ("One.", "Eins.", "edited"),
        ("Two.", None, "new"),
    ]
    assert document.segments[0].note == "Name: title · On the first page"
    version_2 = read_document(V2.encode(), "a.xliff")
    assert [(s.source, s.target, s.state) for s in version_2.segments] == [
        ("Hello {1}dear{/1} {2}world.", None, "new"),
        ("Bye.", "Tschüs.", "confirmed"),
        ("Line{1}two", None, "new"),
    ]
    assert version_2.segments[1].note == "Name: greeting · Be kind"


def test_case_of_a_plural_or_gender_is_in_the_note() -> None:
    cases = (("c:case", "feminine 0"), ("c:case", "other"), ("d:case", "feminine 0"))
    segments = "".join(f'<segment {name}="{case}"><source>Text</source></segment>' for name, case in cases)
    data = (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:c="urn:oasis:names:tc:xliff:pgs:1.0" '
        'xmlns:d="urn:d" version="2.2" srcLang="en" trgLang="de"><file id="f">'
        f'<unit id="1" name="party" c:switch="gender:host plural:guests">{segments}</unit></file></xliff>'
    ).encode()
    document = read_document(data, "a.xlf")
    assert [segment.note for segment in document.segments] == [
        "Name: party · host = feminine, guests = 0",
        "Name: party · other",  # fewer cases than variables
        "Name: party",  # of another module
    ]
    assert document.export({}) == data


def test_only_targets_and_states_change_in_version_1() -> None:
    document = read_document(V1.encode(), "a.xlf")
    exported = document.export_file(
        {1: "{2}OK{/2} kopiert {1} Dateien{3} < 3.", 2: "Alles {1}fett{/1}", 3: "Über Zeilen", 5: "Zwei."},
        "de",
        drafts={3, 5},
    )
    expected = (
        V1.replace('datatype="html">', 'datatype="html" target-language="de">')
        .replace(
            '<x id="2"/>.</source>\n',
            '<x id="2"/>.</source>\n'
            '      <target state="translated"><g id="1">OK</g> kopiert {1} Dateien<x id="2"/> &lt; 3.</target>\n',
        )
        .replace(
            "<target/>",
            '<target state="translated"><g id="1"> Alles <bpt id="2">&lt;b></bpt>fett<ept id="2">&lt;/b></ept></g>'
            "</target>",
        )
        .replace(
            '<target state="needs-translation">Wrapped over lines<',
            '<target state="needs-review-translation">Über Zeilen<',
        )
        .replace('<mrk mtype="seg" mid="1"/>', '<mrk mtype="seg" mid="1">Zwei.</mrk>')
        # the file uses the attribute
        .replace('<trans-unit id="2">', '<trans-unit id="2" approved="yes">')
        .replace('<trans-unit id="3">', '<trans-unit id="3" approved="yes">')
    )
    assert exported.data.decode() == expected
    assert exported.name == "a.de.xlf"


def test_only_targets_states_and_the_language_change_in_version_2() -> None:
    document = read_document(V2.encode(), "a.xliff")
    exported = document.export_file(
        {0: "Hallo {1}liebe{/1} {2}Welt.", 1: "Tschau.", 2: "Zeile{1}zwei"}, "de", drafts={1}
    )
    expected = (
        V2.replace('srcLang="en">', 'srcLang="en" trgLang="de">')
        .replace('id="s1" state="initial" subState="x:y"', 'id="s1" state="translated"')
        .replace(
            "world.</source>\n",
            'world.</source>\n        <target>Hallo <pc id="1">liebe</pc> <ph id="2"/>Welt.</target>\n',
        )
        .replace('state="reviewed"', 'state="initial"')
        .replace("Tschüs.", "Tschau.")
        .replace("two</source></segment>", "two</source><target>Zeile\nzwei</target></segment>")
        .replace("<segment><source xml:space", '<segment state="translated"><source xml:space')
    )
    assert exported.data.decode() == expected


def test_approved_translation_loses_approval_when_it_becomes_a_draft() -> None:
    exported = read_document(V1.encode(), "a.xlf").export_file({0: "Optionen"}, drafts={0}).data.decode()
    assert 'resname="title" approved="no"' in exported
    assert '<target state="needs-review-translation">Optionen</target>' in exported


@pytest.mark.parametrize("content", [V1, V2])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_untranslated_files_are_exported_byte_for_byte(content: str, encoding: str) -> None:
    name = "UTF-8" if encoding.startswith("utf-8") else encoding
    data = content.replace('encoding="UTF-8"', "").replace('"1.0"', f'"1.0" encoding="{name}"').encode(encoding)
    document = read_document(data, "a.xlf")
    drafts = {s.index for s in document.segments if s.state == "edited"}
    assert document.export_file({s.index: s.target for s in document.segments if s.target}, drafts=drafts).data == data
    changed = document.export({1: "Łódź"})
    assert "Łódź" in "".join(parsed(changed).itertext())
    assert ("&#321;" in changed.decode(encoding)) == (encoding == "iso-8859-1")


TAGGED = st.lists(st.sampled_from(["a ", "<", "&", "{1}", "{2}", "{/2}", "{3}", "{/3}", "{", "}", "ß", "\x01", "]]>"]))


@given(TAGGED.map("".join).filter(lambda t: t.strip() != ""))
def test_file_stays_well_formed_for_any_typed_translation(text: str) -> None:
    exported = read_document(V1.encode(), "a.xlf").export({1: text})
    written = "".join(target_of(exported, "2").itertext())
    own = "{2}", "{/2}", "{3}"
    expected = text.replace("\x01", "\ufffd")
    for tag in own:
        expected = expected.replace(tag, "")
    assert written == expected


@pytest.mark.parametrize(
    ("typed", "content"),
    [
        ("{2}OK", '<g id="1">OK</g>'),  # missing end tag
        ("OK{/2}", "OK"),  # missing start tag
        ("{2}{3}{/2}", '<g id="1"><x id="2"/></g>'),
        ("{9}{/3}", "{9}{/3}"),  # unknown placeholder
    ],
)
def test_unbalanced_tags_are_repaired(typed: str, content: str) -> None:
    assert f">{content}</target>" in read_document(V1.encode(), "a.xlf").export({1: typed}).decode()


def test_target_tags_match_source_tags_and_other_tags_are_kept() -> None:
    content = (
        '<xliff version="1.2"><file><body><trans-unit id="1"><source><g id="1">a</g> <g id="2">b</g> c</source>'
        '<target><g id="2">B</g> <g id="9">?</g> <g id="1">A</g></target></trans-unit>'
        '<trans-unit id="2"><source><g id="1">all</g></source><target>nicht <g id="1">alles</g></target></trans-unit>'
        "</body></file></xliff>"
    )
    document = read_document(content.encode(), "a.xlf")
    assert [(s.source, s.target) for s in document.segments] == [
        ("{1}a{/1} {2}b{/2} c", "{2}B{/2} {3}?{/3} {1}A{/1}"),
        ("{1}all{/1}", "nicht {1}alles{/1}"),
    ]
    exported = document.export({0: "{1}A{/1} {2}B{/2} {3}!{/3}", 1: "{1}alles{/1}"}).decode()
    assert '<target state="translated"><g id="1">A</g> <g id="2">B</g> <g id="9">!</g></target>' in exported
    assert '<target state="translated"><g id="1">alles</g></target>' in exported


def test_new_target_of_a_segmented_unit_has_all_its_marks() -> None:
    content = re.sub('.*state="needs-review-translation".*\n', "", V1)
    document = read_document(content.encode(), "a.xlf")
    target = target_of(document.export({4: "Eins & eins.", 5: "Zwei."}), "6")
    assert [(mark.get("mid"), mark.text) for mark in target] == [("0", "Eins & eins."), ("1", "Zwei.")]
    assert target.get("state") == "translated"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (V1[:-20].encode(), "line 28: the XML is not well-formed"),
        (b"<html/>", "not an XLIFF 1.2 or 2.x file .root element: <html>"),
        (b'<xliff version="3.0"/>', "version '3.0'"),
        (
            b'<!DOCTYPE x [<!ENTITY a "b">]><xliff version="1.2">&a;</xliff>',
            "line 1: the file defines its own entities",
        ),
        (b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><xliff version="1.2">&a;</xliff>', "entities"),
        (b'<!DOCTYPE x SYSTEM "http://x.example/x.dtd"><xliff version="1.2">&nbsp;</xliff>', "entities"),
        (b'<!DOCTYPE x SYSTEM "x.dtd">\n<xliff version="1.2" a="&x.y;"/>', "line 2: the file defines its own entities"),
        (b'<xliff version="1.2">&nbsp;</xliff>', "line 1: the XML is not well-formed .undefined entity"),
        (b"<a>" * 300, "nested more than 200 levels deep"),
        (V1.encode("utf-16").replace(b"\xff\xfe", b""), "line 1: the character U.0000 is not allowed"),
        (V1.replace("UTF-8", "utf-7").encode(), "unknown encoding utf-7"),
        (V1.replace("UTF-8", "zlib").encode(), "unknown encoding zlib"),
        (V1.replace("Wrapped", "Ä").encode("latin-1"), "line 17: byte 0xC4 is not valid in utf-8"),
        (b'<xliff version="1.2"/>', "no text to translate"),
    ],
)
def test_damaged_foreign_and_hostile_files_are_rejected(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_document(data, "a.xlf")


def test_doctype_without_declarations_is_accepted() -> None:
    data = b'<!DOCTYPE xliff PUBLIC "-//XLIFF//DTD" "http://x.example/x.dtd?a>b">\n' + V1.split("-->\n")[1].encode()
    document: Document = read_document(data, "a.xlf")
    assert len(document.segments) == 6


def test_translate_toolkit_reads_the_written_targets() -> None:
    first = xliff.xlifffile.parsestring(read_document(V1.encode(), "a.xlf").export({1: "Eins", 3: "Drei"}))
    assert [unit.target for unit in first.units][:4] == ["Einstellungen & mehr", "Eins", "", "Drei"]
    second = xliff2.Xliff2File.parsestring(read_document(V2.encode(), "a.xlf").export_file({0: "Null"}, "de").data)
    assert [unit.target for unit in second.units][:1] == ["Null"]
    assert second.targetlanguage == "de"


def test_missing_target_language_is_added_to_every_file_of_version_1() -> None:
    unit = '<body><trans-unit id="1"><source>One</source></trans-unit></body>'
    files = f'<file source-language="en">{unit}</file><file target-language="de-AT">{unit}</file>'
    data = f'<xliff version="1.2">{files}</xliff>'.encode()
    written = read_document(data, "a.xlf").export_file({0: "Eins"}, "de").data.decode()
    assert '<file source-language="en" target-language="de">' in written and '<file target-language="de-AT">' in written


@pytest.mark.parametrize(("version", "unit"), [("1.1", "trans-unit"), ("1.2", "trans-unit"), ("2.0", "segment")])
def test_version_comes_from_the_namespace_if_the_attribute_is_missing(version: str, unit: str) -> None:
    text = (
        f'<xliff xmlns="urn:oasis:names:tc:xliff:document:{version}" srcLang="en" trgLang="de"><file id="f"><body>'
        f'<{unit} id="1"><source>One</source></{unit}></body></file></xliff>'
    )
    document = read_document(text.encode(), "a.xlf")
    assert document.export({}) == text.encode()
    assert b"<target" in document.export({0: "Eins"})


def with_marks(source: str, target: str = "", after: str = "") -> bytes:
    return (
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en" '
        f'target-language="de" datatype="x"><body><trans-unit id="1"><source>All</source><seg-source>{source}'
        f"</seg-source>{target}{after}</trans-unit></body></file></xliff>"
    ).encode()


@pytest.mark.parametrize("mid", [' mid="1"', ""])
def test_segments_with_the_same_mid_are_all_offered_and_keep_their_targets(mid: str) -> None:
    mark = f'<mrk mtype="seg"{mid}>'
    source = f'{mark}One.</mrk> {mark}Two.</mrk> <mrk mtype="seg" mid="2">Three.</mrk>'
    target = f'<target>{mark}Eins.</mrk> {mark}Zwei.</mrk> <mrk mtype="seg" mid="2"/></target>'
    document = read_document(with_marks(source, target), "a.xlf")
    assert [(s.source, s.target) for s in document.segments] == [("One.", "Eins."), ("Two.", "Zwei."), ("Three.", None)]
    named = "Ids of several segments in one unit: 1. Each segment is offered; some programs use only the last."
    assert document.notes == ((named,) if mid else ())
    exported = document.export({1: "2.", 2: "Drei."})
    marks = target_of(exported, "1").findall("x:mrk", namespaces=NAMESPACE)
    assert [each.text for each in marks] == ["Eins.", "2.", "Drei."]
    without_target = read_document(with_marks(source), "a.xlf").export({0: "1.", 1: "2.", 2: "3."})
    marks = target_of(without_target, "1").findall("x:mrk", namespaces=NAMESPACE)
    assert [each.text for each in marks] == ["1.", "2.", "3."]


def test_segment_inside_a_segment_is_a_tag() -> None:
    inner = '<mrk mtype="seg" mid="2">very</mrk>'
    document = read_document(with_marks(f'<mrk mtype="seg" mid="1">It is {inner} late.</mrk>'), "a.xlf")
    assert [segment.source for segment in document.segments] == ["It is {1}very{/1} late."]
    assert b'<target state="translated"><mrk mtype="seg" mid="1">Zu <mrk mtype="seg" mid="2">sehr</mrk></mrk>' in (
        document.export({0: "Zu {1}sehr{/1}"})
    )
