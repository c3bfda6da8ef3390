"""Parts of a document that are assigned to people: who may change them, and what becomes of an assignment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER, Actor
from app.errors import CommandError
from app.formats.word_table import read_tables
from app.log.forgetting import forget_person
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.projects import ProjectDraft
from app.reports.review_table import session_review
from app.segments.find_replace import Query
from app.segments.segment_constraints import Constraints
from app.sessions import Sessions
from app.workspace.commands import Workspace
from app.workspace.review_import import compare_review
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.app.review_tables import reviewed

ANA, BEN, CEM = Actor.person("Ana"), Actor.person("Ben"), Actor.person("Cem")

TEXT = b"One door.\nTwo doors.\nThree doors.\nOne door.\nFive doors. Six doors.\n"


class Team:
    """Ana manages a project in which Ben and Cem translate and Dan reviews; a document of six segments is open."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        self.store = sessions.store
        for name, role in (("Ana", "manager"), ("Ben", "translator"), ("Cem", "translator"), ("Dan", "reviewer")):
            self.store.people.put(name, role)  # type: ignore[arg-type]
        first = sessions.open_document(ANA, b"Own.\n", "own.txt")
        sessions.projects.create(ANA, first, ProjectDraft("Doors", ""), "en-de")
        self.document = sessions.open_document(ANA, TEXT, "doors.txt")
        for name in ("Ben", "Cem", "Dan"):
            self.store.people.join(name, [self.document.project.id])
        assert len(self.document.core.order) == 6

    def assign(self, indices: list[int], name: str, version: int | None = None) -> dict[str, int]:
        seen = self.document.core.version if version is None else version
        return self.sessions.members.assign_segments(ANA, self.document, indices, name, seen)

    def shown(self, document: Workspace | None = None) -> list[str]:
        """The person of each segment, as the page gets them."""
        return [row["assignee"] for row in (document or self.document).snapshot(OWNER)["rows"]]

    def reopened(self) -> Workspace:
        self.sessions.workspaces.close_idle(-1)
        return self.sessions.find(OWNER, self.document.token)


def question_after(workspace: Workspace) -> dict[str, Any]:
    """The question of a page that has all changes of a document, and all notices."""
    seen = workspace.snapshot(OWNER)
    stamps = {"since": seen["version"], "detail_since": seen["version"], "news_stamp": seen["news"]["stamp"]}
    return {"token": workspace.token, **stamps}


@pytest.fixture
def team(store: LogStore) -> Iterator[Team]:
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    yield Team(sessions)
    sessions.close()


def test_segments_are_assigned_by_project_managers(team: Team):
    assert team.assign([1, 2, 4], "Ben") == {"num_segments": 3, "num_taken": 0}
    assert team.shown() == ["", "Ben", "Ben", "", "Ben", ""]
    event = team.store.last_event(team.document.session_id, "project")
    assert event is not None and event.payload == {
        "person": "Ana", "change": "assign_part", "project": team.document.project.id, "member": "Ben",
        "segments": [[1, 2], [4, 4]],
    }  # fmt: skip
    assert team.store.verify_chain(team.document.session_id).is_intact
    with pytest.raises(CommandError, match="Only managers"):
        team.sessions.members.assign_segments(BEN, team.document, [0], "Ben", team.document.core.version)
    for indices, name, problem in (([0], "Eve", "not a member"), ([0, 99], "Ben", "Segment 100 does not exist")):
        with pytest.raises(CommandError, match=problem):
            team.assign(indices, name)
    assert team.shown() == ["", "Ben", "Ben", "", "Ben", ""]


def test_assignment_stays_when_the_document_is_opened_again(team: Team):
    team.assign([0, 5], "Cem")
    assert team.shown(team.reopened()) == ["Cem", "", "", "", "", "Cem"]
    rows = {row["session"]: row["part_assignees"] for row in team.sessions.documents(OWNER)["documents"]}
    assert rows[team.document.session_id] == ["Cem"]


def test_newest_assignment_of_a_segment_counts_and_reports_replaced_ones(team: Team):
    team.assign([0, 1, 2], "Ben")
    assert team.assign([2, 3], "Cem") == {"num_segments": 2, "num_taken": 1}
    assert team.shown() == ["Ben", "Ben", "Cem", "Cem", "", ""]
    assert team.assign([0, 3], "") == {"num_segments": 2, "num_taken": 2}
    assert team.shown(team.reopened()) == ["", "Ben", "Cem", "", "", ""]


def test_who_may_not_unlock_a_segment_of_a_review_table_reads_who_can(team: Team):
    core, project = team.document.core, team.document.project.id
    team.document.edit(ANA, 0, "Eine Tür.", "typed")
    made = session_review(ANA, team.store, team.document.session_id)
    tables = read_tables(reviewed(made.data, {1: "Eine Tür!"}), "a.docx")
    team.document.locks.set(ANA, [0], is_locked=True)

    def problem(actor: Actor) -> str:
        (one,) = compare_review(actor, core, tables, "a.docx").differences
        assert not one.can_be_taken
        return one.problem

    assert problem(BEN) == "This segment is locked. Ana, Dan can unlock it: ask them."
    for actor in (ANA, Actor.person("Dan"), OWNER):
        assert problem(actor) == "This segment is locked: unlock it, and import the file again."
    for name in ("Ana", "Dan"):
        team.store.people.leave(name, [project])
    assert "A reviewer or manager of the project can unlock it" in problem(BEN)


