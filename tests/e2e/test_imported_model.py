"""Imported models: a MarianMT folder given at start, post-editing with a pin, switching to another model, and a
model of the hub downloaded from the page.
"""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from app.models.opened_models import OpenedModels
from engine.importers import model_folder as folder_of_model
from tests.e2e.hand_server import loading, serve
from tests.e2e.screen import DOCUMENT, Screen, events
from tests.importers.gguf_files import write_header
from tests.importers.hub import Hub, serving, use
from tests.importers.marian import save_marian

pytest.importorskip("transformers")
HOSTILE = "# Second <img src=x onerror=document.title='broken'>"


def test_imported_model_has_the_pin_in_every_hypothesis(
    tabs: BrowserContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    save_marian(tmp_path / "opus-mt-en-de", ending=1.0)
    save_marian(tmp_path / "second-en-de", ending=1.5)
    (tmp_path / "second-en-de" / "README.md").write_text(HOSTILE, encoding="utf-8")
    converted = folder_of_model(tmp_path / "second-en-de")  # converted earlier
    wrong = shutil.copytree(converted, converted.parent / "wrong-en-de")
    (wrong / "origin.json").unlink()
    (wrong / "pieces.txt").write_text("<s>\n", encoding="utf-8")
    with serve(loading(tmp_path / "opus-mt-en-de"), tmp_path) as url:
        screen = Screen(tabs.new_page(), url)
        expect(screen.page.locator(".model")).to_have_text("opus-mt-en-de")
        screen.open_text(DOCUMENT)
        screen.page.get_by_label("Words to pin or ban").fill("Dateien")
        screen.page.keyboard.press("Enter")
        screen.wait_for_pin("Dateien")
        screen.wait_for_proposal()
        assert all("Dateien" in boxed for boxed in screen.boxes())
        models = screen.page.get_by_role("dialog", name="Models")
        screen.page.locator(".model").click()
        models.get_by_role("region", name="wrong-en-de").get_by_role("button", name="Use").click()
        expect(screen.notes.filter(has_text="could not be loaded")).to_contain_text(
            "opus-mt-en-de translates this document"
        )
        screen.page.locator(".model").click()
        second = models.get_by_role("region", name=str(tmp_path / "second-en-de"))
        expect(second.locator("b")).to_have_text("English → German")
        second.get_by_text("Model card").click()
        expect(second.locator("pre")).to_have_text(HOSTILE)
        expect(screen.page.locator("dialog img")).to_have_count(0)
        second.get_by_role("button", name="Use").click()
        expect(screen.page.locator(".model")).to_have_text("second-en-de")
        expect(screen.notes).to_have_count(0)  # the notice about the first model is gone
        screen.wait_for_pin("Dateien")
        screen.wait_for_proposal()
        assert all("Dateien" in boxed for boxed in screen.boxes())
        screen.confirm()
        log = events(screen.download("Session log as JSONL", tmp_path))
        assert [event["type"] for event in log].count("pin") == 1
        assert len({event["payload"]["model"] for event in log if event["type"] == "decode_request"}) == 2

        screen.page.locator(".model").click()
        own = models.get_by_role("region", name="A model on this computer")
        files = own.locator("input[multiple]")
        (tmp_path / "broken.zip").write_bytes(b"PK no archive")
        files.set_input_files(tmp_path / "broken.zip")
        expect(models.get_by_role("alert").filter(has_text="broken.zip is not a model")).to_be_visible()
        files.set_input_files(shutil.make_archive(str(tmp_path / "third"), "zip", tmp_path / "second-en-de"))
        third = models.get_by_role("region", name="third", exact=True)
        expect(third).to_contain_text("in use")
        expect(screen.page.locator(".model")).to_have_text("third")
        expect(models.get_by_role("alert").filter(has_text="is not a model")).to_have_count(0)
        screen.page.keyboard.press("Escape")
        screen.wait_for_proposal()
        screen.check_nothing_went_wrong()


def test_hub_model_is_downloaded_from_the_page(
    tabs: BrowserContext, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    save_marian(tmp_path / "theirs", ending=1.0)
    with serving(Hub(tmp_path / "theirs", "team/opus-mt-en-de")) as hub:
        monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
        use(hub, tmp_path / "hub", monkeypatch)
        hub.held = "model.safetensors"
        with serve(loading(model_folder), tmp_path) as url, ExitStack() as at_end:
            at_end.callback(hub.release.set)
            screen = Screen(tabs.new_page(), url)
            page, header = screen.page, screen.page.locator(".model")
            screen.open_text(DOCUMENT)
            screen.wait_for_proposal()
            header.click()
            models = page.get_by_role("dialog", name="Models")
            name = models.get_by_label("Model name on the Hugging Face Hub")
            expect(name).to_have_attribute("placeholder", "Helsinki-NLP/opus-mt-en-de")
            name.fill("../../etc/passwd")
            page.keyboard.press("Enter")
            expect(models.get_by_text("../../etc/passwd is not the name of a model on the hub")).to_be_visible()
            name.fill("team/nothing-there")
            page.keyboard.press("Enter")
            wrong = models.get_by_role("alert").filter(has_text="team/nothing-there")
            expect(wrong).to_contain_text("check the spelling of the name (MAKER/MODEL)")
            name.fill("team/opus-mt-en-de")
            models.get_by_role("button", name="Look up").click()
            expect(models.get_by_role("status").filter(has_text="MB")).to_contain_text("licence apache-2.0")
            expect(wrong).to_have_count(0)
            assert hub.fetched == []
            models.get_by_role("button", name="Download and use").click()
            expect(header).to_contain_text("Downloading team/opus-mt-en-de:")
            header.click()
            expect(models.get_by_role("progressbar", name="Downloaded")).to_be_visible()
            models.get_by_role("button", name="Cancel").click()
            expect(models.get_by_role("progressbar", name="Downloaded")).to_be_hidden()
            expect(header).to_contain_text(model_folder.name)
            screen.wait_for_proposal()

            hub.release.set()
            name.fill("team/opus-mt-en-de")
            page.keyboard.press("Enter")
            expect(models.get_by_role("button", name="Download and use")).to_be_visible()
            page.keyboard.press("Enter")
            expect(header).to_have_text("opus-mt-en-de")
            expect(screen.notes).to_have_count(0)
            screen.wait_for_proposal()
            page.get_by_label("Words to pin or ban").fill("Dateien")
            page.keyboard.press("Enter")
            screen.wait_for_pin("Dateien")
            hub.is_down = True
            page.reload()
            expect(header).to_have_text("opus-mt-en-de")
            header.click()
            expect(models.get_by_role("region", name="team/opus-mt-en-de")).to_contain_text("in use")

            [converted] = (tmp_path / "cache" / "models").iterdir()
            french = shutil.copytree(converted, converted.parent / "french")
            config = json.loads((french / "config.json").read_text(encoding="utf-8"))
            config |= {"directions": ["en-fr"], "direction_pieces": {"en-fr": None}}
            (french / "config.json").write_text(json.dumps(config), encoding="utf-8")
            (french / "origin.json").write_text('{"name": "team/opus-mt-en-fr"}', encoding="utf-8")
            page.keyboard.press("Escape")
            header.click()
            unfit = models.get_by_role("region", name="team/opus-mt-en-fr")
            unfit.get_by_role("button", name="Start over with this model").click()
            direction = page.get_by_role("dialog", name="Language pair")
            expect(direction).to_contain_text("With team/opus-mt-en-fr:")
            direction.get_by_role("button", name="Use this language pair").click()
            expect(page.locator(".docinfo .dir")).to_have_text("EN → FR")
            expect(header).to_have_text("opus-mt-en-fr")
            screen.wait_for_proposal()
            screen.check_nothing_went_wrong()


def test_gguf_file_of_the_hub_is_chosen_from_a_list(
    tabs: BrowserContext, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "theirs").mkdir()
    for name, size in (("tiny-Q4.gguf", 250_000), ("tiny-Q8.gguf", 500_000)):
        write_header(tmp_path / "theirs" / name, {"general.architecture": "llama", "general.name": "x" * size})
    monkeypatch.setattr("engine.importers.language_models.find_spec", lambda name: None)
    with serving(Hub(tmp_path / "theirs", "team/tiny-GGUF")) as hub:
        monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
        use(hub, tmp_path / "hub", monkeypatch)
        with serve(loading(model_folder), tmp_path) as url:
            screen = Screen(tabs.new_page(), url)
            page = screen.page
            screen.open_text(DOCUMENT)
            screen.wait_for_proposal()
            page.locator(".model").click()
            models = page.get_by_role("dialog", name="Models")
            name = models.get_by_label("Model name on the Hugging Face Hub")
            name.fill("team/tiny-GGUF")
            page.keyboard.press("Enter")
            expect(models.get_by_text("This model comes in several files.")).to_be_visible()
            expect(models.locator(".files li")).to_have_text(["tiny-Q4.gguf 0.3 MB", "tiny-Q8.gguf 0.5 MB"])
            expect(models.locator(".files li").last).to_be_in_viewport()
            models.get_by_role("button", name="tiny-Q4.gguf").click()
            expect(name).to_have_value("team/tiny-GGUF/tiny-Q4.gguf")
            expect(models.get_by_role("status").filter(has_text="0.3 MB")).to_contain_text("licence apache-2.0")
            expect(models.locator(".files li")).to_have_count(0)
            models.get_by_role("button", name="Download and use").click()
            expect(
                page.get_by_text("team/tiny-GGUF/tiny-Q4.gguf needs llama.cpp, which is not installed")
            ).to_be_visible()
            assert hub.fetched == []

            # One that is here is listed under its name, and removed with its file.
            monkeypatch.setattr("engine.importers.language_models.find_spec", lambda name: True)
            path = folder_of_model("team/tiny-GGUF/tiny-Q4.gguf")
            OpenedModels().keep(path)
            page.reload()
            page.locator(".model").click()
            row = models.get_by_role("region", name="team/tiny-GGUF/tiny-Q4.gguf")
            row.get_by_role("button", name="Remove").click()
            row.get_by_role("button", name="Remove from this computer").click()
            expect(models.get_by_text("team/tiny-GGUF/tiny-Q4.gguf was removed; 0.3 MB of disk space")).to_be_visible()
            expect(row).to_have_count(0)
            assert not path.exists()
