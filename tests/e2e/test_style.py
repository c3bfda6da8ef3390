"""The form of address: chosen by keyboard, followed by the model, kept over a reload and in the log."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from engine import Formality, Request, SearchOptions, Translator
from tests.e2e.screen import DOCUMENT, Screen, events


def test_a_form_of_address_is_chosen_by_keyboard_and_followed(screen: Screen, model_folder: Path, tmp_path: Path):
    translator = Translator.load(model_folder)
    source = DOCUMENT.splitlines()[0]

    def best(formality: Formality | None) -> str:
        request = Request(source, formality=formality)
        return translator.translate(request, SearchOptions(places_per_bank=1)).hypotheses[0].text  # as the app asks

    screen.open_text(DOCUMENT)
    expect(screen.field).to_have_value(best(None))
    button, dialog = screen.page.locator(".head .model"), screen.page.get_by_role("dialog", name="Models")
    button.focus()
    screen.page.keyboard.press("Enter")
    choices = dialog.get_by_role("group", name="Form of address")
    expect(choices.get_by_role("radio", name="As the model chooses")).to_be_checked()
    choices.get_by_role("radio", name="As the model chooses").focus()
    screen.page.keyboard.press("ArrowUp")
    expect(choices.get_by_role("radio", name="Informal (du)")).to_be_checked()
    screen.page.keyboard.press("ArrowUp")
    expect(choices.get_by_role("radio", name="Formal (Sie)")).to_be_checked()
    screen.page.keyboard.press("Escape")
    expect(button).to_have_text("random-en-de · Sie")
    assert len({best(None), best("formal"), best("informal")}) == 3, "the model of the tests follows them"
    expect(screen.field).to_have_value(best("formal"))

    screen.page.reload()
    expect(button).to_have_text("random-en-de · Sie")
    expect(screen.field).to_have_value(best("formal"))
    button.click()
    expect(choices.get_by_role("radio", name="Formal (Sie)")).to_be_checked()
    screen.page.keyboard.press("Escape")
    log = events(screen.download("Session log as JSONL", tmp_path))
    chosen = [event["payload"]["formality"] for event in log if event["type"] == "style"]
    assert chosen[-1] == "formal" and set(chosen) <= {"formal", "informal"}
