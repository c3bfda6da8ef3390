"""XML documents: what is a paragraph, a tag or not translated, and what a translation changes."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from app.errors import DocumentError
from app.formats.documents import Document
from app.formats.read_file import read_document

DITA = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE task PUBLIC "-//OASIS//DTD DITA Task//EN" "task.dtd">
<task id="t" xml:lang="en-US">
  <title>Set up the <ph>router</ph></title>
  <shortdesc>Wait &amp; see.<!-- keep --> Then go.</shortdesc>
  <taskbody>
    <steps><step><cmd>Press
        <uicontrol>OK</uicontrol><fn>See page 5.</fn> now.</cmd>
      <info>Some text <ul><li>First</li><li><p>Second</p></li></ul> and more.</info></step></steps>
    <codeblock>int main</codeblock><p translate="no">Keep this.</p>
    <p><image href="b.png" alt="A &quot;red&quot; window"/></p>
  </taskbody>
</task>
"""
DOCBOOK = """<article xmlns="http://docbook.org/ns/docbook" xml:lang="en"><title>One</title>
<para>Run <command>ls</command><footnote><para>As root.</para></footnote> first.</para>
<programlisting>ls -l</programlisting></article>"""
CATALOG = """<?xml version="1.0" encoding="UTF-8"?>
<catalog><item code="a b"><name>Lamp</name><text>A <hi>red</hi> lamp for 5 &lt; 6 rooms.</text><price>12</price></item>
<item><name>Table</name><text>A <hi>round</hi> table<br/>with legs</text><list><row>One</row><row>Two</row></list>
</item></catalog>"""
ITS = """<doc xmlns:i="http://www.w3.org/2005/11/its"><i:rules version="2.0">
<i:translateRule selector="//code | //id" translate="no"/>
<i:translateRule selector="//item/@label" translate="yes"/><i:withinTextRule selector="//mark" withinText="yes"/>
<i:translateRule selector="//p[@x]" translate="no"/></i:rules>
<item label="A label"><id>Number</id></item><p>Run <code>ls</code> now</p><p><mark>All of it</mark></p>
<p i:translate="no">Kept <b i:translate="yes">Not kept</b></p>
<q>See <n i:withinText="nested">a note</n> here</q></doc>"""


def sources(document: Document) -> list[str]:
    return [segment.source for segment in document.segments]


def test_task_of_dita_is_read_and_only_translated_texts_change() -> None:
    document = read_document(DITA.encode(), "a.dita")
    assert sources(document) == [
        "Set up the {1}router{/1}",
        "Wait & see.",
        "Then go.",
        "Press {1}OK{/1}{2} now.",
        "See page 5.",
        "Some text",
        "and more.",
        "First",
        "Second",
        'A "red" window',
    ]
    assert document.export({}) == DITA.encode() and document.notes == ()
    new = {
        0: ("Set up the <ph>router</ph>", "{1}Router{/1} einrichten", "<ph>Router</ph> einrichten"),
        1: ("Wait &amp; see.", "Warten & sehen.", "Warten &amp; sehen."),
        3: (
            "Press\n        <uicontrol>OK</uicontrol><fn>See page 5.</fn> now.",
            "Jetzt {1}OK{/1}{2} drücken.",
            "Jetzt <uicontrol>OK</uicontrol><fn>Seite 5.</fn> drücken.",
        ),
        4: ("See page 5.", "Seite 5.", "Seite 5."),
        8: ("Second", "Zweitens", "Zweitens"),
        9: ("A &quot;red&quot; window", 'Ein "rotes" Fenster', "Ein &quot;rotes&quot; Fenster"),
    }
    expected = DITA.replace('xml:lang="en-US"', 'xml:lang="de"')
    for before, _, after in new.values():
        expected = expected.replace(before, after)
    written = document.export_file({number: text for number, (_, text, _) in new.items()}, "de").data.decode()
    assert written == expected
    assert sources(read_document(written.encode(), "a.dita"))[3:5] == ["Jetzt {1}OK{/1}{2} drücken.", "Seite 5."]


