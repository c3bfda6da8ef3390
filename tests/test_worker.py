"""One thread for the model: joining, order, fairness, cancellation, crashes. A gate lets its steps go one by one."""

from __future__ import annotations

import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    AlternativesQuestion,
    Avoid,
    EngineError,
    Follow,
    InvalidRequest,
    LearningQuestion,
    Phrase,
    PlacesQuestion,
    PriceQuestion,
    Request,
    ScoreQuestion,
    SearchOptions,
    SpellingQuestion,
    Translation,
    Translator,
    Worker,
)
from engine.decoding.loop import DecodingJob
from engine.decoding.model_pipeline import ModelPipeline
from engine.interruption import Interruption
from engine.model import LoadedModel, ModelConfig, Transformer
from engine.worker.fair_queue import FairQueue

OPTIONS = SearchOptions(beam=3, nbest=2)


@dataclass(frozen=True)
class Call:
    """A question whose answer a function gives; it gets the translator and the interruption."""

    call: Callable[..., Any]

    def steps(self, translator, interruption):
        yield ()
        return self.call(translator, interruption)


class NotingPipeline(ModelPipeline):
    """Lists the sources of the sentences that it makes."""

    def __init__(self, model: LoadedModel) -> None:
        super().__init__(model)
        self.begun: list[str] = []

    def sentence(self, prepared, options, interruption):
        self.begun.append(prepared.source)
        return super().sentence(prepared, options, interruption)


class Gated(Translator):
    """A translator that lists the sources that it begins, and waits before each step until the test allows it."""

    pipeline_class = NotingPipeline

    def __init__(self, model: LoadedModel) -> None:
        super().__init__(model)
        self.pipeline = self.pipeline_class(model)
        self.begun = self.pipeline.begun
        self._is_at_gate = threading.Semaphore(0)
        self._may_step = threading.Semaphore(0)

    def decoding_loop(self, *settings, **more):
        loop = super().decoding_loop(*settings, **more)
        step = loop.step

        def gated_step():
            self._is_at_gate.release()
            assert self._may_step.acquire(timeout=60)
            return step()

        loop.step = gated_step
        return loop

    def wait(self) -> None:
        """Until the worker is about to step."""
        assert self._is_at_gate.acquire(timeout=60)

    def steps(self, count: int) -> None:
        """Let the worker, which waits at the gate, make so many steps, to the gate again."""
        for _ in range(count):
            self._may_step.release()
            self.wait()

    def open(self) -> None:
        """From now on nothing waits."""
        for _ in range(10_000):
            self._may_step.release()


@pytest.fixture(scope="module")
def model(codec) -> LoadedModel:
    torch.manual_seed(1)
    config = ModelConfig(len(codec.vocabulary), ("en-de",), 16, 2, 16, 1, 1)
    return LoadedModel.of(config, codec, Transformer(config).eval(), "0" * 64)


@pytest.fixture
def gated(model) -> Iterator[tuple[Gated, Worker]]:
    translator = Gated(model)
    with Worker(translator) as worker:
        yield translator, worker
        translator.open()


def begin(gated: Gated, worker: Worker, text: str, **settings):
    """Submit a request and wait until it is about to make its first step."""
    future = worker.submit(Request(text), OPTIONS, **settings)
    gated.wait()
    return future


def same(answer: Translation, other: Translation) -> bool:
    """Equal but for rounding."""
    assert [h.text for h in answer.hypotheses] == [h.text for h in other.hypotheses]
    assert [h.score for h in answer.hypotheses] == pytest.approx([h.score for h in other.hypotheses], abs=1e-5)
    return (answer.status, answer.num_steps) == (other.status, other.num_steps)


def test_futures_have_the_results_of_the_translator(model):
    request = Request("Open the file.", phrases=[Phrase("Datei")])
    with Worker(Translator(model)) as worker:
        answer = worker.submit(request, OPTIONS).result(60)
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


