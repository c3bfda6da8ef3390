"""Undo and redo of actions beyond the open segment: confirmations, document terms."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen


def undo(screen: Screen) -> None:
    screen.page.keyboard.press("Control+z")


def redo(screen: Screen) -> None:
    screen.page.keyboard.press("Control+Shift+z")


def is_open(screen: Screen, number: int, state: str) -> bool:
    """True if this segment is open, in this state."""
    state_shown = screen.page.locator(".editor .st").inner_text()
    return screen.page.locator(".editor .no").inner_text() == str(number) and state_shown.endswith(state)


def test_confirmations_are_undone_and_redone_in_their_segments(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.confirm()
    screen.wait_for_proposal()
    screen.type_text("Zwei")
    screen.confirm()
    screen.wait_until_saved()
    undo(screen)
    screen.eventually(lambda: is_open(screen, 2, "Edited"))
    expect(screen.notes.last).to_have_text("Segment 2 is no longer confirmed.")
    screen.expect_text("Zwei")
    undo(screen)
    screen.eventually(lambda: screen.text() not in ("", "Zwei"))
    undo(screen)
    screen.eventually(lambda: is_open(screen, 1, "Proposal ready"))
    expect(screen.notes).to_have_text("Segment 1 is no longer confirmed.")  # replaces the previous notice
    for number, state in ((2, "Proposal ready"), (2, "Edited"), (3, "Proposal ready")):
        redo(screen)
        screen.eventually(lambda number=number, state=state: is_open(screen, number, state))
    expect(screen.row(2)).to_have_attribute("data-state", "confirmed")


def test_undoing_an_edit_of_a_confirmed_segment_restores_its_state(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Eins")
    screen.confirm()
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    screen.open_segment(1)
    screen.page.keyboard.type("x")
    screen.eventually(lambda: is_open(screen, 1, "Edited"))
    undo(screen)
    screen.eventually(lambda: is_open(screen, 1, "Confirmed"))
    screen.expect_text("Eins")
    screen.page.get_by_role("button", name="Reopen").click()
    screen.eventually(lambda: is_open(screen, 1, "Edited"))
    undo(screen)
    screen.eventually(lambda: is_open(screen, 1, "Confirmed"))


def test_undo_before_the_answer_takes_back_the_confirmation_itself(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Eins")
    screen.confirm()
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    screen.open_segment(1)
    screen.eventually(lambda: is_open(screen, 1, "Confirmed"))
    screen.page.evaluate(
        """() => {
            const buttons = [...document.querySelectorAll('.editor button')];
            buttons.find(one => one.innerText.includes('Reopen')).click();
            const key = {key: 'z', code: 'KeyZ', ctrlKey: true, bubbles: true, cancelable: true};
            document.querySelector('#pinpoint-edit').dispatchEvent(new KeyboardEvent('keydown', key));
        }"""
    )
    expect(screen.notes.last).to_have_text("Segment 1 is confirmed again.")
    screen.eventually(lambda: is_open(screen, 1, "Confirmed"))
    screen.expect_text("Eins")


def test_document_term_is_undone_and_redone_by_key(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.eventually(lambda: screen.row(3).get_attribute("data-state") == "pretranslated")
    untouched = screen.row(3).locator(".tgt").inner_text()
    screen.page.get_by_label("Words to pin or ban").fill("settings")
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin("settings")
    screen.page.keyboard.press("Alt+Shift+P")
    screen.page.get_by_role("dialog").get_by_label("Source words").fill("network")
    screen.page.keyboard.press("Enter")
    expect(screen.row(3).locator(".meta")).to_contain_text("Translated again")
    undo(screen)
    expect(screen.notes.last).to_contain_text("is no longer required")
    expect(screen.row(3).locator(".tgt")).to_have_text(untouched)
    expect(screen.row(3).locator(".meta")).not_to_contain_text("Translated again")
    assert screen.pins() == ["settings"], "the pin itself is an earlier step"
    redo(screen)
    expect(screen.row(3).locator(".tgt")).to_contain_text("settings")
    undo(screen)
    undo(screen)
    screen.eventually(lambda: screen.pins() == [])


def test_undo_returns_to_texts_and_pins_from_before_a_reload(screen: Screen):
    screen.open_text(DOCUMENT)
    proposal = screen.text()
    pinned = screen.words.first.inner_text()
    screen.pin_word(0)
    screen.wait_for_pin(pinned)
    screen.wait_for_proposal()
    screen.type_text("Eins")
    screen.wait_until_saved()
    screen.page.keyboard.press("Control+a")
    screen.page.keyboard.insert_text("Zwei")
    screen.wait_until_saved()
    screen.visit()
    screen.expect_text("Zwei")
    screen.page.keyboard.type("!")
    screen.wait_until_saved()
    button = screen.page.get_by_role("button", name="Undo")
    expect(button).to_be_enabled()
    for text in ("Zwei", "Eins"):
        undo(screen)
        screen.expect_text(text)
    while screen.text() in ("Eins", "Ein", "Ei", "E"):
        undo(screen)
    assert screen.pins() == [pinned]
    undo(screen)
    screen.eventually(lambda: screen.pins() == [] and screen.text() == proposal)
    expect(button).to_be_disabled()
    redo(screen)
    screen.eventually(lambda: screen.pins() == [pinned])
