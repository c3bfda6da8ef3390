"""Every command of the page about models happens completely or not at all, as its reply says.

Each SQL statement and each call of the file system fails once. The work that follows in the background is tested with
the models.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.log import people
from app.models import document_models
from app.models.begun_downloads import BegunDownloads
from app.models.published_models import PublishedModels
from app.models.uploaded_models import UploadedModels
from app.paths import MODEL_FOLDER
from app.ui.api import Api
from engine import cache_folder
from engine.text import TextCodec
from tests.app.models.registry_server import Registry, serving
from tests.app.models.test_document_models import SlowModel
from tests.app.ui.test_api import NUMBERS, api, message  # noqa: F401 (a fixture)
from tests.app.ui.test_whole_page_commands import FaultyApi
from tests.e2e.conftest import save_random_model
from tests.faults import StatementFault, every_error

UPLOAD = "0" * 32
COMMANDS: dict[str, dict[str, Any]] = {
    "download_model": {"model": "firefox-en-pt-tiny"},
    "fetch_model": {"model": "team/large"},
    "install_upload": {"upload": UPLOAD, "folder": ""},
    "remove_model": {"key": "cached/mine"},
    "switch_model": {"key": "cached/mine"},
    "stop_model": {},
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_random_model(tmp_path_factory.mktemp("models") / "mine", TextCodec.load(MODEL_FOLDER))


@pytest.fixture
def page(api: Api, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Api:  # noqa: F811
    """A page with an installed, a published and an uploaded model, none of which is ever loaded."""
    monkeypatch.setattr(people, "_LOOK_SECONDS", -1.0)
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache" / "models"))
    monkeypatch.setattr(document_models, "ModelHandle", SlowModel)
    models = api.sessions.models
    monkeypatch.setattr(models, "uploads", UploadedModels())
    monkeypatch.setattr(models, "_begun", BegunDownloads())
    with serving(Registry()) as registry:
        registry.publish()
        monkeypatch.setattr(models.catalog, "published", PublishedModels(registry.address))
        models.catalog.published.update()
    api.sessions.store.people.put("Ana", "manager")  # then rights are read in the log
    return api


def prepare(page: Api, model: Path, name: str) -> None:
    """The state before the command, whatever an earlier one did."""
    page.sessions.models._awaited.clear()
    shutil.copytree(model, cache_folder() / "mine", dirs_exist_ok=True)
    folder = cache_folder().parent / "uploads" / UPLOAD
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(b"weights")
    if name == "stop_model":
        assert page.command(OWNER, message(page, "switch_model", key="cached/mine"))["ok"]


def state_of(page: Api) -> tuple[list[str], list[str]]:
    """The models that are installed, and those that are waited for."""
    installed = [entry.name for entry in page.sessions.models.catalog.entries().values() if entry.place == "cached"]
    return installed, [handle.name for handle in page.sessions.models._awaited.values()]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_about_models_that_any_call_fails_happens_completely_or_not_at_all(
    page: Api, model: Path, name: str
) -> None:
    kinds: set[str] = set()
    asked = message(page, name, **COMMANDS[name])
    prepare(page, model, name)
    old, reply = state_of(page), page.command(OWNER, {**asked, "sequence": next(NUMBERS)})
    assert reply["ok"], reply
    assert (new := state_of(page)) != old

    def check(where: str, ask: Callable[[], dict[str, Any]], reply: dict[str, Any]) -> None:
        kinds.add(kind := "" if reply["ok"] else reply["error"]["kind"])
        assert kind != "internal", (where, reply)
        assert state_of(page) == (new if kind in ("", "saved") else old), (where, reply)
        if kind == "saved":
            assert ask()["ok"] and state_of(page) == new, "the same command again only reads its result"
        prepare(page, model, name)

    for number in count(1):
        prepare(page, model, name)
        numbered = {**asked, "sequence": next(NUMBERS)}
        fault = StatementFault(number, sqlite3.SQLITE_IOERR)
        reply = FaultyApi(page, {})._with(fault, OWNER, numbered)
        check(fault.statement, partial(page.command, OWNER, numbered), reply)
        if not fault.has_struck:
            break
    assert "saved" in kinds and "LogError" in kinds
    sent: list[dict[str, Any]] = []
    replies: list[dict[str, Any]] = []

    def ask() -> None:
        sent.append({**asked, "sequence": next(NUMBERS)})
        replies.append(page.command(OWNER, sent[-1]))

    for where, error in every_error(ask):
        assert error is None, f"{where}: {error!r}"
        check(where, partial(page.command, OWNER, sent[-1]), replies[-1])
