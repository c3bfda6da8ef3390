"""Interruptions: whether a long computation must end before it is done, because it was cancelled or its time is over.

A computation gets one `Interruption` and asks it at least every few milliseconds of processor time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Literal

from engine.errors import InvalidRequest
from engine.settings import is_of_type

Cause = Literal["deadline", "cancelled"]


class Interrupted(Exception):
    """A computation ended early; what it has stored remains valid."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(cause)
        self.cause = cause


class Interruption:
    """Interrupts once `cancel` is set, or `deadline_ms` after `started_at`, a time of `perf_counter` (None: now).

    Without arguments it never interrupts. `on_asked` is called each time before. Raises InvalidRequest for a deadline
    that is not a number.
    """

    def __init__(
        self,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        started_at: float | None = None,
        on_asked: Callable[[], object] | None = None,
    ) -> None:
        check_deadline(deadline_ms)
        self._cancel = cancel
        self._deadline_ms = deadline_ms
        self._on_asked = on_asked
        self._started_at = time.perf_counter() if started_at is None else started_at

    @property
    def is_possible(self) -> bool:
        """False if it never interrupts, so that nobody needs to ask."""
        return self._cancel is not None or self._deadline_ms is not None

    def postpone(self, seconds: float) -> None:
        """Puts the deadline off by a time in which others were computed."""
        self._started_at += seconds

    def cause(self) -> Cause | None:
        """Why the computation must end now; None if it may go on."""
        if self._on_asked is not None:
            self._on_asked()
        if self._cancel is not None and self._cancel.is_set():
            return "cancelled"
        if self._deadline_ms is not None and (time.perf_counter() - self._started_at) * 1000 >= self._deadline_ms:
            return "deadline"
        return None

    def must_end(self) -> bool:
        """True if the computation must end now."""
        return self.cause() is not None

    def check(self) -> None:
        """Raises Interrupted if the computation must end now."""
        if (cause := self.cause()) is not None:
            raise Interrupted(cause)

    def check_cancelled(self) -> None:
        """Raises Interrupted if the computation was cancelled. At its deadline, it goes on with what is ready."""
        if self.cause() == "cancelled":
            raise Interrupted("cancelled")


class JointInterruption(Interruption):
    """Interrupts work for several requests once all of these are interrupted."""

    def __init__(self, interruptions: Iterable[Interruption]) -> None:
        super().__init__()
        self._interruptions = tuple(interruptions)

    @property
    def is_possible(self) -> bool:
        return all(interruption.is_possible for interruption in self._interruptions)

    def cause(self) -> Cause | None:
        found: Cause | None = None
        for interruption in self._interruptions:
            found = interruption.cause()
            if found is None:
                return None
        return found


def check_deadline(deadline_ms: object) -> None:
    """Raises InvalidRequest unless the deadline is None or a number of milliseconds."""
    if deadline_ms is not None and not is_of_type(deadline_ms, float):
        raise InvalidRequest(f"deadline_ms is {deadline_ms!r}; it must be a number of milliseconds, or None")


NEVER = Interruption()


class Interruptible:
    """Computes in passes; within `asking`, each pass looks at `_interruption`."""

    _interruption: Interruption = NEVER

    @contextmanager
    def asking(self, interruptions: Iterable[Interruption]) -> Iterator[None]:
        """Passes in here raise Interrupted once all of the interruptions have a cause."""
        self._interruption = JointInterruption(dict.fromkeys(interruptions))
        try:
            yield
        finally:
            self._interruption = NEVER
