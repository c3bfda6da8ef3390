"""Segments that an XLIFF file locks: left out unless a person asks for them, and then shown as locked."""

from __future__ import annotations

import pytest

from app.errors import DocumentError
from app.formats import Reading
from app.formats.documents import Document
from app.formats.read_file import read_document
from app.reports.translated_document import translated_document
from app.segments.state import SegmentLock, SegmentState
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


TAGS = {  # the start tags of a segment without a lock and of a locked one: in the file, and with the other lock
    "a.sdlxliff": (
        ('<sdl:seg id="1"/>', '<sdl:seg id="1" locked="true"/>'),
        ('<sdl:seg id="3" locked="true" conf="Translated"/>', '<sdl:seg id="3" conf="Translated"/>'),
    ),
    "a.mqxliff": (
        ('<trans-unit id="1" mq:status="NotStarted">', '<trans-unit id="1" mq:status="NotStarted" mq:locked="locked">'),
        (' mq:status="ManuallyConfirmed" mq:locked="locked">', ' mq:status="ManuallyConfirmed">'),
    ),
    "a.mxliff": (
        ('id="a:0" m:confirmed="0" m:locked="false"', 'id="a:0" m:confirmed="0" m:locked="true"'),
        ('id="a:1" m:confirmed="1" m:locked="true"', 'id="a:1" m:confirmed="1" m:locked="false"'),
    ),
}


@pytest.mark.parametrize("name", TAGS)
def test_locks_of_tools_are_written_and_removed_and_nothing_else_is_changed(name: str):
    document = read(name, "locked")
    locked = next(one.index for one in document.segments if one.is_locked)
    locks = {one.index: one.is_locked for one in document.segments}
    assert document.export_file({}, locks=locks).data == FILES[name][0].encode(), "the locks of the file"
    expected = FILES[name][0]
    for before, after in TAGS[name]:
        assert expected.count(before) == 1
        expected = expected.replace(before, after)
    written = document.export_file({}, locks={**locks, 0: True, locked: False}).data
    assert written.decode() == expected
    again = read_document(written, name, reading=Reading(extras=("locked",)))
    assert [one.is_locked for one in again.segments] == [
        {0: True, locked: False}.get(one.index, one.is_locked) for one in document.segments
    ]
    back = again.export_file({}, locks=locks).data
    assert sorted(back) == sorted(FILES[name][0].encode()), "and back, apart from the order of attributes"


@pytest.mark.parametrize("name", TAGS)
def test_lock_and_text_of_a_segment_are_written_together(name: str):
    document = read(name, "locked")
    texts, drafts = {0: "Zwei"}, [0]
    only_text = document.export_file(texts, drafts=drafts).data.decode()
    both = document.export_file(texts, drafts=drafts, locks={0: True}).data
    (segment, *_) = read_document(both, name, reading=Reading(extras=("locked",))).segments
    assert (segment.target, segment.is_locked) == ("Zwei", True)
    assert document.export_file(texts, drafts=drafts, locks={0: False}).data.decode() == only_text


def test_unlocked_segment_of_plain_xliff_is_to_be_translated():
    document = read("a.xlf", "locked")
    written = document.export_file({1: "Akme"}, drafts=[1], locks={0: True, 1: False}).data.decode()
    assert '<trans-unit id="2" translate="yes"><source>Acme</source>' in written, "in a group that forbids it"
    assert '<trans-unit id="1">' in written, "plain XLIFF has no mark for a lock"
    assert [(one.source, one.target) for one in read_document(written.encode(), "a.xlf").segments] == [
        ("One", None), ("Acme", "Akme"),
    ]  # fmt: skip


def test_unit_is_to_be_translated_once_all_of_its_segments_are_unlocked():
    two = "<segment><source>One</source></segment><segment><source>Two</source></segment>"
    whole = VERSION_2.replace("</file>", f'<unit id="4" translate="no">{two}</unit></file>')
    document = read_document(whole.encode(), "b.xlf", reading=Reading(extras=("locked",)))
    one, other = (segment.index for segment in document.segments[-2:])
    assert document.export_file({}, locks={one: False, other: True}).data == whole.encode()
    written = document.export_file({}, locks={one: False, other: False}).data.decode()
    assert written == whole.replace('<unit id="4" translate="no">', '<unit id="4" translate="yes">')


def test_locks_of_people_are_in_the_translated_document():
    document = read("a.sdlxliff", "locked")

    def exported(*locked: int) -> bytes:
        segments = [
            SegmentState(
                one.index, one.source, 2, target=one.target, lock=SegmentLock() if one.index in locked else None
            )
            for one in document.segments
        ]
        return translated_document(document, segments).data

    of_file = next(one.index for one in document.segments if one.is_locked)
    assert b'<sdl:seg id="1" locked="true"/>' in exported(0, of_file)
    assert b"locked" not in exported()
