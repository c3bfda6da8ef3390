"""Pauses Python's collector of reference cycles where it only costs time, and excludes what stays from it.

While a tree of a million objects grows, the collector visits all of them again and again and finds no garbage. That
took half of the time for a Word document of 20,000 segments.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
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