def test_request_that_joins_running_ones_equals_request_alone(gated, model):
    translator, worker = gated
    requests = [
        Request("Open the file."),
        Request("Close it now.", phrases=[Phrase("Datei")]),
        Request("No.", avoid=["Datei"], prefix="Nein"),
    ]
    options = [OPTIONS, SearchOptions(beam=5, nbest=3), SearchOptions(beam=2, nbest=1, stopping="optimal")]
    futures = []
    for request, wanted in zip(requests, options, strict=True):
        futures.append(worker.submit(request, wanted))
        translator.wait() if len(futures) == 1 else translator.steps(3)
    assert translator.begun == [request.source for request in requests]
    assert not any(future.done() for future in futures), "all three are under way"
    assert worker.statistics().num_running == 3
    translator.open()
    for future, request, wanted in zip(futures, requests, options, strict=True):
        assert same(future.result(60), Translator(model).translate(request, wanted))


def test_interactive_request_overtakes_documents_which_then_continue(gated, model):
    translator, worker = gated
    document = begin(translator, worker, "document 1", priority="document")
    translator.steps(2)
    waiting = worker.submit(Request("document 2"), OPTIONS, priority="document")
    urgent = worker.submit(Request("urgent"), OPTIONS)
    translator.steps(1)
    assert translator.begun[:2] == ["document 1", "urgent"]
    while not urgent.done():
        assert not document.done()
        translator.steps(1)
    translator.open()
    assert [future.result(60).status for future in (document, waiting)] == ["complete"] * 2
    assert sorted(translator.begun) == ["document 1", "document 2", "urgent"], "nothing began twice"
    assert same(document.result(), Translator(model).translate(Request("document 1"), OPTIONS))


@pytest.mark.parametrize(
    ("priority", "shares_steps", "gives_way"),
    [("document", False, True), ("interactive", False, False), ("document", True, False)],
)
def test_worker_gives_way_while_it_computes_for_documents_alone(model, priority, shares_steps, gives_way):
    threads = []

    def give_way() -> None:
        threads.append(threading.current_thread().name)

    with Worker(Translator(model), shares_steps=shares_steps, give_way=give_way) as worker:
        answer = worker.submit(Request("Open the file."), OPTIONS, priority=priority).result(60)
    assert answer.status == "complete"
    assert set(threads) == ({"pinpoint-model"} if gives_way else set())
    assert len(threads) >= answer.num_steps * gives_way


def test_documents_share_the_steps_of_interactive_requests_on_request(model):
    translator = Gated(model)
    with Worker(translator, shares_steps=True) as worker:
        document = begin(translator, worker, "document", priority="document")
        translator.steps(2)
        urgent = worker.submit(Request("urgent"), OPTIONS)
        alone = Translator(model).translate(Request("document"), OPTIONS)
        translator.steps(alone.num_steps - 2)
        assert same(document.result(60), alone), "it never stood still"
        translator.open()
        assert same(urgent.result(60), Translator(model).translate(Request("urgent"), OPTIONS))


@given(pushed=st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=40))
def test_owner_never_has_two_turns_while_another_waits(pushed):
    """Jobs are pushed, and one popped now and then; each owner's own come out in order."""
    queue, passed_over = FairQueue(), dict.fromkeys("abc", 0)
    waiting = {owner: [] for owner in "abc"}

    def pop():
        owner, number = queue.pop()
        assert number == waiting[owner].pop(0)
        passed_over[owner] = 0
        for other in set("abc") - {owner}:
            passed_over[other] = passed_over[other] + 1 if waiting[other] else 0
            assert passed_over[other] <= 2, "at most once for each of the two others"

    for number, (owner, pops) in enumerate(pushed):
        queue.push(owner, (owner, number))
        waiting[owner].append(number)
        if pops:
            pop()
    assert sorted(queue) == sorted((owner, number) for owner, numbers in waiting.items() for number in numbers)
    while len(queue):
        pop()


def test_owners_take_turns(gated):
    translator, worker = gated
    futures = [begin(translator, worker, "a 0", owner="a")]
    futures += [worker.submit(Request(f"a {number}"), OPTIONS, owner="a") for number in range(1, 30)]
    futures += [worker.submit(Request(f"b {number}"), OPTIONS, owner="b") for number in range(2)]
    translator.steps(1)
    assert translator.begun[:6] == ["a 0", "a 1", "b 0", "a 2", "b 1", "a 3"]
    assert len(translator.begun) == 16, "no more than a batch"
    assert worker.queue_length == 16
    translator.open()
    assert {future.result(60).status for future in futures} == {"complete"}


