"""Shortcuts for text and navigation: case, copying the source, a segment by number, the key sheet."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen, events


def test_case_changes_at_the_caret_or_selection_and_the_source_is_copied(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    screen.type_text("der straße nach")
    for expected in ("der straße Nach", "der straße NACH", "der straße nach"):
        screen.page.keyboard.press("Shift+F3")
        screen.expect_text(expected)
    screen.field.evaluate("area => area.setSelectionRange(0, 10)")
    screen.page.keyboard.press("Shift+F3")
    screen.expect_text("Der Straße nach")
    screen.page.keyboard.press("Shift+F3")
    screen.expect_text("DER STRASSE nach")
    screen.wait_until_saved()
    assert screen.field.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)") == "DER STRASSE"
    screen.page.keyboard.press("Alt+i")
    source = DOCUMENT.splitlines()[0]
    screen.expect_text(source)
    screen.wait_until_saved()
    screen.page.keyboard.press("Control+z")
    screen.expect_text("DER STRASSE nach")
    screen.wait_until_saved()
    log = events(screen.download("Session log as JSONL", tmp_path))
    assert {"case", "source"} <= {e["payload"].get("origin") for e in log if e["type"] == "insert"}


def test_segment_is_reached_by_number_even_if_a_filter_hides_it(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.keyboard.press("Control+k")
    screen.page.keyboard.type("router")
    screen.page.keyboard.press("Control+g")
    screen.page.keyboard.type("9")
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Enter a number from 1 to 4")
    screen.page.keyboard.type("3")
    screen.page.keyboard.press("Enter")
    expect(screen.page.locator(".editor .no")).to_have_text("3")
    expect(screen.field).to_be_focused()
    screen.page.keyboard.press("Control+g")
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("dialog").get_by_role("alert")).to_be_visible()
    screen.page.keyboard.type("1")
    screen.page.keyboard.press("Enter")
    expect(screen.page.locator(".editor .no")).to_have_text("1")


def test_notice_neither_moves_nor_covers_the_edit_field(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.field.fill("")
    before = screen.field.bounding_box()
    screen.page.keyboard.press("Control+Enter")
    expect(screen.notes.last).to_contain_text("Nothing to confirm")
    notice = screen.page.locator(".banner").bounding_box()
    assert screen.field.bounding_box() == before
    assert before and notice and notice["y"] > before["y"] + before["height"]


def test_late_search_result_does_not_move_the_caret(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Der Text")
    screen.page.get_by_role("searchbox").evaluate(
        """search => {
            search.value = 'green';
            search.dispatchEvent(new Event('input'));
            const field = document.querySelector('#pinpoint-edit');
            field.focus();
            field.setSelectionRange(3, 3);
        }"""
    )
    expect(screen.page.locator(".row")).to_have_count(1)  # beside the open segment
    expect(screen.field).to_be_focused()
    screen.page.keyboard.type(" neue")
    screen.expect_text("Der neue Text")


def test_key_sheet_is_searched_by_action(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.field.focus()
    screen.page.keyboard.press("Alt+h")
    keys = screen.page.get_by_role("dialog").locator("dt")
    screen.eventually(lambda: keys.count() > 20)
    screen.page.keyboard.type("translate rest")
    expect(keys).to_have_text(["Re-translate the rest"])
    screen.page.keyboard.press("Escape")
    expect(screen.field).to_be_focused()


def test_keys_are_exported_and_imported_without_invalid_ones(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    screen.field.focus()
    screen.page.keyboard.press("Alt+h")
    dialog, alert = screen.page.get_by_role("dialog"), screen.page.get_by_role("dialog").get_by_role("alert")
    with screen.page.expect_download() as started:
        dialog.get_by_role("button", name="Save to file").click()
    started.value.save_as(tmp_path / "keys.json")
    kept = json.loads((tmp_path / "keys.json").read_text(encoding="utf-8"))
    assert kept["keys"]["confirm"] == "Ctrl+Enter"
    kept["keys"] |= {"pin": "Alt+Q", "rest": "Ctrl+T", "fly": "Alt+Y"}
    file = dialog.locator("input[data-kind=keys]")
    file.set_input_files({"name": "k.json", "mimeType": "application/json", "buffer": json.dumps(kept).encode()})
    expect(alert).to_contain_text("Re-translate the rest, fly")
    expect(dialog.locator("[data-keys-of=pin]")).to_have_text("Alt Q")
    expect(dialog.locator("[data-keys-of=rest]")).to_have_text("Alt R")
    file.set_input_files({"name": "k.json", "mimeType": "application/json", "buffer": b"[1]"})
    expect(alert).to_contain_text("not a Pinpoint shortcut file")
    expect(dialog.locator("[data-keys-of=pin]")).to_have_text("Alt Q")
    dialog.get_by_role("button", name="Reset all").click()
    expect(dialog.locator("[data-keys-of=pin]")).to_have_text("Alt P")
    screen.page.keyboard.press("Escape")


def test_words_are_found_in_scripts_without_spaces(screen: Screen):
    screen.open_text("打开文件。\n", "chinese.txt", waits=False)
    expect(screen.page.locator(".docinfo .name")).to_have_text("chinese.txt")
    expect(screen.page.locator(".source .sw")).to_have_text(["打开", "文件"])
    screen.type_text("请打开文件。")
    screen.page.keyboard.press("ArrowLeft")
    screen.page.keyboard.press("ArrowLeft")
    screen.page.keyboard.press("Alt+p")
    screen.eventually(lambda: screen.pins() == ["文件"])  # as the browser's dictionary has it
    screen.page.keyboard.press("Alt+Shift+X")
    dialog = screen.page.get_by_role("dialog", name="Split the segment")
    expect(dialog.locator(".part")).to_have_text(["打开", "文件。"])
    screen.page.keyboard.press("Escape")
    screen.wait_until_saved()
