"""Changes of the list of documents, for the pages that show it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from app.log.connection import LogConnection
from app.log.event_chain import wall_ms

_LOOK_SECONDS: Final = 0.5  # until a change by the command line counts


class ListChanges:
    """The rows of the list of documents that changed in this run of the app. Thread-safe.

    Each change has a larger stamp than the one before. Texts that are typed change no row.
    """

    def __init__(self, log: LogConnection) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._stamp = self._whole_stamp = wall_ms()
        self._rows: dict[int, int] = {}  # the stamp of the last change of a session
        self._listeners: set[Callable[[], None]] = set()
        self._version: int | None = None  # of the file, as another program may write it
        self._looked = time.monotonic()

    @property
    def stamp(self) -> int:
        """The stamp of the newest change, also by another program."""
        now = time.monotonic()
        if self._version is None or now - self._looked > _LOOK_SECONDS:
            before, self._version, self._looked = self._version, self._log.data_version(), now
            if before not in (None, self._version):
                self.whole()
        return self._stamp

    def row(self, session_id: int) -> None:
        """The row of a session has changed, or is new."""
        with self._lock:
            self._stamp += 1
            self._rows[session_id] = self._stamp
        self._notify()

    def whole(self) -> None:
        """Any row may have changed, rows may be gone, and so may projects."""
        with self._lock:
            self._stamp += 1
            self._whole_stamp = self._stamp
            self._rows.clear()
        self._notify()

    def since(self, stamp: int) -> frozenset[int] | None:
        """The sessions whose rows have changed since that stamp; None: any row may have changed."""
        with self._lock:
            if not self._whole_stamp <= stamp <= self._stamp:
                return None
            return frozenset(number for number, changed in self._rows.items() if changed > stamp)

    def call_once(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` at the next change, from any thread; returns a function that ends this."""
        with self._lock:
            self._listeners.add(listener)

        def end() -> None:
            with self._lock:
                self._listeners.discard(listener)

        return end

    def _notify(self) -> None:
        with self._lock:
            listeners, self._listeners = self._listeners, set()
        for listener in listeners:
            listener()
