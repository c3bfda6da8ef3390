"""A request of the HTTP API that wrote its change is never answered as if nothing had happened."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from itertools import count
from typing import Any

import httpx
import pytest

from app.log import people
from app.sessions import Sessions
from tests.app.serving import test_assignment_api
from tests.app.serving.conftest import Program
from tests.app.serving.test_assignment_api import number, programs  # noqa: F401 (fixtures)
from tests.app.serving.test_documents import send
from tests.faults import StatementFault


def put(program: Program, path: str, attempt: int, **part: int) -> httpx.Response:
    return program.request("PUT", path, json={"person": ("Ana", "Ben")[attempt % 2], **part})


Ask = Callable[[Program, str, int], httpx.Response]
REQUESTS: dict[str, Ask] = {
    "assign a document": put,
    "assign a part": lambda program, path, attempt: put(program, path, attempt, first=2, last=3),
    "take a document back": lambda program, path, attempt: program.request("DELETE", path),
    "send a document": lambda program, path, attempt: send(program, f"Text {attempt}.".encode(), f"{attempt}.txt"),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_that_any_statement_fails_says_whether_it_is_carried_out(
    name: str,
    number: int,  # noqa: F811
    programs: dict[str, Program],  # noqa: F811
    sessions: Sessions,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(people, "_LOOK_SECONDS", -1.0)
    connection = sessions.store.connection
    real = connection.db.conn

    def state() -> list[Any]:
        with connection.lock:
            return [
                real.execute("SELECT count(*) FROM event WHERE type = 'project'").fetchall(),
                real.execute("SELECT id, assignee FROM session ORDER BY id").fetchall(),
                real.execute("SELECT * FROM assigned_segment ORDER BY segment_index").fetchall(),
            ]

    num_refused = 0
    for attempt in count(1):
        before = state()
        fault = StatementFault(attempt, sqlite3.SQLITE_FULL)
        connection.db.conn = fault.over(real)
        try:
            reply = REQUESTS[name](programs["Ana"], f"{test_assignment_api.PATH}/{number}", attempt)
        finally:
            connection.db.conn = real
        if reply.status_code >= 400:
            is_said_to_be_saved = "is saved" in reply.json()["error"]["message"]
            assert is_said_to_be_saved == (before != state()), (attempt, fault.statement, reply.text)
            num_refused += 1
        if not fault.has_struck:
            break
    assert num_refused
