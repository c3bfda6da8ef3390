"""The tasks of a worker: translations and questions, each with the future that its caller waits for."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from engine.any_engine import Priority
from engine.decoding.loop import DecodingJob, JobState
from engine.decoding.question_loop import QuestionRun
from engine.interruption import NEVER
from engine.translator_questions import Question


class _Stop(threading.Event):
    """Set to cancel a task. The worker checks it at every step, which is also its sign of life."""

    def __init__(self) -> None:
        super().__init__()
        self.thread: threading.Thread | None = None  # the one that carries it out
        self.num_asked = 0

    def is_set(self) -> bool:
        """True if the task is cancelled."""
        if threading.current_thread() is self.thread:
            self.num_asked += 1
        return super().is_set()


class TaskFuture(Future[Any]):
    """What the caller of a task waits for, with what a trace of it says.

    `started_ns` is the time (`time.time_ns`) when the task left the queue, and `num_steps` the number of steps that the
    worker took until it had the answer, each with all running tasks; both are 0 before.
    """

    def __init__(self) -> None:
        super().__init__()
        self.started_ns = 0
        self.num_steps = 0

    def set_running_or_notify_cancel(self) -> bool:
        """Marks the future as running; False if it was cancelled."""
        self.started_ns = time.time_ns()
        return super().set_running_or_notify_cancel()


@dataclass(eq=False, kw_only=True)  # of two bases, only one can have slots
class _Waited:
    """A task that a caller waits for. Set `stop` to cancel it."""

    priority: Priority
    key: Hashable = None
    deadline_ms: float | None = None
    future: TaskFuture = field(default_factory=TaskFuture)
    first_step: int | None = None  # the number of the worker's step in which it began
    submitted_at: float = field(default_factory=time.perf_counter)
    stop: _Stop = field(default_factory=_Stop)
    is_answered: bool = False
    is_repeated: bool = False


@dataclass(slots=True, eq=False)
class Submission(DecodingJob, _Waited):
    """A job with the future of its translation."""


@dataclass(slots=True, eq=False)
class Asking(QuestionRun, _Waited):
    """A question with the future of its answer."""

    question: Question[Any] = field(kw_only=True)


Task = Submission | Asking


def repeated(task: Task) -> Task:
    """A copy of the task for another run, with the same future. The earlier run can no longer affect it."""
    fresh: dict[str, Any] = {
        "state": JobState.WAITING,
        "interruption": NEVER,
        "stop": _Stop(),
        "error": None,
        "is_repeated": True,
    }
    if isinstance(task, Submission):
        return replace(task, **fresh, prepared=None, started_at=None, translation=None)
    return replace(task, **fresh, steps=None, answer=None)


def may_run(task: Task) -> bool:
    """True if the task's caller still waits for it; marks its future as running."""
    return task.is_repeated or task.future.set_running_or_notify_cancel()
