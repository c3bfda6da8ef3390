"""Measures the callbacks of event loops: none may keep the loop, which serves everybody, for more than 20 ms.

The measure is the processor time of the loop's thread, without the time of Python's collector, which may start in any
thread and takes long in the process of the tests. On a busy virtual machine, stolen time counts too: measure again.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

MOST_MS = 20.0
SERVER_THREAD = "server of a test"  # the name of threads whose loops are measured
_REQUEST: ContextVar[str] = ContextVar("request", default="")


@dataclass(frozen=True)
class Slow:
    """A callback of more than `MOST_MS`, and the request that it worked for, if any."""

    name: str
    request: str
    elapsed_ms: float


class LoopWatch:
    """The slow callbacks of the event loops in threads named `SERVER_THREAD`, while it is `watching`."""

    def __init__(self) -> None:
        self.slow: list[Slow] = []
        self.num_callbacks = 0
        self._collecting: dict[int, float] = {}  # by thread: when a collection began
        self._collected: dict[int, float] = {}  # by thread: seconds of collections

    @contextmanager
    def watching(self) -> Iterator[LoopWatch]:
        """Measures the callbacks in this block."""
        run = asyncio.events.Handle._run
        watch = self

        def measured(handle: Any) -> None:
            if threading.current_thread().name != SERVER_THREAD:
                run(handle)
                return
            thread = threading.get_ident()
            collected, began = watch._collected.get(thread, 0.0), time.thread_time()
            run(handle)
            seconds = time.thread_time() - began - (watch._collected.get(thread, 0.0) - collected)
            watch.num_callbacks += 1
            if seconds * 1000 > MOST_MS:
                name = asyncio.base_events._format_handle(handle)  # type: ignore[attr-defined]
                watch.slow.append(Slow(name, handle._context.get(_REQUEST, ""), seconds * 1000))

        gc.callbacks.append(self._count_collection)
        try:
            with patch.object(asyncio.events.Handle, "_run", measured):
                yield self
        finally:
            gc.callbacks.remove(self._count_collection)

    def _count_collection(self, phase: str, _: object) -> None:
        thread = threading.get_ident()
        if phase == "start":
            self._collecting[thread] = time.thread_time()
        elif thread in self._collecting:
            seconds = time.thread_time() - self._collecting.pop(thread)
            self._collected[thread] = self._collected.get(thread, 0.0) + seconds


def named(application: Any) -> Any:
    """An ASGI application whose requests a `LoopWatch` can name."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            _REQUEST.set(f"{scope['method']} {scope['path']}")
        await application(scope, receive, send)

    return answer
