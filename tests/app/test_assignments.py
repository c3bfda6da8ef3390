"""Assignments from the command line and by other programs, beside those of the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.__main__ import main
from app.access.actor import OWNER, Actor
from app.errors import CommandError
from app.log.store import LogStore
from app.sessions.assignments import AssignedPart, Assignments
from tests.app.test_parts import Team, team

CEM = Actor.person("Cem")

__all__ = ["team"]


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.workspace.parts.LOOK_SECONDS", 0.0)


@pytest.fixture
def log(team: Team) -> str:
    return str(team.store.path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["assignments", *arguments])
    return status, *capsys.readouterr()


def test_document_and_its_parts_are_assigned_listed_and_taken_back(
    team: Team, log: str, capsys: pytest.CaptureFixture[str]
):
    number = str(team.document.session_id)
    assert run(capsys, "assign", number, "Ben", "--log", log)[0] == 0
    assert run(capsys, "assign", number, "Cem", "--part", "2-4", "--log", log)[0] == 0
    status, out, err = run(capsys, "assign", number, "Dan", "--part", "4", "--log", log)
    assert (status, err) == (0, "Assigned to somebody else before: 1 segment.\n")
    assert out.endswith("doors.txt: Ben; segments 2-3: Cem; segments 4-4: Dan\n")
    _, out, _ = run(capsys, "list", number, "--json", "--log", log)
    found = json.loads(out)
    assert (found["person"], found["parts"][0]) == ("Ben", {"person": "Cem", "first": 2, "last": 3})
    assert len(run(capsys, "list", "--log", log)[1].splitlines()) == len(team.store.sessions(OWNER))
    run(capsys, "take-back", number, "--part", "1-3", "--log", log)
    _, out, _ = run(capsys, "take-back", number, "--log", log)
    assert out.endswith("doors.txt: nobody; segments 4-4: Dan\n")
    assert team.store.verify_chain(team.document.session_id).is_intact


def test_document_that_is_assigned_as_a_whole_can_be_changed_by_other_members(team: Team):
    done, _ = team.sessions.assignments.assign(OWNER, team.document.session_id, "Ben")
    assert (done.person, done.parts) == ("Ben", ())
    team.document.edit(CEM, 0, "Eins", "typed")
    assert team.document.core.segments[0].target == "Eins"


def test_running_app_sees_assignments_from_the_command_line(team: Team, log: str, capsys: pytest.CaptureFixture[str]):
    document, seen = team.document, team.document.core.version
    run(capsys, "assign", str(document.session_id), "Ben", "--part", "2-2", "--log", log)
    with pytest.raises(CommandError, match="Segment 2 is assigned to Ben"):
        document.edit(CEM, 1, "Zwei", "typed")
    assert document.has_news(seen, None, seen)
    assert [row["assignee"] for row in document.snapshot(OWNER, seen)["rows"]] == ["Ben"]
    with pytest.raises(CommandError, match="in the meantime"):
        team.assign([1], "Cem", seen)
    run(capsys, "take-back", str(document.session_id), "--part", "2", "--log", log)
    document.edit(CEM, 1, "Zwei", "typed")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["99", "Ben"], "Document 99 does not exist."),
        (["{}", "Eve"], "“Eve” is not a member of this project"),
        (["{}", "Ben", "--part", "9"], "Segment 9 does not exist (segments in the document: 6)."),
        (["{}", "Ben", "--part", "5-7"], "Segments 5 to 7 do not exist (segments in this document: 6)."),
    ],
)
def test_impossible_assignment_names_the_problem(
    team: Team, log: str, capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
):
    filled = [text.format(team.document.session_id) for text in arguments]
    status, _, err = run(capsys, "assign", *filled, "--log", log)
    assert status == 2
    assert problem in err


@pytest.mark.parametrize("segments", ["0-2", "4-2", "x", "1-2-3"])
def test_malformed_numbers_of_segments_are_refused(segments: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["assignments", "assign", "1", "Ben", "--part", segments])
    assert "--part" in capsys.readouterr().err


def test_segment_numbers_equal_the_page_after_a_split(team: Team):
    document = team.document
    document.structure.split(OWNER, 0, 4)
    done, _ = team.sessions.assignments.assign(OWNER, document.session_id, "Ben", (2, 3))
    assert done.parts == (AssignedPart("Ben", 2, 3),)
    sources = {row["source"].strip(): row["assignee"] for row in document.snapshot(OWNER)["rows"]}
    assert {source for source, name in sources.items() if name} == {"door.", "Two doors."}
    team.sessions.workspaces.close_idle(-1)
    done, num_taken = team.sessions.assignments.assign(OWNER, document.session_id, "Cem", (3, 4))
    assert (done.parts, num_taken) == ((AssignedPart("Ben", 2, 2), AssignedPart("Cem", 3, 4)), 1)


def test_people_list_visible_documents_and_assign_managed_ones(team: Team, tmp_path: Path):
    assert {one.document for one in team.sessions.assignments.all(Actor.person("Ben"))} == {"doors.txt"}
    with pytest.raises(CommandError, match="Only managers"):
        team.sessions.assignments.assign(Actor.person("Ben"), team.document.session_id, "Ben")
    store = LogStore.open(team.store.path)
    team.store.people.put("Eve", "manager")
    try:
        with pytest.raises(CommandError, match="does not exist"):
            Assignments(store).assign(Actor.person("Eve"), team.document.session_id, "Ben")
    finally:
        store.close()
