"""What requests accept: every field of every public input, given values that no caller should send."""

from __future__ import annotations

import math
import threading
from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

import engine
from engine import (
    AlternativesQuestion,
    Avoid,
    DatastoreOptions,
    Example,
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
    Translator,
)
from engine.decoding.limits import MAX_AVOIDED, MAX_FORMS, MAX_REQUIRED, MAX_SHARING, MAX_SOURCE_CHARACTERS
from engine.decoding.loop import DecodingJob
from engine.decoding.question_steps import num_at_once
from engine.decoding.reading import RequestReader
from engine.search_options import MAX_BEAM
from engine.worker import Worker
from tests.test_translator import make_translator

MINIMAL: dict[type, dict[str, Any]] = {
    Phrase: {"text": "Datei"},
    Avoid: {"text": "Datei"},
    Follow: {"text": "Die Datei"},
    Example: {"source": "The file", "target": "Die Datei"},
    Request: {"source": "The file"},
    SearchOptions: {},
    DatastoreOptions: {},
    PriceQuestion: {"request": Request("The file"), "options": SearchOptions()},
    AlternativesQuestion: {
        "request": Request("The file"), "tokens": (1, 2), "piece": 0, "count": 5, "options": SearchOptions(),
    },
    PlacesQuestion: {"request": Request("The file"), "phrase": 0, "count": 5},
    ScoreQuestion: {"request": Request("The file"), "target": "Die Datei"},
    LearningQuestion: {"request": Request("The file"), "target": "Die Datei", "origin": 1},
    SpellingQuestion: {"texts": ("Datei",)},
}  # fmt: skip
# What the engine returns, or what only it makes.
RESULTS = {
    "Alternative", "Contribution", "Datastore", "EngineFacts", "EngineStatistics", "HubModel", "Hypothesis",
    "ListedText", "ModelEntry", "PivotTranslation", "Placement", "Pricing", "Reason", "Relaxation", "Setting",
    "StoredPair", "Translation",
}  # fmt: skip
HOSTILE = (
    None, True, 0, -1, 1.5, 10**30, math.nan, math.inf, -math.inf, "", "10", "\ud800", b"10", [], [None], [1], (1,),
    (1, "2"), (True, 2), {}, {"a": 1}, {"a"}, object(), Phrase, lambda: 1, Phrase("x"), [Phrase("x")],
)  # fmt: skip


@pytest.fixture(scope="module")
def translator(codec) -> Translator:
    return make_translator(codec)


def test_every_public_dataclass_is_tried_or_is_a_result():
    public = {name for name in engine.__all__ if is_dataclass(made := getattr(engine, name)) and isinstance(made, type)}
    assert {made.__name__ for made in MINIMAL} == public - RESULTS


@pytest.mark.parametrize("made", MINIMAL, ids=lambda made: made.__name__)
def test_every_field_refuses_hostile_values_by_name_or_has_its_declared_type(made: type):
    for entry in fields(made):
        if entry.name == "datastore":  # the translator compares it with its model
            continue
        for value in HOSTILE:
            try:
                accepted = getattr(made(**{**MINIMAL[made], entry.name: value}), entry.name)
            except InvalidRequest:
                continue
            declared = str(entry.type)
            assert _is_declared(accepted, declared), (entry.name, value)


def _is_declared(value: Any, declared: str) -> bool:
    if declared == "Hashable":
        return isinstance(value, Hashable)
    if value is None:
        return "None" in declared
    if isinstance(value, bool):
        return "bool" in declared
    if isinstance(value, int):
        return "int" in declared or "float" in declared
    if isinstance(value, float):
        return "float" in declared and math.isfinite(value)
    if isinstance(value, str):
        return "int" not in declared and "float" not in declared and "tuple" not in declared
    return type(value).__name__ in declared


