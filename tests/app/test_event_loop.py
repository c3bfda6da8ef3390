"""No request keeps the event loop, which serves everybody, for more than 20 ms of processor time."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.__main__ import with_api
from app.log.store import LogStore
from app.models.loading import ModelHandle
from app.monitoring import Metrics
from app.paths import MODEL_FOLDER, SAMPLES_FOLDER
from app.serving.keys import ApiFile
from app.serving.passwords import Passwords
from app.sessions import Sessions
from app.ui.api import Api
from app.ui.server import STATIC_FOLDER, Server, bind, build_server, server_config
from app.ui.sign_in import SignIn
from tests.loop_watch import SERVER_THREAD, LoopWatch, Slow, named

NUM_SEGMENTS = 3_000
TOKEN = "the-access-token-of-this-test"
PASSWORD = "a quite long password of hers"


class RunningApp:
    """The whole app in this process: the page with sign-in and passwords, and the API of other programs."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.store = LogStore.open(folder / "log.sqlite")
        self.model = ModelHandle(MODEL_FOLDER)
        self.model.load_in_background(1)
        self.model.wait()
        self.sessions = Sessions(self.store, self.model, SAMPLES_FOLDER)
        self.keys = ApiFile.beside(self.store.path)
        self.key = self.keys.create("Program", may_export=True)[1]
        self.passwords = Passwords(self.keys)
        listener = bind("127.0.0.1", 0)
        port = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        metrics = Metrics(self.sessions)
        sign_in = SignIn(TOKEN, lambda _: None, "", self.passwords)
        api = Api(self.sessions)
        page = build_server(api, host="127.0.0.1", port=port, sign_in=sign_in, metrics=metrics)
        application = with_api(page, self.sessions, self.keys, metrics)
        self.server = Server(server_config(named(metrics.counting(application))), api.stop, application.stop)
        self._thread = threading.Thread(target=self.server.run, args=([listener],), name=SERVER_THREAD)
        self._thread.start()
        self.browser = self._client(f"Bearer {TOKEN}")
        self.program = self._client(f"Bearer {self.key}")
        self.deepl = self._client(f"DeepL-Auth-Key {self.key}")
        self._sequence = 0

    def _client(self, authorization: str) -> httpx.Client:
        headers = {"authorization": authorization}
        return httpx.Client(base_url=self.url, timeout=60, trust_env=False, headers=headers)

    def close(self) -> None:
        for client in (self.browser, self.program, self.deepl):
            client.close()
        self.server.should_exit = True
        self._thread.join()
        self.sessions.close()
        self.keys.close()
        self.store.close()
        self.model.close()

    def call(self, function: str, **fields: Any) -> dict[str, Any]:
        """Calls a function of the page."""
        message = {"data": fields, "component_id": 1, "fn_name": function, "session_hash": "x"}
        reply = self.browser.post("/gradio_api/component_server", json=message)
        assert reply.status_code == 200, reply.text
        answer: dict[str, Any] = reply.json()
        assert answer["ok"], answer
        return answer

    def command(self, name: str, **fields: Any) -> dict[str, Any]:
        self._sequence += 1
        position = {"since": 10**9, "open": None, "detail_since": 10**9}
        own = {"token": self.token, "client": "page", "sequence": self._sequence}
        return self.call("command", name=name, **own, **position, **fields)

    def hello(self) -> None:
        self.token = self.call("hello", token=None)["token"]


@pytest.fixture(scope="module")
def watch() -> Iterator[LoopWatch]:
    with LoopWatch().watching() as watching:
        yield watching


