"""With a slow engine no action of the user waits, and late replies are dropped.

The answers are given by hand, so that "late" is certain and nobody waits for a clock.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from app.models.loading import ModelHandle, load_translator
from app.models.watchdog import REPORTED_AFTER_SECONDS, RESTARTED_AFTER_SECONDS
from app.sessions import Sessions
from engine import FetchProgress, Request, Translator
from tests.app.hand_decoder import HandDecoder, ready_model, translation
from tests.e2e.hand_server import serve
from tests.e2e.screen import DOCUMENT, Screen


@pytest.fixture
def decoder() -> HandDecoder:
    return HandDecoder()


@pytest.fixture
def url(decoder: HandDecoder, browser: Browser, tmp_path: Path) -> Iterator[str]:
    with serve(ready_model(decoder), tmp_path) as url:
        yield url


def asked(decoder: HandDecoder, token: str, index: int) -> list[Request]:
    return [request for key, request, *_ in decoder.requests if key == f"{token}/{index}"]


def answer(decoder: HandDecoder, token: str, index: int, at: int, text: str) -> None:
    futures = [(request, future) for key, request, _, future in decoder.requests if key == f"{token}/{index}"]
    request, future = futures[at]
    if not future.done():
        future.set_result(translation(request, text))


def test_typing_confirming_moving_and_cancelling_never_wait_for_the_engine(
    url: str, decoder: HandDecoder, tabs: BrowserContext
):
    page = tabs.new_page()
    screen = Screen(page, url)
    keys, number = page.keyboard, page.locator(".editor .no")
    screen.open_text(DOCUMENT, waits=False)
    expect(page.locator(".docinfo .name")).to_have_text("manual.txt")
    token = screen.token()

    # Without any reply, a text is typed and confirmed, and another is typed and left.
    screen.type_text("Öffnen Sie die Einstellungen und wählen Sie das WLAN.")
    screen.confirm()
    expect(number).to_have_text("2")
    screen.type_text("Der Router speichert")
    keys.press("Alt+ArrowDown")
    expect(number).to_have_text("3")
    screen.type_text("Sie können später")
    screen.wait_until_saved()
    assert not any(future.done() and future.result().hypotheses for *_, future in decoder.requests)

    # A pin makes the first request stale: its late reply is dropped, the newer one counts.
    screen.field.evaluate("area => area.setSelectionRange(11, 17)")
    keys.press("Alt+p")
    screen.eventually(lambda: asked(decoder, token, 2)[-1].phrases)
    assert [phrase.text for phrase in asked(decoder, token, 2)[-1].phrases] == ["später"]
    answer(decoder, token, 2, -2, "Eine alte Antwort")
    answer(decoder, token, 2, -1, "Das Kennwort später ändern")
    screen.wait_for_proposal()
    assert screen.hypothesis_texts() == ["Das Kennwort später ändern"]
    screen.expect_text("Sie können später")

    # Escape cancels a completion; its late reply is not shown.
    screen.field.evaluate("area => area.setSelectionRange(99, 99)")
    num_asked = len(decoder.of("completion"))
    keys.press("Alt+c")
    screen.eventually(lambda: len(decoder.of("completion")) > num_asked)
    keys.press("Escape")
    request, _, future = decoder.of("completion")[-1]
    if not future.done():
        future.set_result(translation(request, "Sie können später mehr"))
    keys.type(" das")

    # Escape while the rest is translated again cancels the request and keeps the text.
    before = len(asked(decoder, token, 2))
    keys.press("Alt+r")
    screen.eventually(lambda: len(asked(decoder, token, 2)) == before + 1)
    assert asked(decoder, token, 2)[-1].prefix.strip() == "Sie können später das"
    keys.press("Escape")
    screen.eventually(lambda: len(asked(decoder, token, 2)) == before + 2)
    assert asked(decoder, token, 2)[-1].prefix == "Sie können später"
    answer(decoder, token, 2, before, "Sie können später das Kennwort ändern")
    answer(decoder, token, 2, before + 1, "Ganz anders, später")
    screen.wait_for_proposal()
    screen.expect_text("Sie können später das")
    expect(page.locator(".ghost")).to_have_text("")

    # A late reply for another segment does not change its text, and no typed text is lost.
    answer(decoder, token, 1, 0, "Die Datei wird gespeichert")
    screen.visit()
    for segment, text in ((2, "Der Router speichert"), (3, "Sie können später das")):
        screen.open_segment(segment)
        screen.expect_text(text)
    expect(page.locator('.row[data-index="0"]')).to_have_attribute("data-state", "confirmed")
    screen.check_nothing_went_wrong()


def test_first_hypothesis_is_shown_while_the_others_are_searched(url: str, decoder: HandDecoder, tabs: BrowserContext):
    page = tabs.new_page()
    screen = Screen(page, url)
    screen.open_text(DOCUMENT, waits=False)
    expect(page.locator(".docinfo .name")).to_have_text("manual.txt")
    screen.eventually(lambda: [priority for _, priority, _ in decoder.of(0)][-1:] == ["interactive"])
    coming = page.get_by_text("Translating …")
    decoder.prove_best(0, "Öffnen Sie die Einstellungen")
    screen.wait_for_proposal()
    screen.expect_text("Öffnen Sie die Einstellungen")
    assert screen.hypothesis_texts() == ["Öffnen Sie die Einstellungen"]
    expect(coming).to_be_visible()

    # A pin asks again, without waiting for the list, and the late list is dropped.
    screen.pin("Einstellungen")
    screen.eventually(lambda: decoder.of(0)[-1][0].phrases)
    decoder.answer(0, "Öffnen Sie die Einstellungen", "Ein anderer Text", at=-2)
    decoder.prove_best(0, "Die Einstellungen öffnen")
    screen.expect_text("Die Einstellungen öffnen")
    assert screen.hypothesis_texts() == ["Die Einstellungen öffnen"]
    decoder.answer(0, "Die Einstellungen öffnen", "In die Einstellungen gehen")
    expect(coming).to_be_hidden()
    assert screen.hypothesis_texts() == ["Die Einstellungen öffnen", "In die Einstellungen gehen"]
    screen.wait_for_pin("Einstellungen")
    screen.check_nothing_went_wrong()
    page.close()


LETTER_AT_FILLING = """() => {
    const field = document.querySelector('#pinpoint-edit');
    const letter = new KeyboardEvent('keydown', {key: 'W', bubbles: true, cancelable: true});
    const wait = setInterval(() => {
        if (!field.value) return;
        clearInterval(wait);
        window.filled = field.value;
        field.dispatchEvent(letter);
    }, 0);
}"""


def test_letter_typed_while_an_empty_field_is_filled_begins_a_text(
    url: str, decoder: HandDecoder, tabs: BrowserContext
):
    page = tabs.new_page()
    screen = Screen(page, url)
    screen.open_text(DOCUMENT, waits=False)
    expect(page.locator(".docinfo .name")).to_have_text("manual.txt")
    screen.expect_text("")
    page.evaluate(LETTER_AT_FILLING)

    def is_filled() -> bool:
        for at in range(len(asked(decoder, screen.token(), 0))):
            answer(decoder, screen.token(), 0, at, "Öffnen Sie es.")
        return bool(page.evaluate("window.filled ?? ''"))

    screen.eventually(is_filled)
    screen.expect_text("")
    page.keyboard.type("Wir")
    screen.expect_text("Wir")
    page.close()


def test_page_reports_a_hanging_model_and_shows_the_proposal_after_its_restart(
    model_folder: Path, tabs: BrowserContext, tmp_path: Path
):
    hangs, has_hung, released = threading.Event(), threading.Event(), threading.Event()
    hangs.set()

    def load_hanging(_: FetchProgress) -> Translator:
        translator = load_translator(model_folder, "cpu")
        new_loop = translator.decoding_loop

        def decoding_loop(*settings):
            loop = new_loop(*settings)
            step = loop.step

            def hanging_step():
                if hangs.is_set():
                    has_hung.set()
                    released.wait(600)
                return step()

            loop.step = hanging_step
            return loop

        translator.decoding_loop = decoding_loop
        return translator

    model, all_sessions = ModelHandle(model_folder, load=load_hanging), list[Sessions]()
    model.load_in_background(1)
    with serve(model, tmp_path, on_start=all_sessions.append) as url, ExitStack() as at_end:
        at_end.callback(released.set)
        [sessions] = all_sessions
        page = tabs.new_page()
        screen = Screen(page, url)
        screen.open_text(DOCUMENT, waits=False)
        saved, note = page.locator(".status [data-kind]"), page.locator(".banner.bad")
        expect(page.locator(".docinfo .name")).to_have_text("manual.txt")
        assert has_hung.wait(60)
        for _ in range(REPORTED_AFTER_SECONDS + 1):
            sessions.watchdog.tick()
        expect(saved).to_have_text("The model does not answer. Your text is saved.")
        expect(note).to_contain_text("After 90 seconds it is restarted and the translation is requested again")

        hangs.clear()
        for _ in range(RESTARTED_AFTER_SECONDS - REPORTED_AFTER_SECONDS):
            sessions.watchdog.tick()
        screen.wait_for_proposal()
        sessions.watchdog.tick()
        expect(saved).to_have_text("Ready")
        expect(note).to_have_count(0)
        expect(page.locator(".banner.info")).to_contain_text("The model answers again.")
        screen.check_nothing_went_wrong()
