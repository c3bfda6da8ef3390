"""The app in a process of its own gets SIGTERM while requests are on their way."""

from __future__ import annotations

import json
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.access.actor import OWNER
from app.log.store import LogStore
from app.serving.keys import ApiFile
from engine.text import TextCodec
from tests.app.hanging_app import HangingApp
from tests.e2e.conftest import ForkedApp, save_random_model
from tests.e2e.hand_server import loading, serve
from tests.hard.page_client import PageClient

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, codec: TextCodec) -> Path:
    """It starts in two thirds of the time of the bundled one."""
    return save_random_model(tmp_path_factory.mktemp("models") / "random-en-de", codec)


class HalfSent:
    """A request whose last byte is sent later."""

    def __init__(self, url: str, path: str, body: bytes, content_type: str = "application/json") -> None:
        host, port = url.removeprefix("http://").split(":")
        head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: {content_type}\r\n"
        self._connection = socket.create_connection((host, int(port)), 30)
        self._connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[:-1])
        self._last = body[-1:]

    def close(self) -> None:
        self._connection.close()

    def finish(self) -> str:
        """Sends the rest; the whole answer."""
        self._connection.sendall(self._last)
        answer = b""
        while part := self._connection.recv(65536):
            answer += part
            if re.search(rb"\r\n\r\n.", answer) and b"}" in answer:
                break
        return answer.decode("utf-8", "replace")


def last_news(client: PageClient, token: str) -> dict[str, Any]:
    """What a page that waits for news is told at last."""
    reply: dict[str, Any] = {"version": 0}
    while "is_stopping" not in reply:
        reply = client.call("changes", token=token, since=reply["version"], open=None, detail_since=10**9)
    return reply


def wait_for_open_requests(url: str, number: int) -> None:
    """Waits until the server is answering so many requests, and the one that asks for their number."""
    for _ in range(1500):
        metrics = httpx.get(f"{url}/metrics", trust_env=False).text
        if f"pinpoint_http_requests_open {number + 1}.0" in metrics:
            return
        time.sleep(0.02)
    raise AssertionError(f"the server does not get {number} requests: {metrics}")


def refused(url: str) -> httpx.Response:
    """The first answer with status 503, which comes soon after the signal."""
    for _ in range(1500):
        response = httpx.get(f"{url}/healthz", trust_env=False)
        if response.status_code == 503:
            return response
        time.sleep(0.02)
    raise AssertionError(f"the server still answers {response.status_code}")


