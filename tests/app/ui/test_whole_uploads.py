"""An upload of the page that fails anywhere is refused and leaves nothing, or it is accepted as a whole."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.log import list_changes, people
from app.models.uploaded_models import UploadedModels
from app.ui.api import Api
from tests.app.ui.test_api import api  # noqa: F401 (a fixture)
from tests.app.ui.test_protocol import ARCHIVE, UPLOAD
from tests.app.ui.test_whole_page_commands import FaultyApi
from tests.faults import StatementFault, every_error

MODEL = b"weights"


async def chunks() -> AsyncIterator[bytes]:
    yield MODEL[:3]
    yield MODEL[3:]


def send_model(api: Api, token: str) -> dict[str, Any]:  # noqa: F811
    return asyncio.run(api.receive_model(OWNER, token, "0" * 32, "model.safetensors", len(MODEL), chunks(), "en"))


UPLOADS: dict[str, Callable[[Api, str], dict[str, Any]]] = {
    "a glossary": lambda page, token: page.glossaries.stage(OWNER, token, "terms.tsv", UPLOAD, "en"),
    "an archive": lambda page, token: page.begin_archive(OWNER, token, "job.zip", ARCHIVE, "en"),
    "a file of a model": send_model,
}


@pytest.fixture
def models(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: F811
    """Where uploaded files of models wait."""
    monkeypatch.setattr(people, "_LOOK_SECONDS", -1.0)
    monkeypatch.setattr(list_changes, "_LOOK_SECONDS", -1.0)
    monkeypatch.setattr("app.workspace.glossary_imports.SPELLING_SECONDS", 0)
    monkeypatch.setattr(api.sessions.models, "uploads", UploadedModels(tmp_path / "uploads"))
    return tmp_path / "uploads"


def uploaded(api: Api, token: str, models: Path) -> tuple[bool, int, list[bytes]]:  # noqa: F811
    """Whether a glossary waits for the person's decision, the number of such archives, and the files of models."""
    has_glossary = api.sessions.find(OWNER, token).glossary_imports._staged is not None
    files = [path.read_bytes() for path in models.rglob("*") if path.is_file()]
    return has_glossary, len(api.sessions.bundles._staged._values), files


def forget(api: Api, token: str, models: Path) -> None:  # noqa: F811
    """Removes what was uploaded."""
    api.sessions.find(OWNER, token).glossary_imports._staged = None
    api.sessions.bundles.forget_idle(0)
    shutil.rmtree(models, ignore_errors=True)


@pytest.mark.parametrize("name", UPLOADS)
def test_an_upload_that_any_call_fails_leaves_all_or_nothing(api: Api, name: str, models: Path) -> None:  # noqa: F811
    api.sessions.store.people.put("Ana", "manager")  # then rights are read in the log
    faulty, token = FaultyApi(api, {}), api.hello(OWNER, {})["token"]
    log, connection = faulty._state(), api.sessions.store.connection
    real, nothing, kinds = connection.db.conn, uploaded(api, token, models), set()

    def check(where: str, reply: dict[str, Any]) -> None:
        assert (uploaded(api, token, models) != nothing) == reply["ok"], (where, reply)
        assert reply["ok"] or reply["error"]["kind"] != "internal", (where, reply)
        assert faulty._state() == log, where
        kinds.add(reply["ok"])
        forget(api, token, models)

    for number in count(1):
        fault = StatementFault(number, sqlite3.SQLITE_IOERR)
        connection.db.conn = fault.over(real)
        try:
            reply = UPLOADS[name](api, token)
        finally:
            connection.db.conn = real
        check(fault.statement, reply)
        if not fault.has_struck:
            break
    replies: list[dict[str, Any]] = []
    for where, error in every_error(lambda: replies.append(UPLOADS[name](api, token))):
        assert error is None, f"{where}: {error!r}"
        check(where, replies[-1])
    assert kinds == {True, False}
