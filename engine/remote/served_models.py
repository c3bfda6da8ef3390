"""The models that a Ray cluster serves, as an app reaches them: through a process that is replaced with the cluster.

A supervisor asks each model for a sign of life. One that does not answer is looked for in a new process, which also
finds a cluster that ended and was started again. Until then, calls wait. While the cluster does not answer, the time
between two of these processes grows up to a minute.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import secrets
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.any_engine import EngineFacts, EngineStatistics
from engine.errors import EngineError, ModelError
from engine.remote.ray_client import CANCEL, receive, send
from engine.remote.ray_serve import served_name
from engine.remote.remote_call import RemoteCall, ReplicaLost
from engine.remote.remote_engine import RemoteEngine

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore

_LOOK_SECONDS = 3.0  # between two looks whether the models answer
_MAX_LOOK_SECONDS = 60.0  # the same during an outage
_SILENCE_SECONDS = 7.0  # without a sign of life after a question: an outage, which may still end by itself
_ANSWER_SECONDS = 10.0  # for a sign of life; no decoding is needed for it
_CONNECT_SECONDS = 60.0
_READY_SECONDS = 30.0  # a replica that is starting loads its model first
_ROOT = Path(__file__).parents[2]  # of the package `engine`
_MAIN = "from engine.remote.ray_client import main; main()"
_SILENT = "Ray does not answer"
_log = logging.getLogger("pinpoint")


class ServedModels:
    """The models that a Ray cluster serves. Thread-safe. Close it."""

    def __init__(self, address: str = "auto") -> None:
        """Connects to the cluster at `address`. Raises ModelError if Ray is missing or not running."""
        self._address = address
        # The attributes below are shared between threads, under the lock.
        self._lock = threading.Lock()
        self._client = _ClientProcess(address)
        self._client.connect(_CONNECT_SECONDS)
        self._models: dict[str, _Served] = {}
        self._datastores: dict[str, weakref.ref[Datastore]] = {}
        self._numbers: weakref.WeakKeyDictionary[Datastore, str] = weakref.WeakKeyDictionary()
        self._is_closed = False
        self._wake = threading.Event()
        threading.Thread(target=self._supervise, name="pinpoint-ray", daemon=True).start()

    def engine(self, model: str | Path, *, deadline_ms: float | None = None) -> RemoteEngine | None:
        """The engine of a model; None if the cluster does not serve it. Raises ModelError if it does not answer."""
        name = served_name(model)
        try:
            if not self._client.ask("find", name).result(_READY_SECONDS):
                return None
            engine = RemoteEngine(_ServedReplicas(self, name), deadline_ms=deadline_ms)
        except (EngineError, TimeoutError) as error:
            raise ModelError(f"{name} is not ready: {error}; `RAY_AUTH_MODE=token serve status` says why") from error
        with self._lock:
            self._models.setdefault(name, _Served(engine.facts.checksum))
        return engine

    def close(self) -> None:
        """Ends the connection; the models are served on."""
        with self._lock:
            self._is_closed = True
            client = self._client
        self._wake.set()
        client.end()

    def outage(self, name: str) -> str | None:
        """Why a model cannot be reached; None while it can."""
        with self._lock:
            model = self._models.get(name)
            if model is None or model.outage is not None or model.silent_since is None:
                return None if model is None else model.outage
            is_silent = time.monotonic() - max(model.silent_since, model.answered_at) > _SILENCE_SECONDS
            return _SILENT if is_silent else None

    async def ask(self, method: str, name: str) -> Any:
        """The answer of a model's replicas."""
        return await asyncio.wrap_future(self._client.ask(method, name))

    async def carry_out(self, name: str, call: RemoteCall, datastore: Datastore | None) -> Any:
        """See `Replicas.carry_out`."""
        client = await self._client_for(name)
        number = None if datastore is None else self._share(client, datastore)
        try:
            answer = await asyncio.wrap_future(client.ask("carry_out", name, call.route, pickle.dumps(call), number))
        except ReplicaLost:
            self._suspect(name, client)
            raise
        with self._lock:
            if (model := self._models.get(name)) is not None:
                model.answered_at = time.monotonic()
        return pickle.loads(answer)

    async def _client_for(self, name: str) -> _ClientProcess:
        """The process that reaches a model, as soon as there is one."""
        while True:
            with self._lock:
                model = self._models.get(name)
                if model is None or model.is_reached:
                    return self._client
                waiting: Future[None] = Future()
                model.waiting.append(waiting)
            await asyncio.wrap_future(waiting)

    def _share(self, client: _ClientProcess, datastore: Datastore) -> str:
        """The number of a datastore, which the process has by now."""
        with self._lock:
            number = self._numbers.setdefault(datastore, secrets.token_hex(12))
            is_new, gone = client.shares(number, set(self._numbers.values()))
        for each in gone:
            client.ask("forget", each)
        if is_new:
            client.ask("share", number, pickle.dumps(datastore))
        return number

    def _suspect(self, name: str, client: _ClientProcess) -> None:
        """Checks a model immediately; calls wait for the result."""
        with self._lock:
            model = self._models.get(name)
            if model is None or client is not self._client:
                return
            model.suspect()
            if model.outage is None:
                self._wake.set()

    def _supervise(self) -> None:
        seconds = _LOOK_SECONDS
        while True:
            self._wake.wait(seconds)
            self._wake.clear()
            with self._lock:
                if self._is_closed:
                    return
                models = dict(self._models)
            self._look({name: model for name, model in models.items() if model.outage is None})
            is_newly_lost = any(not model.is_reached and model.outage is None for model in models.values())
            if self._client.has_ended or is_newly_lost or not self._find_lost(models):
                answers = self._connect_again(models)
                seconds = _LOOK_SECONDS if answers or is_newly_lost else min(2 * seconds, _MAX_LOOK_SECONDS)
            else:
                seconds = _LOOK_SECONDS

    def _look(self, models: dict[str, _Served]) -> None:
        """Asks for signs of life. Under high load, an answer to another call counts, if it came in the meantime."""
        asked_at = time.monotonic()
        with self._lock:
            for model in models.values():
                model.silent_since = model.silent_since or asked_at
        asked = {name: self._client.ask("facts", name) for name in models}
        wait(asked.values(), _ANSWER_SECONDS)
        for name, model in models.items():
            if _has_answered(asked[name]) or model.answered_at > asked_at:
                self._reached(model)
                continue
            with self._lock:
                model.suspect()

    def _find_lost(self, models: dict[str, _Served]) -> bool:
        """Looks for the models that were lost. Whether the cluster answers, which then needs no new process."""
        answers = [self._find(name, model, _ANSWER_SECONDS) for name, model in models.items() if not model.is_reached]
        return all(answers) or any(model.is_reached for model in models.values())

    def _connect_again(self, models: dict[str, _Served]) -> bool:
        """Looks for the models in a new process. Whether the cluster answers."""
        try:
            client = _ClientProcess(self._address)
        except OSError as error:  # the system starts no further process
            for name, model in models.items():
                self._lost(name, model, str(error))
            return False
        with self._lock:
            for model in models.values():
                model.suspect()
            self._client, old = client, self._client
            is_closed = self._is_closed
        old.end()
        if is_closed:
            client.end()
            return False
        try:
            if not client.has_tried_within(_ANSWER_SECONDS):
                for name, model in models.items():
                    self._lost(name, model, _SILENT)
            client.connect(_CONNECT_SECONDS)
        except ModelError as error:
            for name, model in models.items():
                self._lost(name, model, str(error))
            return False
        answers = [self._find(name, model, _READY_SECONDS) for name, model in models.items()]
        return all(answers)

    def _find(self, name: str, model: _Served, seconds: float) -> bool:
        """Looks for a model that was lost. Whether the cluster answers, also if it does not serve this model."""
        client = self._client
        try:
            if not client.ask("find", name).result(seconds):
                self._lost(name, model, f"Ray does not serve {name}")
                return True
            facts: EngineFacts = client.ask("facts", name).result(seconds)
        except (EngineError, TimeoutError) as error:
            self._lost(name, model, f"{name} is not ready ({type(error).__name__}: {error})")
            return False
        if facts.checksum != model.checksum:  # open documents were translated by the other one
            self._lost(name, model, f"Ray serves another model as {name} by now: start the app again")
        else:
            self._reached(model)
        return True

    def _reached(self, model: _Served) -> None:
        with self._lock:
            model.is_reached, model.outage, model.silent_since = True, None, None
            waiting, model.waiting = model.waiting, []
        for future in waiting:
            if future.set_running_or_notify_cancel():
                future.set_result(None)

    def _lost(self, name: str, model: _Served, reason: str) -> None:
        if model.outage != reason:
            _log.error("%s cannot be reached; the app tries again at least once a minute: %s", name, reason)
        with self._lock:
            model.is_reached, model.outage = False, reason


