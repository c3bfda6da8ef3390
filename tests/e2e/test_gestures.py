"""Gestures in the proposal that give a pin its place: typing over words, dragging, moving."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from engine import Follow, Request
from tests.app.hand_decoder import HandDecoder, translation
from tests.e2e.conftest import HandApp
from tests.e2e.screen import Screen

SOURCE = "The old server starts when the light turns green."
PROPOSAL = "Der alte Server startet, wenn das Licht grün wird."


@pytest.fixture
def decoder(hand_app: HandApp) -> HandDecoder:
    return hand_app.decoder


@pytest.fixture
def screen(hand_app: HandApp) -> Iterator[Screen]:
    screen = hand_app.open(SOURCE + "\n")
    screen.eventually(lambda: answered(screen, hand_app.decoder, PROPOSAL))
    yield screen
    screen.leave()
    screen.check_nothing_went_wrong()


def answered(screen: Screen, decoder: HandDecoder, text: str) -> bool:
    """Answers all requests with a text; True once it is the proposal."""
    for _, request, _, future in decoder.requests:
        if not future.done():
            future.set_result(translation(request, text))
    return screen.proposal_text() == text and screen.proposal.get_attribute("aria-busy") == "false"


def newest(screen: Screen, decoder: HandDecoder, *pins: str) -> Request:
    """Waits until the newest request has these pins, and returns it."""
    found: list[Request] = []

    def is_there() -> bool:
        found[:] = [request for key, request, _, _ in decoder.requests if key == f"{screen.token()}/0"][-1:]
        return any(sorted(phrase.text for phrase in request.phrases) == sorted(pins) for request in found)

    screen.eventually(is_there)
    return found[0]


def word(screen: Screen, text: str) -> Locator:
    return screen.words.filter(has_text=text).first


def centre(place: Locator, share: float = 0.5) -> tuple[float, float]:
    box = place.bounding_box()
    assert box
    return box["x"] + share * box["width"], box["y"] + box["height"] / 2


def drag(screen: Screen, start: tuple[float, float], *ways: tuple[float, float]) -> None:
    mouse = screen.page.mouse
    mouse.move(*start)
    mouse.down()
    for way in ways:
        mouse.move(*way, steps=4)
    mouse.up()


def places(screen: Screen) -> list[dict[str, float] | None]:
    """The places of the elements that must not move."""
    names = (".hyp", "#pinpoint-edit", ".nbest", ".actions", ".ledger")
    return [screen.page.locator(name).first.bounding_box() for name in names]


@pytest.mark.parametrize("way", ["letter", "enter", "double click"])
def test_phrase_typed_over_a_word_is_required_in_its_place(screen: Screen, decoder: HandDecoder, way: str):
    keyboard, overtype = screen.page.keyboard, screen.page.locator(".overtype")
    before = places(screen)
    if way == "double click":
        screen.page.mouse.dblclick(*centre(word(screen, "Server"), 0.1))
    else:
        screen.field.focus()
        keyboard.press("Control+ArrowUp")
        keyboard.press("ArrowRight")
        keyboard.press("ArrowRight")
        keyboard.press("R" if way == "letter" else "Enter")
    expect(overtype).to_be_focused()
    expect(overtype).to_have_value("R" if way == "letter" else "Server")
    assert places(screen) == before
    keyboard.type("echner" if way == "letter" else "Rechner")
    keyboard.press("Enter")
    expect(overtype).to_be_hidden()
    near = PROPOSAL.replace("Server", "Rechner")
    assert screen.proposal_text() == near, "shown at once"
    expect(screen.page.locator(".hyp .pin")).to_have_text("pinned: Rechner")
    expect(word(screen, "Rechner")).to_be_focused()
    assert newest(screen, decoder, "Rechner").follow == Follow(near)
    screen.eventually(lambda: answered(screen, decoder, near))
    expect(word(screen, "Rechner")).to_be_focused()
    keyboard.press("Control+z")
    assert newest(screen, decoder).follow is None, "one step takes all of it back"
    screen.eventually(lambda: answered(screen, decoder, PROPOSAL))
    assert screen.pins() == []
    expect(screen.page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()


def test_escape_or_another_place_gives_up_the_typed_phrase(screen: Screen, decoder: HandDecoder):
    keyboard, overtype = screen.page.keyboard, screen.page.locator(".overtype")
    num_requests = len(decoder.requests)
    screen.field.focus()
    keyboard.press("Control+ArrowUp")
    keyboard.type("Eine")
    keyboard.press("Escape")
    expect(overtype).to_be_hidden()
    expect(screen.words.first).to_be_focused()
    keyboard.press("F2")
    expect(overtype).to_have_value("Der")
    keyboard.press("Delete")
    keyboard.press("Enter")
    expect(overtype).to_be_hidden()
    keyboard.press("x")
    screen.field.click()
    expect(overtype).to_be_hidden()
    expect(screen.field).to_be_focused()
    assert screen.proposal_text() == PROPOSAL
    assert len(decoder.requests) == num_requests


def test_double_click_given_up_leaves_no_pin_and_no_step(screen: Screen, decoder: HandDecoder):
    word(screen, "Licht").dblclick()
    expect(screen.page.locator(".overtype")).to_have_value("Licht")
    screen.page.keyboard.press("Escape")
    # The request for the pin of the first click may still be on its way.
    screen.eventually(lambda: answered(screen, decoder, PROPOSAL) and screen.pins() == [])
    newest(screen, decoder)
    expect(screen.page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()


def test_phrase_typed_over_several_words_and_part_of_a_pin(screen: Screen, decoder: HandDecoder):
    keyboard = screen.page.keyboard
    drag(screen, centre(word(screen, "das")), centre(word(screen, "Licht")))
    newest(screen, decoder, "das Licht")
    screen.eventually(lambda: answered(screen, decoder, PROPOSAL))
    word(screen, "Licht").focus()
    keyboard.press("Shift+ArrowRight")
    keyboard.type("Lämpchen grünlich")
    keyboard.press("Enter")
    near = PROPOSAL.replace("Licht grün", "Lämpchen grünlich")
    assert newest(screen, decoder, "das Lämpchen grünlich").follow == Follow(near)
    screen.eventually(lambda: answered(screen, decoder, near))
    assert screen.pins() == ["das Lämpchen grünlich"]


def test_two_clicks_with_shift_make_one_phrase(screen: Screen, decoder: HandDecoder):
    word(screen, "alte").click()
    newest(screen, decoder, "alte")
    screen.eventually(lambda: answered(screen, decoder, PROPOSAL))
    word(screen, "startet").click(modifiers=["Shift"])
    newest(screen, decoder, "alte Server startet")
    screen.eventually(lambda: answered(screen, decoder, PROPOSAL))
    expect(screen.page.locator(".hyp .pin")).to_have_count(1)
    # From a free word over a pin that is there already.
    word(screen, "Licht").click()
    newest(screen, decoder, "alte Server startet", "Licht")
    screen.eventually(lambda: answered(screen, decoder, PROPOSAL))
    word(screen, "Der").click(modifiers=["Shift"])
    newest(screen, decoder, "Der alte Server startet, wenn das Licht")
    screen.eventually(lambda: answered(screen, decoder, PROPOSAL))
    assert screen.pins() == ["Der alte Server startet, wenn das Licht"]


def test_drag_released_under_or_above_the_line_pins_the_marked_words(screen: Screen, decoder: HandDecoder):
    x, y = centre(word(screen, "Server"))
    drag(screen, centre(word(screen, "Der")), (x, y), (x, y + 45))
    newest(screen, decoder, "Der alte Server")
    screen.eventually(lambda: answered(screen, decoder, PROPOSAL))
    x, y = centre(word(screen, "Licht"))
    drag(screen, centre(word(screen, "das")), (x, y), (x, y - 30))
    newest(screen, decoder, "Der alte Server", "das Licht")
    # A press that leaves its word without marking another does nothing.
    num_requests = len(decoder.requests)
    x, y = centre(word(screen, "grün"))
    drag(screen, (x, y), (x, y + 45))
    assert len(screen.pins()) == 2
    assert len(decoder.requests) == num_requests


def test_pin_is_dragged_to_another_place(screen: Screen, decoder: HandDecoder):
    drag(screen, centre(word(screen, "das")), centre(word(screen, "Licht")))
    newest(screen, decoder, "das Licht")
    screen.eventually(lambda: answered(screen, decoder, PROPOSAL))
    start = centre(word(screen, "Licht"))
    target = centre(word(screen, "wird"), 0.8)
    mouse = screen.page.mouse
    mouse.move(*start)
    mouse.down()
    mouse.move(*target, steps=4)
    expect(screen.page.locator(".dropmark")).to_be_visible()
    screen.page.keyboard.press("Escape")
    expect(screen.page.locator(".dropmark")).to_be_hidden()
    mouse.up()
    assert screen.proposal_text() == PROPOSAL
    drag(screen, start, (target[0], target[1] + 400))
    assert screen.proposal_text() == PROPOSAL, "dropped far away"
    drag(screen, start, target)
    moved = "Der alte Server startet, wenn grün wird das Licht."
    assert screen.proposal_text() == moved, "shown at once"
    assert screen.pins() == ["das Licht"]
    screen.eventually(lambda: newest(screen, decoder, "das Licht").follow == Follow(moved))
    screen.eventually(lambda: answered(screen, decoder, moved))
    screen.page.keyboard.press("Control+z")
    screen.eventually(lambda: newest(screen, decoder, "das Licht").follow == Follow(PROPOSAL))


def test_pin_is_moved_by_keys_and_keeps_the_focus(screen: Screen, decoder: HandDecoder):
    keyboard = screen.page.keyboard
    word(screen, "alte").focus()
    keyboard.press("Alt+Shift+ArrowRight")
    assert screen.proposal_text() == PROPOSAL, "a word without a pin stays"
    keyboard.press("Space")
    newest(screen, decoder, "alte")
    keyboard.press("Alt+Shift+ArrowRight")
    keyboard.press("Alt+Shift+ArrowRight")
    moved = PROPOSAL.replace("alte Server startet", "Server startet alte")
    assert screen.proposal_text() == moved
    expect(word(screen, "alte")).to_be_focused()
    screen.eventually(lambda: newest(screen, decoder, "alte").follow == Follow(moved))
    answer = "Wenn das Licht grün wird, startet der alte Server."
    screen.eventually(lambda: answered(screen, decoder, answer))
    expect(word(screen, "alte")).to_be_focused()
    keyboard.press("Alt+Shift+ArrowLeft")
    assert screen.proposal_text() == "Wenn das Licht grün wird, startet alte der Server."


def test_selected_text_stays_selected_as_a_whole_when_a_longer_proposal_arrives(screen: Screen, decoder: HandDecoder):
    word(screen, "Server").click()
    newest(screen, decoder, "Server")
    screen.field.focus()
    screen.page.keyboard.press("Control+a")
    longer = PROPOSAL + " Das dauert einen Augenblick."
    screen.eventually(lambda: answered(screen, decoder, longer))
    screen.expect_text(longer)
    screen.page.keyboard.type("Der Rechner")
    screen.expect_text("Der Rechner")