def test_newer_request_of_the_same_key_cancels_the_older_waiting_or_running(gated):
    translator, worker = gated
    running = begin(translator, worker, "first", key="segment 1")
    waiting = worker.submit(Request("second"), OPTIONS, key="segment 1")
    other = worker.submit(Request("other"), OPTIONS, key="segment 2")
    newest = worker.submit(Request("third"), OPTIONS, key="segment 1")
    translator.steps(1)
    assert running.result(0).status == waiting.result(0).status == "cancelled"
    translator.open()
    assert newest.result(60).status == other.result(60).status == "complete"
    assert "second" not in translator.begun


@pytest.mark.parametrize("priority", ["interactive", "document"])
def test_cancel_acts_within_one_step_even_for_paused_requests(gated, priority):
    translator, worker = gated
    running = begin(translator, worker, "first", key="a", priority=priority)
    worker.submit(Request("urgent"), OPTIONS)
    translator.steps(2)
    worker.cancel("a")
    worker.cancel("no such key")
    translator.steps(1)
    result = running.result(0)
    assert (result.status, result.reasons[0].kind) == ("cancelled", "cancelled")


def test_deadline_acts_within_one_step_and_gives_the_best_so_far(gated):
    translator, worker = gated
    late = worker.submit(Request("late"), OPTIONS, deadline_ms=0)
    translator.wait()
    translator.open()
    assert late.result(60).status == "deadline"
    assert late.result().num_steps == 0


def test_future_that_its_caller_cancelled_is_skipped(gated):
    translator, worker = gated
    running = begin(translator, worker, "first")
    unwanted = worker.submit(Request("unwanted"), OPTIONS, key="unwanted")
    assert unwanted.cancel()
    last = worker.submit(Request("last"), OPTIONS)
    translator.open()
    assert running.result(60).status == last.result(60).status == "complete"
    assert translator.begun == ["first", "last"]


class CrashingPipeline(NotingPipeline):
    """Crashes before the search for sources with "begin", in its third step for "step", and after it for "end"."""

    def sentence(self, prepared, options, interruption):
        if "begin" in prepared.source:
            raise MemoryError("no room for 3 GiB")
        return super().sentence(prepared, options, interruption)

    def decoder(self, sentences: Sequence):
        decoder = super().decoder(sentences)
        if any("step" in sentence.source.source for sentence in sentences):
            step, numbers = decoder.step, count()

            def crashing(tokens):
                if next(numbers) == 2:
                    raise InvalidRequest("at most 2 pieces")
                return step(tokens)

            decoder.step = crashing
        return decoder

    def translation(self, request, prepared, result, options, interruption):
        if "end" in request.source:
            raise ValueError("cannot be written")
        return super().translation(request, prepared, result, options, interruption)


class Crashing(Gated):
    pipeline_class = CrashingPipeline


def test_crash_fails_its_request_alone(model):
    translator = Crashing(model)
    with Worker(translator) as worker:
        fine = [begin(translator, worker, "fine 0")]
        crashing = [worker.submit(Request(where), OPTIONS) for where in ("begin", "end")]
        fine += [worker.submit(Request(f"fine {number}"), OPTIONS) for number in (1, 2)]
        translator.open()
        answers = [future.result(60) for future in crashing]
        assert [(answer.status, answer.reasons[0].kind) for answer in answers] == [("failed", "crashed")] * 2
        assert "no room for 3 GiB" in answers[0].reasons[0].message
        assert "ValueError: cannot be written" in answers[1].reasons[0].message
        for number, future in enumerate(fine):
            assert same(future.result(60), Translator(model).translate(Request(f"fine {number}"), OPTIONS))


def test_crash_in_a_shared_step_fails_its_request_alone(model):
    translator = Crashing(model)
    with Worker(translator) as worker:
        first = begin(translator, worker, "step 1")
        crashing = worker.submit(Request("step 2"), OPTIONS)
        fine = [worker.submit(Request(f"fine {number}"), OPTIONS) for number in range(3)]
        translator.open()
        for future in (first, crashing):
            with pytest.raises(InvalidRequest, match="at most 2 pieces"):
                future.result(60)
        for number, future in enumerate(fine):
            assert same(future.result(60), Translator(model).translate(Request(f"fine {number}"), OPTIONS))
        assert worker.statistics().num_failed == 2


