"""The simulation of people against queues whose answers are known, and the whole program on a small scale."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from benchmarks.capacity import __main__ as program
from benchmarks.capacity.costs import Cost, Costs, segments_of
from benchmarks.capacity.habits import Ask, Habits, Pause, person
from benchmarks.capacity.load import RealCopy
from benchmarks.capacity.simulated import most_people, simulate, work
from engine import Translator
from engine.decoding.loop import DecodingJob
from engine.text import TextCodec
from tests.e2e.conftest import save_random_model

KINDS = ("translation", "document", "pin", "completion", "price", "alternatives")
PIN_ONLY = Habits(pins=1, completions=0, alternatives=0, not_ready=0, document_segments_per_hour=0.001)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, codec: TextCodec) -> Path:
    """A tiny model: what the program does with its figures does not depend on their size."""
    return save_random_model(tmp_path_factory.mktemp("models") / "random-en-de", codec)


def costs_of(step_ms: float, num_steps: int) -> Costs:
    """Each request takes so many steps, which cost the same whatever their size; questions cost nothing."""
    samples = {kind: [Cost(num_steps, num_steps * step_ms)] for kind in KINDS}
    samples["price"] = samples["alternatives"] = [Cost(1, 0.0)]
    return Costs({1: step_ms, 16: step_ms}, samples)


def test_one_person_alone_waits_for_the_steps_of_the_request() -> None:
    outcome = simulate(costs_of(5.0, 20), PIN_ONLY, num_people=1, num_copies=1, seconds=1200)
    assert outcome.times_ms["pin"] == pytest.approx([100.0] * len(outcome.times_ms["pin"]))
    assert 10 <= len(outcome.times_ms["pin"]) <= 30  # one a minute


def test_load_is_the_work_over_the_time() -> None:
    """30 pins a minute of 100 ms each are 5 % of the time, where hardly any share a step."""
    outcome = simulate(costs_of(5.0, 20), PIN_ONLY, num_people=30, num_copies=1, seconds=3000)
    assert outcome.load == pytest.approx(0.05, rel=0.1)


def test_sharing_steps_serves_more_people_than_taking_turns() -> None:
    """Where a step of 16 costs what 16 steps cost, the copy is full at 600 pins a minute."""
    shared = costs_of(5.0, 20)
    dear = Costs({1: 5.0, 16: 80.0}, shared.samples)
    assert most_people(dear, PIN_ONLY, 1, 30) < 700
    assert simulate(shared, PIN_ONLY, 1000, 1, 30).quantile(0.95) < 300


def test_twice_the_copies_serve_at_least_twice_the_people() -> None:
    costs = Costs({1: 5.0, 16: 80.0}, costs_of(5.0, 20).samples)
    one, two = (most_people(costs, PIN_ONLY, copies, 120) for copies in (1, 2))
    assert two >= 1.8 * one


def test_model_that_is_too_slow_serves_nobody() -> None:
    assert most_people(costs_of(50.0, 20), PIN_ONLY, 1, 600) == 0


def test_person_asks_as_often_as_their_habits_say() -> None:
    habits = Habits(segment_s=10, pins=2, completions=1, alternatives=0.5, not_ready=0.1)
    seconds, asks = 0.0, []
    for item in person(habits, random.Random(3)):
        if isinstance(item, Pause):
            seconds += item.seconds
            if seconds > 20_000:
                break
        else:
            asks.append(item)
    counts = {kind: sum(ask.kind == kind for ask in asks) / 2000 for kind in KINDS}
    assert counts == pytest.approx(
        {"translation": 0.1, "document": 0, "pin": 2, "completion": 1, "price": 2, "alternatives": 0.5}, rel=0.15
    )
    assert {ask.is_awaited for ask in asks if ask.kind == "price"} == {False}
    assert Ask("pin", 1).is_awaited


def test_step_between_measured_sizes_is_interpolated() -> None:
    costs = Costs({1: 4.0, 4: 7.0, 8: 9.0}, {})
    assert [costs.step(size) for size in (1, 2, 4, 6, 8, 12)] == pytest.approx([4, 5, 7, 8, 9, 9])


def test_alternatives_are_asked_for_words(model: Path) -> None:
    translator = Translator.load(model)
    segments = segments_of(translator, ["The file could not be opened."] * 20, random.Random(1))
    pieces = [segment.alternatives.piece for segment in segments]
    assert len({*pieces}) > 3, "different words"
    for segment in segments:
        asked = segment.alternatives
        job = DecodingJob(asked.request, asked.options)
        steps = translator.alternatives_steps(job, asked.tokens, asked.piece, 1)
        assert next(steps), "a piece that is not part of a word is refused here"


def test_real_copies_and_simulation_give_the_same_answers(model: Path) -> None:
    """Few people, who hardly wait for each other: the same script, the same requests, all answered."""
    translator = Translator.load(model)
    segments = segments_of(
        translator, ["The file could not be opened.", "Close the door of the car."], random.Random(1)
    )
    habits = Habits(segment_s=30, document_segments_per_hour=300)
    real = work([RealCopy(translator, segments) for _ in range(2)], habits, 3, 60, random.Random(1))
    predicted = simulate(costs_of(5.0, 10), habits, 3, 2, 60)
    for kind in ("translation", "pin", "completion", "alternatives"):
        assert len(real.times_ms.get(kind, [])) == pytest.approx(len(predicted.times_ms.get(kind, [])), abs=2), kind
    assert real.times_ms["document"] and predicted.times_ms["document"]  # they come at other times in each run
    assert real.quantile(0.5) > 0 and 0 < real.load < 1


def test_program_compares_prediction_and_measurement(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "command_ms", lambda model, folder: 5.0)  # an app of its own takes ten seconds
    monkeypatch.setattr("benchmarks.capacity.load.STEPPED_WARM_UP_S", 1.0)
    monkeypatch.setattr(program, "most_people", lambda costs, habits, cores, seconds: 2 * cores)
    flags = "--cores 1 2 --load-cores 2 --people 3 --seconds 2 --segment-s 4 --simulated-seconds 60 --processes 1"
    flags += f" --sentences 4 --steps 5 --models {model} --output {tmp_path}"
    assert program.main(flags.split()) == 0
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    half, whole, real = results["load"]
    assert [row["clock"] for row in results["load"]] == ["processor", "processor", "real"]
    assert [(row["people"], row["cores"]) for row in (half, whole, real)] == [(2, 2), (4, 2), (3, 1)]
    for row in results["load"]:
        assert row["answers"] > 0 and row["predicted_p95_ms"] > 0 and row["measured_p95_ms"] > 0
    assert set(results["models"][0]["people"]) == {"1", "2"}
    assert program.report(results) == (tmp_path / "report.md").read_text(encoding="utf-8")
    assert program.people_per_process(results) == pytest.approx(0.5 * 60_000 / (43 * 5))
