"""A segment's comment: added, changed and removed by keyboard, marked and searchable in the list."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen


def test_comment_is_added_changed_found_and_removed_by_keyboard(screen: Screen):
    page, keys = screen.page, screen.page.keyboard
    screen.open_text(DOCUMENT)
    comment, marks = page.get_by_label("Your comment on this segment"), page.locator(".row .mark")
    expect(comment).to_be_hidden()
    screen.field.focus()
    keys.press("Alt+k")
    keys.type("Which router?")
    keys.press("Shift+Enter")
    keys.type("<b>Ask</b> them.")
    keys.press("Enter")
    expect(screen.field).to_be_focused()
    screen.wait_until_saved()
    keys.press("Alt+ArrowDown")
    expect(marks).to_have_count(1)
    expect(comment).to_be_hidden()

    page.get_by_role("button", name="Comments").click()
    expect(page.locator(".editor .no")).to_have_text("1")  # the only one that matches is opened
    expect(page.locator(".row")).to_have_count(0)
    expect(comment).to_have_value("Which router?\n<b>Ask</b> them.")
    keys.press("Alt+k")
    keys.type(" Today.")
    keys.press("Escape")
    expect(screen.field).to_be_focused()
    screen.wait_until_saved()
    screen.visit()
    screen.open_segment(1)
    expect(comment).to_have_value("Which router?\n<b>Ask</b> them. Today.")
    keys.press("Alt+k")
    keys.press("Control+a")
    keys.press("Delete")
    keys.press("Control+Enter")  # confirms the segment from the comment field
    screen.eventually(lambda: page.locator(".editor .no").inner_text() != "1" or screen.findings.count())
    screen.wait_until_saved()
    expect(marks).to_have_count(0)
    expect(page.get_by_role("button", name="Comments")).to_contain_text("0")
