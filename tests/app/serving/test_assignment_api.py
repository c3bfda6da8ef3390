"""Assignments by other programs: the rights of a key are those of its person on the page."""

from __future__ import annotations

import pytest

from app.access.actor import OWNER, Actor
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from app.sessions import Sessions
from tests.app.serving.conftest import Program

PATH = "/api/v1/assignments"


@pytest.fixture
def number(sessions: Sessions) -> int:
    """A document of four segments in a project of the manager Ana with the translator Ben; Eve sees nothing."""
    for name, role in (("Ana", "manager"), ("Ben", "translator"), ("Eve", "manager")):
        sessions.store.people.put(name, role)  # type: ignore[arg-type]
    document = sessions.open_document(
        Actor.person("Ana"), b"One door.\nTwo doors.\nThree doors.\nFour doors.\n", "doors.txt"
    )
    sessions.store.people.join("Ben", [document.project.id])
    return document.session_id


@pytest.fixture
def programs(gateway: ApiGateway, keys: ApiFile) -> dict[str, Program]:
    made = {name: keys.create(name, may_export=True)[1] for name in ("Ana", "Ben", "Eve")}
    return {name: Program(gateway, authorization=f"Bearer {key}") for name, key in made.items()}


def test_manager_assigns_a_document_and_a_part_and_takes_them_back(number: int, programs: dict[str, Program]):
    ana = programs["Ana"]
    assert ana.request("PUT", f"{PATH}/{number}", json={"person": "Ana"}).status_code == 200
    reply = ana.request("PUT", f"{PATH}/{number}", json={"person": "Ben", "first": 2, "last": 3})
    parts = [{"person": "Ben", "first": 2, "last": 3}]
    assert (reply.status_code, reply.json()["person"], reply.json()["parts"]) == (200, "Ana", parts)
    for program in (ana, programs["Ben"]):
        assert program.get(f"{PATH}/{number}").json() == reply.json()
        assert program.get(PATH).json()["documents"][0] == reply.json()
    reply = ana.request("DELETE", f"{PATH}/{number}", params={"first": 3, "last": 4})
    assert reply.json()["parts"] == [{"person": "Ben", "first": 2, "last": 2}]
    assert ana.request("DELETE", f"{PATH}/{number}").json()["person"] == ""


def test_open_document_shows_the_assignment_at_once(number: int, programs: dict[str, Program], sessions: Sessions):
    programs["Ana"].request("PUT", f"{PATH}/{number}", json={"person": "Ben", "first": 1, "last": 1})
    document = sessions.workspaces.of_session(number)
    assert document is not None
    assert [row["assignee"] for row in document.snapshot(OWNER)["rows"]] == ["Ben", "", "", ""]


@pytest.mark.parametrize(
    ("who", "status", "kind"), [("Ben", 403, "forbidden"), ("Eve", 404, "not_found"), ("nobody", 401, "no_key")]
)
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_who_does_not_manage_the_project_assigns_nothing(
    number: int, programs: dict[str, Program], gateway: ApiGateway, who: str, status: int, kind: str, method: str
):
    body = {"json": {"person": "Ben"}} if method == "PUT" else {}
    reply = programs.get(who, Program(gateway)).request(method, f"{PATH}/{number}", **body)
    assert (reply.status_code, reply.json()["error"]["kind"]) == (status, kind)
    assert programs["Ana"].get(f"{PATH}/{number}").json()["person"] == ""


def test_others_do_not_see_that_there_is_a_document(number: int, programs: dict[str, Program]):
    eve = programs["Eve"]
    assert eve.get(PATH).json() == {"documents": []}
    assert eve.get(f"{PATH}/{number}").status_code == eve.get(f"{PATH}/999").status_code == 404


def test_key_must_be_one_that_may_export(number: int, gateway: ApiGateway, keys: ApiFile):
    plain = Program(gateway, authorization=f"Bearer {keys.create('Ana')[1]}")
    assert plain.get(PATH).status_code == 403


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"person": "Eve"}, "not a member"),
        ({"person": "Ben", "first": 2}, "both first and last"),
        ({"person": "Ben", "first": 3, "last": 5}, "Segments 3 to 5 do not exist"),
        ({"person": "Ben", "first": 0, "last": 1}, "first"),
        ({"person": "", "first": 1, "last": 1}, "person"),
        ({}, "person"),
    ],
)
def test_wrong_request_names_the_problem(number: int, programs: dict[str, Program], body: object, problem: str):
    reply = programs["Ana"].request("PUT", f"{PATH}/{number}", json=body)
    assert reply.status_code in (400, 422)
    assert problem in reply.json()["error"]["message"]
