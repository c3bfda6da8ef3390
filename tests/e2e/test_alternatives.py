"""Alternatives for a word: requested by key, chosen by number or Enter, closed with Escape."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.e2e.screen import DOCUMENT, SERVER_CALLS, Screen, events


def popover(screen: Screen) -> Locator:
    return screen.page.locator(".pop")


def ask_at(screen: Screen, word: int) -> str:
    """Requests alternatives for a word of the proposal by keyboard and returns the word."""
    screen.field.focus()
    for key in ("Control+ArrowUp", "Home", *["ArrowRight"] * word, "Alt+a"):
        screen.page.keyboard.press(key)
    expect(popover(screen)).to_be_visible()
    return screen.words.nth(word).inner_text()


def test_alternative_chosen_by_number_is_pinned_and_its_sentence_becomes_the_proposal(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    before = screen.proposal_text()
    word = ask_at(screen, 1)
    options = popover(screen).locator(".alt")
    expect(options.first).to_be_focused()
    expect(popover(screen)).to_contain_text(f"Instead of {word}")
    chosen = options.nth(1).locator("b").inner_text()
    sentence = str(options.nth(1).get_attribute("title"))
    assert chosen != word
    screen.page.keyboard.press("2")
    expect(popover(screen)).to_be_hidden()
    screen.wait_for_pin(chosen)
    screen.wait_for_proposal()
    start = len(sentence[: sentence.index(chosen)])
    assert screen.proposal_text()[: start + len(chosen)] == sentence[: start + len(chosen)]
    screen.expect_text(screen.proposal_text())
    screen.page.keyboard.press("Control+z")
    expect(screen.page.locator("li[data-pin]")).to_have_count(0)
    screen.eventually(lambda: screen.proposal_text() == before)
    log = events(screen.download("Session log as JSONL", tmp_path))
    (shown,) = [event["payload"] for event in log if event["type"] == "alternatives"]
    assert shown["word"] == word and shown["shown"][1]["word"] == chosen
    assert [e["payload"]["origin"] for e in log if e["type"] in ("pin", "beginning")] == ["alternative"] * 2 + ["undo"]


def test_tags_in_the_rest_of_the_sentence_are_shown_as_chips(screen: Screen):
    screen.open_text("Open the settings and **save the file**.\n", "tagged.md")
    ask_at(screen, 0)
    option = popover(screen).locator(".alt").first
    expect(option).to_have_attribute("title", re.compile(r"\{1\}"))
    expect(option.locator(".chip")).to_have_text(["{1}", "{/1}"])
    screen.page.keyboard.press("Escape")


def test_arrows_move_between_alternatives_and_escape_closes_them(screen: Screen):
    screen.open_text(DOCUMENT)
    before = screen.proposal_text()
    ask_at(screen, 0)
    options = popover(screen).locator(".alt")
    expect(options.first).to_be_focused()
    screen.page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_be_focused()
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    screen.page.keyboard.press("ArrowUp")
    screen.page.keyboard.press("Escape")
    expect(popover(screen)).to_be_hidden()
    expect(screen.words.first).to_be_focused()
    assert screen.pins() == [] and screen.proposal_text() == before


def test_alternatives_at_the_caret_need_an_untouched_field_and_keep_typed_text(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.field.focus()
    screen.field.evaluate("area => area.setSelectionRange(1, 1)")
    screen.page.keyboard.press("Alt+a")
    expect(popover(screen).locator(".alt").first).to_be_focused()
    chosen = popover(screen).locator(".alt b").first.inner_text()
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin(chosen)
    expect(screen.field).to_be_focused()
    screen.wait_for_proposal()
    screen.type_text("Mein Satz")
    screen.page.keyboard.press("Alt+a")
    expect(screen.notes.last).to_contain_text("Place the cursor on a word of the proposal")
    expect(popover(screen)).to_be_hidden()
    ask_at(screen, 1)
    expect(popover(screen).locator(".alt").first).to_be_focused()
    screen.page.keyboard.press("1")
    screen.wait_for_proposal()
    screen.expect_text("Mein Satz")


def test_failed_alternatives_request_shows_its_reason_and_the_next_one_works(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.route(SERVER_CALLS, lambda route: route.abort())
    ask_at(screen, 0)
    expect(popover(screen).locator(".say")).to_contain_text("No connection")
    screen.page.unroute(SERVER_CALLS)
    screen.page.keyboard.press("Escape")
    expect(popover(screen)).to_be_hidden()
    ask_at(screen, 0)
    expect(popover(screen).locator(".alt").first).to_be_focused()
