"""Totals of projects, and deadlines: who sets them, when they are due, and what is counted for whom."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace

import openpyxl
import pytest

from app.access.actor import OWNER, Actor
from app.errors import CommandError, LogError
from app.log.deadlines import SOON_MS, urgency_of
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.projects import ProjectDraft
from app.reports.project_totals import project_totals, totals_csv, totals_workbook
from app.sessions import Sessions
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.app.test_parts import Team

ANA, BEN, DAN = Actor.person("Ana"), Actor.person("Ben"), Actor.person("Dan")
NOON = 1_772_712_000_000  # 5 March 2026, 12:00 UTC
HOUR = 3_600_000


@pytest.fixture
def team(store: LogStore) -> Iterator[Team]:
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    yield Team(sessions)
    sessions.close()


def project_of(team: Team) -> int:
    return team.document.project.id


def numbers(view: dict) -> tuple[int, ...]:
    amount = view["amount"]
    return tuple(amount[f"num_{what}"] for what in ("segments", "segments_done", "segments_to_do", "words"))


def test_totals_count_documents_and_people_with_locked_segments_apart(team: Team):
    team.assign([1, 2], "Ben")
    team.sessions.members.assign(ANA, team.document.session_id, "Cem")
    team.document.confirm(BEN, 1, "Zwei Türen.")
    team.document.locks.set(ANA, [2, 5], is_locked=True)
    team.sessions.open_document(ANA, b"Seven red doors.\n", "more.txt")
    view = team.sessions.totals.view(BEN, project_of(team))
    assert [(one["name"], *numbers(one)) for one in view["documents"]] == [
        ("doors.txt", 6, 1, 3, 12),
        ("more.txt", 1, 0, 1, 3),
    ]
    assert [(one["name"], *numbers(one)) for one in view["people"]] == [
        ("Ben", 2, 1, 0, 4),
        ("Cem", 4, 0, 3, 8),
        ("", 1, 0, 1, 3),
    ]
    assert numbers(view) == (7, 1, 4, 15)
    amount = view["amount"]
    assert (amount["num_segments_locked"], amount["num_words_locked"], amount["num_words_to_do"]) == (2, 4, 9)
    assert not view["is_managed"] and team.sessions.totals.view(ANA, project_of(team))["is_managed"]


def test_part_of_a_person_who_left_is_nobodys(team: Team):
    team.assign([1, 2], "Ben")
    team.sessions.members.remove(ANA, team.document, project_of(team), "Ben")
    view = team.sessions.totals.view(ANA, project_of(team))
    assert [(one["name"], *numbers(one)) for one in view["people"]] == [("", 6, 0, 6, 12)]


def test_project_without_documents_and_document_without_words_have_totals(team: Team):
    team.sessions.projects.create(ANA, team.document, ProjectDraft("Empty"), "en-de")
    empty = next(one.project.id for one in team.store.projects(ANA) if one.project.name == "Empty")
    view = team.sessions.totals.view(ANA, empty)
    assert (view["documents"], view["people"], numbers(view), view["urgency"]) == ([], [], (0, 0, 0, 0), "")
    document = team.sessions.open_document(ANA, b"*** 12 ***\n", "signs.txt")
    team.sessions.totals.set_project_deadline(ANA, empty, NOON)
    view = team.sessions.totals.view(ANA, empty)
    assert document.project.id == empty and view["documents"][0]["amount"]["num_segments"] == 1
    for kind in ("csv", "xlsx"):
        assert team.sessions.totals.file(ANA, empty, kind).data
    document.locks.set(ANA, [0], is_locked=True)
    assert team.sessions.totals.view(ANA, empty)["urgency"] == "", "nothing is to do any more"


def test_only_those_who_manage_a_project_set_deadlines(team: Team):
    totals, session = team.sessions.totals, team.document.session_id
    for actor in (BEN, DAN):
        with pytest.raises(CommandError, match="Only managers"):
            totals.set_project_deadline(actor, project_of(team), NOON)
        with pytest.raises(CommandError, match="Only managers"):
            totals.set_document_deadline(actor, session, NOON)
    stranger = Actor.person("Eve")
    team.store.people.put("Eve", "manager")
    with pytest.raises((CommandError, LogError)):
        totals.set_document_deadline(stranger, session, NOON)
    with pytest.raises((CommandError, LogError)):
        totals.view(stranger, project_of(team))
    for actor in (ANA, OWNER):
        totals.set_project_deadline(actor, project_of(team), NOON)
        totals.set_document_deadline(actor, session, NOON)
        totals.set_project_deadline(actor, project_of(team), None)
        totals.set_document_deadline(actor, session, None)


def test_deadline_of_a_document_comes_before_that_of_its_project_and_survives_a_restart(team: Team):
    totals, session = team.sessions.totals, team.document.session_id
    totals.set_project_deadline(ANA, project_of(team), NOON)
    totals.set_document_deadline(ANA, session, NOON + HOUR)
    team.sessions.workspaces.forget(team.document)
    other = team.sessions.find(OWNER, team.document.token)
    assert other.project.deadline_ms == NOON
    (row,) = [one for one in team.sessions.documents(BEN)["documents"] if one["session"] == session]
    assert row["due_ms"] == NOON + HOUR
    events = [event.payload for event in team.store.events(session) if event.type == "project"][-2:]
    assert [(one["change"], one["deadline_ms"], one["person"]) for one in events] == [
        ("deadline", NOON, "Ana"),
        ("document_deadline", NOON + HOUR, "Ana"),
    ]
    assert team.store.verify_chain(session).is_intact
    totals.set_document_deadline(ANA, session, None)
    (row,) = [one for one in team.sessions.documents(BEN)["documents"] if one["session"] == session]
    assert row["due_ms"] == NOON
    draft = ProjectDraft("Doors and windows")
    team.sessions.projects.edit(ANA, other, project_of(team), draft)
    assert team.sessions.projects.get(ANA, project_of(team)).deadline_ms == NOON, "another change keeps it"


def test_pages_hear_of_a_new_deadline(team: Team):
    stamp = team.store.list_changes.stamp
    team.sessions.totals.set_document_deadline(ANA, team.document.session_id, NOON)
    changed = team.sessions.changed_documents(BEN, stamp)
    assert [one["due_ms"] for one in changed["documents"]] == [NOON]
    team.sessions.totals.set_project_deadline(ANA, project_of(team), NOON)
    assert team.sessions.changed_documents(BEN, changed["stamp"])["documents"] is None


@pytest.mark.parametrize("deadline_ms", [-1, 253_402_214_400_000, 2**53 - 1])
def test_time_without_a_date_is_refused(team: Team, deadline_ms: int):
    for set_it in (
        lambda: team.sessions.totals.set_document_deadline(ANA, team.document.session_id, deadline_ms),
        lambda: team.sessions.totals.set_project_deadline(ANA, project_of(team), deadline_ms),
    ):
        with pytest.raises(CommandError, match="1970 to 9999"):
            set_it()


@pytest.mark.parametrize(
    ("due_ms", "num_to_do", "urgency"),
    [
        (NOON - 1, 1, "overdue"),
        (NOON, 1, "soon"),
        (NOON + SOON_MS, 1, "soon"),
        (NOON + SOON_MS + 1, 1, ""),
        (NOON - 1, 0, ""),  # nothing is to do
        (None, 1, ""),
        (0, 1, "overdue"),
    ],
)
def test_work_is_overdue_or_due_within_a_day_while_something_is_to_do(due_ms: int | None, num_to_do: int, urgency: str):
    assert urgency_of(due_ms, num_to_do, NOON) == urgency


def test_files_have_the_totals_with_times_in_utc_and_no_formulas(team: Team):
    document = team.sessions.open_document(ANA, b"One door.\n", "=1+1.txt")
    team.sessions.totals.set_document_deadline(ANA, document.session_id, NOON + 30 * 60_000)
    team.assign([0], "Ben")
    totals = project_totals(ANA, team.store, document.project, NOON)
    table = totals_csv(totals).data.decode("utf-8-sig").splitlines()
    assert table[0].startswith("document,person,segments,segments done,segments to do,segments locked,words,words done")
    assert table[1] == "'=1+1.txt,,1,0,1,0,2,0,2,0,2026-03-05 12:30,soon"
    assert table[2] == "doors.txt,,6,0,6,0,12,0,12,0,,"
    assert table[3] == "Total,,7,0,7,0,14,0,14,0,,soon"
    book = openpyxl.load_workbook(io.BytesIO(totals_workbook(totals).data))
    assert [row[0].value for row in book["Documents"].rows] == ["document", "=1+1.txt", "doors.txt", "Total"]
    assert [[cell.value for cell in row][:4] for row in book["People"].rows] == [
        ["person", "segments", "segments done", "segments to do"],
        ["Ben", 1, 0, 1],
        [None, 6, 0, 6],
    ]


def test_person_has_the_first_deadline_of_what_is_to_do(team: Team):
    other = team.sessions.open_document(ANA, b"Door.\n", "small.txt")
    totals, project = team.sessions.totals, replace(team.document.project)
    totals.set_document_deadline(ANA, other.session_id, NOON - HOUR)
    totals.set_document_deadline(ANA, team.document.session_id, NOON + HOUR)
    found = project_totals(ANA, team.store, project, NOON).people
    assert [(one.due_ms, one.urgency) for one in found] == [(NOON - HOUR, "overdue")]
    other.confirm(ANA, 0, "Tür.")
    found = project_totals(ANA, team.store, project, NOON).people
    assert [(one.due_ms, one.urgency) for one in found] == [(NOON + HOUR, "soon")]
