"""Streams of sentences: what a sentence gets never depends on who is searched beside it, before it or after it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

import engine.search.batching as stream_module
from engine.errors import InvalidRequest
from engine.search.batching import SearchStream
from engine.search.phrases import SentenceConstraints
from engine.search.sentence import EndedSentence, Sentence
from engine.search_options import SearchOptions
from tests.interruptions import InterruptedBy
from tests.reference.toy import PUNCTUATED, RoundedModel, ToyDecoder, ToyModel, toy_stream
from tests.search.test_enumeration import random_constraints

OPTIONS = SearchOptions(beam=4, nbest=2)
SCHEDULES = ["stream", "batch", "fifo"]


def plain(number: int, max_length: int = 8, **more) -> Sentence:
    return Sentence(SentenceConstraints(), max_length, OPTIONS, source=number, **more)


def random_sentences(rng: random.Random, count: int) -> list[Sentence]:
    """Every other one without constraints; lengths, beams and pruning differ."""
    sentences = []
    for number in range(count):
        constraints = random_constraints(PUNCTUATED, rng) if rng.random() < 0.5 else SentenceConstraints()
        num_tokens = sum(phrase.num_constraint_tokens for phrase in constraints.phrases)
        options = SearchOptions(
            beam=rng.randint(1, 6),
            nbest=rng.randint(1, 3),
            bank_threshold=rng.choice([None, 1.5]),
            max_children=rng.choice([None, 2]),
            finished=rng.choice(["leave", "leave", "keep"]),
        )
        sentences.append(Sentence(constraints, num_tokens + rng.randint(4, 14), options, source=number))
    return sentences


def results(all_ended: Sequence[EndedSentence]) -> list[object]:
    assert [ended.error for ended in all_ended] == [None] * len(all_ended)
    return [ended.result for ended in all_ended]


def alone(model: ToyModel, sentences: Sequence[Sentence]) -> list[object]:
    return [results(toy_stream(model, PUNCTUATED, batch_size=1).run([sentence]))[0] for sentence in sentences]


@settings(max_examples=6)
@given(
    seed=st.integers(0, 10**6),
    schedule=st.sampled_from(SCHEDULES),
    batch_size=st.integers(1, 6),
    refill_share=st.sampled_from([0.0, 1 / 6, 0.5, 1.0]),
)
def test_every_schedule_gives_each_sentence_its_result_alone(seed, schedule, batch_size, refill_share):
    rng = random.Random(seed)
    model, sentences = ToyModel(PUNCTUATED.size, seed), random_sentences(rng, rng.randint(1, 10))
    stream = toy_stream(model, PUNCTUATED, batch_size=batch_size, schedule=schedule, refill_share=refill_share)
    assert results(stream.run(sentences)) == alone(model, sentences)
    assert len(stream) == 0


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_choice_between_equal_continuations_does_not_depend_on_the_batch(schedule):
    for seed in range(8):
        model, sentences = RoundedModel(PUNCTUATED.size, seed), random_sentences(random.Random(seed), 6)
        together = toy_stream(model, PUNCTUATED, batch_size=4, schedule=schedule).run(sentences)
        assert results(together) == alone(model, sentences), seed


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), schedule=st.sampled_from(SCHEDULES))
def test_sentences_may_come_at_any_time(seed, schedule):
    rng = random.Random(seed)
    model, sentences = ToyModel(PUNCTUATED.size, seed), random_sentences(rng, 8)
    stream = toy_stream(model, PUNCTUATED, batch_size=4, schedule=schedule, refill_share=0.8)
    coming, ended = list(sentences), {}
    while coming or len(stream):
        for _ in range(rng.choice([0, 0, 1, 3])):
            if coming:
                stream.add(coming.pop(0))
        ended.update((item.sentence, item) for item in stream.step())
    assert results([ended[sentence] for sentence in sentences]) == alone(model, sentences)


def test_all_schedules_expand_the_same_rows_in_steps_of_their_own():
    """As in the paper's appendix A.2: the same expansions, in the fewest steps where nobody waits for anybody."""
    model = ToyModel(PUNCTUATED.size, 3)
    sentences = [plain(number, max_length=4 + 7 * number % 23) for number in range(16)]
    counts = {}
    for schedule in SCHEDULES:
        stream = toy_stream(model, PUNCTUATED, batch_size=4, schedule=schedule, refill_share=0.9)
        stream.run(sentences)
        counts[schedule] = stream.counts
    assert len({count.num_expansions for count in counts.values()}) == 1
    assert counts["fifo"].num_steps < counts["batch"].num_steps
    assert counts["fifo"].expansions_per_step > counts["batch"].expansions_per_step
    single = toy_stream(model, PUNCTUATED, batch_size=1)
    single.run(sentences)
    assert counts["batch"].num_expansions == single.counts.num_expansions
    assert single.counts.num_steps == sum(result.num_steps for result in alone(model, sentences))


