"""Several documents in tabs: switching between them, where each was left, closing, and many of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from tests.e2e.conftest import VIEWPORT, ForkedApp, SharedApp
from tests.e2e.screen import DOCUMENT, SERVER_CALLS, Screen
from tests.e2e.test_accessibility import AXE, in_both_schemes

LONG = "".join(f"Segment number {n} is about the router.\n" for n in range(1, 61))


def tab(page: Page, name: str) -> Locator:
    return page.get_by_role("tablist", name="Open documents").get_by_role("tab").filter(has_text=name)


def names(page: Page) -> list[str]:
    """The names of the tabs, in their order."""
    return page.locator(".doctab .nm").all_text_contents()


def expect_shown(screen: Screen, name: str) -> None:
    expect(screen.page.locator(".docinfo .name")).to_have_text(name)
    expect(tab(screen.page, name)).to_have_attribute("aria-selected", "true")


def caret(screen: Screen) -> list[int]:
    return list(screen.field.evaluate("field => [field.selectionStart, field.selectionEnd]"))


def test_each_document_is_shown_again_where_the_person_left_it(screen: Screen):
    page = screen.page
    screen.open_text(LONG, "one.txt")
    expect(page.locator(".doctabs")).to_be_hidden()
    head, tools = page.locator(".head").bounding_box(), page.locator(".tools").first.bounding_box()
    assert head is not None
    assert tools is not None
    assert tools["y"] == head["height"], "no room is kept for the row"
    screen.open_segment(3)
    screen.wait_for_proposal()
    screen.type_text("Der dritte Satz ist fertig.")
    screen.wait_until_saved()
    page.locator(".tools .search input").fill("number 3")
    page.locator(".seg [data-filter=edited]").click()
    expect(page.locator(".row")).to_have_count(0)
    screen.select("dritte")

    screen.open_text(DOCUMENT, "two.txt")
    assert names(page) == ["one.txt", "two.txt"]
    assert page.locator(".tools .search input").input_value() == "", "the search belongs to the other document"
    expect(page.locator(".row")).to_have_count(3)
    screen.open_segment(4)

    tab(page, "one.txt").click()
    expect_shown(screen, "one.txt")
    expect(page.locator(".editor .no")).to_have_text("3")
    expect(screen.field).to_be_focused()
    screen.wait_for_proposal()
    assert caret(screen) == [4, 10]
    assert page.locator(".tools .search input").input_value() == "number 3"
    expect(page.locator(".seg [data-filter=edited]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".row")).to_have_count(0)
    expect(page.locator(".banner")).to_have_count(0)  # the person knows the document

    page.keyboard.press("Alt+PageDown")
    expect_shown(screen, "two.txt")
    expect(page.locator(".editor .no")).to_have_text("4")
    expect(page.locator(".seg [data-filter=all]")).to_have_attribute("aria-pressed", "true")

    page.keyboard.press("Alt+PageUp")
    expect_shown(screen, "one.txt")
    page.locator(".tools .search input").fill("")
    page.locator(".seg [data-filter=all]").click()
    screen.open_segment(40)
    page.locator(".scroll").hover()
    page.mouse.wheel(0, -200)
    page.wait_for_timeout(200)
    place = "document.querySelector('.editor').getBoundingClientRect().top"
    before = page.evaluate(place)
    page.keyboard.press("Alt+PageDown")
    expect_shown(screen, "two.txt")
    page.keyboard.press("Alt+PageDown")
    expect_shown(screen, "one.txt")
    screen.wait_for_proposal()
    assert abs(page.evaluate(place) - before) <= 1


def test_text_typed_right_before_and_during_a_switch_is_not_lost(screen: Screen):
    page = screen.page
    screen.open_text(DOCUMENT, "one.txt")
    screen.open_text(DOCUMENT.replace("router", "printer"), "two.txt")
    screen.type_text("Vorher")
    page.keyboard.press("Alt+k")
    page.keyboard.type("An den Kunden")
    page.keyboard.press("Alt+PageUp")
    expect_shown(screen, "one.txt")
    page.keyboard.press("Alt+PageUp")
    expect_shown(screen, "two.txt")
    screen.expect_text("Vorher")
    expect(page.get_by_label("Your comment on this segment")).to_have_value("An den Kunden")

    held: list[Route] = []  # the switch takes a while, in which the person goes on typing

    def hold(route: Route) -> None:
        if "resume_session" in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route(SERVER_CALLS, hold)
    page.keyboard.press("Alt+PageUp")
    page.keyboard.type(" und weiter")
    screen.expect_text("Vorher und weiter")
    screen.eventually(lambda: held)
    held[0].continue_()
    expect_shown(screen, "one.txt")
    page.unroute(SERVER_CALLS)
    page.keyboard.press("Alt+PageUp")
    expect_shown(screen, "two.txt")
    screen.expect_text("Vorher und weiter")
    screen.wait_until_saved()


def test_quick_presses_arrive_at_the_tab_that_was_meant_and_closing_keeps_the_document(screen: Screen):
    page = screen.page
    for name in ("a.txt", "b.txt", "c.txt", "d.txt"):
        screen.open_text(DOCUMENT.replace("router", name[0]), name)
    for _ in range(2):
        page.keyboard.press("Alt+PageDown")
    expect_shown(screen, "b.txt")
    for _ in range(3):
        page.keyboard.press("Alt+PageUp")
    expect_shown(screen, "c.txt")
    page.keyboard.press("Alt+Shift+W")
    expect_shown(screen, "d.txt")
    expect(page.locator(".doctabs [role=status]")).to_have_text(
        "Tab of “c.txt” closed. The document stays in “Documents”."
    )
    page.keyboard.press("Alt+Shift+W")
    expect_shown(screen, "b.txt")
    page.locator(".doctab").filter(has_text="a.txt").locator(".x").click()
    expect(page.locator(".doctabs")).to_be_hidden()
    expect(page.locator(".docinfo .name")).to_have_text("b.txt")
    page.keyboard.press("Alt+Shift+W")  # the last document stays
    expect(page.locator(".docinfo .name")).to_have_text("b.txt")
    page.get_by_role("button", name="Documents").click()
    page.get_by_role("menuitem", name="All documents and projects").click()
    page.get_by_role("dialog").get_by_role("button", name="c.txt").first.click()
    expect_shown(screen, "c.txt")
    assert names(page) == ["b.txt", "c.txt"]


def test_tabs_work_by_keyboard_and_axe_finds_no_problem(screen: Screen):
    page = screen.page
    for name in ("a.txt", "b.txt", "c.txt"):
        screen.open_text(DOCUMENT.replace("router", name[0]), name)
    tab(page, "a.txt").focus()
    assert page.locator(".doctabs [role=tab][tabindex='0']").count() == 1
    page.keyboard.press("ArrowLeft")
    expect(tab(page, "c.txt")).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(tab(page, "b.txt")).to_be_focused()
    assert page.locator(".doctabs [role=tab][tabindex='0']").all_inner_texts() == tab(page, "b.txt").all_inner_texts()
    expect(tab(page, "c.txt")).to_have_attribute("aria-selected", "true")  # moving the focus switches nothing
    page.keyboard.press("Enter")
    expect_shown(screen, "b.txt")
    expect(screen.field).to_be_focused()
    expect(tab(page, "b.txt")).to_have_attribute("aria-controls", "pinpoint-document")
    expect(tab(page, "b.txt")).to_have_attribute("aria-label", "b.txt, 0 of 4 confirmed")
    page.keyboard.press("Shift+F6")
    expect(tab(page, "b.txt").or_(page.locator(".tools button[aria-pressed=true]")).first).to_be_visible()
    tab(page, "b.txt").focus()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert in_both_schemes(page) == []
    page.keyboard.press("End")
    page.keyboard.press("Delete")
    expect(tab(page, "c.txt")).to_have_count(0)
    expect(tab(page, "b.txt")).to_be_focused()
    page.keyboard.press("Delete")  # the document that is shown
    expect(page.locator(".doctabs")).to_be_hidden()
    expect(page.locator(".docinfo .name")).to_have_text("a.txt")
    expect(screen.field).to_be_focused()


def test_after_the_last_segment_the_same_key_goes_on_in_the_next_document_of_the_project(screen: Screen):
    page = screen.page
    for name in ("one", "two"):
        screen.open_text("The house is small.\nThe dog sleeps.\n", f"{name}.txt")
        screen.open_segment(1)
        screen.type_text("Das Haus ist klein.")
        screen.confirm()
        expect(page.locator(".editor .no")).to_have_text("2")
    tab(page, "one.txt").click()
    expect_shown(screen, "one.txt")
    screen.type_text("Der Hund schläft.")
    screen.confirm()
    notice = page.locator(".banner", has_text="The next document of the project is “two.txt”, with one open segment.")
    expect(notice).to_contain_text("Ctrl+Enter shows it.")
    page.keyboard.press("Control+Enter")
    expect_shown(screen, "two.txt")
    expect(page.locator(".editor .no")).to_have_text("2")
    expect(screen.field).to_be_focused()
    expect(tab(page, "one.txt")).to_have_attribute("data-state", "done")


def test_text_is_found_and_replaced_in_all_documents_of_the_project_and_undone_together(screen: Screen):
    page = screen.page
    for name in ("north", "south"):
        screen.open_text(DOCUMENT, f"{name}.txt")
        screen.open_segment(3)
        screen.type_text(f"Das Kennwort Xylo im {name}.")
        screen.wait_until_saved()
    screen.select("Xylo")
    page.keyboard.press("Control+h")
    dialog = page.get_by_role("dialog")
    summary = dialog.get_by_role("status")
    expect(summary).to_have_text("1 match in 1 segment.")
    dialog.get_by_text("Also in the other documents of the project").click()
    expect(summary).to_have_text("2 matches in 2 segments of 2 documents.")
    expect(dialog.get_by_role("heading", level=3)).to_have_text(["south.txt 1 segment", "north.txt 1 segment"])
    dialog.get_by_label("Replace with").first.fill("Zebra")
    expect(dialog.locator("ins")).to_have_text(["Zebra", "Zebra"])

    go = dialog.get_by_role("button", name="3 of north.txt: Go to this segment")
    go.press("Enter")
    expect_shown(screen, "north.txt")
    expect(page.locator(".editor .no")).to_have_text("3")
    screen.expect_text("Das Kennwort Xylo im north.")

    screen.wait_for_proposal()
    screen.select("Xylo")
    page.keyboard.press("Control+h")
    dialog.get_by_text("Also in the other documents of the project").click()
    dialog.get_by_label("Replace with").first.fill("Zebra")
    expect(dialog.locator("ins")).to_have_count(2)
    dialog.get_by_role("button", name="Replace all").click()
    expect(screen.notes.last).to_have_text("Replaced 2 matches in 2 segments of 2 documents.")
    screen.expect_text("Das Kennwort Zebra im north.")
    tab(page, "south.txt").click()
    expect_shown(screen, "south.txt")
    screen.expect_text("Das Kennwort Zebra im south.")
    tab(page, "north.txt").click()
    expect_shown(screen, "north.txt")
    screen.wait_for_proposal()
    page.keyboard.press("Control+z")  # also after another document was shown
    expect(screen.notes.last).to_have_text("Undone in 2 segments.")
    screen.expect_text("Das Kennwort Xylo im north.")
    page.keyboard.press("Control+y")
    screen.expect_text("Das Kennwort Zebra im north.")
    tab(page, "south.txt").click()
    expect_shown(screen, "south.txt")
    screen.expect_text("Das Kennwort Zebra im south.")


def test_many_tabs_are_scrolled_with_a_sign_and_a_list_and_show_the_work_in_each(screen: Screen):
    page = screen.page
    page.set_viewport_size({"width": 1024, "height": 768})
    for n in range(8):
        screen.open_text(f"Number {n}.\nThe end.\n", f"a long name of the document {n}.txt", waits=False)
    expect_shown(screen, "a long name of the document 7.txt")
    strip = page.locator(".doctabs .strip")
    expect(strip).to_have_class("strip before")
    for shown in (tab(page, "7.txt"), page.locator(".doctabs .menu")):
        box = shown.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1024
    screen.wait_for_proposal()
    screen.type_text("Fertig.")
    screen.confirm()
    expect(tab(page, "7.txt")).to_contain_text("50%")
    screen.type_text("Ende.")
    expect(tab(page, "7.txt")).to_have_attribute("data-state", "edited")
    button = page.get_by_role("button", name="List of open documents")
    expect(button).to_have_text("8")
    button.press("Enter")
    page.get_by_role("menuitem", name="a long name of the document 0.txt").click()
    expect_shown(screen, "a long name of the document 0.txt")
    expect(strip).to_have_class("strip after")
    # A text that the server refused or never got is a draft of the other document.
    page.evaluate(
        """() => {
            const {tabs} = Object.values(JSON.parse(localStorage.getItem('pinpoint:documents')))[0];
            localStorage.setItem(`pinpoint:draft:${tabs[1].token}:0`, JSON.stringify({text: 'Entwurf', base: null}));
        }"""
    )
    page.keyboard.press("Alt+PageUp")
    expect_shown(screen, "a long name of the document 7.txt")
    expect(tab(page, "1.txt")).to_have_attribute("data-state", "unsent")
    page.set_viewport_size(VIEWPORT)


def test_two_windows_have_the_same_tabs_and_their_own_document(screen: Screen, app: SharedApp):
    screen.open_text(DOCUMENT, "one.txt")
    screen.open_text(DOCUMENT.replace("router", "printer"), "two.txt")
    other = Screen(screen.page.context.new_page(), app.address)
    try:
        expect_shown(other, "two.txt")  # a new window shows what was opened last
        tab(other.page, "one.txt").click()
        expect_shown(other, "one.txt")
        expect_shown(screen, "two.txt")
        other.wait_for_proposal()
        other.type_text("Eins.")
        other.confirm()
        expect(tab(screen.page, "one.txt")).to_contain_text("25%")  # another person's work is shown, too
        other.page.keyboard.press("Alt+Shift+W")
        expect(other.page.locator(".docinfo .name")).to_have_text("two.txt")
        expect(screen.page.locator(".doctabs")).to_be_hidden()
        other.check_nothing_went_wrong()
    finally:
        other.page.close()


@pytest.fixture
def own_app(browser: Browser, model_folder: Path, tmp_path: Path) -> Iterator[ForkedApp]:
    """An app that a test stops."""
    app = ForkedApp(model_folder, tmp_path / "own.sqlite")
    yield app
    app.kill()


def test_tabs_and_the_last_document_are_there_after_a_reload_and_at_the_next_start(
    own_app: ForkedApp, tabs: BrowserContext, model_folder: Path
):
    screen = Screen(tabs.new_page(), own_app.address)
    expect(screen.page.locator(".docinfo .name")).to_have_text("getting-started.txt")
    screen.open_text(DOCUMENT, "one.txt")
    expect(screen.page.locator(".doctabs")).to_be_hidden()  # nobody has worked in the sample
    screen.open_text(DOCUMENT.replace("router", "printer"), "two.txt")
    screen.open_text(DOCUMENT.replace("router", "camera"), "three.txt")
    screen.page.keyboard.press("Alt+PageUp")
    expect_shown(screen, "two.txt")
    screen.open_segment(3)
    screen.page.reload()
    expect_shown(screen, "two.txt")
    expect(screen.page.locator(".editor .no")).to_have_text("3")
    assert names(screen.page) == ["one.txt", "two.txt", "three.txt"]
    screen.page.close()
    own_app.stop()

    again = ForkedApp(model_folder, own_app.log, "--port", own_app.url.rpartition(":")[2])
    try:
        later = Screen(tabs.new_page(), again.address)
        expect_shown(later, "two.txt")
        assert names(later.page) == ["one.txt", "two.txt", "three.txt"]
        expect(later.page.locator(".banner")).to_have_count(0)  # there is nothing to offer: the tabs are there
        later.check_nothing_went_wrong()
        later.page.close()
    finally:
        again.stop()


def test_deleted_document_has_no_tab_and_nothing_is_clipped_in_german(browser: Browser, app: SharedApp):
    context = browser.new_context(locale="de-DE", viewport={"width": 1024, "height": 768})
    context.set_default_timeout(60_000)
    try:
        screen = Screen(context.new_page(), app.address)
        page = screen.page
        screen.open_text(DOCUMENT, "eins.txt")
        screen.open_text(DOCUMENT.replace("router", "printer"), "zwei.txt")
        expect(page.get_by_role("tablist", name="Offene Dokumente")).to_be_visible()
        clipped = """row => [...row.querySelectorAll(':not(.sr)')]
            .filter(part => part.clientWidth && part.scrollWidth > part.clientWidth + 1).map(part => part.className)"""
        assert page.locator(".doctabs").evaluate(clipped) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 1024
        page.keyboard.press("Alt+o")
        dialog = page.get_by_role("dialog")
        row = dialog.get_by_role("row").filter(has_text="eins.txt").first
        row.get_by_role("button", name="Löschen").click()
        page.get_by_role("alertdialog").get_by_role("button", name="Löschen").click()
        page.keyboard.press("Escape")
        expect(page.locator(".doctabs")).to_be_hidden()
        screen.check_nothing_went_wrong()
    finally:
        context.close()
