"""The engine whose model runs on replicas, in other processes: it has the keys, and sends calls again if one is lost.

A newer request with the same key may reach another replica than the older one, so only the client can tell that it
counts. Decoding has no effects: a call whose replica ends is sent to another one, and nobody notices but by the time.

Documents wait here, where owners take turns. On the way to the replicas, all calls would wait in the order in which
they came, and what a person waits for would be behind the documents of all others.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from engine.any_engine import EngineFacts, EngineStatistics, Priority, checked_priority
from engine.decoding.pipeline import interrupted_translation
from engine.errors import EngineError
from engine.interruption import check_deadline
from engine.remote.remote_call import RemoteCall, ReplicaLost, Replicas, without_datastore
from engine.request import Request
from engine.search_options import SearchOptions
from engine.translation import Translation
from engine.translator_questions import Question
from engine.worker.answer_counter import AnswerCounter
from engine.worker.fair_queue import FairQueue

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore

T = TypeVar("T")
MAX_TRIES = 5  # replicas that may end under one call: a request that ends each of them must not do so for ever
_READY_SECONDS = 30.0  # a replica that is starting loads its model first
_ANSWER_SECONDS = 5.0
# Document calls under way for each replica: its running batch, and the next that join it. A replica takes more calls
# than that (`ray_serve`), so that there is room for those of people.
DOCUMENTS_PER_REPLICA = 24
_COUNT_SECONDS = 5.0  # between two looks at how many replicas there are, while documents wait


@dataclass(slots=True, eq=False)
class _Job:
    """A call under way. `key` is the caller's."""

    call: RemoteCall
    datastore: Datastore | None
    key: str | None
    future: Future[Any] = field(default_factory=Future)
    answer: Future[Any] | None = None  # of the replica
    num_tries: int = 0
    takes_room: bool = False  # a document that was sent
    has_ended: bool = False
    submitted_at: float = field(default_factory=time.perf_counter)

    @property
    def cancelled_answer(self) -> Translation | None:
        """The answer to a cancelled request or question."""
        if isinstance(self.call.asked, Request):
            return interrupted_translation(self.call.asked, "cancelled")
        return None


