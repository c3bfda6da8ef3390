"""Many segments in one step: replacing and repetitions, taken back as one, with what changed since left alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.errors import CommandError, LogError
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports.repetitions import repetitions_of
from app.segments.find_replace import Query
from app.workspace.commands import Workspace
from tests.app.hand_decoder import HandDecoder, make_workspace, ready_model, settle
from tests.app.workspace.test_review import workspace_of

TEXT = "Save.\nOpen the file.\nSave.\nClose the file.\nSave.\nSave.\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Six segments with the proposals "de: ..."; four have the same source."""
    store, decoder = LogStore.open(tmp_path / "log.sqlite"), HandDecoder()
    workspace = make_workspace(store, ready_model(decoder), TEXT)
    decoder.answer_all()
    settle(workspace)
    decoder.answer_all()
    settle(workspace)
    yield workspace
    workspace.close()
    store.close()


def texts(workspace: Workspace) -> list[str | None]:
    """The translators' texts."""
    return [segment.target for segment in workspace.segments]


def stored(workspace: Workspace) -> list[str | None]:
    return [segment.target for segment in workspace.store.load_session(OWNER, workspace.session_id).segments]


def test_source_is_put_into_many_segments_which_are_emptied_and_undone_as_one(tmp_path: Path) -> None:
    with closing(LogStore.open(tmp_path / "put.sqlite")) as store:
        workspace = make_workspace(store, ready_model(HandDecoder()), "One.\nTwo.\nThree.\nFour.\n")
        for index, text in ((1, "Two."), (2, "Drei.")):
            workspace.edit(OWNER, index, text, "typed")
        workspace.confirm(OWNER, 2, "Drei.")
        workspace.locks.set(OWNER, [3], is_locked=True)
        before = [(one.target, one.state) for one in workspace.segments]
        step = workspace.batches.put(OWNER, [3, 2, 1, 0], is_source=True)
        assert step["segments"] == [0, 2], "not the locked one, nor that which has the text already"
        assert [one.target for one in workspace.segments] == ["One.", "Two.", "Three.", None]
        assert workspace.segments[2].state == "edited"
        events = [e for e in store.events(workspace.session_id) if "step" in e.payload]
        assert {(e.type, e.payload["origin"]) for e in events} == {("insert", "source")}
        assert workspace.batches.put(OWNER, [0, 1], is_source=False)["segments"] == [0, 1]
        assert [one.target for one in workspace.segments] == ["", "", "Three.", None]
        for number in (1, 0):
            workspace.batches.step(OWNER, number, is_undo=True)
        assert [(one.target, one.state) for one in workspace.segments] == before
        with pytest.raises(CommandError):
            workspace.batches.put(OWNER, [9], is_source=True)
        assert store.verify_chain(workspace.session_id).is_intact
        workspace.close()


def test_confirming_fills_unedited_repetitions_as_one_step_for_undo_and_redo(workspace: Workspace):
    workspace.edit(OWNER, 2, "Von Hand.", "typed")
    first = workspace.confirm(OWNER, 5, "Anders.")
    assert first is not None and first["segments"] == [0, 4]
    workspace.batches.step(OWNER, first["step"], is_undo=True)
    before = texts(workspace)
    made = workspace.confirm(OWNER, 0, "Speichern.")
    assert made is not None and made == {"step": made["step"], "segments": [4]}
    assert texts(workspace) == ["Speichern.", None, "Von Hand.", None, "Speichern.", "Anders."]
    assert workspace.segments[4].state == "edited" and workspace.segments[4].origin == "propagated"
    assert workspace.snapshot(OWNER)["rows"][4]["is_repetition"]
    assert stored(workspace) == texts(workspace)
    assert workspace.batches.step(OWNER, made["step"], is_undo=True) == {"num_segments": 1, "num_left": 0}
    assert texts(workspace) == ["Speichern.", *before[1:]]
    assert workspace.segments[4].state == "pretranslated"
    workspace.batches.step(OWNER, made["step"], is_undo=False)
    assert texts(workspace)[4] == "Speichern."
    logged = [e for e in workspace.store.events(workspace.session_id) if e.segment == 4 and "text" in e.payload]
    assert [(e.type, e.payload["origin"]) for e in logged][-3:] == [
        ("insert", "propagated"), ("undo", "undo"), ("redo", "redo")
    ]  # fmt: skip
    assert workspace.store.verify_chain(workspace.session_id).is_intact


def test_confirming_again_after_an_undo_fills_no_repetitions(workspace: Workspace):
    made = workspace.confirm(OWNER, 0, "Speichern.")
    assert made is not None
    workspace.batches.step(OWNER, made["step"], is_undo=True)
    workspace.reopen(OWNER, 0)
    assert workspace.confirm(OWNER, 0, "Speichern.", is_new=False) is None
    assert workspace.segments[0].state == "confirmed"
    assert texts(workspace)[2:] == [None] * 4


