"""People with keys of their own: who signs in, what each has on the screen, and whom the log names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.access.actor import OWNER, Actor
from app.log.store import LogStore
from app.paths import SAMPLES_FOLDER
from app.reports.jsonl import import_jsonl, session_jsonl
from app.serving.keys import ApiFile
from app.sessions import Sessions
from app.settings import AppSettings
from app.ui.api import Api
from app.ui.server import build_server
from app.ui.sign_in import SignIn
from tests.app.hand_decoder import HandDecoder, ready_model

TOKEN = "t0ken-of-this-test_000"
URL = "http://127.0.0.1:7860"
_SEQUENCE = count(1)


@dataclass
class Server:
    """The server with the keys of its people."""

    sessions: Sessions
    keys: ApiFile
    clients: list[TestClient] = field(default_factory=list)

    def client(self) -> TestClient:
        """A browser without a cookie."""
        sign_in = SignIn(TOKEN, self.keys.person_with)
        doors = build_server(Api(self.sessions), host="127.0.0.1", port=7860, sign_in=sign_in)
        client = TestClient(doors, base_url=URL)
        self.clients.append(client)
        return client

    def signed_in(self, name: str) -> TestClient:
        """The browser of a new person."""
        client = self.client()
        _, key = self.keys.create(name, signs_in=True)
        assert client.post("/sign-in", data={"token": key}, follow_redirects=False).status_code == 303
        return client


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    store = LogStore.open(tmp_path / "log.sqlite")
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    server = Server(sessions, ApiFile.beside(tmp_path / "log.sqlite"))
    yield server
    for client in server.clients:
        client.close()
    server.keys.close()
    sessions.close()
    store.close()


def call(browser: TestClient, function: str, **fields: Any) -> dict[str, Any]:
    """Calls a function of the server as the page does."""
    component = re.search(r'"components":\s*\[\{"id":\s*(\d+)', browser.get("/").text)
    assert component, "Gradio numbers the components of all servers of a process"
    message = {"data": fields, "component_id": int(component[1]), "fn_name": function, "session_hash": "page"}
    reply = browser.post("/gradio_api/component_server", json=message)
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    assert answer["ok"], answer
    return answer


def command(browser: TestClient, token: str, name: str, **fields: Any) -> dict[str, Any]:
    position = {"since": -1, "open": None, "detail_since": -1}
    return call(
        browser, "command", name=name, token=token, client="page", sequence=next(_SEQUENCE), **position, **fields
    )


def test_log_names_the_person_of_each_request_inside_the_chain_of_hashes(server: Server, tmp_path: Path):
    ana, ben = server.signed_in("Ana Silva"), server.signed_in("Ben „B“")
    shown = call(ana, "hello", token=None)
    assert shown["result"]["person"] == "Ana Silva"
    command(ana, shown["token"], "edit", segment=0, text="Eins", origin="typed")
    command(ben, shown["token"], "confirm", segment=0, text="Zwei")
    store = server.sessions.store
    (session,) = (one.id for one in store.sessions(OWNER) if one.token == shown["token"])
    events = list(store.events(session))
    people = {event.type: event.payload.get("person") for event in events}
    assert (people["insert"], people["confirm"]) == ("Ana Silva", "Ben „B“")
    assert all("person" not in event.payload for event in events if event.type == "decode"), "the model is nobody"
    assert store.verify_chain(session).is_intact
    other = LogStore.open(tmp_path / "other.sqlite")
    copied = import_jsonl(other, session_jsonl(OWNER, store, session).data, "a.jsonl")
    assert [event.payload_json for event in other.events(copied)] == [event.payload_json for event in events]
    other.close()


def test_events_of_the_owner_name_nobody(server: Server):
    client = server.client()
    assert client.post("/sign-in", data={"token": TOKEN}, follow_redirects=False).status_code == 303
    shown = call(client, "hello", token=None)
    assert shown["result"]["person"] == ""
    command(client, shown["token"], "edit", segment=0, text="Eins", origin="typed")
    store = server.sessions.store
    assert all("person" not in event.payload for event in store.events(store.sessions(OWNER)[0].id))


def test_each_person_has_a_document_on_the_screen_and_opening_one_does_not_stop_anothers(server: Server):
    sessions, ana, ben = server.sessions, Actor.person("Ana"), Actor.person("Ben")
    anas = sessions.open_document(ana, b"One.\nTwo.\n", "ana.txt")
    bens = sessions.open_document(ben, b"Three.\nFour.\n", "ben.txt")
    assert not anas.decoding.is_suspended and not bens.decoding.is_suspended
    assert sessions.welcome(ana, None)[0] is anas
    second = sessions.open_document(ana, b"Five.\n", "ana2.txt")
    assert anas.decoding.is_suspended and not bens.decoding.is_suspended
    assert sessions.welcome(ben, None)[0] is bens
    sessions.resume(ben, second.session_id)
    sessions.resume(ana, anas.session_id)
    assert not second.decoding.is_suspended, "Ben has it on the screen"
    assert sessions.workspaces.is_shown(second.session_id) and not sessions.workspaces.is_shown(bens.session_id)
    sessions.workspaces.close_idle(0.0)
    assert sessions.workspaces.of_session(second.session_id) is None
    assert sessions.welcome(ben, None)[0].session_id == second.session_id, "taken up again from the log"


@pytest.mark.parametrize("options", [{}, {"may_export": True}])
def test_keys_of_programs_and_revoked_keys_do_not_open_the_page(server: Server, options: dict[str, bool]):
    _, key = server.keys.create("Weblate", **options)
    assert server.client().get("/status", headers={"authorization": f"Bearer {key}"}).status_code == 401
    ana = server.signed_in("Ana")
    assert ana.get("/status").status_code == 200
    server.keys.revoke(server.keys.keys()[-1].id)
    assert ana.get("/status").status_code == 401
    assert ana.get("/").status_code == 401


def test_signing_out_forgets_the_key_in_the_browser(server: Server):
    ana = server.signed_in("Ana")
    reply = ana.get("/?sign-out")
    assert reply.status_code == 401 and "password" in reply.text
    assert ana.get("/status").status_code == 401
    assert not server.keys.keys()[0].revoked, "it opens the page again"


def test_file_of_an_earlier_version_gets_the_new_column(tmp_path: Path):
    file = ApiFile(tmp_path / "log.keys")
    _, key = file.create("Weblate")
    file.connection.db.execute("ALTER TABLE key DROP COLUMN signs_in")
    file.close()
    again = ApiFile(tmp_path / "log.keys")
    assert again.person_with(key) is None and not again.keys()[0].signs_in
    again.close()


def test_person_is_added_to_payloads_that_are_json_already(tmp_path: Path):
    store = LogStore.open(tmp_path / "log.sqlite")
    sessions = Sessions(store, ready_model(HandDecoder()), SAMPLES_FOLDER)
    workspace = sessions.open_document(OWNER, b"One.\n", "a.txt")
    store.append(Actor.signed_in('A "quoted" name'), workspace.session_id, "close", {})
    last = list(store.events(workspace.session_id))[-1]
    assert json.loads(last.payload_json) == {"person": 'A "quoted" name'}
    sessions.close()
    store.close()


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"authorization": f"Bearer {TOKEN}", "x-forwarded-user": " Ana Šilva "}, "Ana Šilva"),
        ({"authorization": f"Bearer {TOKEN}"}, None),
        ({"authorization": f"Bearer {TOKEN}", "x-forwarded-user": ""}, None),
        ({"authorization": f"Bearer {TOKEN}", "x-forwarded-user": "a\x07b"}, None),
        ({"authorization": f"Bearer {TOKEN}", "x-forwarded-user": "x" * 101}, None),
        ({"authorization": "Bearer wrong", "x-forwarded-user": "Ana"}, None),
        ({"x-forwarded-user": "Ana"}, None),
        ({"cookie": f"COOKIE={TOKEN}", "x-forwarded-user": "Ana"}, ""),  # the owner, without the proxy
    ],
)
def test_proxy_with_the_access_token_names_the_person(headers: dict[str, str], expected: str | None):
    sign_in = SignIn(TOKEN, person_header="X-Forwarded-User")
    sent = [(name.encode(), value.replace("COOKIE", sign_in.cookie).encode()) for name, value in headers.items()]
    assert sign_in.person_of(sent) == expected
    if expected and (answer := sign_in.answer(b"sign-out", sent)):
        assert b"sign out there" in bytes(answer.body)


def test_header_that_names_people_needs_a_name_and_the_token():
    assert AppSettings(person_header="X-Forwarded-User").person_header == "X-Forwarded-User"
    for wrong in ({"person_header": "x: y"}, {"person_header": "X-User", "no_auth": True}):
        with pytest.raises(ValueError, match="--person-header"):
            AppSettings(**wrong)
