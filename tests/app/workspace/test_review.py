"""Review: confirmed segments are approved or returned, by those who may, and everything is in the log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.access.actor import OWNER, Actor
from app.errors import CommandError
from app.formats.read_file import read_document
from app.log.forgetting import forget_person
from app.log.project_tables import update_project
from app.log.store import LogStore
from app.reports.jsonl import import_jsonl, session_jsonl
from app.reports.statistics import session_statistics
from app.segments.find_replace import Query
from app.segments.stored_state import restore_segment
from app.workspace.commands import Workspace
from engine import SearchOptions
from tests.app.hand_decoder import HandDecoder, ready_model

BEN = Actor.person("Ben")

TEXT = "One two. Three.\n"


def workspace_of(store: LogStore, token: str, *, has_review: bool = True) -> Workspace:
    record = store.load_session(OWNER, token)
    project = store.project(OWNER, record.project_id)
    assert project is not None
    project = replace(project, has_review=has_review)
    with store.connection.transaction("test"):
        update_project(store.connection.db, project)
    segments = [restore_segment(segment) for segment in record.segments]
    options, model = SearchOptions(), ready_model(HandDecoder())
    return Workspace(
        store, record.id, token, record.document, segments, model,
        direction="en-de", options=options, project=store.project(OWNER, project.id),
    )  # fmt: skip


def begin(store: LogStore, *, has_review: bool = True) -> Workspace:
    token = store.start_session(OWNER, read_document(TEXT.encode(), "a.txt"), "en-de").token
    return workspace_of(store, token, has_review=has_review)


def states(workspace: Workspace) -> list[tuple[str, str]]:
    return [(segment.state, segment.review) for segment in workspace.segments]


def confirm(workspace: Workspace, text: str = "Eins zwei.") -> None:
    workspace.confirm(OWNER, 0, text)


def test_approved_segment_stays_confirmed_and_an_edit_takes_the_approval_away(store: LogStore):
    workspace = begin(store)
    confirm(workspace)
    assert workspace.snapshot(OWNER)["counts"]["to_review"] == 1
    workspace.review.decide(OWNER, 0, "approved", "Eins zwei.")
    assert states(workspace)[0] == ("confirmed", "approved")
    counts = workspace.snapshot(OWNER)["counts"]
    assert (counts["confirmed"], counts["to_review"], counts["approved"], counts["returned"]) == (1, 0, 1, 0)
    workspace.edit(OWNER, 0, "Eins, zwei.", "typed")
    assert states(workspace)[0] == ("edited", "")
    confirm(workspace, "Eins, zwei.")
    assert states(workspace)[0] == ("confirmed", "")


def test_returned_segment_has_the_reason_and_is_not_confirmed_until_the_translator_confirms_it(store: LogStore):
    workspace = begin(store)
    confirm(workspace)
    workspace.review.decide(OWNER, 0, "returned", "Eins zwei.", "Which two?")
    assert states(workspace)[0] == ("edited", "returned")
    workspace.review.remark(OWNER, 0, "Those two.")
    remarks = workspace.snapshot(OWNER, open_index=0)["segment"]["remarks"]
    assert [(remark["text"], remark["returned"]) for remark in remarks] == [
        ("Which two?", "Eins zwei."),
        ("Those two.", ""),
    ]
    assert workspace.snapshot(OWNER)["counts"]["returned"] == 1
    confirm(workspace)
    assert states(workspace)[0] == ("confirmed", "")
    assert workspace.snapshot(OWNER)["counts"]["commented"] == 1  # the conversation is found again


def test_decision_is_taken_back_by_undo_and_made_again_by_redo(store: LogStore):
    workspace = begin(store)
    confirm(workspace)
    workspace.review.decide(OWNER, 0, "returned", "Eins zwei.", "Why?")
    workspace.review.decide(OWNER, 0, "", "Eins zwei.", is_new=False)
    assert states(workspace)[0] == ("confirmed", "")
    workspace.review.decide(OWNER, 0, "returned", "Eins zwei.", is_new=False)
    assert states(workspace)[0] == ("edited", "returned")
    assert len(workspace.review.remarks(0)) == 1
    workspace.review.decide(OWNER, 0, "", "Eins zwei.")
    workspace.review.decide(OWNER, 0, "approved", "Eins zwei.")
    workspace.review.decide(OWNER, 0, "", "Eins zwei.")
    assert states(workspace)[0] == ("confirmed", "")


def test_replacing_in_an_approved_segment_needs_another_approval_and_undo_restores_it(store: LogStore):
    workspace = begin(store)
    workspace.review.decide(OWNER, 0, "approved", "Eins zwei.")
    step = workspace.batches.replace(OWNER, Query("zwei", "drei", in_confirmed=True))
    assert states(workspace)[0] == ("confirmed", "")
    workspace.batches.step(OWNER, step["step"], is_undo=True)
    assert states(workspace)[0] == ("confirmed", "approved")


def test_approving_confirms_a_text_that_is_not_confirmed(store: LogStore):
    workspace = begin(store)
    workspace.edit(OWNER, 0, "Eins zwei.", "typed")
    workspace.review.decide(OWNER, 0, "approved", "Eins zwei.")
    assert states(workspace)[0] == ("confirmed", "approved")
    types = [event.type for event in store.events(workspace.session_id) if event.segment == 0]
    assert [kind for kind in types if kind in ("confirm", "review")] == ["confirm", "review"]


@pytest.mark.parametrize(
    ("decision", "text", "comment", "message"),
    [
        ("returned", "Eins zwei.", " \n ", "write a comment that explains why"),
        ("returned", "Other.", "Why?", "has changed in the meantime"),
        ("approved", "Other.", "", "has changed in the meantime"),
        ("returned", "Eins zwei.", "x" * 5000, "5,000 characters"),
    ],
)
def test_bad_decision_changes_nothing(store: LogStore, decision, text: str, comment: str, message: str):
    workspace = begin(store)
    confirm(workspace)
    before = store.load_session(OWNER, workspace.token).num_events
    with pytest.raises(CommandError, match=message):
        workspace.review.decide(OWNER, 0, decision, text, comment)
    assert states(workspace)[0] == ("confirmed", "") and store.load_session(OWNER, workspace.token).num_events == before


def test_only_confirmed_segments_are_returned_and_empty_texts_are_not_approved(store: LogStore):
    workspace = begin(store)
    with pytest.raises(CommandError, match="not confirmed"):
        workspace.review.decide(OWNER, 1, "returned", "", "Why?")
    with pytest.raises(CommandError, match="no translation to confirm"):
        workspace.review.decide(OWNER, 1, "approved", " ")
    with pytest.raises(CommandError, match="The comment is empty"):
        workspace.review.remark(OWNER, 1, " ")
    assert states(workspace)[1] == ("new", "")


def test_project_without_review_refuses_decisions_and_remarks(store: LogStore):
    workspace = begin(store, has_review=False)
    confirm(workspace)
    with pytest.raises(CommandError, match="Review is off"):
        workspace.review.decide(OWNER, 0, "approved", "Eins zwei.")
    with pytest.raises(CommandError, match="Review is off"):
        workspace.review.remark(OWNER, 0, "Hello")


@pytest.mark.parametrize(
    ("role", "may_review"),
    [("translator", False), ("reviewer", True), ("manager", True), ("administrator", True)],
)
def test_who_may_review(store: LogStore, role, may_review: bool):
    workspace = begin(store)
    confirm(workspace)
    store.people.put("Ben", role)
    store.people.join("Ben", [workspace.project.id])
    assert workspace.snapshot(BEN)["document"]["project"]["may_review"] == may_review
    workspace.review.remark(BEN, 0, "Everybody may speak.")
    if may_review:
        workspace.review.decide(BEN, 0, "approved", "Eins zwei.")
    else:
        with pytest.raises(CommandError, match="Only reviewers and managers"):
            workspace.review.decide(BEN, 0, "approved", "Eins zwei.")
    assert states(workspace)[0] == ("confirmed", "approved" if may_review else "")


def test_decisions_and_remarks_survive_a_restart_and_an_export_of_the_log(store: LogStore, tmp_path: Path):
    workspace = begin(store)
    confirm(workspace)
    workspace.review.decide(OWNER, 0, "returned", "Eins zwei.", "Why?")
    workspace.review.decide(OWNER, 1, "approved", "Drei.")
    expected = [("edited", "returned"), ("confirmed", "approved")]
    assert states(workspace_of(store, workspace.token)) == expected
    assert store.verify_chain(workspace.session_id).is_intact
    record = store.load_session(OWNER, workspace.token)
    figures = session_statistics(record.document.segments, store.events(record.id))
    assert [segment.state for segment in figures.segments] == ["edited", "confirmed"]

    exported = session_jsonl(OWNER, store, workspace.session_id)
    other = LogStore.open(tmp_path / "other.db")
    number = import_jsonl(other, exported.data, exported.name)
    again = workspace_of(other, other.load_session(OWNER, number).token)
    assert states(again) == expected
    assert [remark["text"] for remark in again.review.remarks(0)] == ["Why?"]
    other.close()


def test_name_in_a_remark_is_forgotten_with_the_person(store: LogStore):
    workspace = begin(store)
    store.people.put("Ben", "administrator")
    workspace.review.remark(BEN, 0, "Hello")
    assert [remark["person"] for remark in workspace.review.remarks(0)] == ["Ben"]
    done = forget_person(OWNER, store.connection, "Ben")
    assert [remark["person"] for remark in workspace.review.remarks(0)] == [done.pseudonym]
