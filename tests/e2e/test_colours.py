"""Terms, pins and bans have one colour each, in every part of the page; one button at a time is the primary one."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen

PLACES = {
    "--ok": (".source .an.met", ".hyp .w.term", ".ledger .of", ".nbest .bx.term"),
    "--pin-ink": (".hyp .pin", ".ledger .pin", ".nbest .bx:not(.term)", ".row .meta.pinned"),
    "--bad": (".hyp .banned", ".ledger .banned"),
}
COLOUR = """([selector, token]) => {
    const probe = document.querySelector('.pinpoint').appendChild(document.createElement('span'));
    probe.style.color = `var(${token})`;
    const colours = [document.querySelector(selector), probe].map(e => getComputedStyle(e).color);
    probe.remove();
    return colours;
}"""
PRIMARY = """() => [...document.querySelectorAll('.pinpoint .primary')].filter(button => {
    const probe = document.querySelector('.pinpoint').appendChild(document.createElement('span'));
    probe.style.color = 'var(--accent)';
    const accent = getComputedStyle(probe).color;
    probe.remove();
    return button.checkVisibility() && getComputedStyle(button).backgroundColor === accent;
}).length"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_term_pin_and_ban_look_the_same_everywhere(screen: Screen, scheme: str):
    page = screen.page
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    screen.open_text(DOCUMENT)
    screen.upload("glossary", "terms.tsv", b"settings\tEinstellungen\n")
    expect(page.locator(".source .an.met")).to_have_count(1)
    screen.wait_for_proposal()
    word = page.locator(".hyp .w:not(.term)")
    banned = word.nth(1).inner_text()
    word.nth(1).click(modifiers=["Alt"])
    screen.wait_for_ban(banned)
    screen.wait_for_proposal()
    word.nth(0).click()
    expect(page.locator(".ledger .pin")).to_have_count(1)
    screen.wait_for_pin(page.locator("li[data-pin] .what").get_attribute("title") or "")
    screen.wait_for_proposal()
    expect(page.locator(".nbest .bx:not(.term)").first).to_be_visible()
    for token, selectors in PLACES.items():
        for selector in selectors:
            if selector == ".row .meta.pinned":
                page.keyboard.press("Alt+ArrowDown")
            if page.locator(selector).count() or selector != ".hyp .banned":  # the free translation may lack the word
                found, expected = page.evaluate(COLOUR, [selector, token])
                assert found == expected, selector
    expect(screen.row(1).locator(".meta .icon")).to_have_count(1)
    page.emulate_media(color_scheme="light", reduced_motion=None)


def test_one_button_at_a_time_is_the_primary_one(screen: Screen):
    screen.page.emulate_media(reduced_motion="reduce")
    screen.open_text(DOCUMENT)
    assert screen.page.evaluate(PRIMARY) == 1
    screen.type_text("Zu kurz 7")
    screen.page.keyboard.press("Control+Enter")
    expect(screen.findings.first).to_be_visible()
    assert screen.page.evaluate(PRIMARY) == 1, "in the findings"
    screen.page.get_by_role("button", name="Confirm and next").click()
    expect(screen.findings).to_have_count(0)
    assert screen.page.evaluate(PRIMARY) == 1
    screen.page.emulate_media(reduced_motion=None)
