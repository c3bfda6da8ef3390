"""Pauses Python's collector of reference cycles where it only costs time, excludes what stays from it, and lets full
collections wait until the process is idle.

While a tree of a million objects grows, the collector visits all of them again and again and finds no garbage. That
took half of the time for a Word document of 20,000 segments.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Final

_LOCK = Lock()
_num_pauses = 0
_was_enabled = False
_leaves_out = False
NUM_LARGE: Final = 2_000  # segments of a document that collections leave out


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the collector of all threads until the last of those that asked for it ends.

    Objects without cycles are still freed at once.
    """
    global _num_pauses, _was_enabled, _leaves_out
    with _LOCK:
        if not _num_pauses:
            _was_enabled = gc.isenabled()
            gc.disable()
        _num_pauses += 1
    try:
        yield
    finally:
        with _LOCK:
            _num_pauses -= 1
            if not _num_pauses and _was_enabled:
                if _leaves_out:
                    _leaves_out = False
                    gc.freeze()
                gc.enable()


def leave_out_large(num_segments: int) -> None:
    """Leaves a large document that was opened, and all else that exists when a pause ends, out of later collections.

    They would stop all threads, for 0.2 s with each document of 20,000 segments.
    """
    global _leaves_out
    with _LOCK:
        _leaves_out |= num_segments >= NUM_LARGE


def take_in_large(num_segments: int) -> None:
    """Lets the next full collection find a large document that was closed: its objects refer to each other."""
    if num_segments >= NUM_LARGE:
        gc.unfreeze()


def keep_modules_out_of_collections() -> None:
    """Lets Python's collector pass over all that is loaded now, which took a fifth of a second each time."""
    gc.collect()
    gc.freeze()


class IdleCollector:
    """Runs full collections itself, once the process is idle: they stop all threads for up to 50 ms.

    Python runs one during any request, and a cancel then waits for it. Under load they wait too, but not for ever.
    """

    SECONDS: Final = 2.0  # between two looks
    IDLE_SHARE: Final = 0.1  # of a core: a process that computes no request needs less
    WANTED_AFTER: Final = 10  # collections of the younger objects, as for Python
    NEEDED_AFTER: Final = 1_000  # of these: 7 million objects, freed ones not counted
    _NEVER: Final = 2**30

    def __init__(self) -> None:
        self._processor_seconds = time.process_time()
        self._thresholds = gc.get_threshold()
        self._is_closed = Event()

    def begin(self) -> None:
        """Takes the full collections over from Python, until `close`."""
        gc.set_threshold(*self._thresholds[:2], self._NEVER)
        Thread(target=self._run, name="collector", daemon=True).start()

    def close(self) -> None:
        """Leaves the full collections to Python again."""
        self._is_closed.set()
        gc.set_threshold(*self._thresholds)

    def _run(self) -> None:
        while not self._is_closed.wait(self.SECONDS):
            self.look()

    def look(self) -> None:
        """Runs a full collection if one is due."""
        now = time.process_time()
        used, self._processor_seconds = now - self._processor_seconds, now
        if gc.isenabled() and self.is_due(gc.get_count()[2], used / self.SECONDS):
            gc.collect()

    def is_due(self, num_younger: int, busy_share: float) -> bool:
        """Whether a full collection must run now.

        Args:
            num_younger: Collections of the younger objects since the last full one.
            busy_share: The share of a core that the process has used since the last look.
        """
        is_idle = busy_share < self.IDLE_SHARE
        return num_younger > (self.WANTED_AFTER if is_idle else self.NEEDED_AFTER)
