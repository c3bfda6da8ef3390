"""Questions asked in passing: what the engine is asked, what is shown and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER
from app.segments.segment_constraints import Constraints
from app.ui.api import Api
from app.workspace.model_questions import COMPLETION_STRENGTH
from engine import Follow, Hypothesis, Reason, Request, Translation
from tests.app.hand_decoder import HandDecoder, api_with_document, settle, translation


@pytest.fixture
def decoder() -> HandDecoder:
    return HandDecoder()


@pytest.fixture
def api(tmp_path: Path, decoder: HandDecoder) -> Iterator[Api]:
    with api_with_document(tmp_path, decoder, "The old router restarts.\n") as opened:
        yield opened


def ask(api: Api, decoder: HandDecoder, text: str, answer: Translation, **more: bool) -> dict[str, Any]:
    """The page's reply where the model answers so."""
    token = api.hello(OWNER, {})["token"]

    async def both() -> dict[str, Any]:
        asked = asyncio.create_task(api.completion(OWNER, {"token": token, "segment": 0, "text": text, **more}))
        while not (waiting := completions(decoder)):
            await asyncio.sleep(0.005)
        waiting[0].set_result(answer)
        return await asked

    return asyncio.run(both())


def completions(decoder: HandDecoder) -> list[Future[Translation]]:
    """Those that wait for an answer; they join what is being decoded, like any request."""
    assert not any(key.endswith("/completion") for key, _ in decoder.questions), "it would wait for the others to end"
    asked = [item for item in decoder.requests if item[0].endswith("/completion")]
    assert {priority for _, _, priority, _ in asked} <= {"interactive"}
    return [future for *_, future in asked if not future.done()]


def test_answer_is_shown_and_logged_and_a_stale_one_neither(api: Api, decoder: HandDecoder):
    overtaken = Translation(Request("Anything."), "cancelled")
    assert ask(api, decoder, "Das", overtaken) == {"ok": True, "is_overtaken": True}
    reply = ask(api, decoder, "Das", translation(Request("Anything."), "Das Haus."), is_requested=True)
    assert reply == {"ok": True, "completion": " Haus.", "reason": ""}
    workspace = api.sessions.find(OWNER, api.hello(OWNER, {})["token"])
    logged = [e.payload for e in workspace.store.events(workspace.session_id) if e.type == "completion"]
    assert logged == [{"text": "Das", "completion": " Haus.", "elapsed_ms": 12.5, "status": "complete"}]
    assert ask(api, decoder, "Das Haus.", translation(Request("Anything."), "Das Haus."))["completion"] == ""
    assert [e.type for e in workspace.store.events(workspace.session_id)].count("completion") == 1, "nothing was shown"


def test_unlikely_completion_is_shown_only_on_request(api: Api, decoder: HandDecoder):
    found = translation(Request("Anything."), "Das Haus.")
    unlikely = Hypothesis("Das Haus.", -3.0, -6.0, (1, 2), (-1.0, -5.0), ((0, 3), (4, 9)))
    answer = replace(found, hypotheses=(unlikely,))
    assert ask(api, decoder, "Das", answer)["completion"] == ""
    assert ask(api, decoder, "Das", answer, is_requested=True)["completion"] == " Haus."


def test_completion_stays_near_to_the_proposal(api: Api, decoder: HandDecoder):
    workspace = api.sessions.find(OWNER, api.hello(OWNER, {})["token"])
    decoder.answer(0, "Das alte Haus steht leer.")
    settle(workspace)
    workspace.questions.ask_completion(0, "Das Ha")
    request = decoder.of("completion")[-1][0]
    assert (request.prefix, request.follow) == ("Das Ha", Follow("Das alte Haus steht leer.", COMPLETION_STRENGTH))


def test_text_without_a_possible_completion_is_answered_with_the_reason(api: Api, decoder: HandDecoder):
    blocked = Translation(Request("x"), "infeasible", reasons=(Reason("unspellable", "漢 cannot be spelt"),))
    reason = "The model cannot write the kept text exactly: change it, or keep less of it."
    assert ask(api, decoder, "漢", blocked) == {"ok": True, "completion": "", "reason": reason}


def test_revision_keeps_edits_and_shows_further_changes(api: Api, decoder: HandDecoder):
    token = api.hello(OWNER, {})["token"]
    text, kept = "Der alte Router startet neu.", {"prefix": "Der alte ", "locked": []}

    async def both() -> dict[str, Any]:
        asked = asyncio.create_task(api.revision(OWNER, {"token": token, "segment": 0, "text": text, **kept}))
        while not (waiting := decoder.of("revision")):
            await asyncio.sleep(0.005)
        request, _, future = waiting[0]
        assert (request.prefix, request.follow) == ("Der alte ", Follow(text, 1.0))
        future.set_result(translation(request, "Der alte Router wird neu gestartet."))
        return await asked

    runs = [{"t": "Der alte Router "}, {"t": "wird", "was": "startet"}, {"t": " neu"}, {"t": " gestartet", "was": ""}]
    assert asyncio.run(both()) == {"ok": True, "runs": [*runs, {"t": "."}]}
    workspace = api.sessions.find(OWNER, token)
    (logged,) = [e.payload for e in workspace.store.events(workspace.session_id) if e.type == "revision"]
    assert (logged["text"], logged["revision"]) == (text, "Der alte Router wird neu gestartet.")


def test_change_of_the_constraints_ends_the_question(api: Api, decoder: HandDecoder):
    workspace = api.sessions.find(OWNER, api.hello(OWNER, {})["token"])
    _, future = workspace.questions.ask_completion(0, "Das")
    workspace.constrain(OWNER, 0, Constraints(pins=("Haus",)))
    assert future.result(0) is None


def test_crash_and_unawaited_answers_disturb_nothing(api: Api, decoder: HandDecoder):
    questions = api.sessions.find(OWNER, api.hello(OWNER, {})["token"]).questions
    _, unwanted = questions.ask_completion(0, "Das")
    assert unwanted.cancel()
    (first,) = completions(decoder)
    first.set_result(translation(Request("x"), "Das Haus."))
    _, wanted = questions.ask_completion(0, "Das")
    (second,) = completions(decoder)
    second.set_exception(ValueError("broken"))
    assert isinstance(wanted.exception(0), ValueError)
