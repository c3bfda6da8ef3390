"""Two replicas of the bundled model under Ray Serve: `make test-server`. Writes build/server.json with the figures."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.paths import MODEL_FOLDER
from benchmarks.paper_dba import environment
from engine import (
    AlternativesQuestion,
    Avoid,
    InvalidRequest,
    LearningQuestion,
    ModelError,
    Phrase,
    PriceQuestion,
    Request,
    ScoreQuestion,
    SearchOptions,
    ServedModels,
    Translator,
    Worker,
    serve_model,
)
from engine.remote.remote_engine import RemoteEngine

pytestmark = pytest.mark.server

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = SearchOptions(places_per_bank=2)
LONG = Request("The administrator opened the settings of the printer, which nobody had changed for years. " * 4)
SLOW = SearchOptions(beam=40)
DEADLINE_MS = 600_000  # for a busy machine; times are measured and written down, and no test depends on them
PATIENCE_SECONDS = DEADLINE_MS / 1000
LINES = (ROOT / "tests" / "data" / "corpus_sample.tsv").read_text(encoding="utf-8").splitlines()
ENGLISH = [line.split("\t")[3] for line in LINES if line.startswith("en\t")]
SOURCES = [text for text in ENGLISH if 40 < len(text) < 110]


@pytest.fixture(scope="module")
def figures() -> Iterator[dict[str, Any]]:
    """What was measured, by test; written once all have run."""
    found: dict[str, Any] = {}
    yield found
    file = ROOT / "build" / "server.json"
    file.parent.mkdir(exist_ok=True)
    machine = {**environment(), "ray": version("ray"), "memory_gib": round(psutil.virtual_memory().total / 2**30, 1)}
    file.write_text(json.dumps({"environment": machine, **found}, indent=1) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def cluster(figures: dict[str, Any]) -> Iterator[Any]:
    ray = pytest.importorskip("ray")
    began = time.monotonic()
    os.environ["PYTHONPATH"] = str(ROOT)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200 * 2**20)
    serve_model(MODEL_FOLDER, replicas=2)
    figures["start_seconds"] = round(time.monotonic() - began, 1)
    figures["memory_mib_of_a_replica"] = round(max(each.memory_info().rss for each in processes()) / 2**20)
    yield ray
    ray.serve.shutdown()
    ray.shutdown()


@pytest.fixture(scope="module")
def remote(cluster: Any) -> Iterator[RemoteEngine]:
    served = ServedModels()
    engine = served.engine(MODEL_FOLDER, deadline_ms=DEADLINE_MS)
    assert engine is not None
    wait([engine.submit(Request(source), OPTIONS) for source in SOURCES[:40]])
    yield engine
    engine.close()
    served.close()


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    translator = Translator.load(MODEL_FOLDER, "cpu", "auto")
    with Worker(translator, deadline_ms=DEADLINE_MS) as worker:
        wait([worker.submit(Request(source), OPTIONS) for source in SOURCES[:40]])
        yield worker


def processes() -> list[psutil.Process]:
    """Those of the replicas."""
    return [each for each in psutil.process_iter() if _title(each).startswith("ray::ServeReplica")]


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def milliseconds_until(claim: Callable[[], bool], most_seconds: float = PATIENCE_SECONDS) -> float:
    began = time.perf_counter()
    while not claim():
        assert time.perf_counter() - began < most_seconds
        time.sleep(0.002)
    return (time.perf_counter() - began) * 1000


def quantiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "median_ms": round(statistics.median(ordered), 1),
        "p95_ms": round(ordered[int(0.95 * len(ordered))], 1),
        "most_ms": round(ordered[-1], 1),
    }


def is_running(engine: RemoteEngine) -> bool:
    return engine.statistics().num_running > 0


def test_remote_answers_equal_local_answers(remote: RemoteEngine, worker: Worker) -> None:
    requests = [Request(source) for source in SOURCES[:6]]
    requests += [Request(source, phrases=[Phrase("Einstellungen")], avoid=[Avoid("die")]) for source in SOURCES[6:12]]
    requests += [Request(source, prefix="Hier ", direction="en-de") for source in SOURCES[12:16]]
    for request in requests:
        here, there = (engine.submit(request, OPTIONS).result(PATIENCE_SECONDS) for engine in (worker, remote))
        assert [each.text for each in there.hypotheses] == [each.text for each in here.hypotheses]
        assert there.hypotheses[0].score == pytest.approx(here.hypotheses[0].score, abs=1e-4)
    pinned = requests[6]
    best = worker.submit(pinned, OPTIONS).result(PATIENCE_SECONDS).hypotheses[0]
    stored, empty = worker.ask(LearningQuestion(requests[0], "Das ist ein Satz.", 1, -99.0)).result(PATIENCE_SECONDS)
    datastore = empty.with_pairs([stored])
    for question, value in (
        (PriceQuestion(pinned, OPTIONS), lambda answer: answer.total),
        (PriceQuestion(pinned, OPTIONS, datastore), lambda answer: answer.total),
        (ScoreQuestion(pinned, best.text), lambda answer: answer.score),
        (AlternativesQuestion(pinned, best.tokens, 1, 3, OPTIONS), lambda answer: [each.log_prob for each in answer]),
    ):
        assert value(remote.ask(question).result(PATIENCE_SECONDS)) == pytest.approx(
            value(worker.ask(question).result(PATIENCE_SECONDS)), abs=1e-4
        )
    with pytest.raises(InvalidRequest, match=r"^direction is 'xx-yy'"):
        remote.submit(Request("a", direction="xx-yy")).result(PATIENCE_SECONDS)
    assert remote.facts == worker.facts


def test_changed_pin_has_the_same_answer_on_a_replica(
    remote: RemoteEngine, worker: Worker, figures: dict[str, Any]
) -> None:
    taken: dict[str, list[float]] = {"in_this_process": [], "on_a_replica": []}
    around: dict[str, list[float]] = {"in_this_process": [], "on_a_replica": []}  # beside the decoding itself
    answers: dict[str, list[str]] = {"in_this_process": [], "on_a_replica": []}
    for source in SOURCES[40:80]:
        for engine, name in ((worker, "in_this_process"), (remote, "on_a_replica")):
            engine.submit(Request(source), OPTIONS).result(PATIENCE_SECONDS)
            for pin in ("Datei", "Haus"):
                began = time.perf_counter()
                answer = engine.submit(Request(source, phrases=[Phrase(pin)]), OPTIONS, key="pin", owner="a").result(
                    PATIENCE_SECONDS
                )
                taken[name].append((time.perf_counter() - began) * 1000)
                around[name].append(taken[name][-1] - answer.elapsed_ms)
                answers[name].append(answer.hypotheses[0].text)
    figures["changed_pin"] = {
        name: {"in_all": quantiles(taken[name]), "beside_decoding": quantiles(around[name])} for name in taken
    }
    added = statistics.median(around["on_a_replica"]) - statistics.median(around["in_this_process"])
    figures["changed_pin"]["added_on_the_way_median_ms"] = round(added, 1)
    assert answers["on_a_replica"] == answers["in_this_process"]


@pytest.fixture(scope="module")
def most_ms(remote: RemoteEngine) -> float:
    """Half of the time in which a replica answers the long request. The compiled core counts it as one step."""
    began = time.perf_counter()
    assert remote.submit(LONG, SLOW).result(PATIENCE_SECONDS).status == "complete"
    return (time.perf_counter() - began) * 1000 / 2


def test_model_is_free_before_the_end_of_a_request_whose_caller_hangs_up(
    remote: RemoteEngine, most_ms: float, figures: dict[str, Any]
) -> None:
    taken = []
    for number in range(10):
        future = remote.submit(Request(f"{number} {LONG.source}"), SLOW)
        milliseconds_until(lambda: is_running(remote))
        assert future.cancel()
        taken.append(milliseconds_until(lambda: not is_running(remote)))
    figures["hang_up"] = quantiles(taken)
    assert statistics.median(taken) < most_ms


def test_newer_request_of_a_segment_cancels_the_older_on_whichever_replica(
    remote: RemoteEngine, most_ms: float, figures: dict[str, Any]
) -> None:
    taken = []
    for number in range(12):  # the two sources of a pair go to different replicas half of the time
        older = remote.submit(Request(f"{number} {LONG.source}"), SLOW, key="segment")
        milliseconds_until(lambda: is_running(remote))
        newer = remote.submit(Request(SOURCES[number]), OPTIONS, key="segment")
        assert older.result(PATIENCE_SECONDS).status == "cancelled"
        assert newer.result(PATIENCE_SECONDS).status == "complete"
        taken.append(milliseconds_until(lambda: not is_running(remote)))
    figures["newer_request"] = quantiles(taken)
    assert statistics.median(taken) < most_ms


def test_document_is_translated_by_both_replicas(remote: RemoteEngine, worker: Worker, figures: dict[str, Any]) -> None:
    rates = {}
    for engine, name in ((worker, "in_this_process"), (remote, "on_two_replicas")):
        began = time.perf_counter()
        futures = [engine.submit(Request(f"{source} "), OPTIONS, priority="document") for source in SOURCES[:120]]
        assert {future.result(PATIENCE_SECONDS).status for future in futures} == {"complete"}
        rates[name] = round(len(futures) / (time.perf_counter() - began), 1)
    figures["segments_per_second"] = rates


def test_killed_replica_is_noticed_by_nobody(remote: RemoteEngine, figures: dict[str, Any]) -> None:
    answered: list[tuple[float, float]] = []  # when, and after how many milliseconds
    errors: list[object] = []
    is_over = threading.Event()

    def work(person: int) -> None:
        number = 0
        while not is_over.is_set():
            number += 1
            source = SOURCES[(37 * person + number) % len(SOURCES)]
            began = time.perf_counter()
            try:
                answer = remote.submit(Request(source), OPTIONS, key=f"{person}", owner=f"{person}").result(
                    PATIENCE_SECONDS
                )
                if answer.status != "complete":
                    errors.append(answer)
            except Exception as error:
                errors.append(error)
            answered.append((began, (time.perf_counter() - began) * 1000))

    people = [threading.Thread(target=work, args=(person,)) for person in range(6)]
    for person in people:
        person.start()
    time.sleep(3)
    before = {each.pid for each in processes()}
    assert len(before) == 2
    num_before, killed_at = len(answered), time.perf_counter()
    os.kill(min(before), signal.SIGKILL)
    back_ms = milliseconds_until(lambda: len(replicas_that_answer(remote)) == 2 and len(processes()) == 2)
    time.sleep(1)
    is_over.set()
    for person in people:
        person.join()
    assert errors == []
    during = [taken for began, taken in answered if began + taken / 1000 > killed_at and began < killed_at + 2]
    figures["killed_replica"] = {
        "people": len(people),
        "answered_before": num_before,
        "answered_after": len(answered) - num_before,
        "errors": len(errors),
        "answers_around_the_kill": quantiles(during),
        "seconds_until_there_are_two_again": round(back_ms / 1000, 1),
    }


def replicas_that_answer(engine: RemoteEngine) -> list[object]:
    return engine._run(engine._replicas.statistics()).result(PATIENCE_SECONDS)  # type: ignore[return-value]


def test_several_models_are_served_and_their_copies_can_be_changed(
    remote: RemoteEngine, worker: Worker, tmp_path: Path
) -> None:
    serve_model(MODEL_FOLDER, replicas=1)
    milliseconds_until(lambda: len(processes()) == 1)
    other = tmp_path / "other"
    shutil.copytree(MODEL_FOLDER, other)
    serve_model(other, replicas=1)
    with pytest.raises(ModelError, match="9 copies need 9 CPUs, and the cluster has 2"):
        serve_model(other, replicas=9)
    with pytest.raises(ModelError, match="no-such-model is not a folder"):
        serve_model("no-such-model")
    served = ServedModels()
    assert served.engine("no-such-model") is None
    engine = served.engine(other)
    assert engine is not None
    assert (engine.facts.name, remote.facts.name) == ("other", "en-de")
    expected = worker.submit(Request(SOURCES[0]), OPTIONS).result(PATIENCE_SECONDS).hypotheses[0].text
    assert [
        each.submit(Request(SOURCES[0]), OPTIONS).result(PATIENCE_SECONDS).hypotheses[0].text
        for each in (engine, remote)
    ] == ([expected, expected])
    engine.close()
    served.close()
