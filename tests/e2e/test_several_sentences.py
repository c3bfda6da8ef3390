"""A segment of two sentences in the browser, with the bundled model: each sentence is changed alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from app.models.loading import ModelHandle
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen

ROOT = Path(__file__).resolve().parents[2]
FIRST, SECOND = "The file could not be opened.", "A man is riding a red bicycle."
DOCUMENT = f"en\tde\n{FIRST}  {SECOND}\t\n"


@pytest.fixture(scope="module")
def bundled() -> Iterator[ModelHandle]:
    model = ModelHandle(ROOT / "data" / "models" / "en-de")
    model.load_in_background(1)
    model.wait()
    yield model
    model.close()


def parts(screen: Screen) -> list[str]:
    return screen.text().split("  ")


def test_second_sentence_is_pinned_replaced_and_completed_while_the_first_one_stays(
    tabs: BrowserContext, bundled: ModelHandle, tmp_path: Path
):
    with serve(bundled, tmp_path) as url:
        screen = Screen(tabs.new_page(), url)
        page = screen.page
        screen.open_text(DOCUMENT, "table.tsv")
        screen.wait_for_proposal()
        first, second = parts(screen)
        assert first.startswith("Die Datei") and second.startswith("Ein Mann")

        page.get_by_label("Words to pin or ban").fill("Rad")
        page.keyboard.press("Enter")
        screen.wait_for_pin("Rad")
        screen.wait_for_proposal()
        assert parts(screen)[0] == first and re.search(r"\bRad\b", parts(screen)[1])

        screen.point_at(parts(screen)[1].split(" ")[1])
        page.keyboard.press("Alt+a")
        options = page.locator(".pop .alt")
        expect(options.first).to_be_focused()
        for option in options.all():
            text = str(option.get_attribute("title"))
            assert text.startswith(f"{first}  ") and re.search(r"\bRad\b", text)
        page.keyboard.press("Escape")

        screen.type_text(f"{first}  Ein Mann fäh")
        page.keyboard.press("Alt+c")
        expect(page.locator(".field .ghost")).to_have_text(re.compile(r"^rt .*\bRad\b"))
        screen.check_nothing_went_wrong()