class Breaking(Gated):
    """Breaks outside of any request, with `error`, as often as `num_times` says."""

    error: BaseException = ValueError("outside of any request")
    num_times = 1

    def decoding_loop(self, *settings, **more):
        loop = super().decoding_loop(*settings, **more)
        step = loop.step

        def breaking_step():
            answers = step()
            if self.num_times > 0 and len(loop):
                self.num_times -= 1
                raise self.error
            return answers

        loop.step = breaking_step
        return loop


def test_error_outside_of_any_request_fails_running_ones_and_the_next_go_on(model):
    translator = Breaking(model)
    with Worker(translator) as worker:
        running = begin(translator, worker, "first", key="a")
        translator.num_times = 3
        translator.open()
        broken = [running.result(60), *(worker.submit(Request(f"{n}"), OPTIONS).result(60) for n in range(2))]
        assert [(answer.status, answer.reasons[0].kind) for answer in broken] == [("failed", "crashed")] * 3
        assert "ValueError: outside of any request" in broken[0].reasons[0].message
        fine = worker.submit(Request("fine"), OPTIONS, key="a").result(60)
        assert same(fine, Translator(model).translate(Request("fine"), OPTIONS))
        assert (worker.statistics().num_running, worker.statistics().num_failed) == (0, 3)


@pytest.mark.filterwarnings("ignore:Exception in thread")
def test_death_of_the_thread_answers_every_request(model):
    translator = Breaking(model)
    translator.error = SystemExit()
    worker = Worker(translator)
    running = begin(translator, worker, "first")
    waiting = [worker.submit(Request(f"{n}"), OPTIONS, priority="document") for n in range(2)]
    waiting.append(worker.ask(Call(lambda *_: 1)))
    unwanted = worker.submit(Request("unwanted"), OPTIONS)
    assert unwanted.cancel()
    translator.open()
    for future in (running, *waiting):
        with pytest.raises(EngineError, match="thread has died; make a new worker"):
            future.result(60)
    with pytest.raises(EngineError, match="closed"):
        worker.submit(Request("later"))
    worker.close()


def test_thread_that_hangs_is_replaced_and_has_no_effect_any_more(gated, model):
    translator, worker = gated
    hung = begin(translator, worker, "first")
    old = [worker._thread]
    waiting = worker.submit(Request("second"), OPTIONS, priority="document")
    for _ in range(2):
        assert not hung.done()
        heartbeat = worker.heartbeat
        assert heartbeat is not None and worker.heartbeat == heartbeat
        worker.restart("the model did not answer: try again")
        translator.wait()
        assert worker.heartbeat != heartbeat
        old.append(worker._thread)
    with pytest.raises(EngineError, match="did not answer: try again"):
        hung.result(60)
    translator.open()
    assert same(waiting.result(60), Translator(model).translate(Request("second"), OPTIONS))
    for thread in old[:2]:
        thread.join(60)
        assert not thread.is_alive()
    assert same(
        worker.submit(Request("third"), OPTIONS).result(60), Translator(model).translate(Request("third"), OPTIONS)
    )
    statistics = worker.statistics()
    assert (statistics.num_answered, statistics.num_failed, statistics.num_running) == (3, 1, 0)


def test_a_worker_may_be_closed_while_its_thread_is_replaced(gated, model):
    translator, worker = gated
    hung = begin(translator, worker, "first")
    worker.restart("the model did not answer")
    translator.wait()
    problems: list[Exception] = []

    def close(_: object) -> None:
        try:
            worker.close()
        except RuntimeError as problem:
            problems.append(problem)

    hung.add_done_callback(close)
    translator.open()
    worker.restart("the model did not answer")  # answers the request, which closes the worker meanwhile
    assert not problems
    with pytest.raises(EngineError):
        hung.result(60)


def test_request_that_ran_when_the_thread_hung_is_answered_by_the_new_one(gated, model):
    translator, worker = gated
    answered = begin(translator, worker, "first")
    worker.restart("the model did not answer")
    translator.wait()
    translator.open()
    assert same(answered.result(60), Translator(model).translate(Request("first"), OPTIONS))


def test_repeated_request_can_be_overtaken(gated, model):
    translator, worker = gated
    overtaken = begin(translator, worker, "old", key="a")
    worker.restart("the model did not answer")
    translator.wait()
    newer = worker.submit(Request("new"), OPTIONS, key="a")
    translator.open()
    assert overtaken.result(60).status == "cancelled"
    assert same(newer.result(60), Translator(model).translate(Request("new"), OPTIONS))


