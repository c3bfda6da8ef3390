"""Text that could break a page, a database or a file is shown as text and kept unchanged."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.screen import Screen

SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script> ${alert(3)} {{alert(4)}} &lt;b&gt;"
OVERRIDE = "safe \u202egnp.exe\u202c name \u2066left\u2069 \u200fright"
CONTROL = "a\x01b\x1b[31mc\x7fd"
LONG = "wort " * 2000
SURROGATE = "links \ud83d rechts"
SET_VALUE = """(area, codes) => {
  area.focus();
  area.setSelectionRange(0, area.value.length);
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', String.fromCharCode(...codes));
  area.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true}));
}"""


def type_codes(screen: Screen, text: str) -> None:
    """Puts the text into the field by pasting; the browser driver cannot send lone surrogates."""
    screen.field.evaluate(SET_VALUE, [ord(character) for character in text])


def test_hostile_sources_and_targets_are_shown_as_text_and_kept_unchanged(screen: Screen):
    sources = [SCRIPT, OVERRIDE, "A plain line.", LONG.strip(), "The last line."]
    screen.open_text("\n".join(sources) + "\n", "hostile.txt", waits=False)
    expect(screen.page.locator(".docinfo .name")).to_have_text("hostile.txt")
    expect(screen.row(2).locator(".src")).to_have_text(OVERRIDE)
    assert screen.page.locator("p.source").inner_text() == SCRIPT
    assert screen.page.locator(".pinpoint img[src], .pinpoint script").count() == 0
    for number, text in enumerate([SCRIPT, OVERRIDE, SURROGATE, LONG], 1):
        screen.open_segment(number)
        type_codes(screen, text)
        screen.wait_until_saved()
    expect(screen.notes.filter(has_text="U+D83D")).to_be_visible()
    screen.open_segment(5)
    type_codes(screen, CONTROL)
    screen.wait_until_saved()
    expect(screen.notes.filter(has_text="U+0001, U+001B, U+007F")).to_be_visible()
    for number, text in enumerate([SCRIPT, OVERRIDE, None, LONG], 1):
        if text is not None:
            target = screen.row(number).locator(".tgt")
            screen.eventually(lambda target=target, text=text: target.evaluate("e => e.textContent") == text)
    lone_surrogate = "links \ufffd rechts"  # it is not a character
    expect(screen.row(3).locator(".tgt")).to_have_text(lone_surrogate, use_inner_text=True)
    expect(screen.row(2).locator(".unseen").first).to_have_attribute("data-name", "RLO")
    assert screen.page.locator(".pinpoint img[src], .pinpoint script").count() == 0
    screen.visit()
    screen.open_segment(4)
    screen.expect_text(LONG)
    screen.page.keyboard.type("ende")  # the field scrolls; the rest of the segment stays visible
    expect(screen.page.get_by_role("button", name="Confirm and next")).to_be_in_viewport()
    screen.wait_until_saved()
    screen.open_segment(2)
    screen.expect_text(OVERRIDE)
    screen.open_segment(5)
    screen.expect_text(re.compile("b"))
    assert "\x01" not in screen.text()
