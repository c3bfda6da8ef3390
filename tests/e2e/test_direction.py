"""With a model of two directions, the document decides, and another direction can be chosen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.e2e.hand_server import loading, serve
from tests.e2e.screen import Screen

PAGE = '<html lang="de"><body><p>Hallo Welt</p><p>Es ist Zeit</p></body></html>\n'


def test_direction_is_detected_from_the_document_and_changed_by_keyboard(
    tabs: BrowserContext, model_folder: Path, tmp_path: Path
):
    folder = shutil.copytree(model_folder, tmp_path / "two-ways")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "directions": ["en-de", "de-en"]}))
    with serve(loading(folder), tmp_path) as url:
        screen = Screen(tabs.new_page(), url)
        page, keyboard = screen.page, screen.page.keyboard
        button, dialog = page.locator(".docinfo .dir"), page.get_by_role("dialog", name="Language pair")
        expect(button).to_have_text("EN → DE")
        screen.open_text(PAGE, "words.html")
        expect(button).to_have_text("DE → EN")
        screen.type_text("Hello world")
        screen.wait_until_saved()

        page.locator(".docinfo .langs").press("Enter")
        page.get_by_role("button", name="Change the language pair").press("Enter")
        source, target = dialog.get_by_label("From"), dialog.get_by_label("To")
        expect(source).to_be_focused()
        go = dialog.locator(".btn.primary")
        expect(go).to_be_disabled()  # it is the current direction
        keyboard.press("E")
        expect(source.locator("option:checked")).to_have_text("English")
        expect(target.locator("option")).to_have_text(["German"])
        go.focus()
        keyboard.press("Enter")
        expect(dialog.get_by_role("alert")).to_contain_text("One segment is confirmed or edited.")
        expect(button).to_have_text("DE → EN")  # nothing was edited yet
        expect(go).to_have_text("Start over")
        keyboard.press("Enter")
        expect(button).to_have_text("EN → DE")
        expect(screen.notes.filter(has_text="restarted with English to German")).to_have_count(1)
        screen.expect_other_text("Hello world")

        page.get_by_role("button", name="Documents").click()
        page.get_by_role("menuitem", name="words.html").click()
        expect(button).to_have_text("DE → EN")
        screen.expect_text("Hello world")
        screen.check_nothing_went_wrong()
