"""The model while it is loading, when it is there, and when it could not be loaded.

The page comes up at once; whoever needs the model is told when it is ready.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from engine import (
    EngineError,
    FetchProgress,
    ModelError,
    Request,
    SearchOptions,
    Translation,
    Translator,
    WorkerStatistics,
    describe_model,
    offer_of,
)

ModelState = Literal["loading", "ready", "failed"]
Priority = Literal["interactive", "document"]
T = TypeVar("T")


class DecodingWorker(Protocol):
    """What the app needs of the engine's worker."""

    def submit(
        self, request: Request, options: SearchOptions, *, key: str, owner: str, priority: Priority = ...
    ) -> Future[Translation]:
        """Queues a request; a newer one with the same key cancels this one, and owners take turns."""

    def ask(self, call: Callable[[Translator, threading.Event], T], *, key: str, owner: str) -> Future[T | None]:
        """Queues any question about a translation; None where a newer one with the same key came."""

    def cancel(self, key: str) -> None:
        """Cancels what is queued or running under that key."""

    def statistics(self) -> WorkerStatistics:
        """How long its queue is, how long answers take, and how many there are."""

    def close(self) -> None:
        """Ends the worker."""


def load_translator(folder: Path, device: str, on_fetch: FetchProgress | None = None) -> Translator:
    """The model on its device, where it computes in 16 bits if that is a GPU; raises ModelError.

    `on_fetch` is told what comes over the network (see `Translator.load`).
    """
    return Translator.load(folder, device, "float32" if device == "cpu" else "half", on_fetch=on_fetch)


class ModelHandle:
    """A model on its way. `decoder` is None until `state` is "ready"; `message` says why where it failed.

    `fetched` is how much of it, in percent, has come over the network; None where nothing has to come.
    """

    def __init__(self, folder: Path, wanted_direction: str | None = None, device: str = "cpu") -> None:
        """New documents are translated in `wanted_direction`, else as they say themselves (`app.models.directions`).

        It computes on `device`, "cpu" or "cuda" for a GPU.
        """
        self.folder = folder
        self.wanted_direction = wanted_direction
        self.device = device
        self.state: ModelState = "loading"
        self.message = ""
        self.fetched: int | None = None
        self.name = folder.name
        self.directions: Sequence[str] = ()
        self.formalities: Mapping[str, Sequence[str]] = {}  # by direction: what it can be asked for (see `Style`)
        self.domains: Sequence[str] = ()
        self.checksum = ""
        self.num_threads = 0
        self.loaded_from: Path | None = None  # a folder, where `folder` may be a name
        self.decoder: DecodingWorker | None = None
        self._listeners: list[Callable[[], None]] = []
        self._fetch_listeners: list[Callable[[], None]] = []
        self._is_stopped = threading.Event()
        self._lock = threading.Lock()

    @property
    def direction(self) -> str:
        """What documents that say nothing are to be translated in; a guess until the model is known."""
        return self.wanted_direction or (self.directions[0] if self.directions else "en-de")

    def load_in_background(self, num_threads: int | None = None) -> None:
        """Starts loading; returns at once. What a converted model can be asked for is known then."""
        entry = describe_model(self.folder)
        self.directions, self.formalities, self.domains = entry.directions, entry.formalities, entry.domains
        threading.Thread(target=self._load, args=(num_threads,), name="load-model", daemon=True).start()

    def wait(self) -> None:
        """Until the model is there or has failed."""
        done = threading.Event()
        self.on_change(done.set)
        done.wait()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Calls `listener` once the model is ready or has failed; at once where that is so already."""
        with self._lock:
            if self.state == "loading":
                self._listeners.append(listener)
                return
        listener()

    def on_fetch(self, listener: Callable[[], None]) -> None:
        """Calls `listener`, from any thread, each time that a further percent has been fetched."""
        with self._lock:
            if self.state == "loading":
                self._fetch_listeners.append(listener)

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called: it comes no more, if it has not."""
        return self._is_stopped.is_set()

    def stop(self) -> None:
        """Nobody waits for it any more: fetching ends at the next piece of a file, and it fails."""
        self._is_stopped.set()

    def view(self) -> dict[str, str | int]:
        """What the page shows of it."""
        return {
            "state": self.state,
            "name": self.name,
            "message": self.message,
            "num_directions": len(self.directions),
        }

    def status(self) -> dict[str, Any]:
        """How it is doing, for those who run the server; the fields of WorkerStatistics once it is there."""
        told = {"model": self.name, "state": self.state, "device": self.device}
        return told if self.decoder is None else {**told, **asdict(self.decoder.statistics())}

    def close(self) -> None:
        """Ends the worker, or the way to it."""
        self.stop()
        if self.decoder is not None:
            self.decoder.close()

    def _load(self, num_threads: int | None) -> None:
        try:
            import torch

            from engine import Worker

            if num_threads is not None:
                torch.set_num_threads(num_threads)
            translator = load_translator(self.folder, self.device, self._has_fetched)
            self._check_wanted()
            if self.direction not in translator.directions and self.wanted_direction:
                raise ModelError(
                    f"{translator.name} translates {offer_of(translator.directions)}, not {self.wanted_direction}"
                )
            self.num_threads = torch.get_num_threads()
            self.checksum = translator.checksum
            self.loaded_from = translator.folder
            self.formalities, self.domains = translator.formalities, translator.domains
            worker = Worker(translator)
            self.adopt(worker, name=translator.name, directions=translator.directions)
            if self.is_stopped:  # meanwhile, so that nobody else ends it
                worker.close()
        except EngineError as error:
            self._finish("failed", str(error))
        except Exception as error:  # whatever went wrong, the page must say it
            self._finish("failed", f"The model in {self.folder} could not be loaded: {type(error).__name__}: {error}")

    def _has_fetched(self, num_bytes: int, num_all: int) -> None:
        self._check_wanted()
        percent = 100 * num_bytes // max(num_all, 1)
        if percent != self.fetched:
            self.fetched = percent
            for listener in self._fetch_listeners:
                listener()

    def _check_wanted(self) -> None:
        if self.is_stopped:
            raise ModelError(f"{self.name} was stopped on its way")

    def adopt(self, decoder: DecodingWorker, *, name: str, directions: Sequence[str]) -> None:
        """Takes a worker that is ready."""
        self.decoder, self.name, self.directions = decoder, name, directions
        self._finish("ready", "")

    def _finish(self, state: ModelState, message: str) -> None:
        with self._lock:
            self.state, self.message, self.fetched = state, message, None
            listeners, self._listeners = self._listeners, []
            self._fetch_listeners = []
        for listener in listeners:
            listener()
