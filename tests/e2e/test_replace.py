"""Find and replace in the document, and repetitions: previewed, reported, undone in one step."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.conftest import SharedApp
from tests.e2e.screen import DOCUMENT, Screen, events

HOSTILE = "<img src=x onerror=alert(1)>"


def targets(screen: Screen, *numbers: int) -> list[str]:
    return [screen.row(number).locator(".tgt").inner_text() for number in numbers]


def write(screen: Screen, number: int, text: str, *, confirms: bool = False) -> None:
    screen.open_segment(number)
    screen.type_text(text)
    if confirms:
        screen.confirm()
    screen.wait_until_saved()


def test_replacements_are_previewed_and_undone_in_one_step(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    write(screen, 1, "Der Modem und das Modem", confirms=True)
    write(screen, 2, f"Kein Modem {HOSTILE}")
    write(screen, 3, "Modems")
    screen.field.evaluate("area => area.setSelectionRange(0, 5)")
    screen.page.keyboard.press("Control+h")
    dialog = screen.page.get_by_role("dialog")
    expect(dialog.get_by_label("Find", exact=True).first).to_have_value("Modem")
    expect(dialog.get_by_role("status")).to_contain_text("2 matches in 2 segments")
    dialog.get_by_label("Replace with").first.fill("Router")
    expect(dialog.locator("ins").first).to_have_text("Router")
    expect(dialog.locator(".places li").first).to_contain_text(HOSTILE)
    dialog.get_by_text("Whole words").click()
    expect(dialog.get_by_role("status")).to_contain_text("1 match in 1 segment")
    dialog.get_by_text("Include confirmed segments").click()
    expect(dialog.get_by_role("status")).to_contain_text("3 matches in 2 segments")
    dialog.get_by_role("button", name="Replace in segment 2").click()
    expect(dialog.locator(".places li")).to_have_count(1)
    dialog.get_by_role("button", name="Replace all").click()
    expect(screen.notes.last).to_contain_text("Replaced 2 matches")
    screen.eventually(lambda: targets(screen, 1, 2) == ["Der Router und das Router", f"Kein Router {HOSTILE}"])
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    expect(screen.field).to_be_focused()
    screen.page.keyboard.press("Control+z")
    screen.eventually(lambda: targets(screen, 1) == ["Der Modem und das Modem"])
    assert targets(screen, 2) == [f"Kein Router {HOSTILE}"]
    screen.page.keyboard.press("Control+z")
    screen.eventually(lambda: targets(screen, 2) == [f"Kein Modem {HOSTILE}"])
    screen.page.keyboard.press("Control+z")
    screen.expect_other_text("Modems")
    screen.page.keyboard.press("Control+y")
    screen.expect_text("Modems")
    screen.page.keyboard.press("Control+y")
    screen.eventually(lambda: targets(screen, 2) == [f"Kein Router {HOSTILE}"])
    log = events(screen.download("Session log as JSONL", tmp_path))
    logged = [(e["payload"]["origin"], e["segment"]) for e in log if "step" in e["payload"]]
    assert logged == [("replace", 1), ("replace", 0), ("replace", 0), ("undo", 0), ("undo", 1), ("redo", 1)]


def test_confirmed_segment_fills_its_repetitions_and_can_be_undone(screen: Screen):
    repeated = DOCUMENT.splitlines(keepends=True)[0]
    screen.open_text(DOCUMENT + repeated * 2)
    write(screen, 6, "Selbst getippt")
    write(screen, 1, "Router neu starten", confirms=True)
    expect(screen.notes.last).to_contain_text("1 repetition (segment 5)")
    screen.eventually(lambda: targets(screen, 5, 6) == ["Router neu starten", "Selbst getippt"])
    expect(screen.row(5).locator(".meta")).to_have_text("repeated")
    expect(screen.row(5)).to_have_attribute("data-state", "edited")
    screen.page.get_by_role("button", name="Undo", exact=True).first.click()
    screen.eventually(lambda: targets(screen, 5) != ["Router neu starten"])
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")


def test_tags_are_shown_by_name_in_the_list_of_replacements_and_never_cut(screen: Screen):
    screen.open_text("<p>Save <b>1</b> file.</p>", "page.html")
    screen.page.keyboard.press("Alt+i")  # the source as the translation
    screen.page.keyboard.press("Control+h")
    dialog = screen.page.get_by_role("dialog")
    dialog.get_by_label("Find", exact=True).first.fill("1")
    expect(dialog.get_by_role("status")).to_contain_text("1 match in 1 segment")
    chips = dialog.locator(".places .chip")
    expect(chips).to_have_count(2)
    assert [chip.get_attribute("data-name") for chip in chips.all()] == ["B", "B"]


def test_person_reads_that_nothing_was_replaced_as_the_segment_was_locked_meanwhile(screen: Screen, app: SharedApp):
    screen.open_text(DOCUMENT)
    write(screen, 2, "Kein Modem")
    screen.page.keyboard.press("Control+h")
    dialog = screen.page.get_by_role("dialog")
    dialog.get_by_label("Find", exact=True).first.fill("Modem")
    expect(dialog.locator(".places li")).to_have_count(1)
    other = Screen(screen.page.context.new_page(), app.address)
    try:
        other.open_segment(2)
        other.field.press("Alt+Shift+L")
        expect(other.notes.last).to_contain_text("Segment 2 is locked.")
    finally:
        other.page.close()
    dialog.get_by_role("button", name="Replace in segment 2").click()
    expect(screen.notes.last).to_contain_text("Nothing was replaced")
    expect(dialog.locator(".places li")).to_have_count(0)
