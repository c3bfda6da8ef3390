"""Every address of the server, Gradio's included: who may use it, and which are closed."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app import VERSION
from app.__main__ import with_api
from app.models.watchdog import REPORTED_AFTER_SECONDS
from app.monitoring import Metrics
from app.serving.gateway import ApiGateway, error_reply_of
from app.serving.keys import ApiFile
from app.serving.passwords import Passwords
from app.text.client_json import MAX_MARKS
from app.ui.api import Api
from app.ui.page import ITEMS_AT_ONCE, json_reply
from app.ui.server import Doors, build_server
from app.ui.sign_in import SignIn
from tests.app.ui.test_api import api  # noqa: F401 (a fixture)

TOKEN = "t0ken-of-this-test_000"
SIGNED_IN = {"authorization": f"Bearer {TOKEN}"}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@pytest.fixture
def doors(api: Api, tmp_path: Path) -> Iterator[Doors]:  # noqa: F811
    keys = ApiFile.beside(tmp_path / "page.sqlite")
    sign_in = SignIn(TOKEN, keys.person_with, passwords=Passwords(keys))
    yield build_server(api, host="127.0.0.1", port=7860, sign_in=sign_in, metrics=Metrics(api.sessions))
    keys.close()


@pytest.fixture
def front(doors: Doors, api: Api, tmp_path: Path) -> Iterator[ApiGateway]:  # noqa: F811
    """The page and the HTTP API."""
    keys = ApiFile.beside(tmp_path / "log.sqlite")
    yield with_api(doors, api.sessions, keys, Metrics(api.sessions))
    keys.close()


class Reply(NamedTuple):
    """The status of a response, 1008 for a websocket that was closed, and its headers."""

    status: int
    headers: dict[str, str]


def ask(doors: Doors | ApiGateway, *requests: tuple[str, str], kind: str = "http", **headers: str) -> list[Reply]:
    """The replies to requests (method, path with query), each with these headers."""
    sent = {"host": "127.0.0.1:7860", "content-length": "0", **headers}

    async def answered(method: str, target: str) -> Reply:
        path, _, query = target.partition("?")
        scope = {"type": kind, "http_version": "1.1", "scheme": "http", "method": method, "path": path}
        scope |= {
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "client": ("127.0.0.1", 1),
        }
        scope["headers"] = [(name.encode(), value.encode("latin-1")) for name, value in sent.items()]
        replies: list[Reply] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                pairs = {name.decode(): value.decode("latin-1") for name, value in message["headers"]}
                replies.append(Reply(message["status"], pairs))
            elif message["type"] == "websocket.close":
                replies.append(Reply(message["code"], {}))

        await doors(scope, receive, send)
        return replies[0]

    async def all_answered() -> list[Reply]:
        return [await answered(method, path) for method, path in requests]

    return asyncio.run(all_answered())


def get(doors: Doors, path: str, **headers: str) -> int:
    return ask(doors, ("GET", path), **headers)[0].status


def paths(routes: Any, before: str = "") -> Iterator[str]:
    """The path of each route, with examples for its parameters; routers inside of others too."""
    for route in routes:
        path = before + getattr(route, "path", "")
        inner = [getattr(route, name, None) for name in ("routes", "app", "router", "original_router")]
        found = [more for more in inner if more is not None and more is not routes]
        for more in found:
            yield from paths(more if isinstance(more, list) else getattr(more, "routes", []), path)
        yield re.sub(r"\{[^}]*\}", "x", path) or "/"


def all_paths(doors: Doors) -> list[str]:
    assert isinstance(doors.app, FastAPI)
    return sorted(set(paths(doors.app.routes)))


def test_metrics_need_the_token(doors: Doors):
    assert [reply.status for reply in ask(doors, ("GET", "/metrics"))] == [401]
    (reply,) = ask(doors, ("GET", "/metrics"), **SIGNED_IN)
    assert (reply.status, reply.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")


def test_addresses_of_gradio_are_found(doors: Doors):
    found = set(all_paths(doors))
    known = {"/", "/config", "/gradio_api/upload", "/gradio_api/queue/join", "/gradio_api/component_server", "/status"}
    assert known <= found and len(found) > 40


@pytest.mark.parametrize(
    ("headers", "statuses"),
    [
        ({"host": "evil.example", **SIGNED_IN}, {403}),
        ({"origin": "http://evil.example", **SIGNED_IN}, {403}),
        ({"origin": "null", **SIGNED_IN}, {403}),
        ({}, {401, 404}),
        ({"authorization": "Bearer wrong"}, {401, 404}),
        ({"cookie": "pinpoint=1"}, {401, 404}),
    ],
)
def test_every_address_refuses_other_sites_and_requests_without_the_token(
    doors: Doors, headers: dict[str, str], statuses: set[int]
):
    requests = [(method, path) for path in all_paths(doors) for method in METHODS]
    for (method, path), reply in zip(requests, ask(doors, *requests, **headers), strict=True):
        is_public = path.startswith(("/pinpoint-static", "/healthz")) and method in ("GET", "HEAD")
        is_public &= 403 not in statuses
        assert reply.status in statuses or is_public, f"{method} {path}"
        assert "access-control-allow-origin" not in reply.headers
        assert reply.headers["x-frame-options"] == "DENY", f"{method} {path}"


@pytest.mark.parametrize(
    ("headers", "statuses"),
    [
        ({"host": "evil.example"}, {403}),
        ({"origin": "http://evil.example", "authorization": "Bearer x"}, {403}),
        ({"origin": "null"}, {403}),
        ({}, {401, 403, 404, 405}),
        (SIGNED_IN, {401, 403, 404, 405}),  # the token of the page is no key
        ({"authorization": "DeepL-Auth-Key x"}, {401, 403, 404, 405}),
    ],
)
def test_every_api_address_refuses_other_sites_and_requests_without_a_key(
    front: ApiGateway, headers: dict[str, str], statuses: set[int]
):
    found = sorted(path for path in set(paths(front.api.routes)) if error_reply_of(path) is not None)
    assert {"/api/v1/translate", "/v2/translate", "/v3/glossaries", "/translate", "/MTRestService/Login"} <= set(found)
    requests = [(method, path) for path in found for method in METHODS]
    for (method, path), reply in zip(requests, ask(front, *requests, **headers), strict=True):
        is_public = path in ("/languages", "/list", "/listPairs", "/listLanguageNames") and statuses != {403}
        assert reply.status in statuses or (is_public and reply.status == 200), f"{method} {path}"
        assert "access-control-allow-origin" not in reply.headers
        assert reply.headers["x-frame-options"] == "DENY", f"{method} {path}"


def test_page_before_the_api_keeps_its_checks_and_is_closed_without_the_flag(front: ApiGateway, doors: Doors):
    pages = ["/", "/status", "/api", "/gradio_api/queue/join"]
    for headers in ({}, SIGNED_IN, {"host": "evil.example"}, {"origin": "http://evil.example"}):
        asked = [("GET", path) for path in pages]
        assert [reply.status for reply in ask(front, *asked, **headers)] == [
            reply.status for reply in ask(doors, *asked, **headers)
        ]
    assert get(doors, "/api/v1/usage", **SIGNED_IN) == 404


def test_addresses_that_the_page_does_not_use_are_closed(doors: Doors):
    def is_used(method: str, path: str) -> bool:
        if method == "POST":
            whole = (
                "/gradio_api/component_server",
                "/gradio_api/component_server/",
                "/sign-in",
                "/password",
                "/sign-out-everywhere",
            )
            return path.startswith(("/glossary/", "/archive/", "/model/")) or path in whole
        return method in ("GET", "HEAD") and (
            path in ("/", "/theme.css", "/favicon.ico", "/status", "/account", "/metrics", "/healthz")
            or path.startswith(("/assets/", "/static/", "/download/", "/pinpoint-static/"))
        )

    closed = [(method, path) for path in all_paths(doors) for method in METHODS if not is_used(method, path)]
    assert len(closed) > 200
    assert {reply.status for reply in ask(doors, *closed, **SIGNED_IN)} == {404}


CALL = {"fn_name": "hello", "data": {"token": None, "language": "en"}, "component_id": 1, "session_hash": "x"}


def test_name_that_is_too_long_for_a_file_is_not_found(doors: Doors):
    client = TestClient(doors, base_url="http://127.0.0.1:7860", headers=SIGNED_IN)
    for folder in ("assets", "static", "static/img", "pinpoint-static", "download/x", "download/x/zip"):
        for name in ("x" * 250, "ä" * 200, "x" * 5000, "x/" * 2000):
            assert client.get(f"/{folder}/{name}").status_code == 404, (folder, name[:3])


def test_call_that_names_no_function_is_refused(doors: Doors):
    client = TestClient(doors, base_url="http://127.0.0.1:7860", headers=SIGNED_IN)
    names = (None, [], {}, 1, "", "__class__", "x" * 100_000, "\ud800", "call")
    bodies = [
        *(b"", b"{", b"[]", b"null", b"1", b'"x"', b"\xff", b"NaN", b'{"fn_name": "hello", "data": NaN}'),
        b'{"fn_name": "hello", "data": [' + b"[]," * MAX_MARKS + b"1]}",
        *(text * 100_000 for text in (b"[", b'{"a":', b"9")),
        *(json.dumps({**CALL, "fn_name": name}).encode() for name in names),
        json.dumps({"fn_name": "hello"}).encode(),
    ]
    form = b'--b\r\ncontent-disposition: form-data; name="f"; filename="../x"\r\n\r\nabc\r\n--b--\r\n'
    sent = [(body, "application/json") for body in bodies] + [(form, "multipart/form-data; boundary=b")]
    for body, kind in sent:
        reply = client.post("/gradio_api/component_server", content=body, headers={"content-type": kind})
        expected = (400, "This is not a call of a function of the page.")
        assert (reply.status_code, reply.text) == expected, body[:60]


def test_page_that_is_left_before_its_call_arrived_is_no_error(doors: Doors):
    statuses: list[int | None] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        statuses.append(message.get("status"))

    headers = {"host": "127.0.0.1:7860", "content-length": "9", **SIGNED_IN}
    scope = {"type": "http", "method": "POST", "path": "/gradio_api/component_server", "query_string": b""}
    scope["headers"] = [(name.encode(), value.encode()) for name, value in headers.items()]
    asyncio.run(doors(scope, receive, send))
    assert statuses == [400, None]


def test_nothing_of_a_call_is_kept_by_gradio(doors: Doors):
    client = TestClient(doors, base_url="http://127.0.0.1:7860", headers=SIGNED_IN)
    for number in range(3):
        sent = {**CALL, "session_hash": f"{number}" * 100_000, "component_id": 10**30}
        for path in ("/gradio_api/component_server", "/gradio_api/component_server/"):
            assert client.post(path, json=sent).json()["ok"]
    gradio = next(route.app for route in doors.app.routes if hasattr(getattr(route, "app", None), "state_holder"))
    assert len(gradio.state_holder.session_data) == 0


def test_health_needs_no_token_and_reports_a_hanging_model(doors: Doors, api: Api):  # noqa: F811
    watchdog, decoder = api.sessions.watchdog, api.sessions.model.engine
    assert get(doors, "/healthz") == 200
    assert get(doors, "/healthz", host="evil.example") == 403
    assert api.health() == {"status": "ok", "version": VERSION}
    decoder.heartbeat = 7
    for _ in range(REPORTED_AFTER_SECONDS + 1):
        watchdog.tick()
    assert get(doors, "/healthz") == 503
    head = TestClient(doors, base_url="http://127.0.0.1:7860").head("/healthz")
    assert (head.status_code, head.content) == (503, b"")
    assert api.health()["status"] == "stuck"
    decoder.heartbeat = 8
    watchdog.tick()
    assert get(doors, "/healthz") == 200


def test_body_without_a_length_is_refused_before_it_is_read(doors: Doors):
    sent = {"host": "127.0.0.1:7860", "transfer-encoding": "chunked", **SIGNED_IN}
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        raise AssertionError("the body was read")

    async def send(reply: dict[str, Any]) -> None:
        statuses.append(reply.get("status", 0))

    for path in ("/gradio_api/component_server", "/glossary/x", "/archive/x", "/model/x", "/sign-in", "/password"):
        scope = {"type": "http", "method": "POST", "path": path, "query_string": b""}
        scope["headers"] = [(name.encode(), value.encode()) for name, value in sent.items()]
        asyncio.run(doors(scope, receive, send))
        assert statuses[-2:] == [411, 0], path


def test_every_reply_isolates_the_page_from_other_sites(doors: Doors, front: ApiGateway):
    asked = [("GET", path) for path in ("/", "/status", "/nowhere", "/healthz")]
    replies = [*ask(doors, *asked), *ask(doors, *asked, **SIGNED_IN), *ask(doors, *asked, host="evil.example")]
    assert {reply.status for reply in replies} >= {200, 401, 403, 404}
    for reply in replies:
        assert reply.headers["cross-origin-opener-policy"] == "same-origin"
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        assert "connect-src 'self'" in reply.headers["content-security-policy"]
    for reply in ask(front, ("GET", "/api/v1/usage"), ("POST", "/translate")):
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        assert reply.headers["content-security-policy"].startswith("default-src 'none'")


def test_browser_signs_in_once(doors: Doors):
    assert get(doors, "/") == get(doors, "/status") == 401
    answer = ask(doors, ("GET", f"/?token={TOKEN}"), **{"sec-fetch-site": "none"})[0]
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert answer.status == 303
    assert get(doors, "/", cookie=cookie) == get(doors, "/status", cookie=cookie) == 200


def test_without_authentication_everybody_uses_the_page_but_not_other_sites(api: Api):  # noqa: F811
    doors = build_server(api, host="127.0.0.1", port=7860, sign_in=None)
    assert get(doors, "/") == get(doors, "/?token=old") == get(doors, "/status") == 200
    assert get(doors, "/", origin="http://evil.example") == 403
    assert get(doors, "/config") == 404


@pytest.mark.parametrize("headers", [{f"x-{number}": "" for number in range(101)}, {"x-large": "x" * 2**16}])
def test_too_many_or_too_large_headers_are_refused_in_the_form_of_each_address(
    doors: Doors, front: ApiGateway, headers: dict[str, str]
):
    assert get(doors, "/", **SIGNED_IN, **headers) == get(doors, "/healthz", **headers) == 431
    assert ask(front, ("GET", "/api/v1/usage"), ("POST", "/v2/translate"), **headers)[0].status == 413


def test_websockets_are_refused(doors: Doors):
    assert ask(doors, ("GET", "/gradio_api/queue/join"), kind="websocket", **SIGNED_IN)[0].status == 1008


def test_a_long_reply_is_the_same_json_as_if_it_was_encoded_at_once() -> None:
    rows = [{"index": index, "text": "ä \ud83d", "tags": [index]} for index in range(2 * ITEMS_AT_ONCE + 1)]
    for content in ({"ok": True, "rows": rows, "order": rows[:ITEMS_AT_ONCE], "none": []}, {}):
        assert json_reply(content).body == json.dumps(content, separators=(",", ":")).encode()
