"""Segments are split and merged by keyboard; numbers, the exported file and a second tab follow."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.e2e.screen import Screen, events

TEXT = "Open the settings and select the network. Save the file.\nRestart the router.\n"


def shown(screen: Screen) -> list[str]:
    """Number and source of each row of the list, the open one marked."""
    rows = screen.page.locator(".scroll ol > li").all()
    return [" ".join(row.locator(".no, .src, .source").all_inner_texts()) for row in rows]


def test_segment_is_split_and_merged_by_keyboard_with_undo(screen: Screen, context: BrowserContext, tmp_path: Path):
    screen.open_text(TEXT)
    other = Screen(context.new_page(), screen.address)
    other.wait_for_proposal()
    screen.type_text("Einstellungen öffnen")
    screen.page.keyboard.press("Alt+Shift+X")
    dialog = screen.page.get_by_role("dialog", name="Split the segment")
    bar = dialog.get_by_role("slider")
    expect(bar).to_be_focused()
    screen.page.keyboard.press("Home")
    for _ in range(2):
        screen.page.keyboard.press("ArrowRight")
    expect(dialog.locator(".part")).to_have_text(["Open the settings", "and select the network."])
    screen.page.keyboard.press("Enter")
    expect(screen.row(4)).to_be_visible()  # a new one behind all others by index, the second by place
    screen.wait_for_proposal()
    parts = ["1 Open the settings", "2 and select the network.", "3 Save the file.", "4 Restart the router."]
    screen.eventually(lambda: shown(screen) == parts)
    screen.expect_text("Einstellungen öffnen")
    other.eventually(lambda: shown(other) == parts)

    screen.page.keyboard.press("Control+g")  # to the second by place, which has the fourth index
    screen.page.keyboard.type("2")
    screen.page.keyboard.press("Enter")
    expect(screen.page.locator(".editor .no")).to_have_text("2")
    screen.wait_for_proposal()
    screen.type_text("und das Netz wählen.")
    screen.page.keyboard.press("Control+Enter")
    expect(screen.row(4)).to_have_attribute("data-state", "confirmed")
    expect(screen.page.locator(".editor .no")).to_have_text("3")
    screen.page.keyboard.press("Alt+Shift+J")
    expect(screen.notes.filter(has_text="another paragraph")).to_have_count(1)
    assert len(shown(screen)) == 4

    text = screen.download("Translated document", tmp_path).read_text(encoding="utf-8")
    assert text == "Einstellungen öffnen und das Netz wählen. Save the file.\nRestart the router.\n"

    screen.open_segment(1)
    screen.page.keyboard.press("Alt+Shift+J")
    expect(screen.notes.filter(has_text="Segments 1 and 2 were merged.")).to_have_count(1)
    screen.expect_text("Einstellungen öffnen und das Netz wählen.")
    screen.eventually(lambda: shown(screen)[0] == "1 Open the settings and select the network.")
    screen.page.keyboard.press("Control+z")
    screen.eventually(lambda: shown(screen) == parts)
    screen.expect_text("Einstellungen öffnen")
    assert screen.notes.filter(has_text="reload").count() == 0
    log = events(screen.download("Session log as JSONL", tmp_path))
    logged = [(e["type"], e["payload"]["origin"]) for e in log if e["type"] in ("split", "merge")]
    assert logged == [("split", "person"), ("merge", "person"), ("split", "undo")]
    redo = screen.page.get_by_role("button", name="Redo")
    expect(redo).to_be_enabled()
    screen.type_text("Etwas Neues")  # clears the redo stack
    expect(redo).to_be_disabled()
    while screen.page.locator(".banner .x").count():
        screen.page.locator(".banner .x").first.click()
    other.check_nothing_went_wrong()


def test_undoing_a_split_in_its_second_part_keeps_earlier_steps(screen: Screen):
    screen.open_text(TEXT)
    screen.type_text("Getippt")
    screen.page.keyboard.press("Alt+Shift+X")
    screen.page.keyboard.press("Enter")
    expect(screen.row(4)).to_be_visible()
    screen.type_text("Teil")
    screen.page.keyboard.press("Control+z")
    screen.expect_text("Getippt")
    screen.page.keyboard.press("Alt+ArrowDown")
    expect(screen.page.locator(".editor .no")).to_have_text("2")
    screen.page.keyboard.press("Control+z")
    expect(screen.notes).to_have_text("The segments are as they were before.")
    screen.expect_text("Getippt")
    screen.page.keyboard.press("Control+z")
    screen.expect_other_text("Getippt")
    screen.page.keyboard.press("Control+Shift+z")
    screen.expect_text("Getippt")
    screen.page.keyboard.press("Control+Shift+z")
    expect(screen.row(4)).to_be_visible()
    screen.expect_text("Getippt")
    screen.page.keyboard.press("Control+Shift+z")
    screen.expect_text("Teil")
