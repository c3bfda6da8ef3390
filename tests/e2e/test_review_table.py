"""Review in Word: a table is exported, edited as a reviewer does, imported with a preview, and undone in one step."""

from __future__ import annotations

import io
from pathlib import Path

import docx
from playwright.sync_api import expect

from tests.app.review_tables import reviewed
from tests.e2e.screen import Screen

TEXT = "Save it.\nOpen the file.\nClose it.\nThe end.\n"
HOSTILE = "<img src=x onerror=alert(1)>"


def targets(screen: Screen) -> list[str]:
    return [screen.row(number).locator(".tgt").inner_text() for number in (1, 2, 3)]


def test_changes_of_a_reviewer_are_shown_taken_over_and_undone(screen: Screen, tmp_path: Path):
    screen.open_text(TEXT)
    for number, text in ((1, "Sichern."), (2, "Öffnen Sie die Datei."), (3, "Zumachen.")):
        screen.open_segment(number)
        screen.type_text(text)
        screen.confirm()
        screen.wait_until_saved()
    file = screen.download("Table for review", tmp_path)
    screen.open_segment(3)
    screen.type_text("Schließen.")
    screen.wait_until_saved()
    screen.open_segment(4)  # the list does not show the text of the open segment
    before = targets(screen)
    data = reviewed(
        file.read_bytes(), {1: f"Speichern {HOSTILE}.", 3: "Schließe es."}, {2: ("Ana", f"Gut {HOSTILE}")},
        tracked={2: ("Datei", "Akte")},
    )  # fmt: skip
    screen.upload("review", "back.docx", data)
    dialog = screen.page.get_by_role("dialog", name="Changes in back.docx")
    expect(dialog.get_by_role("status")).to_have_text("3 changes")
    rows = dialog.locator(".places li")
    expect(rows.nth(0).locator("ins").first).to_contain_text("Speichern")
    expect(rows.nth(0)).to_contain_text("Placeholders not in the source")
    rows.nth(0).get_by_role("checkbox").check()
    expect(rows.nth(1).locator("del")).to_have_text("Datei")
    expect(rows.nth(1)).to_contain_text(f"Ana: Gut {HOSTILE}")
    expect(rows.nth(2)).to_contain_text("The segment has changed since the export")
    expect(rows.nth(2).get_by_role("checkbox")).not_to_be_checked()
    expect(dialog).to_contain_text("Tracked changes in Word count as accepted.")
    assert targets(screen) == before, "nothing changes before it is chosen"
    dialog.get_by_role("button", name="Take over 2 changes").click()
    expect(screen.notes.last).to_contain_text("changes in 2 segments were taken over")
    screen.eventually(lambda: targets(screen) == [f"Speichern {HOSTILE}.", "Öffnen Sie die Akte.", "Schließen."])
    expect(screen.row(2)).to_have_attribute("data-state", "edited")
    screen.upload("review", "back.docx", data)
    expect(screen.page.get_by_role("dialog").get_by_role("status")).to_have_text("1 change")
    screen.page.keyboard.press("Escape")
    screen.page.locator(".banner").get_by_role("button", name="Undo").click()
    screen.eventually(lambda: targets(screen) == before)
    expect(screen.row(2)).to_have_attribute("data-state", "confirmed")


def test_table_has_only_the_segments_that_the_filter_shows(screen: Screen, tmp_path: Path):
    screen.open_text(TEXT)
    menu = screen.page.get_by_role("button", name="Export")
    menu.click()
    expect(screen.page.get_by_role("menuitem", name="Table for review")).to_be_visible()
    expect(screen.page.get_by_role("menuitem", name="Table of shown segments")).to_have_count(0)
    screen.page.keyboard.press("Escape")
    screen.page.locator(".tools .search input").fill("it.")
    menu.click()
    entry = screen.page.get_by_role("menuitem", name="Table of shown segments")
    expect(entry).to_contain_text("2 segments that the filter and the search show")
    screen.page.keyboard.press("Escape")
    file = screen.download("Table of shown segments", tmp_path)
    assert [row.cells[1].text for row in docx.Document(str(file)).tables[0].rows[1:]] == ["Save it.", "Close it."]
    screen.upload("review", "back.docx", reviewed(file.read_bytes(), {2: "Zumachen."}))
    dialog = screen.page.get_by_role("dialog", name="Changes in back.docx")
    expect(dialog.get_by_role("status")).to_have_text("1 change")
    expect(dialog).not_to_contain_text("Rows were deleted")
    dialog.get_by_role("button", name="Take over 1 change").click()
    expect(screen.row(3).locator(".tgt")).to_contain_text("Zumachen.")


def test_file_that_is_no_review_table_is_refused_with_the_cure(screen: Screen):
    screen.open_text(TEXT)
    screen.upload("review", "back.docx", b"text")
    expect(screen.notes.last).to_contain_text("back.docx")
    expect(screen.page.get_by_role("dialog")).to_have_count(0)


def test_word_document_is_exported_with_comments_on_request(screen: Screen, tmp_path: Path):
    screen.open_text(TEXT)
    screen.page.get_by_role("button", name="Export").click()
    expect(screen.page.get_by_role("menuitem", name="Document with comments")).to_have_count(0)
    screen.page.keyboard.press("Escape")
    file = io.BytesIO()
    document = docx.Document()
    document.add_paragraph("Save the file.")
    document.save(file)
    screen.open_text(file.getvalue(), "a.docx")
    screen.page.keyboard.press("Alt+k")
    screen.page.get_by_label("Your comment on this segment").fill("Which file?")
    screen.page.keyboard.press("Enter")
    screen.wait_until_saved()
    made = docx.Document(str(screen.download("Document with comments", tmp_path)))
    assert [comment.text for comment in made.comments] == ["Which file?"]


def test_groups_of_the_menu_are_beside_each_other_where_there_is_room(screen: Screen):
    screen.open_text(TEXT)
    screen.page.get_by_role("button", name="Export").click()
    groups = screen.page.locator(".menu .items:visible .group")
    expect(groups).to_have_count(4)
    for width, num_columns in ((1440, 4), (1280, 4), (800, 3), (1100, 4)):
        screen.page.set_viewport_size({"width": width, "height": 900})
        places = [box for group in groups.all() if (box := group.bounding_box())]
        assert sum(box["y"] == places[0]["y"] for box in places) == num_columns, width
        assert all(0 <= box["x"] and box["x"] + box["width"] <= width for box in places), width