@pytest.fixture(scope="module")
def app(watch: LoopWatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    with running(tmp_path_factory.mktemp("app")) as started:
        yield started


@contextmanager
def running(folder: Path) -> Iterator[RunningApp]:
    """A new app with an open document."""
    started = RunningApp(folder)
    try:
        started.hello()
        yield started
    finally:
        started.close()


def large_text() -> bytes:
    return "".join(f"Press the button {n} and wait for the lamp.\n" for n in range(NUM_SEGMENTS)).encode()


def open_large(app: RunningApp) -> None:
    data = base64.b64encode(large_text()).decode("ascii")
    app.token = app.command("open_document", file="large.txt", data=data)["token"]


def work_on_a_large_document(app: RunningApp) -> None:
    open_large(app)
    app.call("hello", token=app.token)
    app.call("changes", token=app.token, since=0, open=3, detail_since=0)
    app.command("edit", segment=3, text="Drücken Sie den Knopf.", origin="typed")
    app.command("confirm", segment=3, text="Drücken Sie den Knopf.")
    for view in ("report", "replay"):
        app.call("record", token=app.token, view=view)
    app.call("preview", token=app.token)


def upload_a_glossary(app: RunningApp) -> None:
    rows = "source\ttarget\n" + "".join(f"term {n} of many\tBegriff {n}\n" for n in range(20_000))
    app.browser.post(f"/glossary/{app.token}", params={"file": "terms.tsv"}, content=rows.encode()).raise_for_status()


def download_everything(app: RunningApp) -> None:
    for kind in ("document", "draft", "activity", "events", "tmx", "xliff", "glossary", "memory"):
        app.browser.get(f"/download/{app.token}/{kind}")


def load_the_page(app: RunningApp) -> None:
    for path in ("/", "/theme.css", "/status", "/metrics", "/healthz", "/account", "/favicon.ico"):
        app.browser.get(path)
    app.browser.get("/", headers={"authorization": ""})
    for file in STATIC_FOLDER.rglob("*"):
        if file.is_file():
            app.browser.get(f"/pinpoint-static/{file.relative_to(STATIC_FOLDER).as_posix()}").raise_for_status()
    for name in set(app.browser.get("/").text.split('"')):
        if name.startswith(("./assets/", "/assets/", "assets/", "./static/")):
            app.browser.get("/" + name.removeprefix("."))


def sign_in_with_a_password(app: RunningApp) -> None:
    app.keys.create("Eva")
    app.passwords.put("Eva", PASSWORD)
    with httpx.Client(base_url=app.url, timeout=60, trust_env=False) as browser:
        for password in ("wrong", PASSWORD):
            browser.post("/sign-in", data={"name": "Eva", "password": password})
        browser.get("/account")


def send_messages_that_are_not_ours(app: RunningApp) -> None:
    address = "/gradio_api/component_server"
    for body in (
        b"[" * 2_000_000,
        b'"' * 5_000_000,
        json.dumps({"fn_name": "hello", "data": "x" * 9_000_000}).encode(),
    ):
        app.browser.post(address, content=body, headers={"content-type": "application/json"})
    app.browser.post(address, json={"fn_name": "command", "data": {str(n): n for n in range(30_000)}})


def translate_many_texts(app: RunningApp) -> None:
    texts = [{"text": f"Press button {n} and wait.", "nbest": 5} for n in range(20)]
    app.program.post("/api/v1/translate", json={"target": "de", "texts": texts}).raise_for_status()
    deepl = {"target_lang": "DE", "text": [f"Close window {n}." for n in range(20)], "tag_handling": "html"}
    app.deepl.post("/v2/translate", json=deepl).raise_for_status()
    app.program.post("/translate", json={"q": "Open it.", "source": "en", "target": "de", "api_key": app.key})
    app.deepl.post("/v2/translate", data={"target_lang": "DE", "text": "Close <b>it</b>. " * 500})
    app.program.post("/detect", json={"q": "Open it. " * 5000, "api_key": app.key})


def ask_about_the_api(app: RunningApp) -> None:
    for path in ("openapi.json", "models", "usage", "metrics", "sessions", "documents", "assignments"):
        app.program.get(f"/api/v1/{path}").raise_for_status()
    for path in ("usage", "languages", "glossary-language-pairs"):
        app.deepl.get(f"/v2/{path}").raise_for_status()
    for path in ("languages?resource=translate_text", "languages/resources"):
        app.deepl.get(f"/v3/{path}").raise_for_status()
    for path in ("/languages", "/list?q=pairs", "/listPairs", "/listLanguageNames?locale=de"):
        app.program.get(path).raise_for_status()


def read_sessions_of_the_api(app: RunningApp) -> None:
    for session in app.program.get("/api/v1/sessions").json()["sessions"]:
        for kind in ("document", "draft", "tmx"):
            app.program.get(f"/api/v1/sessions/{session['id']}/{kind}")


def keep_glossaries_of_programs(app: RunningApp) -> None:
    entries = "\n".join(f"term {n}\tBegriff {n}" for n in range(10_000))
    fields = {"name": "n", "source_lang": "en", "target_lang": "de", "entries": entries, "entries_format": "tsv"}
    made = app.deepl.post("/v2/glossaries", json=fields)
    made.raise_for_status()
    number = made.json()["glossary_id"]
    app.deepl.get("/v2/glossaries").raise_for_status()
    app.deepl.get(f"/v2/glossaries/{number}/entries").raise_for_status()
    dictionary = {"source_lang": "en", "target_lang": "de", "entries": entries, "entries_format": "tsv"}
    app.deepl.post("/v3/glossaries", json={"name": "m", "dictionaries": [dictionary]}).raise_for_status()
    app.deepl.get("/v3/glossaries").raise_for_status()


def send_documents_of_programs(app: RunningApp) -> None:
    file = {"file": ("large.txt", large_text())}
    app.program.post("/api/v1/documents", files=file, data={"source": "en", "target": "de"})
    app.deepl.post("/v2/document", files=file, data={"target_lang": "DE"})
    app.program.post("/translate_file", files=file, data={"source": "en", "target": "de", "api_key": app.key})


STEPS: list[Callable[[RunningApp], None]] = [
    load_the_page,
    work_on_a_large_document,
    upload_a_glossary,
    download_everything,
    sign_in_with_a_password,
    send_messages_that_are_not_ours,
    ask_about_the_api,
    translate_many_texts,
    read_sessions_of_the_api,
    keep_glossaries_of_programs,
    send_documents_of_programs,
]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__.replace("_", " "))
def test_no_request_keeps_the_event_loop(
    app: RunningApp, watch: LoopWatch, step: Callable[[RunningApp], None], tmp_path: Path
) -> None:
    """A slow step is repeated in a new app: what is slow only the first time is found, a busy machine is not."""
    slow = slow_callbacks(app, watch, step)
    for attempt in range(2):
        if slow:
            with running(tmp_path / str(attempt)) as fresh:
                slow = slow_callbacks(fresh, watch, step)
    assert slow == []


def slow_callbacks(app: RunningApp, watch: LoopWatch, step: Callable[[RunningApp], None]) -> list[Slow]:
    watch.slow.clear()
    watch.num_callbacks = 0
    step(app)
    assert watch.num_callbacks, "nothing was measured"
    return [*watch.slow]


def test_a_slow_callback_is_found(watch: LoopWatch) -> None:
    async def work() -> None:
        end = time.thread_time() + 0.03
        while time.thread_time() < end:
            pass

    watch.slow.clear()
    thread = threading.Thread(target=lambda: asyncio.run(work()), name=SERVER_THREAD)
    thread.start()
    thread.join()
    assert [slow for slow in watch.slow if "work" in slow.name]
