"""The completion in grey: requested by key, accepted whole or by word, dismissed by typing."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from tests.e2e.screen import DOCUMENT, Screen, events


def ghost(screen: Screen) -> str:
    return str(screen.page.locator(".field .ghost").text_content())


def caret(screen: Screen) -> int:
    return int(screen.field.evaluate("area => area.selectionStart"))


def ask(screen: Screen) -> str:
    screen.page.keyboard.press("Alt+c")
    screen.eventually(lambda: ghost(screen) != "")
    return ghost(screen)


def test_completion_is_accepted_by_word_or_whole_and_logged(screen: Screen, tmp_path):
    screen.open_text(DOCUMENT)
    screen.type_text("settings ")
    offered = ask(screen)
    expect(screen.field).to_have_value("settings ")
    assert caret(screen) == len("settings ")
    first = offered.split()[0]
    screen.page.keyboard.press("Control+ArrowRight")
    expect(screen.field).to_have_value(f"settings {first}")
    assert ghost(screen) == offered[len(first) :]
    screen.page.keyboard.press("Tab")
    expect(screen.field).to_have_value(f"settings {offered}")
    expect(screen.field).to_be_focused()
    assert ghost(screen) == "" and caret(screen) == len(f"settings {offered}")
    screen.page.keyboard.press("Control+z")
    expect(screen.field).to_have_value(f"settings {first}")
    screen.wait_until_saved()
    log = events(screen.download("Session log as JSONL", tmp_path))
    (shown,) = [e["payload"] for e in log if e["type"] == "completion"]
    assert (shown["text"], shown["completion"], shown["status"]) == ("settings ", offered, "complete")
    taken = [e["payload"]["text"] for e in log if e["payload"].get("origin") == "completion"]
    assert taken == [first, offered[len(first) :]]


def test_escape_and_typing_dismiss_the_completion_and_free_its_keys(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.type_text("settings ")
    ask(screen)
    screen.page.keyboard.press("Escape")
    assert ghost(screen) == ""
    expect(screen.field).to_be_focused()
    ask(screen)
    screen.page.keyboard.type("x")
    assert ghost(screen) == ""
    expect(screen.field).to_have_value("settings x")
    screen.page.keyboard.press("Home")
    screen.page.keyboard.press("Alt+c")
    expect(screen.notes.last).to_contain_text("added at the end")
    screen.page.keyboard.press("Control+ArrowRight")
    assert 0 < caret(screen) < len("settings x")
    screen.page.keyboard.press("Tab")
    expect(screen.field).not_to_be_focused()


def test_completion_contains_the_pinned_phrase_and_a_late_reply_is_dropped(screen: Screen):
    screen.open_text(DOCUMENT)
    screen.page.get_by_label("Pin a phrase that is not in the proposal").fill("router")
    screen.page.keyboard.press("Enter")
    screen.wait_for_pin("router")
    screen.type_text("settings ")
    assert "router" in ask(screen)
    screen.page.keyboard.press("Escape")
    held: list[Route] = []
    holds = True

    def hold(route: Route) -> None:
        held.append(route) if holds else route.continue_()

    screen.page.route("**/component_server**", hold)
    screen.page.keyboard.press("Alt+c")
    screen.eventually(lambda: held)
    screen.page.keyboard.type("the")
    holds = False  # from here on nothing waits, however late it is sent
    for route in held:
        route.continue_()
    screen.page.unroute("**/component_server**")
    screen.wait_until_saved()
    assert ghost(screen) == ""
    expect(screen.field).to_have_value("settings the")
