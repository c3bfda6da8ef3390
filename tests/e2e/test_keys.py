"""Custom keys: changed in the key sheet, kept in the browser, refused with a reason."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.e2e.screen import DOCUMENT, Screen


def change(screen: Screen, action: str, *keys: str) -> Locator:
    """Opens the key sheet if needed, presses new keys for an action and returns the error message."""
    sheet = screen.page.get_by_role("dialog")
    if not sheet.count():
        screen.page.keyboard.press("Alt+h")
    sheet.get_by_role("button", name=f"Change the shortcut for: {action}", exact=True).click()
    for key in keys:
        screen.page.keyboard.press(key)
    return sheet.get_by_role("alert")


def test_changed_key_is_kept_after_reload_shown_everywhere_and_can_be_reset(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.field.focus()
    for keys, reason in (
        ("Alt+r", "Alt+R is already used for: Re-translate the rest"),
        ("Control+t", "reserved by the browser"),
        ("Control+c", "needed for editing text"),
        ("Control+Alt+q", "type characters on many keyboards"),
        ("x", "A single key types a letter"),
    ):
        expect(change(screen, "Copy the source", keys)).to_contain_text(reason)
    expect(change(screen, "Copy the source", "Alt+b")).to_have_text("")
    screen.page.keyboard.press("Escape")
    screen.type_text("Noch nichts")
    screen.page.keyboard.press("Alt+i")
    screen.expect_text("Noch nichts")  # the old keys do nothing
    screen.page.keyboard.press("Alt+b")
    screen.expect_text(DOCUMENT.splitlines()[0])
    screen.wait_until_saved()

    expect(change(screen, "Confirm and next", "Alt+Shift+Enter")).to_have_text("")
    screen.page.keyboard.press("Escape")
    button = screen.page.get_by_role("button", name="Confirm and next")
    expect(button).to_have_attribute("aria-keyshortcuts", "Alt+Shift+Enter")
    expect(button.locator("kbd")).to_have_text("Alt Shift Enter")
    screen.visit()
    expect(button.locator("kbd")).to_have_text("Alt Shift Enter")
    screen.field.press("Alt+b")
    screen.field.press("Alt+Shift+Enter")
    expect(screen.page.locator(".editor .no")).to_have_text("2")
    screen.page.locator(".status").get_by_role("button", name="Keys").click()  # the same as Alt+H
    screen.page.get_by_role("button", name="Reset all").click()
    screen.page.keyboard.press("Escape")
    expect(button.locator("kbd")).to_have_text("Ctrl Enter")
    screen.open_segment(3)
    screen.field.press("Alt+i")
    screen.expect_text(DOCUMENT.splitlines()[2])
    screen.wait_until_saved()


def test_hypotheses_are_reached_and_chosen_by_keys(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.open_segment(3)  # its hypotheses are nearly as likely as the proposal
    screen.wait_for_proposal()
    texts = screen.hypothesis_texts()
    keys = screen.page.keyboard
    keys.press("Control+ArrowDown")
    expect(screen.hypotheses.nth(0)).to_be_focused()
    keys.press("ArrowDown")
    expect(screen.hypotheses.nth(1)).to_be_focused()
    for key in ("ArrowUp", "ArrowUp"):  # the field is above the first hypothesis
        keys.press(key)
    expect(screen.field).to_be_focused()
    for number in (2, 1):
        keys.press("Control+ArrowDown")
        keys.press(str(number))
        screen.expect_text(texts[number - 1])
        expect(screen.field).to_be_focused()
    screen.wait_until_saved()
    # Each Enter in the search goes to the next match; Escape ends the search, in the field.
    keys.press("Control+k")
    keys.type("router")
    for number in ("4", "2", "4"):
        keys.press("Enter")
        expect(screen.page.locator(".editor .no")).to_have_text(number)
    keys.press("Escape")
    expect(screen.row(1)).to_be_visible()
    expect(screen.field).to_be_focused()


def test_typing_goes_on_in_the_field_after_each_dialog(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Hier")
    keys, text = screen.page.keyboard, "Hier"
    for shortcut in ("Alt+h", "Control+h", "Alt+o", "Control+g"):
        keys.press(shortcut)
        expect(screen.page.locator("dialog[open]")).to_be_visible()
        keys.press("Escape")
        expect(screen.page.locator("dialog[open]")).to_have_count(0)
        keys.type("x")
        text += "x"
        screen.expect_text(text)
    screen.wait_until_saved()


def test_notices_are_reached_and_dismissed_by_keys_and_cover_no_row(screen: Screen):
    screen.open_text(DOCUMENT)
    keys = screen.page.keyboard
    keys.press("Alt+Shift+c")
    keys.press("Alt+Shift+c")
    expect(screen.notes).to_have_count(2)
    note, rows = screen.page.locator(".notes").bounding_box(), screen.page.locator(".scroll").bounding_box()
    assert note and rows and rows["y"] + rows["height"] <= note["y"]
    for _ in range(3):  # backwards over the filters and the header
        keys.press("Shift+F6")
    expect(screen.page.locator(".notes :focus")).to_have_count(1)
    keys.press("Escape")
    expect(screen.notes).to_have_count(1)
    keys.press("Escape")
    expect(screen.notes).to_have_count(0)
    keys.type("x")
    screen.expect_text(re.compile("x"))
    keys.press("Control+z")
    keys.press("Alt+Shift+c")
    keys.press("Alt+Shift+c")
    keys.press("Escape")  # in the field
    expect(screen.notes).to_have_count(1)
    keys.press("Escape")
    expect(screen.notes).to_have_count(0)


def test_input_methods_and_altgr_keep_their_keys(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Noch nichts")
    for event in ("{isComposing: true}", "{keyCode: 229}", "{modifierAltGraph: true}", "{ctrlKey: true}"):
        screen.field.evaluate(
            f"""area => area.dispatchEvent(new KeyboardEvent('keydown',
            {{key: 'i', code: 'KeyI', altKey: true, bubbles: true, cancelable: true, ...{event}}}))"""
        )
    screen.expect_text("Noch nichts")
    # The letter on the key counts, not its place: on a German keyboard, Z lies where others have Y.
    screen.wait_until_saved()
    screen.field.evaluate(
        "area => area.dispatchEvent(new KeyboardEvent('keydown', "
        "{key: 'i', code: 'KeyP', altKey: true, bubbles: true, cancelable: true}))"
    )
    screen.expect_text(DOCUMENT.splitlines()[0])
    screen.wait_until_saved()


def test_composed_text_is_undone_in_one_step(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Vorher")
    screen.page.wait_for_timeout(1100)  # a separate undo step
    method = screen.page.context.new_cdp_session(screen.page)
    for composed in ("n", "ni"):
        method.send("Input.imeSetComposition", {"text": composed, "selectionStart": 1, "selectionEnd": 1})
        screen.page.wait_for_timeout(1100)
    method.send("Input.insertText", {"text": "你"})
    screen.expect_text("Vorher你")
    screen.page.keyboard.press("Control+z")
    screen.expect_text("Vorher")
    screen.page.keyboard.press("Control+Shift+z")
    screen.expect_text("Vorher你")
    screen.wait_until_saved()


def test_edit_field_is_visible_in_the_smallest_window_at_200_percent(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.set_viewport_size({"width": 512, "height": 350})  # 1,024 pixels at 200 %
    try:
        for number in (3, 2):
            screen.page.keyboard.press("Control+g")
            screen.page.keyboard.type(str(number))
            screen.page.keyboard.press("Enter")
            expect(screen.page.locator(".editor .no")).to_have_text(str(number))
            screen.wait_for_proposal()
            screen.eventually(lambda: is_in_view(screen.field, screen.page.locator(".scroll").first))
    finally:
        screen.page.set_viewport_size({"width": 1440, "height": 900})


def is_in_view(field: Locator, view: Locator) -> bool:
    """True if the field is in the view, or fills it: the random model may propose many lines."""
    inner, outer = field.bounding_box(), view.bounding_box()
    assert inner and outer
    bottom = min(inner["y"] + inner["height"], outer["y"] + outer["height"])
    return bottom - max(inner["y"], outer["y"]) >= min(inner["height"], outer["height"]) - 4


def test_low_confidence_is_shown_on_demand_and_placeholders_are_inserted_one_by_one(screen: Screen):
    screen.open_text("Copy %s to {1}the folder{/1} and %s.\nClose it.\n")
    expect(screen.page.locator("[data-doubt]")).to_have_count(0)
    screen.field.focus()
    screen.page.keyboard.press("Alt+w")
    expect(screen.page.locator("[data-doubt]").first).to_be_visible()  # a random model has low confidence
    expect(screen.words.first).to_have_attribute("title", re.compile(r"Probability: \d+%"))
    screen.visit()
    screen.wait_for_proposal()
    expect(screen.page.locator("[data-doubt]").first).to_be_visible()  # kept in the browser
    screen.page.get_by_role("button", name="More").click()
    confidence = screen.page.get_by_role("menuitemcheckbox", name="Confidence")
    expect(confidence).to_have_attribute("aria-checked", "true")
    confidence.click()
    expect(screen.field).to_be_focused()
    expect(screen.page.locator("[data-doubt]")).to_have_count(0)

    screen.type_text("{1} nach ")
    for expected in ("{1} nach %s", "{1} nach %s{/1}", "{1} nach %s{/1}%s"):
        screen.page.keyboard.press("Alt+n")
        screen.expect_text(expected)
    screen.page.keyboard.press("Alt+n")
    expect(screen.notes.last).to_contain_text("All placeholders of the source")
    screen.page.keyboard.press("Control+z")
    screen.expect_text("{1} nach %s{/1}")
    screen.wait_until_saved()