class Noting(ToyDecoder):
    """Notes how many tokens each row of each step has, of all decoders together."""

    lengths: list[list[int]]

    def step(self, tokens_R: Tensor) -> Tensor:
        log_probs_RV = super().step(tokens_R)
        self.lengths.append([len(history) for _, history in self._rows])
        return log_probs_RV


def noting_stream(schedule: str, **sizes) -> tuple[SearchStream, list[list[int]]]:
    model = ToyModel(PUNCTUATED.size, 5)
    stream = toy_stream(model, PUNCTUATED, schedule=schedule, **sizes)
    lengths: list[list[int]] = []

    def open_decoder(sentences: Sequence[Sentence]) -> Noting:
        decoder = Noting(model, [sentence.source for sentence in sentences])
        decoder.lengths = lengths
        return decoder

    stream._open_decoder = open_decoder
    return stream, lengths


def test_only_the_least_advanced_rows_step_until_they_have_caught_up():
    """The example of the paper's figure 1: a batch of 3, refilled when one is left, which waits meanwhile."""
    sentences = [plain(0, 3), plain(1, 3), plain(2, 12), plain(3, 12), plain(4, 12)]
    sentences = [replace(item, options=replace(OPTIONS, stopping="all_finished")) for item in sentences]
    stream, lengths = noting_stream("stream", batch_size=3, refill_share=1 / 3)
    stream.run(sentences)
    positions = [sorted(set(of_step)) for of_step in lengths]
    assert all(len(of_step) == 1 for of_step in positions), "all rows of a step have the same length"
    assert [of_step[0] for of_step in positions] == [1, 2, 3, 1, 2, 3, *range(4, 13)]
    assert len(lengths[6]) > len(lengths[5]), "from there on all three go together"


def test_first_in_first_out_steps_rows_of_all_lengths():
    sentences = [plain(0, 3), plain(1, 3), plain(2, 12), plain(3, 12), plain(4, 12)]
    sentences = [replace(item, options=replace(OPTIONS, stopping="all_finished")) for item in sentences]
    stream, lengths = noting_stream("fifo", batch_size=3, refill_share=1 / 3)
    stream.run(sentences)
    positions = [sorted(set(of_step)) for of_step in lengths]
    assert positions[:5] == [[1], [2], [3], [1, 4], [2, 5]]
    assert len(positions) == 15


def test_results_come_out_as_each_sentence_ends():
    sentences = [plain(0, 12), plain(1, 3), plain(2, 6)]
    stream = toy_stream(ToyModel(PUNCTUATED.size, 5), PUNCTUATED, batch_size=3)
    for sentence in sentences:
        stream.add(replace(sentence, options=replace(OPTIONS, stopping="all_finished")))
    order = []
    while len(stream):
        order += [item.sentence.source for item in stream.step()]
    assert order == [1, 2, 0]


def test_room_is_the_number_of_sentences_that_the_next_step_begins():
    stream = toy_stream(ToyModel(PUNCTUATED.size, 5), PUNCTUATED, batch_size=6, refill_share=1 / 3)
    assert stream.room == 6
    for number in range(4):
        stream.add(plain(number))
    assert stream.room == 2
    stream.step()
    assert (stream.room, len(stream)) == (0, 4)


def test_interrupted_sentences_leave_at_the_next_step_though_it_is_not_their_turn():
    stopped: list[str] = []
    waiting = plain(0, 30, interruption=InterruptedBy(lambda: stopped[0] if stopped else None))
    waiting = replace(waiting, options=replace(OPTIONS, stopping="all_finished"))
    stream = toy_stream(ToyModel(PUNCTUATED.size, 5), PUNCTUATED, batch_size=6, refill_share=0.5)
    stream.add(waiting)
    for _ in range(5):
        assert stream.step() == []
    stream.add(plain(1, 30))  # goes first now
    assert all(item.sentence is not waiting for item in stream.step())
    stopped.append("cancelled")
    ended = [item for item in stream.step() if item.sentence is waiting]
    assert [(item.result.outcome, item.result.num_steps) for item in ended if item.result] == [("cancelled", 5)]
    assert len(stream) == 1


