"""The models of all open documents: the one the app was started with, and others that translators switched to.

A model is loaded once, in the background, shared by the documents that use it, and released when none does. Until it is
ready, and where it cannot be loaded, the document keeps its current model.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.access.actor import SYSTEM, Actor
from app.errors import CommandError
from app.i18n import Message
from app.models.begun_downloads import BegunDownload, BegunDownloads
from app.models.catalog import MAX_DIRECTIONS, ModelCatalog
from app.models.document_direction import check_direction
from app.models.loading import ModelHandle, load_translator
from app.models.opened_models import OpenedModels
from app.models.pivot_models import PivotModel
from app.models.published_models import PublishedModels
from app.models.uploaded_models import UploadedModels
from app.segments.state import Json
from app.settings import DEFAULT_MODEL_REGISTRY
from engine import AnyTranslator, FetchProgress, ModelEntry, ModelError, is_hub_id, known_models, look_up

if TYPE_CHECKING:
    from app.log.records import Event, SessionRecord
    from app.log.store import LogStore

Load = Callable[[FetchProgress], AnyTranslator]


class ModelUser(Protocol):
    """An open document that a model translates, as DocumentModels sees it."""

    @property
    def token(self) -> str:
        """The document's unguessable name."""

    @property
    def direction(self) -> str:
        """Its source and target language: "en-de"."""

    @property
    def model(self) -> ModelHandle:
        """The model that translates it now."""

    def expect_model(self, name: str, model: ModelHandle) -> None:
        """Shows that another model is loading for it."""

    def expect_no_model(self) -> None:
        """Waits for no other model any more."""

    def use_model(self, actor: Actor, model: ModelHandle, key: str = "") -> None:
        """Translates with another model from now on, and remembers its key."""

    def offer_model(self, key: str, name: str, directions: Sequence[str]) -> None:
        """Shows that the installed model translates other languages; "" is a model that is in none of the lists."""

    def report(self, problem: str) -> None:
        """Shows a problem on the page."""

    def log_error(self, actor: Actor, command: str, message: str) -> None:
        """Logs an error message that the page shows."""

    def log_start_model(self, model: ModelHandle) -> None:
        """Logs that the model of the start translates, unless a chosen one does."""


