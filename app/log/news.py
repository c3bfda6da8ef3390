"""The notices of all people in memory, and the pages that wait for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from app.access.actor import Actor
from app.errors import LogError
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.event_chain import wall_ms
from app.log.notices import Notice, discard_notices, load_notices
from app.log.people import People

_LOOK_SECONDS: Final = 0.5  # until a change by the command line counts


class News:
    """The notices of all people. Thread-safe. The table is small and kept in memory.

    `stamp` grows with each change of a person's notices; those of a later run of the app are larger.
    """

    def __init__(self, log: LogConnection, people: People) -> None:
        self._log = log
        self._people = people
        self._notices: Mapping[str, tuple[Notice, ...]] = {}
        self._first_stamp = self._newest_stamp = wall_ms()
        self._stamps: dict[str, int] = {}  # by person
        self._listeners: dict[object, tuple[str, Callable[[], None]]] = {}
        self._lock = threading.Lock()  # of the listeners
        self._version = -1  # of the file, as another program may write it
        self._looked: float | None = None  # when; None: the table must be read

    def notices(self, actor: Actor) -> list[Notice]:
        """The notices of the actor about documents that they see."""
        self._look()
        access = self._people.access(actor)
        return [one for one in self._notices.get(actor.name, ()) if access.sees(one.project_id)]

    def stamp(self, actor: Actor) -> int:
        """The stamp of the newest change of the notices of the actor."""
        self._look()
        return self._stamps.get(actor.name, self._first_stamp)

    def view(self, actor: Actor) -> dict[str, Any]:
        """The notices of the actor, for the page."""
        stamp = self.stamp(actor)
        notices = [
            {
                "session": one.session_id,
                "document": one.document,
                "kind": one.kind,
                "sender": one.sender,
                "num_segments": one.num_segments,
                "is_dismissed": one.is_dismissed,
            }
            for one in self.notices(actor)
        ]
        return {"stamp": stamp, "notices": notices}

    def subscribe(self, actor: Actor, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` after changes of the notices of the actor; returns a function to end this.

        Changes by other programs are noticed when somebody asks for notices.
        """
        mark = object()
        with self._lock:
            self._listeners[mark] = actor.name, listener

        def end() -> None:
            with self._lock:
                del self._listeners[mark]

        return end

    def changed(self) -> None:
        """Reads the notices again, after others have written them in a transaction; if it fails, at the next look."""
        self._looked = None
        with suppress(LogError):  # what was written before stays written
            self._look()

    def opened(self, actor: Actor, session_id: int) -> None:
        """Removes the notices of the actor about a document, as they see it now."""
        if any(one.session_id == session_id for one in self._notices.get(actor.name, ())):
            with self._log.transaction(Message("write the notices")):
                discard_notices(self._log.db, actor.name, [session_id])
            self.changed()

    def dismiss(self, actor: Actor, session_ids: Iterable[int]) -> None:
        """Shows the notices of the actor about these documents as marks only."""
        values = [(actor.name, number) for number in session_ids]
        with self._log.transaction(Message("write the notices")):
            conn = self._log.db.conn
            conn.executemany("DELETE FROM notice WHERE person = ? AND session_id = ? AND kind = 'withdrawn'", values)
            conn.executemany("UPDATE notice SET is_dismissed = 1 WHERE person = ? AND session_id = ?", values)
        self.changed()

    def _look(self) -> None:
        now = time.monotonic()
        if self._looked is not None and now - self._looked <= _LOOK_SECONDS:
            return
        different: set[str] = set()
        with self._log.lock:
            version = self._log.data_version()
            if self._looked is None or version != self._version:
                before, after = self._notices, load_notices(self._log)
                different = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
                self._notices = after
                self._newest_stamp += 1
                self._stamps |= dict.fromkeys(different, self._newest_stamp)
            self._version, self._looked = version, now
        with self._lock:
            listeners = [listener for name, listener in self._listeners.values() if name in different]
        for listener in listeners:
            listener()
