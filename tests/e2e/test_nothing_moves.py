"""Pins, prices and new proposals never move what is under the mouse, and a confirmation never loses a pin.

The answers are given by hand, so that the page is seen in each state between a click and its prices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from engine import Pricing, Request
from tests.app.hand_decoder import HandDecoder, translation
from tests.budget import rounds
from tests.e2e.conftest import HandApp, SharedApp
from tests.e2e.screen import Screen

NUM_PINS = rounds(short=10, full=20)
WORDS = [f"Wort{chr(97 + n)}" for n in range(20)]
SHORT = " ".join(WORDS) + "."
LONG = " ".join([*WORDS, "und noch eine ganze Zeile mehr als vorher in diesem Satz."])
SOURCE = "The old server starts slowly when the light turns green and the whole network of the house is down again.\n"
# Records, on each frame, how far the action bar and the rows have moved, and the smallest number of locks and prices.
WATCH = """() => {
    const places = () => Object.fromEntries([...document.querySelectorAll('.actions .btn, .row')].map(
        element => [element.dataset.index ?? element.textContent, element.getBoundingClientRect()]));
    const first = places();
    const seen = window.seen = {moved: 0, locks: [], listed: []};
    const look = () => {
        if (window.seen !== seen) return; // another test watches this tab now
        for (const [name, place] of Object.entries(places())) {
            if (first[name]) seen.moved = Math.max(seen.moved,
                Math.abs(place.top - first[name].top), Math.abs(place.left - first[name].left));
        }
        seen.locks.push(document.querySelectorAll('.field .pin').length);
        seen.listed.push(document.querySelectorAll('li[data-pin]').length);
        requestAnimationFrame(look);
    };
    look();
}"""

# How many pixels of the active time are cut off in a status bar with all that it can show.
WORK_IN_FULL_STATUS = """() => {
    const work = document.querySelector('.status .work'), learned = document.querySelector('.status .first[title]');
    const shown = [work, learned, document.querySelector('.status .pretranslation')];
    const hidden = shown.map(element => element.hidden);
    shown.forEach(element => { element.hidden = false; });
    work.querySelector('b').textContent = '3 Std. 25 Min. · 1.234 Wörter/h';
    learned.textContent = 'Aus 123 Segmenten gelernt';
    document.querySelector('.pretranslation .gives').textContent = 'Vorübersetzt: 12.345 von 20.000 · noch etwa 12 min';
    const end = work.getBoundingClientRect().right;
    const lost = Math.max(work.scrollWidth - work.clientWidth, 0,
        end - work.parentElement.getBoundingClientRect().right);
    shown.forEach((element, i) => { element.hidden = hidden[i]; });
    return lost;
}"""

# The elements of the header that are outside of the window or cut off.
CUT_OFF_IN_HEADER = """() => {
    const elements = [...document.querySelectorAll('.head a, .head button, .docinfo .name, .prog')];
    const isCutOff = element => {
        const {left, right} = element.getBoundingClientRect();
        return left < 0 || right > innerWidth || element.clientWidth && element.scrollWidth > element.clientWidth;
    };
    return elements.filter(element => element.offsetParent && isCutOff(element)).map(element => element.outerHTML);
}"""


# The texts beside the words of the document that are cut off; a model may have a long name.
CUT_OFF = """() => {
    const elements = [...document.querySelectorAll(
        '.docinfo .name *, .proj, .langs, .prog span, .gchip *, .headend .t, .row.near .meta, .ledger .what')];
    const isCutOff = element => element.clientWidth && element.scrollWidth > element.clientWidth + 1 &&
        getComputedStyle(element).clipPath === 'none';
    return elements.filter(element => element.checkVisibility() && isCutOff(element)).map(element => element.outerHTML);
}"""
# How many pixels the full stop behind the last term of the source is below the end of the term.
STOP_BELOW_TERM = """() => {
    const term = [...document.querySelectorAll('.source .term')].at(-1);
    const text = document.createTreeWalker(term.closest('.source'), NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (text.nextNode()) if (text.currentNode.data.includes('.')) range.setStart(text.currentNode, 0);
    range.setEnd(range.startContainer, 1);
    return range.getBoundingClientRect().bottom - [...term.getClientRects()].at(-1).bottom;
}"""


@pytest.fixture
def decoder(hand_app: HandApp) -> HandDecoder:
    return hand_app.decoder


@pytest.fixture
def screen(hand_app: HandApp) -> Iterator[Screen]:
    screen = hand_app.open(SOURCE * 6)
    yield screen
    screen.leave()
    screen.check_nothing_went_wrong()


def test_preview_follows_typing_and_opens_the_clicked_segment(screen: Screen):
    page = screen.page
    shown, opened = page.locator(".preview .pv-seg"), page.locator(".preview .pv-seg.open")
    before = left_top_width(screen)
    page.keyboard.press("Alt+v")
    try:
        expect(opened).to_have_text(SOURCE.strip())
        expect(opened).to_have_class(re.compile("untranslated"))
        assert left_top_width(screen) == before
        screen.type_text("Der <b>alte</b> Server.")
        expect(opened).to_have_text("Der <b>alte</b> Server.")
        shown.nth(2).click()
        expect(page.locator(".editor .no")).to_have_text("3")
        expect(opened).to_have_attribute("data-seg", "2")
        expect(shown.first).to_have_text("Der <b>alte</b> Server.")
    finally:
        page.keyboard.press("Alt+v")
    expect(shown.first).to_be_hidden()


def left_top_width(screen: Screen) -> list[float]:
    """The place of the editor; its height may still change while its details arrive."""
    box = screen.page.locator(".editor").bounding_box()
    assert box
    return [box["x"], box["y"], box["width"]]


def newest(decoder: HandDecoder, screen: Screen) -> Request:
    return next(request for key, request, *_ in reversed(decoder.requests) if key == f"{screen.token()}/0")


def answer(decoder: HandDecoder, screen: Screen, *texts: str, num_phrases: int = 0) -> None:
    """Answers the newest request of the open segment, once it has that many phrases."""
    screen.eventually(lambda: len(newest(decoder, screen).phrases) == num_phrases)
    for key, request, _, future in decoder.requests:
        if key == f"{screen.token()}/0" and not future.done() and len(request.phrases) == num_phrases:
            future.set_result(translation(request, *texts))


def answer_first(decoder: HandDecoder, screen: Screen, *texts: str) -> None:
    """Answers until the proposal is shown: while a document opens, a newer request may replace one."""

    def is_shown() -> bool:
        answer(decoder, screen, *texts)
        return screen.words.count() > 0

    screen.eventually(is_shown)
    screen.wait_for_proposal()


def answer_prices(decoder: HandDecoder, screen: Screen, num_phrases: int) -> None:
    request = newest(decoder, screen)
    screen.eventually(lambda: not decoder.questions[-1][1].done())
    found = translation(request, LONG)
    decoder.questions[-1][1].set_result(Pricing(0.3, (0.02,) * num_phrases, (), found, found))


def test_pins_move_neither_the_action_bar_nor_the_list(screen: Screen, decoder: HandDecoder):
    answer_first(decoder, screen, SHORT, LONG)
    screen.page.evaluate(WATCH)
    prices = screen.page.locator("li[data-pin] .price")
    for number in range(1, NUM_PINS + 1):
        screen.page.evaluate("seen.locks = []; seen.listed = []")
        screen.pin_word(number - 1)
        expect(prices).to_contain_text(["…"] * number)
        answer(decoder, screen, *((LONG, SHORT) if number % 2 else (SHORT, LONG)), num_phrases=number)
        screen.wait_for_proposal()
        expect(prices.first).to_contain_text("…")
        answer_prices(decoder, screen, number)
        expect(prices.first).to_have_text("fits well Price: 0.02")
        seen = screen.page.evaluate("seen")
        assert seen["moved"] == 0, f"after pin {number}"
        assert sorted(seen["locks"]) == seen["locks"], "no lock vanishes"
        assert set(seen["locks"]) <= {number - 1, number}
        assert set(seen["listed"]) <= {number - 1, number}
    assert screen.hypothesis_texts() == [SHORT, LONG]


def test_five_hypotheses_are_in_a_small_window_beside_a_full_ledger(screen: Screen, decoder: HandDecoder):
    screen.page.set_viewport_size({"width": 1024, "height": 768})
    screen.open_segment(4)
    screen.open_segment(1)  # keeps its height for this window
    texts = [SHORT.replace("Wortc", word) for word in ("Wortc", "Wagen", "Haus", "Baum", "Weg")]
    answer_first(decoder, screen, *texts)
    screen.page.evaluate(WATCH)
    for number in range(1, 6):
        screen.pin_word(number + 3)
        answer(decoder, screen, *texts, num_phrases=number)
        screen.wait_for_proposal()
    expect(screen.hypotheses).to_have_count(5)
    expect(screen.page.locator(".advice")).to_be_visible()  # in the place of the free translation
    end = "element => element.getBoundingClientRect().bottom"
    shown = screen.page.locator(".scroll").evaluate(end)
    for element in (*screen.hypotheses.all(), screen.field):
        assert element.evaluate(end) <= screen.page.locator(".nbest").evaluate(end) <= shown
    assert screen.page.evaluate("seen.moved") == 0
    assert screen.page.evaluate(WORK_IN_FULL_STATUS) == 0, "the active time is not cut off"
    screen.page.set_viewport_size({"width": 1440, "height": 900})


def test_header_is_whole_in_a_window_of_1280_pixels_at_200_percent(screen: Screen):
    screen.page.set_viewport_size({"width": 640, "height": 400})
    try:
        expect(screen.page.locator(".docinfo .name")).to_be_visible()
        assert screen.page.evaluate(CUT_OFF_IN_HEADER) == []
    finally:
        screen.page.set_viewport_size({"width": 1440, "height": 900})


@pytest.mark.parametrize(
    ("locale", "sample", "terms"), [("en-US", "Sample", "Use the"), ("de-DE", "Beispiel", "Beispiel")]
)
def test_nothing_in_the_header_and_beside_the_list_is_cut_off_from_1024_pixels_on(
    browser: Browser, app: SharedApp, locale: str, sample: str, terms: str
):
    context = browser.new_context(locale=locale, viewport={"width": 1024, "height": 768})
    context.set_default_timeout(60_000)
    try:
        screen = Screen(context.new_page(), app.address)
        first = screen.token()
        for opener, item in ((".openbtn", sample), (".gchip", terms)):
            screen.page.locator(opener).click()
            screen.page.get_by_role("menuitem").filter(has_text=item).first.click()
            screen.eventually(lambda: screen.token() != first)  # the first document has the same name
            screen.wait_for_proposal()
        expect(screen.page.locator(".gchip .n")).to_contain_text("21 ")
        screen.pin_word(1)
        expect(screen.page.locator(".ledger .what").first).to_be_visible()
        for width in (1024, 1100, 1101, 1180, 1181, 1340, 1341, 1360, 1361, 1439, 1440, 1600, 1601, 1920):
            screen.page.set_viewport_size({"width": width, "height": 768})
            assert screen.page.evaluate(CUT_OFF) == [], width
        screen.open_segment(16)  # Double-click the file to start the installation.
        expect(screen.page.locator(".source .term")).to_have_text(re.compile("installation"))
        for width in range(1024, 1440, 8):
            screen.page.set_viewport_size({"width": width, "height": 768})
            assert abs(screen.page.evaluate(STOP_BELOW_TERM)) < 12, width
    finally:
        context.close()


def test_few_hypotheses_leave_no_blank_strip_and_more_of_them_move_nothing(screen: Screen, decoder: HandDecoder):
    texts = [SHORT.replace("Wortc", word) for word in ("Wortc", "Wagen", "Haus", "Baum", "Weg")]
    answer_first(decoder, screen, *texts[:2])
    screen.open_segment(4)
    screen.open_segment(1)  # now its hypotheses are known when it opens
    expect(screen.page.locator(".nbest")).to_contain_text("far less likely")
    blank, below = screen.page.evaluate("""() => {
        const [note, last] = document.querySelectorAll('.nbest .muted');
        const edge = document.querySelector('.nbest').getBoundingClientRect().bottom;
        return [last.getBoundingClientRect().top - note.getBoundingClientRect().bottom,
            edge - last.getBoundingClientRect().bottom];
    }""")
    assert 0 <= blank < 60
    assert 0 <= below < 8, "the last row is at the end of the segment"
    screen.page.evaluate(WATCH)
    screen.pin_word(3)
    answer(decoder, screen, *texts, num_phrases=1)
    expect(screen.hypotheses).to_have_count(5)
    screen.wait_for_proposal()
    assert screen.page.evaluate("seen.moved") == 0


def test_hypotheses_have_the_numbers_of_their_places_in_the_list(screen: Screen, decoder: HandDecoder):
    texts = ["Der Server ist alt.", "Der Server Server ist alt.", "Der Server war alt.", "Der Server wird alt."]
    answer_first(decoder, screen, *texts)
    expect(screen.hypotheses.locator(".rk")).to_have_text(["1", "2", "3"])  # doubled words are not listed
    screen.page.keyboard.press("Control+ArrowDown")
    screen.page.keyboard.press("3")
    screen.expect_text(texts[3])
    screen.page.keyboard.type(" Ja.")
    screen.hypotheses.nth(1).click()
    expect(screen.page.get_by_role("alertdialog")).to_contain_text("hypothesis 2")
    screen.page.get_by_role("alertdialog").get_by_role("button").last.click()


def test_confirmation_waits_for_a_pin_and_is_given_up_where_the_text_changes(screen: Screen, decoder: HandDecoder):
    number, status = screen.page.locator(".editor .no"), screen.page.locator(".waits")
    answer(decoder, screen, SHORT)
    screen.wait_for_proposal()
    screen.pin_word(2)
    screen.page.keyboard.press("Control+Enter")
    expect(status).to_contain_text("Waiting for the new translation")
    answer(decoder, screen, LONG, num_phrases=1)
    expect(status).to_contain_text("The text has changed")
    screen.expect_text(LONG)
    expect(number).to_have_text("1")
    expect(screen.row(1)).to_have_count(0)

    screen.pin_word(3)
    screen.page.keyboard.press("Control+Enter")
    answer(decoder, screen, LONG, num_phrases=2)
    expect(number).to_have_text("2")  # the text seen is the text that came: it is confirmed
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    expect(screen.row(1).locator(".tgt")).to_have_text(LONG)


def test_second_press_confirms_the_text_as_it_is_seen(screen: Screen, decoder: HandDecoder):
    answer(decoder, screen, SHORT)
    screen.wait_for_proposal()
    screen.pin_word(2)
    screen.page.keyboard.press("Control+Enter")
    expect(screen.page.locator(".waits")).not_to_be_empty()
    screen.page.keyboard.press("Control+Enter")
    expect(screen.row(1)).to_have_attribute("data-state", "confirmed")
    expect(screen.row(1).locator(".tgt")).to_have_text(SHORT)


PLACES_OF_LETTERS = """field => {
    const text = document.createTreeWalker(field, NodeFilter.SHOW_TEXT), letters = [];
    while (text.nextNode())
        for (let at = 0; at < text.currentNode.data.length; at++) {
            const range = document.createRange();
            range.setStart(text.currentNode, at);
            range.setEnd(text.currentNode, at + 1);
            const {left, top, width} = range.getBoundingClientRect();
            letters.push([left, top, width]);
        }
    return letters;
}"""


def test_pin_moves_no_letter_of_the_text(screen: Screen, decoder: HandDecoder):
    answer_first(decoder, screen, LONG)
    before = screen.field.evaluate(PLACES_OF_LETTERS)
    assert len(before) == len(LONG)
    screen.pin_word(1)
    expect(screen.page.locator(".field .pin")).to_have_count(1)
    assert screen.field.evaluate(PLACES_OF_LETTERS) == before
