"""Projects, totals and deadlines for other programs and on the command line, with the rights of the page."""

from __future__ import annotations

import json
import time

import pytest

from app.__main__ import main
from app.access.actor import OWNER, Actor
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from app.sessions import Sessions
from app.workspace.commands import Workspace
from tests.app.serving.conftest import Program

PREFIX = "/api/v1"
TIME, UTC_TIME = "2026-12-04T17:00+01:00", "2026-12-04T16:00:00Z"


@pytest.fixture
def document(sessions: Sessions) -> Workspace:
    """A document of two segments in a project of the manager Ana with the translator Ben; Eve sees nothing."""
    for name, role in (("Ana", "manager"), ("Ben", "translator"), ("Eve", "manager")):
        sessions.store.people.put(name, role)  # type: ignore[arg-type]
    document = sessions.open_document(Actor.person("Ana"), b"One door.\nTwo doors.\n", "doors.txt")
    sessions.store.people.join("Ben", [document.project.id])
    return document


@pytest.fixture
def programs(gateway: ApiGateway, keys: ApiFile) -> dict[str, Program]:
    made = {name: keys.create(name, may_export=True)[1] for name in ("Ana", "Ben", "Eve")}
    return {name: Program(gateway, authorization=f"Bearer {key}") for name, key in made.items()}


def paths(document: Workspace) -> tuple[str, str]:
    return f"{PREFIX}/projects/{document.project.id}/deadline", f"{PREFIX}/sessions/{document.session_id}/deadline"


def test_manager_sets_reads_and_removes_deadlines(document: Workspace, programs: dict[str, Program]):
    ana, (project, session) = programs["Ana"], paths(document)
    reply = ana.request("PUT", project, json={"deadline": TIME}).json()
    assert (reply["deadline"], reply["documents"][0]["deadline"], reply["documents"][0]["due"]) == (
        UTC_TIME, None, UTC_TIME,
    )  # fmt: skip
    reply = ana.request("PUT", session, json={"deadline": "2020-01-01T00:00Z"}).json()
    assert (reply["documents"][0]["deadline"], reply["urgency"]) == ("2020-01-01T00:00:00Z", "overdue")
    totals = project.replace("deadline", "totals")
    assert programs["Ben"].get(totals).json() == ana.get(totals).json() == reply
    assert (reply["amount"]["num_segments"], reply["amount"]["num_words_to_do"]) == (2, 4)
    assert ana.request("DELETE", session).json()["documents"][0]["due"] == UTC_TIME
    assert ana.request("DELETE", project).json()["deadline"] is None
    (listed,) = ana.get(f"{PREFIX}/projects").json()["projects"]
    assert (listed["id"], listed["num_documents"]) == (document.project.id, 1)


@pytest.mark.parametrize(
    ("who", "status", "kind"), [("Ben", 403, "forbidden"), ("Eve", 404, "not_found"), ("nobody", 401, "no_key")]
)
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_who_does_not_manage_the_project_sets_nothing(
    document: Workspace,
    programs: dict[str, Program],
    gateway: ApiGateway,
    who: str,
    status: int,
    kind: str,
    method: str,
):
    for path in paths(document):
        programs["Ana"].request("PUT", path, json={"deadline": TIME})
        body = {"json": {"deadline": "2027-01-01T00:00Z"}} if method == "PUT" else {}
        reply = programs.get(who, Program(gateway)).request(method, path, **body)
        assert (reply.status_code, reply.json()["error"]["kind"]) == (status, kind)
    row = programs["Ana"].get(paths(document)[0].replace("deadline", "totals")).json()["documents"][0]
    assert row["deadline"] == UTC_TIME


def test_others_do_not_see_that_there_is_a_project(document: Workspace, programs: dict[str, Program]):
    eve = programs["Eve"]
    assert eve.get(f"{PREFIX}/projects").json() == {"projects": []}
    for number in (document.project.id, 999):
        assert eve.get(f"{PREFIX}/projects/{number}/totals").status_code == 404


