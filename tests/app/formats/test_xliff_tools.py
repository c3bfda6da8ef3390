"""XLIFF of Trados, memoQ, Phrase and Okapi: states are read and written, locked segments stay unchanged."""

from __future__ import annotations

import pytest
from lxml import etree

from app.formats.documents import Document
from app.formats.read_file import read_document

TRADOS = """<?xml version="1.0" encoding="utf-8"?>
<xliff xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0" xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
<file original="a.docx" source-language="en-US" target-language="de-DE" datatype="x-sdlfilterframework2"><body><group>
<trans-unit id="u1"><source>Two doors. <g id="0">One</g> key.</source>
<seg-source><mrk mtype="seg" mid="1">Two doors.</mrk> <mrk mtype="seg" mid="2"><g id="0">One</g> key.</mrk></seg-source>
<target><mrk mtype="seg" mid="1"/> <mrk mtype="seg" mid="2"><g id="0">Ein</g> Schlüssel.</mrk></target>
<sdl:seg-defs><sdl:seg id="1"/><sdl:seg id="2" conf="ApprovedTranslation" origin="interactive"/></sdl:seg-defs>
</trans-unit>
<trans-unit id="u2"><source>Locked</source><seg-source><mrk mtype="seg" mid="3">Locked</mrk></seg-source>
<target><mrk mtype="seg" mid="3">Gesperrt</mrk></target>
<sdl:seg-defs><sdl:seg id="3" locked="true" conf="Translated"/></sdl:seg-defs></trans-unit>
</group></body></file></xliff>
"""
MEMOQ = """<?xml version="1.0" encoding="utf-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:mq="MQXliff">
<file original="a.docx" source-language="en-us" target-language="de-de" datatype="x-memoq"><body>
<trans-unit id="1" mq:status="NotStarted">
<source xml:space="preserve">A <bpt id="1">{}</bpt>door<ept id="1">{}</ept></source>
<target xml:space="preserve"></target></trans-unit>
<trans-unit id="2" mq:status="Proofread" approved="yes">
<source>A key</source><target>Ein Schlüssel</target></trans-unit>
<trans-unit id="3" mq:status="ManuallyConfirmed" mq:locked="locked">
<source>Locked</source><target>Zu</target></trans-unit>
</body></file></xliff>
"""
PHRASE = """<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:m="http://www.memsource.com/mxlf/2.0" version="1.2">
<file original="a.docx" source-language="en" target-language="de" datatype="x-docx"><body><group id="0">
<trans-unit id="a:0" m:confirmed="0" m:locked="false"><source>A {1&gt;door&lt;1}</source><target></target>
<alt-trans origin="machine-trans"><target>Eine Tür</target></alt-trans></trans-unit>
<trans-unit id="a:1" m:confirmed="1" m:locked="true"><source>Locked</source><target>Zu</target></trans-unit>
<trans-unit id="a:2" m:confirmed="1" m:locked="false"><source>A key</source><target>Ein Schlüssel</target></trans-unit>
</group></body></file></xliff>
"""


def content_of(document: Document) -> list[tuple[str, str | None, str]]:
    return [(segment.source, segment.target, segment.state) for segment in document.segments]


@pytest.mark.parametrize(
    ("name", "content", "segments"),
    [
        (
            "a.sdlxliff",
            TRADOS,
            [("Two doors.", None, "new"), ("{1}One{/1} key.", "{1}Ein{/1} Schlüssel.", "confirmed")],
        ),
        ("a.mqxliff", MEMOQ, [("A {1}door{/1}", None, "new"), ("A key", "Ein Schlüssel", "confirmed")]),
        ("a.mxliff", PHRASE, [("A {1}door{/1}", None, "new"), ("A key", "Ein Schlüssel", "confirmed")]),
    ],
)
def test_states_are_read_and_locked_segments_are_not_shown(name: str, content: str, segments: list) -> None:
    document = read_document(content.encode(), name)
    assert content_of(document) == segments
    assert document.export({}) == content.encode()