@pytest.mark.parametrize(
    ("made", "field", "value", "message"),
    [
        (SearchOptions, "beam", "10", "beam is '10'; it must be between 1 and 1000"),
        (SearchOptions, "beam", None, "beam is None; it must be"),
        (SearchOptions, "beam", 1.5, r"beam is 1\.5"),
        (SearchOptions, "beam", True, "beam is True"),
        (SearchOptions, "max_length_factor", math.inf, "max_length_factor is inf"),
        (SearchOptions, "score", ["normalised"], "score is"),
        (Phrase, "count", 1.5, r"count is 1\.5; it must be a whole number"),
        (Phrase, "max_count", "2", "max_count is '2'; it must be a whole number or None"),
        (Phrase, "source_span", (1, 2, 3), r"source_span is \(1, 2, 3\)"),
        (Follow, "strength", math.nan, "strength is nan"),
        (Request, "phrases", 5, "phrases is 5; give a list"),
        (Request, "prefix", None, "prefix is None; it must be a string"),
        (Request, "domain", 3, "domain is 3; it must be a string or None"),
    ],
)
def test_error_names_field_value_and_cure(made: type, field: str, value: Any, message: str):
    with pytest.raises(InvalidRequest, match=message):
        made(**{**MINIMAL[made], field: value})


@pytest.mark.parametrize("deadline", ["x", "5", math.nan, math.inf, True, []])
def test_invalid_deadline_is_refused_everywhere(translator: Translator, deadline: Any):
    request = Request("The file")
    hypothesis = translator.translate(request).hypotheses[0]
    with Worker(translator) as worker:
        for call in (
            lambda: translator.translate(request, deadline_ms=deadline),
            lambda: list(translator.translate_all([request], deadline_ms=deadline)),
            lambda: translator.price(request, deadline_ms=deadline),
            lambda: translator.alternatives(request, hypothesis, 0, deadline_ms=deadline),
            lambda: worker.submit(request, deadline_ms=deadline),
        ):
            with pytest.raises(InvalidRequest, match="deadline_ms is"):
                call()


@pytest.mark.parametrize("count", [1.5, True, "5", None, 0, -1, 10**9])
def test_count_of_alternatives_is_a_whole_number(translator: Translator, count: Any):
    request = Request("The file")
    hypothesis = translator.translate(request).hypotheses[0]
    with pytest.raises(InvalidRequest, match="count is"):
        translator.alternatives(request, hypothesis, 0, count)


def test_widened_beam_is_never_wider_than_the_widest():
    options = SearchOptions(places_per_bank=2)
    assert options.beam_for(10) == 22
    assert options.beam_for(10_000) == MAX_BEAM


# --- the budget of a request


EXCESSIVE = {
    "source": (Request("word " * MAX_SOURCE_CHARACTERS), "source_too_long", "100,000 characters in the source"),
    "phrases": (Request("x", phrases=[Phrase(f"w{i}") for i in range(5000)]), "too_many", "5,000 required texts"),
    "counts": (Request("x", phrases=[Phrase("w", count=MAX_REQUIRED + 1)]), "too_many", "101 required texts"),
    "locked": (Request("x", locked=["a"] * (MAX_REQUIRED + 1)), "too_many", "101 required texts"),
    "avoided": (Request("x", avoid=[f"w{i}" for i in range(MAX_AVOIDED + 1)]), "too_many", "501 avoided texts"),
    "forms": (Request("x", phrases=[Phrase("w", tuple(f"w{i}" for i in range(MAX_FORMS)))]), "too_many", "1,001 forms"),
    "characters": (Request("x", prefix="word " * 20_000), "too_many", "100,000 characters in the constraints"),
    "shared": (
        Request("x", phrases=[Phrase(f"w{i}", (f"w{i + 1}",)) for i in range(MAX_SHARING + 1)]),
        "too_many",
        "13 phrases with a form in common",
    ),
}


