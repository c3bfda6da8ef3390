"""The models of one document: the model in use, and another one that is loading or offered."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from app.access.actor import SYSTEM, Actor
from app.errors import LogError
from app.models.loading import ModelHandle
from app.segments.state import Json
from app.workspace.core import WorkspaceCore
from app.workspace.decoding import DecodeQueue


class ModelUse:
    """The document as `DocumentModels` sees it: its `ModelUser`. Thread-safe."""

    def __init__(self, core: WorkspaceCore, decoding: DecodeQueue) -> None:
        """Starts with the model of `core` as soon as it is ready."""
        self._core = core
        self._decoding = decoding
        self._next: tuple[str, ModelHandle] | None = None  # the name of a model that is loading, to be used then
        self._offered: Json | None = None  # a model that was loaded, but translates other languages
        core.model.on_change(self._on_model)
        core.model.on_fetch(self._on_fetch)

    @property
    def token(self) -> str:
        """The document's unguessable name."""
        return self._core.token

    @property
    def direction(self) -> str:
        """Its source and target language: "en-de"."""
        return self._core.direction

    @property
    def model(self) -> ModelHandle:
        """The model that translates it now."""
        return self._core.model

    def view(self) -> Json:
        """The model in use and the model that is loading, for the page."""
        name, loading = self._next or ("", self.model)
        return {**self.model.view(), "next": name, "fetched": loading.fetched, "offered": self._offered}

    def report(self, problem: str) -> None:
        """Shows a problem on the page."""
        self._core.report(problem)

    def log_error(self, actor: Actor, command: str, message: str) -> None:
        """Logs an error message that the page shows."""
        self._core.log_error(actor, command, message)

    def expect_model(self, name: str, model: ModelHandle) -> None:
        """Shows that another model is loading, to be used as soon as it is ready."""
        model.on_fetch(self._on_fetch)  # first: what was downloaded before is in the view, the rest is reported
        with self._core.lock:
            self._next, self._offered, self._core.problem = (name, model), None, ""
            self._core.touch()

    def expect_no_model(self) -> None:
        """Stops waiting for another model."""
        with self._core.lock:
            self._next = None
            self._core.touch()

    def offer_model(self, key: str, name: str, directions: Sequence[str]) -> None:
        """Shows that the installed model translates other languages; "" is a model that is in none of the lists."""
        with self._core.lock:
            self._next, self._offered = None, {"key": key, "name": name, "directions": list(directions)}
            self._core.touch()

    def use_model(self, actor: Actor, model: ModelHandle, key: str = "") -> None:
        """Translates with another model, which is ready; with a key, the session remembers it (see DocumentModels)."""
        with self._core.command(actor) as work:
            if key:
                work.log("model", {"key": key, "name": model.name, "model": model.checksum})
            work.then(lambda: self._use_model(actor, model))

    def log_start_model(self, model: ModelHandle) -> None:
        """Logs the start model once it is ready, if the document uses it because no other was chosen.

        Nobody chose it. It has no key: the next start may have another one.
        """
        payload = {"key": None, "name": model.name, "model": model.checksum}
        with contextlib.suppress(LogError), self._core.command(SYSTEM) as work:  # the session may have been deleted
            last = self._core.store.last_event(self._core.session_id, "model")
            is_news = last is None or (last.payload["key"] is None and last.payload != payload)
            if model.state == "ready" and self.model is model and is_news:
                work.log("model", payload)

    def _use_model(self, actor: Actor, model: ModelHandle) -> None:
        self._next, self._offered, self._core.problem = None, None, ""
        if model is not self.model:
            self._decoding.start_over(actor, model)
        self._core.touch()

    def _on_model(self) -> None:
        with self._core.lock:
            self._decoding.on_model(SYSTEM)  # the model was loaded, or could not be
            self._core.touch()

    def _on_fetch(self) -> None:
        with self._core.lock:
            self._core.touch()
