"""The thread that owns the model: requests from any thread in, futures out.

Requests share their decoding steps: each joins what is under way at the next step and leaves as it ends, so that nobody
waits for another's sentence. Interactive ones go before documents, which stand still meanwhile and go on where they
were. Owners take turns. A newer request with the same key cancels the older one.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, get_args

from engine.decoding.fair_queue import FairQueue
from engine.decoding.stream import INTERRUPTED, Answer, RequestStream, failed, interruption_of
from engine.errors import EngineError, InvalidRequest
from engine.request import Request, SearchOptions, Translation
from engine.translator import Translator

Priority = Literal["interactive", "document"]
Call = Callable[[Translator, threading.Event], Any]
T = TypeVar("T")

BATCH_SIZE = 16  # requests of one priority under way at a time
_NUM_REMEMBERED = 1000  # answers that the statistics look back on
_RECENT_S = 60.0


@dataclass(frozen=True, slots=True)
class WorkerStatistics:
    """How the worker is doing. Latencies are of the last 1,000 interactive answers, from `submit` or `ask` to answer;
    None before the first. `answers_per_second` is the mean over the last minute, of both priorities."""

    queue_length: int
    num_running: int
    num_answered: int
    num_failed: int
    median_latency_ms: float | None
    p95_latency_ms: float | None
    answers_per_second: float


@dataclass(slots=True, eq=False)
class _Job:
    """A request to translate or, with `call`, any other question for the translator."""

    priority: Priority
    key: Hashable
    request: Request | None = None
    options: SearchOptions = field(default_factory=SearchOptions)
    deadline_ms: float | None = None
    call: Call | None = None
    future: Future[Any] = field(default_factory=Future)
    asked_at: float = field(default_factory=time.perf_counter)
    stop: threading.Event = field(default_factory=threading.Event)  # set once it is cancelled


class Worker:
    """Decodes requests in a thread of its own. Close it, or use it in a `with` statement.

    `shares_steps` lets documents go on while interactive requests run, all in the same steps. By default they do on an
    accelerator, where a wider step takes hardly longer; on a CPU it would make the one who waits wait longer.
    """

    def __init__(self, translator: Translator, *, shares_steps: bool | None = None) -> None:
        self._translator = translator
        self._shares_steps = translator.is_on_accelerator if shares_steps is None else shares_steps
        self._interactive, self._documents = self._new_lanes()
        self._running: set[_Job] = set()
        # What follows is shared between threads, under the lock.
        self._changed = threading.Condition()
        self._waiting: dict[Priority, FairQueue[_Job]] = {"interactive": FairQueue(), "document": FairQueue()}
        self._newest: dict[Hashable, _Job] = {}
        self._stopped: set[_Job] = set()  # not answered as such yet, if they wait
        self._is_closed = False
        self._num_answered = 0
        self._num_failed = 0
        self._latencies_ms: deque[float] = deque(maxlen=_NUM_REMEMBERED)
        self._answered_at: deque[float] = deque()
        self._started_at = time.perf_counter()
        self._thread = threading.Thread(target=self._run, name="pinpoint-model", daemon=True)
        self._thread.start()

    def submit(
        self,
        request: Request,
        options: SearchOptions | None = None,
        *,
        key: Hashable = None,
        owner: Hashable = None,
        priority: Priority = "interactive",
        deadline_ms: float | None = None,
    ) -> Future[Translation]:
        """A future of the translation; it holds InvalidRequest where the request cannot be asked of the model.

        A request of the same `key` that still waits or runs ends as "cancelled". Where more is asked for than fits in
        a batch, owners take turns. A crash ends this request alone, as "failed". The deadline counts from when decoding
        starts. Raises EngineError once the worker is closed, and for a priority that there is not.
        """
        if priority not in get_args(Priority):
            raise InvalidRequest(f"priority is {priority!r}; it must be one of {', '.join(get_args(Priority))}")
        return self._enqueue(owner, _Job(priority, key, request, options or SearchOptions(), deadline_ms))

    def ask(
        self, call: Callable[[Translator, threading.Event], T], *, key: Hashable = None, owner: Hashable = None
    ) -> Future[T | None]:
        """A future of what `call(translator, cancel)` gives, interactively: prices or alternatives, for instance.

        It holds None where a newer request of the same key came, and the exception where the call raised one. A call
        that passes `cancel` on to the translator ends within one decoding step. It has the model to itself.
        """
        return self._enqueue(owner, _Job("interactive", key, call=call))

    def cancel(self, key: Hashable) -> None:
        """End the request of this key, if there is one, as "cancelled", within one step."""
        with self._changed:
            self._cancel_newest(key)
            self._changed.notify_all()

    @property
    def queue_length(self) -> int:
        """Requests that wait, those under way not counted."""
        with self._changed:
            return self._num_waiting()

    def statistics(self) -> WorkerStatistics:
        """What can be said of the worker now."""
        with self._changed:
            now = time.perf_counter()
            self._forget_old_answers(now)
            latencies = sorted(self._latencies_ms)
            return WorkerStatistics(
                queue_length=self._num_waiting(),
                num_running=len(self._running),
                num_answered=self._num_answered,
                num_failed=self._num_failed,
                median_latency_ms=_quantile(latencies, 0.5),
                p95_latency_ms=_quantile(latencies, 0.95),
                answers_per_second=len(self._answered_at) / max(1e-9, min(_RECENT_S, now - self._started_at)),
            )

    def close(self) -> None:
        """Cancel what waits and runs, and end the thread."""
        with self._changed:
            self._is_closed = True
            for job in [*self._waiting["interactive"], *self._waiting["document"], *self._running]:
                self._stop(job)
            self._changed.notify_all()
        self._thread.join()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _enqueue(self, owner: Hashable, job: _Job) -> Future[Any]:
        with self._changed:
            if self._is_closed:
                raise EngineError("the worker is closed; make a new one")
            if job.key is not None:
                self._cancel_newest(job.key)
                self._newest[job.key] = job
            self._waiting[job.priority].push(owner, job)
            self._changed.notify_all()
        job.future.add_done_callback(lambda future: self._stop(job) if future.cancelled() else None)
        return job.future

    def _cancel_newest(self, key: Hashable) -> None:
        older = self._newest.pop(key, None)
        if older:
            self._stop(older)

    def _stop(self, job: _Job) -> None:
        with self._changed:
            job.stop.set()
            self._stopped.add(job)

    def _num_waiting(self) -> int:
        return sum(not job.stop.is_set() for queue in self._waiting.values() for job in queue)

    # The thread's own methods follow.

    def _run(self) -> None:
        try:
            while self._wait_for_work():
                try:
                    self._go_on()
                except Exception as error:  # outside of any request: a mistake of ours
                    self._start_over(error)
        finally:
            self._end()

    def _go_on(self) -> None:
        """Let those join who can, and take all who are under way, or the interactive ones alone, a step further."""
        self._answer_cancelled()
        self._begin("interactive", self._interactive)
        if not self._has_waiting("interactive"):
            self._begin("document", self._documents)
        lane = self._interactive if len(self._interactive) else self._documents
        for answer in [*lane.step(), *(self._documents.interrupt() if lane is not self._documents else ())]:
            self._take(answer)

    def _new_lanes(self) -> tuple[RequestStream, RequestStream]:
        interactive = self._translator.stream(2 * BATCH_SIZE, "fifo", refill_share=1.0)
        if self._shares_steps:
            return interactive, interactive
        return interactive, self._translator.stream(BATCH_SIZE, "stream")

    def _start_over(self, error: Exception) -> None:
        """Fail all that is under way, whose state cannot be relied on, and go on with what waits."""
        for job in list(self._running):
            self._fail(job, error)
        self._interactive, self._documents = self._new_lanes()

    def _end(self) -> None:
        """Leave nobody waiting: where the thread dies without having been closed, what is left gets an error."""
        with self._changed:
            self._is_closed = True
            left = [job for queue in self._waiting.values() for job in queue.take(lambda _: True)]
            left = [job for job in left if job.future.set_running_or_notify_cancel()] + list(self._running)
        for job in left:
            self._answer(job, error=EngineError("the worker's thread has died; make a new worker"))

    def _wait_for_work(self) -> bool:
        """Whether there is something to do; False once the worker is closed and all is answered."""
        with self._changed:
            while not (self._running or any(map(len, self._waiting.values())) or self._is_closed):
                self._changed.wait()
            return bool(self._running or any(map(len, self._waiting.values())))

    def _has_waiting(self, priority: Priority) -> bool:
        with self._changed:
            return len(self._waiting[priority]) > 0

    def _answer_cancelled(self) -> None:
        """Answer those that were cancelled while they waited, by a key or through their future.

        Looks through what waits only where there are some.
        """
        with self._changed:
            stopped, self._stopped = self._stopped, set()
            priorities = {job.priority for job in stopped}
            waited = [job for priority in priorities for job in self._waiting[priority].take(stopped.__contains__)]
            for job in waited:
                self._release(job)
        for job in waited:
            if job.future.set_running_or_notify_cancel():
                self._answer(job)

    def _begin(self, priority: Priority, lane: RequestStream) -> None:
        """Let the next ones join, as far as there is room; a question has the model to itself, once all have left."""
        while True:
            with self._changed:
                queue = self._waiting[priority]
                num_running = sum(job.priority == priority for job in self._running)
                if not queue or num_running >= (1 if queue.peek().call else BATCH_SIZE):
                    return
                job = queue.pop()
                if not job.future.set_running_or_notify_cancel():
                    self._release(job)
                    continue
                self._running.add(job)
            if job.call:
                self._ask(job, job.call)
                return
            assert job.request is not None
            try:
                interruption = interruption_of(time.perf_counter(), job.stop, job.deadline_ms)
                lane.add(job.request, job.options, tag=job, interruption=interruption)
            except Exception as error:  # whatever it is, the next request must not suffer
                self._fail(job, error)

    def _ask(self, job: _Job, call: Call) -> None:
        try:
            result = call(self._translator, job.stop)
        except BaseException as error:  # also what would end the thread
            self._answer(job, error=error)
        else:
            self._answer(job, result)

    def _take(self, answer: Answer) -> None:
        job = answer.tag
        assert isinstance(job, _Job)
        if answer.error is not None:
            self._fail(job, answer.error)
        else:
            self._answer(job, answer.translation)

    def _fail(self, job: _Job, error: Exception) -> None:
        if job.request is None or isinstance(error, EngineError):
            self._answer(job, error=error)
        else:
            self._answer(job, failed(job.request, error))

    def _answer(self, job: _Job, result: Any = None, error: BaseException | None = None) -> None:
        """Give the job's future what it is to hold; for one that was cancelled, that."""
        with self._changed:
            self._release(job)
            is_cancelled = job.stop.is_set()
            if not is_cancelled:
                self._remember(job, is_failure=error is not None or getattr(result, "status", None) == "failed")
        if is_cancelled:
            job.future.set_result(job.request and Translation(job.request, "cancelled", reasons=(_CANCELLED,)))
        elif error is not None:
            job.future.set_exception(error)
        else:
            job.future.set_result(result)

    def _release(self, job: _Job) -> None:
        self._running.discard(job)
        if self._newest.get(job.key) is job:
            del self._newest[job.key]

    def _remember(self, job: _Job, is_failure: bool) -> None:
        now = time.perf_counter()
        self._num_answered += 1
        self._num_failed += is_failure
        if job.priority == "interactive":
            self._latencies_ms.append((now - job.asked_at) * 1000)
        self._answered_at.append(now)
        self._forget_old_answers(now)

    def _forget_old_answers(self, now: float) -> None:
        while self._answered_at and self._answered_at[0] < now - _RECENT_S:
            self._answered_at.popleft()


_CANCELLED = INTERRUPTED["cancelled"]


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None