@pytest.mark.parametrize("name", EXCESSIVE)
def test_request_beyond_a_limit_is_refused_before_any_work(translator: Translator, name: str, monkeypatch):
    request, kind, message = EXCESSIVE[name]
    monkeypatch.setattr(type(translator._codec), "encode", lambda *_: pytest.fail("encoded a text"))
    result = translator.translate(request)
    assert (result.status, result.reasons[0].kind, result.relaxation) == ("infeasible", kind, None)
    assert message in result.reasons[0].message and "at most" in result.reasons[0].message


def test_limits_themselves_are_feasible(translator: Translator):
    phrases = [Phrase(f"w{i}", tuple(f"w{i}x{j}" for j in range(8))) for i in range(MAX_REQUIRED)]
    avoid = [f"v{i}" for i in range(MAX_AVOIDED)]
    reasons = translator.pipeline.prepare(Request("word", phrases=phrases, avoid=avoid)).obstacles
    assert [reason.kind for reason in reasons] in ([], ["too_long"])


class _CancelledAfter(threading.Event):
    """Is set after being asked a number of times, so that the test does not depend on the clock."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("num_checks", [0, 1, 5])
def test_cancel_reaches_the_search_for_the_smallest_relaxation(translator: Translator, num_checks: int, monkeypatch):
    words = [f"w{i}" for i in range(40)]
    request = Request("word", phrases=[Phrase(word) for word in words], avoid=words)
    prepared: list[Request] = []
    prepare = translator.pipeline.prepare
    monkeypatch.setattr(translator.pipeline, "prepare", lambda asked, *_: [prepared.append(asked), prepare(asked)][1])
    before = 1  # look, before the request is prepared
    result = translator.translate(request, cancel=_CancelledAfter(before + num_checks))
    assert (result.status, result.relaxation) == ("infeasible", None)
    assert len(prepared) == 1 + num_checks


def test_cancel_and_deadline_reach_the_preparation_of_prices(translator: Translator, monkeypatch):
    request = Request("word", phrases=[Phrase(f"w{i}") for i in range(20)])
    prepared: list[Request] = []
    prepare = translator.pipeline.prepare
    monkeypatch.setattr(translator.pipeline, "prepare", lambda asked, *_: [prepared.append(asked), prepare(asked)][1])
    before = 20  # looks, while the first variants of the request are made
    pricing = translator.price(request, cancel=_CancelledAfter(before + 3))
    assert (pricing.total, set(pricing.phrases), pricing.free.status) == (None, {None}, "cancelled")
    assert len(prepared) == 3
    assert translator.price(request, deadline_ms=0).constrained.status == "deadline"


class _Looks(threading.Event):
    """Counts how often it is looked at, and is set from one look on."""

    def __init__(self, set_from: int) -> None:
        super().__init__()
        self.set_from, self.number = set_from, 0

    def is_set(self) -> bool:
        self.number += 1
        return self.number > self.set_from


LONG = "The file was opened by the server. " * 3
MANY = tuple(Phrase(f"w{i}", tuple(f"w{i}x{j}" for j in range(8))) for i in range(60))
# Each takes long between two steps of the search, or before the first or after the last one.
SLOW_STAGES: dict[str, tuple[Request, SearchOptions]] = {
    "preparing": (Request(LONG, phrases=MANY, split_sentences=False), SearchOptions(beam=1)),
    "limits on occurrences": (Request("x", phrases=(Phrase("a", max_count=3), *MANY)), SearchOptions(beam=1)),
    "a long text followed": (
        Request(LONG, follow=Follow("die Datei " * 500), split_sentences=False),
        SearchOptions(beam=100),
    ),
    "many translations": (Request("word"), SearchOptions(beam=300, nbest=300, max_length_offset=4)),
}


@pytest.mark.parametrize("name", SLOW_STAGES)
def test_after_a_cancel_nothing_more_is_done_at_any_moment(translator: Translator, name: str):
    request, options = SLOW_STAGES[name]
    whole = _Looks(10**9)
    translator.translate(request, options, cancel=whole)
    assert whole.number > 20
    for moment in (0, 3, whole.number // 4, whole.number // 3):
        looks = _Looks(moment)
        result = translator.translate(request, options, cancel=looks)
        assert result.hypotheses == () and looks.number - moment < 12, moment
        assert result.status == "cancelled" or result.relaxation is None


def test_after_a_cancel_no_variant_of_a_request_is_read_for_its_price(translator: Translator, monkeypatch):
    request = Request("The file. The server.", phrases=(Phrase("file"), Phrase("server")), avoid=("x", "y"))
    reads: list[int] = []
    read = RequestReader.read
    monkeypatch.setattr(RequestReader, "read", lambda *asked: [reads.append(looks.number), read(*asked)][1])
    looks = whole = _Looks(10**9)
    translator.price(request, SearchOptions(beam=1, max_length_offset=2), cancel=whole)
    assert len(reads) > 10
    for part in range(4):
        moment = part * whole.number // 5
        options = SearchOptions(beam=1, max_length_offset=3 + part)  # no answer is known
        reads.clear()
        looks = _Looks(moment)
        assert translator.price(request, options, cancel=looks).avoid[-1] is None, moment
        assert all(number <= moment for number in reads), moment


def test_cancel_while_a_source_is_encoded_ends_it_before_any_table_is_made(translator: Translator, monkeypatch):
    layers: list[object] = []
    tables: list[object] = []
    transformer = translator.pipeline._model.transformer
    for layer in transformer.encoder:
        layer.register_forward_hook(lambda *_: layers.append(None))
    monkeypatch.setattr("engine.search.beam.BeamSearch", lambda *_: tables.append(None))
    cancel = threading.Event()
    handle = transformer.encoder[0].register_forward_hook(lambda *_: cancel.set())
    result = translator.translate(Request("Some words that nothing has encoded before.", avoid=["x"]), cancel=cancel)
    handle.remove()
    assert (result.status, result.hypotheses) == ("cancelled", ())
    assert (len(layers), tables) == (1, []) and len(transformer.encoder) > 1


def test_long_list_ends_at_the_deadline_with_its_best(translator: Translator, monkeypatch):
    request, options = Request("word"), SearchOptions(beam=300, nbest=300, max_length_offset=4)
    monkeypatch.setattr("engine.decoding.pipeline._PIECES_AT_ONCE", 20)
    all_of_them = translator.translate(request, options)
    written = len(all_of_them.hypotheses)
    times = iter([0.0] * 10**6)
    looks = _Looks(10**9)
    translator.translate(request, options, cancel=looks)
    number, last = 0, looks.number - 3

    def clock() -> float:
        nonlocal number
        number += 1
        return next(times) if number < last else 1e9

    monkeypatch.setattr("engine.decoding.loop.time.perf_counter", clock)
    result = translator.translate(request, options, deadline_ms=1e6)
    assert result.status == "deadline" and 0 < len(result.hypotheses) < written
    assert [each.text for each in result.hypotheses] == [
        each.text for each in all_of_them.hypotheses[: len(result.hypotheses)]
    ]


def test_jobs_of_a_question_have_no_more_rows_at_a_time_than_the_widest_beam():
    def jobs(beam: int, number: int) -> list[DecodingJob]:
        return [DecodingJob(Request("x"), SearchOptions(beam=beam)) for _ in range(number)]

    assert num_at_once(jobs(MAX_BEAM, 600)) == 1
    assert num_at_once(jobs(10, 600)) == MAX_BEAM // 10
    assert num_at_once(jobs(10, 7)) == 7


def test_worker_gives_requests_its_deadline(translator: Translator):
    with Worker(translator, deadline_ms=0) as worker:
        assert worker.submit(Request("The file")).result(60).status == "deadline"
        assert worker.submit(Request("The file"), deadline_ms=1e9).result(60).status == "complete"