def test_question_that_hung_is_asked_once_more(model):
    has_begun, may_end = threading.Semaphore(0), threading.Event()

    def hang(*_: object) -> str:
        has_begun.release()
        assert may_end.wait(60)
        return "an answer"

    with Worker(Translator(model)) as worker:
        asked = worker.ask(Call(hang))
        assert has_begun.acquire(timeout=60)
        worker.restart("the model did not answer")
        assert has_begun.acquire(timeout=60)
        may_end.set()
        assert asked.result(60) == "an answer"


def test_heart_beats_while_a_long_question_looks_for_its_end(model):
    may_go, has_asked = threading.Semaphore(0), threading.Semaphore(0)

    def question(_: object, interruption: Interruption) -> None:
        for _ in range(2):
            assert may_go.acquire(timeout=60)
            interruption.check()
            has_asked.release()
        assert may_go.acquire(timeout=60)

    with Worker(Translator(model)) as worker:
        answer = worker.ask(Call(question))
        beats = []
        for _ in range(2):
            may_go.release()
            assert has_asked.acquire(timeout=60)
            beats.append(worker.heartbeat)
            assert worker.heartbeat == beats[-1]
        assert None not in beats
        assert beats[0] != beats[1]
        may_go.release()
        answer.result(60)
        deadline = time.monotonic() + 60
        while worker.heartbeat is not None:
            assert time.monotonic() < deadline
            time.sleep(0.001)


def test_question_that_would_end_the_thread_ends_alone(model):
    with Worker(Translator(model)) as worker:
        with pytest.raises(SystemExit):
            worker.ask(Call(lambda *_: sys.exit(3))).result(60)
        assert worker.submit(Request("fine"), OPTIONS).result(60).status == "complete"


def test_queue_is_searched_only_after_a_waiting_request_was_cancelled(gated, monkeypatch):
    looks = []
    take = FairQueue.take
    monkeypatch.setattr(FairQueue, "take", lambda queue, is_wanted: looks.append(len(queue)) or take(queue, is_wanted))
    translator, worker = gated
    begin(translator, worker, "first", priority="document")
    futures = [worker.submit(Request(f"{n}"), OPTIONS, key=n, owner=n % 3, priority="document") for n in range(100)]
    translator.steps(3)
    assert looks == []
    worker.cancel(50)
    translator.steps(2)
    assert futures[50].result(0).status == "cancelled"
    assert looks == [85], "once, when 15 had joined; each step would take long with tens of thousands"


def test_cancelled_future_leaves_the_queue_and_is_done_within_a_step(gated):
    translator, worker = gated
    begin(translator, worker, "urgent")
    futures = [worker.submit(Request(f"{n}"), OPTIONS, key=n, priority="document") for n in range(3)]
    assert futures[1].cancel()
    assert worker.queue_length == 2
    translator.steps(1)
    assert wait(futures, timeout=0).done == {futures[1]}
    translator.open()
    assert [futures[n].result(60).status for n in (0, 2)] == ["complete"] * 2


def test_a_deadline_does_not_run_while_others_are_decoded(model):
    translator = Gated(model)
    with Worker(translator, shares_steps=False) as worker:
        background = begin(translator, worker, "background", priority="document", deadline_ms=10_000)
        interactive = worker.submit(Request("interactive"), OPTIONS)
        [task] = worker._running
        before = task.interruption._started_at
        translator.steps(1)  # of the document alone: all of it counts
        assert task.interruption._started_at == before
        time.sleep(0.05)
        translator.steps(1)
        assert task.interruption._started_at >= before + 0.05
        translator.open()
        assert {interactive.result(60).status, background.result(60).status} == {"complete"}


