"""A document of 2,000 segments: only visible rows are in the page, and every segment is reached by key."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.screen import Screen

NUM_SEGMENTS = 2000
MAX_ROWS_IN_PAGE = 200
TEXT = "".join(f"Page {n} of the manual names part {n}.\n" for n in range(1, NUM_SEGMENTS + 1))


def test_two_thousand_segments_can_be_reached_pinned_searched_confirmed_and_reloaded(screen: Screen):
    page, press = screen.page, screen.page.keyboard.press
    screen.open_text(TEXT, "two-thousand.txt")
    page.locator(".status").get_by_role("button", name="Cancel").click()
    expect(page.locator(".prog")).to_contain_text("2,000")

    def go_to(number: int) -> None:
        press("Control+g")
        page.keyboard.type(str(number))
        press("Enter")
        expect(page.locator(".editor .no")).to_have_text(str(number))
        expect(page.locator(".editor .source")).to_contain_text(f"Page {number} of")
        expect(page.locator(".editor")).to_be_in_viewport()
        screen.eventually(lambda: 3 < page.locator(".row").count() < MAX_ROWS_IN_PAGE)

    go_to(NUM_SEGMENTS)
    go_to(1234)
    screen.wait_for_proposal()
    for key in ("Home", "ArrowRight", "Alt+p"):
        press(key)
    screen.eventually(lambda: len(screen.pins()) == 1)
    pin = screen.pins()[0]
    screen.wait_for_pin(pin)
    screen.wait_for_proposal()
    screen.type_text("Seite 1234 nennt den Teil.")
    screen.confirm()
    expect(page.locator(".editor .no")).to_have_text("1235")

    page.get_by_role("button", name=re.compile(r"^Confirmed")).click()
    expect(page.locator(".editor .no")).to_have_text("1234")
    expect(page.locator(".row")).to_have_count(0)
    screen.expect_text("Seite 1234 nennt den Teil.")
    page.get_by_role("button", name=re.compile(r"^All")).click()
    press("Control+k")
    page.keyboard.type("part 77.")
    expect(page.locator(".row")).to_have_count(1)
    expect(screen.row(77)).to_be_visible()
    press("Escape")

    screen.wait_until_saved()
    page.reload()
    expect(page.locator(".editor .no")).to_have_text("1234")
    expect(page.locator(".prog")).to_contain_text("1 / 2,000")
    screen.expect_text("Seite 1234 nennt den Teil.")
    screen.eventually(lambda: screen.pins() == [pin])
