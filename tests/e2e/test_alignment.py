"""What the page shows of a word with the bundled model: aligned words, and which segments it was learned from."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, expect

from app.models.loading import SEARCH
from app.text.words import word_spans
from engine import Hypothesis, Request, Translator
from tests.e2e.conftest import ROOT
from tests.e2e.hand_server import loading, serve
from tests.e2e.screen import Screen

MODEL = ROOT / "data" / "models" / "en-de"
SOURCE = "𝐀 The router saves the file, and the password is new."


@pytest.fixture(scope="module")
def url(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app with the bundled model; a random model has no word alignment."""
    with serve(loading(MODEL), tmp_path_factory.mktemp("bundled")) as url:
        yield url


@pytest.fixture(scope="module")
def best() -> Hypothesis:
    """The engine's own translation of the sentence."""
    request = Request(SOURCE, direction="en-de", formality="formal")
    return Translator.load(MODEL).translate(request, SEARCH).hypotheses[0]


def overlapping(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """The words of `text` that overlap any of the spans, in order."""
    return [text[start:end] for start, end in word_spans(text) if any(a < end and start < b for a, b in spans)]


def partners_of_word(best: Hypothesis, start: int, end: int) -> list[str]:
    return overlapping(SOURCE, [(a, b) for a, b, c, d in best.alignment if c < end and start < d])


def marked(line: Locator) -> list[str]:
    return line.locator(".aligned").all_inner_texts()


def test_words_aligned_with_the_one_at_the_caret_are_marked_and_keys_move_between_them(
    url: str, tabs: BrowserContext, best: Hypothesis
):
    screen = Screen(tabs.new_page(), url)
    screen.open_text(SOURCE, "aligned.txt")
    source = screen.page.locator(".source")
    expect(source).to_have_text(SOURCE)
    assert screen.text() == best.text
    words = word_spans(best.text)
    expected = [partners_of_word(best, *span) for span in words]
    assert sum(map(bool, expected)) >= 5, "most words are aligned"
    keys = screen.page.keyboard
    screen.field.focus()
    for number, partners in enumerate(expected):
        place = len(best.text[: words[number][0]].encode("utf-16-le")) // 2
        screen.field.evaluate("(field, at) => field.setSelectionRange(at, at)", place)
        expect(source.locator(".aligned")).to_have_text(partners)
        expect(screen.box.locator(".aligned")).to_have_count(0)
    number = next(i for i, partners in enumerate(expected) if partners == ["saves"])
    screen.point_at(best.text[slice(*words[number])])
    keys.press("Control+ArrowUp")
    expect(source.locator(".sw", has_text="saves")).to_be_focused()
    screen.eventually(lambda: best.text[slice(*words[number])] in marked(screen.box))
    expect(source.locator(".aligned")).to_have_text(["saves"])
    keys.press("ArrowRight")
    screen.eventually(lambda: screen.page.evaluate("document.activeElement.textContent") == "the")
    keys.press("ArrowLeft")
    keys.press("Enter")
    expect(screen.field).to_be_focused()
    assert screen.field.evaluate("field => field.selectionStart") == screen.text().index(
        best.text[slice(*words[number])]
    )
    screen.page.keyboard.press("End")
    expect(screen.page.locator(".aligned")).to_have_count(0)
    screen.check_nothing_went_wrong()


def test_word_under_the_pointer_is_outlined_only_while_the_pointer_is_there(
    url: str, tabs: BrowserContext, best: Hypothesis
):
    screen = Screen(tabs.new_page(), url)
    screen.open_text(SOURCE, "aligned.txt")
    router = screen.page.locator(".source .sw", has_text="router")
    router.hover()
    start, end = next(span for span in word_spans(SOURCE) if SOURCE[slice(*span)] == "router")
    partners = overlapping(best.text, [(c, d) for a, b, c, d in best.alignment if a < end and start < b])
    assert partners
    expect(screen.box.locator(".aligned")).to_have_text(partners)
    expect(router).to_have_css("outline-style", "solid")
    screen.words.filter(has_text=partners[0]).first.hover()
    screen.eventually(lambda: "router" in marked(screen.page.locator(".source")))
    screen.page.locator(".brand").hover()
    expect(screen.page.locator(".aligned")).to_have_count(0)
    screen.check_nothing_went_wrong()


def test_confirmed_segment_is_learned_and_linked_from_the_words_that_come_from_it(url: str, tabs: BrowserContext):
    screen = Screen(tabs.new_page(), url)
    page = screen.page
    screen.open_text("Open the settings dialog.\nTwo dogs are running.\nNow open the settings dialog.\n", "learned.txt")
    expect(screen.row(3).locator(".tgt")).not_to_be_empty()  # translated before anything is learned
    count, origins = page.locator(".status").get_by_text("Learned from 1 segment"), page.locator(".origins")
    expect(origins).to_be_hidden()
    screen.type_text("Rufen Sie das Einstellungsfenster auf.")
    screen.wait_until_saved()
    screen.confirm()
    expect(count).to_be_visible()
    screen.open_segment(3)
    expect(origins).to_have_text("learned from1")
    overlap = origins.evaluate(
        """origins => {
            const links = origins.querySelector('.links'), score = origins.nextElementSibling;
            const more = document.createTextNode(', other documents'.repeat(9));
            links.append(more);
            const overlap = links.getBoundingClientRect().right - score.getBoundingClientRect().left;
            more.remove();
            return overlap;
        }"""
    )
    assert overlap <= 0, "a long list ends before the score"
    learned = screen.words.filter(has_text="Einstellungsfenster")
    learned.hover()
    expect(origins.locator("bdi")).to_have_text("Open the settings dialog.")
    expect(learned).to_have_attribute("title", re.compile(r"\d+% from segment 1: Open the settings dialog\. →"))
    page.locator(".brand").hover()
    expect(origins.locator("bdi")).to_be_empty()
    screen.point_at("Einstellungsfenster")
    expect(origins.locator("bdi")).to_have_text("Open the settings dialog.")
    link = origins.get_by_role("button", name="Go to segment 1: Open the settings dialog.")
    link.focus()
    screen.eventually(lambda: "Einstellungsfenster" in page.locator(".field .w.learned").all_inner_texts())
    page.keyboard.press("Enter")
    expect(page.locator(".editor .no")).to_have_text("1")

    form = page.get_by_role("dialog", name="Project", exact=True)
    for is_on in (False, True):
        page.locator(".docinfo .proj").press("Enter")
        page.get_by_role("button", name="Edit My project").press("Enter")
        form.get_by_role("checkbox", name="Learn from confirmed segments").set_checked(is_on)
        form.get_by_role("button", name="Save").press("Enter")
        expect(form).to_have_count(0)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(count).to_be_visible(visible=is_on)
    screen.check_nothing_went_wrong()
