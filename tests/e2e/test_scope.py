"""A pin for the whole document or the glossary; changed segments are flagged."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen, events

TEXT = DOCUMENT + "The network of the office and of the house is new.\n"


def widen(screen: Screen, source: str, choice: str) -> None:
    dialog = screen.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Source words").fill(source)
    dialog.get_by_role("button", name=choice).click()


def pin(screen: Screen, text: str) -> None:
    screen.page.get_by_label("Words to pin or ban").fill(text)
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin(text)


def test_document_pin_changes_and_flags_the_affected_segments(screen: Screen, tmp_path):
    screen.open_text(TEXT)
    screen.open_segment(5)
    screen.type_text("Bestätigt network")
    screen.confirm()
    screen.open_segment(1)
    screen.wait_for_proposal()
    screen.eventually(lambda: screen.row(2).get_attribute("data-state") == "pretranslated")
    untouched = screen.row(2).locator(".tgt").inner_text()
    pin(screen, "settings")
    screen.field.focus()
    screen.page.keyboard.press("Alt+Shift+P")
    widen(screen, "modem", "In the whole document")
    expect(screen.page.get_by_role("alert").filter(has_text="do not occur in this source")).to_be_visible()
    widen(screen, "network", "In the whole document")
    expect(screen.notes.last).to_contain_text("1 other segment is translated again")
    expect(screen.field).to_be_focused()
    expect(screen.row(3).locator(".tgt")).to_contain_text("settings")
    expect(screen.row(3).locator(".meta")).to_contain_text("Translated again")
    assert screen.row(2).locator(".tgt").inner_text() == untouched
    assert screen.row(5).locator(".tgt").inner_text() == "Bestätigt network"
    screen.open_segment(3)
    expect(screen.page.locator(".said")).to_contain_text("Translated again because of your terms; previously:")
    expect(screen.page.locator(".ti", has_text="network → settings")).to_contain_text("Document")
    screen.visit()
    screen.open_segment(3)
    expect(screen.page.locator(".ti", has_text="network → settings")).to_have_attribute("data-status", "met")
    screen.page.get_by_role("button", name="Remove from document").click()
    expect(screen.page.locator("#pinpoint-panel-terms .ti[data-status]")).to_have_count(0)
    log = events(screen.download("Session log as JSONL", tmp_path))
    logged = [(e["type"], e["payload"]) for e in log if e["type"] in ("term_added", "term_removed")]
    payload = {"source": "network", "target": "settings", "scope": "document"}
    assert logged == [("term_added", payload), ("term_removed", payload)]


def test_pin_added_to_the_glossary_is_required_wherever_its_source_occurs(screen: Screen):
    screen.open_text(TEXT)
    pin(screen, "router")
    screen.page.locator("li[data-pin] .scope").click()
    widen(screen, "Network", "Add to glossary")
    expect(screen.notes.last).to_contain_text("is now in the glossary own terms; 2 other segments")
    expect(screen.page.locator(".gchip")).to_contain_text("1 term")
    expect(screen.row(5).locator(".tgt")).to_contain_text("router")
    screen.page.locator("li[data-pin] .x").click()
    expect(screen.page.locator(".ti[data-status=met]")).to_contain_text("router")
