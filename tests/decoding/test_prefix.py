"""A prefix through the whole path: read in one pass and remembered, it gives what reading it step by step gives."""

from __future__ import annotations

import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Avoid, Phrase, Request, SearchOptions, Translation, Translator, Worker
from engine.model.decoder import Decoder
from tests.reference.stepwise import StepwiseTranslator
from tests.test_translator import SOURCE, make_translator

OPTIONS = SearchOptions(beam=4, nbest=3, max_length_factor=0, max_length_offset=6)
TEXT = "Klicken Sie auf „Übernehmen“, um die Einstellungen für alle Knoten zu speichern (siehe Seite 3 und C++)."


@pytest.fixture(scope="module")
def model(codec):
    """Weights that 16 bits hold, so that each precision can be had of them."""
    model = make_translator(codec)._model
    for parameter in model.transformer.parameters():
        parameter.data.copy_(parameter.half().float())
    return model


def assert_same(found: Translation, expected: Translation) -> None:
    """The same texts in the same order, met by the same, and the same scores to rounding."""
    assert (found.status, found.num_steps) == (expected.status, expected.num_steps)
    assert [item.text for item in found.hypotheses] == [item.text for item in expected.hypotheses]
    for one, other in zip(found.hypotheses, expected.hypotheses, strict=True):
        assert one.tokens == other.tokens
        assert one.token_log_probs == pytest.approx(other.token_log_probs, rel=1e-4, abs=1e-4)
        assert one.score == pytest.approx(other.score, abs=1e-4)
        assert (one.placements, one.unmet, one.locked) == (other.placements, other.unmet, other.locked)


def random_request(rng: random.Random, prefix: str) -> Request:
    """With pins, forms, avoided and locked texts, some of which stand in the prefix."""
    words = [word.strip(".,;()„“") for word in TEXT.split()]
    phrases = [Phrase(rng.choice(words), forms=rng.sample(words, rng.choice([0, 1])))] * rng.choice([0, 1])
    avoid = [Avoid(rng.choice(words))] * rng.choice([0, 0, 1])
    locked = [rng.choice(words)] * rng.choice([0, 0, 1])
    return Request(rng.choice([SOURCE, "Save it."]), prefix=prefix, phrases=phrases, avoid=avoid, locked=locked)


@settings(max_examples=3)
@given(seed=st.integers(0, 10**6))
def test_typed_prefixes_give_the_same_as_each_request_alone_step_by_step(model, seed) -> None:
    rng = random.Random(seed)
    translator, step_by_step = Translator(model), StepwiseTranslator(model)
    length = rng.randint(1, 60)
    for _ in range(4):
        request = random_request(rng, TEXT[:length])
        found = translator.translate(request, OPTIONS)
        assert_same(found, step_by_step.translate(request, OPTIONS))
        assert all(item.text.startswith(request.prefix) for item in found.hypotheses if not item.unmet)
        length = min(len(TEXT), max(0, length + rng.choice([-9, 0, 1, 2, 12])))


@settings(max_examples=2)
@given(seed=st.integers(0, 10**6), schedule=st.sampled_from(["stream", "fifo"]))
def test_requests_with_prefixes_join_running_ones_at_any_position(model, seed, schedule) -> None:
    rng = random.Random(seed)
    requests = [random_request(rng, TEXT[: rng.choice([0, 0, 7, 30, 70])]) for _ in range(6)]
    translator, step_by_step = Translator(model), StepwiseTranslator(model)
    translations = translator.translate_all(requests, OPTIONS, batch_size=3, schedule=schedule)
    for request, translation in zip(requests, translations, strict=True):
        assert_same(translation, step_by_step.translate(request, OPTIONS))


def test_the_worker_lets_a_request_with_a_prefix_join_and_cancels_it_unread(model, monkeypatch) -> None:
    requests = [Request(SOURCE, prefix=TEXT[:length]) for length in (0, 40, 20)]
    expected = [StepwiseTranslator(model).translate(request, OPTIONS) for request in requests]
    translator, may_go_on, is_under_way = Translator(model), threading.Event(), threading.Event()
    step, read = Decoder.step, Decoder.read
    beginnings = []

    def waiting(decoder, tokens):
        is_under_way.set()
        may_go_on.wait(60)
        return step(decoder, tokens)

    monkeypatch.setattr(Decoder, "step", waiting)
    monkeypatch.setattr(Decoder, "read", lambda decoder, pieces: beginnings.append(pieces) or read(decoder, pieces))
    with Worker(translator) as worker:
        first = worker.submit(requests[0], OPTIONS)
        is_under_way.wait(60)
        overtaken = worker.submit(Request("Overtaken.", prefix=TEXT[:60]), OPTIONS, key="typing")
        others = [worker.submit(request, OPTIONS, key=f"typing {n}") for n, request in enumerate(requests[1:])]
        worker.cancel("typing")
        may_go_on.set()
        for future, alone in zip([first, *others], expected, strict=True):
            assert_same(future.result(60), alone)
        assert overtaken.result(60).status == "cancelled"
    longest = max(len(pieces) for pieces_B in beginnings for pieces in pieces_B)
    assert 0 < longest <= len(model.codec.encode(TEXT[:40]).ids), "the one that was overtaken is longer"


@pytest.fixture
def num_read(monkeypatch) -> list[list[int]]:
    """How many new pieces each pass through a decoder read, by sentence."""
    num_read: list[list[int]] = []
    read_on = Decoder._read_on

    def noting(decoder, unread):
        num_read.append([len(begun.new_pieces) for _, begun in unread])
        read_on(decoder, unread)

    monkeypatch.setattr(Decoder, "_read_on", noting)
    return num_read


def test_longer_prefix_reads_only_its_new_pieces(model, num_read) -> None:
    translator = Translator(model)
    one, two, all_ = (len(model.codec.encode(text).ids) for text in ("Klicken", "Klicken Sie", "Klicken Sie auf die"))
    for prefix, new in (
        ("Klicken ", [[one]]),
        ("Klicken Sie ", [[two - one]]),
        ("Klicken Sie ", []),
        ("Klicken ", []),
        ("Klicken Sie auf die ", [[all_ - two]]),
    ):
        num_read.clear()
        translator.translate(Request(SOURCE, prefix=prefix), OPTIONS)
        assert num_read == new, prefix
    num_read.clear()
    translator.translate(Request("Another source.", prefix="Klicken "), OPTIONS)
    assert num_read == [[one]], "what is known belongs to a source"


def test_prices_read_the_shared_prefix_of_their_variants_once(model, num_read) -> None:
    request = Request(SOURCE, prefix="Klicken Sie auf ", phrases=[Phrase("Knoten"), Phrase("Seite")])
    Translator(model).price(request, OPTIONS)
    assert num_read == [[len(model.codec.encode("Klicken Sie auf").ids)]], "four variants"


def test_alternatives_equal_step_by_step_reading(model, num_read) -> None:
    translator, beginning = Translator(model), "Klicken Sie auf die"
    hypothesis = translator.translate(Request(SOURCE, prefix=beginning), OPTIONS).hypotheses[0]
    num_read.clear()
    offset = beginning.index("auf")
    found = translator.alternatives(Request(SOURCE), hypothesis, offset, 3, OPTIONS)
    assert found
    assert len(num_read) == 1, "what stands before the word was known; the words are read together"
    expected = StepwiseTranslator(model).alternatives(Request(SOURCE), hypothesis, offset, 3, OPTIONS)
    assert [item.hypothesis.text for item in found] == [item.hypothesis.text for item in expected]
    assert [item.log_prob for item in found] == pytest.approx([item.log_prob for item in expected], abs=1e-4)
