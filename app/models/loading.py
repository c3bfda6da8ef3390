"""A model that loads in the background: loading, ready, or failed.

The page is shown at once; listeners are called when the model is ready.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Literal

from app.errors import AppError, BrokenDownload
from app.precedence import LongWork
from engine import (
    POST_EDITING,
    AnyTranslator,
    Engine,
    EngineError,
    FetchProgress,
    ModelError,
    Translator,
    describe_model,
    offer_of,
    set_num_threads,
)

_log = logging.getLogger("pinpoint")
SEARCH: Final = POST_EDITING
# A proposal with 20 rare terms takes ten seconds. After this time the best translation so far is shown.
DECODING_SECONDS: Final = 30.0
DEADLINE_MS: Final = 1000 * DECODING_SECONDS
MAX_STEP_PAUSE_SECONDS: Final = 0.02  # of translating ahead: a person may ask for a translation meanwhile
_STOP_SECONDS: Final = 10.0  # for a model that is being loaded; a download stops with the next piece of a file
ModelState = Literal["loading", "ready", "failed"]


def load_translator(folder: Path, device: str, on_fetch: FetchProgress | None = None) -> Translator:
    """Loads a model onto its device: in 16 bits on a GPU, in 8 bits if this is better. Raises ModelError.

    `on_fetch` gets the progress of a download (see `Translator.load`).
    """
    return Translator.load(folder, device, "auto", on_fetch=on_fetch, num_threads=None)


class ModelHandle:
    """A model, or two as one, and the state of its loading.

    `engine` is None until `state` is "ready"; `message` says why it failed.
    `fetched` is the percentage that has been downloaded; None if nothing is downloaded.
    """

    def __init__(
        self,
        folder: Path,
        fixed_direction: str | None = None,
        device: str = "cpu",
        load: Callable[[FetchProgress], AnyTranslator] | None = None,
        find_engine: Callable[[Path], Engine | None] | None = None,
        watch: Callable[[Engine], Engine] | None = None,
    ) -> None:
        """`fixed_direction` is the direction of all new documents; None decides for each (`document_direction`).

        `device` is "cpu", or "cuda" for a GPU. `load` replaces `load_translator`, for a model that is not in `folder`
        yet or that is two models; then `folder` is only its name. `find_engine` returns the engine of models that
        other processes have loaded, and None for those that this one loads. `watch` returns the engine to use in place
        of a new one, which measures it.
        """
        self.folder = folder
        self.fixed_direction = fixed_direction
        self.device = device
        self.find_engine = find_engine
        self.watch = watch
        self._load_translator = load
        self.state: ModelState = "loading"
        self.message = ""
        self.is_broken_off = False  # where it failed: whether a download can be continued
        self.fetched: int | None = None
        self.name = folder.name
        self.directions: Sequence[str] = ()
        self.formalities: Mapping[str, Sequence[str]] = {}  # the forms of address it supports, by direction
        self.domains: Sequence[str] = ()
        self.checksum = ""
        self.pivot = ""  # of two models as one, the language between
        self.num_threads = 0
        self.precision = ""  # of its weights, once it is ready
        self.decoder = ""  # what decodes, once it is ready
        self.is_silent = False  # the watchdog's: its thread does not answer
        self.loaded_from: Path | None = None  # a folder, also where `folder` is a hub id
        self.engine: Engine | None = None
        self._listeners: list[Callable[[], None]] = []
        self._fetch_listeners: list[Callable[[], None]] = []
        self._is_stopped = threading.Event()
        self._loading: threading.Thread | None = None
        self._lock = threading.Lock()

    @property
    def direction(self) -> str:
        """The direction of documents that do not name their languages; a guess until the model is known."""
        return self.fixed_direction or (self.directions[0] if self.directions else "en-de")

    def is_loaded_from(self, folder: Path) -> bool:
        """True if the model is, or will be, loaded from this folder or hub id."""
        return folder in (self.loaded_from, self.folder)

    def describe(self) -> None:
        """Makes the directions and styles of a converted model known before it is loaded."""
        entry = describe_model(self.folder)
        self.directions, self.formalities, self.domains = entry.directions, entry.formalities, entry.domains

    def load_in_background(self, num_threads: int | None = None) -> None:
        """Starts loading and returns immediately."""
        self.describe()
        with self._lock:
            self._loading = threading.Thread(target=self._load, args=(num_threads,), name="load-model", daemon=True)
            self._loading.start()  # before `close_before_exit`, which waits for it, can come in between

    def wait(self) -> None:
        """Waits until the model is ready or has failed."""
        done = threading.Event()
        self.on_change(done.set)
        done.wait()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Calls `listener` once the model is ready or has failed; immediately if it already is."""
        with self._lock:
            if self.state == "loading":
                self._listeners.append(listener)
                return
        listener()

    def on_fetch(self, listener: Callable[[], None]) -> None:
        """Calls `listener`, from any thread, after each percent of a download."""
        with self._lock:
            if self.state == "loading":
                self._fetch_listeners.append(listener)

    @property
    def is_stopped(self) -> bool:
        """True if `stop` was called."""
        return self._is_stopped.is_set()

    def stop(self) -> None:
        """Stops loading: a download ends at the next piece of a file, and the model fails."""
        self._is_stopped.set()

    def view(self) -> dict[str, str | int]:
        """The model's state for the page."""
        return {
            "state": self.state,
            "name": self.name,
            "message": self.message,
            "num_directions": len(self.directions),
            "pivot": self.pivot,
            "device": self.device,
            "is_silent": self.is_silent,
        }

    def status(self) -> dict[str, Any]:
        """The model's state for the status page, with the fields of EngineStatistics once it is ready."""
        status: dict[str, Any] = {"model": self.name, "state": self.state, "device": self.device}
        if self.engine is None:
            return status
        return {**status, "precision": self.precision, "decoder": self.decoder, **asdict(self.engine.statistics())}

    def close(self) -> None:
        """Closes the engine, or stops loading."""
        self.stop()
        if self.engine is not None:
            self.engine.close()

    def close_before_exit(self) -> None:
        """Closes the engine, and waits for a model that is being loaded.

        A process that ends while a thread imports PyTorch or loads weights may be aborted.
        """
        self.stop()
        if self._loading is not None:
            self._loading.join(_STOP_SECONDS)
        self.close()

    def _load(self, num_threads: int | None) -> None:
        try:
            engine = self._served_engine() or self._own_engine(num_threads)
            directions = engine.facts.directions
            if self.direction not in directions and self.fixed_direction:
                engine.close()
                raise ModelError(f"{engine.facts.name} translates {offer_of(directions)}, not {self.fixed_direction}")
            self.adopt(engine)
            if self.is_stopped:  # while it was loading, so that nobody else closes it
                engine.close()
        except (AppError, EngineError) as error:
            self.is_broken_off = isinstance(error, BrokenDownload)
            self._finish("failed", error.args[0] if error.args else "")  # a Message stays translatable
        except Exception as error:  # the page must show whatever went wrong
            self._finish("failed", f"The model in {self.folder} could not be loaded: {type(error).__name__}: {error}")

    def _served_engine(self) -> Engine | None:
        """The engine of other processes that have this model, if there are any."""
        if self.find_engine is None or self._load_translator is not None:
            return None
        return self.find_engine(self.folder)

    def _own_engine(self, num_threads: int | None) -> Engine:
        from engine import Worker

        if num_threads is not None:
            set_num_threads(num_threads)
        translator = self._translator()
        self._check_not_stopped()
        give_way = LongWork(MAX_STEP_PAUSE_SECONDS).give_way
        return Worker(translator, deadline_ms=DEADLINE_MS, give_way=give_way)

    def _translator(self) -> AnyTranslator:
        if self._load_translator is not None:
            return self._load_translator(self._has_fetched)
        return load_translator(self.folder, self.device, self._has_fetched)

    def _has_fetched(self, num_bytes: int, num_all: int) -> None:
        self._check_not_stopped()
        percent = 100 * num_bytes // max(num_all, 1)
        if percent != self.fetched:
            self.fetched = percent
            for listener in self._fetch_listeners:
                listener()

    def _check_not_stopped(self) -> None:
        if self.is_stopped:
            raise ModelError(f"loading {self.name} was stopped")

    def adopt(self, engine: Engine) -> None:
        """Uses an engine that is ready."""
        facts = engine.facts
        self.name, self.directions, self.checksum = facts.name, facts.directions, facts.checksum
        self.formalities, self.domains = facts.formalities, facts.domains
        self.loaded_from, self.pivot, self.num_threads = facts.folder, facts.pivot, facts.num_threads
        self.precision, self.decoder = facts.precision, facts.decoder
        if not facts.learns:  # a document must not repeat it for each of its segments
            _log.warning("%s does not learn from confirmed segments", facts.name)
        self.engine = engine if self.watch is None else self.watch(engine)
        self._finish("ready", "")

    def _finish(self, state: ModelState, message: str) -> None:
        with self._lock:
            self.state, self.message, self.fetched = state, message, None
            listeners, self._listeners = self._listeners, []
            self._fetch_listeners = []
        for listener in listeners:
            listener()
