"""Webhooks: which events are delivered, how often, with which signature, and to which addresses."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from app.__main__ import main
from app.access.actor import Actor
from app.errors import CommandError
from app.serving import webhooks as module
from app.serving.keys import ApiFile
from app.serving.webhooks import PAUSES, Webhooks, address_to_ask
from tests.app.test_parts import BEN, TEXT, Team, team

__all__ = ["team"]

DAN = Actor.person("Dan")
URL, PUBLIC = "https://example.org/hook?a=1", "93.184.215.14"


class Receiver:
    """Notes requests, and answers with a status; 0: refuses the connection."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.status = 204
        self.transport = httpx.MockTransport(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self.status == 0:
            raise httpx.ConnectError("refused")
        return httpx.Response(self.status, headers={"location": "http://127.0.0.1/"})

    def taken(self) -> list[dict[str, Any]]:
        """The bodies of the requests since the last call."""
        found = [json.loads(request.content) for request in self.requests]
        self.requests.clear()
        return found


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the deliveries, which a test moves."""
    now = [time.time()]
    monkeypatch.setattr(module, "_now", lambda: now[0])
    return now


def numbers(*found: str) -> Any:
    return lambda host, port, **options: [(0, 0, 0, "", (number, port)) for number in found]


@pytest.fixture
def hooks(team: Team, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Iterator[Webhooks]:
    monkeypatch.setattr(module, "_look_up", numbers(PUBLIC))
    file = ApiFile.beside(team.store.path)
    yield Webhooks(file, team.store, receiver.transport)
    file.close()


def confirm_all(team: Team, first: int = 0) -> None:
    for index in range(first, 6):
        team.document.confirm(BEN, index, f"Tür {index}.")


def events(receiver: Receiver) -> list[str]:
    return [body["event"] for body in receiver.taken()]


def test_assigned_returned_and_finished_documents_are_told_without_their_texts(
    team: Team, hooks: Webhooks, receiver: Receiver
):
    hooks.list.add(URL)
    session, project = team.document.session_id, team.document.project.id
    team.assign([1, 2, 4], "Ben")
    team.sessions.members.assign(Actor.person("Ana"), session, "Ben")
    hooks.work()
    part, whole = receiver.taken()
    document = {
        "session": session, "name": "doors.txt", "project": project, "direction": "en-de", "num_segments": 6,
        "num_confirmed": 0, "num_locked": 0,
    }  # fmt: skip
    told = {"event": "assigned", "by": "Ana", "person": "Ben", "document": document}
    assert {key: part[key] for key in told} == told and part["num_segments"] == 3
    assert whole["num_segments"] == 6 and part["time"].endswith("+00:00")
    confirm_all(team)
    hooks.work()
    (finished,) = receiver.taken()
    assert finished["event"] == "finished" and finished["by"] == "Ben" and "Tür" not in json.dumps(finished)
    team.document.use_project(replace(team.document.project, has_review=True))
    team.document.review.decide(DAN, 0, "returned", "Tür 0.", "Why?")
    hooks.work()
    assert events(receiver) == ["returned"]
    team.document.confirm(BEN, 0, "Die Tür.")
    hooks.work()
    assert events(receiver) == ["finished"], "again, as it was not finished in between"
    hooks.work()
    assert receiver.taken() == []


def test_webhook_gets_only_its_events_its_project_and_what_happens_after_it_was_added(
    team: Team, hooks: Webhooks, receiver: Receiver
):
    confirm_all(team)
    time.sleep(0.002)
    hooks.list.add(URL, ("assigned",))
    hooks.list.add(URL, ("returned", "finished"), project=team.document.project.id + 1)
    hooks.work()
    assert receiver.taken() == []
    team.assign([0], "Cem")
    team.assign([0], "")
    hooks.work()
    assert events(receiver) == ["assigned"], "an assignment that ends is none"


def test_nothing_is_told_twice_or_lost_by_a_restart(team: Team, hooks: Webhooks, receiver: Receiver):
    hooks.list.add(URL)
    confirm_all(team, first=1)
    hooks.work()
    team.document.confirm(BEN, 0, "Tür.")
    hooks._is_closed.set()  # ends before anything is sent
    hooks.work()
    assert receiver.taken() == [] and hooks.list.num_waiting(1) == 1
    again = Webhooks(ApiFile.beside(team.store.path), team.store, receiver.transport)
    again.work()
    assert events(receiver) == ["finished"]
    again.work()
    assert events(receiver) == []


def test_document_is_finished_although_its_last_segment_is_confirmed_while_the_events_are_counted(
    team: Team, hooks: Webhooks, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
):
    hooks.list.add(URL)
    confirm_all(team, first=1)
    sessions_of = team.store.sessions_of

    def after_another(*given: Any) -> Any:
        monkeypatch.undo()
        monkeypatch.setattr(module, "_look_up", numbers(PUBLIC))
        team.document.confirm(BEN, 0, "Tür.")
        return sessions_of(*given)

    monkeypatch.setattr(team.store, "sessions_of", after_another)
    hooks.work()
    hooks.work()
    assert events(receiver) == ["finished"]


def test_signature_is_that_of_standard_webhooks(team: Team, hooks: Webhooks, receiver: Receiver):
    secret = hooks.list.add(URL)
    hooks.list.send_test(1)
    hooks.work()
    (request,) = receiver.requests
    assert Verifier(secret).verify(request.content.decode(), dict(request.headers))["event"] == "test"
    assert str(request.url) == f"https://{PUBLIC}/hook?a=1", "the number that was checked"
    assert request.headers["host"] == "example.org" and request.extensions["sni_hostname"] == "example.org"
    request.headers["webhook-signature"] = "v1,d3Jvbmc="
    with pytest.raises(Exception, match="No matching signature"):
        Verifier(secret).verify(request.content.decode(), dict(request.headers))


@pytest.mark.parametrize("status", [0, 302, 400, 500])
def test_refused_delivery_is_repeated_after_longer_and_longer_pauses_for_a_day(
    hooks: Webhooks, receiver: Receiver, clock: list[float], status: int
):
    hooks.list.add(URL)
    hooks.list.send_test(1)
    receiver.status = status
    for pause in PAUSES:
        hooks.work()
        hooks.work()
        assert len(receiver.requests) == 1, "not before it is due"
        clock[0] += pause + 1
        receiver.requests.clear()
    assert hooks.list.all()[0].problem in ("ConnectError", f"status {status}")
    hooks.work()
    assert len(receiver.requests) == 1 and hooks.list.num_waiting(1) == 0
    assert 20 * 3600 < sum(PAUSES) < 30 * 3600


def test_same_delivery_has_the_same_id_and_a_new_timestamp(hooks: Webhooks, receiver: Receiver, clock: list[float]):
    secret = hooks.list.add(URL)
    hooks.list.send_test(1)
    receiver.status = 503
    hooks.work()
    clock[0] += 6
    receiver.status = 200
    hooks.work()
    first, second = (request.headers for request in receiver.requests)
    assert first["webhook-id"] == second["webhook-id"] and first["webhook-timestamp"] != second["webhook-timestamp"]
    assert first["webhook-signature"] != second["webhook-signature"]
    assert hooks.list.all()[0].problem == "" and secret


def test_receiver_that_is_gone_ends_the_webhook_and_others_go_on(hooks: Webhooks, receiver: Receiver):
    hooks.list.add(URL)
    hooks.list.send_test(1)
    receiver.status = 410
    hooks.work()
    hooks.list.add("https://example.org/other")
    receiver.status = 200
    for number in (1, 2):
        hooks.list.send_test(number)
    hooks.work()
    assert [request.url.path for request in receiver.requests] == ["/hook", "/other"]
    assert [each.is_ended for each in hooks.list.all()] == [True, False]


def test_number_of_waiting_deliveries_and_of_webhooks_is_bounded(hooks: Webhooks, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MAX_WAITING", 3)
    for _ in range(module.MAX_WEBHOOKS):
        hooks.list.add(URL)
    with pytest.raises(CommandError, match="limited to 20: remove one"):
        hooks.list.add(URL)
    for _ in range(5):
        hooks.list.send_test(1)
    assert hooks.list.num_waiting(1) == 3


PRIVATE = (
    "127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "::1", "::", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1", "64:ff9b:1::1", "64:ff9b::10.0.0.1", "2002:a00:1::",
)  # fmt: skip


@pytest.mark.parametrize("number", PRIVATE)
def test_name_that_leads_into_the_network_is_refused_unless_it_is_allowed(number: str, monkeypatch: pytest.MonkeyPatch):
    for found in ([number], [PUBLIC, number]):
        monkeypatch.setattr(module, "_look_up", numbers(*found))
        with pytest.raises(CommandError, match="inside the network"):
            address_to_ask(URL, is_private=False)
        assert address_to_ask(URL, is_private=True)[1] == "example.org"


def test_number_that_is_written_in_another_way_is_looked_up_before_it_is_checked():
    for name in ("2130706433", "0x7f.1", "localhost"):
        try:
            with pytest.raises(CommandError, match="inside the network"):
                address_to_ask(f"https://{name}/", is_private=False)
        except socket.gaierror:  # this system does not know such numbers, so that none can be reached
            assert name != "localhost"


@pytest.mark.parametrize(
    "url",
    [
        "", "example.org", "ftp://example.org/", "http://example.org/", "https://", "https://a:b@example.org/",
        "https://example.org:99999/", "https://example.org:0/", "https://exa mple.org/", "https://example.org/\n",
        "https://exämple.org/", "https://example.org/" + "x" * 2000, "https://[::1", "file:///etc/passwd",
    ],
)  # fmt: skip
def test_impossible_address_is_refused_when_it_is_added(hooks: Webhooks, url: str):
    with pytest.raises(CommandError):
        hooks.list.add(url)
    assert hooks.list.all() == []


def test_real_receiver_inside_the_network_gets_the_delivery_from_the_thread(team: Team):
    taken: list[tuple[bytes, dict[str, str]]] = []
    is_taken = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            taken.append((body, {name.lower(): value for name, value in self.headers.items()}))
            self.send_response(204)
            self.end_headers()
            is_taken.set()

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    file = ApiFile.beside(team.store.path)
    running = Webhooks(file, team.store)
    secret = running.list.add(f"http://localhost:{server.server_port}/hook", is_private=True)
    running.list.send_test(1)
    module_seconds, module._LOOK_SECONDS = module._LOOK_SECONDS, 0.01
    try:
        running.start()
        assert is_taken.wait(60)
    finally:
        module._LOOK_SECONDS = module_seconds
        running.close()
        server.shutdown()
        server.server_close()
        file.close()
    body, headers = taken[0]
    assert headers["host"] == f"localhost:{server.server_port}" and Verifier(secret).verify(body.decode(), headers)


def test_command_adds_lists_tests_and_removes_webhooks(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    log = str(tmp_path / "log.sqlite")

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["webhooks", *arguments, "--log", log])
        return status, *capsys.readouterr()

    status, secret, hint = run("add", URL, "--event", "finished", "--project", "3")
    assert status == 0 and secret.startswith("whsec_") and "start Pinpoint again" in hint
    assert run("test", "1")[0] == 0
    listed = run("list")[1]
    assert listed == f"   1  {URL} (finished, project 3), 1 delivery waiting\n" and secret not in listed
    shown = json.loads(run("list", "--json")[1])
    assert shown["events"] == "finished" and "secret" not in shown
    assert run("add", "http://10.0.0.5/")[0] == run("remove", "2")[0] == run("test", "2")[0] == 2
    assert run("remove", "1")[0] == 0 and run("list")[1] == ""


def test_position_in_a_deleted_document_is_forgotten(team: Team, hooks: Webhooks, receiver: Receiver):
    hooks.list.add(URL)
    other = team.sessions.open_document(Actor.person("Ana"), TEXT + b"More.\n", "other.txt")
    hooks.work()
    count = "SELECT count(*) AS number FROM read_session"
    before = hooks.list._rows(count)[0]["number"]
    team.store.delete_session(other.session_id)
    hooks.work()
    assert hooks.list._rows(count)[0]["number"] == before - 1
