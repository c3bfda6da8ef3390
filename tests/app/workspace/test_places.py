"""Questions about other places of a pin: what is asked of the engine, how its answer reaches the page and the log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.errors import CommandError
from app.segments.segment_constraints import Constraints
from app.segments.state import SegmentState
from app.ui.api import Api
from app.workspace.places import question_for, to_engine
from engine import Request
from tests.app.hand_decoder import HandDecoder, api_with_document, translation

SOURCE = "Click the button now."
TEXT = "Jetzt den Knopf drücken."


def asked(segment: SegmentState) -> Request:
    return segment.request("en-de")


def segment(source: str = SOURCE, *pins: str) -> SegmentState:
    return SegmentState(0, source, 4, constraints=Constraints(pins=pins, prefix="Jetzt "))


def test_an_occurrence_that_moves_is_taken_out_and_otherwise_all_stay():
    question = question_for(segment(SOURCE, "den", "Knopf"), asked, "Knopf", TEXT, TEXT.index("Knopf"))
    sent = to_engine(question)
    assert sent is not None
    assert [phrase.text for phrase in sent.request.phrases] == ["Knopf", "den"]
    assert (sent.phrase, sent.request.prefix) == (0, "")
    assert sent.request.follow is not None and sent.request.follow.text == "Jetzt den drücken."
    another = to_engine(question_for(segment(), asked, " Knopf ", TEXT, None))
    assert another is not None and another.request.follow is not None and another.request.follow.text == TEXT


@pytest.mark.parametrize(("pin", "moved"), [(" ", None), ("Knopf", 0), ("Knopf", -1), ("Knopf", 99)])
def test_question_about_an_outdated_text_is_refused(pin: str, moved: int | None):
    with pytest.raises(CommandError, match="has changed"):
        question_for(segment(), asked, pin, TEXT, moved)


@pytest.fixture
def decoder() -> HandDecoder:
    return HandDecoder()


@pytest.fixture
def api(tmp_path: Path, decoder: HandDecoder) -> Iterator[Api]:
    with api_with_document(tmp_path, decoder, SOURCE, TEXT) as opened:
        yield opened


def test_answer_reaches_page_and_log_without_the_place_before(api: Api, decoder: HandDecoder):
    token = api.hello(OWNER, {})["token"]
    message = {"token": token, "segment": 0, "pin": "Knopf", "text": TEXT, "moved": TEXT.index("Knopf")}
    sent = Request(SOURCE, phrases=["Knopf"])
    texts = ["Jetzt den drücken Knopf.", TEXT, "Knopf Jetzt den drücken."]

    async def ask() -> dict[str, object]:
        reply = asyncio.create_task(api.places(OWNER, message))
        while not decoder.questions:
            await asyncio.sleep(0.01)
        ((_, future),) = decoder.questions
        future.set_result(tuple(translation(sent, text).hypotheses[0] for text in texts))
        return await reply

    reply = asyncio.run(ask())
    assert reply["ok"]
    assert reply["rows"] == [
        {"text": texts[0], "start": 18, "end": 23},
        {"text": texts[2], "start": 0, "end": 5},
    ]
    workspace = api.sessions.find(OWNER, token)
    (event,) = [each for each in workspace.store.events(workspace.session_id) if each.type == "places"]
    assert event.payload == {"pin": "Knopf", "text": TEXT, "rows": reply["rows"]}


def test_pin_that_is_a_tag_has_no_places():
    tagged = replace(segment("Click <b>it</b>."), constraints=Constraints())
    assert to_engine(question_for(tagged, asked, "<b>", "Klicke <b>es</b>.", None)) is None
