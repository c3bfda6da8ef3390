"""Checks on confirm: shown once, ignored by a second press, flagged if they are errors, switched off."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.screen import Screen, events

TEXT = "Wait 5 seconds.\nWait 7 seconds.\nOpen it.\n"


def test_confirming_shows_findings_and_confirming_again_ignores_them(screen: Screen, tmp_path):
    screen.open_text(TEXT)
    number = screen.page.locator(".editor .no")
    screen.type_text("Warten Sie 6 Sekunden")
    screen.page.keyboard.press("Control+Enter")
    expect(screen.findings).to_have_count(2)
    expect(screen.findings.first).to_contain_text("Error: Numbers differ from the source: 5 ≠ 6")
    expect(number).to_have_text("1")
    expect(screen.field).to_be_focused()
    screen.type_text("Warten Sie 5 Sekunden")
    expect(screen.findings).to_have_count(1)  # a corrected finding disappears at once
    screen.page.keyboard.press("Control+Enter")
    expect(number).to_have_text("2")
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    expect(screen.row(1).locator(".meta.warn")).to_have_count(0)  # advice does not flag the segment
    screen.type_text("Warten Sie.")
    screen.page.keyboard.press("Control+Enter")
    expect(screen.findings).to_have_count(1)
    screen.page.get_by_role("button", name="Confirm anyway").click()
    expect(number).to_have_text("3")
    expect(screen.row(2).locator(".meta.warn")).to_have_attribute("title", "Numbers missing: 7")

    screen.type_text("Öffnen.")
    screen.wait_until_saved()
    screen.page.get_by_role("tab", name="Checks").click()
    panel = screen.page.get_by_role("tabpanel", name="Checks")
    expect(panel).to_contain_text("1 segment to check")
    panel.get_by_role("button", name="Choose checks …").click()
    screen.page.get_by_role("checkbox", name="Numbers").uncheck()
    screen.page.get_by_role("button", name="Close").last.click()
    expect(screen.row(2).locator(".meta.warn")).to_have_count(0)
    expect(panel).to_contain_text("No segment to check.")
    screen.wait_until_saved()
    log = events(screen.download("Session log as JSONL", tmp_path))
    assert [e["payload"]["off"] for e in log if e["type"] == "checks_chosen"] == [["numbers"]]
    assert {"check_raised", "check_resolved"} <= {event["type"] for event in log}
    screen.check_nothing_went_wrong()
