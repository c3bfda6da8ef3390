"""The words selected in the edit field, and the panel with other translations."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from tests.e2e.screen import DOCUMENT, SERVER_CALLS, Screen, events


def test_selected_words_are_pinned_banned_and_searched_by_the_bar(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Das rote Licht")
    bar = screen.page.get_by_role("toolbar", name="For the selected words")
    expect(bar).to_be_hidden()
    screen.field.evaluate("field => field.setSelectionRange(4, 8)")
    bar.get_by_role("button", name="Pin").click()
    screen.eventually(lambda: screen.pins() == ["rote"])
    expect(screen.field).to_be_focused()
    screen.field.evaluate("field => field.setSelectionRange(9, 14)")
    bar.get_by_role("button", name="Ban").click()
    screen.eventually(lambda: screen.bans() == ["Licht"])
    bar.get_by_role("button", name="Concordance").click()
    expect(screen.page.get_by_role("searchbox", name="Concordance search")).to_have_value("Licht")
    expect(bar).to_be_hidden()
    screen.field.focus()
    screen.page.keyboard.press("End")
    expect(bar).to_be_hidden()
    screen.expect_text("Das rote Licht")


def test_bar_covers_no_line_of_the_text(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Das rote Licht " * 12 + "hier.")
    bar = screen.page.get_by_role("toolbar", name="For the selected words")
    for word in ("Das", "hier"):
        screen.select(word)
        expect(bar).to_be_visible()
        shown, text = bar.bounding_box(), screen.page.locator(".field .cm-line").bounding_box()
        assert shown and text and text["height"] > 40, "the text has several lines"
        assert shown["y"] + shown["height"] <= text["y"] + 4 or shown["y"] >= text["y"] + text["height"] - 4


def test_term_is_made_of_the_words_selected_in_source_and_translation(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Das drahtlose Netz")
    screen.select_source("wireless", "network")
    screen.field.evaluate("field => { field.focus(); field.setSelectionRange(4, 18); }")
    screen.page.keyboard.press("Alt+Shift+p")
    dialog = screen.page.get_by_role("dialog")
    expect(dialog.get_by_label("Source words")).to_have_value("wireless network")
    expect(dialog.get_by_label("Translation")).to_have_value("drahtlose Netz")
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.type("Ein Netz")
    screen.expect_text("Das Ein Netz")


def test_source_words_are_selected_by_keys_and_pinned_with_the_translation_that_is_typed(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    screen.wait_for_proposal()
    screen.field.focus()
    screen.page.keyboard.press("Control+ArrowUp")
    for keys in ("Home", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowLeft"):
        screen.page.keyboard.press(keys)
    bar = screen.page.get_by_role("toolbar", name="For the selected source words")
    expect(bar.get_by_role("button")).to_have_text(["Pin with translation …", "Add term …", "Concordance"])
    screen.page.keyboard.press("Alt+p")
    asked = screen.page.get_by_label("Translation of “settings and”")
    expect(asked).to_be_focused()
    screen.page.keyboard.press("Escape")
    expect(screen.field).to_be_focused()
    screen.select_source("wireless", "network")
    bar.get_by_role("button", name="Pin with translation").click()
    screen.page.keyboard.type("Funknetz")
    screen.page.keyboard.press("Enter")
    screen.eventually(lambda: screen.pins() == ["Funknetz"])
    expect(screen.page.locator("li[data-pin]")).to_contain_text("for “wireless network”")
    expect(screen.field).to_be_focused()
    screen.wait_for_proposal()
    held: list[Route] = []  # the question for the states before the reload, which undo needs

    def hold(route: Route) -> None:
        held.append(route) if '"name":"earlier"' in (route.request.post_data or "") else route.continue_()

    screen.page.route(SERVER_CALLS, hold)
    screen.visit()
    expect(screen.page.locator("li[data-pin]")).to_contain_text("for “wireless network”")
    screen.field.focus()
    screen.page.keyboard.press("Control+z")
    screen.eventually(lambda: held)
    assert screen.pins() == ["Funknetz"]
    held[0].continue_()
    screen.eventually(lambda: screen.pins() == [])
    screen.page.unroute(SERVER_CALLS)
    logged = [event for event in events(screen.download("Session log as JSONL", tmp_path)) if "pin" in event["type"]]
    span = [event["payload"]["source_span"] for event in logged]
    assert [DOCUMENT[start:end] for start, end in span] == ["wireless network"] * 2, "pinned, and released"


def test_other_translations_are_shown_on_demand_in_the_next_session_too(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.open_segment(3)  # its hypotheses are nearly as likely as the proposal
    screen.wait_for_proposal()
    head = screen.page.get_by_role("button", name="Other translations, scores and prices")
    expect(screen.hypotheses.first).to_be_visible()
    field, below = screen.field.bounding_box(), screen.row(4).bounding_box()
    screen.field.focus()
    screen.page.keyboard.press("Alt+j")
    expect(screen.hypotheses.first).to_be_hidden()
    assert screen.field.bounding_box() == field
    after = screen.row(4).bounding_box()
    assert below and after and after["y"] < below["y"], "the rows below have its room"
    screen.visit()
    screen.wait_for_proposal()
    expect(head).to_have_attribute("aria-expanded", "false")
    screen.page.keyboard.press("Control+ArrowDown")
    expect(screen.hypotheses.first).to_be_focused()
    expect(head).to_have_attribute("aria-expanded", "true")


def test_the_word_at_the_cursor_is_marked_as_pinned_not_the_same_word_before_it(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("Das Netz und das Kabel und das Netz sind neu.")
    before_pin = """field => { const range = document.createRange(); range.setStart(field, 0);
        range.setEndBefore(field.querySelector('.pin')); return range.toString(); }"""
    for words in ("Das Netz und das Kabel und das ", "Das "):
        screen.field.evaluate("(field, at) => { field.focus(); field.setSelectionRange(at, at); }", len(words) + 1)
        screen.page.keyboard.press("Alt+p")
        expect(screen.box.locator(".pin")).to_have_text("Netz")
        assert screen.field.evaluate(before_pin) == words
        screen.page.keyboard.press("Alt+p")
        expect(screen.box.locator(".pin")).to_have_count(0)
