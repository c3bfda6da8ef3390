"""Models of a registry in the browser: looked for, downloaded, cancelled, continued, used and removed."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from app.models import transfer
from app.models.loading import ModelHandle
from app.models.published_models import PublishedModels
from engine import install_model
from tests.app.models.registry_server import Registry, serving
from tests.e2e.hand_server import serve
from tests.e2e.screen import DOCUMENT, Screen


def test_published_model_is_downloaded_used_and_removed(
    tabs: BrowserContext, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(transfer, "PAUSE_SECONDS", 0.01)

    def install(folder: Path, name: str, texts: Mapping[str, str]) -> Path:
        """Converts as an importer would: by a model that is there, in the direction of the downloaded files."""
        source = shutil.copytree(model_folder, folder.parent / "converted")
        if (folder / "vocab.enfr.spm").is_file():
            config = json.loads((source / "config.json").read_text(encoding="utf-8"))
            french = {"directions": ["en-fr"], "direction_pieces": {"en-fr": None}, "formalities": {}}
            (source / "config.json").write_text(json.dumps({**config, **french}), encoding="utf-8")
        return install_model(source, name, texts)

    model = ModelHandle(model_folder)
    model.load_in_background(1)
    with serving(Registry()) as registry:
        entry = registry.publish("en-de", model=os.urandom(300_000))
        registry.publish("en-de", "base", status=None)
        registry.publish("en-fr", metrics=None, license="CC-BY-4.0")
        registry.held = registry.path_of(entry)
        published = PublishedModels(registry.address, install=install)
        with serve(model, tmp_path, published) as url:
            screen = Screen(tabs.new_page(), url)
            page, header = screen.page, screen.page.locator(".model")
            screen.open_text(DOCUMENT)
            screen.wait_for_proposal()
            header.click()
            models = page.get_by_role("dialog", name="Models")
            look = models.get_by_role("button", name="Look for models")
            expect(look).to_be_visible()
            assert registry.requests == [], "nothing is requested before somebody asks for it"
            look.click()
            tiny = models.get_by_role("region", name="Firefox Translations en-de (tiny)")
            expect(tiny).to_contain_text("recommended")
            expect(tiny).to_contain_text("chrF 69.1, BLEU 46.2 (published by its makers, FLORES-200)")
            tiny.get_by_text("Licence and origin").click()
            expect(tiny.locator("pre")).to_contain_text("Mozilla Public License")
            expect(models.get_by_role("region", name="Firefox Translations en-de (base)")).to_contain_text(
                "not released"
            )

            tiny.get_by_role("button", name="Download and use").click()
            bar = models.get_by_role("progressbar", name="Downloaded")
            expect(bar).to_be_visible()
            expect(header).to_contain_text(re.compile(r"Downloading Firefox Translations en-de \(tiny\): [1-9]"))
            models.get_by_role("button", name="Cancel").click()
            expect(bar).to_be_hidden()
            registry.release.set()
            tiny.get_by_role("button", name="Continue download").click()
            expect(header).to_have_text("firefox-en-de-tiny")
            expect(tiny).to_contain_text("installed")
            mine = models.get_by_role("region", name="firefox-en-de-tiny", exact=True)
            expect(mine).to_contain_text("in use")
            assert (tmp_path / "cache" / "models" / "firefox-en-de-tiny" / "LICENSE.txt").is_file()

            models.get_by_label("Language pair").select_option(label="English → French")
            french = models.get_by_role("region", name="Firefox Translations en-fr (tiny)")
            expect(french).to_contain_text("quality not published")
            french.get_by_role("button", name="Download").click()
            expect(french).to_contain_text("installed")
            installed = page.locator(".banner.info").filter(has_text="translates English → French")
            expect(installed).to_contain_text("The language pair of this document does not change: English → German")
            expect(installed.get_by_role("button", name="Start over with this model")).to_have_count(1)
            expect(models.get_by_role("region", name="firefox-en-fr-tiny", exact=True)).to_contain_text("en-fr")

            registry.is_down = True
            models.get_by_role("button", name="Update list").click()
            expect(models.get_by_role("alert").filter(has_text="HTTP 503")).to_contain_text("Without a network")
            remove = models.get_by_role("region", name="firefox-en-fr-tiny", exact=True)
            remove.get_by_role("button", name="Remove").click()
            remove.get_by_role("button", name="Remove from this computer").click()
            expect(remove).to_have_count(0)
            expect(french.get_by_role("button", name="Download")).to_be_visible()
            page.keyboard.press("Escape")
            screen.wait_for_proposal()
            page.get_by_label("Words to pin or ban").fill("Dateien")
            page.keyboard.press("Enter")
            screen.wait_for_pin("Dateien")
            screen.check_nothing_went_wrong()
    model.close()


def test_document_without_a_model_for_its_languages_leads_to_the_models_for_them(
    tabs: BrowserContext, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    model = ModelHandle(model_folder)
    model.load_in_background(1)
    model.wait()
    with serving(Registry()) as registry:
        registry.held = registry.path_of(registry.publish("en-pt", model=os.urandom(300_000)))
        with serve(model, tmp_path, PublishedModels(registry.address)) as url:
            screen = Screen(tabs.new_page(), url)
            screen.open_text("en-US\tpt-BR\nOpen the settings.\t\nClose it.\t\n", "table.tsv")
            offer = screen.page.locator(".banner").filter(has_text="No installed model translates English → Portuguese")
            expect(offer).to_contain_text("Usually 17 to 43 MB, less than a minute, licence MPL-2.0")
            assert registry.requests == []
            offer.get_by_role("button", name="Download and use").click()
            header = screen.page.locator(".model")
            expect(header).to_contain_text("Downloading Firefox Translations en-pt (tiny)")
            header.click()
            screen.page.get_by_role("dialog", name="Models").get_by_role("button", name="Cancel").click()
            registry.release.set()
    model.close()


def test_document_without_a_model_for_its_languages_is_translated_through_another_language(
    tabs: BrowserContext, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    portuguese = shutil.copytree(model_folder, tmp_path / "cache" / "models" / "mine-pt-en")
    config = json.loads((portuguese / "config.json").read_text(encoding="utf-8"))
    own = {"directions": ["pt-en"], "direction_pieces": {"pt-en": None}, "formalities": {}}
    (portuguese / "config.json").write_text(json.dumps({**config, **own}), encoding="utf-8")
    model = ModelHandle(model_folder)
    model.load_in_background(1)
    model.wait()
    with serve(model, tmp_path) as url:
        screen = Screen(tabs.new_page(), url)
        page = screen.page
        screen.open_text("pt\tde\nAbra a porta.\t\nFeche a porta.\t\n", "table.tsv")
        offer = page.locator(".banner").filter(has_text="two installed models can, through English")
        offer.get_by_role("button", name="Show models").click()
        pair = page.get_by_role("region", name="Portuguese → German through English (two models)")
        expect(pair).to_contain_text("mine-pt-en")
        pair.get_by_role("button", name="Start over with these models").click()
        page.get_by_role("button", name="Use this language pair").click()
        expect(page.locator(".model")).to_contain_text("through English")
        expect(page.locator(".docinfo .dir")).to_have_text("PT → DE")
        screen.wait_for_proposal()
        between = page.locator(".between")
        expect(between.locator("p")).to_be_hidden()
        between.get_by_text("Text in between: English").click()
        expect(between.locator("p")).to_have_text(re.compile(r"\w"))
        expect(between.locator("p")).not_to_have_text("Not available yet.")
        page.get_by_label("Words to pin or ban").fill("Dateien")
        page.keyboard.press("Enter")
        screen.wait_for_pin("Dateien")
        page.locator(".model").click()
        expect(pair).to_contain_text("in use")
    model.close()
