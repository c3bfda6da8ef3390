"""A request of the HTTP API that wrote its change is never answered as if nothing had happened."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import httpx
import pytest

from app.errors import LogError
from app.log import people
from app.serving import document_api
from app.serving.api_documents import ApiDocuments
from app.serving.keys import ApiFile
from app.sessions import Sessions
from tests.app.serving import test_assignment_api
from tests.app.serving.conftest import Program
from tests.app.serving.test_assignment_api import number, programs  # noqa: F401 (fixtures)
from tests.app.serving.test_documents import send
from tests.faults import StatementFault


def as_deepl(program: Program) -> dict[str, str]:
    return {"authorization": program.headers["authorization"].replace("Bearer", "DeepL-Auth-Key")}


def put(program: Program, path: str, attempt: int, **part: int) -> httpx.Response:
    return program.request("PUT", path, json={"person": ("Ana", "Ben")[attempt % 2], **part})


def sent_document(program: Program, attempt: int) -> str:
    return f"{document_api.PATH}/{send(program, f'Text {attempt}.'.encode(), f'{attempt}.txt').json()['id']}"


def dictionary(attempt: int, word: str = "file") -> dict[str, str]:
    return {"source_lang": "en", "target_lang": "de", "entries": f"{word}\tDatei {attempt}", "entries_format": "tsv"}


def glossary(program: Program, attempt: int) -> str:
    made = {"name": f"G{attempt}", "dictionaries": [dictionary(0)]}
    reply = program.post("/v3/glossaries", json=made, headers=as_deepl(program))
    return f"/v3/glossaries/{reply.json()['glossary_id']}"


Ask = Callable[[Program, str, int], httpx.Response]
REQUESTS: dict[str, Ask] = {
    "assign a document": put,
    "assign a part": lambda program, path, attempt: put(program, path, attempt, first=2, last=3),
    "take a document back": lambda program, path, attempt: program.request("DELETE", path),
    "send a document": lambda program, _, attempt: send(program, f"Text {attempt}.".encode(), f"{attempt}.txt"),
    "send a document as to DeepL": lambda program, _, attempt: program.post(
        "/v2/document",
        files={"file": (f"{attempt}.txt", f"Text {attempt}.".encode())},
        data={"source_lang": "EN", "target_lang": "DE"},
        headers=as_deepl(program),
    ),
    "delete a document": lambda program, path, _: program.request("DELETE", path),
    "make a glossary": lambda program, _, attempt: program.post(
        "/v3/glossaries", json={"name": f"G{attempt}", "dictionaries": [dictionary(attempt)]}, headers=as_deepl(program)
    ),
    "make a glossary of one language pair": lambda program, _, attempt: program.post(
        "/v2/glossaries", json={"name": f"G{attempt}", **dictionary(attempt)}, headers=as_deepl(program)
    ),
    "change a glossary": lambda program, path, attempt: program.request(
        "PATCH",
        path,
        json={"name": f"New {attempt}", "dictionaries": [dictionary(attempt, "door")]},
        headers=as_deepl(program),
    ),
    "replace a dictionary": lambda program, path, attempt: program.request(
        "PUT", f"{path}/dictionaries", json=dictionary(attempt), headers=as_deepl(program)
    ),
    "delete a dictionary": lambda program, path, _: program.request(
        "DELETE", f"{path}/dictionaries", params={"source_lang": "en", "target_lang": "de"}, headers=as_deepl(program)
    ),
    "delete a glossary": lambda program, path, _: program.request("DELETE", path, headers=as_deepl(program)),
}
# What the request is about is made anew for each attempt.
PREPARATIONS: dict[str, Callable[[Program, int], str]] = {
    "delete a document": sent_document,
    **dict.fromkeys(
        ("change a glossary", "replace a dictionary", "delete a dictionary", "delete a glossary"), glossary
    ),
}
TABLES = ("glossary", "dictionary", "document")  # in the file of the keys


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_that_any_statement_fails_says_whether_it_is_carried_out(
    name: str,
    number: int,  # noqa: F811
    programs: dict[str, Program],  # noqa: F811
    sessions: Sessions,
    keys: ApiFile,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The statements of the log and those of the file with the keys."""
    monkeypatch.setattr(people, "_LOOK_SECONDS", -1.0)
    connections = (sessions.store.connection, keys.connection)
    log, kept = real = [each.db.conn for each in connections]

    def state() -> list[Any]:
        queries = (
            "SELECT count(*) FROM event WHERE type = 'project'",
            "SELECT id, assignee FROM session ORDER BY id",
            "SELECT * FROM assigned_segment ORDER BY segment_index",
        )
        with connections[0].lock, connections[1].lock:
            of_log = [log.execute(query).fetchall() for query in queries]
            return of_log + [kept.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in TABLES]

    num_refused = 0
    for attempt in count(1):
        prepare = PREPARATIONS.get(name)
        path = f"{test_assignment_api.PATH}/{number}" if prepare is None else prepare(programs["Ana"], attempt)
        before = state()
        fault = StatementFault(attempt, sqlite3.SQLITE_FULL)
        for each, connection in zip(connections, real, strict=True):
            with each.lock:
                each.db.conn = fault.over(connection)
        try:
            reply = REQUESTS[name](programs["Ana"], path, attempt)
        finally:
            for each, connection in zip(connections, real, strict=True):
                with each.lock:
                    each.db.conn = connection
        is_carried_out = reply.status_code < 400 or "is saved" in reply.text
        assert is_carried_out == (before != state()), (attempt, fault.statement, reply.text)
        num_refused += reply.status_code >= 400
        if not fault.has_struck:
            assert reply.status_code < 400, reply.text
            break
    assert num_refused


def test_a_translated_document_that_cannot_be_deleted_is_sent_all_the_same(
    number: int,  # noqa: F811
    programs: dict[str, Program],  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is deleted in the log before the file of the keys fails: a program that got an error had lost its document."""
    ana = programs["Ana"]
    data = {"source_lang": "EN", "target_lang": "DE"}
    made = ana.post("/v2/document", files={"file": ("a.txt", b"One door.")}, data=data, headers=as_deepl(ana)).json()
    path, secret = f"/v2/document/{made['document_id']}", {"document_key": made["document_key"]}
    deadline = time.monotonic() + 60
    while ana.post(path, json=secret, headers=as_deepl(ana)).json()["status"] != "done":
        assert time.monotonic() < deadline
        time.sleep(0.05)

    def fail(*_: object) -> None:
        raise LogError("no space")

    monkeypatch.setattr(ApiDocuments, "_forget", fail)
    reply = ana.post(f"{path}/result", json=secret, headers=as_deepl(ana))
    assert (reply.status_code, bool(reply.content.strip())) == (200, True), reply.text
