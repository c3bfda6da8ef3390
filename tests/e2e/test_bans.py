"""Banned words: by key, undone, kept after reload, in conflict with pins and terms."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen, events


def holds(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def test_word_banned_by_key_is_in_no_hypothesis_until_undo(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    word = screen.words.nth(1).inner_text()
    screen.point_at(word)
    screen.page.keyboard.press("Alt+Shift+b")
    screen.wait_for_ban(word)
    screen.wait_for_proposal()
    texts = screen.hypothesis_texts()
    assert texts and not any(holds(text, word) for text in texts)
    screen.page.keyboard.press("Control+z")
    expect(screen.page.locator("li[data-ban]")).to_have_count(0)
    screen.wait_for_proposal()
    screen.eventually(lambda: holds(screen.text(), word))
    screen.page.keyboard.press("Control+y")
    screen.wait_for_ban(word)
    screen.page.get_by_role("button", name=f"Allow “{word}”").click()
    expect(screen.page.locator("li[data-ban]")).to_have_count(0)
    log = events(screen.download("Session log as JSONL", tmp_path))
    logged = [(e["type"], e["payload"]["origin"]) for e in log if e["type"] in ("avoid", "unavoid")]
    assert logged == [("avoid", "person"), ("unavoid", "undo"), ("avoid", "redo"), ("unavoid", "person")]


def test_ban_of_a_word_is_still_banned_after_reload(screen: Screen):
    screen.open_text(DOCUMENT)
    word = screen.words.nth(0).inner_text()
    screen.ban_word(0)
    screen.wait_for_ban(word)
    assert screen.pins() == []
    screen.page.get_by_role("button", name="Match case").click()
    expect(screen.page.locator("li[data-ban] .case")).to_have_attribute("aria-pressed", "false")
    screen.wait_for_ban(word)
    screen.visit()
    screen.wait_for_ban(word)
    expect(screen.page.locator("li[data-ban] .case")).to_have_attribute("aria-pressed", "false")
    screen.wait_for_proposal()
    assert not any(holds(text.lower(), word.lower()) for text in screen.hypothesis_texts())


def test_the_newer_of_pin_and_ban_wins_and_a_notice_is_shown(screen: Screen):
    screen.open_text(DOCUMENT)
    word = screen.words.nth(1).inner_text()
    screen.pin_word(1)
    screen.wait_for_pin(word)
    screen.wait_for_proposal()
    screen.ban(word)
    screen.wait_for_ban(word)
    screen.eventually(lambda: screen.pins() == [])
    expect(screen.notes).to_have_text(f"“{word}” is now banned and no longer pinned.")
    typed = screen.page.get_by_label("Words to pin or ban")
    typed.fill(f"ganz {word}")
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin(f"ganz {word}")
    screen.eventually(lambda: screen.bans() == [])
    expect(screen.notes.last).to_contain_text(f"no longer banned: {word}")


def test_ban_overrides_a_term_and_the_conflict_is_shown(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.upload("glossary", "terms.csv", b"source,target\nsettings,Einstellungen\nwireless network,WLAN\n")
    expect(screen.page.locator(".ti[data-status=met]")).to_have_count(2)
    screen.page.get_by_label("Words to pin or ban").fill("WLAN")
    screen.page.locator(".addpin").get_by_role("button", name="Ban", exact=True).click()
    screen.wait_for_ban("WLAN")
    expect(screen.page.locator(".ti[data-status=unmet]")).to_contain_text("both required and banned")
    conflict = screen.page.locator("[data-conflict=ban_term]")
    expect(conflict).to_contain_text("You banned “WLAN”, the term for wireless network; the ban has priority.")
    conflict.get_by_role("button", name="Keep the ban").click()
    expect(conflict).to_have_count(0)
