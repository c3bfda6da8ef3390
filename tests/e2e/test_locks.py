"""Locked segments: one person locks, the other sees why nothing can be changed, and goes past them."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.app.formats.test_xliff_locks import PLAIN
from tests.e2e.screen import Screen
from tests.e2e.test_accessibility import AXE, findings
from tests.e2e.test_review import Review, chip, review  # noqa: F401 (a fixture)

WHY = "Locked by Rita. You can read it and comment on it; a reviewer or manager of the project can unlock it."


def test_reviewer_locks_a_segment_and_the_translator_reads_it_and_goes_past_it(review: Review):  # noqa: F811
    tom, rita = review.tom, review.rita
    rita.open_segment(2)
    rita.type_text("Der Router speichert die Datei.")
    rita.field.press("Alt+Shift+L")
    expect(chip(tom.page, "Locked", 1)).to_be_visible()
    expect(rita.notes.last).to_contain_text("Segment 2 is locked.")
    expect(tom.page.locator(".head .prog")).to_contain_text("0 / 2 seg.")
    expect(tom.row(2).locator(".st")).to_have_attribute("title", "Locked")

    tom.open_segment(1)
    tom.type_text("Öffnen Sie die Einstellungen.")
    tom.confirm()
    expect(tom.page.locator(".editor .no")).to_have_text("3")  # the next open segment is not the locked one
    tom.open_segment(2)
    expect(tom.page.locator(".editor")).to_contain_text("Locked by Rita")
    tom.field.click()
    tom.page.keyboard.type("Neu.")
    tom.page.keyboard.press("Control+Enter")
    expect(tom.notes.last).to_contain_text("Locked by Rita. You can read it and comment on it; a reviewer or manager")
    tom.page.keyboard.press("Alt+Shift+L")
    expect(tom.notes.last).to_contain_text("Only reviewers and managers of this project")
    for name in ("Re-translate", "Alternatives"):
        control = tom.page.get_by_role("button", name=name)
        expect(control).to_be_disabled()
        expect(control).to_have_attribute("title", WHY)
        expect(control).to_have_accessible_description(WHY)
        control.click(force=True)
        expect(tom.notes.last).to_contain_text("Locked by Rita. You can read it and comment on it")
    tom.page.get_by_role("button", name="More").click()
    expect(tom.page.get_by_role("menuitem", name="Split")).to_be_disabled()
    expect(tom.page.get_by_role("menuitem", name="Split")).to_contain_text("Locked by Rita")
    expect(tom.page.get_by_role("menuitem", name=re.compile("ock the segment"))).to_have_count(0)
    tom.page.keyboard.press("Escape")
    assert tom.text() == "Der Router speichert die Datei."

    tom.visit()  # the lock is in the log
    tom.open_segment(2)
    expect(tom.page.locator(".editor")).to_contain_text("Locked by Rita")

    rita.field.press("Control+z")
    expect(chip(tom.page, "Locked", 1)).to_have_count(0)
    expect(tom.page.locator(".editor")).not_to_contain_text("Locked by Rita")
    expect(tom.page.get_by_role("button", name="Alternatives")).to_be_enabled()
    expect(tom.page.get_by_role("button", name="Alternatives")).not_to_have_attribute("title", WHY)
    tom.type_text("Der Router sichert die Datei.")
    tom.wait_until_saved()
    rita.field.press("Control+Shift+Z")
    expect(chip(tom.page, "Locked", 1)).to_be_visible()
    rita.page.get_by_role("button", name="More").click()
    rita.page.get_by_role("menuitem", name="Unlock the segment").click()
    expect(chip(tom.page, "Locked", 1)).to_have_count(0)


def test_range_of_segments_is_locked_filtered_and_unlocked(screen: Screen):
    screen.open_text("One door.\nTwo doors.\nThree doors.\nFour doors.\n")
    page = screen.page

    def ask() -> None:
        page.get_by_role("button", name="Documents").first.click()
        page.get_by_role("menuitem", name="Lock segments").click()

    ask()
    dialog = page.get_by_role("dialog", name="Lock or unlock segments")
    dialog.get_by_label("From segment").fill("4")
    dialog.get_by_label("To segment").fill("2")
    dialog.get_by_role("button", name="Lock", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("There is no such segment")
    dialog.get_by_label("From segment").fill("2")
    dialog.get_by_label("To segment").fill("3")
    dialog.get_by_role("button", name="Lock", exact=True).click()
    expect(screen.notes.last).to_contain_text("2 segments are locked: 2, 3.")
    chip(page, "Locked", 2).click()
    expect(page.locator(".row, .editor")).to_have_count(2)
    expect(page.locator(".editor")).to_contain_text("Locked")
    screen.field.press("Control+Enter")
    expect(screen.notes.last).to_contain_text("Alt+Shift+L unlocks it")

    ask()
    dialog.get_by_role("button", name="Unlock", exact=True).click()  # those that the list shows
    expect(screen.notes.last).to_contain_text("2 segments are unlocked: 2, 3.")
    page.get_by_role("button", name=re.compile("^All")).first.click()
    expect(page.get_by_role("button", name=re.compile("^Locked"))).to_have_count(0)
    screen.check_nothing_went_wrong()


def test_rows_are_selected_with_shift_and_locked_together(screen: Screen):
    screen.open_text("One door.\nTwo doors.\nThree doors.\nFour doors.\nFive doors.\n")
    page = screen.page
    toolbar = page.get_by_role("toolbar", name="Selected segments")
    filters = page.get_by_role("group", name="Show")
    place = screen.row(5).bounding_box()
    screen.row(3).click(modifiers=["Shift"])
    expect(toolbar).to_contain_text("3 segments selected")
    expect(page.locator(".editor .no")).to_have_text("1")  # no other segment was opened
    expect(page.locator("li.chosen")).to_have_count(3)
    expect(screen.row(3)).to_have_accessible_description("selected")
    expect(filters).to_be_hidden()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert findings(page) == []
    screen.row(2).click(modifiers=["Shift"])
    expect(toolbar).to_contain_text("2 segments selected")
    assert screen.row(5).bounding_box() == place, "no row has moved"
    toolbar.get_by_role("button", name="Lock", exact=True).click()
    expect(screen.notes.last).to_contain_text("2 segments are locked: 1, 2.")
    expect(toolbar).to_be_hidden()
    assert findings(page) == []  # with buttons that say why they do nothing
    page.locator(".banner").get_by_role("button", name="Undo").click()
    expect(chip(page, "Locked", 2)).to_have_count(0)

    screen.row(3).click(modifiers=["Shift"])
    toolbar.get_by_role("button", name="Copy source").click()
    expect(screen.notes.last).to_contain_text("The source is copied into 3 segments: 1, 2, 3.")
    expect(screen.row(3).locator(".tgt")).to_have_text("Three doors.")
    screen.expect_text("One door.")
    screen.row(2).click(modifiers=["Shift"])
    toolbar.get_by_role("button", name="Clear").click()
    expect(screen.notes.last).to_contain_text("2 segments are empty: 1, 2.")
    screen.expect_text("")
    page.locator(".banner").get_by_role("button", name="Undo").last.click()
    screen.expect_text("One door.")

    screen.row(4).focus()
    page.keyboard.press("Shift+ArrowDown")
    expect(toolbar).to_contain_text("2 segments selected")
    page.keyboard.press("Shift+ArrowUp")
    expect(toolbar).to_contain_text("1 segment selected")
    for _ in range(2):
        page.keyboard.press("Shift+ArrowUp")
    expect(toolbar).to_contain_text("3 segments selected")
    told = page.get_by_role("status").filter(has_text="3 segments selected.")
    expect(told).to_contain_text("Tab leads to the commands")
    page.keyboard.press("Escape")
    expect(toolbar).to_be_hidden()
    expect(page.locator("li.chosen")).to_have_count(0)
    expect(screen.field).to_be_focused()

    screen.row(5).focus()
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Tab")
    expect(toolbar.get_by_role("button", name="Lock", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(toolbar).to_be_hidden()
    screen.row(3).click(modifiers=["Shift"])
    screen.row(4).click()
    expect(page.locator(".editor .no")).to_have_text("4")
    expect(toolbar).to_be_hidden()
    screen.check_nothing_went_wrong()


def test_locked_segments_of_a_file_are_shown_as_the_import_settings_say(screen: Screen, tmp_path: Path):
    screen.open_text(PLAIN, "locks.xlf")
    page = screen.page
    expect(page.locator(".row, .editor")).to_have_count(1)
    page.get_by_role("button", name="Documents").first.click()
    page.get_by_role("menuitem", name="Import settings").click()
    dialog = page.get_by_role("dialog", name="Import settings")
    dialog.get_by_label("Locked segments").check()
    dialog.get_by_role("button", name="Import again").click()
    expect(page.locator(".row, .editor")).to_have_count(2)
    screen.open_segment(2)
    expect(page.locator(".editor")).to_contain_text("Locked in the file")
    screen.expect_text("Acme")
    screen.check_nothing_went_wrong()


def test_filters_have_their_names_while_the_row_has_room_for_them(screen: Screen):
    names = screen.page.locator(".seg button:visible .t")
    is_shown = "name => getComputedStyle(name).clipPath === 'none'"
    screen.open_text("One door.\nTwo doors.\n")
    screen.page.set_viewport_size({"width": 1280, "height": 800})
    screen.field.press("Alt+Shift+L")
    expect(names).to_have_count(7)
    assert all(name.evaluate(is_shown) for name in names.all())
    names.first.evaluate(
        "name => name.textContent = 'A filter with a name that needs all the room of the row' + '!'.repeat(40)"
    )
    screen.page.set_viewport_size({"width": 1270, "height": 800})
    expect(screen.page.locator(".tools").first).to_have_class(re.compile("crowded"))
    assert [name.evaluate(is_shown) for name in names.all()] == [True] + [False] * 6  # the chosen one