def test_text_around_a_footnote_is_written_when_the_footnote_becomes_empty() -> None:
    document = read_document(DOCBOOK.encode(), "a.xml")
    written = document.export({0: "Eins", 1: "Erst {1}ls{/1}{2}.", 2: ""}).decode()
    assert "<title>Eins</title>\n<para>Erst <command>ls</command><footnote><para></para></footnote>.</para>" in written


def test_article_of_docbook_is_read_with_its_footnote() -> None:
    document = read_document(DOCBOOK.encode(), "a.xml")
    assert sources(document) == ["One", "Run {1}ls{/1}{2} first.", "As root."]
    written = document.export({1: "Erst {1}ls{/1}{2} ausführen.", 2: "Als root."}).decode()
    assert "Erst <command>ls</command><footnote><para>Als root.</para></footnote> ausführen." in written


def test_unknown_xml_is_read_by_elements_beside_text_with_a_note() -> None:
    document = read_document(CATALOG.encode(), "a.xml")
    assert sources(document) == [
        "Lamp",
        "A {1}red{/1} lamp for 5 < 6 rooms.",
        "Table",
        "A {1}round{/1} table{2}with legs",
        "One",
        "Two",
    ]
    assert document.notes[0].startswith("This XML format is not known")
    written = document.export({1: "Eine {1}rote{/1} Lampe für 5 < 6 Räume."}).decode()
    assert written == CATALOG.replace(
        "A <hi>red</hi> lamp for 5 &lt; 6 rooms.", "Eine <hi>rote</hi> Lampe für 5 &lt; 6 Räume."
    )


def test_rules_of_its_in_the_file_count() -> None:
    document = read_document(ITS.encode(), "a.xml")
    assert sources(document) == ["A label", "Run {1} now", "All of it", "Not kept", "See {1} here", "a note"]
    assert document.notes[1] == "Ignored ITS rules: //p[@x]."
    written = document.export(dict(enumerate(["Ein <Name>", "Jetzt {1}", "Alles", "Neu", "Hier {1}", "Notiz"])))
    assert ElementTree.fromstring(written).find("item").get("label") == "Ein <Name>"  # type: ignore[union-attr]
    assert b"<p>Jetzt <code>ls</code></p><p><mark>Alles</mark></p>" in written
    assert b'<q>Hier <n i:withinText="nested">Notiz</n></q>' in written


def test_paragraph_of_too_many_elements_is_refused_with_its_line_before_it_takes_long() -> None:
    data = b"<doc>\n<p>One</p>\n<p>" + b"x<b>y</b>" * 10_001 + b"</p></doc>"
    with pytest.raises(DocumentError, match=r"a\.xml, line 3: the paragraph has more than 20,000 texts and elements"):
        read_document(data, "a.xml")


def test_paragraph_in_paragraph_is_described_by_its_own_line() -> None:
    with pytest.raises(DocumentError, match=r"a\.xml, line 2: the segment is too long"):
        read_document(b"<doc><p>One</p>\n<p>" + b"long" * 20_000 + b"</p></doc>", "a.xml")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p xml:space='preserve'>a  b</p>", ["a  b"]),
        ("<p>One<?pi x?> two</p>", ["One two"]),
        ("<p><![CDATA[a < b]]> c</p>", ["a < b c"]),
        ("<p>One <b>two</b><i> </i>three</p><p>x <b/> y <i>z</i></p>", ["One {1}two{/1}{2}three", "x {1} y {2}z{/2}"]),
        ("<p>12</p><p>a</p>", ["a"]),
    ],
)
def test_special_content_is_kept(body: str, expected: list[str]) -> None:
    data = f"<doc>{body}</doc>".encode()
    document = read_document(data, "a.xml")
    assert sources(document) == expected
    again = document.export({index: f"{source}!" for index, source in enumerate(expected)})
    assert sources(read_document(again, "a.xml")) == [f"{source}!" for source in expected]
    assert again.count(b"<?pi x?>") == data.count(b"<?pi x?>")


