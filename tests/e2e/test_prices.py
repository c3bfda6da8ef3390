"""The cost of each constraint, shown under the source of the open segment."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen, events

NUMBER = re.compile(r"^−?\d+\.\d\d")


def test_costs_of_pins_bans_and_terms_are_shown_after_the_proposal(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    expect(screen.page.locator(".head2")).to_have_count(0)
    screen.upload("glossary", "terms.csv", b"source,target\nsettings,Einstellungen\n")
    expect(screen.page.locator("li[data-price-of=Einstellungen] .price")).to_contain_text(NUMBER)
    typed = screen.page.get_by_label("Words to pin or ban")
    typed.fill("ganz neu")
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin("ganz neu")
    screen.words.nth(0).click(modifiers=["Alt"])
    expect(screen.page.locator("li[data-ban] .price")).to_contain_text(NUMBER)
    expect(screen.page.locator("li[data-pin] .price")).to_contain_text(NUMBER)
    expect(screen.page.locator(".head2")).to_contain_text(re.compile(r"Score cost .*individually, .*combined"))
    log = events(screen.download("Session log as JSONL", tmp_path))
    prices = [event["payload"] for event in log if event["type"] == "prices"][-1]
    assert [each["text"] for each in prices["constraints"]] == ["ganz neu", "Einstellungen"]
    screen.page.locator("li[data-pin] .x").click()
    screen.page.locator("li[data-ban] .x").click()
    expect(screen.page.locator(".price")).to_have_count(1)
    expect(screen.page.locator("li[data-price-of=Einstellungen] .price")).to_contain_text(NUMBER)
    expect(screen.page.locator(".head2")).not_to_contain_text("individually")
    screen.page.get_by_role("button", name="Ignore in this segment").click()
    expect(screen.page.locator(".head2, .price")).to_have_count(0)
