"""The process between an app and a cluster, with a cluster that is a folder: it is replaced when the cluster is."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from engine import Datastore, DatastoreOptions, EngineError, ModelError, Request, ServedModels
from engine.remote import served_models
from engine.remote.remote_call import ReplicaLost
from engine.remote.remote_engine import RemoteEngine

ROOT = Path(__file__).resolve().parents[2]
CLIENT = "import runpy; runpy.run_path('tests/remote/cluster_in_a_folder.py', run_name='__main__')"


class Cluster:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self, name: str, checksum: str = "0") -> None:
        (self.folder / "served").write_text(checksum)
        (self.folder / "cluster").write_text(name)

    def end(self) -> None:
        (self.folder / "cluster").unlink()

    def num_searches(self) -> int:
        return len((self.folder / "searches").read_text().splitlines())


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(served_models, "_MAIN", CLIENT)
    monkeypatch.setattr(served_models, "_LOOK_SECONDS", 0.1)
    monkeypatch.setattr(served_models, "_ANSWER_SECONDS", 0.5)
    cluster = Cluster(tmp_path)
    cluster.start("first")
    return cluster


@pytest.fixture
def served(cluster: Cluster) -> Iterator[ServedModels]:
    served = ServedModels(str(cluster.folder))
    yield served
    served.close()


@pytest.fixture
def engine(served: ServedModels) -> Iterator[RemoteEngine]:
    engine = served.engine("en-de")
    assert engine is not None
    yield engine
    engine.close()


def until(claim: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not claim():
        assert time.monotonic() < end
        time.sleep(0.02)


def clients() -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if "cluster_in_a_folder" in " ".join(each.cmdline())]


def test_calls_wait_for_the_next_cluster(
    cluster: Cluster, engine: RemoteEngine, caplog: pytest.LogCaptureFixture
) -> None:
    assert engine.submit(Request("a")).result(60)[:2] == ("first", "a")  # type: ignore[index]
    assert engine.outage is None
    cluster.end()
    under_way = engine.submit(Request("b"))
    with caplog.at_level(logging.ERROR, "pinpoint"):
        until(lambda: engine.outage == "there is no cluster")
    assert "there is no cluster" in caplog.text
    later = engine.submit(Request("c"), key="c")
    engine.submit(Request("d"), key="d")
    engine.cancel("d")
    assert not under_way.done()
    cluster.start("second")
    assert under_way.result(60)[:2] == ("second", "b")  # type: ignore[index]
    assert later.result(60)[:2] == ("second", "c")  # type: ignore[index]
    assert engine.outage is None
    until(lambda: len(clients()) == 1)


def test_cluster_that_was_replaced_meanwhile_is_found(cluster: Cluster, engine: RemoteEngine) -> None:
    cluster.start("second")
    assert engine.submit(Request("a")).result(60)[:2] == ("second", "a")  # type: ignore[index]


def test_client_that_is_killed_is_started_again(engine: RemoteEngine) -> None:
    until(lambda: len(clients()) == 1)  # that of the test before may be ending
    (client,) = clients()
    os.kill(client.pid, signal.SIGKILL)
    assert engine.submit(Request("a")).result(60)[:2] == ("first", "a")  # type: ignore[index]


def test_model_that_is_not_served_for_a_while_is_found_again(cluster: Cluster, engine: RemoteEngine) -> None:
    (cluster.folder / "served").unlink()
    until(lambda: engine.outage is not None)
    until(lambda: "does not serve" in str(engine.outage))
    (client,), num_searches = clients(), cluster.num_searches()
    until(lambda: cluster.num_searches() > num_searches + 2)
    (cluster.folder / "served").write_text("0")
    assert engine.submit(Request("a")).result(60)[:2] == ("first", "a")  # type: ignore[index]
    assert clients() == [client]  # a cluster that answers needs no new process


def test_processes_start_less_and_less_often_during_an_outage(
    cluster: Cluster, engine: RemoteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[float] = []
    start = served_models._ClientProcess

    def counted(address: str) -> served_models._ClientProcess:
        starts.append(time.monotonic())
        return start(address)

    monkeypatch.setattr(served_models, "_ClientProcess", counted)
    cluster.end()
    until(lambda: len(starts) == 5)
    for number, least_seconds in enumerate([0.1, 0.2, 0.4, 0.8]):
        assert starts[number + 1] - starts[number] >= least_seconds
    cluster.start("second")
    until(lambda: engine.outage is None)


def test_after_an_outage_the_app_looks_as_often_as_before(
    cluster: Cluster, served: ServedModels, engine: RemoteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[tuple[bool, float]] = []  # whether there was an outage, and the seconds until the next look
    wait = served._wake.wait

    def recorded(seconds: float) -> bool:
        waits.append((engine.outage is not None, seconds))
        return wait(seconds)

    monkeypatch.setattr(served._wake, "wait", recorded)
    for name in ("second", "third"):
        waits.clear()
        cluster.end()
        until(lambda: (True, 0.8) in waits)
        cluster.start(name)
        until(lambda: waits[-2:] == [(False, 0.1)] * 2)
        assert [seconds for is_outage, seconds in waits if is_outage][:4] == [0.1, 0.2, 0.4, 0.8]
        assert {seconds for is_outage, seconds in waits if not is_outage} == {0.1}


def test_cluster_that_does_not_answer_for_seconds_is_an_outage_before_its_client_is_replaced(
    cluster: Cluster, engine: RemoteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_models, "_ANSWER_SECONDS", 300)
    monkeypatch.setattr(served_models, "_SILENCE_SECONDS", 0.2)
    until(lambda: len(clients()) == 1)  # the one of the test before may be ending
    before = clients()
    cluster.end()
    until(lambda: engine.outage == "Ray does not answer")
    assert clients() == before
    assert engine.statistics().num_running == 0  # without a wait for the cluster
    (cluster.folder / "cluster").write_text("first")
    os.kill(before[0].pid, signal.SIGKILL)
    until(lambda: engine.outage is None)


def test_another_model_of_the_same_name_is_not_used(cluster: Cluster, engine: RemoteEngine) -> None:
    cluster.start("second", checksum="1")
    until(lambda: engine.outage is not None and "start the app again" in engine.outage)


def test_call_that_is_lost_each_time_is_given_up(engine: RemoteEngine) -> None:
    with pytest.raises(ReplicaLost, match="a copy has ended"):
        engine.submit(Request("lost")).result(60)
    until(lambda: engine.outage is None)
    assert engine.submit(Request("a")).result(60)[:2] == ("first", "a")  # type: ignore[index]


def test_datastore_is_sent_once_to_each_cluster_and_forgotten_with_its_owner(
    cluster: Cluster, engine: RemoteEngine
) -> None:
    def num_known(datastore: Datastore) -> int:
        return engine.submit(Request("a"), datastore=datastore).result(60)[2]  # type: ignore[index,return-value]

    datastores = [Datastore("0", DatastoreOptions(), ()) for _ in range(3)]
    assert [num_known(datastores[number]) for number in (0, 1, 1, 0, 2)] == [1, 2, 2, 2, 3]
    del datastores[1:]
    assert num_known(Datastore("0", DatastoreOptions(), ())) == 2
    cluster.start("second")
    assert num_known(datastores[0]) == 1


def test_missing_cluster_at_the_start_is_an_error(cluster: Cluster) -> None:
    cluster.end()
    with pytest.raises(ModelError, match="there is no cluster"):
        ServedModels(str(cluster.folder))
    until(lambda: clients() == [])


def test_client_ends_with_the_connection(cluster: Cluster) -> None:
    served = ServedModels(str(cluster.folder))
    engine = served.engine("en-de")
    assert engine is not None
    served.close()
    until(lambda: clients() == [])
    engine.close()
    with pytest.raises(EngineError, match="closed"):
        engine.submit(Request("a"))