@dataclass(slots=True, eq=False)
class _Served:
    """The state of the connection to a model: reached, out of service (`outage`), or being searched for."""

    checksum: str
    is_reached: bool = True
    outage: str | None = None
    silent_since: float | None = None  # when a question was asked that has no answer yet, by time.monotonic()
    answered_at: float = 0.0
    waiting: list[Future[None]] = field(default_factory=list)

    def suspect(self) -> None:
        """Marks the model as not reached until it answers."""
        self.is_reached = False
        self.silent_since = self.silent_since or time.monotonic()


def _has_answered(asked: Future[Any]) -> bool:
    """True if a question has an answer that is not an error. Withdraws a question without an answer."""
    return not asked.cancel() and asked.exception() is None


class _ServedReplicas:
    """The `Replicas` of one model."""

    def __init__(self, models: ServedModels, name: str) -> None:
        self._models = models
        self._name = name

    async def facts(self) -> EngineFacts:
        found: EngineFacts = await self._models.ask("facts", self._name)
        return found

    async def carry_out(self, call: RemoteCall, datastore: Datastore | None) -> Any:
        return await self._models.carry_out(self._name, call, datastore)

    async def statistics(self) -> list[EngineStatistics]:
        found: list[EngineStatistics] = await self._models.ask("statistics", self._name)
        return found

    @property
    def outage(self) -> str | None:
        return self._models.outage(self._name)


