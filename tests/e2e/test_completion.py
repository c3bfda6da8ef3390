"""The completion in grey: comes by key, is taken by word or whole, dismissed by Escape and by other letters.

The random model is certain of nothing, so that nothing is worth showing; `test_scripts.py` has a model that is certain.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.e2e.screen import DOCUMENT, SERVER_CALLS, Screen, events


def ghost(screen: Screen) -> str:
    return str(screen.page.locator(".field .ghost").text_content())


def caret(screen: Screen) -> int:
    return int(screen.field.evaluate("area => area.selectionStart"))


def offered(screen: Screen, typed: str) -> str:
    """Types a text, asks for its completion and waits for it."""
    screen.type_text(typed)
    screen.page.keyboard.press("Alt+c")
    screen.eventually(lambda: ghost(screen) != "")
    return ghost(screen)


def count_completions(screen: Screen) -> Callable[[], int]:
    """Counts the page's questions for completions from now on."""
    asked: list[str] = []
    screen.page.on("request", lambda r: asked.append(r.url) if '"completion"' in (r.post_data or "") else None)
    return lambda: len(asked)


def test_completion_stays_while_it_is_typed_and_is_taken_by_word_or_whole(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    shown = offered(screen, "settings ")
    screen.expect_text("settings ")
    assert caret(screen) == len("settings ")
    first = shown.split()[0]
    # What is typed as offered is kept without another question.
    num_asked = count_completions(screen)
    screen.page.keyboard.type(shown[:2])
    screen.expect_text("settings " + shown[:2])
    assert (ghost(screen), num_asked()) == (shown[2:], 0)
    screen.page.keyboard.press("Tab")
    screen.expect_text(f"settings {first}")
    expect(screen.field).to_be_focused()
    screen.page.keyboard.press("Control+z")
    screen.expect_text("settings " + shown[:2])
    screen.page.keyboard.press("Control+Shift+z")
    screen.page.keyboard.press("Alt+c")
    screen.eventually(lambda: ghost(screen) != "")
    rest = ghost(screen)
    screen.page.keyboard.press("End")
    screen.expect_text(f"settings {first}{rest}")
    assert caret(screen) == len(f"settings {first}{rest}")
    screen.wait_until_saved()
    log = events(screen.download("Session log as JSONL", tmp_path))
    offers = [e["payload"]["text"] + e["payload"]["completion"] for e in log if e["type"] == "completion"]
    assert {f"settings {shown}", f"settings {first}{rest}"} <= set(offers)
    taken = [e["payload"]["text"] for e in log if e["payload"].get("origin") == "completion"]
    assert taken[0] == first[2:] and rest in taken


def test_escape_and_other_letters_dismiss_the_completion_and_free_its_keys(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.keyboard.press("Alt+Shift+c")
    expect(screen.notes.last).to_contain_text("Completion while typing is off")
    num_asked = count_completions(screen)
    screen.type_text("settings ")
    screen.wait_until_saved()
    assert (ghost(screen), num_asked()) == ("", 0), "only by key now"
    screen.page.keyboard.press("Alt+c")
    screen.eventually(lambda: ghost(screen) != "")
    expect(screen.page.locator(".hint")).to_have_text("Tab word End all Esc none")
    screen.page.keyboard.press("Escape")
    assert ghost(screen) == ""
    expect(screen.field).to_be_focused()
    screen.page.keyboard.press("Alt+c")
    screen.eventually(lambda: ghost(screen) != "")
    screen.page.keyboard.type("#")
    assert ghost(screen) == ""
    screen.expect_text("settings #")
    screen.page.keyboard.press("Home")
    screen.page.keyboard.press("Control+ArrowRight")
    screen.eventually(lambda: 0 < caret(screen) < len("settings #"))
    screen.page.keyboard.press("Tab")
    expect(screen.field).not_to_be_focused()
    screen.page.keyboard.press("Alt+Shift+c")
    expect(screen.notes.last).to_contain_text("Completion while typing is on")


def test_text_behind_the_caret_turns_grey_and_comes_back_by_word(screen: Screen):
    screen.open_text(DOCUMENT)
    text = screen.text()
    assert len(text.split()) > 2
    first, rest = text.split(" ", 1)
    screen.field.click()
    screen.page.keyboard.press("Control+Home")
    screen.page.keyboard.press("Alt+c")
    screen.expect_text("")
    assert ghost(screen) == text
    screen.page.keyboard.press("Tab")
    screen.expect_text(first)
    assert ghost(screen) == " " + rest
    screen.page.keyboard.press("Control+z")
    screen.page.keyboard.press("Control+z")
    screen.expect_text(text)
    assert ghost(screen) == ""


def test_completion_contains_the_pinned_phrase_and_a_late_reply_is_dropped(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.get_by_label("Words to pin or ban").fill("router")
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin("router")
    screen.type_text("settings ")
    taken = 0
    while "router" not in screen.text() and taken < 60:  # more words than the model ever writes
        screen.page.keyboard.press("Alt+c")
        screen.eventually(lambda: ghost(screen) != "")
        screen.page.keyboard.press("End")
        taken += 1
    assert "router" in screen.text()
    held: list[Route] = []
    holds = True

    def hold(route: Route) -> None:
        held.append(route) if holds else route.continue_()

    screen.page.route("**/component_server**", hold)
    screen.type_text("settings ")
    screen.eventually(lambda: held)
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("Home")
    screen.page.keyboard.type("the ")
    holds = False  # from here on nothing waits, however late it is sent
    for route in held:
        route.continue_()
    screen.page.unroute("**/component_server**")
    screen.wait_until_saved()
    assert ghost(screen) == ""
    screen.expect_text("the settings ")


def test_page_without_connection_asks_for_no_completions(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.route(SERVER_CALLS, lambda route: route.abort())
    screen.type_text("Ohne")
    expect(screen.page.locator(".status [data-kind]")).to_have_attribute("data-kind", "bad")
    num_asked = count_completions(screen)
    screen.page.keyboard.type(" Netz")
    assert num_asked() == 0
    screen.page.unroute(SERVER_CALLS)
    screen.wait_until_saved()
    screen.page.keyboard.type(" und mit")
    screen.eventually(lambda: num_asked() > 0)


def test_completion_that_an_older_question_overtook_is_asked_for_a_few_times(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.keyboard.press("Alt+Shift+c")
    expect(screen.notes.last).to_contain_text("Completion while typing is off")
    screen.type_text("settings ")
    assert ghost(screen) == ""
    num_overtaken = 1
    asked = count_completions(screen)

    def overtake(route: Route) -> None:
        if '"completion"' in (route.request.post_data or "") and asked() <= num_overtaken:
            route.fulfill(json={"ok": True, "is_overtaken": True})
        else:
            route.continue_()

    screen.page.route("**/component_server**", overtake)
    screen.page.keyboard.press("Alt+c")
    screen.eventually(lambda: ghost(screen) != "")
    assert asked() == 2
    screen.page.keyboard.press("Escape")
    num_overtaken = 100  # as by another window with the same document
    screen.page.keyboard.press("Alt+c")
    screen.eventually(lambda: asked() == 6)
    screen.page.wait_for_timeout(300)
    assert (ghost(screen), asked()) == ("", 6)
    screen.page.unroute("**/component_server**")
    screen.page.keyboard.press("Alt+Shift+c")