def test_statistics_count_waiting_running_and_answered_requests(gated):
    translator, worker = gated
    nothing = worker.statistics()
    assert (nothing.num_answered, nothing.median_latency_ms, nothing.answers_per_second) == (0, None, 0.0)
    running = begin(translator, worker, "first")
    waiting = [worker.submit(Request(f"second {number}"), OPTIONS, priority="document") for number in range(3)]
    statistics = worker.statistics()
    assert (statistics.num_running, statistics.queue_length, worker.queue_length) == (1, 3, 3)
    translator.open()
    for future in (running, *waiting):
        future.result(60)
    question = worker.ask(Call(lambda *_: 1))
    assert question.result(60) == 1
    statistics = worker.statistics()
    assert (statistics.num_running, statistics.queue_length) == (0, 0)
    assert (statistics.num_answered, statistics.num_failed) == (5, 0)
    assert statistics.num_steps > nothing.num_steps
    assert statistics.median_latency_ms is not None
    assert statistics.p95_latency_ms is not None
    assert 0 < statistics.median_latency_ms <= statistics.p95_latency_ms, "of the first request and the question"
    assert statistics.answers_per_second > 0
    assert nothing.tokens_per_second is None and statistics.tokens_per_second is not None
    assert statistics.tokens_per_second > 0


def test_invalid_request_raises_in_its_future(model):
    with Worker(Translator(model)) as worker:
        with pytest.raises(InvalidRequest, match="xx-yy"):
            worker.submit(Request("a", direction="xx-yy")).result(60)
        assert worker.submit(Request("fine"), OPTIONS).result(60).status == "complete"


def test_unknown_priority_is_refused_and_cancels_nothing(gated):
    translator, worker = gated
    running = begin(translator, worker, "first", key="a")
    with pytest.raises(InvalidRequest, match="priority is 'urgent'; it must be one of interactive, document"):
        worker.submit(Request("second"), OPTIONS, key="a", priority="urgent")
    translator.open()
    assert running.result(60).status == "complete"


def test_closing_cancels_the_remaining_requests_and_refuses_new_ones(gated):
    translator, worker = gated
    running = begin(translator, worker, "first")
    waiting = worker.submit(Request("second"), OPTIONS, priority="document")
    closer = threading.Thread(target=worker.close)
    closer.start()
    translator.open()
    closer.join(60)
    assert running.result(0).status == waiting.result(0).status == "cancelled"
    with pytest.raises(EngineError, match="closed"):
        worker.submit(Request("third"))


def test_questions_have_the_answers_of_the_translator(model):
    request = Request("Open the file.", phrases=[Phrase("Datei")], avoid=[Avoid("Akte")])
    translator = Translator(model)
    best = translator.translate(request, OPTIONS).hypotheses[0]
    others = translator.alternatives(request, best, 0, 3, OPTIONS)
    followed = replace(request, follow=Follow("Die Straße"))
    direct = {
        PriceQuestion(request, OPTIONS): translator.price(request, OPTIONS),
        AlternativesQuestion(request, best.tokens, 0, 3, OPTIONS): others,
        PlacesQuestion(followed, 0, 3): translator.places(followed, 0, 3),
        ScoreQuestion(request, "Datei"): translator.score("Open the file.", "Datei"),
        SpellingQuestion(("Datei", "\u6f22")): {"Datei": None, "\u6f22": translator.misspelling("\u6f22")},
    }
    with Worker(Translator(model)) as worker:
        answers = [worker.ask(pickle.loads(pickle.dumps(question))) for question in direct]
        learned, empty = worker.ask(LearningQuestion(request, "Datei", "origin", least_fit=-100.0)).result(60)
        nothing, _ = worker.ask(LearningQuestion(request, " ", "origin")).result(60)
        late = worker.ask(LearningQuestion(request, "Datei", "late", least_fit=-100.0), deadline_ms=0).result(60)
        refused = worker.ask(LearningQuestion(Request("a", direction="xx-yy"), "b", "origin")).result(60)
        answered = [answer.result(60) for answer in answers]
    priced, expected = answered[0], direct[PriceQuestion(request, OPTIONS)]
    assert (priced.total, *priced.phrases, *priced.avoid) == pytest.approx(
        (expected.total, *expected.phrases, *expected.avoid), abs=1e-5
    )
    assert same(priced.constrained, expected.constrained)
    assert same(priced.free, expected.free)
    for found, wanted in zip(answered[1], others, strict=True):
        assert (found.word, found.hypothesis.text) == (wanted.word, wanted.hypothesis.text)
    assert answered[2:] == list(direct.values())[2:]
    assert others
    assert learned is not None
    assert (learned.origin, empty.model, empty.pairs) == ("origin", translator.checksum, ())
    assert nothing is None
    assert late[0] is not None, "after a pause of any length"
    assert refused[0] is None


