"""After crashes, lost connections and restarts, typed text is restored and the user is informed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.e2e.conftest import ForkedApp, SharedApp
from tests.e2e.hand_server import loading, serve
from tests.e2e.screen import DOCUMENT, SERVER_CALLS, Screen


@pytest.fixture
def own_app(browser: Browser, model_folder: Path, tmp_path: Path) -> Iterator[ForkedApp]:
    """An app that a test may kill."""
    app = ForkedApp(model_folder, tmp_path / "own.sqlite")
    yield app
    app.kill()


def test_after_a_kill_the_next_start_offers_to_continue_and_the_open_page_reconnects(
    own_app: ForkedApp, tabs: BrowserContext, browser: Browser, model_folder: Path
):
    screen = Screen(tabs.new_page(), own_app.address)
    expect(screen.page.locator(".docinfo .name")).to_have_text("getting-started.txt")  # as at every first start
    expect(screen.page.locator(".banner")).to_have_count(0)
    screen.open_text(DOCUMENT, "handbook.txt")
    screen.upload("glossary", "terms.tsv", b"router\tRouter\n")
    expect(screen.page.locator(".gchip")).to_contain_text("1 term")
    screen.page.get_by_label("Words to pin or ban").fill("zuerst")
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin("zuerst")
    screen.type_text("Fertig.")
    screen.confirm()
    expect(screen.page.locator(".editor .no")).to_have_text("2")
    screen.type_text("Halb fertig")
    screen.wait_until_saved()
    own_app.kill()
    screen.type_text("Während der Pause")
    expect(screen.page.locator(".status [data-kind]")).to_have_attribute("data-kind", "bad")
    screen.page.route(SERVER_CALLS, lambda route: route.abort())

    again = ForkedApp(model_folder, own_app.log, "--port", own_app.url.rpartition(":")[2])
    fresh = browser.new_context()
    try:
        assert again.url == own_app.url
        later = Screen(fresh.new_page(), again.address)
        offer = later.page.locator(".banner", has_text="handbook.txt")
        expect(offer).to_contain_text("1 of 4")
        offer.get_by_role("button", name="Continue").click()
        expect(later.page.locator(".docinfo .name")).to_have_text("handbook.txt")
        expect(later.page.locator(".editor .no")).to_have_text("2")
        later.expect_text("Halb fertig")
        expect(later.row(1).locator(".tgt")).to_have_text("Fertig.")
        expect(later.page.locator(".gchip")).to_contain_text("1 term")
        later.open_segment(1)
        later.wait_for_pin("zuerst")
        later.check_nothing_went_wrong()

        screen.page.unroute(SERVER_CALLS)
        screen.wait_until_saved()
        screen.wait_for_proposal()
        expect(later.row(2).locator(".tgt")).to_have_text("Während der Pause")
    finally:
        fresh.close()
        again.stop()


def test_unacknowledged_text_is_restored_after_reload(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.route(SERVER_CALLS, lambda route: route.abort())  # the connection is gone
    screen.type_text("Nur im Browser")
    expect(screen.page.locator(".status [data-kind]")).to_have_attribute("data-kind", "bad")
    expect(screen.page.locator(".status")).to_contain_text("kept in this browser")
    screen.page.unroute(SERVER_CALLS)
    screen.visit()
    screen.expect_text("Nur im Browser")
    screen.wait_until_saved()
    screen.visit()
    screen.expect_text("Nur im Browser")


def test_page_continues_when_the_connection_returns(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.route(SERVER_CALLS, lambda route: route.abort())
    screen.type_text("Gleich wieder da")
    expect(screen.page.locator(".status [data-kind]")).to_have_attribute("data-kind", "bad")
    screen.page.unroute(SERVER_CALLS)
    screen.wait_until_saved()
    screen.expect_text("Gleich wieder da")


def test_second_tab_shows_the_same_session_and_both_show_a_notice(app: SharedApp, context: BrowserContext):
    screen = Screen(context.new_page(), app.address)
    screen.open_text(DOCUMENT)
    expect(screen.notes.filter(has_text="another browser window")).to_have_count(0)
    other = Screen(context.new_page(), screen.address)
    expect(other.page.locator(".docinfo .name")).to_have_text("manual.txt")
    for tab in (screen, other):
        expect(tab.notes.filter(has_text="another browser window")).to_have_count(1)
    other.open_segment(2)
    screen.type_text("Aus dem ersten Fenster")
    screen.wait_until_saved()
    expect(other.row(1).locator(".tgt")).to_have_text("Aus dem ersten Fenster")
    for tab in (screen, other):
        tab.check_nothing_went_wrong()


def test_click_is_not_lost_when_an_update_arrives_between_press_and_release(screen: Screen, context: BrowserContext):
    """Redrawing a list under a held pointer would lose the click."""
    screen.open_text(DOCUMENT)
    other = Screen(context.new_page(), screen.address)
    other.wait_for_proposal()
    screen.page.get_by_role("button", name="Use the sample glossary").hover()
    screen.page.mouse.down()
    other.pin_word(0)
    other.eventually(lambda: len(other.pins()) == 1)
    other.wait_for_proposal()
    screen.page.wait_for_timeout(500)
    assert screen.pins() == [], "nothing is redrawn while the pointer is held"
    screen.page.mouse.up()
    expect(screen.page.locator(".gchip")).to_contain_text("21 terms")
    screen.eventually(lambda: screen.pins() == other.pins())


def test_missing_model_is_reported_and_editing_still_works(tabs: BrowserContext, tmp_path: Path):
    with serve(loading(tmp_path / "no-such-model"), tmp_path) as url:
        screen = Screen(tabs.new_page(), url)
        expect(screen.page.locator(".banner.bad .say")).to_contain_text("no-such-model")
        screen.type_text("Ohne Modell")
        screen.confirm()
        expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
        screen.check_nothing_went_wrong()


def test_requests_from_other_sites_are_refused(screen: Screen):
    api = screen.page.request
    assert api.get(screen.url, headers={"Host": "evil.example"}).status == 403
    assert (
        api.post(f"{screen.url}/gradio_api/component_server", headers={"Origin": "http://evil.example"}).status == 403
    )
    response = api.get(screen.url)
    assert "connect-src 'self'" in response.headers["content-security-policy"]


def test_injected_scripts_do_not_run(screen: Screen, tabs: BrowserContext):
    page = tabs.new_page()
    page.goto(screen.url)
    page.locator(".head").wait_for()
    violated = page.evaluate(
        """async () => {
          const violated = [];
          document.addEventListener('securitypolicyviolation', event => violated.push(event.effectiveDirective));
          const script = document.createElement('script');
          script.textContent = 'window.hasRun = "script"';
          const picture = document.createElement('div');
          picture.innerHTML = '<img src="data:," onerror="window.hasRun = 1">';
          document.body.append(script, picture);
          setTimeout('window.hasRun = "text"');
          await new Promise(resolve => setTimeout(resolve, 300));
          return [window.hasRun ?? 'nothing', ...violated.sort()];
        }"""
    )
    assert violated == ["nothing", "script-src", "script-src-attr", "script-src-elem"]
    page.close()
