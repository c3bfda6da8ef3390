"""The client of replicas, over two real ones in this process: whatever they send and get is pickled."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from engine import (
    AlternativesQuestion,
    EngineError,
    InvalidRequest,
    LearningQuestion,
    ModelError,
    Phrase,
    PriceQuestion,
    Request,
    ScoreQuestion,
    SearchOptions,
    SpellingQuestion,
    Translator,
    Worker,
)
from engine.model import LoadedModel, ModelConfig, Transformer
from engine.remote.ray_client import connected
from engine.remote.ray_serve import served_name
from engine.remote.remote_call import ReplicaLost
from engine.remote.remote_engine import DOCUMENTS_PER_REPLICA, MAX_TRIES, RemoteEngine
from engine.remote.replica import Replica
from tests.remote.local_replicas import DATASTORES, LocalReplicas
from tests.test_worker import Gated, same

OPTIONS = SearchOptions(beam=3, nbest=2)
REQUEST = Request("Open the file.", phrases=[Phrase("Datei")])


@pytest.fixture(scope="module")
def model(codec) -> LoadedModel:
    torch.manual_seed(1)
    config = ModelConfig(len(codec.vocabulary), ("en-de",), 16, 2, 16, 1, 1)
    return LoadedModel.of(config, codec, Transformer(config).eval(), "0" * 64)


class Team:
    """A client and its replicas, whose models wait at gates until `open`."""

    def __init__(self, model: LoadedModel, count: int = 2) -> None:
        self.gates = [Gated(model) for _ in range(count)]
        self.replicas = [Replica(gate) for gate in self.gates]
        self.local = LocalReplicas(self.replicas)
        self.engine = RemoteEngine(self.local, deadline_ms=30_000)

    def open(self, *numbers: int) -> None:
        for number in numbers or range(len(self.gates)):
            self.gates[number].open()

    def is_free(self, number: int) -> bool:
        statistics = self.replicas[number].statistics()
        return statistics.num_running + statistics.queue_length == 0

    def close(self) -> None:
        self.open()
        self.engine.close()
        for replica in self.replicas:
            replica.close()


@pytest.fixture
def team(model) -> Iterator[Team]:
    team = Team(model)
    yield team
    team.close()


def eventually(claim: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not claim():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_remote_answers_equal_answers_of_a_local_worker(team, model):
    team.open()
    with Worker(Translator(model)) as worker:
        expected = worker.submit(REQUEST, OPTIONS).result(60)
        tokens = expected.hypotheses[0].tokens
        assert same(team.engine.submit(REQUEST, OPTIONS).result(60), expected)
        numbers: list[list[Any]] = []
        for engine in (worker, team.engine):
            price = engine.ask(PriceQuestion(REQUEST, OPTIONS)).result(60)
            score = engine.ask(ScoreQuestion(REQUEST, "Die Datei.")).result(60)
            others = engine.ask(AlternativesQuestion(REQUEST, tokens, 1, 2, OPTIONS)).result(60)
            numbers.append([price.total, *price.phrases, score.score, *(other.log_prob for other in others)])
        assert numbers[1] == pytest.approx(numbers[0], abs=1e-4)
        spelling = SpellingQuestion(("Datei", "日"))
        assert team.engine.ask(spelling).result(60) == worker.ask(spelling).result(60)
        assert team.engine.facts == worker.facts


def test_newer_request_with_the_same_key_cancels_the_older_on_another_replica(team):
    older = team.engine.submit(Request("0 first"), OPTIONS, key="segment")
    team.gates[0].wait()
    newer = team.engine.submit(Request("1 second"), OPTIONS, key="segment")
    assert older.result(60).status == "cancelled"
    team.open()
    assert newer.result(60).status == "complete"
    assert team.local.sent == [0, 1]
    eventually(lambda: team.is_free(0))


def test_cancelled_question_answers_none_and_frees_its_replica(team):
    asked = team.engine.ask(PriceQuestion(Request("1 price", phrases=[Phrase("Datei")]), OPTIONS), key="price")
    team.gates[1].wait()
    team.engine.cancel("price")
    assert asked.result(60) is None
    team.engine.cancel("price")  # nothing is there any more
    team.gates[1].open()
    eventually(lambda: team.is_free(1))
    assert team.replicas[1].statistics().num_answered == 0


def test_caller_who_gives_up_frees_the_replica(team):
    future = team.engine.submit(Request("1 long"), OPTIONS)
    team.gates[1].wait()
    assert future.cancel()
    team.gates[1].open()
    eventually(lambda: team.is_free(1))
    assert team.replicas[1].statistics().num_answered == 0


def test_calls_of_a_lost_replica_are_answered_by_another(team):
    sources = [f"{number % 2} {number}" for number in range(8)]
    futures = [team.engine.submit(Request(source), OPTIONS, key=source) for source in sources]
    eventually(lambda: len(team.local.sent) == 8)
    team.gates[0].wait()
    team.local.lose(0)
    team.open(1)
    answers = [future.result(60) for future in futures]
    assert [answer.status for answer in answers] == ["complete"] * 8
    assert [answer.request.source for answer in answers] == sources
    assert sorted(team.local.sent) == [0] * 4 + [1] * 8


def test_request_that_ends_each_replica_is_given_up(team):
    team.local.lose(0, 1)
    with pytest.raises(ReplicaLost):
        team.engine.submit(Request("0 bad"), OPTIONS).result(60)
    assert len(team.local.sent) == MAX_TRIES


def test_cancelled_call_of_a_lost_replica_is_not_sent_again(team):
    future = team.engine.submit(Request("0 first"), OPTIONS, key="a")
    team.gates[0].wait()
    team.engine.cancel("a")
    team.local.lose(0)
    assert future.result(60).status == "cancelled"
    team.open()
    assert team.engine.submit(Request("1 second"), OPTIONS).result(60).status == "complete"
    assert team.local.sent == [0, 1]


def test_owners_take_turns_on_a_replica(team):
    first = team.engine.submit(Request("0 first"), OPTIONS, owner="a", priority="document")
    team.gates[0].wait()
    many = [team.engine.submit(Request(f"0 a{n}"), OPTIONS, owner="a", priority="document") for n in range(20)]
    one = team.engine.submit(Request("0 b"), OPTIONS, owner="b", priority="document")
    eventually(lambda: team.replicas[0].statistics().queue_length == 21)
    team.open()
    for future in (first, one, *many):
        future.result(60)
    assert team.gates[0].begun.index("0 b") <= 2


def test_background_document_does_not_delay_interactive_requests(team):
    """All copies together get no more of a document than they work on next; the rest takes turns in the client."""
    many = [
        team.engine.submit(Request(f"{n % 2} a{n}"), OPTIONS, key=f"a{n}", owner="a", priority="document")
        for n in range(5 * DOCUMENTS_PER_REPLICA)
    ]
    eventually(lambda: len(team.local.sent) == 2 * DOCUMENTS_PER_REPLICA)  # as soon as it knows that there are two
    assert team.engine.statistics().queue_length > 3 * DOCUMENTS_PER_REPLICA
    small = team.engine.submit(Request("0 b"), OPTIONS, owner="b", priority="document")
    mine = team.engine.submit(Request("1 c"), OPTIONS, owner="c")
    team.engine.cancel("a119")
    assert many[119].result(60).status == "cancelled"
    team.open()
    for future in (mine, small, *many[:-1]):
        assert future.result(60).status == "complete"
    begun = team.gates[0].begun
    assert begun.index("0 b") < len(begun) - DOCUMENTS_PER_REPLICA
    assert len(team.local.sent) == 1 + 1 + 5 * DOCUMENTS_PER_REPLICA - 1
    assert team.engine.heartbeat is None


def test_waiting_requests_end_with_the_client(team):
    many = [
        team.engine.submit(Request(f"0 a{n}"), OPTIONS, priority="document") for n in range(3 * DOCUMENTS_PER_REPLICA)
    ]
    team.engine.restart("the model did not answer")
    num_sent = len(team.local.sent)
    for future in many:
        with pytest.raises(EngineError, match="the model did not answer"):
            future.result(60)
    assert num_sent <= 2 * DOCUMENTS_PER_REPLICA
    team.open()
    assert team.engine.submit(Request("0 z"), OPTIONS, priority="document").result(60).status == "complete"


def test_wrong_requests_raise_as_they_do_in_this_process(team):
    team.open()
    with pytest.raises(InvalidRequest, match="xx-yy"):
        team.engine.submit(Request("a", direction="xx-yy")).result(60)
    with pytest.raises(InvalidRequest, match="priority is 'urgent'"):
        team.engine.submit(REQUEST, priority="urgent")  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match="deadline"):
        team.engine.submit(REQUEST, deadline_ms=float("nan"))


def test_datastore_is_sent_to_each_replica_once(team, model):
    team.open()
    learned = team.engine.ask(LearningQuestion(Request("Open the file."), "Die Datei.", (1, 2), -99.0)).result(60)
    assert learned is not None
    pair, empty = learned
    datastore = empty.with_pairs([pair])
    before = len(DATASTORES)
    found = [team.engine.submit(REQUEST, OPTIONS, datastore=datastore).result(60) for _ in range(3)]
    priced = team.engine.ask(PriceQuestion(REQUEST, OPTIONS, datastore)).result(60)
    assert len(DATASTORES) == before + 1
    with Worker(Translator(model)) as worker:
        expected = worker.submit(REQUEST, OPTIONS, datastore=datastore).result(60)
        assert priced.total == pytest.approx(worker.ask(PriceQuestion(REQUEST, OPTIONS, datastore)).result(60).total)
    assert all(same(each, expected) and each.learned == expected.learned for each in found)


def test_statistics_add_up_all_replicas(team):
    team.open()
    for number in range(6):
        team.engine.submit(Request(f"{number % 2} {number}"), OPTIONS).result(60)
    eventually(lambda: team.is_free(0) and team.is_free(1))
    statistics = team.engine.statistics()
    assert (statistics.num_answered, statistics.num_failed, statistics.num_running) == (6, 0, 0)
    assert 0 < statistics.median_latency_ms <= statistics.p95_latency_ms


def test_closing_cancels_running_requests_and_refuses_new_ones(team):
    running = team.engine.submit(Request("0 first"), OPTIONS)
    team.gates[0].wait()
    team.engine.close()
    assert running.result(60).status == "cancelled"
    with pytest.raises(EngineError, match="closed"):
        team.engine.submit(REQUEST)


def test_engine_with_silent_replicas_is_detected_and_its_waiting_requests_end(team):
    assert team.engine.heartbeat is None
    first, second = (team.engine.submit(Request(f"{number} waits"), OPTIONS) for number in range(2))
    team.gates[0].wait()
    beat = team.engine.heartbeat
    assert beat == team.engine.heartbeat is not None
    team.open(1)
    second.result(60)
    assert team.engine.heartbeat not in (beat, None)
    team.engine.restart("the model did not answer")
    with pytest.raises(EngineError, match="the model did not answer"):
        first.result(60)
    assert team.engine.heartbeat is None
    team.open()
    eventually(lambda: team.is_free(0))


def test_silent_model_makes_its_replica_unhealthy(team, monkeypatch):
    team.engine.submit(Request("0 hangs"), OPTIONS)
    team.gates[0].wait()
    now = time.monotonic()
    monkeypatch.setattr("engine.remote.replica.time.monotonic", lambda: now)
    team.replicas[0].check_health()
    now += 60
    team.replicas[0].check_health()
    now += 31
    with pytest.raises(EngineError, match="not answered for 91 seconds"):
        team.replicas[0].check_health()
    team.replicas[1].check_health()
    team.gates[0].steps(1)
    team.replicas[0].check_health()


@pytest.mark.parametrize(("mode", "is_allowed"), [(None, False), ("token", True), ("disabled", True)])
def test_cluster_that_asks_nobody_for_a_token_is_refused(mode, is_allowed, monkeypatch):
    """Ray sets the variable when it connects to a cluster with a token; a person sets it to do without one."""
    ended: list[bool] = []
    ray = SimpleNamespace(is_initialized=lambda: True, shutdown=lambda: ended.append(True))
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.serve", SimpleNamespace(get_app_handle=None))
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    if mode is not None:
        monkeypatch.setenv("RAY_AUTH_MODE", mode)
    if is_allowed:
        assert connected("auto") is ray
    else:
        with pytest.raises(ModelError, match=r"everybody who can reach .*ray get-auth-token"):
            connected("auto")
    assert bool(ended) != is_allowed


def test_served_model_is_named_by_its_folder_however_that_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("en-de", "other/en-de"):
        Path(folder).mkdir(parents=True)
    names = [served_name("en-de"), served_name(Path("other") / ".." / "en-de"), served_name(tmp_path / "en-de")]
    assert len(set(names)) == 1
    assert served_name("other/en-de") not in names
    assert served_name("Helsinki-NLP/opus-mt-en-de") == "pinpoint-opus-mt-en-de-090c20af"


def test_installed_model_has_one_identity_by_name_folder_and_origin(tmp_path, monkeypatch):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path))
    for name, origin in (("en-pt-tiny", "en-pt-tiny"), ("opus-12ab", "Helsinki-NLP/opus")):
        folder = tmp_path / "models" / name
        folder.mkdir(parents=True)
        (folder / "origin.json").write_text(json.dumps({"name": origin}))
        assert served_name(folder) == served_name(name) == served_name(origin)