def test_errors_of_questions_are_raised_by_their_futures(model):
    with Worker(Translator(model)) as worker:
        broken = worker.ask(PriceQuestion(Request("Open it.", direction="xx-yy"), OPTIONS))
        with pytest.raises(InvalidRequest, match="xx-yy"):
            broken.result(60)
        crashed = worker.ask(Call(lambda *_: 1 // 0))
        with pytest.raises(ZeroDivisionError):
            crashed.result(60)
        with pytest.raises(InvalidRequest, match="deadline_ms"):
            worker.ask(Call(lambda *_: 1), deadline_ms="soon")
        unknown = worker.ask(PriceQuestion(Request("Open it.", phrases=[Phrase("Datei")]), OPTIONS), deadline_ms=0)
        assert unknown.result(60).constrained.status == "deadline"


def test_steps_of_a_question_alternate_with_running_requests(model):
    alone = Translator(model)
    first, request = Request("first"), Request("Open the file.", phrases=[Phrase("Datei")])
    expected, priced = alone.translate(first, OPTIONS), alone.price(request, OPTIONS)
    steps: list[str] = []
    with Worker(Translator(model)) as worker:
        loop = worker._interactive
        step, step_question = loop._loop.step, loop._step_question
        loop._loop.step = lambda: steps.append("request") or step()
        loop._step_question = lambda run: steps.append("question") or step_question(run)
        asked = worker.ask(PriceQuestion(request, OPTIONS))
        running = worker.submit(first, OPTIONS)
        assert same(running.result(60), expected)
        assert same(asked.result(60).constrained, priced.constrained)
        assert asked.result().total == pytest.approx(priced.total, abs=1e-5)
    own = [number for number, name in enumerate(steps) if name == "request"]
    assert len(own) == expected.num_steps
    assert all(later - earlier <= 2 for earlier, later in pairwise(own)), "one step of the question at most between two"


def test_question_that_crashes_ends_alone_and_later_ones_are_answered(model):
    def crashed(translator, interruption):
        yield [DecodingJob(Request("Open it.", direction="xx-yy"), OPTIONS)]
        raise ValueError("after a job")

    question = Call(None)
    object.__setattr__(question, "steps", crashed)
    with Worker(Translator(model)) as worker:
        broken, fine = worker.ask(question), worker.ask(Call(lambda *_: 1))
        with pytest.raises(ValueError, match="after a job"):
            broken.result(60)
        assert fine.result(60) == 1


def test_cancelled_question_ends_within_a_step_and_disturbs_no_request(gated, model):
    translator, worker = gated
    running = begin(translator, worker, "first")
    asked = worker.ask(PriceQuestion(Request("Open it.", phrases=[Phrase("Datei")]), OPTIONS), key="prices")
    waiting = worker.ask(PriceQuestion(Request("Close it."), OPTIONS), key="others")
    translator.steps(4)
    assert worker._interactive._jobs is not None, "it is being decoded"
    worker.cancel("others")
    worker.cancel("prices")
    translator.open()
    assert same(running.result(60), Translator(model).translate(Request("first"), OPTIONS))
    assert asked.result(60) is None
    assert waiting.result(60) is None
    assert len(worker._interactive) == 0


def test_cancelled_question_about_a_document_ends_while_documents_pause(gated):
    translator, worker = gated
    running = begin(translator, worker, "first")
    asked = worker.ask(PriceQuestion(Request("Open it."), OPTIONS), key="prices", priority="document")
    worker.cancel("prices")
    translator.steps(2)
    assert asked.result(0) is None
    assert not running.done()


def test_question_replaced_by_a_newer_one_has_no_answer(gated):
    translator, worker = gated
    running = begin(translator, worker, "first")
    older = worker.ask(Call(lambda *_: "older"), key="prices")
    newer = worker.ask(Call(lambda *_: "newer"), key="prices")
    translator.open()
    assert older.result(60) is None
    assert newer.result(60) == "newer"
    assert running.result(60).status == "complete"


def test_question_is_answered_while_requests_run_and_before_documents(gated):
    translator, worker = gated
    running = begin(translator, worker, "first")
    document = worker.submit(Request("document"), OPTIONS, priority="document")
    question = worker.ask(Call(lambda *_: (running.done(), document.done())))
    translator.steps(2)
    assert question.result(0) == (False, False)
    translator.open()
    assert document.result(60).status == running.result(60).status == "complete"