def test_requests_on_their_way_are_finished_and_new_ones_refused(model: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    keys = ApiFile.beside(log)
    key = keys.create("Program")[1]
    keys.close()
    app = ForkedApp(model, log, "--no-auth", "--api", "--shutdown-seconds", "300")
    client = PageClient(app.url)
    token = client.begin("document.txt")
    edit = {"token": token, "client": "shutdown", "sequence": 1, "since": 10**9, "open": None, "detail_since": 10**9}
    edit |= {"name": "edit", "segment": 3, "text": "Kurz vor Schluss", "origin": "typed"}
    message = {"data": edit, "component_id": 1, "fn_name": "command", "session_hash": "shutdown"}
    edited = HalfSent(app.url, "/gradio_api/component_server", json.dumps(message).encode())
    rows = b"source\ttarget\nrouter\tRouter\n"
    uploaded = HalfSent(app.url, f"/glossary/{token}?file=terms.tsv", rows, "text/plain")
    texts = [{"text": f"Press button {number} and wait until the lamp shines."} for number in range(20)]
    headers = {"Authorization": f"Bearer {key}"}
    with ThreadPoolExecutor() as executor:
        translated = executor.submit(
            httpx.post,
            f"{app.url}/api/v1/translate",
            json={"target": "de", "texts": texts},
            headers=headers,
            timeout=60,
            trust_env=False,
        )
        waiting = executor.submit(last_news, client, token)
        wait_for_open_requests(app.url, 4)
        app.process.send_signal(signal.SIGTERM)
        refusal = refused(app.url)
        assert refusal.headers["retry-after"] == "10"
        assert app.process.poll() is None
        assert waiting.result()["is_stopping"] is True
        assert " 200 " in edited.finish().partition("\r\n")[0]
        assert " 200 " in uploaded.finish().partition("\r\n")[0]
        answer = translated.result()
    assert answer.status_code == 200 and answer.text.count('"translations"') == len(texts)
    assert app.process.wait(60) == 0
    store = LogStore.open(log)
    (session,) = (summary.id for summary in store.sessions(OWNER) if summary.token == token)
    assert store.load_session(OWNER, session).segments[3].target == "Kurz vor Schluss"
    store.close()


def test_endless_request_delays_shutdown_only_until_the_limit(model: Path, tmp_path: Path) -> None:
    app = ForkedApp(model, tmp_path / "log.sqlite", "--no-auth", "--shutdown-seconds", "4")
    held = HalfSent(app.url, "/gradio_api/component_server", b"{}")
    wait_for_open_requests(app.url, 1)
    app.process.send_signal(signal.SIGTERM)
    assert app.process.wait(60) == 0
    held.close()
    assert any("1 requests were not finished in 2 seconds" in line for line in app.lines)


SHUTDOWN_SECONDS = 4
PATIENCE_SECONDS = 60  # a busy machine may be late; what hangs does so for ever


class Hanging:
    """The app with an open document, several that are not, and something that hangs from `begin` on."""

    def __init__(self, model: Path, tmp_path: Path, *kinds: str) -> None:
        self.log, self._marker = tmp_path / "log.sqlite", tmp_path / "now"
        with serve(loading(model), tmp_path) as url:
            client = PageClient(url)
            self._closed = [client.begin(f"{number}.txt") for number in range(3)]
        flags = ("--no-auth", "--shutdown-seconds", str(SHUTDOWN_SECONDS))
        self.app = ForkedApp(model, self.log, *flags, program=HangingApp(self._marker, kinds))
        self.client = PageClient(self.app.url)
        self.token = self.client.greet()
        self._threads: list[threading.Thread] = []

    def edit(self, segment: int, text: str) -> None:
        """A change that the app acknowledges."""
        self.client.command("edit", segment=segment, text=text, origin="typed")

    def begin(self) -> None:
        """From now on, it hangs. Requests that wait for it, and one that is never sent to its end, are on their way."""
        self._marker.touch()
        requests: list[dict[str, Any]] = [
            *({"function": "hello", "token": token} for token in self._closed * 5),
            {"function": "changes", "token": self.token, "since": 10**9, "open": None, "detail_since": 10**9},
        ]
        for fields in requests:
            self._start(lambda fields=fields: PageClient(self.app.url).call(fields.pop("function"), **fields))
        self._start(lambda: PageClient(self.app.url).begin("new.txt"))
        self._held = HalfSent(self.app.url, "/gradio_api/component_server", b"{}")
        time.sleep(1)  # the requests are there

    def _start(self, request: Callable[[], object]) -> None:
        def send() -> None:
            with suppress(httpx.HTTPError, RuntimeError):
                request()

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        self._threads.append(thread)

    def stored(self) -> list[str | None]:
        """The texts of the open document in the log, once the app has ended."""
        store = LogStore.open(self.log, exclusively=True)
        session = next(summary.id for summary in store.sessions(OWNER) if summary.token == self.token)
        texts = [segment.target for segment in store.load_session(OWNER, session).segments]
        assert store.verify_chain(session).is_intact
        store.close()
        return texts


@pytest.mark.parametrize(
    "kinds",
    [
        ("opening", "model", "reading", "thread", "closing"),
        ("event loop",),
        *(
            pytest.param((kind,), marks=pytest.mark.full)
            for kind in ("opening", "model", "reading", "thread", "closing")
        ),
    ],
    ids=", ".join,
)
def test_app_ends_in_time_whatever_hangs_and_loses_nothing_that_it_acknowledged(
    model: Path, tmp_path: Path, kinds: tuple[str, ...]
) -> None:
    hanging = Hanging(model, tmp_path, *kinds)
    for segment in range(4):
        hanging.edit(segment, f"Text {segment}")
    hanging.begin()
    hanging.app.process.send_signal(signal.SIGTERM)
    assert hanging.app.process.wait(SHUTDOWN_SECONDS + PATIENCE_SECONDS) == 0
    assert hanging.stored()[:4] == [f"Text {segment}" for segment in range(4)]


def test_second_signal_ends_an_app_that_hangs_long_before_the_limit(model: Path, tmp_path: Path) -> None:
    app = ForkedApp(model, tmp_path / "log.sqlite", "--no-auth", "--shutdown-seconds", "3000")
    held = HalfSent(app.url, "/gradio_api/component_server", b"{}")
    wait_for_open_requests(app.url, 1)
    app.process.send_signal(signal.SIGTERM)
    assert refused(app.url)
    app.process.send_signal(signal.SIGTERM)
    assert app.process.wait(PATIENCE_SECONDS) == 0
    held.close()
