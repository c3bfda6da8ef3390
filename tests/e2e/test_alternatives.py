"""Alternatives for a word: requested by key, chosen by number or Enter, closed with Escape."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.e2e.screen import DOCUMENT, SERVER_CALLS, Screen, events


def popover(screen: Screen) -> Locator:
    return screen.page.locator(".pop")


def ask_at(screen: Screen, word: int) -> str:
    """Requests alternatives for a word of the text by keyboard and returns the word."""
    screen.field.focus()
    for key in ("Home", *["Control+ArrowRight"] * word, "Alt+a"):
        screen.page.keyboard.press(key)
    expect(popover(screen)).to_be_visible()
    return str(popover(screen).locator(".ph b").inner_text())


def test_alternative_chosen_by_number_is_pinned_and_its_sentence_becomes_the_proposal(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    before = screen.text()
    word = ask_at(screen, 1)
    options = popover(screen).locator(".alt")
    expect(options.first).to_be_focused()
    assert word in before
    chosen = options.nth(1).locator("b").inner_text()
    sentence = str(options.nth(1).get_attribute("title"))
    assert chosen != word
    screen.page.keyboard.press("2")
    expect(popover(screen)).to_be_hidden()
    screen.wait_for_pin(chosen)
    screen.wait_for_proposal()
    start = len(sentence[: sentence.index(chosen)])
    assert screen.text()[: start + len(chosen)] == sentence[: start + len(chosen)]
    screen.page.keyboard.press("Control+z")
    expect(screen.page.locator("li[data-pin]")).to_have_count(0)
    screen.eventually(lambda: screen.text() == before)
    log = events(screen.download("Session log as JSONL", tmp_path))
    (shown,) = [event["payload"] for event in log if event["type"] == "alternatives"]
    assert shown["word"] == word and shown["shown"][1]["word"] == chosen
    assert [e["payload"]["origin"] for e in log if e["type"] in ("pin", "beginning")] == ["alternative"] * 2 + ["undo"]
    assert next(e["payload"].get("rank") for e in log if e["type"] == "follow") == 1


def test_tags_in_the_rest_of_the_sentence_are_shown_as_chips(screen: Screen):
    screen.open_text("Open the settings and **save the file**.\n", "tagged.md")
    ask_at(screen, 0)
    option = popover(screen).locator(".alt").first
    expect(option).to_have_attribute("title", re.compile(r"\{1\}"))
    expect(option.locator(".chip").last).to_have_text("{/1}")
    screen.page.keyboard.press("Escape")


def test_arrows_move_between_alternatives_and_escape_closes_them(screen: Screen):
    screen.open_text(DOCUMENT)
    before = screen.text()
    ask_at(screen, 0)
    options = popover(screen).locator(".alt")
    expect(options.first).to_be_focused()
    screen.page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_be_focused()
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    screen.page.keyboard.press("ArrowUp")
    screen.page.keyboard.press("Escape")
    expect(popover(screen)).to_be_hidden()
    expect(screen.field).to_be_focused()
    assert screen.pins() == [] and screen.text() == before


def test_alternatives_work_on_the_persons_own_text_and_keep_their_words(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    first, *_, last = screen.text().split(" ")
    screen.select(last)
    screen.page.keyboard.type("heute!")
    screen.point_at(first)
    screen.page.keyboard.press("Alt+a")
    expect(popover(screen).locator(".alt").first).to_be_focused()
    expect(popover(screen).locator(".ph b")).to_have_text(first)
    mine, sentence = screen.text(), str(popover(screen).locator(".alt").first.get_attribute("title"))
    assert "heute!" in sentence and not sentence.startswith(first)
    screen.page.keyboard.press("Enter")
    expect(screen.field).to_be_focused()
    screen.expect_text(sentence)
    assert screen.pins() == []
    screen.wait_until_saved()
    screen.page.keyboard.press("Control+z")
    screen.expect_text(mine)
    screen.wait_until_saved()
    log = events(screen.download("Session log as JSONL", tmp_path))
    (taken,) = [e["payload"] for e in log if e["type"] == "insert" and e["payload"]["origin"] == "alternative"]
    assert taken["rank"] == 0


def test_alternatives_need_a_word(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.field.focus()
    screen.page.keyboard.press("Control+A")
    screen.page.keyboard.press("Delete")
    screen.page.keyboard.press("Alt+a")
    expect(screen.notes.last).to_contain_text("Place the cursor on a word")
    expect(popover(screen)).to_be_hidden()


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
