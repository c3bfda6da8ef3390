"""axe-core finds no problem in the main states of the page, in light and dark mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import SharedApp
from tests.e2e.screen import DOCUMENT, Screen

# axe-core 4.10.3 from npm, under the Mozilla Public License 2.0 (vendor/axe.LICENSE); only the tests use it.
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
BACKGROUND = "() => getComputedStyle(document.querySelector('.pinpoint')).backgroundColor"
GLOSSARY = b"settings\tEinstellungen\nrouter\tRouter\n"


def findings(page: Page, *rules: str) -> list[str]:
    """Problems that axe finds in the open dialog, otherwise in the workbench: rule, impact, elements.

    By all rules or by those named.
    """
    page.evaluate("() => Promise.all(document.getAnimations().map(a => a.finish()))")  # so that no colour is changing
    options = {"runOnly": list(rules)} if rules else {}
    found: dict[str, Any] = page.evaluate(
        "options => axe.run([...document.querySelectorAll('dialog[open], .pinpoint:not(:has(dialog[open]))')].at(-1), "
        "{resultTypes: ['violations'], ...options})",
        options,
    )
    return [
        f"{rule['impact']} {rule['id']}: {[node['html'][:160] for node in rule['nodes'][:4]]}"
        for rule in found["violations"]
    ]


def in_both_schemes(page: Page) -> list[str]:
    """Problems in the current colour scheme by all rules, and in the other one by contrast; the other one stays."""
    found = findings(page)
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    background = page.evaluate(BACKGROUND)
    page.emulate_media(color_scheme="light" if is_dark else "dark")
    page.wait_for_function(f"before => ({BACKGROUND})() !== before", arg=background)  # drawn a moment later
    return found + findings(page, "color-contrast")


def choose_analysis(page: Page) -> None:
    choose(page, "Documents", "Analysis and quote")
    expect(page.locator("dialog.analysis tfoot td").first).not_to_be_empty()


def choose(page: Page, menu: str, name: str) -> None:
    page.get_by_role("button", name=menu).click()
    page.get_by_role("menuitem", name=name).click()


def test_axe_finds_no_problem_in_light_or_dark_mode(browser: Browser, app: SharedApp):
    context = browser.new_context(
        color_scheme="light", reduced_motion="reduce", viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    screen = Screen(page, app.address)
    screen.open_text(DOCUMENT)
    screen.upload("glossary", "terms.tsv", GLOSSARY)
    expect(page.locator("#pinpoint-panel-terms .ti")).to_have_count(1)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    pinned, *others = screen.words.all_inner_texts()[1:]
    screen.pin_word(1)
    other = next(place for place, word in enumerate(others, 2) if word != pinned)  # the same word would lift the pin
    screen.ban_word(other)
    screen.wait_for_proposal()
    page.keyboard.press("Alt+w")
    assert in_both_schemes(page) == []  # pinned, banned, doubts
    screen.field.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Alt+a")
    expect(page.locator(".pop .alt, .pop .say").first).to_be_visible()
    assert in_both_schemes(page) == []
    page.keyboard.press("Escape")
    screen.type_text("Zu kurz 7")
    page.keyboard.press("Control+Enter")
    expect(screen.findings.first).to_be_visible()
    screen.hypotheses.nth(1).click()
    expect(page.locator(".ask")).to_be_visible()
    assert in_both_schemes(page) == []  # findings, and a question
    page.locator(".ask button").last.click()
    page.keyboard.press("Alt+k")
    for opened in (
        lambda: page.keyboard.press("Alt+h"),
        lambda: page.keyboard.press("Control+h"),
        lambda: page.keyboard.press("Control+g"),
        lambda: page.keyboard.press("Alt+Shift+p"),
        lambda: page.keyboard.press("Alt+Shift+x"),
        lambda: page.keyboard.press("Alt+o"),
        lambda: page.get_by_role("button", name="Choose checks …").click(),
        lambda: page.keyboard.press("Alt+Shift+i"),
        lambda: page.locator(".head .langs").click(),
        lambda: page.locator(".head .proj").click(),
        lambda: page.locator(".head .model").click(),
        lambda: choose(page, "Documents", "Lock segments"),
        lambda: choose(page, "Documents", "Import settings"),
        lambda: choose(page, "Export", "Translated files as ZIP"),
        lambda: screen.upload("glossary", "columns.tsv", b"1\trouter\tRouter\n2\tlight\tLampe\n"),
        lambda: choose_analysis(page),
    ):
        opened()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert in_both_schemes(page) == []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    screen.upload("glossary", "messy.tsv", b"source\ttarget\nrouter\tRouter / Weg\nthe\tder\nlamp\t\n")
    expect(page.locator(".page tbody tr").first).to_be_visible()
    assert in_both_schemes(page) == []  # a glossary with rows to decide
    page.keyboard.press("Escape")
    expect(page.locator(".page")).to_have_count(0)
    page.set_viewport_size({"width": 1024, "height": 768})
    page.get_by_role("link", name="Glossaries").click()
    for tab in ("Terms", "In the document"):
        page.locator(".page").get_by_role("tab", name=tab).click()
        expect(page.locator(".page").get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
        assert in_both_schemes(page) == []
    page.get_by_role("link", name="Report").click()
    expect(page.locator(".page .kpis")).to_be_visible()
    assert in_both_schemes(page) == []
    page.get_by_role("button", name="Delete …").click()
    expect(page.get_by_role("alertdialog")).to_be_visible()
    assert in_both_schemes(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".page")).to_have_count(0)
    for opener in (".openbtn", ".gchip", ".headend [title=Export]", ".actions .menu > button", ".tools .menu > button"):
        page.locator(opener).click()
        expect(page.get_by_role("menu")).to_be_visible()
        assert in_both_schemes(page) == []
        page.keyboard.press("Escape")
    page.keyboard.press("Alt+m")
    assert in_both_schemes(page) == []  # translation memory, and an open comment

    page.locator(".doc").evaluate(
        "doc => { const p = document.createElement('p'); p.textContent = 'grey'; p.style.color = '#777'; "
        "p.style.background = '#888'; doc.prepend(p); }"
    )
    assert any("color-contrast" in problem for problem in findings(page, "color-contrast")), "axe finds a real problem"
    context.close()