def test_interrupted_sentence_need_not_wait_for_room():
    stream = toy_stream(ToyModel(PUNCTUATED.size, 5), PUNCTUATED, batch_size=1)
    stream.add(plain(0, 30))
    stream.add(plain(1, interruption=InterruptedBy(lambda: "deadline")))
    (ended,) = stream.step()
    assert ended.result is not None
    assert (ended.sentence.source, ended.result.outcome, ended.result.hypotheses) == (1, "deadline", ())


class Faulty(ToyDecoder):
    """Raises `error` in a step of more than `max_sentences`, or of the sentence `culprit` at its third token.

    With `fails_to_join` more than `max_sentences` can't join either, nor be copied with `fails_to_select`.
    """

    error: Exception
    max_sentences = 1000
    culprit: int | None = None
    fails_to_join = False
    fails_to_select = False

    def select(self, parents_R: Tensor) -> None:
        super().select(parents_R)
        if self.fails_to_select and len({number for number, _ in self._rows}) > self.max_sentences:
            raise self.error

    def join(self, other: ToyDecoder) -> None:
        super().join(other)
        if self.fails_to_join and len({number for number, _ in self._rows}) > self.max_sentences:
            raise self.error

    def step(self, tokens_R: Tensor) -> Tensor:
        if len({number for number, _ in self._rows}) > self.max_sentences:
            raise self.error
        if any(number == self.culprit and len(history) == 2 for number, history in self._rows):
            raise self.error
        return super().step(tokens_R)


def faulty_stream(
    model: ToyModel, error: Exception, schedule: str = "stream", max_encoded: int = 1000, **faults
) -> SearchStream:
    stream = toy_stream(model, PUNCTUATED, batch_size=8, schedule=schedule)

    def open_decoder(sentences: Sequence[Sentence]) -> Faulty:
        if len(sentences) > max_encoded:
            raise error
        decoder = Faulty(model, [sentence.source for sentence in sentences])
        decoder.error = error
        for name, value in faults.items():
            setattr(decoder, name, value)
        return decoder

    stream._open_decoder = open_decoder
    return stream


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("max_sentences", "fails_to_join"), [(1, False), (3, False), (3, True)])
@pytest.mark.filterwarnings("ignore:out of memory")
def test_out_of_memory_halves_the_batch_and_continues(schedule, max_sentences, fails_to_join):
    model, sentences = ToyModel(PUNCTUATED.size, 7), random_sentences(random.Random(2), 9)
    faults = {"max_sentences": max_sentences, "fails_to_join": fails_to_join}
    stream = faulty_stream(model, torch.OutOfMemoryError("no room"), schedule, **faults)
    with pytest.warns(RuntimeWarning, match="out of memory with 8 sentences at a time; going on with 4"):
        ended = stream.run(sentences)
    assert results(ended) == alone(model, sentences)
    assert stream.batch_size <= max_sentences


def error_of(call) -> Exception:
    with pytest.raises((RuntimeError, MemoryError)) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    "error",
    [
        error_of(lambda: torch.empty(2**60)),  # a RuntimeError like any other
        error_of(lambda: bytearray(2**62)),
        torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    ],
    ids=["PyTorch on a CPU", "Python", "PyTorch on a GPU", "a library on a GPU"],
)
def test_out_of_memory_is_recognised_in_every_wording(error):
    model, sentences = ToyModel(PUNCTUATED.size, 7), [plain(number) for number in range(4)]
    stream = faulty_stream(model, error, max_sentences=2)
    with pytest.warns(RuntimeWarning, match="out of memory with 4 sentences at a time; going on with 2"):
        assert results(stream.run(sentences)) == alone(model, sentences)
    assert stream.batch_size == 2


@pytest.mark.filterwarnings("ignore:out of memory")
def test_sentence_too_large_for_the_memory_fails_alone():
    model, sentences = ToyModel(PUNCTUATED.size, 7), [plain(number) for number in range(6)]
    error = torch.OutOfMemoryError("no room")
    stream = faulty_stream(model, error, culprit=4)
    ended = stream.run(sentences)
    assert [item.error for item in ended] == [error if number == 4 else None for number in range(6)]
    assert results(ended[:4]) == alone(model, sentences[:4])
    assert stream.batch_size == 8, "the number was not at fault"


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.filterwarnings("ignore:out of memory")
def test_out_of_memory_in_the_encoder_halves_the_batch_too(schedule):
    model, sentences = ToyModel(PUNCTUATED.size, 7), random_sentences(random.Random(2), 9)
    stream = faulty_stream(model, torch.OutOfMemoryError("no room"), schedule, max_encoded=3)
    with pytest.warns(RuntimeWarning, match="out of memory with 8 sentences at a time; going on with 4"):
        assert results(stream.run(sentences)) == alone(model, sentences)


