"""Signing in: a browser without the access token is asked for it, once."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.e2e.conftest import App, new_context
from tests.e2e.screen import Screen


def test_browser_without_the_token_is_asked_for_it_and_signed_in_also_after_a_restart(
    browser: Browser, model_folder: Path, tmp_path: Path
):
    app = App(model_folder, tmp_path / "own.sqlite")
    context = new_context(browser)
    page = context.new_page()
    try:
        page.goto(app.url)
        expect(page.get_by_role("alert")).to_contain_text("Open the address that Pinpoint shows")
        field = page.get_by_label("Access token")
        expect(field).to_be_focused()
        field.fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("wrong or no longer valid")
        page.get_by_label("Access token").fill(app.address.partition("token=")[2])
        page.keyboard.press("Enter")
        screen = Screen(page, app.address)
        expect(screen.field).to_be_visible()
        assert "token" not in page.url
        assert page.evaluate("document.cookie") == "", "scripts cannot read it"

        app.kill()
        app = App(model_folder, app.log, "--port", app.url.rpartition(":")[2])
        page.goto(app.url)
        expect(screen.field).to_be_visible()
    finally:
        context.close()
        app.kill()
