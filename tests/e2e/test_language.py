"""The page is in the browser's language, or in another that the user chooses."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Browser, expect

from app.ui.server import STATIC_FOLDER
from tests.e2e.conftest import SharedApp
from tests.e2e.screen import DOCUMENT, Screen

# What of the header and of the panel's tabs is cut off or outside of its place, with findings and terms to count.
CUT_OFF = """() => {
    document.querySelectorAll('.side .tabs .c').forEach(element => {
        element.hidden = false; element.classList.add('warn'); element.textContent = '12'; });
    const shown = [...document.querySelectorAll('.docinfo .proj, .docinfo .langs, .docinfo .model, .side .tabs button')]
        .filter(element => element.getClientRects().length);
    return shown.filter(element => {
        const place = element.getBoundingClientRect(), room = element.parentElement.getBoundingClientRect();
        const isCut = element.matches('.proj, .langs') && element.scrollWidth > element.clientWidth;
        return isCut || place.width < 28 || place.left < room.left - 1 || place.right > room.right + 1;
    }).map(element => element.className || element.id);
}"""
# With names of 90 characters: the parts of the header that overlap, are outside of the window, or hardly to be seen.
LONG_NAMES = """() => {
    const long = 'Bedienungsanleitung '.repeat(5).trim();
    for (const name of document.querySelectorAll('.docinfo :is(.proj, .model), .gn, .person')) name.textContent = long;
    document.querySelector('.docinfo .name').firstChild.textContent = long;
    document.querySelector('.person').closest('.menu').hidden = false;
}"""
CROWDED = """() => {
    const parts = [...document.querySelectorAll('.head>nav, .docinfo, .prog, .headend>*')].map(one => [
        one.className, one.getBoundingClientRect()]);
    const end = document.querySelector('.docinfo .name>:last-child').getBoundingClientRect();
    return parts.filter(([name, place], i) => place.right > (parts[i + 1]?.[1].left ?? innerWidth) ||
        (name === 'docinfo' && (place.width < 150 || end.right > place.right + 1))).map(([name]) => name);
}"""
GERMAN = json.loads((STATIC_FOLDER / "texts.de.json").read_text(encoding="utf-8"))


def test_page_uses_the_browsers_language_until_another_is_chosen(browser: Browser, app: SharedApp):
    context = browser.new_context(locale="de-AT", viewport={"width": 1440, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if "interface text" in message.text else None)
    screen = Screen(page, app.address)
    screen.open_text(DOCUMENT, "Handbuch-des-Routers-Version-27.txt")  # a long name shows its end
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(screen.field).to_have_attribute("aria-label", GERMAN["field.label"])
    expect(page.get_by_role("button", name=GERMAN["action.confirm"])).to_be_visible()
    # A decimal comma, a true minus.
    screen.open_segment(3)  # its hypotheses are nearly as likely as the proposal, so they are listed
    expect(page.locator(".nb .sc").nth(1)).to_have_text(
        re.compile(r"^(passt|erzwungen).*\. Bewertung −\d+,\d{3}, −\d+,\d{3} ")
    )
    screen.type_text("Öffnen Sie die Datei")
    page.set_viewport_size({"width": 1200, "height": 760})  # longer words fit into a smaller window too
    filters = page.locator(".seg button:visible").last.bounding_box()
    search = page.locator(".tools .search").bounding_box()
    assert filters and search and filters["x"] + filters["width"] <= search["x"]
    first = page.locator(".actions .btn").first.bounding_box()
    last = page.locator(".actions .primary").bounding_box()
    assert first and last and first["y"] == last["y"]
    page.keyboard.press("Control+Enter")  # and again, as the text is half a sentence
    page.locator(".checks .primary").click()
    expect(page.locator(".editor .no")).to_have_text("4")
    screen.open_segment(3)
    expect(page.get_by_role("button", name=GERMAN["action.reopen"])).to_be_visible()
    for width in (1440, 1280, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(CUT_OFF) == [], width
        last, beside = page.locator(".actions .primary").bounding_box(), page.locator(".doc").bounding_box()
        assert last and beside and last["x"] + last["width"] <= beside["x"] + beside["width"], width
    page.evaluate(LONG_NAMES)
    for width in (1024, 1180, 1181, 1361, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(CROWDED) == [], width
    page.locator(".langbtn").click()
    expect(page.get_by_role("menuitemradio", name="Deutsch")).to_have_attribute("aria-checked", "true")
    with page.expect_navigation():
        page.get_by_role("menuitemradio", name="English").click()
    expect(page.get_by_role("button", name="Confirm and next")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    screen.expect_text("Öffnen Sie die Datei")  # the same document, nothing lost
    page.reload()
    expect(page.get_by_role("button", name="Confirm and next")).to_be_visible()
    assert problems == []
    screen.check_nothing_went_wrong()
    context.close()