def test_segment_without_repetitions_fills_nothing(workspace: Workspace):
    assert workspace.confirm(OWNER, 1, "Datei öffnen.") is None


def test_replacing_changes_proposals_and_drafts_and_confirmed_segments_on_demand(workspace: Workspace):
    workspace.confirm(OWNER, 1, "de: Datei")
    workspace.edit(OWNER, 3, "DE: Akte", "typed")
    made = workspace.batches.replace(OWNER, Query("de:", "DE"))
    assert (made["num_places"], made["segments"]) == (5, [0, 2, 3, 4, 5])
    assert texts(workspace) == ["DE Save.", "de: Datei", "DE Save.", "DE Akte", "DE Save.", "DE Save."]
    logged = [e for e in workspace.store.events(workspace.session_id) if e.segment == 0 and "offset" in e.payload]
    payload = {
        "offset": 0,
        "removed": "de:",
        "text": "DE",
        "origin": "replace",
        "state": "edited",
        "step": made["step"],
    }
    assert [(e.type, e.payload) for e in logged[-1:]] == [("insert", {**payload, "before": "de: Save."})]
    made = workspace.batches.replace(OWNER, Query("de:", "", in_confirmed=True))
    assert made["segments"] == [1]
    assert (workspace.segments[1].target, workspace.segments[1].state) == (" Datei", "confirmed")
    made = workspace.batches.replace(OWNER, Query(" Datei", "", in_confirmed=True), [1])
    assert (workspace.segments[1].target, workspace.segments[1].state) == ("", "edited"), "empty is not confirmed"
    assert stored(workspace) == texts(workspace)


def test_undo_skips_segments_that_were_changed_since(workspace: Workspace):
    made = workspace.batches.replace(OWNER, Query("de:", "DE"))
    workspace.edit(OWNER, 2, "Neuer.", "typed")
    assert workspace.batches.step(OWNER, made["step"], is_undo=True) == {"num_segments": 5, "num_left": 1}
    assert texts(workspace) == [None, None, "Neuer.", None, None, None]
    assert workspace.segments[0].state == "pretranslated"
    with pytest.raises(CommandError, match="can no longer be undone"):
        workspace.batches.step(OWNER, 99, is_undo=True)


def test_undo_includes_segments_that_were_changed_and_changed_back(workspace: Workspace):
    made = workspace.batches.replace(OWNER, Query("de:", "DE"))
    workspace.edit(OWNER, 2, "Neuer.", "typed")
    workspace.edit(OWNER, 2, "DE Save.", "undo")
    assert workspace.batches.step(OWNER, made["step"], is_undo=True) == {"num_segments": 6, "num_left": 0}
    workspace.edit(OWNER, 3, "Anderes.", "typed")
    workspace.edit(OWNER, 3, None, "undo")
    assert workspace.batches.step(OWNER, made["step"], is_undo=False) == {"num_segments": 6, "num_left": 0}
    assert workspace.batches.step(OWNER, made["step"], is_undo=False) == {"num_segments": 0, "num_left": 6}


def test_log_that_fails_in_the_middle_changes_nothing(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    before = stored(workspace)
    write = workspace.store._update_segment

    def fail(session_id: int, segment: int, update: object) -> None:
        if segment == 3:
            raise LogError("disk full")
        write(session_id, segment, update)  # type: ignore[arg-type]

    monkeypatch.setattr(workspace.store, "_update_segment", fail)
    with pytest.raises(LogError):
        workspace.batches.replace(OWNER, Query("de:", "DE"))
    assert texts(workspace) == stored(workspace) == before
    assert workspace.store.verify_chain(workspace.session_id).is_intact


PLURALS = b"""msgid ""
msgstr "Language: pl\\nPlural-Forms: nplurals=3; plural=n;\\n"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
msgstr[2] ""

msgid "%d item"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
msgstr[2] ""
"""


def test_plural_forms_of_one_message_are_not_repetitions_of_each_other(store: LogStore):
    workspace = workspace_of(store, store.start_session(OWNER, read_document(PLURALS, "a.po"), "en-pl").token)
    step = workspace.confirm(OWNER, 1, "%d pliki")
    assert step is not None and step["segments"] == [4]  # the same form of the other message
    assert texts(workspace) == [None, "%d pliki", None, None, "%d pliki", None]
    workspace.confirm(OWNER, 2, "%d plików")
    assert texts(workspace) == [None, "%d pliki", "%d plików", None, "%d pliki", "%d plików"]
    found = repetitions_of(store, store.load_session(OWNER, workspace.token))
    assert found.num_inside == 2


def test_a_step_that_changes_nothing_is_not_kept(workspace: Workspace):
    for made in (workspace.batches.confirm_matches(OWNER), workspace.batches.fill_matches(OWNER, 101)):
        assert made == {"step": 0, "segments": []}
    with pytest.raises(CommandError, match="can no longer be undone"):
        workspace.batches.step(OWNER, 0, is_undo=True)
