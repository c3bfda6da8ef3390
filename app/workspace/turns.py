"""Background work of documents, in threads that all documents share."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

T = TypeVar("T")


class _Pool(Executor):
    """A pool that a forked process creates again, because threads are not copied. Threads start when needed."""

    def __init__(self, num_threads: int, name: str) -> None:
        self._num_threads = num_threads
        self._name = name
        self._lock = threading.Lock()
        self._process = 0

    def submit(self, task: Callable[..., T], /, *arguments: Any, **named: Any) -> Future[T]:
        with self._lock:
            if self._process != os.getpid():
                self._pool, self._process = ThreadPoolExecutor(self._num_threads, self._name), os.getpid()
        return self._pool.submit(task, *arguments, **named)


# Answers are written within milliseconds, lookups in a memory take seconds.
ANSWERS: Final = _Pool(8, "answers")
LOOKUPS: Final = _Pool(4, "memory")


class Turns:
    """Runs tasks one after another in the threads of a pool; several of these take turns, one task at a time."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._is_running = False
        self._is_closed = False

    def submit(self, task: Callable[..., T], /, *arguments: Any, **named: Any) -> Future[T]:
        """The future of the task's result. Raises RuntimeError after `close`."""
        future: Future[T] = Future()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("closed: no more tasks are taken")
            self._waiting.append((future, lambda: task(*arguments, **named)))
            if self._is_running:
                return future
            self._is_running = True
        self._pool.submit(self._run_next)
        return future

    def close(self, *, drops_waiting: bool = False) -> None:
        """Accepts no more tasks; waiting tasks are run or dropped, and the running one is finished."""
        with self._lock:
            self._is_closed = True
            for future, _ in self._waiting if drops_waiting else ():
                future.cancel()

    def _run_next(self) -> None:
        with self._lock:
            future, task = self._waiting.popleft()
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(task())
            except BaseException as error:
                future.set_exception(error)
        with self._lock:
            self._is_running = bool(self._waiting)
            if not self._is_running:
                return
        self._pool.submit(self._run_next)