class RemoteEngine:
    """The `Engine` of a model that runs on replicas. `deadline_ms` is for calls without a deadline of their own."""

    def __init__(self, replicas: Replicas, *, deadline_ms: float | None = None) -> None:
        """Raises EngineError if no replica answers."""
        check_deadline(deadline_ms)
        self._replicas = replicas
        self._deadline_ms = deadline_ms
        # The attributes below are shared between threads, under the lock.
        self._lock = threading.RLock()
        self._newest: dict[str, _Job] = {}  # by key; not ended
        self._jobs: set[_Job] = set()
        self._answers = AnswerCounter()
        self._num_ended = 0
        self._is_closed = False
        self._documents: FairQueue[_Job] = FairQueue()  # that wait here; some of them may have ended
        self._num_documents = 0  # sent, not ended
        self._num_replicas = 1
        self._counted_at = 0.0
        self._loop = asyncio.new_event_loop()  # where the calls are tasks
        self._thread = threading.Thread(target=self._loop.run_forever, name="pinpoint-replicas", daemon=True)
        self._thread.start()
        try:
            self._facts = self._run(replicas.facts()).result(_READY_SECONDS)
        except Exception as error:  # of any kind: it is about the way to the replicas
            self.close()
            raise EngineError(f"no replica answers ({type(error).__name__}: {error})") from error

    @property
    def facts(self) -> EngineFacts:
        """The model's name and abilities."""
        return self._facts

    def submit(
        self,
        request: Request,
        options: SearchOptions | None = None,
        *,
        key: str | None = None,
        owner: str | None = None,
        priority: Priority = "interactive",
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
        on_best: Callable[[Translation], object] | None = None,
    ) -> Future[Translation]:
        """See `Engine.submit`."""
        return self._begin(request, options, datastore, key, owner, priority, deadline_ms)

    def ask(
        self,
        question: Question[T],
        *,
        key: str | None = None,
        owner: str | None = None,
        priority: Priority = "interactive",
        deadline_ms: float | None = None,
    ) -> Future[T | None]:
        """See `Engine.ask`."""
        plain, datastore = without_datastore(question)
        return self._begin(plain, None, datastore, key, owner, priority, deadline_ms)

    def cancel(self, key: str) -> None:
        """Ends the job with this key, if there is one, as "cancelled" immediately; its replica is free soon after."""
        with self._lock:
            job = self._newest.pop(key, None)
        if job is not None:
            self._cancel(job)

    def statistics(self) -> EngineStatistics:
        """The load of all replicas that answer, with the latencies that this client sees."""
        try:
            is_reached = self.outage is None
            replicas = self._run(self._replicas.statistics()).result(_ANSWER_SECONDS) if is_reached else []
        except Exception:  # of any kind: the page of the status must not fail with the replicas
            replicas = []
        with self._lock:
            own = self._answers.statistics(0, 0, 0)
            num_waiting = sum(not job.has_ended for job in self._documents)
        return EngineStatistics(
            queue_length=num_waiting + sum(each.queue_length for each in replicas),
            num_running=sum(each.num_running for each in replicas),
            num_answered=sum(each.num_answered for each in replicas),
            num_failed=sum(each.num_failed for each in replicas),
            num_steps=sum(each.num_steps for each in replicas),
            median_latency_ms=own.median_latency_ms,
            p95_latency_ms=own.p95_latency_ms,
            answers_per_second=sum(each.answers_per_second for each in replicas),
            num_compiled=sum(each.num_compiled for each in replicas),
            num_batched=dict(sum((Counter(each.num_batched) for each in replicas), Counter())),
            tokens_per_second=own.tokens_per_second,
        )

    @property
    def heartbeat(self) -> int | None:
        """A number that changes with each answer; None without running requests.

        A replica that hangs is replaced where it runs. If all replicas are lost, only the missing heartbeat shows it.
        """
        with self._lock:
            return self._num_ended if self._jobs else None

    @property
    def outage(self) -> str | None:
        """See `Engine.outage`."""
        return self._replicas.outage

    def restart(self, reason: str) -> None:
        """Ends everything under way with an EngineError."""
        with self._lock:
            jobs = self._all_jobs()
        for job in jobs:
            self._end(job, error=EngineError(reason))

    def close(self) -> None:
        """Cancels everything under way, and leaves the replicas to others."""
        with self._lock:
            self._is_closed = True
            jobs = self._all_jobs()
        for job in jobs:
            self._cancel(job)
        if self._thread.is_alive():
            with suppress(TimeoutError):
                self._run(_finish()).result(_ANSWER_SECONDS)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_ANSWER_SECONDS)

    def _begin(
        self,
        asked: Request | Question[Any],
        options: SearchOptions | None,
        datastore: Datastore | None,
        key: str | None,
        owner: str | None,
        priority: Priority,
        deadline_ms: float | None,
    ) -> Future[Any]:
        check_deadline(deadline_ms)
        with self._lock:
            if self._is_closed:
                raise EngineError("the engine is closed; connect again")
            call = RemoteCall(
                asked,
                key=secrets.token_hex(12),
                owner=owner,
                priority=checked_priority(priority),
                deadline_ms=self._deadline_ms if deadline_ms is None else deadline_ms,
                options=options,
            )
            job = _Job(call, datastore, key)
            self._jobs.add(job)
            older = None
            if key is not None:
                older = self._newest.get(key)
                self._newest[key] = job
        if older is not None:
            self._cancel(older)
        job.future.add_done_callback(lambda future: self._cancel(job) if future.cancelled() else None)
        if priority == "document":
            with self._lock:
                self._documents.push(owner, job)
            self._send_documents()
        else:
            self._send(job)
        return job.future

    def _all_jobs(self) -> list[_Job]:
        """All jobs, to end them: those that wait are not sent any more."""
        self._documents.take(lambda _: True)
        return list(self._jobs)

    def _run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _send_documents(self) -> None:
        """Sends documents while there is room, those of each owner in turn."""
        with self._lock:
            due = []
            while self._documents and self._num_documents < DOCUMENTS_PER_REPLICA * self._num_replicas:
                job = self._documents.pop()
                if not job.has_ended:
                    job.takes_room = True
                    self._num_documents += 1
                    due.append(job)
            now = time.monotonic()
            if self._documents and now - self._counted_at > _COUNT_SECONDS:
                self._counted_at = now
                self._run(self._count_replicas())
        for job in due:  # without the lock: setting a result calls the callbacks of its waiter
            self._send(job)

    async def _count_replicas(self) -> None:
        num_replicas = len(await self._replicas.statistics())
        with self._lock:
            self._num_replicas = max(1, num_replicas)
        self._send_documents()

    def _send(self, job: _Job) -> None:
        with self._lock:
            if job.has_ended:
                return
            job.num_tries += 1
            answer = job.answer = self._run(self._replicas.carry_out(job.call, job.datastore))
        answer.add_done_callback(lambda done: self._receive(job, done))

    def _receive(self, job: _Job, done: Future[Any]) -> None:
        if done.cancelled():
            self._end(job, job.cancelled_answer)
        elif (error := done.exception()) is None:
            self._end(job, done.result())
        elif isinstance(error, ReplicaLost) and job.num_tries < MAX_TRIES:
            self._send(job)
        else:
            self._end(job, error=error)

    def _cancel(self, job: _Job) -> None:
        self._end(job, job.cancelled_answer, is_cancelled=True)

    def _end(
        self, job: _Job, result: Any = None, error: BaseException | None = None, *, is_cancelled: bool = False
    ) -> None:
        """Gives the caller the result or the error, once, and frees the replica if it is still at work."""
        with self._lock:
            if job.has_ended:
                return
            job.has_ended = True
            job.datastore = None  # it may be large
            self._jobs.discard(job)
            self._num_ended += 1
            if job.key is not None and self._newest.get(job.key) is job:
                del self._newest[job.key]
            if not is_cancelled:
                is_failure = error is not None or getattr(result, "status", None) == "failed"
                is_interactive = job.call.priority == "interactive"
                self._answers.count(job.submitted_at, result, is_interactive=is_interactive, is_failure=is_failure)
            answer = job.answer
            self._num_documents -= job.takes_room
        self._send_documents()
        if answer is not None and not answer.done():
            answer.cancel()
        if not job.future.set_running_or_notify_cancel():
            return
        if error is not None:
            job.future.set_exception(error)
        else:
            job.future.set_result(result)


async def _finish() -> None:
    """Cancels the other tasks of this loop, and waits until each has passed that on."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
