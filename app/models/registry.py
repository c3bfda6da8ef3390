"""Which model translates which document: the one of the start, or another that its person switched to.

A model is loaded once, in the background, shared by the documents that use it, and let go of when none does. Until it
is there, and where it cannot be loaded, the one before goes on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.errors import CommandError
from app.i18n import Message
from app.models.directions import check_direction
from app.models.loading import ModelHandle
from app.models.style import formalities_of
from app.segments.state import Json
from engine import ModelEntry, describe_model, is_hub_id, known_models

if TYPE_CHECKING:
    from app.log.records import Event, SessionRecord
    from app.log.store import LogStore

MAX_CARD_CHARACTERS = 50_000
MAX_DIRECTIONS = 6  # that a page shows
FIRST = "first"  # the key of the model of the start, where it is not among the known ones
HUB = "hub/"  # before the hub id, the key of a model that is used as it was fetched


class ModelUser(Protocol):
    """An open document that a model translates, as the registry sees it."""

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


class ModelRegistry:
    """The models of all open documents. Thread-safe. A page names a model by key or hub id, never by path."""

    def __init__(self, first: ModelHandle, find: Callable[[], list[ModelEntry]] = known_models) -> None:
        self.first = first
        self._find = find
        self._others: dict[Path, ModelHandle] = {}
        self._wanted: dict[str, ModelHandle] = {}  # by the token of the document that waits for it
        self._users: dict[str, ModelHandle] = {}  # by the token of the document, where it is not the first
        self._lock = threading.Lock()

    def offers(self, user: ModelUser) -> list[Json]:
        """What can be chosen for this document, and what is known of it. All text is the makers', and untrusted."""
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
                "is_current": self._is_loaded_from(user.model, entry.folder),
                "is_fit": not entry.problem and user.direction in entry.directions,
            }
            for key, entry in self._entries().items()
        ]

    def entry(self, key: str) -> ModelEntry:
        """What is known of a model that can be loaded; raises CommandError where it is not there or broken."""
        entry = self._entries().get(key)
        if entry is None:
            raise CommandError(Message("This model is not there any more; open the list of models again."))
        if entry.problem:
            raise CommandError(entry.problem)
        return entry

    def directions(self, user: ModelUser, key: str | None) -> Sequence[str]:
        """Those of the model of that key; without one, of the model that translates this document."""
        return user.model.directions if key is None else self.entry(key).directions

    def status(self) -> list[Json]:
        """How each model is doing, the one of the start first."""
        with self._lock:
            others = list(self._others.values())
        return [holder.status() for holder in (self.first, *others)]

    def switch(self, user: ModelUser, key: str) -> None:
        """Translates this document with another model as soon as it is there. Raises CommandError where that can't be.

        The newest wish counts.
        """
        entry = self.entry(key)
        check_direction(entry.name, entry.directions, user.direction)
        self._await(user, entry.folder, entry.name)

    def fetch(self, user: ModelUser, name: str) -> None:
        """Translates this document with a model of the hub, which is fetched first unless it is known already.

        Raises CommandError for what no model of the hub can be called.
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
            is_here = self._find_holder(Path(name)) is not None
        known = None if is_here else self._converted_from(name)
        if known is None:
            self._await(user, Path(name), name)
        else:
            self.switch(user, known)

    def stop(self, user: ModelUser) -> None:
        """Goes on with the model in use: the one that is on its way is not waited for."""
        with self._lock:
            self._wanted.pop(user.token, None)
        user.expect_no_model()
        self._let_go()

    def _await(self, user: ModelUser, folder: Path, name: str) -> None:
        """This document is translated with the model of that folder or hub id as soon as it is there."""
        with self._lock:
            holder = self._wanted[user.token] = self._holder_of(folder)
        if holder is user.model:
            user.expect_no_model()
        else:
            user.expect_model(name, holder)
        self._let_go()  # what was waited for before
        holder.on_change(lambda: self._has_come(user, holder))

    def remembered(self, store: LogStore, record: SessionRecord) -> tuple[ModelHandle, str]:
        """The model that a session was switched to last, kept for it; what to tell the person where it is gone."""
        event = chosen_model(store, record.id)
        if event is None:
            return self.first, ""
        entry = self._entries().get(event.payload["key"])  # nothing is fetched unasked
        if entry is None or entry.problem:
            gone = Message("{name} is not there any more.", name=event.payload["name"])
            return self.first, _goes_on(self.first, record.direction, gone if entry is None else entry.problem)
        with self._lock:
            holder = self._holder_of(entry.folder)
            if holder is not self.first:
                self._users[record.token] = holder
            return holder, ""

    def watch(self, user: ModelUser) -> None:
        """Gives this document the first model where its remembered one cannot be loaded.

        The log tells that the first translates as soon as its checksum is known.
        """
        holder = user.model
        if holder is self.first:
            holder.on_change(lambda: user.log_start_model(self.first))
        else:
            holder.on_change(lambda: self._fall_back(user, holder))

    def forget(self, user: ModelUser) -> None:
        """This document is no more: its model is let go of, if no other uses it."""
        with self._lock:
            self._users.pop(user.token, None)
            self._wanted.pop(user.token, None)
        self._let_go()

    def close(self) -> None:
        """Ends all models but the first."""
        with self._lock:
            others, self._others = list(self._others.values()), {}
            self._wanted.clear()
        for holder in others:
            holder.close()

    def _entries(self) -> dict[str, ModelEntry]:
        """What is known now, by key."""
        entries = {f"{entry.place}/{entry.folder.name}": entry for entry in self._find()}
        folders = {entry.folder for entry in entries.values()}
        with self._lock:
            others = [*self._others.values()]
        for holder in others:
            if holder.loaded_from is not None and holder.loaded_from not in folders:
                name = holder.folder.as_posix()
                entries[HUB + name] = replace(describe_model(holder.loaded_from, "cached"), name=name)
        if self.first.loaded_from is not None and self.first.loaded_from not in folders:
            return {FIRST: describe_model(self.first.loaded_from), **entries}
        return entries

    def _converted_from(self, name: str) -> str | None:
        """The key of what was converted from a model of the hub before, if it can be loaded."""
        entries = self._entries().items()
        return next((key for key, entry in entries if entry.name == name and not entry.problem), None)

    @staticmethod
    def _is_loaded_from(holder: ModelHandle, folder: Path) -> bool:
        return folder in (holder.loaded_from, holder.folder)

    def _holder_of(self, folder: Path) -> ModelHandle:
        """The model of that folder or hub id, which begins to load where it is not there yet."""
        if found := self._find_holder(folder):
            return found
        holder = self._others[folder] = ModelHandle(folder, device=self.first.device)
        holder.load_in_background()
        return holder

    def _find_holder(self, folder: Path) -> ModelHandle | None:
        """The model of that folder or hub id, if it is there or on its way."""
        for holder in (self.first, *self._others.values()):
            if holder.state != "failed" and not holder.is_stopped and self._is_loaded_from(holder, folder):
                return holder
        return None

    def _has_come(self, user: ModelUser, holder: ModelHandle) -> None:
        """A model that a document waits for is there, or cannot be loaded, or turns out to be of other languages."""
        problem = _goes_on(user.model, user.direction, holder.message) if holder.state == "failed" else ""
        if not problem:
            try:
                check_direction(holder.name, holder.directions, user.direction)
            except CommandError as error:
                problem = Message("{why} The list of models has it now, to begin anew with.", why=error.args[0])
        with self._lock:
            is_wanted = self._wanted.get(user.token) is holder  # and not another one meanwhile
            if is_wanted:
                del self._wanted[user.token]
            if is_wanted and not problem:
                self._users[user.token] = holder
        if is_wanted and not problem:
            user.use_model(holder, self._key_of(holder))
        elif is_wanted:
            user.expect_no_model()
            user.log_error("switch_model", problem)
            user.report(problem)
        self._let_go()

    def _key_of(self, holder: ModelHandle) -> str:
        """The key by which a session remembers it; "" where it stands in no list."""
        entries = self._entries().items()
        return next((key for key, entry in entries if self._is_loaded_from(holder, entry.folder)), "")

    def _fall_back(self, user: ModelUser, holder: ModelHandle) -> None:
        if holder.state == "failed" and user.model is holder:
            with self._lock:
                self._users.pop(user.token, None)
            self.first.on_change(lambda: self._use_first(user, holder))
            self._let_go()

    def _use_first(self, user: ModelUser, failed: ModelHandle) -> None:
        if user.model is failed:  # no other one was chosen meanwhile
            user.use_model(self.first)
            user.report(_goes_on(self.first, user.direction, failed.message))

    def _let_go(self) -> None:
        """Ends the models that no document uses or waits for, to free their memory."""
        with self._lock:
            kept = [*self._users.values(), *self._wanted.values()]
            unused = {folder: holder for folder, holder in self._others.items() if holder not in kept}
            for folder, holder in list(unused.items()):
                if holder.state == "loading":  # it is asked again when that is over
                    unused.pop(folder).stop()
                else:
                    del self._others[folder]
        for holder in unused.values():
            holder.close()


def chosen_model(store: LogStore, session_id: int) -> Event | None:
    """What the log tells of the model that a session's person chose last; None where it is that of the start."""
    event = store.last_event(session_id, "model")
    return None if event is None or event.payload["key"] is None else event


def _goes_on(current: ModelHandle, direction: str, why: str) -> Message:
    """What is said where a document cannot have the model that it was to have."""
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
