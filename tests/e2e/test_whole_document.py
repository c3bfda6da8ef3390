"""The sample document post-edited with its glossary and the bundled model: 10 segments, in `make test-all` all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from engine import SearchOptions, Translator
from tests.app.logged_requests import request_of
from tests.budget import rounds
from tests.e2e.conftest import ROOT
from tests.e2e.hand_server import loading, serve
from tests.e2e.screen import Screen, events

MODEL = ROOT / "data" / "models" / "en-de"
SAMPLE = ROOT / "data" / "samples" / "getting-started.txt"
SEGMENTS = [line.strip() for line in SAMPLE.read_text(encoding="utf-8").split("\n") if line.strip()]
NUM_EDITED = rounds(short=6, full=len(SEGMENTS))


@pytest.fixture(scope="module")
def url(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(loading(MODEL), tmp_path_factory.mktemp("bundled")) as url:
        yield url


def test_document_is_post_edited_with_pins_and_terms_and_every_step_is_logged(
    url: str, tabs: BrowserContext, tmp_path: Path
):
    screen = Screen(tabs.new_page(), url)
    number = screen.page.locator(".editor .no")
    expect(screen.page.locator(".gchip")).to_contain_text("21 terms")
    confirmed: list[str] = []
    pinned: dict[int, str] = {}
    for index in range(1, NUM_EDITED + 1):
        expect(number).to_have_text(str(index))
        screen.wait_for_proposal()
        if index % 6 == 2:
            screen.pin_word(screen.words.count() - 1)
            screen.eventually(lambda: len(screen.pins()) == 1)
            (pin,) = screen.pins()
            screen.wait_for_pin(pin)
            screen.wait_for_proposal()
            pinned[index - 1] = pin
            assert all(pin in boxed for boxed in screen.boxes()), (
                f"segment {index}: {pin!r} is boxed in every hypothesis"
            )
        if index % 9 == 4:
            screen.type_text(f"Von Hand übersetzt: „{index}“.")
            screen.wait_until_saved()
        confirmed.append(screen.text())
        screen.confirm()
    expect(screen.page.locator(".prog")).to_contain_text(f"{NUM_EDITED} / {len(SEGMENTS)}")

    document = screen.download("Translated document", tmp_path).read_text(encoding="utf-8")
    exported = [line.strip() for line in document.split("\n") if line.strip()]
    assert len(exported) == len(SEGMENTS)
    assert exported[:NUM_EDITED] == confirmed
    log = events(screen.download("Session log as JSONL", tmp_path))
    confirms = {event["segment"]: event["payload"]["text"] for event in log if event["type"] == "confirm"}
    assert confirms == dict(enumerate(confirmed))
    assert {event["segment"] for event in log if event["type"] == "pin"} == {0, *pinned}, "with that of the example"
    assert [event["seq"] for event in log] == list(range(1, len(log) + 1))
    results = [event["payload"] for event in log if event["type"] == "decode_result"]
    num_terms = 0
    for result in results:
        if result["status"] != "complete":
            assert result["reasons"] or result["status"] == "cancelled", "an unmet constraint has a reason"
            continue
        for hypothesis in result["hypotheses"]:
            for placement in hypothesis["placements"]:
                assert hypothesis["text"][placement["start"] : placement["end"]] == placement["form"]
                num_terms += 1
    assert num_terms > NUM_EDITED
    screen.check_nothing_went_wrong()


def test_logged_request_reproduces_its_hypotheses(url: str, tabs: BrowserContext, tmp_path: Path):
    """The log stores the request, the options and the model of every translation."""
    screen = Screen(tabs.new_page(), url)
    screen.wait_for_proposal()
    exported = screen.download("Session log as JSONL", tmp_path)
    session = json.loads(exported.read_text(encoding="utf-8").splitlines()[0])
    sources = {segment["index"]: segment["source"] for segment in session["segments"]}
    translator = Translator.load(MODEL, precision="auto")
    requests, num_compared = {}, 0
    for event in events(exported):
        payload = event["payload"]
        key = event["segment"], payload.get("number")
        if event["type"] == "decode_request":
            assert payload["model"] == translator.checksum
            requests[key] = payload
        elif event["type"] == "decode_result" and payload["status"] == "complete" and num_compared < 5:
            if requests[key]["learned"]:  # the model here has learned nothing
                continue
            request = request_of(requests[key].get("asked", requests[key]), sources[key[0]])
            again = translator.translate(request, SearchOptions(**requests[key]["options"]))
            assert [h.text for h in again.hypotheses] == [h["text"] for h in payload["hypotheses"]]
            assert [h.score for h in again.hypotheses] == pytest.approx(
                [h["score"] for h in payload["hypotheses"]], abs=1e-5
            )
            num_compared += 1
    assert num_compared > 0