def test_key_must_be_one_that_may_export(document: Workspace, gateway: ApiGateway, keys: ApiFile):
    plain = Program(gateway, authorization=f"Bearer {keys.create('Ana')[1]}")
    for path in (f"{PREFIX}/projects", paths(document)[0].replace("deadline", "totals")):
        assert plain.get(path).status_code == 403
    assert all(plain.request("DELETE", path).status_code == 403 for path in paths(document))


@pytest.mark.parametrize(
    ("deadline", "problem"),
    [
        ("2026-12-04T17:00", "time zone"),
        ("2026-12-04", "time zone"),
        ("tomorrow", "time zone"),
        ("1969-01-01T00:00Z", "1970 to 9999"),
        ("9999-12-31T23:59-23:00", "1970 to 9999"),
        (1_772_712_000_000, "deadline"),
        (None, "deadline"),
    ],
)
def test_wrong_time_names_the_problem(
    document: Workspace, programs: dict[str, Program], deadline: object, problem: str
):
    for path in paths(document):
        reply = programs["Ana"].request("PUT", path, json={"deadline": deadline})
        assert reply.status_code in (400, 422)
        assert problem in reply.json()["error"]["message"]


def run(capsys: pytest.CaptureFixture[str], sessions: Sessions, *arguments: str) -> tuple[int, str, str]:
    status = main(["deadlines", *arguments, "--log", str(sessions.store.path)])
    return status, *capsys.readouterr()


def test_command_line_sets_deadlines_while_the_app_runs(
    document: Workspace, sessions: Sessions, capsys: pytest.CaptureFixture[str]
):
    project, session, ana = str(document.project.id), str(document.session_id), Actor.person("Ana")
    stamp = sessions.store.list_changes.stamp
    assert run(capsys, sessions, "set", TIME, "--project", project) == (0, f"project {project}: due {UTC_TIME}\n", "")
    past = "2020-01-01T00:00:00Z"
    status, out, _ = run(capsys, sessions, "set", past, "--session", session)
    assert (status, out.strip()) == (0, f"{session}  doors.txt: due {past}")
    lines = run(capsys, sessions, "list", project)[1].splitlines()
    assert lines[0] == f"project {project}  Ana (en-de): 2 of 2 segments to do, due {UTC_TIME}"
    assert lines[1].endswith(f"doors.txt: 2 of 2 segments to do, due {past} (overdue)")
    sessions.projects.choose_matches(ana, document, 80, 0, 0)  # the open document knows the project as it was
    view = json.loads(run(capsys, sessions, "list", project, "--json")[1])
    assert (view["deadline"], view["documents"][0]["due"]) == (UTC_TIME, past)
    assert "is_managed" not in view and sessions.totals.with_times(OWNER, document.project.id) == view
    assert run(capsys, sessions, "remove", "--session", session)[1].endswith("doors.txt: no deadline of its own\n")
    assert run(capsys, sessions, "list")[1].splitlines()[1].endswith(f"due {UTC_TIME}, as the project")
    assert run(capsys, sessions, "remove", "--project", project)[1] == f"project {project}: no deadline\n"
    assert sessions.store.verify_chain(document.session_id).is_intact
    sessions.store.list_changes._looked -= 10
    assert sessions.store.list_changes.since(stamp) is None or sessions.store.list_changes.stamp > stamp


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("set", TIME, "--project", "99"), "there is no project 99"),
        (("list", str(10**40)), "there is no project 1000"),
        (("set", TIME, "--session", "99"), "99"),
        (("set", "soon", "--project", "1"), "not a day with a time"),
    ],
)
def test_command_line_names_the_problem(
    document: Workspace,
    sessions: Sessions,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    problem: str,
):
    status, _, err = run(capsys, sessions, *arguments)
    assert status == 2 and problem in err


def test_time_without_a_time_zone_is_one_of_this_computer(
    document: Workspace, sessions: Sessions, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "CET-1")
        time.tzset()
        out = run(capsys, sessions, "set", "2026-12-04T17:00", "--project", str(document.project.id))[1]
    time.tzset()
    assert UTC_TIME in out
