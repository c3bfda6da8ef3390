"""The limit of a segment's length beside the edit field, and the finding for a longer text."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.screen import Screen


def test_length_and_limit_are_shown_while_typing_and_a_longer_text_is_a_finding(screen: Screen, tmp_path: Path):
    table = "source,target,Max. length\nOpen the file.,,12\nSave the file.,,\n"
    screen.open_text(table, "texts.csv")
    note = screen.page.locator(".cell-tgt .lab .end").last
    screen.type_text("Öffnen.")
    expect(note).to_have_text("7 / 12 characters")
    expect(note).not_to_have_class(re.compile("over"))
    screen.type_text("Datei öffnen 👍.")
    expect(note).to_have_text("15 / 12 characters · 3 too many")
    expect(note).to_have_class(re.compile("over"))
    expect(screen.page.get_by_text("Characters above the limit of 12").first).to_be_attached()
    screen.page.keyboard.press("Control+Enter")
    expect(screen.findings.first).to_contain_text("Error: Characters above the limit of 12")
    screen.page.keyboard.press("Control+Enter")
    expect(screen.page.locator(".editor .no")).to_have_text("2")
    expect(screen.row(1).locator(".meta.warn")).to_have_attribute("title", "Characters above the limit of 12")
    screen.type_text("Speichern.")
    expect(note).to_have_text("10 characters")
    screen.wait_until_saved()
    exported = screen.download("Translated document", tmp_path).read_text(encoding="utf-8")
    assert exported.splitlines()[:2] == ["source,target,Max. length", "Open the file.,Datei öffnen 👍.,12"]
    screen.check_nothing_went_wrong()


def test_reading_speed_of_a_subtitle_is_shown_and_a_fast_one_is_a_warning(screen: Screen):
    screen.open_text(
        "1\n00:00:01,000 --> 00:00:02,000\nOpen the file.\n\n2\n00:00:03,000 --> 00:00:09,000\nSave it.\n", "a.srt"
    )
    note = screen.page.locator(".cell-tgt .lab .end").last
    screen.type_text("Öffnen Sie sie.")
    expect(note).to_have_text("15 characters/s")
    screen.type_text("Öffnen Sie die Datei.")
    expect(note).to_have_text("21 characters/s")
    expect(note).to_have_class(re.compile("over"))
    screen.page.keyboard.press("Control+Enter")
    expect(screen.findings.first).to_contain_text("Warning: Characters per second above the limit: 21 > 17")
    screen.page.keyboard.press("Control+Enter")
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    screen.check_nothing_went_wrong()
