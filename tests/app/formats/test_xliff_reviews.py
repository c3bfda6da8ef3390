"""Decisions of reviewers in XLIFF and in the files of translation tools: read, written, and kept without a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports.interchange import session_xliff
from app.reports.translated_document import translated_document
from app.segments.stored_state import restore_segment
from tests.app.workspace.test_review import workspace_of

XLIFF_1 = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en"
 target-language="de" datatype="plaintext"><body>
<trans-unit id="1"><source>One</source><target {state}>Eins</target></trans-unit></body></file></xliff>"""
XLIFF_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de"><file id="f">
<unit id="a"><segment {state}><source>One</source><target>Eins</target></segment></unit></file></xliff>"""
TRADOS = """<xliff xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0" xmlns="urn:oasis:names:tc:xliff:document:1.2"
 version="1.2"><file original="a" source-language="en-US" target-language="de-DE" datatype="x"><body>
<trans-unit id="u"><source>One</source><seg-source><mrk mtype="seg" mid="1">One</mrk></seg-source>
<target><mrk mtype="seg" mid="1">Eins</mrk></target><sdl:seg-defs><sdl:seg id="1" {state}/></sdl:seg-defs></trans-unit>
</body></file></xliff>"""
MEMOQ = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:mq="MQXliff">
<file original="a" source-language="en-us" target-language="de-de" datatype="x-memoq"><body>
<trans-unit id="1" {state}><source>One</source><target>Eins</target></trans-unit></body></file></xliff>"""
PHRASE = """<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2"
 xmlns:m="http://www.memsource.com/mxlf/2.0" version="1.2">
<file original="a" source-language="en" target-language="de" datatype="x-docx"><body><group id="0">
<trans-unit id="a:0" {state} m:locked="false"><source>One</source><target>Eins</target></trans-unit>
</group></body></file></xliff>"""
FILES = {"a.xlf": XLIFF_1, "b.xlf": XLIFF_2, "a.sdlxliff": TRADOS, "a.mqxliff": MEMOQ, "a.mxliff": PHRASE}


@pytest.mark.parametrize(
    ("name", "state", "expected"),
    [
        ("a.xlf", 'state="signed-off"', ("confirmed", "approved")),
        ("a.xlf", 'state="final"', ("confirmed", "approved")),
        ("a.xlf", 'state="translated"', ("confirmed", "")),
        ("a.xlf", 'state="needs-translation"', ("edited", "")),
        ("a.xlf", 'state="needs-translation" state-qualifier="rejected-grammar"', ("edited", "returned")),
        ("b.xlf", 'state="reviewed"', ("confirmed", "approved")),
        ("b.xlf", 'state="final"', ("confirmed", "approved")),
        ("b.xlf", 'state="initial"', ("edited", "")),
        ("a.sdlxliff", 'conf="ApprovedSignOff"', ("confirmed", "approved")),
        ("a.sdlxliff", 'conf="RejectedTranslation"', ("edited", "returned")),
        ("a.sdlxliff", 'conf="Translated"', ("confirmed", "")),
        ("a.mqxliff", 'mq:status="Reviewer1Confirmed"', ("confirmed", "approved")),
        ("a.mqxliff", 'mq:status="Rejected"', ("edited", "returned")),
        ("a.mxliff", 'm:confirmed="1"', ("confirmed", "")),
    ],
)
def test_decision_in_a_file_is_read_and_without_a_change_the_bytes_stay(
    store: LogStore, name: str, state: str, expected: tuple[str, str]
):
    data = FILES[name].format(state=state).encode()
    record = store.start_session(OWNER, read_document(data, name), "en-de")
    segment = restore_segment(record.segments[0])
    assert (segment.state, segment.review) == expected
    assert translated_document(record.document, map(restore_segment, record.segments)).data == data


@pytest.mark.parametrize(
    ("name", "approved", "returned", "confirmed"),
    [
        (
            "a.xlf",
            '<target state="signed-off">',
            '<target state="needs-translation" state-qualifier="x-returned">',
            '<target state="translated">',
        ),
        ("b.xlf", 'state="reviewed"', 'state="initial" subState="pinpoint:returned"', 'state="translated"'),
        ("a.sdlxliff", 'conf="ApprovedTranslation"', 'conf="RejectedTranslation"', 'conf="Translated"'),
        ("a.mqxliff", 'mq:status="Reviewer1Confirmed"', 'mq:status="Rejected"', 'mq:status="ManuallyConfirmed"'),
        ("a.mxliff", 'm:confirmed="1"', 'm:confirmed="0"', 'm:confirmed="1"'),
    ],
)
def test_decision_is_written_and_read_again(
    store: LogStore, tmp_path: Path, name: str, approved: str, returned: str, confirmed: str
):
    start = {"a.sdlxliff": 'conf="Draft"', "a.mqxliff": 'mq:status="Edited"', "a.mxliff": 'm:confirmed="0"'}
    data = FILES[name].format(state=start.get(name, "")).encode()
    workspace = workspace_of(store, store.start_session(OWNER, read_document(data, name), "en-de").token)

    def exported() -> str:
        record = store.load_session(OWNER, workspace.token)
        return translated_document(record.document, map(restore_segment, record.segments)).data.decode()

    def read_again(text: str) -> str:
        other = LogStore.open(tmp_path / f"{len(list(tmp_path.iterdir()))}.db")
        record = other.start_session(OWNER, read_document(text.encode(), name), "en-de")
        other.close()
        return restore_segment(record.segments[0]).review

    workspace.confirm(OWNER, 0, "Eins")
    assert confirmed in exported() and read_again(exported()) == ""
    workspace.review.decide(OWNER, 0, "approved", "Eins")
    assert approved in exported()
    knows_reviews = name != "a.mxliff"
    assert read_again(exported()) == ("approved" if knows_reviews else "")
    if name == "a.xlf":
        assert 'approved="yes"' in exported()
        assert 'state="signed-off"' in session_xliff(OWNER, store, workspace.session_id).data.decode()
    workspace.review.decide(OWNER, 0, "returned", "Eins", "Why?")
    assert returned in exported() and read_again(exported()) == ("returned" if knows_reviews else "")
    workspace.confirm(OWNER, 0, "Eine")
    assert confirmed in exported() and read_again(exported()) == ""
