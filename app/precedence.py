"""Short commands of people go before long work of this process, such as opening a document of 20,000 segments.

Python runs one thread at a time. A command wants its turn again after each statement of SQLite, and waited for the long
work each time. The long work therefore pauses while commands run; it goes on after a while in any case.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

from app.collector import collector_paused

WORK_SECONDS: Final = 0.002  # of long work between two pauses
# Of pauses for a second of work, so that a stream of commands makes the work four times as long, not endless.
PAUSES: Final = 3.0
MAX_PAUSE_SECONDS: Final = 0.25

_Item = TypeVar("_Item")


class _Command:
    """A command that a request carries out, in several threads one after the other."""

    def __init__(self) -> None:
        self._is_short = True  # nothing has shown it to be long
        self.ending = ExitStack()

    def ceases_to_be_short(self) -> bool:
        """False if it did already."""
        with _lock:
            was_short, self._is_short = self._is_short, False
        return was_short


_COMMAND: ContextVar[_Command | None] = ContextVar("command", default=None)
_lock: Final = threading.Lock()
_none_runs: Final = threading.Event()
_none_runs.set()
_num_running = 0


@contextmanager
def short_command() -> Iterator[None]:
    """Inside, long work of others pauses, until this proves to be long work, too.

    Use it around all of a request: its threads wait for the interpreter before and after the command itself, too. From
    when it proves to be long, the collector of reference cycles pauses: it would visit all rows of a reply.
    """
    _count(+1)
    command = _Command()
    token = _COMMAND.set(command)
    try:
        with command.ending:
            yield
    finally:
        _COMMAND.reset(token)
        if command.ceases_to_be_short():
            _count(-1)


def leave_precedence() -> None:
    """Nobody waits for this request's command any more: it is long, or waits for long work."""
    command = _COMMAND.get()
    if command is not None and command.ceases_to_be_short():
        command.ending.enter_context(collector_paused())
        _count(-1)


class LongWork:
    """Work in one thread that pauses while short commands run."""

    def __init__(self, max_pause_seconds: float = MAX_PAUSE_SECONDS) -> None:
        self._max_pause_s = self._left_s = max_pause_seconds
        self._since = time.perf_counter()

    def give_way(self) -> None:
        """Pauses while short commands run, if it is time for it. Call it often: it takes a microsecond otherwise.

        A lock that is held meanwhile delays the commands that need it: hold at most that of the document.
        """
        now = time.perf_counter()
        worked_s = now - self._since
        if worked_s > WORK_SECONDS:
            leave_precedence()
            self._left_s = min(self._max_pause_s, self._left_s + PAUSES * worked_s)
            _none_runs.wait(self._left_s)
            self._since = time.perf_counter()
            self._left_s -= min(self._left_s, self._since - now)


def giving_way(items: Iterable[_Item]) -> Iterator[_Item]:
    """The items of long work, which pauses between them while short commands run; see `LongWork.give_way`."""
    work = LongWork(MAX_PAUSE_SECONDS)
    for item in items:
        yield item
        work.give_way()


def _count(change: int) -> None:
    global _num_running
    with _lock:
        _num_running += change
        if _num_running:
            _none_runs.clear()
        else:
            _none_runs.set()
