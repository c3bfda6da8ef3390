"""The process that calls replicas under Ray Serve for an app, and answers it through pipes.

A process can use only one Ray cluster in its life, and Ray ends it a minute after the cluster. So the app, which lives
longer, starts one of these for each cluster. Answers come in any order. Calls and their answers pass through as bytes:
this process does not load PyTorch.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import pickle
import signal
import struct
import sys
import threading
from contextlib import suppress
from importlib import import_module
from typing import IO, Any, Literal

from engine.any_engine import EngineFacts, EngineStatistics
from engine.errors import EngineError, ModelError

# A message to this process is a number, the name of a method of `_RayClient`, and its arguments; or the number of an
# earlier one and CANCEL. Its answer is the number, an Outcome, and the result, the error, or how the replica was lost.
Outcome = Literal["result", "error", "lost"]
CANCEL = "cancel"
_AUTH_MODE = "RAY_AUTH_MODE"
_LENGTH = struct.Struct(">Q")


def send(stream: IO[bytes], message: tuple[Any, ...]) -> None:
    """Writes a message."""
    data = pickle.dumps(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Reads a message. Raises EOFError if the other side has ended."""
    length = stream.read(_LENGTH.size)
    if len(length) < _LENGTH.size:
        raise EOFError
    data = stream.read(_LENGTH.unpack(length)[0])
    if len(data) < _LENGTH.unpack(length)[0]:
        raise EOFError
    return pickle.loads(data)


def connected(address: str) -> Any:
    """The module `ray`, connected to a cluster. Raises ModelError if Ray is missing or not running."""
    try:
        ray = import_module("ray")
    except ImportError as error:
        raise ModelError("Ray is not installed: pip install 'pinpoint[server]'") from error
    try:
        if not ray.is_initialized():
            ray.init(address=address, namespace="pinpoint", log_to_driver=False, logging_level=logging.WARNING)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ModelError(
            f"there is no Ray cluster at {address!r}: start it with `ray start --head` ({error})"
        ) from error
    if os.environ.get(_AUTH_MODE) is None:  # connecting sets it where the cluster asks for a token
        ray.shutdown()
        raise ModelError(
            "everybody who can reach this Ray cluster can run programs on its machines: end it with `ray stop`, make a "
            "token with `ray get-auth-token --generate`, and start it again (RAY_AUTH_MODE=disabled allows a cluster "
            "without a token)"
        )
    import_module("ray.serve")
    logging.getLogger("ray.serve").setLevel(logging.WARNING)
    return ray


class _Lost(Exception):
    """The replica ended, or Ray does not reach it, so that the call can be sent again."""


class _RayClient:
    """Calls the applications of a cluster, by name."""

    def __init__(self, address: str) -> None:
        """Raises ModelError if Ray is missing or not running."""
        self._ray = connected(address)
        self._serve = import_module("ray.serve")
        self._handles: dict[str, Any] = {}
        self._datastores: dict[str, Any] = {}  # references to the object store, by number

    async def find(self, name: str) -> bool:
        """True if the cluster serves this application; its calls go there from now on."""
        try:
            self._handles[name] = await asyncio.to_thread(self._serve.get_app_handle, name)
        except Exception as error:  # Ray raises an exception of its own for an unknown name
            if type(error).__name__ == "RayServeException":
                return False
            raise
        return True

    async def facts(self, name: str) -> EngineFacts:
        found: EngineFacts = await self._handles[name].facts.remote()
        return found

    async def statistics(self, name: str) -> list[EngineStatistics]:
        """The statistics of each replica that answers."""
        answers = await self._handles[name].broadcast("statistics").results_async(return_exceptions=True)
        return [answer for answer in answers if isinstance(answer, EngineStatistics)]

    async def share(self, number: str, datastore: bytes) -> None:
        self._datastores[number] = self._ray.put(datastore)

    async def forget(self, number: str) -> None:
        self._datastores.pop(number, None)

    async def carry_out(self, name: str, route: str, call: bytes, datastore: str | None) -> bytes:
        stored = None if datastore is None else (datastore, self._datastores[datastore])
        response = self._handles[name].options(session_id=_hash(route)).carry_out.remote(call, stored)
        try:
            answer: bytes = await response
        except asyncio.CancelledError:
            response.cancel()  # Ray does not pass the cancelling of this task on
            raise
        except Exception as error:
            raise self._own_error(error) from error
        return answer

    def _own_error(self, error: Exception) -> BaseException:
        """The error of the replica itself, without Ray's frame; _Lost where no replica answered."""
        if isinstance(error, self._ray.exceptions.RayTaskError):
            cause: BaseException = error.cause
            return cause
        return _Lost(f"{type(error).__name__}: {error}")


def _hash(route: str) -> str:
    return hashlib.sha256(route.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class _Conversation:
    """The app's requests over pipes, as tasks of an event loop."""

    def __init__(self, commands: IO[bytes], answers: IO[bytes]) -> None:
        """Reads from now on, so that the process ends with its standard input also while it connects."""
        self._commands = commands
        self._answers = answers
        self._client: _RayClient | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._read, daemon=True).start()

    def run(self, client: _RayClient) -> None:
        """Answers until the process ends."""
        self._client = client
        self._loop.run_forever()

    def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._loop.call_soon_threadsafe(self._begin, *receive(self._commands))
        os._exit(0)  # the app has ended or gives this process up; Ray might wait for the cluster

    def _begin(self, number: int, method: str, *arguments: Any) -> None:
        if method == CANCEL:
            if task := self._tasks.get(number):
                task.cancel()
            return
        self._tasks[number] = task = self._loop.create_task(self._answer(number, method, arguments))
        task.add_done_callback(lambda _: self._tasks.pop(number, None))

    async def _answer(self, number: int, method: str, arguments: tuple[Any, ...]) -> None:
        outcome: Outcome = "result"
        found: Any
        try:
            found = await getattr(self._client, method)(*arguments)
        except _Lost as error:
            outcome, found = "lost", str(error)
        except EngineError as error:
            outcome, found = "error", error
        except Exception as error:  # of any kind, such as one that cannot be pickled
            outcome, found = "error", EngineError(f"{type(error).__name__}: {error}")
        send(self._answers, (number, outcome, found))


def main() -> None:
    """Connects to the cluster at the address in the first argument, reports success, and then answers requests."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    commands, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output of a library is not an answer
    conversation = _Conversation(commands, answers)
    try:
        client = _RayClient(sys.argv[1])
    except ModelError as error:
        send(answers, (0, "error", error))
        return
    except Exception as error:  # of any kind: the app must know
        send(answers, (0, "error", ModelError(f"Ray did not start: {type(error).__name__}: {error}")))
        return
    send(answers, (0, "result", None))
    conversation.run(client)
