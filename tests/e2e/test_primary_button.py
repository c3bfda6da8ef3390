"""One button at a time is the primary one."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen

PRIMARY = """() => [...document.querySelectorAll('.pinpoint .primary')].filter(button => {
    const probe = document.querySelector('.pinpoint').appendChild(document.createElement('span'));
    probe.style.color = 'var(--accent)';
    const accent = getComputedStyle(probe).color;
    probe.remove();
    return button.checkVisibility() && getComputedStyle(button).backgroundColor === accent;
}).length"""


def test_one_button_at_a_time_is_the_primary_one(screen: Screen):
    screen.page.emulate_media(reduced_motion="reduce")
    screen.open_text(DOCUMENT)
    screen.eventually(lambda: screen.page.evaluate(PRIMARY) == 1)
    screen.type_text("Zu kurz 7")
    screen.page.keyboard.press("Control+Enter")
    expect(screen.findings.first).to_be_visible()
    screen.eventually(lambda: screen.page.evaluate(PRIMARY) == 1)  # in the findings
    screen.page.get_by_role("button", name="Confirm and next").click()
    expect(screen.findings).to_have_count(0)
    screen.page.mouse.move(0, 0)  # a button under the pointer is darker
    screen.eventually(lambda: screen.page.evaluate(PRIMARY) == 1)
    screen.page.emulate_media(reduced_motion=None)
