"""The HTTP API with the bundled model, which is loaded once for all tests of this folder."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from app.log.store import LogStore
from app.models.loading import SEARCH, ModelHandle
from app.monitoring import Metrics
from app.paths import MODEL_FOLDER, SAMPLES_FOLDER
from app.serving.admission import Admission
from app.serving.api_documents import ApiDocuments
from app.serving.api_glossaries import ApiGlossaries
from app.serving.api_jobs import ApiJobs
from app.serving.dialects import ApiContext
from app.serving.gateway import ApiGateway
from app.serving.keys import ApiFile
from app.serving.stored_jobs import StoredJobs
from app.serving.translations import TranslationService
from app.sessions import Sessions
from app.ui.own_pages import OwnPages
from app.ui.server import bind
from engine import SearchOptions

BASE = "http://127.0.0.1:7860"


@pytest.fixture(scope="session")
def model() -> Iterator[ModelHandle]:
    handle = ModelHandle(MODEL_FOLDER)
    handle.load_in_background(1)
    handle.wait()
    yield handle
    handle.close()


@pytest.fixture
def keys(tmp_path: Path) -> Iterator[ApiFile]:
    file = ApiFile.beside(tmp_path / "log.sqlite")
    yield file
    file.close()


@pytest.fixture
def sessions(model: ModelHandle, store: LogStore) -> Iterator[Sessions]:
    sessions = Sessions(store, model, SAMPLES_FOLDER)
    yield sessions
    sessions.workspaces.close()


@pytest.fixture
def search() -> SearchOptions:
    """The options of all searches; a test may give others."""
    return SEARCH


@pytest.fixture
def gateway(model: ModelHandle, keys: ApiFile, sessions: Sessions, search: SearchOptions) -> ApiGateway:
    translations = TranslationService(lambda: [model], search)
    documents = ApiDocuments(keys, sessions)
    context = ApiContext(
        Admission(keys),
        translations,
        ApiGlossaries(keys),
        documents,
        sessions.store,
        Metrics(sessions),
        sessions.assignments,
        sessions.totals,
        sessions.library,
        ApiJobs(StoredJobs(keys)),
    )
    return ApiGateway(PlainTextResponse("the page"), context, OwnPages.of("127.0.0.1", ()).sent)


@pytest.fixture
def key(keys: ApiFile) -> str:
    """The key of Ana."""
    return keys.create("Ana")[1]


@contextmanager
def listening(application: Any) -> Iterator[str]:
    """The address of a server with this application, for clients that need a connection."""
    listener = bind("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(application, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


class Program:
    """Sends requests to an application in this process, from an address, each with the same headers."""

    def __init__(self, application: Any, address: str = "127.0.0.1", **headers: str) -> None:
        self.application = application
        self.address = address
        self.headers = headers

    def request(
        self, method: str, path: str, *, headers: dict[str, str] | None = None, **content: Any
    ) -> httpx.Response:
        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(self.application, client=(self.address, 50_000))
            async with httpx.AsyncClient(transport=transport, base_url=BASE, timeout=300) as client:
                return await client.request(method, path, headers={**self.headers, **(headers or {})}, **content)

        return asyncio.run(answer())

    def get(self, path: str, **content: Any) -> httpx.Response:
        return self.request("GET", path, **content)

    def post(self, path: str, **content: Any) -> httpx.Response:
        return self.request("POST", path, **content)


@pytest.fixture
def client(gateway: ApiGateway, key: str) -> Program:
    """A program with Ana's key."""
    return Program(gateway, authorization=f"Bearer {key}")
