"""Segments that an XLIFF file locks: left out unless a person asks for them, and then shown as locked."""

from __future__ import annotations

import pytest

from app.errors import DocumentError
from app.formats import Reading
from app.formats.documents import Document
from app.formats.read_file import read_document
from tests.app.formats.test_xliff_tools import MEMOQ, PHRASE, TRADOS

PLAIN = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" datatype="plaintext" source-language="en" target-language="de"><body>
<trans-unit id="1"><source>One</source></trans-unit>
<group translate="no"><trans-unit id="2"><source>Acme</source><target>Acme</target></trans-unit></group>
</body></file></xliff>
"""
VERSION_2 = """<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de">
<file id="f">
<unit id="1"><segment><source>One</source></segment></unit>
<unit id="2" translate="no"><segment state="final"><source>A <pc id="1">name</pc></source>
<target>Ein <pc id="1">Name</pc></target></segment></unit>
<unit id="3" translate="no"><segment><source>Code: <mrk id="m" translate="yes">text</mrk></source></segment></unit>
</file></xliff>
"""
FILES = {
    "a.xlf": (PLAIN, [("Acme", "Acme", "edited")]),
    "b.xlf": (VERSION_2, [("A {1}name{/1}", "Ein {1}Name{/1}", "confirmed")]),
    "a.sdlxliff": (TRADOS, [("Locked", "Gesperrt", "confirmed")]),
    "a.mqxliff": (MEMOQ, [("Locked", "Zu", "confirmed")]),
    "a.mxliff": (PHRASE, [("Locked", "Zu", "confirmed")]),
}


def read(name: str, *extras: str) -> Document:
    return read_document(FILES[name][0].encode(), name, reading=Reading(extras=extras))


def content(document: Document, *, is_locked: bool) -> list[tuple[str, str | None, str]]:
    return [(one.source, one.target, one.state) for one in document.segments if one.is_locked == is_locked]


@pytest.mark.parametrize("name", FILES)
def test_locked_segments_are_shown_as_locked_on_request_only(name: str):
    default, asked = read(name), read(name, "locked")
    assert list(default.extras) == list(asked.extras) == ["locked"], "the import settings offer them"
    assert content(default, is_locked=True) == []
    assert content(asked, is_locked=True) == FILES[name][1]
    assert content(asked, is_locked=False) == content(default, is_locked=False), "the others are the same"


@pytest.mark.parametrize("name", FILES)
def test_file_with_locked_segments_is_unchanged_where_they_are(name: str):
    default, asked = read(name), read(name, "locked")
    targets = {one.index: one.target for one in asked.segments if one.is_locked and one.target}
    drafts = [one.index for one in asked.segments if one.state != "confirmed"]
    assert asked.export_file(targets, drafts=drafts).data == FILES[name][0].encode()
    assert (
        asked.export_file({**targets, 0: "Eins"}, drafts=drafts).data
        == default.export_file({0: "Eins"}, drafts=[0]).data
    )


def test_text_that_a_mark_declares_as_translated_is_not_locked():
    assert [segment.source for segment in read("b.xlf").segments] == ["One", "{1} {2}text{/2}"]
    assert "text" in read("b.xlf", "locked").segments[-1].source
    assert not read("b.xlf", "locked").segments[-1].is_locked


def test_file_in_which_everything_is_locked_opens_on_request():
    whole = PLAIN.replace('<trans-unit id="1">', '<trans-unit id="1" translate="no">')
    with pytest.raises(DocumentError, match="no text to translate"):
        read_document(whole.encode(), "a.xlf")
    document = read_document(whole.encode(), "a.xlf", reading=Reading(extras=("locked",)))
    assert [one.is_locked for one in document.segments] == [True, True]


def test_file_without_locked_segments_does_not_offer_them():
    plain = PLAIN.replace(' translate="no"', "")
    assert read_document(plain.encode(), "a.xlf").extras == ()
