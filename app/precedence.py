"""Short commands of people go before long work of this process, such as opening a document of 20,000 segments.

Python runs one thread at a time. A command wants its turn again after each statement of SQLite, and waited for the long
work each time. The long work therefore pauses while commands run; it goes on after a while in any case.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

WORK_SECONDS: Final = 0.002  # of long work between two pauses
# At most, so that a stream of commands makes the work four times as long, not endless.
PAUSE_SECONDS: Final[float | None] = 0.006

_Item = TypeVar("_Item")


class _Command:
    """A command that a request carries out, in several threads one after the other."""

    def __init__(self) -> None:
        self.is_short = True  # nothing has shown it to be long


_COMMAND: ContextVar[_Command | None] = ContextVar("command", default=None)
_lock: Final = threading.Lock()
_none_runs: Final = threading.Event()
_none_runs.set()
_num_running = 0


@contextmanager
def short_command() -> Iterator[None]:
    """Inside, long work of others pauses, until this proves to be long work, too.

    Use it around all of a request: its threads wait for the interpreter before and after the command itself, too.
    """
    _count(+1)
    token = _COMMAND.set(_Command())
    try:
        yield
    finally:
        leave_precedence()
        _COMMAND.reset(token)


def leave_precedence() -> None:
    """Nobody waits for this request's command any more: it is long, or waits for long work."""
    command = _COMMAND.get()
    if command is not None and command.is_short:
        command.is_short = False
        _count(-1)


def giving_way(items: Iterable[_Item]) -> Iterator[_Item]:
    """The items of long work, which pauses between them while short commands run.

    A lock that is held meanwhile delays the commands that need it: hold at most that of the document.
    """
    since = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - since > WORK_SECONDS:
            leave_precedence()
            _none_runs.wait(PAUSE_SECONDS)
            since = time.perf_counter()


def _count(change: int) -> None:
    global _num_running
    with _lock:
        _num_running += change
        if _num_running:
            _none_runs.clear()
        else:
            _none_runs.set()