def test_trados_state_is_written_for_each_segment() -> None:
    written = read_document(TRADOS.encode(), "a.sdlxliff").export({0: "Zwei Türen."})
    expected = TRADOS.replace('<mrk mtype="seg" mid="1"/>', '<mrk mtype="seg" mid="1">Zwei Türen.</mrk>')
    assert written.decode() == expected.replace('<sdl:seg id="1"/>', '<sdl:seg id="1" conf="Translated"/>')
    drafts = read_document(TRADOS.encode(), "a.sdlxliff").export_file({0: "a", 1: "b"}, drafts={0, 1}).data
    states = [seg.get("conf") for seg in etree.fromstring(drafts).iter("{http://sdl.com/FileTypes/SdlXliff/1.0}seg")]
    assert states == ["Draft", "Draft", "Translated"]


def test_memoq_and_phrase_states_are_written_and_a_changed_text_is_proofread_no_more() -> None:
    written = read_document(MEMOQ.encode(), "a.mqxliff").export({0: "Eine {1}Tür{/1}", 1: "Der Schlüssel"}).decode()
    expected = MEMOQ.replace("NotStarted", "ManuallyConfirmed").replace("Ein Schlüssel", "Der Schlüssel")
    expected = expected.replace('"Proofread" approved="yes"', '"ManuallyConfirmed" approved="no"')
    target = 'preserve">Eine <bpt id="1">{}</bpt>Tür<ept id="1">{}</ept></target>'
    assert written == expected.replace('preserve"></target>', target)
    draft = read_document(MEMOQ.encode(), "a.mqxliff").export_file({1: "Der Schlüssel"}, drafts={1}).data.decode()
    assert '<trans-unit id="2" mq:status="Edited" approved="no">' in draft
    done = read_document(PHRASE.encode(), "a.mxliff").export({0: "Eine {1}Tür{/1}"}).decode()
    assert done == PHRASE.replace('"a:0" m:confirmed="0"', '"a:0" m:confirmed="1"').replace(
        "<target></target>", "<target>Eine {1&gt;Tür&lt;1}</target>"
    )


def test_source_copied_into_the_target_is_not_a_translation() -> None:
    unit = '<trans-unit id="1"><source>A door</source><target xml:lang="de">A door</target></trans-unit>'
    okapi = (
        f'<xliff version="1.2"><file source-language="en" datatype="x" original="x"><body>{unit}</body></file></xliff>'
    )
    assert content_of(read_document(okapi.encode(), "a.xlf")) == [("A door", None, "new")]
    final = okapi.replace('xml:lang="de"', 'state="final"')
    assert content_of(read_document(final.encode(), "a.xlf")) == [("A door", "A door", "confirmed")]


def test_changed_text_no_longer_claims_to_come_from_a_memory() -> None:
    trados = TRADOS.replace('<sdl:seg id="1"/>', '<sdl:seg id="1" conf="Draft" origin="tm" percent="100"/>')
    written = read_document(trados.encode(), "a.sdlxliff").export({0: "Zwei Türen."}).decode()
    assert '<sdl:seg id="1" conf="Translated" origin="interactive"/>' in written
    phrase = PHRASE.replace('m:confirmed="0"', 'm:confirmed="0" m:trans-origin="tm"', 1)
    assert "trans-origin" not in read_document(phrase.encode(), "a.mxliff").export({0: "Eine Tür"}).decode()


@pytest.mark.parametrize(
    ("source", "shown", "tags"),
    [
        ("Click {b>Save<b} now{2}", "Click {1}Save{/1} now{2}", {"1": ("{b&gt;", "&lt;b}"), "2": ("{2}", None)}),
        ("{b>All bold<b}", "All bold", {}),
        ("{1>A {i>b<i}<1} c", "{1}A {2}b{/2}{/1} c", {"1": ("{1&gt;", "&lt;1}"), "2": ("{i&gt;", "&lt;i}")}),
        ("{b>open a <i} b", "{b>open a <i} b", {}),
        ("{b>a {i>b<b} c<i} d", "{1}a {i>b{/1} c<i} d", {"1": ("{b&gt;", "&lt;b}")}),
        ("5 {1> 3", "5 {1> 3", {}),
    ],
)
def test_tags_of_phrase_are_tags(source: str, shown: str, tags: dict[str, tuple[str, str | None]]) -> None:
    escaped = source.replace("<", "&lt;").replace(">", "&gt;")
    data = PHRASE.replace("A {1&gt;door&lt;1}", escaped).encode()
    document = read_document(data, "a.mxliff")
    assert (document.segments[0].source, document.tags(0)) == (shown, tags)
    written = document.export({0: shown.replace("a", "ä")}).decode()
    assert f"<target>{escaped.replace('a', 'ä')}</target>" in written


