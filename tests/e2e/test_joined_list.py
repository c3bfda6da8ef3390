"""All documents of a project as one list: work across their borders, keyboard, search, and two windows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.e2e.conftest import SharedApp, new_context, serve_random_model
from tests.e2e.screen import DOCUMENT, SERVER_CALLS, Screen
from tests.e2e.test_accessibility import AXE, in_both_schemes

SHORT = "The house is small.\nThe dog sleeps.\n"


@pytest.fixture
def own(browser: Browser, model_folder: Path, tmp_path: Path) -> Iterator[SharedApp]:
    """An app whose project has only the sample and what the test opens."""
    with serve_random_model(model_folder, tmp_path) as app:
        yield app


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = new_context(browser)
    yield context.new_page()
    context.close()


def opened(page: Page, app: SharedApp, **texts: str) -> Screen:
    """The page with these documents; the last one is shown. The sample is left out of the joined list."""
    screen = Screen(page, app.address)
    for name, text in texts.items():
        screen.open_text(text, f"{name}.txt")
    screen.field.focus()
    page.keyboard.press("Alt+Shift+O")
    expect(headings(page)).to_have_count(len(texts) + 1)
    page.get_by_role("button", name="Choose documents").click()
    page.get_by_role("menuitemcheckbox", name="getting-started.txt").click()
    expect(headings(page)).to_have_count(len(texts))
    expect(page.locator(".scroll .coming")).to_have_count(0)
    return screen


def headings(page: Page) -> Locator:
    return page.locator(".dochead")


def section(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name)


def expect_open(screen: Screen, name: str, number: int) -> None:
    expect(screen.page.locator(".docinfo .name")).to_have_text(f"{name}.txt")
    expect(section(screen.page, name).locator(".editor .no")).to_have_text(str(number))
    expect(screen.field).to_be_focused()


def test_the_heading_does_not_cover_the_segment_that_is_open(own: SharedApp, page: Page):
    screen = Screen(page, own.address)
    screen.open_text(DOCUMENT, "one.txt")
    screen.field.focus()
    page.keyboard.press("Alt+Shift+O")
    expect(headings(page)).to_have_count(2)
    heading, editor = section(page, "one").locator(".dochead").bounding_box(), page.locator(".editor").bounding_box()
    assert heading is not None
    assert editor is not None
    assert editor["y"] >= heading["y"] + heading["height"] - 1
    page.keyboard.press("Alt+Shift+O")
    expect(headings(page)).to_have_count(0)
    screen.check_nothing_went_wrong()


def test_a_translator_types_and_confirms_across_two_documents_as_in_one(own: SharedApp, page: Page):
    screen = opened(page, own, one=SHORT, two=SHORT.replace("small", "old"))
    expect(page.locator(".doctabs")).to_be_hidden()
    expect(page.locator(".joinedbar .n")).to_have_text("2 documents · 0 of 4 segments confirmed")
    section(page, "one").get_by_role("button", name="The dog sleeps.").click()
    expect_open(screen, "one", 2)
    page.keyboard.press("Alt+ArrowUp")
    expect_open(screen, "one", 1)
    screen.type_text("Das Haus ist klein.")
    page.keyboard.press("Control+Enter")
    expect_open(screen, "one", 2)
    screen.type_text("Der Hund schläft.")
    page.keyboard.press("Control+Enter")
    expect_open(screen, "two", 1)  # the next document, at once
    expect(page.locator(".joinedbar [role=status]")).to_have_text("two.txt: 0 of 2 confirmed")  # for screen readers
    expect(headings(page).first).to_contain_text("2 of 2 confirmed")
    screen.type_text("Das Haus ist alt.")
    page.keyboard.press("Alt+ArrowUp")  # a text that is only typed goes on living across the border
    expect_open(screen, "one", 2)
    screen.expect_text("Der Hund schläft.")
    expect(section(page, "two").locator(".row").first).to_contain_text("Das Haus ist alt.")
    page.keyboard.press("Alt+ArrowDown")
    expect_open(screen, "two", 1)
    screen.expect_text("Das Haus ist alt.")
    page.keyboard.press("Control+Enter")
    expect_open(screen, "two", 2)
    screen.type_text("Der Hund ruht.")
    page.keyboard.press("Control+Enter")
    expect(screen.notes.last).to_have_text("All segments of the documents in the list are confirmed.")
    expect(page.locator(".joinedbar .n")).to_have_text("2 documents · 4 of 4 segments confirmed")

    section(page, "one").get_by_role("button", name="The house is small.").click()
    expect_open(screen, "one", 1)
    screen.wait_for_proposal()
    page.keyboard.press("Control+z")  # the steps of that document, as in its tab
    expect(section(page, "one").locator(".editor .no")).to_have_text("2")
    expect(headings(page).first).to_contain_text("1 of 2 confirmed")
    expect(headings(page).last).to_contain_text("2 of 2 confirmed")

    page.reload()
    expect_open(screen, "one", 2)
    expect(headings(page)).to_have_count(2)
    expect(section(page, "two").locator(".row")).to_have_count(2)
    page.keyboard.press("Alt+Shift+O")
    expect(headings(page)).to_have_count(0)
    expect(page.locator(".doctabs")).to_be_visible()
    expect(page.locator(".row")).to_have_count(1)
    screen.check_nothing_went_wrong()


def test_what_is_typed_while_the_next_document_comes_is_written_there(own: SharedApp, page: Page):
    screen = opened(page, own, one="The dog sleeps.\n", two="The house is small.\n")
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        if "resume_session" in (route.request.post_data or ""):
            waiting.append(route)
        else:
            route.continue_()

    page.route(SERVER_CALLS, hold)
    page.keyboard.press("Alt+ArrowUp")  # a slow connection: the other document has not come yet
    page.keyboard.type("Hund")
    screen.eventually(lambda: len(waiting) == 1)
    page.keyboard.type("e")
    before = screen.text()
    assert "Hund" not in before
    waiting[0].continue_()
    expect_open(screen, "one", 1)
    screen.eventually(lambda: "Hunde" in screen.text())
    screen.wait_until_saved()
    expect(section(page, "two").locator(".row")).to_contain_text(before)
    page.keyboard.type("!")  # the caret is behind it
    screen.eventually(lambda: "Hunde!" in screen.text())

    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.type("Haus")
    screen.eventually(lambda: len(waiting) == 2)
    screen.eventually(lambda: "Haus" in screen.text())  # no answer for long: the text is where the person sees it
    expect_open(screen, "one", 1)
    waiting[1].continue_()
    expect_open(screen, "two", 1)
    screen.check_nothing_went_wrong()


def test_a_confirmation_pressed_while_the_next_document_comes_is_about_that_document(own: SharedApp, page: Page):
    screen = opened(page, own, one="The dog sleeps.\n", two="The house is small.\n")
    screen.wait_for_proposal()
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        if "resume_session" in (route.request.post_data or "") and not waiting:
            waiting.append(route)
        else:
            route.continue_()

    screen.type_text("Das Haus ist klein.")
    page.keyboard.press("Alt+ArrowUp")
    expect_open(screen, "one", 1)
    screen.type_text("Der Hund schläft.")
    page.keyboard.press("Alt+ArrowDown")
    expect_open(screen, "two", 1)
    page.route(SERVER_CALLS, hold)
    page.keyboard.press("Alt+ArrowUp")  # a slow connection: the other document has not come yet
    page.keyboard.press("Control+Enter")
    screen.eventually(lambda: len(waiting) == 1)
    waiting[0].continue_()
    expect(headings(page).first).to_contain_text("1 of 1 confirmed")
    expect(headings(page).last).to_contain_text("0 of 1 confirmed")
    expect_open(screen, "two", 1)
    screen.expect_text("Das Haus ist klein.")
    expect(section(page, "one").locator(".row")).to_contain_text("Der Hund schläft.")
    screen.check_nothing_went_wrong()


def test_a_replacement_in_all_documents_shows_at_once_in_each_and_so_does_its_undo(own: SharedApp, page: Page):
    screen = opened(page, own, one=SHORT, two=SHORT)
    screen.type_text("Das Haus ist alt.")
    page.keyboard.press("Alt+PageUp")
    expect_open(screen, "one", 1)
    screen.type_text("Das Haus.")
    page.keyboard.press("Control+h")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Find", exact=True).fill("Haus")
    dialog.get_by_label("Replace with").fill("Heim")
    dialog.get_by_label("Also in the other documents of the project").check()
    expect(dialog.get_by_role("status")).to_have_text("2 matches in 2 segments of 2 documents.")
    dialog.get_by_role("button", name="Replace all").click()
    other = section(page, "two").locator(".row").first
    expect(other).to_contain_text("Das Heim ist alt.", timeout=8000)
    screen.expect_text("Das Heim.")
    page.keyboard.press("Control+z")
    expect(other).to_contain_text("Das Haus ist alt.", timeout=8000)
    screen.expect_text("Das Haus.")
    screen.check_nothing_went_wrong()


def test_filter_and_search_are_about_all_documents_and_stay_at_the_border(own: SharedApp, page: Page):
    screen = opened(page, own, one=DOCUMENT, two=DOCUMENT.replace("router", "printer"), three=SHORT)
    screen.type_text("Das Haus ist klein.")
    screen.wait_until_saved()
    section(page, "one").locator(".row").first.click()
    expect_open(screen, "one", 1)
    expect(page.locator("[data-filter=all] .n")).to_have_text("10")
    expect(page.locator("[data-filter=edited] .n")).to_have_text("1")
    search = page.locator(".tools .search input")
    search.fill("network")
    expect(page.locator(".found")).to_have_text("4 found")
    expect(section(page, "three")).to_be_hidden()
    places = []
    for _ in range(5):
        places.append(f"{page.locator('.docinfo .name').inner_text()} {page.locator('.editor .no').inner_text()}")
        search.press("Enter")
        screen.eventually(
            lambda before=places[-1]: (
                before  # type: ignore[misc]
                != f"{page.locator('.docinfo .name').inner_text()} {page.locator('.editor .no').inner_text()}"
            )
        )
        expect(search).to_be_focused()
    assert [place.replace("\n", "") for place in places] == [
        "one.txt 1",
        "one.txt 3",
        "two.txt 1",
        "two.txt 3",
        "one.txt 1",
    ]
    search.press("Escape")
    page.locator("[data-filter=edited]").click()
    expect(section(page, "three").locator(".row")).to_have_count(1)
    expect(section(page, "two")).to_be_hidden()
    section(page, "three").locator(".row").click()
    expect_open(screen, "three", 1)
    expect(page.locator("[data-filter=edited]")).to_have_attribute("aria-pressed", "true")
    expect(section(page, "one")).to_be_hidden()
    screen.check_nothing_went_wrong()


def test_rows_of_all_documents_are_reached_by_arrow_keys_and_axe_finds_no_problem(own: SharedApp, page: Page):
    screen = opened(page, own, one=SHORT, two=SHORT, three=SHORT)
    page.keyboard.press("Alt+PageUp")
    expect_open(screen, "two", 1)
    expect(page.locator(".row[tabindex='0']")).to_have_count(1)
    section(page, "one").locator(".row").last.focus()
    page.keyboard.press("ArrowUp")
    expect(section(page, "one").locator(".row").first).to_be_focused()
    page.keyboard.press("End")
    expect(section(page, "three").locator(".row").last).to_be_focused()
    expect(page.locator(".row[tabindex='0']")).to_have_count(1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(section(page, "two").locator(".row").last).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(screen.field).to_be_focused()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert in_both_schemes(page) == []
    screen.check_nothing_went_wrong()


def test_work_in_another_window_shows_and_the_editor_does_not_move(own: SharedApp, page: Page):
    screen = opened(page, own, one=SHORT, two=SHORT.replace("small", "old"))
    other = Screen(page.context.new_page(), own.address)
    expect(section(other.page, "two").locator(".editor")).to_be_visible()  # the browser remembers the list
    section(other.page, "one").locator(".row").first.click()
    expect_open(other, "one", 1)
    top = screen.page.locator(".editor").bounding_box()
    other.type_text("Ein kleines Haus.")
    other.page.keyboard.press("Control+Enter")
    row = section(page, "one").locator(".row").first
    expect(row).to_contain_text("Ein kleines Haus.")
    expect(row).to_have_attribute("data-state", "confirmed")
    expect(headings(page).first).to_contain_text("1 of 2 confirmed")
    assert screen.page.locator(".editor").bounding_box() == top
    screen.open_text(SHORT, "three.txt")
    expect(section(other.page, "three").locator(".row")).to_have_count(2)  # a new document of the project
    screen.check_nothing_went_wrong()
    other.check_nothing_went_wrong()


def test_a_project_with_one_document_says_so_and_nothing_is_clipped_in_german(browser: Browser, own: SharedApp):
    context = browser.new_context(locale="de-DE", viewport={"width": 1024, "height": 768})
    context.set_default_timeout(60_000)
    try:
        screen = Screen(context.new_page(), own.address)
        page = screen.page
        screen.field.focus()
        page.get_by_role("button", name="Dokumente").click()
        page.get_by_role("menuitem", name="Dokumente des Projekts als eine Liste").click()
        expect(page.get_by_text("Das Projekt hat kein anderes Dokument in diesen Sprachen.")).to_be_attached()
        clipped = """row => [...row.querySelectorAll(':not(.sr)')]
            .filter(part => part.clientWidth && part.scrollWidth > part.clientWidth + 1).map(part => part.className)"""
        assert page.locator(".joinedbar").evaluate(clipped) == []
        assert page.locator(".dochead").evaluate(clipped) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 1024
        page.get_by_role("button", name="Nur dieses Dokument").click()
        expect(page.locator(".joinedbar")).to_be_hidden()
        expect(screen.field).to_be_focused()
        screen.check_nothing_went_wrong()
    finally:
        context.close()


def test_a_document_that_is_deleted_leaves_the_list(own: SharedApp, page: Page):
    screen = opened(page, own, one=SHORT, two=SHORT)
    screen.page.keyboard.press("Alt+o")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("row").filter(has_text="one.txt").first.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    page.keyboard.press("Escape")
    expect(headings(page)).to_have_count(1)
    screen.check_nothing_went_wrong()