LINES = """<doc><p><![CDATA[
 Dear customer,
we ship <b>today</b> & tomorrow.
Thank you.

Your shop
]]></p><p>One <![CDATA[two
three]]> four</p><p xml:space="preserve">Keep
  this

 and that</p><p>
 &#10;Red&#xA;green
 blue&#10;</p></doc>"""
SOURCES_OF_LINES = [
    "Dear customer,{1}we ship <b>today</b> & tomorrow.",
    "Thank you.",
    "Your shop",
    "One two{1}three four",
    "Keep{1}  this",
    "and that",
    "Red{1}green blue",
]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_line_breaks_that_count_are_tags_or_ends_and_come_back(line_end: str) -> None:
    data = LINES.replace("\n", line_end).encode()
    document = read_document(data, "a.xml")
    assert sources(document) == SOURCES_OF_LINES
    assert document.export(dict(enumerate(SOURCES_OF_LINES[:3]))) == data
    new = [source.upper() for source in SOURCES_OF_LINES]
    again = document.export(dict(enumerate(new)))
    assert sources(read_document(again, "a.xml")) == new  # CDATA that is a part of the text becomes a reference
    assert [p.text for p in ElementTree.fromstring(again)] == [
        "\n DEAR CUSTOMER,\nWE SHIP <B>TODAY</B> & TOMORROW.\nTHANK YOU.\n\nYOUR SHOP\n",
        "ONE TWO\nTHREE FOUR",
        "KEEP\n  THIS\n\n AND THAT",
        "\n \nRED\nGREEN BLUE\n",
    ]
    assert again.count(b"<![CDATA[") == 1 and again.count(b"\r\n") == (10 if line_end == "\r\n" else 0)


def test_line_breaks_of_preformatted_elements_count() -> None:
    data = b'<topic id="t"><title>A</title><body><lines>\n Roses are red,\n  violets are blue\n</lines></body></topic>'
    document = read_document(data, "a.dita")
    assert sources(document) == ["A", "Roses are red,{1}violets are blue"]
    assert document.export({1: "Rosen,{1}Veilchen"}) == data.replace(
        b"Roses are red,\n  violets are blue", b"Rosen,\n  Veilchen"
    )


def test_end_of_cdata_in_a_translation_stays_text() -> None:
    document = read_document(b"<doc><p><![CDATA[a & b]]></p></doc>", "a.xml")
    again = document.export({0: "]]> <&"})
    assert ElementTree.fromstring(again)[0].text == "]]> <&"


def test_elements_that_are_named_as_those_of_word_are_kept() -> None:
    document = read_document(b"<doc><p>One <r><t></t></r> two</p></doc>", "a.xml")
    assert document.export({0: "Eins {1} zwei"}) == b"<doc><p>Eins <r><t></t></r> zwei</p></doc>"


@pytest.mark.parametrize(
    "changed", [{3: "{1}Ja{/1}{2} nun."}, {4: "Seite 5."}, {3: "{1}Ja{/1}{2} nun.", 4: "Seite 5."}]
)
def test_text_and_the_note_inside_of_it_change_alone_or_together(changed: dict[int, str]) -> None:
    document = read_document(DITA.encode(), "a.dita")
    again = read_document(document.export(changed), "a.dita")
    assert sources(again) == [changed.get(index, source) for index, source in enumerate(sources(document))]


def test_translated_text_in_an_element_that_is_not_translated_is_a_segment() -> None:
    page = (
        '<topic id="t"><title>A title</title><body><p>Use <ph translate="no">keep <b translate="yes">this word</b>'
        "</ph> now.</p></body></topic>"
    )
    document = read_document(page.encode(), "a.dita")
    assert [segment.source for segment in document.segments] == ["A title", "Use {1} now.", "this word"]
    written = document.export({s.index: s.source.upper() for s in document.segments}).decode()
    assert "<p>USE <ph" in written and '>keep <b translate="yes">THIS WORD</b></ph> NOW.' in written
