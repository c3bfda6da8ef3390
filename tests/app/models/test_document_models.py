"""A document switched to another model: the old one goes on until the new one is there, and where it never comes."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from fastapi.testclient import TestClient

from app import VERSION
from app.access.actor import OWNER
from app.errors import CommandError
from app.i18n import translated
from app.log.store import LogStore
from app.models import document_models as models
from app.models import transfer
from app.models.loading import ModelHandle, load_translator
from app.models.opened_models import OpenedModels
from app.models.published_models import PublishedModels
from app.paths import MODEL_FOLDER, SAMPLES_FOLDER
from app.sessions import Sessions
from app.ui.api import Api
from app.ui.model_results import ModelOffers, PublishedOffers
from app.ui.server import build_server
from app.workspace.commands import Workspace
from engine import (
    EngineFacts,
    ModelEntry,
    ModelError,
    Request,
    SearchOptions,
    Translator,
    describe_model,
    install_model,
)
from engine.model import ModelConfig, Transformer, save_weights
from engine.text import TextCodec
from tests.app.hand_decoder import HandDecoder, ready_model, settle, translation
from tests.app.models.registry_server import Registry, serving
from tests.app.ui.test_protocol import has_shape
from tests.importers.test_language_models import write_folder

NUMBERS = itertools.count(1)  # of the commands of a page

TEXT = b"Open the settings.\nThe router saves the file.\nClose it.\n"
SMALL = ModelEntry("hand", Path("/models/small"), "bundled", ("en-de",), 7_000_000, 15_000_000)
LARGE = ModelEntry("team/large", Path("/models/large"), "cached", ("en-de", "en-fr"), 70_000_000, 150_000_000)
FRENCH = ModelEntry("team/french", Path("/models/french"), "cached", ("en-fr",))
BROKEN = ModelEntry("team/broken", Path("/models/broken"), "cached", problem="model.safetensors is missing")


class SlowModel(ModelHandle):
    """Comes when a test says so."""

    started: ClassVar[list[SlowModel]] = []

    def load_in_background(self, num_threads: int | None = None) -> None:
        self.started.append(self)

    def come(self, converted: Path | None = None, directions: tuple[str, ...] = ("en-de",)) -> HandDecoder:
        decoder = HandDecoder()
        name = self.folder.name
        decoder.facts = EngineFacts(name, directions, {}, (), f"checksum of {name}", converted or self.folder)
        self.adopt(decoder)
        return decoder

    def fail(self, message: str) -> None:
        self._finish("failed", message)


class Run:
    """The app from its start to its end, with these models at hand."""

    def __init__(self, log: Path, known: list[ModelEntry]) -> None:
        self.store = LogStore.open(log)
        self.first = HandDecoder()
        holder = ready_model(self.first)
        holder.folder = SMALL.folder
        self.known = known
        self.sessions = Sessions(self.store, holder, SAMPLES_FOLDER)
        self.sessions.models.catalog._known = lambda: self.known

    def open(self, text: bytes = TEXT) -> Workspace:
        return self.sessions.open_document(OWNER, text, "text.txt")

    def end(self) -> None:
        self.sessions.close()
        self.store.close()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    monkeypatch.setattr(models, "ModelHandle", SlowModel)
    monkeypatch.setattr(SlowModel, "started", [])
    run = Run(tmp_path / "log.sqlite", [SMALL, LARGE, FRENCH, BROKEN])
    yield run
    run.end()


def texts(workspace: Workspace) -> list[str | None]:
    settle(workspace)
    return [segment.text for segment in workspace.segments]


def test_old_model_translates_until_the_new_one_is_ready(run: Run) -> None:
    workspace = run.open()
    workspace.open(OWNER, 0)
    run.first.answer(0, "alt 0")
    settle(workspace)
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    [holder] = SlowModel.started
    shown = workspace.snapshot(OWNER)["model"]
    assert (shown["name"], shown["state"], shown["next"]) == ("hand", "ready", "team/large")
    run.first.answer(1, "alt 1")
    assert texts(workspace) == ["alt 0", "alt 1", None]

    decoder = holder.come()
    shown = workspace.snapshot(OWNER)["model"]
    assert (shown["name"], shown["state"], shown["next"]) == ("large", "ready", "")
    assert texts(workspace) == ["alt 0", "alt 1", None], "old texts stay until the new model has answered"
    assert decoder.of(0)[-1][1] == "interactive"
    decoder.answer_all()
    settle(workspace)
    decoder.answer_all()
    assert texts(workspace) == [f"de: {segment.source}" for segment in workspace.segments]


def test_answers_of_the_old_model_that_come_late_are_dropped(run: Run) -> None:
    workspace = run.open()
    workspace.open(OWNER, 0)
    late = [future for _, _, _, future in run.first.requests]
    requests = [request for _, request, _, _ in run.first.requests]
    run.first.cancel = lambda key: None  # type: ignore[method-assign]  # it was computed already
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    decoder = SlowModel.started[0].come()
    for request, future in zip(requests, late, strict=True):
        future.set_result(translation(request, "late"))
    assert texts(workspace) == [None, None, None]
    decoder.answer_all()
    assert "late" not in texts(workspace)


def test_translators_text_stays_and_the_log_names_the_model_of_each_request(run: Run) -> None:
    workspace = run.open()
    workspace.open(OWNER, 0)
    run.first.answer(0, "alt 0")
    settle(workspace)
    workspace.confirm(OWNER, 0, "Meins.")
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    decoder = SlowModel.started[0].come()
    decoder.answer_all()
    settle(workspace)
    assert workspace.segments[0].target == "Meins."
    events = list(run.store.events(workspace.session_id))
    first, switched = (number for number, event in enumerate(events) if event.type == "model")
    assert events[first].payload == {"key": None, "name": "hand", "model": ""}
    assert events[switched].payload == {"key": "cached/large", "name": "large", "model": "checksum of large"}
    used = [(number > switched, e.payload["model"]) for number, e in enumerate(events) if e.type == "decode_request"]
    assert set(used) == {(False, ""), (True, "checksum of large")}


def test_if_a_model_cannot_be_loaded_the_old_one_stays_with_a_reason(run: Run) -> None:
    workspace = run.open()
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    SlowModel.started[0].fail("large needs 1,235 MB of memory to load, and 12.3 MB are free")
    snapshot = workspace.snapshot(OWNER)
    assert (snapshot["model"]["name"], snapshot["model"]["next"]) == ("hand", "")
    assert "hand translates this document" in snapshot["problem"] and "1,235 MB" in snapshot["problem"]
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    SlowModel.started[1].come()
    snapshot = workspace.snapshot(OWNER)
    assert (snapshot["model"]["name"], snapshot["problem"]) == ("large", "")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("cached/french", "team/french translates en-fr, not en-de"),
        ("cached/broken", "model.safetensors is missing"),
        ("cached/../../etc", "was removed"),
    ],
)
def test_model_without_the_documents_direction_is_refused(run: Run, key: str, message: str) -> None:
    workspace = run.open()
    with pytest.raises(CommandError, match=message):
        run.sessions.models.switch(OWNER, workspace.model_use, key)
    assert (SlowModel.started, workspace.snapshot(OWNER)["model"]["next"]) == ([], "")


def test_last_choice_counts_and_unused_models_are_closed(run: Run) -> None:
    other = replace(LARGE, folder=Path("/models/other"))
    run.known = [SMALL, LARGE, other]
    workspace, second = run.open(), run.open(b"Another document.\n")
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/other")
    large, wanted = SlowModel.started
    decoder = wanted.come()
    assert workspace.model.name == "other"
    unwanted = large.come()
    assert (workspace.model.name, unwanted.is_closed) == ("other", True)

    run.sessions.models.switch(OWNER, second.model_use, "cached/other")  # shared
    assert (second.model is workspace.model, len(SlowModel.started)) == (True, 2)
    run.sessions.models.switch(OWNER, workspace.model_use, "bundled/small")
    assert (workspace.model.name, second.model.name, decoder.is_closed) == ("hand", "other", False)
    run.sessions.models.switch(OWNER, second.model_use, "bundled/small")
    assert (second.model.name, decoder.is_closed, run.first.is_closed) == ("hand", True, False)


HUB_ID = "Helsinki-NLP/opus-mt-en-de"


def test_a_model_of_the_hub_is_fetched_with_its_progress_and_remembered(run: Run) -> None:
    workspace = run.open()
    run.sessions.models.fetch(OWNER, workspace.model_use, HUB_ID)
    [holder] = SlowModel.started
    assert holder.folder == Path(HUB_ID)
    changes = []
    workspace.subscribe(OWNER, lambda: changes.append(workspace.snapshot(OWNER)["model"]["fetched"]))
    for num_bytes in (0, 1, 30, 31, 199, 200):
        holder._has_fetched(num_bytes, 200)
    shown = workspace.snapshot(OWNER)["model"]
    assert (shown["name"], shown["next"], shown["fetched"]) == ("hand", HUB_ID, 100)
    assert changes == [0, 15, 99, 100], "each percent is reported once"

    converted = replace(LARGE, name=HUB_ID, folder=Path("/models/opus-mt-en-de-0123"))
    run.known = [*run.known, converted]
    holder.come(converted.folder)
    shown = workspace.snapshot(OWNER)["model"]
    assert (shown["name"], shown["next"], shown["fetched"]) == ("opus-mt-en-de", "", None)
    event = run.store.last_event(workspace.session_id, "model")
    assert event is not None
    assert event.payload["key"] == "cached/opus-mt-en-de-0123"
    other = run.open(b"Another document.\n")
    run.sessions.models.fetch(OWNER, other.model_use, HUB_ID)  # it is here by now
    assert (other.model, len(SlowModel.started)) == (holder, 1)


def test_progress_at_the_very_beginning_of_a_download_is_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    original = SlowModel.on_fetch

    def late(model: SlowModel, listener: Callable[[], None]) -> None:
        model._has_fetched(1, 10)  # the only bytes for a while; nobody listens yet
        original(model, listener)

    monkeypatch.setattr(SlowModel, "on_fetch", late)
    workspace = run.open()
    changes: list[int | None] = []
    workspace.subscribe(OWNER, lambda: changes.append(workspace.snapshot(OWNER)["model"]["fetched"]))
    run.sessions.models.fetch(OWNER, workspace.model_use, HUB_ID)
    assert changes[-1] == 10


def test_download_that_nobody_waits_for_is_stopped(run: Run) -> None:
    workspace, second = run.open(), run.open(b"Another document.\n")
    for waiting in (workspace, second):
        run.sessions.models.fetch(OWNER, waiting.model_use, HUB_ID)
    [holder] = SlowModel.started
    run.sessions.models.stop(workspace.model_use)
    assert (workspace.snapshot(OWNER)["model"]["next"], holder.is_stopped) == ("", False)
    holder._has_fetched(1, 10)  # the other document waits
    run.sessions.models.stop(second.model_use)
    with pytest.raises(ModelError, match="was stopped"):
        holder._has_fetched(2, 10)
    run.sessions.models.fetch(OWNER, workspace.model_use, HUB_ID)
    assert len(SlowModel.started) == 2, "one that was stopped is of no use"
    holder.fail("loading opus-mt-en-de was stopped")
    snapshot = workspace.snapshot(OWNER)
    assert (snapshot["model"]["next"], snapshot["problem"], second.problem) == (HUB_ID, "", "")
    SlowModel.started[1].come()
    assert workspace.model is SlowModel.started[1]
    assert second.model.name == "hand"


def test_downloaded_model_of_other_languages_is_not_used_for_the_document(run: Run) -> None:
    workspace = run.open()
    run.sessions.models.fetch(OWNER, workspace.model_use, "Helsinki-NLP/opus-mt-fr-en")
    decoder = SlowModel.started[0].come(directions=("fr-en",))
    snapshot = workspace.snapshot(OWNER)
    assert (snapshot["model"]["name"], snapshot["model"]["next"], snapshot["problem"]) == ("hand", "", "")
    assert snapshot["model"]["offered"] == {"key": "", "name": "opus-mt-fr-en", "directions": ["fr-en"]}
    assert decoder.is_closed
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    assert workspace.snapshot(OWNER)["model"]["offered"] is None


def test_choosing_another_model_stops_the_earlier_download(run: Run) -> None:
    workspace = run.open()
    run.sessions.models.fetch(OWNER, workspace.model_use, HUB_ID)
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    fetched, large = SlowModel.started
    assert (fetched.is_stopped, large.is_stopped) == (True, False)


def test_downloaded_model_is_listed_and_not_downloaded_again_unasked(run: Run, tmp_path: Path) -> None:
    workspace = run.open()
    workspace.open(OWNER, 0)
    run.sessions.models.fetch(OWNER, workspace.model_use, "team/ours")
    SlowModel.started[0].come(Path("/hub/ours"))
    [current] = [
        offer
        for offer in run.sessions.models.catalog.offers(workspace.direction, workspace.model)
        if offer["is_current"]
    ]
    assert (current["key"], current["name"]) == ("hub/team/ours", "team/ours")
    token = workspace.token
    run.end()
    again = Run(tmp_path / "log.sqlite", [SMALL])
    workspace = again.sessions.find(OWNER, token)
    assert (workspace.model, len(SlowModel.started)) == (again.sessions.models.first, 1)
    assert "ours was removed" in workspace.problem
    again.end()
    run.store = LogStore.open(tmp_path / "log.sqlite")  # for the fixture to close


def test_language_model_of_the_hub_is_listed_under_its_name_after_a_restart(run: Run, tmp_path: Path) -> None:
    snapshots = tmp_path / "hub" / "models--team--tiny" / "snapshots"
    snapshots.mkdir(parents=True)
    folder = write_folder(snapshots / "0123")
    run.sessions.models.catalog.opened = OpenedModels(tmp_path / "opened.json")
    workspace = run.open()
    run.sessions.models.fetch(OWNER, workspace.model_use, "team/tiny")
    SlowModel.started[0].come(folder)
    event = run.store.last_event(workspace.session_id, "model")
    assert event is not None and event.payload["key"].startswith("opened/")
    token = workspace.token
    run.end()
    again = Run(tmp_path / "log.sqlite", [SMALL])
    again.sessions.models.catalog.opened = OpenedModels(tmp_path / "opened.json")
    workspace = again.sessions.find(OWNER, token)
    assert (workspace.model, workspace.model.folder) == (SlowModel.started[1], folder)
    shown = {offer["key"]: offer for offer in again.sessions.models.catalog.offers("en-de", workspace.model)}
    assert (shown[event.payload["key"]]["name"], shown[event.payload["key"]]["is_current"]) == ("team/tiny", True)
    known = again.sessions.models.look_up(workspace.model_use, "team/tiny")  # without the network
    assert known["num_bytes"] == shown[event.payload["key"]]["num_bytes"]
    again.end()
    run.store = LogStore.open(tmp_path / "log.sqlite")  # for the fixture to close


def test_failed_start_model_is_not_reported_as_translating(run: Run) -> None:
    workspace = run.open()
    run.sessions.models.first.state = "failed"
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    SlowModel.started[0].fail("no memory")
    assert workspace.problem == "The other model could not be loaded: no memory"


def test_local_folder_is_not_accepted_as_a_hub_id(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES_FOLDER.parents[1])
    with pytest.raises(CommandError, match="data/models is not the name of a model on the hub"):
        run.sessions.models.fetch(OWNER, run.open().model_use, "data/models")


@pytest.mark.parametrize(
    "name", ["", "opus-mt-en-de", "/etc/passwd", "../models/x", "a/..", "a/b/c", "https://a/b", "a/b "]
)
def test_invalid_hub_id_is_refused_with_an_example(run: Run, name: str) -> None:
    with pytest.raises(CommandError, match="such as Helsinki-NLP/opus-mt-en-de"):
        run.sessions.models.fetch(OWNER, run.open().model_use, name)
    assert SlowModel.started == []


def test_deleted_session_releases_its_model(run: Run) -> None:
    workspace = run.open()
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    decoder = SlowModel.started[0].come()
    run.sessions.delete_session(OWNER, workspace)
    assert decoder.is_closed


def test_continued_session_keeps_its_model(run: Run, tmp_path: Path) -> None:
    workspace = run.open()
    workspace.open(OWNER, 0)
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    SlowModel.started[0].come()
    token = workspace.token
    run.end()
    for gone, expected in ((False, "large"), (True, "hand")):
        again = Run(tmp_path / "log.sqlite", [SMALL] if gone else [SMALL, LARGE])
        workspace = again.sessions.find(OWNER, token)
        if not gone:
            assert workspace.model.state == "loading"
            SlowModel.started[-1].come()
        assert workspace.model.name == expected
        assert ("hand translates this document" in workspace.problem) == gone
        assert ("large was removed" in workspace.problem) == gone
        again.end()
    again = Run(tmp_path / "log.sqlite", [SMALL, LARGE])
    workspace = again.sessions.find(OWNER, token)
    SlowModel.started[-1].fail("no memory")
    assert (workspace.model.name, workspace.model.state) == ("hand", "ready")
    assert "no memory" in workspace.problem
    again.end()
    run.store = LogStore.open(tmp_path / "log.sqlite")  # for the fixture to close


def test_document_begins_again_with_a_model_of_other_directions(run: Run) -> None:
    workspace = run.open()
    assert run.sessions.models.directions(workspace.model_use, None) == ("en-de",)
    assert run.sessions.models.directions(workspace.model_use, "cached/french") == ("en-fr",)
    for key, message in (("cached/broken", "model.safetensors is missing"), ("cached/large", "large translates en-de")):
        with pytest.raises(CommandError, match=message):
            run.sessions.restart(OWNER, workspace, "fr-en", key)
    begun = run.sessions.restart(OWNER, workspace, "en-fr", "cached/french")
    [french] = SlowModel.started
    assert (begun.direction, begun.model, begun.model.state) == ("en-fr", french, "loading")
    assert (workspace.direction, workspace.model.name) == ("en-de", "hand")
    french.come(directions=("en-fr",))
    assert begun.model.state == "ready"
    event = run.store.last_event(begun.session_id, "model")
    assert event is not None
    assert event.payload == {"key": "cached/french", "name": "team/french", "model": ""}


def test_no_model_claims_an_unsupported_direction(run: Run) -> None:
    run.sessions.models.first.directions = ("en-de",)
    begun = run.sessions.restart(OWNER, run.open(), "en-fr", "cached/french")
    SlowModel.started[0].fail("no memory")
    assert "Nothing is translated here, because hand does not support this language pair" in begun.problem
    assert "no memory" in begun.problem


def test_start_model_is_logged_once_its_checksum_is_known(tmp_path: Path) -> None:
    def names_and_checksums() -> list[tuple[str | None, str]]:
        events = store.events(workspace.session_id)
        return [(event.payload["key"], event.payload["model"]) for event in events if event.type == "model"]

    store = LogStore.open(tmp_path / "log.sqlite")
    for folder, expected in (("old", ["old"]), ("old", ["old"]), ("new", ["old", "new"])):  # the same again is no news
        first = SlowModel(Path(folder))
        sessions = Sessions(store, first, SAMPLES_FOLDER)
        workspace = sessions.open_document(OWNER, TEXT, "text.txt")
        assert store.load_session(OWNER, workspace.session_id).versions["pinpoint"] == VERSION
        first.come()
        assert names_and_checksums() == [(None, f"checksum of {name}") for name in expected]
        assert sessions.models.remembered(store, store.load_session(OWNER, workspace.session_id)) == (first, "")
        sessions.close()
    store.close()


def test_page_lists_every_model_and_chooses_by_key_only(run: Run) -> None:
    workspace = run.open()
    api = Api(run.sessions)

    def command(name: str, **fields: Any) -> Any:
        message = {
            "token": workspace.token,
            "client": "c",
            "sequence": next(NUMBERS),
            "name": name,
            "since": -1,
            "open": None,
        }
        return api.command(OWNER, {**message, "since": -1, "detail_since": -1, **fields})

    has_shape(result := command("models")["result"], ModelOffers)
    offers = result["models"]
    listed = [(offer["key"], offer["is_current"], offer["is_fit"]) for offer in offers]
    assert listed == [
        ("bundled/small", True, True), ("cached/large", False, True),
        ("cached/french", False, False), ("cached/broken", False, False),
    ]  # fmt: skip
    assert offers[3]["problem"] == "model.safetensors is missing"
    assert command("switch_model", key="cached/large")["model"]["next"] == "team/large"
    assert "was removed" in command("switch_model", key="/models/large")["error"]["message"]
    assert not command("switch_model", key=7)["ok"]


def test_a_real_model_is_loaded_from_its_folder_beside_the_first(tmp_path: Path, cache: Path) -> None:
    """With files and a worker of its own; the first one stands in no list, and is offered all the same."""
    store = LogStore.open(tmp_path / "log.sqlite")
    first = ModelHandle(cache / "mine")
    first.load_in_background()
    first.wait()
    sessions = Sessions(store, first, SAMPLES_FOLDER)
    try:
        sessions.models.catalog._known = lambda: [describe_model(cache / "other", "cached")]
        workspace = sessions.open_document(OWNER, TEXT, "text.txt")
        offers = sessions.models.catalog.offers(workspace.direction, workspace.model)
        assert [(offer["key"], offer["name"], offer["is_current"]) for offer in offers] == [
            ("first", "mine", True), ("cached/other", "team/other", False),
        ]  # fmt: skip
        assert offers[1]["card"] == "# <b>Other</b>\n"
        has_come = threading.Event()
        workspace.subscribe(OWNER, lambda: workspace.model is not first and has_come.set())
        sessions.models.switch(OWNER, workspace.model_use, "cached/other")
        assert has_come.wait(60)
        assert workspace.model.name == "other"
        workspace.model.engine.submit(Request("Close it."), SearchOptions(beam=2), key="k", owner="o").result(60)
        status = Api(sessions).status()["models"]
        assert [(one["model"], one["state"], one["device"]) for one in status] == [
            ("mine", "ready", "cpu"), ("other", "ready", "cpu"),
        ]  # fmt: skip
        facts = [first.engine.facts, workspace.model.engine.facts]
        assert [(one["precision"], one["decoder"]) for one in status] == [(one.precision, one.decoder) for one in facts]
        assert all(one.decoder for one in facts)
        assert status[1]["num_answered"] > 0
        assert status[1]["median_latency_ms"] > 0
        assert status[1]["answers_per_second"] > 0
    finally:
        sessions.close()
        first.close()
        store.close()


def test_status_describes_a_loading_model(run: Run) -> None:
    run.sessions.models.switch(OWNER, run.open().model_use, "cached/large")
    client = TestClient(
        build_server(Api(run.sessions), host="127.0.0.1", port=0, sign_in=None), base_url="http://127.0.0.1"
    )
    reply = client.get("/status").json()
    first, large = reply["models"]
    assert (reply["version"], first["queue_length"], first["p95_latency_ms"]) == (VERSION, 3, None)
    assert large == {"model": "large", "state": "loading", "device": "cpu"}
    assert client.get("/status", headers={"host": "elsewhere.example"}).status_code == 403


def test_every_model_uses_the_device_of_the_start_model(run: Run, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = run.open()
    run.sessions.models.first.device = "cuda:1"
    run.sessions.models.switch(OWNER, workspace.model_use, "cached/large")
    [holder] = SlowModel.started
    assert holder.device == "cuda:1"
    asked = []
    monkeypatch.setattr(Translator, "load", lambda *settings, **_: asked.append(settings))
    for device in ("cpu", "cuda:1"):
        load_translator(cache / "mine", device)
    assert [settings[1:] for settings in asked] == [("cpu", "auto"), ("cuda:1", "auto")]


def test_missing_device_is_reported_with_the_cure(cache: Path) -> None:
    holder = ModelHandle(cache / "mine", device="toaster")
    holder.load_in_background()
    holder.wait()
    assert holder.state == "failed"
    assert "device toaster cannot be used" in holder.message
    assert "take cpu" in holder.message


@pytest.fixture
def cache(codec: TextCodec, tmp_path: Path) -> Path:
    """A folder with two models of random weights."""
    config = ModelConfig(
        len(codec.vocabulary), ("en-de",), model_size=8, num_heads=2, feed_forward_size=8, encoder_layers=1,
        decoder_layers=1,
    )  # fmt: skip
    torch.manual_seed(1)
    folder = tmp_path / "models"
    (folder / "mine").mkdir(parents=True)
    codec.save(folder / "mine")
    config.save(folder / "mine" / "config.json")
    save_weights(folder / "mine" / "model.safetensors", Transformer(config))
    shutil.copytree(folder / "mine", folder / "other")
    (folder / "other" / "card.md").write_text("# <b>Other</b>\n", encoding="utf-8")
    (folder / "other" / "origin.json").write_text('{"name": "team/other"}', encoding="utf-8")
    return folder


@dataclass
class Shop:
    """An app whose published models are those of a registry on loopback; installing one copies a model of ours."""

    registry: Registry
    sessions: Sessions
    workspace: Workspace

    def wait_for(self, is_reached: Callable[[], bool]) -> None:
        reached = threading.Event()
        self.workspace.subscribe(OWNER, lambda: is_reached() and reached.set())
        assert is_reached() or reached.wait(60)


@pytest.fixture
def shop(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    store = LogStore.open(tmp_path / "log.sqlite")
    first = ready_model(HandDecoder())
    with serving(Registry()) as registry:

        def install(folder: Path, name: str, texts: Mapping[str, str]) -> Path:
            assert (folder / "vocab.ende.spm").is_file()
            return install_model(cache / "mine", name, texts)

        sessions = Sessions(store, first, SAMPLES_FOLDER, published=PublishedModels(registry.address, install=install))
        shop = Shop(registry, sessions, sessions.open_document(OWNER, TEXT, "text.txt"))
        yield shop
        registry.release.set()
        shop.sessions.close()
        store.close()


def test_published_model_is_downloaded_installed_used_and_removed(shop: Shop) -> None:
    registry, models_, workspace = shop.registry, shop.sessions.models, shop.workspace
    entry = registry.publish("en-de", model=os.urandom(300_000))
    registry.publish("en-de", "base", metrics={"flores200-plus": {"comet": 0.95}})
    registry.publish("pt-en")
    assert models_.catalog.offers_to_download(None, workspace.direction, is_update=False)["models"] == []
    assert registry.requests == [], "nothing is asked of the network before a person does"
    found = models_.catalog.offers_to_download(None, workspace.direction, is_update=True)
    has_shape(found, PublishedOffers)
    assert (found["direction"], found["directions"]) == ("en-de", ["en-de", "pt-en"])
    assert [(one["name"], one["is_recommended"], one["is_installed"]) for one in found["models"]] == [
        ("firefox-en-de-base", True, False), ("firefox-en-de-tiny", False, False),
    ]  # fmt: skip
    assert "MPL-2.0" in found["models"][1]["licence_text"]
    registry.held = registry.path_of(entry)
    models_.download(OWNER, workspace.model_use, "firefox-en-de-tiny")
    shop.wait_for(lambda: (workspace.snapshot(OWNER)["model"]["fetched"] or 0) > 10)
    assert workspace.snapshot(OWNER)["model"]["next"] == "Firefox Translations en-de (tiny)"
    registry.release.set()
    shop.wait_for(lambda: workspace.model.name == "firefox-en-de-tiny")
    [offer] = [
        one
        for one in models_.catalog.offers(workspace.direction, workspace.model)
        if one["key"] == "cached/firefox-en-de-tiny"
    ]
    assert (offer["is_current"], offer["is_removable"], offer["median_ms"]) == (True, True, None)
    assert "LICENSE.txt" in {file.name for file in (workspace.model.loaded_from or Path()).iterdir()}
    with pytest.raises(CommandError, match="choose another model there first"):
        models_.remove("cached/firefox-en-de-tiny")
    for number in range(6):
        workspace.model.engine.submit(  # type: ignore[union-attr]
            Request("Close it."), SearchOptions(beam=2), key=f"key {number}", owner="owner"
        ).result(60)
    [offer] = [
        one
        for one in models_.catalog.offers(workspace.direction, workspace.model)
        if one["key"] == "cached/firefox-en-de-tiny"
    ]
    assert offer["median_ms"] > 0
    shop.sessions.delete_session(OWNER, workspace)
    models_.remove("cached/firefox-en-de-tiny")
    left = models_.catalog.offers_to_download("en-de", workspace.direction, is_update=False)["models"]
    assert [one["is_installed"] for one in left] == [False, False]
    with pytest.raises(CommandError, match="was removed"):
        models_.remove("cached/firefox-en-de-tiny")


def test_cancelled_or_failed_download_keeps_the_current_model(shop: Shop) -> None:
    registry, models_, workspace = shop.registry, shop.sessions.models, shop.workspace
    entry = registry.publish("en-de", model=os.urandom(300_000))
    models_.catalog.offers_to_download(None, workspace.direction, is_update=True)
    registry.held = registry.path_of(entry)
    models_.download(OWNER, workspace.model_use, "firefox-en-de-tiny")
    shop.wait_for(lambda: (workspace.snapshot(OWNER)["model"]["fetched"] or 0) > 10)
    models_.stop(workspace.model_use)
    assert (workspace.snapshot(OWNER)["model"]["next"], workspace.model.name) == ("", "hand")
    registry.release.set()
    entry["files"]["model"]["uncompressedHash"] = "0" * 64
    models_.catalog.offers_to_download(None, workspace.direction, is_update=True)
    models_.download(OWNER, workspace.model_use, "firefox-en-de-tiny")
    shop.wait_for(lambda: "is damaged" in workspace.snapshot(OWNER)["problem"])
    german = translated(workspace.snapshot(OWNER)["problem"], "de")
    assert "ist beschädigt" in german
    assert workspace.model.name == "hand"
    assert [
        one["key"] for one in models_.catalog.offers(workspace.direction, workspace.model) if one["place"] == "cached"
    ] == []
    with pytest.raises(CommandError, match="firefox-xx is no longer in the list"):
        models_.download(OWNER, workspace.model_use, "firefox-xx")


def restarted(shop: Shop) -> Workspace:
    """The document after the app was closed and started again."""
    sessions, token = shop.sessions, shop.workspace.token
    sessions.close()
    shop.sessions = Sessions(
        sessions.store, ready_model(HandDecoder()), SAMPLES_FOLDER, published=sessions.models.catalog.published
    )
    shop.workspace, _ = shop.sessions.welcome(OWNER, token)
    return shop.workspace


def test_download_that_ended_with_the_app_continues_at_the_next_start(shop: Shop) -> None:
    registry, workspace = shop.registry, shop.workspace
    entry = registry.publish("en-de", model=os.urandom(300_000))
    shop.sessions.models.catalog.published.update()
    registry.held = registry.path_of(entry)
    shop.sessions.models.download(OWNER, workspace.model_use, "firefox-en-de-tiny")
    shop.wait_for(lambda: (workspace.snapshot(OWNER)["model"]["fetched"] or 0) > 10)
    workspace = restarted(shop)
    assert workspace.snapshot(OWNER)["model"]["next"] == "Firefox Translations en-de (tiny)"
    registry.release.set()
    shop.wait_for(lambda: workspace.model.name == "firefox-en-de-tiny")
    ranges = [wanted for path, wanted in registry.requests if path == registry.path_of(entry)]
    assert ranges[-1].startswith("bytes="), "what was received is not asked again"
    assert restarted(shop).snapshot(OWNER)["model"]["next"] == ""


def test_broken_download_is_tried_once_more_at_the_next_start_and_a_cancelled_one_is_not(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "PAUSE_SECONDS", 0.001)
    shop.registry.publish("en-de")
    shop.sessions.models.catalog.published.update()
    shop.registry.is_down = True
    shop.sessions.models.download(OWNER, shop.workspace.model_use, "firefox-en-de-tiny")
    shop.wait_for(lambda: "HTTP 503" in shop.workspace.problem)
    workspace = restarted(shop)
    shop.wait_for(lambda: "HTTP 503" in workspace.problem)
    num_requests = len(shop.registry.requests)
    assert restarted(shop).snapshot(OWNER)["model"]["next"] == ""
    assert len(shop.registry.requests) == num_requests, "a person has to ask now"

    shop.sessions.models.download(OWNER, shop.workspace.model_use, "firefox-en-de-tiny")
    shop.sessions.models.stop(shop.workspace.model_use)
    assert restarted(shop).snapshot(OWNER)["model"]["next"] == ""


def test_styles_of_a_model_are_known_while_it_loads(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cache / "mine" / "config.json"
    style = {"domains": ["docs"], "formalities": {"en-de": ["formal"]}}
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **style}), encoding="utf-8")
    monkeypatch.setattr(ModelHandle, "_load", lambda *_: None)  # never ends
    holder = ModelHandle(cache / "mine")
    holder.load_in_background()
    assert (holder.state, holder.directions, holder.domains) == ("loading", ("en-de",), ("docs",))
    assert holder.formalities == {"en-de": ("formal",)}


def test_fixed_direction_is_used_for_new_documents_if_the_model_supports_it(cache: Path) -> None:
    for wanted, state, direction in (
        (None, "ready", "en-de"),
        ("en-de", "ready", "en-de"),
        ("de-fr", "failed", "de-fr"),
    ):
        holder = ModelHandle(cache / "mine", wanted)
        holder.load_in_background()
        holder.wait()
        assert (holder.state, holder.direction) == (state, direction)
        holder.close()
    assert holder.message == "mine translates en-de, not de-fr"


def test_downloaded_model_of_another_language_pair_is_offered_for_starting_over(shop: Shop, cache: Path) -> None:
    path = cache / "mine" / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    french = {"directions": ["en-fr"], "direction_pieces": {"en-fr": None}}
    path.write_text(json.dumps({**config, **french}), encoding="utf-8")
    shop.registry.publish("en-de")
    models_, workspace = shop.sessions.models, shop.workspace
    models_.catalog.offers_to_download(None, workspace.direction, is_update=True)
    models_.download(OWNER, workspace.model_use, "firefox-en-de-tiny")
    shop.wait_for(lambda: workspace.snapshot(OWNER)["model"]["offered"] is not None)
    snapshot = workspace.snapshot(OWNER)
    offered = {"key": "cached/firefox-en-de-tiny", "name": "firefox-en-de-tiny", "directions": ["en-fr"]}
    assert (snapshot["model"]["offered"], snapshot["model"]["name"], snapshot["problem"]) == (offered, "hand", "")
    assert models_.directions(workspace.model_use, "cached/firefox-en-de-tiny") == ("en-fr",)
    models_.remove("cached/firefox-en-de-tiny")


def test_uploaded_model_is_installed_and_used(shop: Shop, cache: Path, tmp_path: Path) -> None:
    api, models_, workspace = Api(shop.sessions), shop.sessions.models, shop.workspace
    client = TestClient(build_server(api, host="127.0.0.1", port=7860, sign_in=None), base_url="http://127.0.0.1:7860")

    def send(upload: str, file: str, data: bytes) -> Any:
        query = {"upload": upload, "file": file, "language": "de"}
        return client.post(f"/model/{workspace.token}", params=query, content=data)

    def installed() -> list[str]:
        return [
            one["key"]
            for one in models_.catalog.offers(workspace.direction, workspace.model)
            if one["place"] == "cached"
        ]

    for file in (cache / "mine").iterdir():
        assert send("a" * 32, file.name, file.read_bytes()).json() == {"ok": True}
    assert "ist keine Datei eines Modells" in send("a" * 32, "../x.bin", b"x").json()["error"]["message"]
    assert send("a" * 32, "x.bin", b"").status_code == 200
    assert client.post(f"/model/{workspace.token}", headers={"content-length": str(3 * 2**30)}).status_code == 413
    assert "not in the log" in client.post("/model/wrong?upload=x&file=y").json()["error"]["message"]
    models_.install_upload(OWNER, workspace.model_use, "a" * 32, "my model")
    shop.wait_for(lambda: workspace.model.name == "my-model")
    assert installed() == ["cached/my-model"]
    with pytest.raises(CommandError, match="choose them again"):
        models_.install_upload(OWNER, workspace.model_use, "a" * 32, "my model")

    broken = bytearray((cache / "mine" / "model.safetensors").read_bytes()[:-4])
    for file in (cache / "mine").iterdir():
        send("b" * 32, file.name, broken if file.suffix == ".safetensors" else file.read_bytes())
    models_.install_upload(OWNER, workspace.model_use, "b" * 32, "my model")
    shop.wait_for(lambda: bool(workspace.snapshot(OWNER)["problem"]))
    problem = workspace.snapshot(OWNER)["problem"]
    assert problem.startswith("The other model could not be loaded (")
    assert problem.endswith(" my-model translates this document")
    assert installed() == ["cached/my-model"]
    assert list((tmp_path / "cache" / "uploads").iterdir()) == []


TABLE = b"en-US\tpt-BR\nOpen the settings.\t\nClose it.\t\n"


def test_document_whose_languages_no_model_has_offers_the_recommended_one_without_the_network(shop: Shop) -> None:
    shop.registry.publish("en-pt", model=bytes(2_000_000))
    workspace = shop.sessions.open_document(OWNER, TABLE, "table.tsv")
    unread = {
        "direction": "en-pt",
        "name": "",
        "title": "",
        "num_bytes": 0,
        "licence": "",
        "pivot": "",
        "is_needed": True,
    }
    assert shop.sessions.model_offer(OWNER, workspace) == unread
    assert shop.registry.requests == []
    assert shop.sessions.model_offer(OWNER, workspace) is None, "it is offered once"
    shop.sessions.models.catalog.offers_to_download(None, workspace.direction, is_update=True)
    [model] = shop.sessions.models.catalog.published.known().models
    title = "Firefox Translations en-pt (tiny)"
    again = shop.sessions.open_document(OWNER, TABLE + b"More.\t\n", "table.tsv")
    assert shop.sessions.model_offer(OWNER, again) == {
        **unread, "name": model.name, "title": title, "num_bytes": 2_000_000, "licence": "MPL-2.0",
    }  # fmt: skip
    assert shop.sessions.model_offer(OWNER, shop.sessions.open_document(OWNER, TEXT, "text.txt")) is None


def test_first_start_offers_a_better_model_than_the_bundled_one_and_later_starts_do_not(shop: Shop) -> None:
    shop.sessions.workspaces._current.clear()
    shop.sessions.model.folder = MODEL_FOLDER
    workspace, _ = shop.sessions.welcome(OWNER, None)
    offered = shop.sessions.model_offer(OWNER, workspace)
    assert offered is not None and (offered["direction"], offered["title"], offered["is_needed"]) == (
        "en-de",
        "",
        False,
    )
    shop.registry.publish("en-pt")
    shop.sessions.models.catalog.offers_to_download(None, workspace.direction, is_update=True)
    assert shop.sessions.models.catalog.suggestion("en-de", is_needed=False) is None, "the list has none for it"
    again, _ = shop.sessions.welcome(OWNER, None)
    assert shop.sessions.model_offer(OWNER, again) is None


def test_sample_opens_in_the_best_installed_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    medium = replace(LARGE, name="team/medium", folder=Path("/models/medium"), num_parameters=17_000_000)
    chat = replace(LARGE, name="team/chat", folder=Path("/models/chat"), num_parameters=9**10, family="llama")
    run.known[:] = [SMALL, medium, LARGE, FRENCH, BROKEN, chat]
    assert run.sessions.open_sample(OWNER).model is run.sessions.model, "a model was chosen at the start"
    monkeypatch.setattr("app.sessions.sessions.MODEL_FOLDER", SMALL.folder)
    workspace = run.sessions.open_sample(OWNER)
    assert workspace.model is run.sessions.model, "it translates until the other is loaded"
    [loading] = SlowModel.started
    assert loading.folder == LARGE.folder
    loading.come()
    settle(workspace)
    assert workspace.model is loading
    assert run.open().model is run.sessions.model, "other documents have the model of the start"
    run.known[:] = [SMALL, FRENCH]
    assert run.sessions.models.catalog.best_installed("en-de") == ""


def test_model_that_other_processes_have_is_not_loaded_here():
    served = HandDecoder()
    served.facts = EngineFacts("served", ("en-de", "de-en"), {}, (), "abc", Path("/models/served"))
    asked: list[Path] = []
    model = ModelHandle(Path("/models/served"), find_engine=lambda folder: asked.append(folder) or served)
    model.load_in_background()
    model.wait()
    assert (model.state, model.engine, model.name, model.directions) == ("ready", served, "served", ("en-de", "de-en"))
    assert asked == [Path("/models/served")]
    model.close()
    assert served.is_closed


def test_model_with_silent_processes_is_reported():
    def find_engine(folder: Path) -> None:
        raise ModelError(f"{folder} is not ready")

    model = ModelHandle(Path("/models/served"), find_engine=find_engine)
    model.load_in_background()
    model.wait()
    assert (model.state, model.message) == ("failed", "/models/served is not ready")


def test_served_model_of_another_language_pair_is_let_go():
    served = HandDecoder()
    model = ModelHandle(Path("/models/served"), "en-fr", find_engine=lambda folder: served)
    model.load_in_background()
    model.wait()
    assert (model.state, model.message) == ("failed", "hand translates en-de, not en-fr")
    assert served.is_closed
