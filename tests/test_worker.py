"""One thread for the model: order, cancellation, crashes. The translators are real but slowed or broken on purpose."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import torch

from engine import EngineError, InvalidRequest, Phrase, Request, SearchOptions, Translator, Worker
from engine.model import LoadedModel, ModelConfig, Transformer

OPTIONS = SearchOptions(beam=3, nbest=2)


class Gated(Translator):
    """A translator that notes what it begins and waits before each request until it is let on."""

    def __init__(self, model: LoadedModel) -> None:
        super().__init__(model)
        self.begun: list[str] = []
        self.has_begun = threading.Semaphore(0)
        self.may_go_on = threading.Semaphore(0)

    def translate(self, request, options=OPTIONS, **settings):
        self.begun.append(request.source)
        self.has_begun.release()
        assert self.may_go_on.acquire(timeout=30)
        return super().translate(request, options, **settings)


@pytest.fixture(scope="module")
def model(codec) -> LoadedModel:
    torch.manual_seed(1)
    config = ModelConfig(len(codec.vocabulary), ("en-de",), 16, 2, 16, 1, 1)
    return LoadedModel(config, codec, Transformer(config).eval(), "0" * 64)


@pytest.fixture
def gated(model) -> Iterator[tuple[Gated, Worker]]:
    translator = Gated(model)
    with Worker(translator) as worker:
        yield translator, worker
        for _ in range(100):
            translator.may_go_on.release()


def begin(gated: Gated, worker: Worker, text: str, **settings):
    """Submit a request and wait until it runs."""
    future = worker.submit(Request(text), OPTIONS, **settings)
    assert gated.has_begun.acquire(timeout=30)
    return future


def test_futures_hold_what_the_translator_gives(model):
    request = Request("Open the file.", phrases=[Phrase("Datei")])
    with Worker(Translator(model)) as worker:
        answer = worker.submit(request, OPTIONS).result(30)
    direct = Translator(model).translate(request, OPTIONS)
    assert answer.status == "complete"
    assert answer.hypotheses == direct.hypotheses


def test_many_threads_get_their_own_answers(model):
    with Worker(Translator(model)) as worker:
        answers = {}

        def ask(number: int) -> None:
            answers[number] = worker.submit(Request(f"File {number}"), OPTIONS).result(60).request.source

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == {number: f"File {number}" for number in range(12)}


def test_interactive_request_overtakes_documents_and_they_still_finish(gated):
    translator, worker = gated
    first = begin(translator, worker, "document 1", priority="document")
    second = worker.submit(Request("document 2"), OPTIONS, priority="document")
    urgent = worker.submit(Request("urgent"), OPTIONS)
    assert worker.queue_length == 2
    for _ in range(4):  # document 1 gives way, urgent, document 1 again, document 2
        translator.may_go_on.release()
    assert [future.result(30).status for future in (urgent, first, second)] == ["complete"] * 3
    assert translator.begun == ["document 1", "urgent", "document 1", "document 2"]


def test_newer_request_of_the_same_key_cancels_the_older_waiting_or_running(gated):
    translator, worker = gated
    running = begin(translator, worker, "first", key="segment 1")
    waiting = worker.submit(Request("second"), OPTIONS, key="segment 1")
    other = worker.submit(Request("other"), OPTIONS, key="segment 2")
    newest = worker.submit(Request("third"), OPTIONS, key="segment 1")
    for _ in range(3):
        translator.may_go_on.release()
    assert running.result(30).status == "cancelled"
    assert waiting.result(30).status == "cancelled"
    assert newest.result(30).status == "complete"
    assert other.result(30).status == "complete"
    assert "second" not in translator.begun


def test_cancel_ends_the_request_of_its_key(gated):
    translator, worker = gated
    running = begin(translator, worker, "first", key="a")
    worker.cancel("a")
    worker.cancel("no such key")
    translator.may_go_on.release()
    result = running.result(30)
    assert (result.status, result.reasons[0].kind) == ("cancelled", "cancelled")


def test_future_that_its_caller_cancelled_is_skipped(gated):
    translator, worker = gated
    running = begin(translator, worker, "first")
    unwanted = worker.submit(Request("unwanted"), OPTIONS)
    assert unwanted.cancel()
    last = worker.submit(Request("last"), OPTIONS)
    for _ in range(2):
        translator.may_go_on.release()
    assert running.result(30).status == last.result(30).status == "complete"
    assert translator.begun == ["first", "last"]


def test_crash_fails_its_request_alone(model):
    class Crashing(Translator):
        def translate(self, request, options=OPTIONS, **settings):
            if "crash" in request.source:
                raise MemoryError("no room for 3 GiB")
            return super().translate(request, options, **settings)

    with Worker(Crashing(model)) as worker:
        crashed = worker.submit(Request("crash")).result(30)
        assert (crashed.status, crashed.reasons[0].kind) == ("failed", "crashed")
        assert "no room for 3 GiB" in crashed.reasons[0].message
        assert worker.submit(Request("fine"), OPTIONS).result(30).status == "complete"


def test_request_that_cannot_be_asked_raises_in_its_future(model):
    with Worker(Translator(model)) as worker:
        with pytest.raises(InvalidRequest, match="xx-yy"):
            worker.submit(Request("a", direction="xx-yy")).result(30)
        assert worker.submit(Request("fine"), OPTIONS).result(30).status == "complete"


def test_closing_cancels_what_is_left_and_refuses_more(gated):
    translator, worker = gated
    running = begin(translator, worker, "first")
    waiting = worker.submit(Request("second"), OPTIONS)
    closer = threading.Thread(target=worker.close)
    closer.start()
    translator.may_go_on.release()
    closer.join(30)
    assert running.result(0).status == waiting.result(0).status == "cancelled"
    with pytest.raises(EngineError, match="closed"):
        worker.submit(Request("third"))


def test_any_question_can_be_asked_of_the_translator(model):
    request = Request("Open the file.", phrases=[Phrase("Datei")])
    with Worker(Translator(model)) as worker:
        pricing = worker.ask(lambda translator, cancel: translator.price(request, OPTIONS, cancel=cancel)).result(30)
        scored = worker.ask(lambda translator, _: translator.score("Open it.", "Datei")).result(30)
        broken = worker.ask(lambda translator, _: translator.score("Open it."))
        with pytest.raises(InvalidRequest, match="target"):
            broken.result(30)
        crashed = worker.ask(lambda translator, _: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            crashed.result(30)
    assert pricing is not None
    assert pricing.constrained.status == "complete"
    assert scored is not None
    assert scored.text == "Datei"


def test_question_that_a_newer_one_replaced_has_no_answer(gated):
    translator, worker = gated
    running = begin(translator, worker, "first", priority="document")
    older = worker.ask(lambda translator, _: "older", key="prices")
    newer = worker.ask(lambda translator, _: "newer", key="prices")
    for _ in range(3):
        translator.may_go_on.release()
    assert older.result(30) is None
    assert newer.result(30) == "newer"
    assert running.result(30).status == "complete"
