"""The thread that owns the model: requests come from any thread, and each gets a future.

Requests share their decoding steps: each joins the running ones at the next step and leaves as it ends, so that nobody
waits for another sentence to end. The steps of questions, such as prices, alternate with them. Interactive requests go
first; documents pause meanwhile and continue where they were. Owners take turns. A newer request with the same key
cancels the older one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from engine.any_engine import EngineFacts, EngineStatistics, Priority, checked_priority
from engine.any_translator import AnyTranslator
from engine.decoding.loop import JobState, failed
from engine.decoding.pipeline import interrupted_translation
from engine.decoding.question_loop import QuestionLoop
from engine.errors import EngineError
from engine.interruption import Interruption, check_deadline
from engine.request import Request
from engine.search.batching import REFILL_SHARE, Schedule
from engine.search_options import SearchOptions
from engine.threads import num_threads
from engine.translation import Translation
from engine.translator_questions import Question
from engine.worker.answer_counter import AnswerCounter
from engine.worker.fair_queue import FairQueue
from engine.worker.worker_tasks import Asking, Submission, Task, may_run, repeated

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore

T = TypeVar("T")

BATCH_SIZE = 16  # running requests of one priority
_CLOSING_S = 30.0  # then the thread is left alone: it ends with the program
_Loop = QuestionLoop[Submission, Asking]


class Worker:
    """The `Engine` of this process: decodes in its own thread. Close it, or use it in a `with` statement.

    `shares_steps` lets documents run in the same steps as interactive requests. By default it is on for an accelerator,
    where a wider step takes hardly longer; on a CPU it would slow the interactive requests down. `deadline_ms` is for
    requests and questions without a deadline of their own. `give_way` is called every few milliseconds while the worker
    computes for documents alone, and may wait a moment.
    """

    def __init__(
        self,
        translator: AnyTranslator,
        *,
        shares_steps: bool | None = None,
        deadline_ms: float | None = None,
        give_way: Callable[[], object] | None = None,
    ) -> None:
        check_deadline(deadline_ms)
        self._translator = translator
        self._give_way = give_way
        self._deadline_ms = deadline_ms
        self._shares_steps = translator.is_on_accelerator if shares_steps is None else shares_steps
        self._interactive, self._documents = self._new_loops()
        # The attributes below are shared between threads, under the lock.
        self._changed = threading.Condition()
        self._waiting: dict[Priority, FairQueue[Task]] = {"interactive": FairQueue(), "document": FairQueue()}
        self._running: list[Task] = []
        self._newest: dict[Hashable, Task] = {}  # by key; not ended
        self._with_cancelled: set[Priority] = set()  # the queues in which a waiting task was cancelled
        self._is_closed = False
        self._answers = AnswerCounter()
        self._num_steps = 0
        self._is_waiting = True
        self._thread = self._new_thread()
        self._thread.start()

    @property
    def facts(self) -> EngineFacts:
        """The model's name and abilities."""
        of = self._translator
        return EngineFacts(
            name=of.name,
            directions=of.directions,
            formalities=of.formalities,
            domains=of.domains,
            checksum=of.checksum,
            folder=of.folder,
            pivot=of.pivot,
            num_threads=num_threads(),
            precision=of.precision,
            decoder=of.decoder,
            learns=of.learns,
            reads_examples=of.reads_examples,
        )

    def submit(
        self,
        request: Request,
        options: SearchOptions | None = None,
        *,
        key: Hashable = None,
        owner: Hashable = None,
        priority: Priority = "interactive",
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
        on_best: Callable[[Translation], object] | None = None,
    ) -> Future[Translation]:
        """Returns a future of the translation; it raises InvalidRequest for a request that the model cannot take.

        `datastore`: see `Translator.translate`; `on_best`: see `Engine.submit`. It is called at most once in each run.

        A waiting or running request with the same `key` ends as "cancelled". When more requests come than fit in a
        batch, owners take turns. A crash ends this request alone, as "failed". The deadline counts from the start of
        decoding. Raises EngineError after `close`, and InvalidRequest for an unknown priority.
        """
        check_deadline(deadline_ms)
        submission = Submission(
            request,
            options or SearchOptions(),
            datastore=datastore,
            on_best=on_best,
            priority=checked_priority(priority),
            key=key,
            deadline_ms=self._deadline_ms if deadline_ms is None else deadline_ms,
        )
        return self._enqueue(owner, submission)

    def ask(
        self,
        question: Question[T],
        *,
        key: Hashable = None,
        owner: Hashable = None,
        priority: Priority = "interactive",
        deadline_ms: float | None = None,
    ) -> Future[T | None]:
        """Returns a future of the answer to a question of `engine.translator_questions`: prices or alternatives, say.

        The future has None after a newer request with the same key, and the exception if the question raised one. The
        steps of the translations that it needs alternate with those of other requests. The deadline counts from when
        it leaves the queue.
        """
        check_deadline(deadline_ms)
        deadline_ms = self._deadline_ms if deadline_ms is None else deadline_ms
        return self._enqueue(
            owner, Asking(question=question, key=key, priority=checked_priority(priority), deadline_ms=deadline_ms)
        )

    def cancel(self, key: Hashable) -> None:
        """End the request with this key, if there is one, as "cancelled", within one step."""
        with self._changed:
            self._cancel_newest(key)
            self._changed.notify_all()

    @property
    def queue_length(self) -> int:
        """The number of waiting requests, without the running ones."""
        with self._changed:
            return self._num_waiting()

    def statistics(self) -> EngineStatistics:
        """The current load and speed."""
        with self._changed:
            found = self._answers.statistics(self._num_waiting(), len(self._running), self._num_steps)
        of = self._translator
        return replace(found, num_compiled=of.num_compiled, num_batched=dict(of.num_batched))

    @property
    def outage(self) -> None:
        """None: the model is in this process."""

    @property
    def heartbeat(self) -> int | None:
        """A number that changes while the thread works, at least with every decoding step; None while it waits."""
        with self._changed:
            if self._is_waiting:
                return None
            return self._num_steps + sum(task.stop.num_asked for task in self._running)

    def restart(self, reason: str) -> None:
        """Continue in a new thread if the present one does not answer.

        Running tasks run once more; those that do so already raise EngineError with the reason. Waiting ones stay. If
        the old thread ever continues, it ends without an effect.
        """
        with self._changed:
            if self._is_closed:
                return
            running = list(self._running)
            for task in running:
                if not task.is_repeated and not task.stop.is_set():
                    self._repeat(task)
            self._interactive, self._documents = self._new_loops()
            self._num_steps += 1
            self._thread = self._new_thread()
            self._thread.start()  # before `close`, which waits for it, can come in between
            self._changed.notify_all()
        for task in running:
            self._answer(task, error=EngineError(reason))
            task.stop.set()

    def close(self) -> None:
        """Cancel all waiting and running requests, and end the thread; one that does not answer is left alone."""
        with self._changed:
            self._is_closed = True
            for task in [*self._waiting["interactive"], *self._waiting["document"], *self._running]:
                self._stop(task)
            self._changed.notify_all()
        self._thread.join(_CLOSING_S)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _enqueue(self, owner: Hashable, task: Task) -> Future[Any]:
        with self._changed:
            if self._is_closed:
                raise EngineError("the worker is closed; make a new one")
            if task.key is not None:
                self._cancel_newest(task.key)
                self._newest[task.key] = task
            self._waiting[task.priority].push(owner, task)
            self._changed.notify_all()
        task.future.add_done_callback(lambda future: self._stop(task) if future.cancelled() else None)
        return task.future

    def _cancel_newest(self, key: Hashable) -> None:
        older = self._newest.pop(key, None)
        if older:
            self._stop(older)

    def _stop(self, task: Task) -> None:
        """Let the task end as cancelled: with the next step if it runs, before it if it waits."""
        with self._changed:
            task.stop.set()
            if task.state is JobState.WAITING:
                self._with_cancelled.add(task.priority)

    def _repeat(self, task: Task) -> None:
        """Puts a running task into its queue again; its present run is treated as answered."""
        fresh = repeated(task)
        task.is_answered = True
        self._running.remove(task)
        if self._newest.get(task.key) is task:
            self._newest[task.key] = fresh
        self._waiting[task.priority].push(None, fresh)

    def _num_waiting(self) -> int:
        return sum(not task.stop.is_set() for queue in self._waiting.values() for task in queue)

    # The methods below run in the worker's thread.

    def _new_thread(self) -> threading.Thread:
        return threading.Thread(target=self._run, name="pinpoint-model", daemon=True)

    def _is_current(self) -> bool:
        """True if the calling thread is the one that owns the model, and was not replaced."""
        return threading.current_thread() is self._thread

    def _run(self) -> None:
        try:
            while self._wait_for_work():
                try:
                    self._step()
                except Exception as error:  # outside of any request: a mistake of ours
                    if self._is_current():
                        self._restart(error)
        finally:
            if self._is_current():
                self._end()

    def _step(self) -> None:
        """Admit waiting tasks, and take all running jobs, or the interactive ones alone, one token further."""
        interactive, documents = self._interactive, self._documents
        self._answer_cancelled()
        self._admit("interactive", interactive)
        if not self._has_waiting("interactive"):
            self._admit("document", documents)
        if not self._is_current():
            return
        loop = interactive if len(interactive) else documents
        running = list(self._running)
        started = time.perf_counter()
        ended = loop.step()
        self._charge(running, time.perf_counter() - started, pauses_documents=loop is not documents)
        for job in [*ended, *(documents.interrupt() if loop is not documents else ())]:
            if isinstance(job, Asking):
                self._answer(job, job.answer, job.error)
            elif job.error is not None:
                self._fail(job, job.error)
            else:
                self._answer(job, job.translation)

    @staticmethod
    def _charge(running: Sequence[Task], seconds: float, *, pauses_documents: bool) -> None:
        """Counts only a request's share of a step against the deadline of requests that nobody waits for."""
        for task in running:
            if task.priority == "document":
                share = 0.0 if pauses_documents else seconds / len(running)
                task.interruption.postpone(seconds - share)

    def _new_loops(self) -> tuple[_Loop, _Loop]:
        """A loop for each priority, or one for both if they share their steps."""
        interactive: _Loop = self._new_loop(2 * BATCH_SIZE, "fifo", refill_share=1.0)
        if self._shares_steps:
            return interactive, interactive
        return interactive, self._new_loop(BATCH_SIZE, "stream")

    def _new_loop(self, batch_size: int, schedule: Schedule, refill_share: float = REFILL_SHARE) -> _Loop:
        new = self._translator.decoding_loop
        return QuestionLoop(new(batch_size, schedule, refill_share), lambda num_jobs: new(num_jobs, "batch"))

    def _restart(self, error: Exception) -> None:
        """Fail all running tasks, whose state is unreliable now, and go on with the waiting ones."""
        for task in list(self._running):
            self._fail(task, error)
        self._interactive, self._documents = self._new_loops()

    def _end(self) -> None:
        """Answer every task: those left when the thread dies without `close` get an error."""
        with self._changed:
            self._is_closed = True
            left = [task for queue in self._waiting.values() for task in queue.take(lambda _: True)]
            left = [task for task in left if may_run(task)] + self._running
        for task in left:
            self._answer(task, error=EngineError("the worker's thread has died; make a new worker"))

    def _wait_for_work(self) -> bool:
        """Waits for a task; False once the worker is closed and every task is answered."""
        with self._changed:
            while self._is_current():
                has_work = bool(self._running or any(map(len, self._waiting.values())))
                self._is_waiting = not has_work
                self._num_steps += has_work
                if has_work or self._is_closed:
                    return has_work
                self._changed.wait()
        return False

    def _has_waiting(self, priority: Priority) -> bool:
        with self._changed:
            return len(self._waiting[priority]) > 0

    def _answer_cancelled(self) -> None:
        """Answer the tasks that were cancelled while waiting; searches only queues that have some."""
        with self._changed:
            priorities, self._with_cancelled = self._with_cancelled, set()
            cancelled = [task for each in priorities for task in self._waiting[each].take(lambda t: t.stop.is_set())]
            for task in cancelled:
                self._release(task)
        for task in cancelled:
            if may_run(task):
                self._answer(task)

    def _admit(self, priority: Priority, loop: _Loop) -> None:
        """Let waiting tasks run while there is room."""
        while True:
            with self._changed:
                if not self._is_current():
                    return
                queue = self._waiting[priority]
                num_running = sum(task.priority == priority for task in self._running)
                if not queue or num_running >= BATCH_SIZE:
                    return
                task = queue.pop()
                if not may_run(task):
                    self._release(task)
                    continue
                task.state = JobState.RUNNING
                task.first_step = self._num_steps  # this step, in which it begins, is counted
                task.stop.thread = self._thread
                self._running.append(task)
            try:
                is_alone = priority == "document" and not self._shares_steps
                give_way = self._give_way if is_alone else None
                task.interruption = Interruption(task.stop, task.deadline_ms, on_asked=give_way)
                if isinstance(task, Submission):
                    loop.add(task)
                else:
                    task.steps = task.question.steps(self._translator, task.interruption)
                    loop.ask(task)
            except Exception as error:  # of any kind: the next request must not fail, too
                self._fail(task, error)

    def _fail(self, task: Task, error: Exception) -> None:
        if isinstance(task, Asking) or isinstance(error, EngineError):
            self._answer(task, error=error)
        else:
            self._answer(task, failed(task.request, error))

    def _answer(self, task: Task, result: Any = None, error: BaseException | None = None) -> None:
        """Give the task's future its result or error; a task that was cancelled is answered as cancelled."""
        with self._changed:
            if task.is_answered:  # by `restart`
                return
            task.is_answered = True
            if task.first_step is not None:
                task.future.num_steps = self._num_steps - task.first_step + 1
            self._release(task)
            is_cancelled = task.stop.is_set()
            task.state = JobState.CANCELLED if is_cancelled else JobState.FINISHED
            if not is_cancelled:
                is_failure = error is not None or getattr(result, "status", None) == "failed"
                is_interactive = task.priority == "interactive"
                self._answers.count(task.submitted_at, result, is_interactive=is_interactive, is_failure=is_failure)
        if is_cancelled and isinstance(task, Submission):
            task.future.set_result(interrupted_translation(task.request, "cancelled"))
        elif is_cancelled:
            task.future.set_result(None)
        elif error is not None:
            task.future.set_exception(error)
        else:
            task.future.set_result(result)

    def _release(self, task: Task) -> None:
        if task.state is JobState.WAITING:  # taken out of its queue because it was cancelled
            task.state = JobState.CANCELLED
        elif task in self._running:
            self._running.remove(task)
        if self._newest.get(task.key) is task:
            del self._newest[task.key]
