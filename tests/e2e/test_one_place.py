"""Each thing has one place: one row to pin and ban, one menu, the best match beside the terms, a tab for the checks."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.screen import DOCUMENT, Screen


def test_buttons_to_pin_and_ban_take_typed_words_or_the_selection(screen: Screen):
    screen.open_text(DOCUMENT)
    typed, add = screen.page.get_by_label("Words to pin or ban"), screen.page.locator(".addpin")
    pin, ban = (add.get_by_role("button", name=name) for name in ("Pin", "Ban"))
    expect(screen.page.get_by_role("button", name="Pin", exact=True)).to_have_count(1)
    words = screen.words.all_inner_texts()
    screen.point_at(words[1])
    pin.click()
    screen.wait_for_pin(words[1])
    screen.wait_for_proposal()
    banned = next(word for word in screen.words.all_inner_texts() if word not in words[1])
    screen.select(banned)
    ban.click()
    screen.wait_for_ban(banned)
    typed.fill("Kaffee")
    pin.click()
    screen.wait_for_pin("Kaffee")
    expect(typed).to_have_value("")
    expect(typed).to_be_focused()
    pin.click()  # the empty input has the focus: nothing is selected
    assert len(screen.pins()) == 2


def test_menu_of_the_segment_is_used_with_the_keyboard(screen: Screen):
    screen.open_text("Open the door. Close the window.\n")
    keyboard, more = screen.page.keyboard, screen.page.get_by_role("button", name="More")
    more.focus()
    keyboard.press("Enter")
    expect(screen.page.get_by_role("menuitem", name="Comment")).to_be_focused()
    keyboard.press("Escape")
    expect(more).to_be_focused()
    keyboard.press("Enter")
    keyboard.press("Enter")
    expect(screen.page.get_by_label("Your comment on this segment")).to_be_focused()
    keyboard.press("Escape")
    more.click()
    screen.page.get_by_role("menuitem", name="Merge with the next segment").click()
    expect(screen.notes.last).to_contain_text("1 and 2")


def test_dialogs_for_replacing_and_going_to_a_segment_are_in_the_menu_of_the_list(screen: Screen):
    screen.open_text(DOCUMENT)
    page = screen.page
    for name, title in (("Find and replace", "Find and replace in translations"), ("Go to a segment",) * 2):
        page.get_by_role("button", name="Search and order of the list").click()
        page.get_by_role("menuitem", name=name).press("Enter")
        expect(page.get_by_role("dialog", name=title)).to_be_visible()
        page.keyboard.press("Escape")
        text = screen.text()
        page.keyboard.press("Control+End")
        page.keyboard.type("x")
        screen.expect_text(f"{text}x")
        page.keyboard.press("Backspace")


def test_documents_are_opened_and_the_open_one_is_analysed_from_groups_of_one_menu(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.get_by_role("button", name="Documents").click()
    menu = screen.page.get_by_role("menu", name="Documents")
    expect(menu.get_by_role("group", name="Open")).to_contain_text("Open a folder")
    expect(menu.get_by_role("group", name="This document")).to_contain_text("Analysis and quote")
    screen.page.keyboard.press("Escape")


def test_best_match_is_shown_with_the_terms_and_inserted(screen: Screen):
    screen.open_text("The blue lamp is broken again.\nThe red lamp is broken again.\n")
    panel = screen.page.get_by_role("tabpanel", name="Terms")
    expect(panel).to_contain_text("No similar segment")
    screen.type_text("Die blaue Lampe ist wieder kaputt.")
    screen.confirm()
    expect(panel.get_by_text("Die blaue Lampe ist wieder kaputt.")).to_be_visible()
    panel.get_by_role("button", name="Insert").click()
    screen.expect_text("Die blaue Lampe ist wieder kaputt.")
    screen.wait_until_saved()


def test_findings_have_a_tab_with_their_number(screen: Screen):
    screen.open_text(DOCUMENT)
    tab = screen.page.get_by_role("tab", name="Checks")
    tab.click()
    panel = screen.page.get_by_role("tabpanel", name="Checks")
    screen.type_text("Wählen Sie Netze in den Einstellungen aus.")
    expect(panel).to_contain_text("No findings.")
    screen.type_text("Wählen Sie 7 Netze")
    screen.wait_until_saved()
    screen.page.wait_for_timeout(500)  # the reply to a text that is half typed has findings, which are not shown
    expect(panel).to_contain_text("No findings.")
    expect(tab.locator(".c")).to_be_hidden()
    screen.page.keyboard.press("Home")  # the person goes on elsewhere
    expect(tab).to_contain_text("finding")
    screen.page.keyboard.press("End")
    screen.page.keyboard.type(" in den Einstellungen aus.")
    expect(tab).to_contain_text("1 finding")
    expect(panel.locator("li")).to_have_text(["Error: Numbers not in the source: 7"])
    screen.page.keyboard.press("Alt+ArrowDown")
    expect(panel).not_to_contain_text("Numbers not in the source")
    panel.get_by_role("button", name="Show these segments").click()
    expect(screen.page.locator(".editor .no")).to_have_text("1")
    screen.page.locator(".seg button").first.click()


def test_filters_and_confirm_are_in_reach_beside_the_panel_of_a_narrow_window(screen: Screen):
    screen.open_text(DOCUMENT)
    page = screen.page
    page.set_viewport_size({"width": 1024, "height": 700})
    for is_docked in (False, True):
        if is_docked:
            page.get_by_role("tab", name="Terms").click()
        edge = page.locator(".doc").bounding_box()
        assert edge
        names = ("All", "Open", "Edited", "Confirmed", "To check", "Comments")
        buttons = [page.locator(".seg").get_by_role("button", name=name) for name in names]
        for button in [*buttons, page.get_by_role("button", name="Confirm and next")]:
            box = button.bounding_box()
            assert box and edge["x"] <= box["x"] and box["x"] + box["width"] <= edge["x"] + edge["width"]
            button.click(trial=True)
    page.get_by_role("tab", name="Terms").click()
    page.set_viewport_size({"width": 1440, "height": 900})
