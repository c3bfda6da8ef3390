"""The models of all open documents: the one the app was started with, and others that translators switched to.

A model is loaded once, in the background, shared by the documents that use it, and released when none does. Until it is
ready, and where it cannot be loaded, the document keeps its current model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.errors import CommandError
from app.i18n import Message
from app.models.document_direction import check_direction, has_same_languages
from app.models.loading import ModelHandle, load_translator
from app.models.pivot_models import MAX_COMPARED, PivotModel, PivotModels
from app.models.published_models import ModelList, PublishedModels
from app.models.speeds import MeasuredSpeeds
from app.models.style import formalities_of
from app.paths import MODEL_FOLDER
from app.segments.state import Json
from app.settings import DEFAULT_MODEL_REGISTRY
from engine import (
    AnyTranslator,
    FetchProgress,
    ModelEntry,
    cache_folder,
    describe_model,
    is_hub_id,
    known_models,
    remove_model,
)

if TYPE_CHECKING:
    from app.log.records import Event, SessionRecord
    from app.log.store import LogStore

MAX_CARD_CHARACTERS = 50_000
MIN_MEASURED = 5  # answers, before a model's speed is shown
MAX_DIRECTIONS = 6  # that a page shows
FIRST = "first"  # the key of the start model, where it is not in the list of known models
Load = Callable[[FetchProgress], AnyTranslator]
HUB = "hub/"  # prefix of the key of a downloaded model; the hub id follows


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

    def use_model(self, model: ModelHandle, key: str = "") -> None:
        """Translates with another model from now on, and remembers its key."""

    def report(self, problem: str) -> None:
        """Shows a problem on the page."""

    def log_error(self, command: str, message: str) -> None:
        """Logs an error message that the page shows."""

    def log_start_model(self, model: ModelHandle) -> None:
        """Logs that the model of the start translates, unless a chosen one does."""


class DocumentModels:
    """The models of all open documents. Thread-safe. A page names a model by key or hub id, never by path."""

    def __init__(
        self,
        first: ModelHandle,
        find: Callable[[], list[ModelEntry]] = known_models,
        published: PublishedModels | None = None,
    ) -> None:
        """`published` are the models that can be downloaded: by default, those of Mozilla's registry."""
        self.first = first
        self._find = find
        self.published = published or PublishedModels(DEFAULT_MODEL_REGISTRY)
        self.pivots = PivotModels(self._entries, self.published)
        self._speeds = MeasuredSpeeds()
        self._others: dict[Path, ModelHandle] = {}
        self._awaited: dict[str, ModelHandle] = {}  # by the token of the document that waits for it
        self._users: dict[str, ModelHandle] = {}  # by the token of the document, where it is not the first
        self._lock = threading.RLock()  # loading two models asks for the list of models

    def offers(self, user: ModelUser) -> list[Json]:
        """The models that can be chosen for this document. All texts come from the models' makers and are untrusted."""
        speeds = self._measured_speeds()
        return [
            {
                "key": key,
                "name": entry.name,
                "place": entry.place,
                "directions": list(entry.directions[:MAX_DIRECTIONS]),
                "num_directions": len(entry.directions),
                "num_parameters": entry.num_parameters,
                "num_bytes": entry.num_bytes,
                "formalities": formalities_of(entry, user.direction),
                "domains": list(entry.domains),
                "problem": entry.problem,
                "card": entry.card[:MAX_CARD_CHARACTERS],
                "median_ms": speeds.get(entry.folder.name),
                "is_removable": entry.place == "cached" and not key.startswith(HUB),
                "is_current": self._is_loaded_from(user.model, entry.folder),
                "is_fit": not entry.problem and user.direction in entry.directions,
            }
            for key, entry in self._entries().items()
        ]

    def entry(self, key: str) -> ModelEntry:
        """The entry of a model. Raises CommandError where the model is gone or cannot be loaded."""
        entry = self._entry(key)
        if entry is None:
            raise CommandError(Message("This model is not there any more; open the list of models again."))
        if entry.problem:
            raise CommandError(entry.problem)
        return entry

    def directions(self, user: ModelUser, key: str | None) -> Sequence[str]:
        """The directions of the model with this key; without a key, of the document's current model."""
        return user.model.directions if key is None else self.entry(key).directions

    def status(self) -> list[Json]:
        """The state of each model for the status page, the start model first."""
        with self._lock:
            others = list(self._others.values())
        return [handle.status() for handle in (self.first, *others)]

    def switch(self, user: ModelUser, key: str) -> None:
        """Translates this document with another model as soon as it is ready. Of several calls, the last one counts.

        Of two models through a language between, those that are published are downloaded first. Raises CommandError
        where the model does not support the document's direction or cannot be loaded.
        """
        pair = self.pivots.find(key, may_download=True)
        if pair is not None and not pair.is_installed:
            self._await(user, Path(key), pair.name, partial(self._load_pair, pair))
            return
        entry = self.entry(key)
        check_direction(entry.name, entry.directions, user.direction)
        self._await(user, entry.folder, entry.name)

    def fetch(self, user: ModelUser, name: str) -> None:
        """Translates this document with a model from the hub, which is downloaded first unless it is known already.

        Raises CommandError where `name` is not a hub id.
        """
        if not is_hub_id(name) or Path(name).exists():  # what the engine would take for a folder
            raise CommandError(
                Message(
                    "{name} is no name of a model on the hub: give its maker and its own name, such as {example}.",
                    name=name or "“”",
                    example=f"Helsinki-NLP/opus-mt-{user.direction}",
                )
            )
        with self._lock:
            is_here = self._find_handle(Path(name)) is not None
        known = None if is_here else self._converted_from(name)
        if known is None:
            self._await(user, Path(name), name)
        else:
            self.switch(user, known)

    def offers_to_download(self, user: ModelUser, direction: str | None, *, is_update: bool) -> Json:
        """The published models for a direction, the recommended one first; by default for the document's own.

        Uses the network only with `is_update`; then raises DownloadError where the list cannot be read. `read_at` is
        empty where the list was never read.
        """
        found = self.published.update() if is_update else self.published.known()
        known = ModelList((), "") if found is None else found
        asked = direction or user.direction
        offered = list(dict.fromkeys(model.direction for model in known.models))
        chosen = asked if direction else next((d for d in offered if has_same_languages(d, asked)), asked)
        installed = {entry.folder.name: key for key, entry in self._entries().items() if not entry.problem}
        return {
            "address": self.published.address,
            "read_at": known.read_at,
            "direction": chosen,
            "directions": offered,
            "models": [
                {
                    "name": model.name,
                    "title": model.title,
                    "direction": model.direction,
                    "num_bytes": model.num_bytes,
                    "num_parameters": model.num_parameters,
                    "num_here": self.published.num_here(model),
                    "quality": dict(model.quality),
                    "licence": model.licence,
                    "licence_text": model.licence_text,
                    "is_released": model.is_released,
                    "is_recommended": number == 0,
                    "is_installed": model.name in installed,
                }
                for number, model in enumerate(known.of_languages(chosen))
            ],
        }

    def offers_of_pairs(self, user: ModelUser, direction: str | None) -> Json:
        """The directions that two models have through a language between, and the pair to recommend for one of them.

        By default this is the document's direction, or else the first.
        """
        wanted = direction or user.direction
        offers = self.pivots.offers(wanted, is_wanted=direction is not None, in_use=user.model.folder)
        if offers["pair"]:
            offers["pair"]["is_fit"] = offers["pair"]["direction"] == user.direction
        return offers

    def suggestion(self, direction: str, *, is_needed: bool) -> Json | None:
        """The recommended published model for a direction that no installed model has, without using the network.

        With `is_needed` false, the bundled models do not count as installed. `title` is empty while the list was never
        read. None where an installed model has the direction, or where the list has nothing beside a bundled one.
        """
        for entry in self._entries().values():
            is_counted = not entry.problem and (is_needed or entry.place != "bundled")
            if is_counted and _has_direction(entry.directions, direction):
                return None
        known = self.published.known()
        found = [] if known is None else known.of_languages(direction)
        if known is not None and not found and not is_needed:
            return None
        title, num_bytes, pivot = (found[0].title, found[0].num_bytes, "") if found else ("", 0, "")
        if not found and is_needed and (pair := self.pivots.best(direction)) is not None:
            title, num_bytes, pivot = pair.name, pair.num_missing_bytes, pair.language
        return {
            "direction": direction,
            "title": title,
            "num_bytes": num_bytes,
            "pivot": pivot,
            "is_needed": is_needed,
        }

    def download(self, user: ModelUser, name: str) -> None:
        """Downloads and installs a published model; translates this document with it if it has its direction.

        Raises CommandError where the list does not have the model.
        """
        found = self.published.known()
        model = None if found is None else found.find(name)
        if model is None:
            raise CommandError(Message("The list of models does not have {name} any more: update it.", name=name))

        def load(progress: FetchProgress) -> AnyTranslator:
            return load_translator(self.published.install(model, progress), self.first.device, progress)

        self._await(user, Path(name), model.title, load)

    def remove(self, key: str) -> None:
        """Removes an installed model from this computer. Raises CommandError where an open document uses it."""
        entry = self._entries().get(key)
        if entry is None or entry.place != "cached" or key.startswith(HUB):
            raise CommandError(Message("This model is not there any more; open the list of models again."))
        with self._lock:
            handles = [self.first, *self._others.values()]
            is_used = any(self._uses(handle, entry.folder) for handle in handles if handle.state != "failed")
        if is_used:
            raise CommandError(
                Message("{name} translates an open document: choose another model there first.", name=entry.name)
            )
        remove_model(entry.name)
        self._speeds.forget(entry.folder.name)

    def stop(self, user: ModelUser) -> None:
        """Keeps the current model: stops waiting for the one that is being loaded."""
        with self._lock:
            self._awaited.pop(user.token, None)
        user.expect_no_model()
        self._release_unused()

    def _await(self, user: ModelUser, folder: Path, name: str, load: Load | None = None) -> None:
        """Translates this document with the model of this folder or hub id as soon as it is ready."""
        with self._lock:
            handle = self._awaited[user.token] = self._handle_of(folder, load)
        if handle is user.model:
            user.expect_no_model()
        else:
            user.expect_model(name, handle)
        self._release_unused()  # such as the model that was being loaded before
        handle.on_change(lambda: self._loaded(user, handle))

    def remembered(self, store: LogStore, record: SessionRecord) -> tuple[ModelHandle, str]:
        """The model that a session was last switched to, and a message where that model is gone."""
        event = chosen_model(store, record.id)
        if event is None:
            return self.first, ""
        entry = self._entry(event.payload["key"])  # a download needs a person's request
        if entry is None or entry.problem:
            gone = Message("{name} is not there any more.", name=event.payload["name"])
            return self.first, _fallback_message(self.first, record.direction, gone if entry is None else entry.problem)
        with self._lock:
            handle = self._handle_of(entry.folder)
            if handle is not self.first:
                self._users[record.token] = handle
            return handle, ""

    def watch(self, user: ModelUser) -> None:
        """Falls back to the start model where the document's own cannot be loaded.

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
        self._measured_speeds()
        with self._lock:
            others, self._others = list(self._others.values()), {}
            self._awaited.clear()
        for handle in others:
            handle.close()

    def _entries(self) -> dict[str, ModelEntry]:
        """All known models by key."""
        entries = {f"{entry.place}/{entry.folder.name}": entry for entry in self._find()}
        folders = {entry.folder for entry in entries.values()}
        with self._lock:
            others = [*self._others.values()]
        for handle in others:
            if handle.loaded_from is not None and handle.loaded_from not in folders:
                name = handle.folder.as_posix()
                entries[HUB + name] = replace(describe_model(handle.loaded_from, "cached"), name=name)
        if self.first.loaded_from is not None and self.first.loaded_from not in folders:
            return {FIRST: describe_model(self.first.loaded_from), **entries}
        return entries

    def _entry(self, key: str) -> ModelEntry | None:
        """The entry of a model, or of two through a language between; None where one is gone."""
        pair = self.pivots.find(key)
        return self._entries().get(key) if pair is None else pair.entry()

    def _load_pair(self, pair: PivotModel, progress: FetchProgress) -> AnyTranslator:
        return pair.load(self.published, self.first.device, progress)

    def _converted_from(self, name: str) -> str | None:
        """The key of a hub model that was converted before and can be loaded; None without one."""
        entries = self._entries().items()
        return next((key for key, entry in entries if entry.name == name and not entry.problem), None)

    def _measured_speeds(self) -> dict[str, float]:
        """The median time of an answer in ms, by the name of the model's folder, where it was ever measured."""
        with self._lock:
            handles = [self.first, *self._others.values()]
        for handle in handles:
            if handle.decoder is not None and handle.loaded_from is not None and _is_listed(handle.loaded_from):
                statistics = handle.decoder.statistics()
                if statistics.median_latency_ms is not None and statistics.num_answered >= MIN_MEASURED:
                    self._speeds.note(handle.loaded_from.name, statistics.median_latency_ms)
        return self._speeds.all()

    def _uses(self, handle: ModelHandle, folder: Path) -> bool:
        """Whether it is, or will be, loaded from this folder, alone or with another model."""
        pair = self.pivots.find(handle.folder.as_posix())
        return self._is_loaded_from(handle, folder) or (
            pair is not None and any(part.folder == folder for part in pair.parts)
        )

    @staticmethod
    def _is_loaded_from(handle: ModelHandle, folder: Path) -> bool:
        return folder in (handle.loaded_from, handle.folder)

    def _handle_of(self, folder: Path, load: Load | None = None) -> ModelHandle:
        """The model of this folder or hub id; starts loading it where it is neither ready nor loading."""
        if found := self._find_handle(folder):
            return found
        if load is None and (pair := self.pivots.find(folder.as_posix())) is not None:
            load = partial(self._load_pair, pair)
        handle = self._others[folder] = ModelHandle(folder, device=self.first.device, load=load)
        handle.load_in_background()
        return handle

    def _find_handle(self, folder: Path) -> ModelHandle | None:
        """The model of this folder or hub id, if it is ready or loading."""
        for handle in (self.first, *self._others.values()):
            if handle.state != "failed" and not handle.is_stopped and self._is_loaded_from(handle, folder):
                return handle
        return None

    def _loaded(self, user: ModelUser, handle: ModelHandle) -> None:
        """Switches a document to the model it waits for, or reports why it cannot be used."""
        problem = _fallback_message(user.model, user.direction, handle.message) if handle.state == "failed" else ""
        if not problem:
            try:
                check_direction(handle.name, handle.directions, user.direction)
            except CommandError as error:
                problem = Message(
                    "{why} The model is in the list of models now: start the document over with it there.",
                    why=error.args[0],
                )
        with self._lock:
            is_awaited = self._awaited.get(user.token) is handle  # no other one was chosen since
            if is_awaited:
                del self._awaited[user.token]
            if is_awaited and not problem:
                self._users[user.token] = handle
        if is_awaited and not problem:
            user.use_model(handle, self._key_of(handle))
        elif is_awaited:
            user.expect_no_model()
            user.log_error("switch_model", problem)
            user.report(problem)
        self._release_unused()

    def _key_of(self, handle: ModelHandle) -> str:
        """The key by which a session remembers the model; "" where no list has it."""
        name = handle.folder.as_posix()
        if self.pivots.find(name) is not None:
            return name
        entries = self._entries().items()
        return next((key for key, entry in entries if self._is_loaded_from(handle, entry.folder)), "")

    def _fall_back(self, user: ModelUser, handle: ModelHandle) -> None:
        if handle.state == "failed" and user.model is handle:
            with self._lock:
                self._users.pop(user.token, None)
            self.first.on_change(lambda: self._use_first(user, handle))
            self._release_unused()

    def _use_first(self, user: ModelUser, failed: ModelHandle) -> None:
        if user.model is failed:  # no other one was chosen since
            user.use_model(self.first)
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
            self._measured_speeds()
        for handle in unused.values():
            handle.close()


def _has_direction(directions: Sequence[str], direction: str) -> bool:
    if len(directions) > MAX_COMPARED:
        return direction in directions
    return any(has_same_languages(offered, direction) for offered in directions)


def _is_listed(folder: Path) -> bool:
    """Whether a model is bundled or installed; else its folder's name may not be unique."""
    return folder.parent in (cache_folder(), MODEL_FOLDER.parent)


def chosen_model(store: LogStore, session_id: int) -> Event | None:
    """The event of the model that was chosen last in a session; None where it uses the start model."""
    event = store.last_event(session_id, "model")
    return None if event is None or event.payload["key"] is None else event


def _fallback_message(current: ModelHandle, direction: str, why: str) -> Message:
    """The message where a document cannot use the model it was to use."""
    if current.state == "failed":
        return Message("The other model could not be loaded: {why}", why=why)
    if current.directions and direction not in current.directions:
        return Message(
            "Nothing is translated here: {current} has not this document’s direction, and the other model could not be "
            "loaded: {why}",
            current=current.name,
            why=why,
        )
    return Message("{current} translates, as the other model could not be loaded: {why}", current=current.name, why=why)