@pytest.mark.filterwarnings("ignore:out of memory")
def test_batches_are_full_again_once_many_have_ended(monkeypatch):
    monkeypatch.setattr(stream_module, "_PATIENCE", 20)
    model, sentences = ToyModel(PUNCTUATED.size, 7), [plain(number) for number in range(60)]
    stream, sizes = faulty_stream(model, torch.OutOfMemoryError("no room"), max_sentences=5), [8]
    for sentence in sentences:
        stream.add(sentence)
    while len(stream):
        stream.step()
        sizes.append(stream.batch_size)
    assert set(sizes) == {4, 8}
    num_halved = sum(pair == (8, 4) for pair in pairwise(sizes))
    assert 2 <= num_halved <= 3, "now and then, not in each batch"


@pytest.mark.filterwarnings("ignore:out of memory")
def test_crash_while_others_are_interrupted_costs_no_sentence():
    stopped: list[str] = []
    model, sentences = ToyModel(PUNCTUATED.size, 7), [plain(number) for number in range(4)]
    stream = faulty_stream(model, torch.OutOfMemoryError("no room"))
    gone = plain(4, interruption=InterruptedBy(lambda: stopped[0] if stopped else None))
    for sentence in (*sentences, gone):
        stream.add(sentence)
    ended = {item.sentence: item for item in stream.step()}
    (batch,) = stream._batches
    batch._decoder.fails_to_select, batch._decoder.max_sentences = True, 3
    stopped.append("cancelled")
    ended.update((item.sentence, item) for item in stream.interrupt())
    assert [item.result.outcome for item in ended.values() if item.result] == ["cancelled"]
    while len(stream):
        ended.update((item.sentence, item) for item in stream.step())
    assert results([ended[sentence] for sentence in sentences]) == alone(model, sentences)


def test_interrupted_sentences_leave_while_waiting_for_a_restart():
    stopped: list[str] = []
    sentences = [
        plain(0, 30),
        plain(1, 30),
        plain(2, 30, interruption=InterruptedBy(lambda: stopped[0] if stopped else None)),
    ]
    stream = faulty_stream(ToyModel(PUNCTUATED.size, 7), RuntimeError("a bug"), max_sentences=2)
    for sentence in sentences:
        stream.add(sentence)
    assert stream.step() == []
    stopped.append("cancelled")
    (ended,) = stream.step()
    assert ended.result is not None
    assert (ended.sentence, ended.result.outcome) == (sentences[2], "cancelled")
    assert len(stream) == 2


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_crash_fails_its_sentence_alone(schedule):
    model, sentences = ToyModel(PUNCTUATED.size, 7), random_sentences(random.Random(3), 12)
    error = RuntimeError("a bug")
    stream = faulty_stream(model, error, schedule, culprit=5)
    ended = stream.run(sentences)
    assert [item.error for item in ended] == [error if number == 5 else None for number in range(12)]
    others = [number for number in range(12) if number != 5]
    assert results([ended[n] for n in others]) == alone(model, [sentences[n] for n in others])
    assert stream.batch_size == 8, "the memory was not at fault"


@pytest.mark.parametrize(
    "settings",
    [{"batch_size": 0}, {"refill_share": -0.1}, {"refill_share": float("nan")}, {"schedule": "Stream"}],
)
def test_settings_under_which_nothing_would_begin_are_refused(settings):
    with pytest.raises(InvalidRequest, match=next(iter(settings))):
        toy_stream(ToyModel(PUNCTUATED.size, 5), PUNCTUATED, **settings)


def test_memory_does_not_grow_with_the_stream():
    rng, model = random.Random(4), ToyModel(PUNCTUATED.size, 8)
    stream = toy_stream(model, PUNCTUATED, batch_size=4)
    sizes = []
    for _ in range(6):
        stream.run(random_sentences(rng, 20))
        for sentence in random_sentences(rng, 4):
            stream.add(sentence)
        stream.step()
        tracker = stream._tracker
        sizes.append((len(tracker.num_tokens_B), len(tracker._nodes)))
        assert {key // PUNCTUATED.size for key in tracker._steps} <= set(tracker._numbers.values())
    assert {size[0] for size in sizes} <= set(range(1, 9)), "numbers of sentences are used again"
    assert max(size[1] for size in sizes[3:]) <= max(1024, 2 * max(size[1] for size in sizes[:3]))
