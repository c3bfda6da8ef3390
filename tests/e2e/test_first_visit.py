"""The first start shows the sample with its glossary and a pin, and marks that explain them, once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.app.hand_decoder import HandDecoder, ready_model, translation
from tests.e2e.hand_server import serve
from tests.e2e.screen import Screen

TITLE = "Erste Schritte mit Harbor Notes"


@pytest.fixture
def decoder() -> HandDecoder:
    return HandDecoder()


@pytest.fixture
def screen(
    decoder: HandDecoder, context: BrowserContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Screen]:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("app.sessions.sessions.MODEL_FOLDER", Path("models/hand"))  # so that a better one is offered
    with serve(ready_model(decoder), tmp_path) as url:
        screen = Screen(context.new_page(), url, shows_marks=True)

        def is_proposed() -> bool:
            for key, request, _, future in decoder.requests:
                if key.endswith("/0") and not future.done():
                    future.set_result(translation(request, TITLE))
            return screen.page.locator(".field[aria-busy=false] .pin").count() == 1

        screen.eventually(is_proposed)
        yield screen
        screen.page.close()
        screen.check_nothing_went_wrong()


def test_first_visit_explains_a_pin_the_terms_and_the_confirmation_once(screen: Screen):
    page, mark = screen.page, screen.page.get_by_role("region", name="First steps")
    assert screen.pins() == ["Erste Schritte"]
    expect(page.locator(".gchip")).to_contain_text("21 terms")
    expect(mark).to_contain_text("This phrase is pinned")
    expect(screen.field).to_be_focused()  # the marks never take the focus
    next_mark = mark.get_by_role("button", name="Next")
    screen.eventually(lambda: page.keyboard.press("F6") or next_mark.evaluate("e => e === document.activeElement"))
    page.keyboard.press("Enter")
    expect(mark).to_contain_text("terms of the glossary")
    shown, beside = page.locator("#pinpoint-panel-terms"), mark.bounding_box()
    expect(shown.locator(".ti")).to_contain_text("Harbor Notes")  # there is a term to explain
    for part in shown.locator(":scope > *").all():
        box = part.bounding_box()
        assert beside and (not box or box["y"] + box["height"] <= beside["y"]), "it covers nothing of the panel"
    page.keyboard.press("Enter")
    expect(mark).to_contain_text("Ctrl+Enter confirms")
    expect(screen.notes).to_have_count(0)  # one thing at a time
    page.keyboard.press("Enter")
    expect(mark).to_have_count(0)
    expect(screen.notes).to_contain_text("good for short sentences, captions and software texts")
    expect(screen.field).to_be_focused()
    page.get_by_role("tab", name="Memory").click()
    expect(page.locator(".side .panel:visible")).to_contain_text("The translation memory is empty.")
    screen.visit()
    expect(page.locator(".field .pin")).to_have_count(1)
    expect(mark).to_have_count(0)


def test_panel_that_a_narrow_window_does_not_show_is_not_explained(screen: Screen):
    page, mark = screen.page, screen.page.get_by_role("region", name="First steps")
    expect(mark).to_contain_text("1 of 3")
    page.evaluate("localStorage.removeItem('pinpoint:welcomed')")
    page.set_viewport_size({"width": 1024, "height": 768})
    screen.visit()
    expect(mark).to_contain_text("1 of 2")
    mark.get_by_role("button", name="Next").click()
    expect(mark).to_contain_text("Ctrl+Enter confirms")


def test_escape_dismisses_the_marks(screen: Screen):
    mark = screen.page.get_by_role("region", name="First steps")
    mark.get_by_role("button", name="Next").focus()
    screen.page.keyboard.press("Escape")
    expect(mark).to_have_count(0)
    expect(screen.field).to_be_focused()


def test_own_document_has_no_marks(screen: Screen, decoder: HandDecoder):
    page = screen.page
    page.evaluate("localStorage.removeItem('pinpoint:welcomed')")
    screen.open_text("The lamp is red.\n", waits=False)
    screen.visit()
    page.get_by_label("Words to pin or ban").fill("Lampe")
    page.keyboard.press("Enter")

    def is_proposed() -> bool:
        for _, request, _, future in decoder.requests:
            if not future.done():
                future.set_result(translation(request, "Die Lampe ist rot."))
        return page.locator(".field[aria-busy=false] .pin").count() == 1

    screen.eventually(is_proposed)
    expect(page.locator(".coach")).to_have_count(0)


def test_mark_of_the_pin_makes_way_when_another_segment_is_opened(screen: Screen):
    page, mark = screen.page, screen.page.get_by_role("region", name="First steps")
    expect(mark).to_contain_text("This phrase is pinned")
    screen.open_segment(5)
    expect(mark).to_contain_text("terms of the glossary")
    beside, editor = mark.bounding_box(), page.locator(".editor").bounding_box()
    assert beside and editor and beside["x"] >= editor["x"] + editor["width"], "it covers no text"
    mark.get_by_role("button", name="Next").click()
    expect(mark).to_contain_text("Ctrl+Enter confirms")
    screen.open_segment(6)
    expect(mark).to_have_count(0)


def test_mark_of_the_pin_makes_way_when_the_person_types(screen: Screen):
    mark = screen.page.get_by_role("region", name="First steps")
    expect(mark).to_contain_text("This phrase is pinned")
    screen.field.click()
    screen.page.keyboard.type("x")
    expect(mark).to_contain_text("terms of the glossary")
    expect(screen.field).to_be_focused()


def test_marks_are_gone_when_another_document_is_opened(screen: Screen):
    mark = screen.page.get_by_role("region", name="First steps")
    expect(mark).to_contain_text("This phrase is pinned")
    screen.open_text("The lamp is red.\n", waits=False)
    expect(mark).to_have_count(0)