def test_document_opens_at_the_first_segment_that_waits_for_the_person(team: Team):
    def first(name: str) -> int:
        return team.document.first_to_show(Actor.signed_in(name))

    assert [first(name) for name in ("Ana", "Ben", "Dan", "")] == [0, 0, 0, 0]
    team.assign([0], "Cem")
    team.assign([2, 4], "Ben")
    assert (first("Ana"), first("Ben"), first("Cem")) == (1, 2, 0), "Ana: what is assigned to nobody"
    team.document.confirm(BEN, 2, "Drei Türen.")
    team.document.leave(BEN, 2)
    team.document.presence.leave(BEN)
    assert first("Dan") == 1, "the project has no review"
    team.sessions.projects.edit(ANA, team.document, team.document.project.id, ProjectDraft("Doors", has_review=True))
    assert first("Dan") == 2 and first("Ana") == 1, "a reviewer reviews, a manager may"
    team.document.review.decide(Actor.person("Dan"), 2, "approved", "Drei Türen.")
    assert first("Dan") == 1


def test_page_that_has_not_seen_a_newer_assignment_is_refused(team: Team):
    seen = team.document.core.version
    team.assign([2], "Ben")
    with pytest.raises(CommandError, match="in the meantime"):
        team.assign([1, 2], "Cem", seen)
    assert team.shown() == ["", "", "Ben", "", "", ""]
    team.assign([4], "Cem", seen)


def test_others_read_a_part_and_comment_but_change_nothing(team: Team):
    document = team.document
    team.assign([1, 5], "Ben")
    for change in (
        lambda: document.edit(CEM, 1, "Zwei", "typed"),
        lambda: document.confirm(CEM, 1, "Zwei."),
        lambda: document.constrain(CEM, 1, Constraints(pins=("Tür",))),
        lambda: document.structure.split(CEM, 1, 4),
    ):
        with pytest.raises(CommandError, match="Segment 2 is assigned to Ben"):
            change()
    with pytest.raises(CommandError, match="Segment 6 is assigned to Ben"):
        document.structure.merge(CEM, 4)
    document.open(CEM, 1)
    document.comment(CEM, 1, "Türen?")
    document.edit(CEM, 0, "Eine Tür", "typed")
    assert (document.segments[1].target, document.segments[1].comment) == (None, "Türen?")
    for name in ("Ben", "Dan", "Ana", ""):  # the translator, a reviewer, the manager and the owner of the server
        document.edit(Actor.signed_in(name), 1, f"Zwei von {name}", "typed")
    assert document.segments[1].target == "Zwei von "


def test_steps_over_the_whole_document_leave_parts_of_others_out(team: Team):
    document = team.document
    team.assign([3], "Ben")
    document.edit(CEM, 0, "Eine Tür.", "typed")
    document.confirm(CEM, 0, "Eine Tür.")
    assert document.segments[3].target is None, "the same source, but of Ben"
    document.edit(BEN, 3, "Die Tür.", "typed")
    assert document.batches.replace(CEM, Query("Tür", "Pforte", in_confirmed=True))["segments"] == [0]
    document.edit(CEM, 1, "Zwei Türen", "typed")
    assert document.batches.replace(BEN, Query("Tür", "Pforte"))["segments"] == [1, 3]


def test_split_segment_stays_with_its_person(team: Team):
    first = team.document.segments[4]
    team.assign([4], "Ben")
    team.document.structure.split(BEN, 4, 5)
    assert first.source == "Five doors."
    shown = {row["source"]: row["assignee"] for row in team.document.snapshot(OWNER)["rows"]}
    parts = {source.strip(): name for source, name in shown.items()}
    assert (parts["Five"], parts["doors."], parts["Six doors."]) == ("Ben", "Ben", "")
    again = {row["source"]: row["assignee"] for row in team.reopened().snapshot(OWNER)["rows"]}
    assert again == shown


@pytest.mark.parametrize("by", ["page", "command", "forgetting"])
def test_part_of_a_person_who_leaves_belongs_to_nobody(team: Team, by: str, tmp_path: Path):
    team.assign([1], "Ben")
    project = team.document.project.id
    if by == "page":
        team.sessions.members.remove(ANA, team.document, project, "Ben")
    elif by == "command":
        team.store.people.leave("Ben", [project])
    else:
        forget_person(OWNER, team.store.connection, "Ben")
        team.store.people.changed()
    team.document.edit(CEM, 1, "Zwei", "typed")
    assert set(team.shown()) == {""}
    assert team.store.connection.db["assigned_segment"].count == 0


def test_document_that_is_moved_to_another_project_keeps_the_parts_of_its_members_only(team: Team):
    team.assign([0], "Ben")
    team.assign([1], "Cem")
    team.sessions.projects.create(ANA, team.document, ProjectDraft("Gates", ""), "en-de")
    gates = next(row["id"] for row in team.sessions.projects.overview(ANA)["projects"] if row["name"] == "Gates")
    team.store.people.join("Ben", [gates])
    team.sessions.move_document(ANA, team.document.session_id, gates)
    assert team.shown(team.reopened()) == ["Ben", "", "", "", "", ""]
