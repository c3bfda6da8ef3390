"""The end of the process. It comes within a limit after the first signal, whatever hangs.

Everything that was acknowledged is in the log by then, which writes before it answers. So a thread that hangs is left
behind, and no data with it.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

LEAST_SECONDS: Final = 1.0  # to close the log and the files that are open
_CLOSING_SECONDS: Final = 5.0  # of the limit are kept for closing
_HURRIED_SECONDS: Final = 3.0  # from a second signal on
_EXIT_SECONDS: Final = 1.0  # for the end of the interpreter, which waits for threads
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_log = logging.getLogger("pinpoint")


class Ending:
    """Ends the process at most `seconds` after a signal: it closes everything, or it is ended as it is.

    The system writes each signal to a socket, which a thread reads. So the limit also counts while the main thread is
    in a long call of a C library, such as a migration of the log, where Python calls no handler. (On Windows, asyncio
    takes the socket for itself, so there is no limit.)
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = max(LEAST_SECONDS, seconds)
        self._report_seconds = min(0.5, self._seconds / 10)
        self._last_steps: list[Callable[[], object]] = []
        self._has_begun = threading.Event()
        self._is_unwinding = False  # signals no longer raise KeyboardInterrupt
        self._handlers: dict[signal.Signals, Any] = {}
        self._reader, self._writer = socket.socketpair()

    @property
    def request_seconds(self) -> float:
        """How long requests on their way may take; the rest of the limit is for closing."""
        return self._seconds - min(_CLOSING_SECONDS, self._seconds / 2)

    def finally_do(self, step: Callable[[], object]) -> None:
        """Calls `step` before the process is ended as it is. The step must not wait for anything."""
        self._last_steps.append(step)

    def __enter__(self) -> Ending:
        self._handlers = {number: signal.signal(number, self._on_signal) for number in _SIGNALS}
        if sys.platform != "win32":
            self._writer.setblocking(False)
            signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
            threading.Thread(target=self._watch, name="ending", daemon=True).start()
        return self

    def unwind(self) -> None:
        """Everything is being closed: from now on, signals only shorten the time for that."""
        self._is_unwinding = True

    def __exit__(self, *_: object) -> None:
        """Everything is closed. After a signal, the interpreter gets a second to end."""
        self.unwind()
        if self._has_begun.is_set():
            self._writer.send(b"\0")
            return
        if sys.platform != "win32":
            signal.set_wakeup_fd(-1)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._writer.close()

    def _on_signal(self, *_: object) -> None:
        """Leaves whatever the main thread does, as Ctrl+C, until the server handles signals itself."""
        if not self._is_unwinding:
            self.unwind()
            raise KeyboardInterrupt

    def _watch(self) -> None:
        """Waits for the first signal, then for the limit, which later signals and `__exit__` shorten."""
        due: float | None = None
        while True:
            left = None if due is None else max(0.0, due - time.monotonic())
            if not select.select([self._reader], [], [], left)[0]:
                break
            data = self._reader.recv(64)
            if not data:  # closed without a signal
                self._reader.close()
                return
            now = time.monotonic()
            for number in data:
                if number in _SIGNALS:
                    limit = self._seconds - self._report_seconds if due is None else _HURRIED_SECONDS
                    due = min(due or float("inf"), now + limit)
                    self._has_begun.set()
                elif number == 0 and due is not None:
                    due = min(due, now + _EXIT_SECONDS)
        last = threading.Thread(target=self._take_last_steps, name="last steps", daemon=True)
        last.start()
        last.join(self._report_seconds)
        os._exit(0)

    def _take_last_steps(self) -> None:
        for step in self._last_steps:
            try:
                step()
            except Exception:
                _log.exception("a last step failed")
        if left := _threads_left():
            _log.warning("the process ends, although not everything was finished: %s", "; ".join(left))


def _threads_left() -> list[str]:
    """The working threads that the end of the interpreter would wait for, each with the line that it is in."""
    frames: dict[int, FrameType] = sys._current_frames()
    found = []
    for thread in threading.enumerate():
        frame = frames.get(thread.ident or 0)
        if frame is None or thread.daemon:
            continue
        last = traceback.extract_stack(frame)[-1]
        if last.name != "_worker":  # of a pool: it waits for work
            found.append(f"{thread.name} in {last.name} ({last.filename}:{last.lineno})")
    return found
