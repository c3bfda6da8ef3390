"""The thread that owns the model: requests from any thread in, futures out.

Interactive requests go before documents: a document's request that is being decoded when one arrives stops at its next
step, waits, and starts over. A newer request with the same key cancels the older one.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from engine.errors import EngineError
from engine.request import Reason, Request, SearchOptions, Translation
from engine.translator import Translator

Priority = Literal["interactive", "document"]
T = TypeVar("T")


Call = Callable[[Translator, threading.Event], Any]


@dataclass(order=True, slots=True)
class _Job:
    """One call of the translator. `cancelled_result` and `crash_result` make what its future holds in those cases."""

    rank: int  # interactive before document
    number: int  # in the order of arrival
    call: Call = field(compare=False)
    cancelled_result: Callable[[], Any] = field(compare=False)
    crash_result: Callable[[Exception], Any] = field(compare=False)
    key: Hashable = field(compare=False)
    future: Future[Any] = field(compare=False)
    cancelled: bool = field(compare=False, default=False)
    is_started: bool = field(compare=False, default=False)
    stop: threading.Event = field(compare=False, default_factory=threading.Event)


class Worker:
    """Decodes one request after the other in a thread of its own. Close it, or use it in a `with` statement."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self._jobs: list[_Job] = []  # a heap
        self._newest: dict[Hashable, _Job] = {}
        self._running: _Job | None = None
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="pinpoint-model", daemon=True)
        self._thread.start()

    def submit(
        self,
        request: Request,
        options: SearchOptions | None = None,
        *,
        key: Hashable = None,
        priority: Priority = "interactive",
        deadline_ms: float | None = None,
    ) -> Future[Translation]:
        """A future of the translation; it holds InvalidRequest where the request cannot be asked of the model.

        A request of the same `key` that still waits or runs ends as "cancelled". A crash ends this request alone, as
        "failed". The deadline counts from when decoding starts.
        """
        wanted = options or SearchOptions()

        def translate(translator: Translator, cancel: threading.Event) -> Translation:
            return translator.translate(request, wanted, cancel=cancel, deadline_ms=deadline_ms)

        def crashed(error: Exception) -> Translation:
            message = f"{type(error).__name__}: {error}"
            return Translation(request, "failed", reasons=(Reason("crashed", message),))

        def cancelled() -> Translation:
            return Translation(request, "cancelled", reasons=(_CANCELLED,))

        return self._enqueue(translate, cancelled, crashed, key, priority)

    def ask(self, call: Callable[[Translator, threading.Event], T], *, key: Hashable = None) -> Future[T | None]:
        """A future of what `call(translator, cancel)` gives, interactively: prices or alternatives, for instance.

        It holds None where a newer request of the same key came, and the exception where the call raised one. A call
        that passes `cancel` on to the translator ends within one decoding step.
        """

        def crashed(error: Exception) -> None:
            raise error

        return self._enqueue(call, lambda: None, crashed, key, "interactive")

    def _enqueue(
        self,
        call: Call,
        cancelled_result: Callable[[], Any],
        crash_result: Callable[[Exception], Any],
        key: Hashable,
        priority: Priority,
    ) -> Future[Any]:
        future: Future[Any] = Future()
        with self._changed:
            if self._is_closed:
                raise EngineError("the worker is closed; make a new one")
            rank = 0 if priority == "interactive" else 1
            job = _Job(rank, next(self._numbers), call, cancelled_result, crash_result, key, future)
            if key is not None:
                self._cancel_newest(key)
                self._newest[key] = job
            heapq.heappush(self._jobs, job)
            if self._running and rank < self._running.rank:
                self._running.stop.set()
            self._changed.notify_all()
        return future

    def cancel(self, key: Hashable) -> None:
        """End the request of this key, if there is one, as "cancelled"."""
        with self._changed:
            self._cancel_newest(key)
            self._changed.notify_all()

    @property
    def queue_length(self) -> int:
        """Requests that wait, the running one not counted."""
        with self._changed:
            return sum(not job.cancelled for job in self._jobs)

    def close(self) -> None:
        """Cancel what waits and runs, and end the thread."""
        with self._changed:
            self._is_closed = True
            for job in [*self._jobs, *([self._running] if self._running else [])]:
                job.cancelled = True
                job.stop.set()
            self._changed.notify_all()
        self._thread.join()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _cancel_newest(self, key: Hashable) -> None:
        older = self._newest.pop(key, None)
        if older:
            older.cancelled = True
            older.stop.set()

    def _run(self) -> None:
        while job := self._next():
            if not job.is_started and not job.future.set_running_or_notify_cancel():
                job.cancelled = True  # by the caller, through the future itself
                self._finish(job)
                continue
            job.is_started = True
            self._do(job)

    def _do(self, job: _Job) -> None:
        """Run one job and give its future a result, unless it only made way for an interactive one."""
        result: Any = None
        failure: Exception | None = None
        if not job.cancelled:
            try:
                result = job.call(self._translator, job.stop)
            except EngineError as error:
                failure = error
            except Exception as error:  # whatever it is, the next request must not suffer
                try:
                    result = job.crash_result(error)
                except Exception as raised:
                    failure = raised
        if not self._finish(job):
            return
        if job.cancelled:
            job.future.set_result(job.cancelled_result())
        elif failure is not None:
            job.future.set_exception(failure)
        else:
            job.future.set_result(result)

    def _next(self) -> _Job | None:
        """The job to do next; None once the worker is closed and nothing waits."""
        with self._changed:
            while not self._jobs and not self._is_closed:
                self._changed.wait()
            self._running = heapq.heappop(self._jobs) if self._jobs else None
            return self._running

    def _finish(self, job: _Job) -> bool:
        """Whether the job is done. One that only made way for an interactive request goes back into the queue."""
        with self._changed:
            self._running = None
            if job.stop.is_set() and not job.cancelled:
                job.stop.clear()
                heapq.heappush(self._jobs, job)
                return False
            if self._newest.get(job.key) is job:
                del self._newest[job.key]
            return True


_CANCELLED = Reason("cancelled", "the request was cancelled; a newer one may have taken its place")
