"""The report of a session in the page: figures, charts, replay, deletion."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.e2e.conftest import SharedApp
from tests.e2e.screen import DOCUMENT, Screen, events


def test_session_report_replay_and_deletion(screen: Screen, tmp_path):
    page = screen.page
    screen.open_text(DOCUMENT, "record.txt")
    page.keyboard.press("Control+a")
    page.keyboard.type("<b>Öffnen</b> Sie")
    screen.wait_until_saved()
    page.keyboard.type(" alles")
    page.keyboard.press("Backspace")
    screen.wait_until_saved()
    screen.confirm()
    screen.wait_for_proposal()
    screen.wait_until_saved()
    work = page.locator(".status .work")
    expect(work).to_have_text(re.compile(r"^Active time \d min\(pauses over 60 s left out\)$"))

    page.get_by_role("link", name="Report", exact=True).focus()
    page.keyboard.press("Enter")
    report = page.get_by_role("region", name="Session report")
    expect(report.locator(".kpis div").filter(has_text="Words per hour")).to_contain_text("–")  # not before a minute
    expect(report.locator(".kpis div").first).to_contain_text(re.compile(r"Confirmed\s*1\s*of 4"))
    assert report.locator("svg.ch").count() >= 3
    expect(report.locator(".lg li")).to_contain_text(["Typed"])
    expect(report.locator(".pairs")).to_contain_text(re.compile(r"characters 2\d, deletions 1"))
    expect(report.locator(".pairs")).to_contain_text("Text offered for translation100.0 %")
    for name in ("Time per segment", "Edit effort (HTER)", "Segments"):
        expect(report.get_by_role("region", name=name, exact=True)).to_be_visible()

    report.get_by_role("button", name=re.compile("Replay .* events")).press("Enter")
    slider = report.get_by_role("slider", name="Moment of the session")
    expect(slider).to_be_focused()
    seen, shown = set(), set()
    for _ in range(int(slider.get_attribute("max") or 0)):
        page.keyboard.press("ArrowRight")
        shown.add(report.locator(".stage .what").inner_text())
        seen.add(
            report.locator(".stage .text").evaluate(
                "e => [...e.childNodes].filter(n => n.nodeName !== 'DEL').map(n => n.textContent).join('')"
            )
        )
    assert {"<b>Öffnen</b> Sie", "<b>Öffnen</b> Sie alle"} <= seen
    assert {"Segment 1 · inserted · Typed", "Segment 1 · deleted · Typed"} <= shown
    assert report.locator(".stage b").count() == 0
    page.keyboard.press("Home")
    report.locator(".player select").select_option("64")
    report.get_by_role("button", name="Play").click()
    expect(report.get_by_role("button", name="Play")).to_be_visible()
    assert slider.input_value() == slider.get_attribute("max")

    report.get_by_role("button", name="Delete …").click()
    question = page.get_by_role("alertdialog")
    expect(question.get_by_role("button", name="Keep")).to_be_focused()
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    page.keyboard.press("Escape")
    expect(report).to_have_count(0)
    kinds = [event["type"] for event in events(screen.download("Session log as JSONL", tmp_path))]
    assert "key" in kinds and "confirm" in kinds

    page.get_by_role("link", name="Report", exact=True).click()
    before = screen.token()
    report.get_by_role("button", name="Delete …").click()
    question.get_by_role("button", name="Delete permanently").click()
    screen.eventually(lambda: screen.token() != before)
    expect(page.locator(".docinfo .name")).not_to_have_text("record.txt")
    expect(page.locator(".banner")).to_contain_text("was deleted")
    page.locator(".banner .x").first.click()


def test_report_has_an_address_and_the_document_stays_as_it_was(screen: Screen):
    page = screen.page
    report = page.get_by_role("region", name="Session report")
    link = page.get_by_role("link", name="Report", exact=True)
    scrolled = "document.querySelector('.scroll').scrollTop"
    caret = "[document.activeElement.id, document.activeElement.selectionStart]"
    screen.open_text(DOCUMENT * 12, "address.txt")
    screen.open_segment(9)
    screen.type_text("Ein ganzer Satz.")
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    before = page.evaluate(f"{scrolled} += 40")
    link.click()
    expect(report.locator(".kpis")).to_be_visible()
    expect(link).to_have_attribute("aria-current", "page")
    expect(page).to_have_title("Session report – address.txt – Pinpoint")
    expect(screen.field).to_be_hidden()
    page.keyboard.press("Control+Enter")  # acts on the document only
    page.keyboard.press("Escape")
    expect(report).to_have_count(0)
    assert page.evaluate(caret) == ["pinpoint-edit", 10]
    assert page.evaluate(scrolled) == before
    expect(page.locator(".editor .no")).to_have_text("9")
    page.go_back()
    expect(report).to_be_visible()
    page.go_forward()
    expect(screen.field).to_be_focused()
    page.go_back()
    expect(report).to_be_visible()
    page.reload()
    expect(report.locator(".kpis")).to_be_visible()
    report.get_by_role("link", name="Back to the document").click()
    expect(page).to_have_title("address.txt – Pinpoint")
    screen.expect_text("Ein ganzer Satz.")
    expect(screen.field).to_be_focused()


def test_keystrokes_are_logged_once_enabled_and_a_minute_without_input_is_a_pause(
    app: SharedApp, context: BrowserContext, tmp_path: Path
):
    screen = Screen(context.new_page(), app.address)
    page = screen.page
    page.clock.install()  # of this profile's tabs, once the page is loaded
    screen.open_text(DOCUMENT, "keys.txt")
    page.keyboard.type("ab")
    page.get_by_role("link", name="Report", exact=True).click()
    report = page.get_by_role("region", name="Session report")
    switch = report.get_by_role("checkbox", name=re.compile("Record every key"))
    expect(switch).not_to_be_checked()
    switch.check()
    page.keyboard.press("Escape")
    page.keyboard.type("xy")
    page.keyboard.insert_text("😀")
    length = len(screen.text())
    screen.wait_until_saved()
    page.clock.fast_forward(61_000)
    page.keyboard.press("ArrowLeft")
    screen.wait_until_saved()
    page.keyboard.press("Control+Enter")

    logged = events(screen.download("Session log as JSONL", tmp_path))
    kinds = [event["type"] for event in logged]
    keys = [event["payload"] for event in logged if event["type"] == "key"]
    before = [payload for payload in keys if "presses" not in payload]
    noted = [key for payload in keys for _, key in payload.get("presses", ())]
    assert sum(payload["counts"].get("character", 0) for payload in before) == 2
    assert noted[:2] == ["x", "y"] and "a" not in noted
    assert "caret" in kinds and kinds.index("consent") < kinds.index("caret")
    places = [end for e in logged if e["type"] == "caret" for _, _, end in e["payload"]["positions"]]
    assert max(places) == length, "in code points, as the places of changes"
    pause = kinds.index("idle")
    assert logged[pause]["payload"]["idle_ms"] >= 60_000
    assert "focus" in kinds[pause + 1 :]
    screen.check_nothing_went_wrong()


def test_log_has_the_time_at_which_the_browser_leaves(app: SharedApp, context: BrowserContext, tmp_path: Path):
    screen = Screen(context.new_page(), app.address)
    screen.visit()
    screen.open_text(DOCUMENT, "left.txt")
    screen.wait_until_saved()
    screen.page.goto("about:blank")
    screen.visit()
    screen.wait_for_proposal()
    screen.wait_until_saved()
    log = events(screen.download("Session log as JSONL", tmp_path))
    assert [event["type"] for event in log if event["type"] in ("focus", "blur")] == ["focus", "blur", "focus"]
