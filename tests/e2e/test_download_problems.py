"""Downloads of models that fail, in the browser: what happened, what to do, and nothing installed by half."""

from __future__ import annotations

import os
import re
import shutil
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from app.models import transfer
from app.models.published_models import PublishedModels
from engine import install_model
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.app.models.registry_server import Registry, serving
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen

Usage = namedtuple("Usage", "total used free")
NAME = "Firefox Translations en-pt (tiny)"


@dataclass(frozen=True)
class Shop:
    """The dialog Models over a registry that has one model for English to Portuguese."""

    screen: Screen
    registry: Registry
    entry: dict[str, Any]
    models: Locator
    cache: Path

    @property
    def path(self) -> str:
        return self.registry.path_of(self.entry)

    @property
    def found(self) -> Locator:
        return self.models.get_by_role("region", name=NAME)

    @property
    def problem(self) -> Locator:
        """The one message that is shown."""
        return self.models.get_by_role("alert").filter(has_text=re.compile(r"\w"))

    def look(self) -> None:
        self.models.get_by_role("button", name="Look for models").click()

    def start(self) -> None:
        self.found.get_by_role("button", name="Download").click()

    def installed(self) -> list[str]:
        """What is in the folder of models, hidden and unfinished folders too."""
        folder = self.cache / "models"
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.fixture
def shop(tabs: BrowserContext, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    cache = tmp_path / "cache"
    monkeypatch.setenv("PINPOINT_CACHE", str(cache))
    monkeypatch.setattr(transfer, "PAUSE_SECONDS", 0.01)

    def install(folder: Path, name: str, texts: Mapping[str, str]) -> Path:
        assert (folder / "model.enpt.intgemm.alphas.bin").stat().st_size == 300_000
        return install_model(shutil.copytree(model_folder, folder.parent / "converted"), name, texts)

    with serving(Registry()) as registry:
        entry = registry.publish(model=os.urandom(300_000))
        published = PublishedModels(registry.address, install=install)
        with serve(ready_model(HandDecoder()), tmp_path, published) as url:
            screen = Screen(tabs.new_page(), url)
            screen.page.set_viewport_size({"width": 1024, "height": 640})
            screen.open_text("en\tpt\nOpen the settings.\t\n", "table.tsv", waits=False)
            screen.page.get_by_role("button", name="Show models").click()
            models = screen.page.get_by_role("dialog", name="Models")
            expect(models).to_be_visible()
            yield Shop(screen, registry, entry, models, cache)
            screen.check_nothing_went_wrong()


def publish_another_checksum(shop: Shop, _: pytest.MonkeyPatch) -> None:
    shop.entry["files"]["model"]["uncompressedHash"] = "0" * 64


def remove_the_file(shop: Shop, _: pytest.MonkeyPatch) -> None:
    shop.registry.missing.add(shop.path)


def break_off_always(shop: Shop, _: pytest.MonkeyPatch) -> None:
    shop.registry.cut_at[shop.path], shop.registry.num_cuts = 0, 1_000


def fill_the_disk(_: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9, 1_000_000))


@pytest.mark.parametrize(
    ("damage", "what_happened", "what_to_do"),
    [
        (
            publish_another_checksum,
            "is damaged: its size or checksum differs from the published one",
            "Download it again",
        ),
        (remove_the_file, "was not found on the server (404)", "update the list of models"),
        (
            break_off_always,
            "cannot be downloaded (the connection was interrupted)",
            "check the connection and try again. The part received so far is kept",
        ),
        (fill_the_disk, "needs 68 MB of disk space", "free some, or set PINPOINT_CACHE to another folder"),
    ],
)
def test_failed_download_shows_reason_and_remedy_and_succeeds_later(
    shop: Shop,
    monkeypatch: pytest.MonkeyPatch,
    damage: Callable[[Shop, pytest.MonkeyPatch], None],
    what_happened: str,
    what_to_do: str,
):
    right = shop.entry["files"]["model"]["uncompressedHash"]
    with monkeypatch.context() as patch:
        damage(shop, patch)
        shop.look()
        shop.models.get_by_label("Model name on the Hugging Face Hub").scroll_into_view_if_needed()
        shop.start()
        expect(shop.problem).to_contain_text(what_happened)
        expect(shop.problem).to_contain_text(what_to_do)
        expect(shop.problem).to_be_in_viewport()
        expect(shop.models.get_by_role("progressbar")).to_be_hidden()
        assert shop.installed() == []
    shop.registry.missing, shop.registry.num_cuts = set(), 0
    shop.entry["files"]["model"]["uncompressedHash"] = right
    shop.models.get_by_role("button", name="Update list").click()
    shop.found.get_by_role("button", name="ownload").click()
    expect(shop.found).to_contain_text("installed")
    expect(shop.problem).to_have_count(0)
    assert shop.installed() == ["firefox-en-pt-tiny"]


def test_slow_download_is_cancelled_and_continued(shop: Shop):
    shop.registry.held = shop.path
    shop.look()
    shop.start()
    bar = shop.models.get_by_role("progressbar", name="Downloaded")
    expect(bar).to_have_attribute("aria-valuenow", re.compile("^[1-9]"))
    expect(bar).to_be_in_viewport()
    shop.models.get_by_role("button", name="Cancel").click()
    expect(bar).to_be_hidden()
    assert shop.installed() == []
    shop.registry.release.set()
    shop.found.get_by_role("button", name="Continue download").click()
    expect(shop.found).to_contain_text("installed")
    ranges = [wanted for path, wanted in shop.registry.requests if path == shop.path]
    assert ranges[0] == "" and re.fullmatch(r"bytes=[1-9]\d*-", ranges[-1])


def test_unreadable_list_explains_how_to_install_a_model_without_network(shop: Shop):
    shop.registry.is_down = True
    shop.look()
    expect(shop.problem).to_contain_text("HTTP 503")
    expect(shop.problem).to_contain_text("check the connection and try again")
    expect(shop.problem).to_contain_text("Without a network: download a model on another computer")
    expect(shop.problem).not_to_contain_text("The part received so far is kept")
    shop.registry.is_down = False
    shop.look()
    expect(shop.found.get_by_role("button", name="Download")).to_be_visible()
    expect(shop.problem).to_have_count(0)