class _ClientProcess:
    """A process that is connected to a cluster. Thread-safe. Ctrl+C does not reach it; it ends with its input."""

    def __init__(self, address: str) -> None:
        path = os.pathsep.join(filter(None, [str(_ROOT), os.getenv("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _MAIN, address],  # -P: no code from the current folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # Ray has its own log files, and its errors come as answers
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._commands, self._answers = self._process.stdin, self._process.stdout
        self._lock = threading.Lock()  # guards the pipe and `_asked`
        self._asked: dict[int, Future[Any]] = {}
        self._last = 0
        self._shared: set[str] = set()
        self.has_ended = False
        self._connection: Future[Any] = Future()
        self._asked[0] = self._connection
        threading.Thread(target=self._read, name="pinpoint-ray-answers", daemon=True).start()

    def has_tried_within(self, seconds: float) -> bool:
        """True if the attempt to connect is over within this time, with or without success."""
        return bool(wait([self._connection], seconds).done)

    def connect(self, seconds: float) -> None:
        """Waits until the process is connected. Else ends it, and raises ModelError."""
        try:
            self._connection.result(seconds)
        except (ReplicaLost, TimeoutError) as error:
            self.end()
            raise ModelError(_SILENT) from error
        except ModelError:
            self.end()
            raise

    def ask(self, method: str, *arguments: Any) -> Future[Any]:
        """The answer. Cancelling the future cancels the call. Its error is ReplicaLost if the process ends."""
        future: Future[Any] = Future()
        with self._lock:
            self._last += 1
            number = self._last
            if not self.has_ended:
                self._asked[number] = future
                with suppress(OSError):  # it has ended: `_read` notices
                    send(self._commands, (number, method, *arguments))
        if self.has_ended:
            self._lose([future])
        future.add_done_callback(lambda done: self._cancel(number) if done.cancelled() else None)
        return future

    def shares(self, number: str, kept: set[str]) -> tuple[bool, set[str]]:
        """True if the process needs this datastore, and the datastores it must drop; records both as done."""
        is_new, gone = number not in self._shared, self._shared - kept
        self._shared = (self._shared & kept) | {number}
        return is_new, gone

    def end(self) -> None:
        """Ends the process immediately."""
        self._process.kill()
        self._process.wait()

    def _cancel(self, number: int) -> None:
        with self._lock:
            if self._asked.pop(number, None) is not None:
                with suppress(OSError):
                    send(self._commands, (number, CANCEL))

    def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                number, outcome, found = receive(self._answers)
                future = self._asked.pop(number, None)
                if future is None or not future.set_running_or_notify_cancel():
                    continue
                if outcome == "result":
                    future.set_result(found)
                else:
                    future.set_exception(ReplicaLost(found) if outcome == "lost" else found)
        with self._lock:
            self.has_ended = True
            asked, self._asked = [*self._asked.values()], {}
        self._lose(asked)
        for stream in (self._commands, self._answers):
            with suppress(OSError):  # the process has ended: unsent data is lost
                stream.close()

    def _lose(self, asked: list[Future[Any]]) -> None:
        for future in asked:
            if not future.done() and future.set_running_or_notify_cancel():
                future.set_exception(ReplicaLost("the connection to Ray has ended"))