def test_matches_in_the_file_are_read_with_their_tags_and_origin() -> None:
    assert read_document(PHRASE.encode(), "a.mxliff").matches() == [("A {1}door{/1}", "Eine Tür", "machine-trans")]
    memory = (
        '<alt-trans match-quality="80%" origin="tm"><source>Two {1&gt;doors&lt;1}</source>'
        "<target>Zwei {1&gt;Türen&lt;1}</target></alt-trans>"
        '<alt-trans alttranstype="previous-version"><target>Alt</target></alt-trans>'
    )
    data = PHRASE.replace('<alt-trans origin="machine-trans"><target>Eine Tür</target></alt-trans>', memory).encode()
    assert read_document(data, "a.mxliff").matches() == [("Two {1}doors{/1}", "Zwei {1}Türen{/1}", "tm")]
    version_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"
 xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"><file id="f"><unit id="1"><mtc:matches>
<mtc:match ref="#s" origin="tm"><source>A gate</source><target>Ein Tor</target></mtc:match></mtc:matches>
<segment id="s"><source>A door</source></segment>
</unit></file></xliff>"""
    assert read_document(version_2.encode(), "a.xlf").matches() == [("A gate", "Ein Tor", "tm")]
    assert read_document(b"A door", "a.txt").matches() == []


TRACKED = TRADOS.replace(
    'mid="2"><g id="0">Ein</g> Schl\u00fcssel.',
    'mid="2"><g id="0">Ein</g> <mrk mtype="x-sdl-added" sdl:revid="r1">gro\u00dfer </mrk>'
    '<mrk mtype="x-sdl-deleted" sdl:revid="r2">kleiner </mrk>Schl\u00fcssel.',
)


def test_text_that_tracked_changes_have_deleted_is_not_part_of_the_target() -> None:
    document = read_document(TRACKED.encode(), "a.sdlxliff")
    assert document.export({}) == TRACKED.encode()
    assert document.segments[1].target == "{1}Ein{/1} {2}gro\u00dfer {/2}{3}Schl\u00fcssel."
    written = document.export({1: "{1}Ein{/1} {2}alter {/2}{3}Schl\u00fcssel."}).decode()
    expected = TRACKED.replace("gro\u00dfer", "alter").replace('mid="1"/> <mrk', 'mid="1"></mrk> <mrk')
    assert written == expected.replace("ApprovedTranslation", "Translated")  # nobody has approved the new text


def test_state_that_several_segments_share_is_done_only_if_all_are() -> None:
    marks = '<mrk mtype="seg" mid="1">One.</mrk> <mrk mtype="seg" mid="1">Two.</mrk>'
    data = (
        TRADOS.replace('<mrk mtype="seg" mid="3">Locked</mrk>', marks)
        .replace('<mrk mtype="seg" mid="3">Gesperrt</mrk>', "")
        .replace('<sdl:seg id="3" locked="true" conf="Translated"/>', '<sdl:seg id="1" conf="Draft"/>')
    )
    document = read_document(data.encode(), "a.sdlxliff")
    first = [segment.source for segment in document.segments].index("One.")
    translations = {first: "Eins.", first + 1: "Zwei."}
    assert b'<sdl:seg id="1" conf="Translated"' in document.export(translations)
    assert b'<sdl:seg id="1" conf="Draft"' in document.export_file(translations, "de", drafts={first}).data
