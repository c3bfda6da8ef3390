"""Comments on segments: kept, found again, and in every file that has a place for them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from translate.storage import pypo, xliff, xliff2

from app.access.actor import OWNER
from app.errors import CommandError
from app.formats import FORMATS
from app.formats.base import Comment
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports.jsonl import import_jsonl, session_jsonl
from app.reports.replay import replay_steps
from app.reports.spreadsheets import session_csv
from app.reports.translated_document import translated_document
from app.segments.clean_texts import MAX_COMMENT_CHARACTERS, clean_comment
from app.segments.stored_state import restore_segment
from app.workspace.commands import Workspace
from engine import SearchOptions
from tests.app.hand_decoder import HandDecoder, ready_model

XLIFF_1 = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en">
<body><trans-unit id="1"><source>One</source></trans-unit>
<trans-unit id="2"><source>Two</source><target>Zwei</target><note>Given</note></trans-unit></body></file></xliff>"""
XLIFF_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"><file id="f">
<unit id="a"><segment><source>One</source></segment></unit>
<unit id="b"><notes><note>Given</note></notes><segment><source>Two</source></segment></unit>
<unit id="c"><notes/><segment><source>Three</source></segment><segment><source>Four</source></segment></unit>
</file></xliff>"""
PO = '#. extracted\n#, c-format\nmsgid "One %s"\nmsgstr ""\n\n# theirs\nmsgid "Two"\nmsgstr "Zwei"\n'
SAMPLES = {
    "a.txt": "One. Two.", "a.md": "One. Two.", "a.srt": "1\n00:00:01,000 --> 00:00:02,000\nOne\n", "a.po": PO,
    "a.html": "<p>One</p>", "a.csv": "source,target\nOne,\n", "a.xlf": XLIFF_1,
    "a.tmx": '<tmx version="1.4"><header/><body><tu><tuv xml:lang="en"><seg>One</seg></tuv></tu></body></tmx>',
}  # fmt: skip
COMMENTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40).map(clean_comment).filter(bool)


def begin(store: LogStore, text: str = "One two. Three.\n", name: str = "a.txt") -> Workspace:
    return go_on(store, store.start_session(OWNER, read_document(text.encode(), name), "en-de").token)


def go_on(store: LogStore, token: str) -> Workspace:
    record = store.load_session(OWNER, token)
    segments = [restore_segment(segment) for segment in record.segments]
    options, model = SearchOptions(), ready_model(HandDecoder())
    document = record.document
    return Workspace(store, record.id, token, document, segments, model, direction="en-de", options=options)


def comments(workspace: Workspace) -> list[str]:
    return [segment.comment for segment in workspace.core.in_order()]


def test_comment_is_set_changed_removed_and_survives_a_restart(store: LogStore) -> None:
    workspace = begin(store)
    workspace.comment(OWNER, 0, "  Which router?\r\nAsk\x00 them. ")
    workspace.comment(OWNER, 1, "short")
    workspace.comment(OWNER, 1, "")
    workspace.comment(OWNER, 1, " ")  # as it was: nothing to tell
    assert comments(workspace) == ["Which router?\nAsk them.", ""]
    logged = [event for event in store.events(workspace.session_id) if event.type == "comment"]
    assert [event.payload["text"] for event in logged] == ["Which router?\nAsk them.", "short", ""]
    again = go_on(store, workspace.token)
    assert comments(again) == comments(workspace)
    snapshot = again.snapshot(OWNER, open_index=0)
    assert [row["is_commented"] for row in snapshot["rows"]] == [True, False]
    assert (snapshot["counts"]["commented"], snapshot["segment"]["comment"]) == (1, "Which router?\nAsk them.")
    story = replay_steps(again.document.segments, store.events(again.session_id))
    assert [m.detail for m in story if m.type == "comment"][1:] == ["short", ""]


def test_long_comment_is_refused_and_nothing_is_changed(store: LogStore) -> None:
    workspace = begin(store)
    with pytest.raises(CommandError, match="2,001 characters"):
        workspace.comment(OWNER, 0, "x" * (MAX_COMMENT_CHARACTERS + 1))
    assert comments(workspace) == ["", ""]


def test_comment_follows_its_segment_through_split_and_merge(store: LogStore) -> None:
    workspace = begin(store)
    workspace.comment(OWNER, 0, "first")
    step = workspace.structure.split(OWNER, 0, 4)
    assert comments(workspace) == ["first", "", ""]
    workspace.structure.step(OWNER, step["step"], is_undo=True)
    workspace.comment(OWNER, 1, "second")
    workspace.structure.merge(OWNER, 0)
    assert comments(workspace) == ["first\nsecond"]


def test_comments_are_exported_in_the_table_and_restored_with_the_log(store: LogStore, tmp_path: Path) -> None:
    workspace = begin(store)
    workspace.comment(OWNER, 1, "=cmd\nnext")
    table = session_csv(OWNER, store, workspace.session_id).data.decode("utf-8-sig")
    assert [row["comment"] for row in csv.DictReader(io.StringIO(table, newline=""))] == ["", "'=cmd\nnext"]
    exported = session_jsonl(OWNER, store, workspace.session_id).data
    other = LogStore.open(tmp_path / "other.sqlite")
    number = import_jsonl(other, exported, "a.jsonl")
    assert session_jsonl(OWNER, other, number).data == exported
    assert other.load_session(OWNER, number).segments[1].constraints["comment"] == "=cmd\nnext"
    assert json.loads(exported.splitlines()[0])["segments"][1]["constraints"]["comment"] == "=cmd\nnext"
    other.close()


def test_each_format_states_correctly_whether_it_takes_comments() -> None:
    for known in FORMATS.values():
        for name, content in SAMPLES.items():
            if name.endswith(known.endings):
                parsed = known.parse(content.encode(), name)
                comment = Comment(parsed.units[0].start, parsed.units[0].end, "remark")
                written = parsed.write_with_comments([], [comment], "de").data
                assert (b"remark" in written) == known.takes_comments, name


def test_file_without_a_place_for_comments_lists_the_omitted_ones(store: LogStore) -> None:
    workspace = begin(store)
    workspace.comment(OWNER, 1, "remark")
    made = translated_document(workspace.document, workspace.segments, "de")
    assert made.data == workspace.document.data
    assert "cannot store comments (segment 2)" in (made.note or "")


@given(st.dictionaries(st.integers(0, 1), COMMENTS), st.booleans())
def test_notes_of_xliff_1_are_read_by_another_library(by_segment: dict[int, str], is_translated: bool) -> None:
    texts = {0: "Eins", 1: "Zwo"} if is_translated else {}
    made = read_document(XLIFF_1.encode(), "a.xlf").export_file(texts, comments=by_segment).data
    units = xliff.xlifffile.parsestring(made).units
    for number, unit in enumerate(units):
        assert unit.getnotes("translator").split() == clean_note(by_segment.get(number, "")).split()
    assert "Given" in units[1].getnotes()
    assert [unit.target for unit in units] == (["Eins", "Zwo"] if is_translated else [None, "Zwei"])


@given(st.dictionaries(st.integers(0, 3), COMMENTS, min_size=1))
def test_notes_of_xliff_2_are_written_before_the_segments_of_their_unit(by_segment: dict[int, str]) -> None:
    made = read_document(XLIFF_2.encode(), "a.xlf").export_file({3: "Vier"}, "de", comments=by_segment).data
    assert [unit.target for unit in xliff2.Xliff2File.parsestring(made).units] == [None, None, None, "Vier"]
    units = etree.fromstring(made).findall(".//{*}unit")
    notes = [[note.text for note in unit.findall("{*}notes/{*}note[@category='translator']")] for unit in units]
    expected = [[clean_note(by_segment[n]) for n in of_unit if n in by_segment] for of_unit in ([0], [1], [2, 3])]
    assert notes == expected
    assert [unit.findtext("{*}notes/{*}note") for unit in units][1] == "Given"
    for unit in units:
        names = [etree.QName(child).localname for child in unit]
        assert names == sorted(names), "notes come first, and once"
        assert names.count("notes") <= 1


@given(st.dictionaries(st.integers(0, 1), COMMENTS, min_size=1))
def test_comments_of_po_are_read_by_another_library(by_segment: dict[int, str]) -> None:
    made = read_document(PO.encode(), "a.po").export_file({0: "Eins %s"}, comments=by_segment, drafts=[0]).data
    first, second = pypo.pofile.parsestring(made).units
    assert (first.target, first.isfuzzy(), second.target) == ("Eins %s", True, "Zwei")
    assert first.getnotes("translator").split() == by_segment.get(0, "").split()
    assert second.getnotes("translator").split() == [*by_segment.get(1, "").split(), "theirs"]
    assert first.getnotes("developer").strip() == "extracted"


def clean_note(text: str) -> str:
    return "".join(character if character not in "\ufffe\uffff" else "\ufffd" for character in text)
