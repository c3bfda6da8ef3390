"""Questions about other words: what is asked of the engine, how its answer reaches the page and the log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.errors import CommandError
from app.glossary import Term, term_matcher
from app.glossary.lemmas import with_forms
from app.segments.proposal_view import DecodingResult
from app.segments.resolved_constraints import resolve_constraints
from app.segments.segment_constraints import Constraints
from app.segments.state import SegmentState
from app.text.words import word_spans
from app.ui.api import Api
from app.workspace.alternatives import alternatives_view, question_for
from engine import Alternative, Avoid, Follow, InvalidRequest, Request
from tests.app.hand_decoder import HandDecoder, api_with_document, translation

SOURCE = "Click the button."


def segment(text: str, *pins: str, **fields: Any) -> SegmentState:
    constraints = Constraints(pins=pins)
    resolved = resolve_constraints(constraints)
    request = Request(SOURCE, phrases=tuple(one.phrase() for one in resolved.required))
    decoded = DecodingResult(translation(request, text), resolved)
    state = SegmentState(0, SOURCE, 3, decoded=decoded, shown=decoded, requested=1, answered=1, constraints=constraints)
    return replace(state, **fields)


def asked(segment: SegmentState) -> Request:
    return segment.request("en-de")


def alternative(word: str, text: str) -> Alternative:
    return Alternative(word, -1.0, translation(Request(SOURCE), text).hypotheses[0])


def test_question_is_about_the_words_first_character_and_keeps_the_other_constraints():
    question = question_for(segment("Den „Knopf“ drücken.", "drücken"), asked, "Den „Knopf“ drücken.", "Den ")
    assert (question.word, question.offset, question.replaced) == ("Knopf", 5, ())
    assert question.protection.request.follow == Follow("Den „Knopf“ drücken."), (
        "the other words change as little as possible"
    )
    assert [phrase.text for phrase in question.protection.request.phrases] == ["drücken"]


def test_pin_that_contains_the_word_is_left_out():
    pinned = segment("Den roten Knopf drücken.", "roten Knopf", "drücken")
    question = question_for(pinned, asked, "Den roten Knopf drücken.", "Den roten ")
    assert question.replaced == ("roten Knopf",)
    assert [phrase.text for phrase in question.protection.request.phrases] == ["drücken"]


def before(text: str, number: int) -> str:
    """The text before a word, by its number."""
    return text[: word_spans(text)[number][0]]


@pytest.mark.parametrize(("text", "beginning"), [("Ja.", "Ja."), ("Ja.", "Nein"), ("", "")])
def test_question_without_a_word_is_refused(text: str, beginning: str):
    with pytest.raises(CommandError, match="no word at this place"):
        question_for(segment("Ja."), asked, text, beginning)


def test_question_about_a_proposal_that_does_not_meet_the_constraints_is_refused():
    stale = segment("Ja.", constraints=Constraints(bans=(Avoid("x"),)))
    with pytest.raises(CommandError, match="cannot all be met"):
        question_for(stale, asked, "Ja.", "")
    assert question_for(stale, asked, "Ja so.", "").hypothesis is None, "another text is the person's own"


def test_text_of_the_persons_own_is_scored_first_and_keeps_their_words():
    pinned = segment("Den Knopf drücken.", "roten Schalter", "drücken")
    text = "Den roten Schalter bitte drücken, ja."
    question = question_for(pinned, asked, text, "Den ", ["roten Schalter", "bitte", "ja"])
    assert (question.hypothesis, question.replaced) == (None, ("roten Schalter",))
    request = question.protection.request
    assert (request.locked, [phrase.text for phrase in request.phrases]) == (("bitte", "ja"), ["drücken"])
    scoring = question.score_question
    assert scoring is not None
    assert (scoring.target, request.follow) == (text, Follow(text))
    scored = question.scored(translation(Request(SOURCE), text).hypotheses[0])
    assert (scored.score_question, scored.hypothesis and scored.hypothesis.text) == (None, text)


PLACES = [
    # proposal, word number, the engine's word, its sentence, the word to pin, the tail, the beginning, why
    ("Den Knopf.", 1, "Schalter", "Den Schalter.", "Schalter", ".", "Den Schalter.", "the mark behind it closes it"),
    ("Den Knopf an.", 1, "Knauf", "Den Knauf aus.", "Knauf", " aus.", "Den Knauf ", "common letters"),
    ("„Ja“, sagt er", 0, "„Nein“,", "„Nein“, sagt er", "Nein", "“, sagt er", "„Nein“", "marks are not pinned"),
    ("der Mann der", 2, "die", "der Mann die", "die", "", "der Mann die", "the last word"),
    ("der der der", 1, "das", "der das der", "das", " der", "der das ", "a word that comes often"),
]


@pytest.mark.parametrize(("proposal", "number", "word", "text", "pin", "tail", "beginning", "why"), PLACES)
def test_alternative_begins_where_the_sentences_differ(proposal, number, word, text, pin, tail, beginning, why: str):
    question = question_for(segment(proposal), asked, proposal, before(proposal, number))
    (row,) = alternatives_view(question, [alternative(word, text)])["rows"]
    assert (row["word"], row["tail"], row["prefix"]) == (pin, tail, beginning), why


def test_alternatives_exclude_same_word_and_punctuation_and_mark_terms():
    hits = term_matcher(with_forms((Term("button", "Schalter"),), "de")).find(SOURCE)
    question = replace(
        question_for(segment("Den Knopf."), asked, "Den Knopf.", "Den "), segment=segment("x", hits=hits)
    )
    found = [("Knopf,", "Den Knopf, ja."), ("–", "Den – ja"), ("Schaltern", "Den Schaltern."), ("Hut", "Den Hut.")]
    rows = alternatives_view(question, [alternative(*each) for each in found])["rows"]
    assert [(row["word"], row["is_term"]) for row in rows] == [("Schaltern", True), ("Hut", False)]


def test_score_of_an_alternative_below_the_proposals_is_a_negative_difference():
    question = question_for(segment("Den Knopf."), asked, "Den Knopf.", "Den ")
    worse = alternative("Hut", "Den Hut.")
    worse = replace(worse, hypothesis=replace(worse.hypothesis, score=question.hypothesis.score - 0.25))
    (row,) = alternatives_view(question, [worse])["rows"]
    assert row["score_difference"] == -0.25


@pytest.fixture
def decoder() -> HandDecoder:
    return HandDecoder()


@pytest.fixture
def api(tmp_path: Path, decoder: HandDecoder) -> Iterator[Api]:
    with api_with_document(tmp_path, decoder, SOURCE, "Den Knopf drücken.") as opened:
        yield opened


async def ask(
    api: Api, decoder: HandDecoder, answers: list[Any], text: str = "Den Knopf drücken."
) -> list[dict[str, Any]]:
    """As many questions as there are answers, one after the other, answered once all are asked."""
    token = api.hello(OWNER, {})["token"]
    message = {"token": token, "segment": 0, "before": "Den ", "locked": [], "text": text}
    asked = []
    for number in range(len(answers)):
        asked.append(asyncio.create_task(api.alternatives(OWNER, message)))
        while len(decoder.questions) <= number:
            await asyncio.sleep(0.01)
    for (_, future), answer in zip(list(decoder.questions), answers, strict=True):
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
    return list(await asyncio.gather(*asked))


def test_answer_reaches_page_and_log_and_a_stale_one_neither(api: Api, decoder: HandDecoder):
    found = (alternative("Schalter", "Den Schalter drücken."),)
    first, second = asyncio.run(ask(api, decoder, [None, found]))
    assert first == {"ok": True, "is_overtaken": True}
    assert [row["word"] for row in second["rows"]] == ["Schalter"]
    workspace = api.sessions.find(OWNER, api.hello(OWNER, {})["token"])
    (event,) = [e for e in workspace.store.events(workspace.session_id) if e.type == "alternatives"]
    assert event.payload["word"] == "Knopf"
    assert event.payload["shown"] == second["rows"]


def test_words_for_a_text_of_the_persons_own_come_after_its_score(api: Api, decoder: HandDecoder):
    text = "Den Schalter drücken."

    async def both() -> dict[str, Any]:
        asked = asyncio.create_task(ask(api, decoder, [translation(Request(SOURCE), text).hypotheses[0]], text))
        while len(decoder.questions) < 2:
            await asyncio.sleep(0.01)
        decoder.questions[1][1].set_result((alternative("Hebel", "Den Hebel drücken."),))
        return (await asked)[0]

    answer = asyncio.run(both())
    assert len(decoder.questions) == 2
    assert (answer["word"], [row["text"] for row in answer["rows"]]) == ("Schalter", ["Den Hebel drücken."])


def test_unanswerable_question_returns_the_reason(api: Api, decoder: HandDecoder):
    refused, broken = asyncio.run(
        ask(api, decoder, [InvalidRequest("offset 4 is not on a word"), RuntimeError("secret")])
    )
    assert refused["error"]["message"] == "offset 4 is not on a word"
    assert broken["error"]["kind"] == "internal"
    assert "secret" not in broken["error"]["message"]


def test_taken_alternative_is_a_pin_with_its_beginning_until_the_next_change(api: Api, decoder: HandDecoder):
    workspace = api.sessions.find(OWNER, api.hello(OWNER, {})["token"])
    workspace.constrain(OWNER, 0, Constraints(pins=("Schalter",), prefix="Den Schalter "), origin="alternative")
    assert decoder.of(0)[-1][0].prefix == "Den Schalter "
    stored = workspace.store.load_session(OWNER, workspace.session_id).segments[0].constraints
    assert stored["prefix"] == "Den Schalter "
    workspace.constrain(OWNER, 0, Constraints(pins=("Schalter", "fest")))
    assert decoder.of(0)[-1][0].prefix == ""
    logged = [e for e in workspace.store.events(workspace.session_id) if e.type in ("pin", "beginning")]
    assert [(e.type, e.payload["text"], e.payload["origin"]) for e in logged] == [
        ("pin", "Schalter", "alternative"),
        ("beginning", "Den Schalter ", "alternative"),
        ("pin", "fest", "person"),
        ("beginning", "", "person"),
    ]
