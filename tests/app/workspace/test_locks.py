"""Locked segments: nobody changes them, they are exported as they are, and progress does not count them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.access.actor import OWNER, Actor
from app.errors import CommandError, LogError
from app.formats import Reading
from app.log.forgetting import forget_person
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.reports.jsonl import import_jsonl, session_jsonl
from app.reports.translated_document import translated_document
from app.segments.find_replace import Query
from app.segments.segment_constraints import Constraints
from app.sessions import Sessions
from app.workspace.commands import Workspace
from tests.app.hand_decoder import HandDecoder, ready_model, settle
from tests.app.test_parts import Team
from tests.app.workspace.test_review import begin

TEXT = b"Save. Open the file. Save. Close the file.\n"
ANA, BEN, DAN = Actor.person("Ana"), Actor.person("Ben"), Actor.person("Dan")


class Desk:
    """A document of four segments, of which the first and the third have the same source; the model answers by hand."""

    def __init__(self, store: LogStore, *, settles: bool = True) -> None:
        self.store, self.decoder = store, HandDecoder()
        self.sessions = Sessions(store, ready_model(self.decoder), SAMPLES_FOLDER)
        self.document = self.sessions.open_document(OWNER, TEXT, "a.txt")
        if settles:
            self.settle()

    def settle(self) -> None:
        for _ in range(3):
            self.decoder.answer_all()
            settle(self.document)

    def lock(self, *indices: int) -> dict[str, object]:
        return self.document.locks.set(OWNER, indices, is_locked=True)

    def reopened(self) -> Workspace:
        self.sessions.workspaces.forget(self.document)
        self.document = self.sessions.find(OWNER, self.document.token)
        return self.document

    def locked(self) -> list[int]:
        return [row["index"] for row in self.document.snapshot(OWNER)["rows"] if row["is_locked"]]


@pytest.fixture
def desk(store: LogStore) -> Iterator[Desk]:
    desk = Desk(store)
    yield desk
    desk.sessions.close()


@pytest.fixture
def team(store: LogStore) -> Iterator[Team]:
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    yield Team(sessions)
    sessions.close()


COMMANDS = {
    "edit": lambda w: w.edit(OWNER, 1, "Neu.", "typed"),
    "clear": lambda w: w.edit(OWNER, 1, None, "proposal"),
    "confirm": lambda w: w.confirm(OWNER, 1, "Neu."),
    "reopen": lambda w: w.reopen(OWNER, 1),
    "constrain": lambda w: w.constrain(OWNER, 1, Constraints(pins=("Datei",))),
    "split": lambda w: w.structure.split(OWNER, 1, 5),
    "merge": lambda w: w.structure.merge(OWNER, 1),
    "merge into it": lambda w: w.structure.merge(OWNER, 0),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_command_on_a_locked_segment_is_refused_and_changes_nothing(desk: Desk, name: str):
    desk.document.confirm(OWNER, 1, "Datei öffnen.")
    desk.lock(1)
    before, count = list(desk.document.segments), desk.store.num_events(OWNER, desk.document.token)
    with pytest.raises(CommandError, match="Segment 2 is locked"):
        COMMANDS[name](desk.document)
    assert desk.document.segments == before
    assert desk.store.num_events(OWNER, desk.document.token) == count
    desk.document.locks.set(OWNER, [1], is_locked=False)
    COMMANDS[name](desk.document)
    assert desk.document.segments != before


def test_review_of_a_locked_segment_is_refused_and_a_comment_is_not(store: LogStore):
    document = begin(store)
    document.confirm(OWNER, 0, "Eins zwei.")
    document.locks.set(OWNER, [0], is_locked=True)
    for decision, comment in (("approved", ""), ("returned", "Why?")):
        with pytest.raises(CommandError, match="Segment 1 is locked"):
            document.review.decide(OWNER, 0, decision, "Eins zwei.", comment)  # type: ignore[arg-type]
    document.comment(OWNER, 0, "As the client wants it.")
    document.review.remark(OWNER, 0, "Agreed.")
    assert document.snapshot(OWNER)["counts"]["to_review"] == 0


def test_many_segments_in_one_step_leave_locked_ones_out(desk: Desk):
    desk.document.edit(OWNER, 1, "Datei öffnen.", "typed")
    desk.lock(1, 2)
    query = Query("datei", "Akte")
    found = desk.document.batches.find(OWNER, query)
    assert (found["num_segments"], found["num_locked"], found["num_held"], found["rows"]) == (0, 1, 0, [])
    assert desk.document.batches.replace(OWNER, query, [1])["segments"] == []
    assert desk.document.confirm(OWNER, 0, "Sichern.") is None, "the locked repetition is not filled"
    assert desk.document.segments[2].target is None


def test_undo_of_a_step_leaves_segments_that_were_locked_since(desk: Desk):
    desk.document.edit(OWNER, 1, "Datei öffnen.", "typed")
    desk.document.edit(OWNER, 3, "Datei schließen.", "typed")
    step = desk.document.batches.replace(OWNER, Query("Datei", "Akte"))["step"]
    desk.lock(1)
    assert desk.document.batches.step(OWNER, step, is_undo=True) == {"num_segments": 1, "num_left": 1}
    assert [desk.document.segments[i].target for i in (1, 3)] == ["Akte öffnen.", "Datei schließen."]


def test_locked_segment_is_neither_translated_ahead_nor_filled_from_the_memory(store: LogStore):
    desk = Desk(store, settles=False)
    document = desk.document
    desk.lock(1, 3)
    num_before = len(desk.decoder.of(1))
    other = desk.sessions.open_document(OWNER, b"Open the file.\n", "other.txt")
    other.confirm(OWNER, 0, "Datei öffnen.")
    desk.sessions.find(OWNER, document.token)
    document.open(OWNER, 1)
    document.memory.fill(OWNER)
    document.batches.fill_matches(OWNER, 50)
    desk.settle()
    assert [segment.text for segment in document.segments] == ["de: Save.", None, "de: Save.", None]
    assert len(desk.decoder.of(1)) == num_before
    progress = document.decoding.progress()
    assert progress["done"] == progress["total"] == 2
    document.locks.set(OWNER, [3], is_locked=False)
    desk.settle()
    assert document.segments[3].text == "de: Close the file.", "unlocked, it is translated"
    desk.sessions.close()


def test_late_answer_of_the_model_does_not_change_a_segment_that_was_locked_meanwhile(store: LogStore):
    decoder = HandDecoder()
    sessions = Sessions(store, ready_model(decoder), SAMPLES_FOLDER)
    document = sessions.open_document(OWNER, TEXT, "a.txt")
    assert document.segments[0].is_pending
    document.locks.set(OWNER, [0], is_locked=True)
    for *_, future in decoder.of(0):
        if not future.done():
            decoder.answer(0, "de: late")
    settle(document)
    assert (document.segments[0].text, document.segments[0].is_pending) == (None, False)
    sessions.close()


def test_locked_proposal_stays_when_everything_is_translated_again_and_after_a_restart(desk: Desk):
    desk.lock(0)
    assert desk.document.segments[0].text == "de: Save."
    desk.document.decoding.start_over(OWNER)
    assert desk.document.segments[0].text == "de: Save."
    document = desk.reopened()
    desk.settle()
    assert document.segments[0].text == "de: Save."
    exported = translated_document(document.document, document.segments)
    assert exported.data == b"de: Save. Open the file. Save. Close the file.\n", "exported with the text that it has"
    assert exported.note is not None and "not confirmed: 3 of 3" in exported.note


def test_progress_counts_locked_segments_apart(desk: Desk):
    desk.document.confirm(OWNER, 1, "Datei öffnen.")
    desk.lock(1, 3)
    shown = desk.document.snapshot(OWNER)
    counts, words = shown["counts"], shown["words"]
    assert (counts["all"], counts["open"], counts["confirmed"], counts["locked"]) == (4, 2, 0, 2)
    assert words == {"confirmed": 0, "all": 2, "locked": 6}
    desk.document.confirm(OWNER, 0, "Sichern.")
    desk.document.confirm(OWNER, 2, "Sichern.")
    (summary,) = desk.store.sessions(OWNER)
    assert (summary.num_segments, summary.num_confirmed, summary.num_locked) == (4, 2, 2)
    assert desk.document.first_to_do(OWNER) == 0, "nothing waits any more: the first segment"


def test_next_segment_to_do_is_not_a_locked_one(desk: Desk):
    desk.lock(0, 1)
    assert desk.document.first_to_do(OWNER) == 2


def test_lock_is_an_event_that_survives_a_restart_an_export_and_undo(desk: Desk):
    assert desk.lock(1, 3, 1) == {"step": 0, "segments": [1, 3]}
    assert desk.lock(3) == {"step": 1, "segments": []}, "locked already"
    event = desk.store.last_event(desk.document.session_id, "lock")
    assert event is not None and (event.segment, event.payload) == (3, {"origin": "person"})
    assert desk.document.locks.step(OWNER, 0, is_undo=True) == {"num_segments": 2, "num_left": 0}
    assert desk.locked() == []
    desk.document.locks.step(OWNER, 0, is_undo=False)
    assert desk.locked() == [1, 3]
    record = desk.store.load_session(OWNER, desk.document.token)
    exported = session_jsonl(OWNER, desk.store, desk.document.session_id)
    desk.reopened()
    assert desk.locked() == [1, 3]
    assert desk.store.verify_chain(record.id).is_intact
    with pytest.raises(CommandError, match="no longer be undone"):
        desk.document.locks.step(OWNER, 0, is_undo=True)
    other = LogStore.open(desk.store.path.with_name("other.sqlite"))
    segments = other.load_session(OWNER, import_jsonl(other, exported.data, exported.name)).segments
    assert [segment.index for segment in segments if segment.constraints.get("lock")] == [1, 3]
    other.close()


def test_undo_leaves_a_segment_that_somebody_has_unlocked_since(desk: Desk):
    desk.lock(0, 1)
    desk.document.locks.set(OWNER, [1], is_locked=False)
    assert desk.document.locks.step(OWNER, 0, is_undo=True) == {"num_segments": 1, "num_left": 1}


def test_lock_that_cannot_be_written_is_not_there(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object, **__: object) -> None:
        raise LogError("disk full")

    monkeypatch.setattr(desk.store, "append_all", full)
    with pytest.raises(LogError):
        desk.lock(0)
    monkeypatch.undo()
    assert desk.locked() == []
    assert desk.lock(0)["step"] == 0


def test_unknown_segment_cannot_be_locked(desk: Desk):
    with pytest.raises(CommandError, match="Segment 10 does not exist"):
        desk.lock(0, 9)
    assert desk.locked() == []


def test_reviewers_and_managers_lock_segments_and_translators_do_not(team: Team):
    document = team.document
    for actor in (ANA, DAN, OWNER):
        document.locks.set(actor, [2], is_locked=True)
        assert document.snapshot(actor)["document"]["project"]["may_lock"]
        with pytest.raises(CommandError, match="Segment 3 is locked"):
            document.edit(actor, 2, "Drei Türen.", "typed")
        with pytest.raises(CommandError, match="Only reviewers and managers"):
            document.locks.set(BEN, [2], is_locked=False)
        document.locks.set(actor, [2], is_locked=False)
    with pytest.raises(CommandError, match="Only reviewers and managers"):
        document.locks.set(BEN, [2], is_locked=True)
    assert not document.snapshot(BEN)["document"]["project"]["may_lock"]


def test_person_is_named_until_they_are_forgotten(team: Team):
    document = team.document
    document.locks.set(DAN, [2], is_locked=True)
    assert document.snapshot(BEN, open_index=2)["segment"]["lock"] == {"is_of_file": False, "person": "Dan"}
    with pytest.raises(CommandError, match="Segment 3 is locked by Dan"):
        document.edit(BEN, 2, "Drei Türen.", "typed")
    pseudonym = forget_person(OWNER, team.store.connection, "Dan").pseudonym
    document = team.reopened()
    assert document.snapshot(OWNER, open_index=2)["segment"]["lock"] == {"is_of_file": False, "person": pseudonym}
    stored = team.store.connection.rows("test", "SELECT constraints FROM segment")
    assert "Dan" not in json.dumps(stored)


def test_segment_that_its_file_locks_is_so_until_somebody_unlocks_it_and_again_after_undo(store: LogStore):
    data = b"""<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" datatype="plaintext" source-language="en" target-language="de">
<body><trans-unit id="1"><source>One</source></trans-unit>
<trans-unit id="2" translate="no"><source>Acme</source><target>Acme</target></trans-unit></body></file></xliff>"""
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    project = sessions.projects.for_new(OWNER, "en-de")
    document, _ = sessions.opener.read(
        OWNER, data, "a.xlf", sessions.opener.decide, reading=Reading(extras=("locked",))
    )
    workspace = sessions.opener.start(OWNER, document, "en-de", project=replace(project))
    of_file = {"is_of_file": True, "person": ""}
    assert workspace.locks.view(1) == of_file
    with pytest.raises(CommandError, match="Segment 2 is locked"):
        workspace.edit(OWNER, 1, "ACME", "typed")
    step = workspace.locks.set(OWNER, [1], is_locked=False)["step"]
    assert workspace.locks.view(1) is None
    workspace.locks.step(OWNER, step, is_undo=True)
    assert workspace.locks.view(1) == of_file
    sessions.workspaces.forget(workspace)
    workspace = sessions.find(OWNER, workspace.token)
    assert workspace.locks.view(1) == of_file
    sessions.close()