class DocumentModels:
    """The models of all open documents. Thread-safe. Only `open` takes a path; else, a model has a key or hub id."""

    def __init__(
        self,
        first: ModelHandle,
        known: Callable[[], list[ModelEntry]] = known_models,
        published: PublishedModels | None = None,
        opened: OpenedModels | None = None,
    ) -> None:
        """`known` returns the models on this computer; `published` are by default those of Mozilla's registry."""
        self.first = first
        self.catalog = ModelCatalog(
            self.handles, known, published or PublishedModels(DEFAULT_MODEL_REGISTRY), opened or OpenedModels()
        )
        self.uploads = UploadedModels()
        self._begun = BegunDownloads()
        self._others: dict[Path, ModelHandle] = {}
        self._awaited: dict[str, ModelHandle] = {}  # by the token of the document that waits for it
        self._users: dict[str, ModelHandle] = {}  # by the token of the document, where it is not the first
        self._lock = threading.RLock()  # loading two models asks for the list of models

    def directions(self, user: ModelUser, key: str | None) -> Sequence[str]:
        """The directions of the model with this key; without a key, of the document's current model."""
        return user.model.directions if key is None else self.catalog.entry(key).directions

    def status(self) -> list[Json]:
        """The state of each model for the status page, the start model first."""
        return [handle.status() for handle in self.handles()]

    def switch(self, actor: Actor, user: ModelUser, key: str) -> None:
        """Translates this document with another model as soon as it is ready. Of several calls, the last one counts.

        Of two models through a language between, those that are published are downloaded first. Raises CommandError
        where the model does not support the document's direction or cannot be loaded.
        """
        pair = self.catalog.pivots.find(key, may_download=True)
        if pair is not None and not pair.is_installed:
            begun = BegunDownload("pair", key)
            self._await(actor, user, Path(key), pair.name, partial(self._load_pair, pair), begun)
            return
        entry = self.catalog.entry(key)
        check_direction(entry.name, entry.directions, user.direction)
        self._await(actor, user, entry.folder, entry.name)

    def open(self, actor: Actor, user: ModelUser, path: str) -> None:
        """Translates this document with the model at a path of the server if it has its direction.

        Raises CommandError if there is none, or if it cannot be used.
        """
        entry = self.catalog.entry(self.catalog.opened.open(path, self.first.device))
        self._await(actor, user, entry.folder, entry.name)

    def look_up(self, user: ModelUser, name: str) -> Json:
        """The size and the licence of a model on the hub. Raises CommandError if it cannot be looked up."""
        _check_hub_id(name, user)
        if (key := self.catalog.converted_from(name)) is not None:  # it is here, perhaps without a network
            entry = self.catalog.entry(key)
            return {"name": name, "num_bytes": entry.num_bytes, "licence": entry.licence, "files": []}
        try:
            found = look_up(name)
        except ModelError as error:
            raise CommandError(str(error)) from error
        files = [{"name": f"{name}/{file}", "num_bytes": size} for file, size in found.choices.items()]
        return {"name": name, "num_bytes": found.num_bytes, "licence": found.licence, "files": files}

    def fetch(self, actor: Actor, user: ModelUser, name: str) -> None:
        """Translates this document with a model from the hub, which is downloaded first unless it is known already.

        Raises CommandError if `name` is not a hub id.
        """
        _check_hub_id(name, user)
        with self._lock:
            is_here = self._find_handle(Path(name)) is not None
        known = None if is_here else self.catalog.converted_from(name)
        if known is None:
            self._await(actor, user, Path(name), name, begun=BegunDownload("hub", name))
        else:
            self.switch(actor, user, known)

    def download(self, actor: Actor, user: ModelUser, name: str) -> None:
        """Downloads and installs a published model; translates this document with it if it has its direction.

        Raises CommandError if the list does not have the model.
        """
        found = self.catalog.published.known()
        model = None if found is None else found.find(name)
        if model is None:
            raise CommandError("{name} is no longer in the list of models: update the list.", name=name)

        def load(progress: FetchProgress) -> AnyTranslator:
            return load_translator(self.catalog.published.install(model, progress), self.first.device, progress)

        self._await(actor, user, Path(name), model.title, load, BegunDownload("published", name))

    def continue_download(self, user: ModelUser, tokens: Iterable[str]) -> None:
        """Continues, for this document, the first download that one of these documents had begun before the app ended.

        One that is impossible now, such as of a model that is in no list any more, is dropped.
        """
        begin = {"published": self.download, "pair": self.switch, "hub": self.fetch}
        for token in tokens:
            if (begun := self._begun.of(token)) is not None:
                self._begun.forget(token)
                with suppress(CommandError):
                    begin[begun.kind](SYSTEM, user, begun.name)  # nobody has asked in this run of the app
                    self._begun.note(user.token, replace(begun, is_continued=True))
                return

    def install_upload(self, actor: Actor, user: ModelUser, upload: str, given_name: str) -> None:
        """Installs an uploaded model; translates this document with it if it has its direction.

        `given_name` is that of the folder or ZIP file, or "". Raises CommandError if the files are not there.
        """
        name = self.uploads.name_of(upload, given_name)

        def load(progress: FetchProgress) -> AnyTranslator:
            folder = self.uploads.install(upload, name)
            try:
                progress(1, 1)  # raises if the person cancelled meanwhile
                return load_translator(folder, self.first.device)
            except ModelError:
                shutil.rmtree(folder, ignore_errors=True)  # nothing stays that was cancelled or cannot be used here
                raise

        self._await(actor, user, Path(f"upload-{upload}"), name, load)

    def remove(self, key: str) -> Json:
        """Removes an installed model from this computer. Raises CommandError if an open document uses it."""
        entry = self.catalog.entries().get(key)
        if entry is None or not self.catalog.is_removable(key, entry):
            raise CommandError("This model was removed: open the list of models again.")
        if any(self._uses(handle, entry.folder) for handle in self.handles() if handle.state != "failed"):
            raise CommandError("{name} translates an open document: choose another model there first.", name=entry.name)
        return {"name": entry.name, "freed_bytes": self.catalog.remove(key, entry)}

    def stop(self, user: ModelUser) -> None:
        """Keeps the current model: stops waiting for the one that is being loaded."""
        with self._lock:
            self._awaited.pop(user.token, None)
        self._begun.forget(user.token)
        user.expect_no_model()
        self._release_unused()

    def _await(
        self,
        actor: Actor,
        user: ModelUser,
        folder: Path,
        name: str,
        load: Load | None = None,
        begun: BegunDownload | None = None,
    ) -> None:
        """Translates this document with the model of this folder or hub id as soon as it is ready.

        The next start of the app continues the download `begun`.
        """
        if begun is None:
            self._begun.forget(user.token)  # another model is wanted now
        else:
            self._begun.note(user.token, begun)
        with self._lock:
            handle = self._awaited[user.token] = self._handle_of(folder, load)
        if handle is user.model:
            user.expect_no_model()
        else:
            user.expect_model(name, handle)
        self._release_unused()  # such as the model that was being loaded before
        handle.on_change(lambda: self._loaded(actor, user, handle))

    def remembered(self, store: LogStore, record: SessionRecord) -> tuple[ModelHandle, str]:
        """The model that was chosen last in a session, and a message if it no longer exists."""
        event = chosen_model(store, record.id)
        if event is None:
            return self.first, ""
        entry = self.catalog.find(event.payload["key"])  # a download needs a person's request
        if entry is None or entry.problem:
            gone = Message("{name} was removed.", name=event.payload["name"])
            return self.first, _fallback_message(self.first, record.direction, gone if entry is None else entry.problem)
        with self._lock:
            handle = self._handle_of(entry.folder)
            if handle is not self.first:
                self._users[record.token] = handle
            return handle, ""

    def watch(self, user: ModelUser) -> None:
        """Uses the start model if the document's own model cannot be loaded.

        Where the start model translates it, that is logged once its checksum is known.
        """
        handle = user.model
        if handle is self.first:
            handle.on_change(lambda: user.log_start_model(self.first))
        else:
            handle.on_change(lambda: self._fall_back(user, handle))

    def forget(self, user: ModelUser) -> None:
        """Releases the model of a closed document, if no other document uses it."""
        with self._lock:
            self._users.pop(user.token, None)
            self._awaited.pop(user.token, None)
        self._release_unused()

    def close(self) -> None:
        """Closes all models but the start model."""
        self.catalog.measure_speeds()
        with self._lock:
            others, self._others = list(self._others.values()), {}
            self._awaited.clear()
        for handle in others:
            handle.close_before_exit()

    def handles(self) -> list[ModelHandle]:
        """The models that are loaded or loading, the start model first."""
        with self._lock:
            return [self.first, *self._others.values()]

    def _load_pair(self, pair: PivotModel, progress: FetchProgress) -> AnyTranslator:
        return pair.load(self.catalog.published, self.first.device, progress)

    def _uses(self, handle: ModelHandle, folder: Path) -> bool:
        """True if the model is, or will be, loaded from this folder, alone or with another model."""
        pair = self.catalog.pivots.find(handle.folder.as_posix())
        return handle.is_loaded_from(folder) or (pair is not None and any(part.folder == folder for part in pair.parts))

    def _handle_of(self, folder: Path, load: Load | None = None) -> ModelHandle:
        """The model of this folder or hub id; starts loading it if it is neither ready nor loading."""
        if found := self._find_handle(folder):
            return found
        if load is None and (pair := self.catalog.pivots.find(folder.as_posix())) is not None:
            load = partial(self._load_pair, pair)
        handle = self._others[folder] = ModelHandle(
            folder, device=self.first.device, load=load, find_engine=self.first.find_engine, watch=self.first.watch
        )
        handle.load_in_background()
        return handle

    def _find_handle(self, folder: Path) -> ModelHandle | None:
        """The model of this folder or hub id, if it is ready or loading."""
        for handle in (self.first, *self._others.values()):
            if handle.state != "failed" and not handle.is_stopped and handle.is_loaded_from(folder):
                return handle
        return None

    def _loaded(self, actor: Actor, user: ModelUser, handle: ModelHandle) -> None:
        """Switches a document to the model it waits for, or reports why it cannot be used."""
        has_failed = handle.state == "failed"
        is_fit = not has_failed and user.direction in handle.directions
        with self._lock:
            is_awaited = self._awaited.get(user.token) is handle  # no other one was chosen since
            if is_awaited:
                del self._awaited[user.token]
            if is_awaited and is_fit:
                self._users[user.token] = handle
        if is_awaited:
            begun = self._begun.of(user.token)
            if not handle.is_broken_off or (begun is not None and begun.is_continued):  # one more try is enough
                self._begun.forget(user.token)
        if is_awaited and not has_failed:
            self.catalog.keep(handle)
        if is_awaited and is_fit:
            user.use_model(actor, handle, self.catalog.key_of(handle))
        elif is_awaited and has_failed:
            problem = _fallback_message(user.model, user.direction, handle.message)
            user.expect_no_model()
            user.log_error(actor, "switch_model", problem)
            user.report(problem)
        self._release_unused()
        if is_awaited and not is_fit and not has_failed:  # its key is that of the list, as nobody uses it any more
            user.offer_model(self.catalog.key_of(handle), handle.name, handle.directions[:MAX_DIRECTIONS])

    def _fall_back(self, user: ModelUser, handle: ModelHandle) -> None:
        if handle.state == "failed" and user.model is handle:
            with self._lock:
                self._users.pop(user.token, None)
            self.first.on_change(lambda: self._use_first(user, handle))
            self._release_unused()

    def _use_first(self, user: ModelUser, failed: ModelHandle) -> None:
        if user.model is failed:  # no other one was chosen since
            user.use_model(SYSTEM, self.first)  # instead of one that could not be loaded
            user.report(_fallback_message(self.first, user.direction, failed.message))

    def _release_unused(self) -> None:
        """Closes the models that no document uses or waits for, to free their memory."""
        with self._lock:
            kept = [*self._users.values(), *self._awaited.values()]
            unused = {folder: handle for folder, handle in self._others.items() if handle not in kept}
            for folder, handle in list(unused.items()):
                if handle.state == "loading":  # called again when loading ends
                    unused.pop(folder).stop()
                else:
                    del self._others[folder]
        if unused:
            self.catalog.measure_speeds()
        for handle in unused.values():
            handle.close()


def chosen_model(store: LogStore, session_id: int) -> Event | None:
    """The event of the model that was chosen last in a session; None if it uses the start model."""
    event = store.last_event(session_id, "model")
    return None if event is None or event.payload["key"] is None else event


def _check_hub_id(name: str, user: ModelUser) -> None:
    """Raises CommandError if this is no hub id."""
    if not is_hub_id(name) or Path(name).exists():  # what the engine would take for a folder
        raise CommandError(
            "{name} is not the name of a model on the hub: give the publisher and the model, such as {example}.",
            name=name or "“”",
            example=f"Helsinki-NLP/opus-mt-{user.direction}",
        )


def _fallback_message(current: ModelHandle, direction: str, why: str) -> Message:
    """The message for a document that cannot use its model."""
    if current.state == "failed":
        return Message("The other model could not be loaded: {why}", why=why)
    if current.directions and direction not in current.directions:
        return Message(
            "The other model could not be loaded ({why}). Nothing is translated here, because {current} does not "
            "support this language pair",
            current=current.name,
            why=why,
        )
    return Message(
        "The other model could not be loaded ({why}). {current} translates this document", current=current.name, why=why
    )
