"""The tasks of a worker: translations and questions, each with the future that its caller waits for."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from engine.decoding.loop import DecodingJob
from engine.decoding.question_loop import QuestionRun
from engine.errors import InvalidRequest
from engine.translator_questions import Question

Priority = Literal["interactive", "document"]


def checked_priority(priority: Priority) -> Priority:
    """The priority. Raises InvalidRequest if there is none of this name."""
    if priority not in get_args(Priority):
        raise InvalidRequest(f"priority is {priority!r}; it must be one of {', '.join(get_args(Priority))}")
    return priority


class _Stop(threading.Event):
    """Set to cancel a task. Whoever carries it out asks for it at every step, which is a sign of life."""

    def __init__(self) -> None:
        super().__init__()
        self.thread: threading.Thread | None = None  # the one that carries it out
        self.num_asked = 0

    def is_set(self) -> bool:
        """Whether the task is cancelled."""
        if threading.current_thread() is self.thread:
            self.num_asked += 1
        return super().is_set()


@dataclass(slots=True, eq=False)
class Submission(DecodingJob):
    """A job with the future of its translation. `stop` is set to cancel it."""

    priority: Priority = "interactive"
    key: Hashable = None
    deadline_ms: float | None = None
    future: Future[Any] = field(default_factory=Future)
    submitted_at: float = field(default_factory=time.perf_counter)
    stop: _Stop = field(default_factory=_Stop)
    is_answered: bool = False


@dataclass(slots=True, eq=False)
class Asking(QuestionRun):
    """A question with the future of its answer. `stop` is set to cancel it."""

    question: Question[Any] = field(kw_only=True)
    key: Hashable = None
    priority: Priority = "interactive"
    deadline_ms: float | None = None
    future: Future[Any] = field(default_factory=Future)
    submitted_at: float = field(default_factory=time.perf_counter)
    stop: _Stop = field(default_factory=_Stop)
    is_answered: bool = False


Task = Submission | Asking
