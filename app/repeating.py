"""Work in a thread of its own: done once, or repeated until the app closes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

_log = logging.getLogger("pinpoint")


def repeat(job: Callable[[], object], seconds: float, is_closed: threading.Event, name: str) -> threading.Thread:
    """Calls `job` every `seconds` in a new thread until `is_closed` is set; returns the thread, which has begun.

    An exception of the job is logged, and the job is called again as usual: one failure must not end the work for good.
    """

    def run() -> None:
        while not is_closed.wait(seconds):
            try:
                job()
            except Exception:
                _log.exception("the thread %r failed once and goes on", name)

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


def do_once(job: Callable[[], object], name: str) -> None:
    """Calls `job` in a new thread. An exception is logged, as nobody waits for the job."""

    def run() -> None:
        try:
            job()
        except Exception:
            _log.exception("the thread %r failed", name)

    threading.Thread(target=run, name=name, daemon=True).start()
