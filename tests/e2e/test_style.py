"""Formality and domain: chosen by keyboard, applied by the model, kept after reload and logged."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from engine import Formality, Request, SearchOptions, Translator
from tests.e2e.screen import DOCUMENT, Screen, events


def test_formality_and_domain_chosen_by_keyboard_change_the_proposal(
    screen: Screen, model_folder: Path, tmp_path: Path
):
    translator = Translator.load(model_folder, precision="auto")
    source = DOCUMENT.splitlines()[0]

    def best(formality: Formality | None, domain: str | None = None) -> str:
        request = Request(source, formality=formality, domain=domain)
        return translator.translate(request, SearchOptions(places_per_bank=1)).hypotheses[0].text  # as in the app

    screen.open_text(DOCUMENT)
    screen.expect_text(best(None))
    button = screen.page.locator(".head .langs")
    dialog = screen.page.get_by_role("dialog", name="Languages and style")
    button.focus()
    screen.page.keyboard.press("Enter")
    choices = dialog.get_by_role("group", name="Form of address")
    expect(choices.get_by_role("radio", name="Model default")).to_be_checked()
    expect(choices.get_by_role("radio", name="Model default")).to_be_focused()
    dialog.get_by_role("checkbox", name="Also for new documents").uncheck()
    choices.get_by_role("radio", name="Model default").press("ArrowUp")
    expect(choices.get_by_role("radio", name="Informal (du)")).to_be_checked()
    screen.page.keyboard.press("ArrowUp")
    expect(choices.get_by_role("radio", name="Formal (Sie)")).to_be_checked()
    screen.page.keyboard.press("Escape")
    expect(button).to_have_text("EN → DE · Sie")
    asked = {best(None), best("formal"), best("informal"), best("formal", "docs")}
    assert len(asked) == 4, "the model of the tests follows them"
    screen.expect_text(best("formal"))
    button.press("Enter")
    dialog.get_by_role("checkbox", name="Also for new documents").uncheck()
    dialog.get_by_role("combobox", name="Domain").focus()
    screen.page.keyboard.press("D")
    screen.page.keyboard.press("Escape")
    expect(button).to_have_text("EN → DE · Documentation · Sie")
    screen.expect_text(best("formal", "docs"))

    screen.page.reload()
    expect(button).to_have_text("EN → DE · Documentation · Sie")
    screen.expect_text(best("formal", "docs"))
    button.click()
    expect(dialog.get_by_role("combobox", name="Domain")).to_have_value("docs")
    expect(choices.get_by_role("radio", name="Formal (Sie)")).to_be_checked()
    screen.page.keyboard.press("Escape")
    log = events(screen.download("Session log as JSONL", tmp_path))
    styles = [event["payload"] for event in log if event["type"] == "style"]
    assert styles[-1] == {"formality": "formal", "domain": "docs", "requires_numbers": True}
    assert {style["formality"] for style in styles} <= {"formal", "informal"}
