"""Segments cut in two and joined: the file comes out again whatever was cut, and a step can be taken back."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.access.actor import OWNER
from app.errors import CommandError, LogError
from app.formats.read_file import read_document
from app.formats.split_merge import merge_segments, split_segment
from app.log.store import LogStore
from app.reports.spreadsheets import session_csv
from app.reports.translated_document import translated_document
from app.reports.views import replay_view, report_view
from app.segments.segment_constraints import Constraints
from app.segments.stored_state import restore_segment
from app.workspace.commands import Workspace
from engine import Avoid, SearchOptions
from tests.app.hand_decoder import HandDecoder, ready_model, settle
from tests.app.work import growth

TEXT = "Open the settings. Save the file.\nRestart the router.\n"
MARKDOWN = (
    "# A title\n\nOne [link to it](http://x) and **bold text**\nbelow. Then `some code` ends.\n\n* item one\n* two\n"
)
HTML = "<p>A <b>bold word</b> here and <a href='x'>a link</a> there. Next <i>one</i> now.</p><p>Last line.</p>"
PO = 'msgid "One two"\nmsgstr ""\n\nmsgid "Three"\nmsgstr ""\n'


def start(store: LogStore, token: str, decoder: HandDecoder) -> Workspace:
    record = store.load_session(OWNER, token)
    segments = [restore_segment(segment) for segment in record.segments]
    model, options = ready_model(decoder), SearchOptions()
    return Workspace(
        store, record.id, token, record.document, segments, model, direction=record.direction, options=options
    )


def begin(store: LogStore, text: str = TEXT, name: str = "manual.txt") -> tuple[Workspace, HandDecoder]:
    token = store.start_session(OWNER, read_document(text.encode(), name), "en-de").token
    decoder = HandDecoder()
    return start(store, token, decoder), decoder


def sources(workspace: Workspace) -> list[str]:
    return [segment.source for segment in workspace.core.in_order()]


def export(workspace: Workspace) -> bytes:
    return translated_document(
        workspace.document, map(restore_segment, workspace.store.load_session(OWNER, workspace.session_id).segments)
    ).data


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_file_is_the_same_after_any_splits_and_merges(data: st.DataObject):
    name, text = data.draw(st.sampled_from([("a.txt", TEXT), ("a.md", MARKDOWN), ("a.html", HTML)]))
    document = read_document(text.encode(), name)
    for _ in range(data.draw(st.integers(1, 5))):
        order = document.order
        at = data.draw(st.integers(0, len(order) - 1))
        try:
            if data.draw(st.booleans()):
                offset = data.draw(st.integers(0, len(document.segments[order[at]].source)))
                first, second = split_segment(document, order[at], offset)
                pair = [first, replace(second, index=len(document.segments))]
            elif at + 1 < len(order):
                pair = list(merge_segments(document, order[at], order[at + 1]))
            else:
                continue
        except CommandError:
            continue
        places = {segment.index: segment for segment in (*document.segments, *pair)}
        document = replace(document, segments=tuple(places[index] for index in sorted(places)))
    live = [document.segments[index] for index in document.order]
    assert all(segment.source.strip() == segment.source for segment in live)
    assert [s.start for s in live] == sorted(s.start for s in live)
    assert all(before.end <= after.start for before, after in pairwise(live)), "no two overlap"
    assert document.export({segment.index: segment.source for segment in live}) == text.encode()
    if name == "a.txt":
        upper = {segment.index: segment.source.upper() for segment in live}
        assert document.export(upper) == text.upper().encode(), "every letter lies in one segment"


@pytest.mark.parametrize(
    ("page", "before", "parts"),
    [
        ("<p><b>One word</b> and two.</p>", "{1}One word{/1}", ["One word", "and two."]),  # nothing else is bold
        ("<p>A <b>big word</b> here.</p>", "A {1}big word{/1}", ["A {1}big word{/1}", "here."]),
        ("<p>A <img src='x'> word.</p>", "A", ["A", "word."]),  # the picture stands between the two
    ],
)
def test_segment_is_split_next_to_formatted_words(page: str, before: str, parts: list[str]):
    first, second = split_segment(read_document(page.encode(), "a.html"), 0, len(before))
    assert [first.source, second.source] == parts


@pytest.mark.parametrize("kind", ["md", "html"])
def test_work_of_a_split_is_linear_in_the_segments_length(kind: str):
    def cut(size: int) -> None:
        text = ("a<br-x>\n> b{ \n" if kind == "md" else "<i>a b\n ") * size
        document = read_document(f"> word {text} end".encode(), f"a.{kind}")
        split_segment(document, 0, document.segments[0].source.index(" ", len(document.segments[0].source) // 2))

    assert growth(cut, 100) < 2.5


def test_text_and_pins_stay_with_the_first_part_and_both_are_decoded_again(store: LogStore):
    workspace, decoder = begin(store)
    workspace.open(OWNER, 0)
    workspace.constrain(OWNER, 0, Constraints(pins=("Menü",), bans=(Avoid("auf", "exact"),)))
    late = decoder.of(0)[-1][2]
    workspace.confirm(OWNER, 0, "Öffnen Sie das Menü")
    done = workspace.structure.split(OWNER, 0, len("Open the"))
    assert sources(workspace) == ["Open the", "settings.", "Save the file.", "Restart the router."]
    first, second = workspace.segments[0], workspace.segments[3]
    assert (first.target, first.state, first.constraints.pins) == ("Öffnen Sie das Menü", "edited", ("Menü",))
    assert (second.target, second.state, second.constraints.pins, second.constraints.bans) == (
        None,
        "new",
        (),
        first.constraints.bans,
    )
    assert late.done() is True, "what was asked about the whole is given up"
    assert decoder.of(0)[-1][0].source == "Open the"
    assert decoder.of(3)[-1][0].source == "settings."
    decoder.answer_all()
    settle(workspace)
    assert workspace.segments[3].text == "de: settings."
    assert workspace.snapshot(OWNER, since=-1)["order"] == [0, 3, 1, 2]
    assert "order" not in workspace.snapshot(OWNER, since=workspace.core.version)
    assert workspace.core.tally.counts()["all"] == 4
    workspace.confirm(OWNER, 3, "Einstellungen.")
    assert export(workspace).decode().split("\n")[0] == "Öffnen Sie das Menü Einstellungen. Save the file."
    numbers = list(csv.reader(io.StringIO(session_csv(OWNER, store, workspace.session_id).data.decode("utf-8-sig"))))
    assert [row[:3] for row in numbers[1:3]] == [["1", "edited", "Open the"], ["2", "confirmed", "settings."]]
    with pytest.raises(CommandError, match="have changed in the meantime"):
        workspace.structure.step(OWNER, done["step"], is_undo=True)
    assert export(workspace).decode().startswith("Öffnen Sie das Menü Einstellungen."), "nothing was changed"
    workspace.close()


def test_split_is_undone_and_redone_over_steps_that_were_undone(store: LogStore):
    workspace, _ = begin(store)
    workspace.edit(OWNER, 0, "Eins", "typed")
    done = workspace.structure.split(OWNER, 0, len("Open the"))
    workspace.edit(OWNER, 3, "Zwei", "typed")
    workspace.edit(OWNER, 3, None, "undo")
    workspace.structure.step(OWNER, done["step"], is_undo=True)
    whole = sources(workspace)
    workspace.edit(OWNER, 0, None, "undo")
    with pytest.raises(CommandError, match="have changed in the meantime"):
        workspace.structure.step(OWNER, done["step"], is_undo=False)
    workspace.edit(OWNER, 0, "Eins", "redo")
    workspace.structure.step(OWNER, done["step"], is_undo=False)
    assert sources(workspace) == ["Open the", "settings.", *whole[1:]]
    workspace.close()


def test_merged_segments_keep_their_texts_and_must_be_confirmed_again(store: LogStore):
    workspace, decoder = begin(store)
    decoder.answer_all()
    settle(workspace)
    workspace.confirm(OWNER, 0, "Eins.")
    workspace.constrain(OWNER, 1, Constraints(pins=("Datei",)))
    workspace.open(OWNER, 1)
    step = workspace.structure.merge(OWNER, 0)["step"]
    merged = workspace.segments[0]
    assert sources(workspace) == ["Open the settings. Save the file.", "Restart the router."]
    assert (merged.target, merged.state, merged.constraints.pins) == ("Eins. de: Save the file.", "edited", ("Datei",))
    assert workspace.open_index == 0, "the one that was open is part of it"
    with pytest.raises(CommandError, match="merged"):
        workspace.edit(OWNER, 1, "verloren", "typed")
    assert workspace.first_to_do(OWNER) == 0
    counts = {"all": 2, "open": 2, "edited": 1, "confirmed": 0, "attention": 1, "commented": 0}
    counts |= {"to_review": 0, "approved": 0, "returned": 0, "locked": 0}
    assert workspace.core.tally.counts() == counts

    workspace.structure.step(OWNER, step, is_undo=True)
    assert sources(workspace) == ["Open the settings.", "Save the file.", "Restart the router."]
    assert [(s.target, s.state) for s in workspace.segments[:2]] == [("Eins.", "confirmed"), (None, "pretranslated")]
    assert workspace.segments[1].constraints.pins == ("Datei",)
    workspace.structure.step(OWNER, step, is_undo=False)
    assert sources(workspace)[0] == "Open the settings. Save the file."
    logged = [(e.type, e.payload["origin"]) for e in store.events(workspace.session_id) if e.type in ("split", "merge")]
    assert logged == [("merge", "person"), ("split", "undo"), ("merge", "redo")]
    assert store.verify_chain(workspace.session_id).is_intact
    workspace.close()


def test_report_and_replay_number_segments_as_the_list_does(store: LogStore):
    workspace, _ = begin(store)
    workspace.structure.split(OWNER, 2, len("Restart "))  # the new segment has index 3
    workspace.structure.merge(OWNER, 0)  # takes in the one with index 1
    for index in (0, 2, 3):
        workspace.confirm(OWNER, index, f"Text {index}.")
    workspace.close()
    report = report_view(OWNER, store, workspace.session_id)
    assert [(item["number"], item["index"]) for item in report["segments"]] == [(1, 0), (2, 2), (3, 3)]
    replay = replay_view(OWNER, store, workspace.session_id)
    assert [segment["number"] for segment in replay["segments"]] == [1, 1, 2, 3]


def test_split_and_merged_segments_survive_a_restart(store: LogStore):
    workspace, _ = begin(store)
    workspace.structure.split(OWNER, 2, len("Restart "))
    workspace.structure.merge(OWNER, 0)
    workspace.edit(OWNER, 3, "den Router neu.", "typed")
    workspace.close()
    again = start(store, workspace.token, HandDecoder())
    assert sources(again) == ["Open the settings. Save the file.", "Restart", "the router."]
    assert again.snapshot(OWNER)["order"] == [0, 2, 3]
    assert export(again) == b"Open the settings. Save the file.\nRestart den Router neu.\n"
    assert store.sessions(OWNER)[0].num_segments == 3
    again.structure.split(OWNER, 3, len("the "))
    assert sources(again)[-2:] == ["the", "router."]
    with pytest.raises(CommandError, match="was closed in the meantime"):
        again.structure.step(OWNER, 1, is_undo=True)
    again.close()


@pytest.mark.parametrize(
    ("name", "text", "command", "message"),
    [
        ("a.txt", TEXT, ("merge", 1), "another paragraph"),
        ("a.txt", TEXT, ("merge", 2), "last segment"),
        ("a.txt", TEXT, ("split", 0, 0), "between two words"),
        ("a.txt", TEXT, ("split", 0, 99), "between two words"),
        ("a.md", MARKDOWN, ("split", 1, 8), "link"),
        ("a.po", PO, ("split", 0, 3), "pair each source"),
        ("a.po", PO, ("merge", 0), "pair each source"),
    ],
)
def test_split_or_merge_that_a_format_forbids_is_refused_with_the_reason(
    store: LogStore, name: str, text: str, command: tuple, message: str
):
    workspace, _ = begin(store, text, name)
    before = sources(workspace)
    with pytest.raises(CommandError, match=message):
        getattr(workspace.structure, command[0])(OWNER, *command[1:])
    assert sources(workspace) == before
    assert not [e for e in store.events(workspace.session_id) if e.type in ("split", "merge")]
    workspace.close()


def test_nothing_is_split_where_the_log_cannot_be_written(store: LogStore, monkeypatch: pytest.MonkeyPatch):
    workspace, _ = begin(store)

    def fail(*_: object) -> None:
        raise LogError("the disk is full")

    monkeypatch.setattr(store, "append_all", fail)
    with pytest.raises(LogError):
        workspace.structure.split(OWNER, 0, 5)
    assert sources(workspace) == ["Open the settings.", "Save the file.", "Restart the router."]
    assert len(workspace.segments) == len(workspace.document.segments) == 3
    workspace.close()
