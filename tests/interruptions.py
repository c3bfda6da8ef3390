"""Interruptions for tests."""

from __future__ import annotations

from collections.abc import Callable

from engine.interruption import Cause, Interruption


class InterruptedBy(Interruption):
    """Interrupts for the cause that a function returns; the function is called each time a computation asks."""

    is_possible = True

    def __init__(self, find_cause: Callable[[], Cause | None]) -> None:
        super().__init__()
        self._find_cause = find_cause

    def cause(self) -> Cause | None:
        return self._find_cause()
