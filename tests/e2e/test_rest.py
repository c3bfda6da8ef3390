"""Alt+R keeps what the user wrote and translates the rest of the sentence again."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen, events


def kept(screen: Screen) -> list[tuple[str, str]]:
    """The kept parts of the text, as listed under the source: ("begins" or "locked", text)."""
    items = screen.page.locator("li[data-kept]").all()
    return [(str(item.get_attribute("data-kept")), str(item.locator(".what").get_attribute("title"))) for item in items]


def type_over(screen: Screen, text: str, *, at: int) -> None:
    """Replaces the word of the field at this character by typing; the caret stays behind it."""
    screen.field.evaluate(
        "(area, at) => { const end = area.value.indexOf(' ', at); area.focus(); "
        "area.setSelectionRange(at, end < 0 ? area.value.length : end); }",
        at,
    )
    screen.page.keyboard.type(text)


def test_text_before_the_caret_is_kept_and_the_rest_translated_again(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    before = screen.text()
    screen.expect_text(before)
    type_over(screen, "settings", at=0)
    mine = screen.text()
    screen.page.keyboard.press("Alt+r")
    screen.eventually(lambda: kept(screen) == [("begins", "settings ")])
    screen.wait_for_proposal()
    screen.eventually(lambda: screen.text() == screen.hypothesis_texts()[0] != mine)
    assert all(text.startswith("settings ") for text in screen.hypothesis_texts())
    assert screen.field.evaluate("area => area.selectionStart") == len("settings")
    expect(screen.field).to_be_focused()
    screen.page.keyboard.press("Alt+r")  # a repeated request is one undo step
    screen.pin(screen.text().split()[2])
    screen.eventually(lambda: len(screen.pins()) == 1)
    screen.wait_for_pin(screen.pins()[0])
    screen.wait_for_proposal()
    assert all(text.startswith("settings ") for text in screen.hypothesis_texts()), "kept text stays with a pin"
    for _ in range(2):
        screen.page.keyboard.press("Control+z")
    screen.expect_text(mine)
    expect(screen.page.locator("li[data-kept]")).to_have_count(0)
    screen.wait_until_saved()
    log = events(screen.download("Session log as JSONL", tmp_path))
    logged = [
        (e["type"], e["payload"]["origin"]) for e in log if e["type"] in ("beginning", "hypothesis_taken", "undo")
    ]
    assert logged == [("beginning", "rest"), ("hypothesis_taken", "rest"), ("undo", "undo"), ("beginning", "undo")]
    asked = [e["payload"]["prefix"] for e in log if e["type"] == "decode_request" and e["segment"] == 0]
    assert "settings " in asked and asked[-1] == ""


def test_edited_and_selected_text_is_kept_in_order_until_released(screen: Screen):
    screen.open_text(DOCUMENT)
    text = screen.text()
    starts = [at + 1 for at, character in enumerate(text) if character == " "]
    type_over(screen, "router", at=starts[2])
    type_over(screen, "settings", at=0)
    screen.field.evaluate("area => area.setSelectionRange(0, 0)")
    screen.page.keyboard.press("Alt+r")
    expected = [("begins", "settings "), ("locked", "router")]
    screen.eventually(lambda: kept(screen) == expected)
    screen.wait_for_proposal()
    for hypothesis in screen.hypothesis_texts():
        assert hypothesis.startswith("settings ") and " router" in hypothesis
    screen.page.get_by_role("button", name="Allow the model to change “router”").click()
    screen.eventually(lambda: kept(screen) == expected[:1])
    screen.field.evaluate("area => area.setSelectionRange(area.value.indexOf(' ') + 1, area.value.length)")
    selected = screen.field.evaluate("area => area.value.slice(area.selectionStart)")
    screen.page.keyboard.press("Alt+r")
    screen.eventually(lambda: ("locked", selected) in kept(screen))
    screen.wait_until_saved()
    screen.visit()
    screen.eventually(lambda: ("locked", selected) in kept(screen))


def test_text_that_cannot_be_kept_is_reported_and_left_unchanged(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("漢字 wählen")
    screen.page.keyboard.press("Alt+r")
    expect(screen.notes.last).to_contain_text("keeps your text. Your text is unchanged")
    screen.expect_text("漢字 wählen")
    screen.field.evaluate("area => area.setSelectionRange(0, 0)")
    screen.page.keyboard.press("Control+z")
    screen.page.keyboard.press("Control+z")
    screen.expect_other_text("漢字 wählen")
    screen.wait_for_proposal()
    screen.wait_until_saved()
    screen.field.evaluate("area => area.setSelectionRange(0, 0)")
    screen.page.keyboard.press("Alt+r")
    expect(screen.notes.last).to_contain_text("Place the cursor after the part to keep")
