"""Changes offered after an edit, and proposals that stay near to the text seen before. Answers are given by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from engine import Follow, Phrase, Request
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

    def is_proposed() -> bool:  # the request is repeated when the segment is opened
        for _, request, _, future in hand_app.decoder.requests:
            if not future.done():
                future.set_result(translation(request, PROPOSAL))
        return screen.text() == PROPOSAL

    screen.eventually(is_proposed)
    yield screen
    screen.leave()
    screen.check_nothing_went_wrong()


def answer(screen: Screen, decoder: HandDecoder, key: str, text: str) -> Request:
    """Waits for a request of the open document and answers it."""
    full = f"{screen.token()}/{key}"

    def waiting() -> list[Request]:
        return [request for asked, request, _, future in decoder.requests if asked == full and not future.done()]

    screen.eventually(waiting)
    request = waiting()[-1]
    future = next(future for _, asked, _, future in decoder.requests if asked is request)
    future.set_result(translation(request, text))
    return request


def edit(screen: Screen, old: str, new: str) -> None:
    """Selects the first `old` in the field and types over it."""
    start = screen.text().index(old)
    screen.field.evaluate(f"area => {{ area.focus(); area.setSelectionRange({start}, {start + len(old)}); }}")
    screen.page.keyboard.type(new)


def offer(screen: Screen) -> Locator:
    """The words that would go and those that would come, in the order of the text."""
    return screen.page.locator(".field :is(mark, .offered)")


def caret(screen: Screen) -> int:
    return int(screen.field.evaluate("area => area.selectionStart"))


def test_changes_behind_an_edit_are_offered_and_taken_one_by_one_or_together(screen: Screen, decoder: HandDecoder):
    place = screen.page.locator(".actions").bounding_box()
    edit(screen, "Server", "Computer")
    edited = PROPOSAL.replace("Server", "Computer")
    asked = answer(screen, decoder, "revision", "Der alte Computer geht an, wenn die Lampe grün wird.")
    assert (asked.prefix, asked.follow) == ("Der alte Computer ", Follow(edited, 1.0)), "the text up to the caret stays"
    expect(offer(screen)).to_have_text(["startet", "geht an", "das Licht", "die Lampe"])
    expect(screen.page.locator(".offer .how")).to_have_text("Alt Y accept all Esc ignore")
    screen.expect_text(edited)
    assert caret(screen) == len("Der alte Computer")
    assert screen.page.locator(".actions").bounding_box() == place, "nothing moves"

    screen.page.keyboard.press("Alt+Shift+y")
    screen.expect_text(edited.replace("startet", "geht an"))
    expect(offer(screen)).to_have_text(["das Licht", "die Lampe"])
    expect(screen.page.locator(".offer .how")).to_have_text("Alt Y accept Esc ignore")
    screen.page.keyboard.press("Alt+y")
    screen.expect_text("Der alte Computer geht an, wenn die Lampe grün wird.")
    expect(screen.page.locator(".offer")).to_be_hidden()
    assert caret(screen) == len("Der alte Computer")
    screen.page.keyboard.press("Control+z")
    screen.expect_text(edited.replace("startet", "geht an"))


def test_offer_disappears_with_the_next_letter_and_by_escape(screen: Screen, decoder: HandDecoder):
    edit(screen, "Server", "Rechner")
    answer(screen, decoder, "revision", "Der alte Rechner startet, wenn es grün wird.")
    expect(offer(screen)).to_have_text(["das Licht", "es"])
    screen.page.keyboard.type("s")
    expect(screen.page.locator(".offer")).to_be_hidden()
    expect(offer(screen)).to_have_count(0)
    answer(screen, decoder, "revision", "Der alte Rechners geht, wenn das Licht grün wird.")
    expect(offer(screen)).to_have_text(["startet", "geht"])
    screen.page.keyboard.press("Escape")
    expect(screen.page.locator(".offer")).to_be_hidden()
    expect(screen.field).to_be_focused()
    screen.page.keyboard.press("Alt+y")
    expect(screen.notes.last).to_contain_text("No changes are offered")
    screen.expect_text(PROPOSAL.replace("Server", "Rechners"))


def test_offer_disappears_when_another_text_is_taken(screen: Screen, decoder: HandDecoder):
    edit(screen, "Server", "Rechner")
    answer(screen, decoder, "revision", "Der alte Rechner startet, wenn es grün wird.")
    expect(offer(screen)).to_have_text(["das Licht", "es"])
    screen.page.keyboard.press("Alt+i")
    screen.expect_text(SOURCE)
    expect(screen.page.locator(".offer")).to_be_hidden()
    screen.page.keyboard.press("Alt+y")
    expect(screen.notes.last).to_contain_text("No changes are offered")
    screen.expect_text(SOURCE)


def test_answer_to_an_older_text_is_not_offered(screen: Screen, decoder: HandDecoder):
    edit(screen, "Licht", "Zeichen")
    screen.eventually(lambda: decoder.of("revision"))
    edit(screen, "Server", "Rechner")
    screen.eventually(lambda: len(decoder.of("revision")) == 2)
    edited = PROPOSAL.replace("Server", "Rechner").replace("Licht", "Zeichen")
    first, second = decoder.of("revision")
    assert first[2].cancelled() or first[2].done(), "the older question is cancelled"
    second[2].set_result(translation(second[0], edited.replace("wird", "ist")))
    expect(offer(screen)).to_have_text(["wird", "ist"])
    assert (second[0].prefix, second[0].locked) == ("Der alte Rechner ", ("Zeichen",)), "other edits stay, too"


def test_pin_in_the_persons_own_text_is_offered_and_their_words_stay(screen: Screen, decoder: HandDecoder):
    edit(screen, "Server", "Rechner")
    answer(screen, decoder, "revision", PROPOSAL.replace("Server", "Rechner"))
    mine = screen.text()
    screen.pin("Licht")
    asked = answer(screen, decoder, "0", "Der Rechner geht an, wenn das Licht grün ist.")
    assert (asked.follow and asked.follow.text, asked.prefix, asked.locked) == (mine, "", ("Rechner",))
    asked = answer(screen, decoder, "revision", "Ein alter Rechner startet, wenn das Licht grün ist.")
    assert (asked.prefix, asked.locked, [phrase.text for phrase in asked.phrases]) == ("", ("Rechner",), ["Licht"])
    expect(offer(screen)).to_have_text(["Der alte", "Ein alter", "wird", "ist"])  # before the cursor, too
    screen.expect_text(mine)
    expect(screen.page.locator(".field .pin")).to_have_text("Licht")
    own = screen.page.locator(".field .w.machine", has_text="Rechner")
    expect(own).to_have_count(0)
    screen.page.keyboard.press("Alt+y")
    screen.expect_text("Ein alter Rechner startet, wenn das Licht grün ist.")
    screen.page.keyboard.press("Control+z")
    screen.expect_text(mine)


def test_pin_moves_to_its_next_place_and_back_to_the_first(screen: Screen, decoder: HandDecoder):
    screen.pin("Licht")
    answer(screen, decoder, "0", PROPOSAL)
    screen.wait_for_pin("Licht")
    screen.field.press("End")
    screen.page.keyboard.press("Alt+Shift+ArrowRight")
    expect(screen.notes.last).to_contain_text("Place the cursor on a pin")
    screen.point_at("Licht")
    screen.page.keyboard.press("Alt+Shift+ArrowRight")
    screen.eventually(lambda: decoder.questions and decoder.questions[-1][0].endswith("places"))
    moved = "Das Licht ist grün, wenn der alte Server startet."
    request = Request(SOURCE, phrases=(Phrase("Licht"),))
    decoder.questions[-1][1].set_result(translation(request, moved, PROPOSAL).hypotheses)
    screen.expect_text(moved)
    assert caret(screen) == moved.index("Licht")
    num_questions = len(decoder.questions)
    for text in (PROPOSAL, moved):
        screen.page.keyboard.press("Alt+Shift+ArrowRight")
        screen.expect_text(text)
    assert [key for key, _ in decoder.questions[num_questions:] if key.endswith("places")] == []
    screen.page.keyboard.press("Control+z")
    screen.expect_text(PROPOSAL)


def test_phrase_that_is_in_the_text_already_is_pinned_there_moved_or_put_in_once_more(screen: Screen, decoder):
    def put(button: str, text: str) -> None:
        screen.page.get_by_label("Words to pin or ban").fill("Licht")
        screen.page.keyboard.press("Enter")
        expect(screen.notes.last).to_contain_text("“Licht” was in the text already")
        assert caret(screen) == PROPOSAL.index("Licht")
        screen.page.get_by_role("button", name=button).click()
        screen.eventually(lambda: decoder.questions and not decoder.questions[-1][1].done())
        request = Request(SOURCE, phrases=(Phrase("Licht"),))
        decoder.questions[-1][1].set_result(translation(request, text).hypotheses)
        screen.expect_text(text)

    put("Move it", moved := "Das Licht ist grün, wenn der alte Server startet.")
    assert (screen.pins(), caret(screen)) == (["Licht"], moved.index("Licht"))
    for _ in range(2):
        screen.page.keyboard.press("Control+z")
    screen.expect_text(PROPOSAL)
    screen.eventually(lambda: screen.pins() == [])
    put("One more", PROPOSAL.replace("startet", "mit Licht startet"))
    expect(screen.page.locator("li[data-pin]")).to_contain_text("Licht ×2")


def test_pin_keeps_the_text_seen_and_one_key_frees_it(screen: Screen, decoder: HandDecoder):
    free, back = (screen.page.get_by_role("button", name=name) for name in ("Translate freely", "Change less"))
    expect(free).to_be_hidden()
    screen.page.get_by_label("Words to pin or ban").fill("Rechner")
    screen.page.keyboard.press("Enter")
    near = PROPOSAL.replace("Server", "Rechner")
    asked = answer(screen, decoder, "0", near)
    assert asked.follow == Follow(PROPOSAL, 1.0)
    screen.eventually(lambda: screen.text() == near)
    new = screen.page.locator(".field .w.new")
    expect(new).to_have_text(["Rechner"])
    expect(new).to_have_attribute("title", "Before: “Server”")
    expect(screen.page.locator(".follows")).to_contain_text("as few changes as possible")
    expect(free).to_be_visible()
    screen.page.keyboard.press("Escape")
    screen.page.keyboard.press("Alt+l")
    asked = answer(screen, decoder, "0", "Sobald das Licht grün ist, startet der alte Rechner.")
    assert asked.follow is None
    expect(back).to_be_visible()
    screen.eventually(lambda: screen.text().startswith("Sobald"))
    expect(new.first).to_have_text("Sobald")  # compared with the text from before the pin
    screen.page.keyboard.press("Control+z")
    assert answer(screen, decoder, "0", near).follow == Follow(PROPOSAL, 1.0)
    screen.eventually(lambda: screen.text() == near)
    screen.page.keyboard.press("Alt+l")
    answer(screen, decoder, "0", near.replace("das ", ""))
    screen.expect_text(near.replace("das ", ""))
