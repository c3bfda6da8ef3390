"""Signing in: a browser without the access token is asked for it, once."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.log.store import LogStore
from app.serving.keys import ApiFile
from app.serving.passwords import Passwords
from app.ui.sign_in import SignIn
from tests.app.hand_decoder import HandDecoder, ready_model
from tests.e2e.hand_server import serve
from tests.e2e.test_accessibility import AXE


def test_browser_without_the_token_is_asked_for_it_and_signed_in_also_after_a_restart(
    context: BrowserContext, tmp_path: Path
):
    def serving() -> AbstractContextManager[str]:
        sign_in = SignIn.from_file(tmp_path / "token")
        return serve(ready_model(HandDecoder()), tmp_path, sign_in=sign_in)

    page = context.new_page()
    with serving() as url:
        page.goto(url)
        expect(page.get_by_role("alert")).to_contain_text("Open the address that Pinpoint shows")
        field = page.get_by_label("Access token")
        expect(field).to_be_focused()
        field.fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("wrong or no longer valid")
        page.get_by_label("Access token").fill((tmp_path / "token").read_text().strip())
        page.keyboard.press("Enter")
        expect(page.locator("#pinpoint-edit")).to_be_visible()
        assert "token" not in page.url
        assert page.evaluate("document.cookie") == "", "scripts cannot read it"
    with serving() as url:
        page.goto(url)
        expect(page.locator("#pinpoint-edit")).to_be_visible()


def axe_findings(page: Page) -> list[str]:
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate("() => axe.run().then(found => found.violations.map(rule => rule.id))")
    return found


@pytest.mark.parametrize("language", ["en", "de"])
def test_person_signs_in_with_the_keyboard_and_changes_the_password(browser: Browser, tmp_path: Path, language: str):
    old, new = "four words of Ana's own", "five quite different words"
    LogStore.open(tmp_path / "people.sqlite").close()
    keys = ApiFile.beside(tmp_path / "people.sqlite")
    passwords = Passwords(keys)
    passwords.put("Ana", old)
    sign_in = SignIn("t0ken-of-this-test_000", keys.person_with, passwords=passwords)
    context = browser.new_context(locale=language)
    page = context.new_page()
    texts = {
        "en": ("Name", "wrong", "Sign out everywhere", "Back to the documents", "is changed"),
        "de": ("Name", "falsch", "Überall abmelden", "Zurück zu den Dokumenten", "ist geändert"),
    }
    name, wrong, everywhere, back, changed = texts[language]
    with serve(ready_model(HandDecoder()), tmp_path, sign_in=sign_in) as url:
        page.goto(url)
        expect(page.get_by_label(name, exact=True)).to_be_focused()
        assert axe_findings(page) == []
        page.keyboard.type("Ana")
        page.keyboard.press("Tab")
        page.keyboard.type("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text(wrong)
        expect(page.get_by_label(name, exact=True)).to_have_value("Ana")
        assert page.locator("#password").evaluate("field => field === document.activeElement")
        page.keyboard.type(old)
        page.keyboard.press("Enter")
        expect(page.locator(".person")).to_have_text("Ana")

        page.locator(".person").click()
        page.get_by_role("menuitem").first.click()
        expect(page.get_by_role("link", name=back)).to_be_visible()
        assert axe_findings(page) == []
        for field, text in (("password", old), ("new", new), ("again", new)):
            page.locator(f"#{field}").fill(text)
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_contain_text(changed)
        page.get_by_role("link", name=back).click()
        expect(page.locator(".person")).to_have_text("Ana")
        page.goto(f"{url}/account")
        page.get_by_role("button", name=everywhere).click()
        expect(page.get_by_label(name, exact=True)).to_be_visible()
        page.goto(url)
        expect(page.get_by_label(name, exact=True)).to_be_focused()
    context.close()
    keys.close()
