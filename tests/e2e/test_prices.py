"""The cost of each constraint, shown under the source of the open segment."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen, events

FITS = re.compile(r"^(fits (better|well|poorly)|fits|forced) Price: −?\d+\.\d\d$")
COSTS = re.compile(r"^(costs (nothing|little|a lot)|forced) Price: −?\d+\.\d\d$")


def test_costs_of_pins_bans_and_terms_are_shown_after_the_proposal(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    expect(screen.page.locator(".head2")).to_have_count(0)
    screen.upload("glossary", "terms.csv", b"source,target\nsettings,Einstellungen\n")
    expect(screen.page.locator("li[data-price-of=Einstellungen] .price")).to_have_text(FITS)
    typed = screen.page.get_by_label("Words to pin or ban")
    typed.fill("ganz neu")
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin("ganz neu")
    screen.ban_word(0)
    expect(screen.page.locator("li[data-ban] .price")).to_have_text(COSTS)
    expect(screen.page.locator("li[data-pin] .price")).to_have_text(FITS)
    expect(screen.page.locator(".head2")).to_have_attribute(
        "title", re.compile(r"Price: .*\n.*individually, .*combined")
    )
    log = events(screen.download("Session log as JSONL", tmp_path))
    prices = [event["payload"] for event in log if event["type"] == "prices"][-1]
    assert [each["text"] for each in prices["constraints"]] == ["ganz neu", "Einstellungen"]
    screen.page.locator("li[data-pin] .x").click()
    screen.page.locator("li[data-ban] .x").click()
    expect(screen.page.locator(".price")).to_have_count(1)
    expect(screen.page.locator("li[data-price-of=Einstellungen] .price")).to_have_text(FITS)
    expect(screen.page.locator(".head2")).not_to_have_attribute("title", re.compile("individually,"))
    screen.page.get_by_role("button", name="Ignore in this segment").click()
    expect(screen.page.locator(".head2, .price")).to_have_count(0)


# For each role, where its colour is shown: a selector and the property that has the colour.
COLOURS = {
    "term": [
        (".source .an.met", "color"),
        (".field .w.term", "text-decoration-color"),
        (".ledger .of", "color"),
        (".ledger .pb.term i", "background-color"),
        (".nbest .bx.term", "color"),
        ("#pinpoint-panel-terms .tag.ok", "color"),
    ],
    "pin": [
        ("li[data-pin] .pin", "color"),
        (".nbest .bx:not(.term, .kept)", "color"),
    ],
    "mark of a pin": [
        (".field .pin", "text-decoration-color"),
        ("li[data-pin] .pb i", "background-color"),
        (".nbest .bx:not(.term, .kept)", "border-top-color"),
    ],
    "ban": [("li[data-ban] .banned", "color")],
}
REPORTED = {"term": ("td .of", "color"), "pin": ("td .pin", "color"), "ban": ("td .banned", "color")}


def colour_of(screen: Screen, selector: str, name: str) -> str:
    element = screen.page.locator(selector).first
    expect(element).to_be_attached()
    return str(element.evaluate("(element, name) => getComputedStyle(element)[name]", name))


def one_colour_each(screen: Screen, instead_of: dict[str, str] | None = None) -> dict[str, str]:
    """The colour of each role, once all its places show the same one, and none of those of `instead_of`.

    After a change of the colour scheme, the page draws itself in the new colours a moment later, not all at once.
    """
    colours: dict[str, set[str]] = {}
    before = set((instead_of or {}).values())

    def settled() -> bool:
        colours.update({role: {colour_of(screen, *place) for place in places} for role, places in COLOURS.items()})
        shown = set.union(*colours.values())
        return len(shown) == len(COLOURS) == sum(map(len, colours.values())) and not shown & before

    screen.eventually(settled, seconds=20)
    return {role: colour for role, (colour,) in colours.items()}


def test_terms_pins_and_bans_have_one_colour_each_everywhere(screen: Screen):
    page = screen.page
    screen.open_text(DOCUMENT)
    screen.upload("glossary", "terms.csv", b"source,target\nsettings,Einstellungen\n")
    expect(page.locator("li[data-price-of=Einstellungen] .price")).to_have_text(FITS)
    page.get_by_label("Words to pin or ban").fill("ganz neu")
    page.keyboard.press("Enter")
    screen.wait_for_pin("ganz neu")
    screen.wait_for_proposal()
    screen.ban_word(0)
    expect(page.locator("li[data-ban] .price")).to_have_text(COSTS)
    screen.wait_for_proposal()
    light = one_colour_each(screen)
    page.emulate_media(color_scheme="dark")
    one_colour_each(screen, instead_of=light)
    page.emulate_media(color_scheme="light")

    screen.confirm()
    page.get_by_role("link", name="Report").click()
    for role, (selector, name) in REPORTED.items():
        assert colour_of(screen, f".page {selector}", name) == light[role]
    page.keyboard.press("Escape")


def test_translation_without_pins_is_not_cut_off_in_a_low_window(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.pin_word(0)
    last = screen.page.locator(".freerow")
    expect(last).to_be_visible()
    inside = """row => {
        const panel = row.closest('.nbest').getBoundingClientRect(), {top, bottom} = row.getBoundingClientRect();
        const list = row.closest('.scroll').getBoundingClientRect();
        return panel.top <= top && bottom <= Math.min(panel.bottom, list.bottom) + 0.5;
    }"""
    try:
        for width, height in ((1440, 900), (1280, 800), (1024, 768), (1024, 600), (1024, 520)):
            screen.page.set_viewport_size({"width": width, "height": height})
            screen.eventually(lambda: last.evaluate(inside), seconds=10)
    finally:
        screen.page.set_viewport_size({"width": 1440, "height": 900})
