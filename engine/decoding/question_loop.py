"""Jobs and questions of one model: the jobs of a question are decoded in a loop of their own, step by step.

All translations that a question needs have the same source, so a loop of their own computes each prefix once
(`engine.decoding.core_sources`). In the steps of other requests they would lose that: with 24 people on one core, 95 %
of the translations then took up to 1.3 seconds instead of 0.6.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from engine.decoding.loop import DecodingJob, JobLoop, JobState
from engine.decoding.question_steps import Steps, num_at_once
from engine.interruption import NEVER, Interruption


@dataclass(slots=True, eq=False)
class QuestionRun:
    """One question on its way through the loop. Once it has ended, it has `answer` or `error`."""

    steps: Steps[Any] | None = None
    interruption: Interruption = NEVER
    state: JobState = JobState.WAITING
    answer: Any = None
    error: BaseException | None = None

    @property
    def has_ended(self) -> bool:
        return self.state in (JobState.FINISHED, JobState.CANCELLED)

    def cancel(self) -> None:
        """End the question without an answer."""
        self.state = JobState.CANCELLED
        if self.steps is not None:
            self.steps.close()

    def advance(self) -> Sequence[DecodingJob]:
        """The jobs that the question needs next; none once it has ended."""
        assert self.steps is not None
        self.state = JobState.RUNNING
        try:
            while not (jobs := next(self.steps)):
                continue
        except StopIteration as end:
            self.answer, self.state = end.value, JobState.FINISHED
        except BaseException as error:  # also one that would end the thread
            self.error, self.state = error, JobState.FINISHED
        else:
            return jobs
        return ()


Job = TypeVar("Job", bound=DecodingJob)
Run = TypeVar("Run", bound=QuestionRun)


class QuestionLoop(Generic[Job, Run]):
    """Decodes jobs together in the steps of `loop`, and answers questions one after another.

    Where there are both, their steps alternate: a question neither stops the jobs nor waits for their end.
    """

    def __init__(self, loop: JobLoop[Any], new_loop: Callable[[int], JobLoop[Any]]) -> None:
        """`new_loop` makes a loop for the jobs of a question; it gets how many of them may share a step."""
        self._loop = loop
        self._new_loop = new_loop
        self._questions: deque[Run] = deque()  # the first one runs
        self._jobs: JobLoop[Any] | None = None  # of the question that runs

    def __len__(self) -> int:
        """Jobs and questions that no step has returned yet."""
        return len(self._loop) + len(self._questions)

    def add(self, job: Job) -> None:
        """Let the job begin as soon as there is room. Raises InvalidRequest if the model cannot take the request."""
        self._loop.add(job)

    def ask(self, run: Run) -> None:
        """Let the question begin after those asked before it."""
        self._questions.append(run)

    def step(self) -> list[Job | Run]:
        """Take the jobs one token further, then the first question; returns the ended jobs and questions."""
        ended: list[Job | Run] = [*self._loop.step()] if len(self._loop) else []
        ended += self._cancelled_questions()
        if self._questions:
            ended += self._step_question(self._questions[0])
        return ended

    def interrupt(self) -> list[Job | Run]:
        """End the interrupted jobs and the cancelled questions; returns them."""
        return [*self._loop.interrupt(), *self._cancelled_questions()]

    def _cancelled_questions(self) -> list[Run]:
        cancelled = [run for run in self._questions if run.interruption.cause() == "cancelled"]
        for run in cancelled:
            if run is self._questions[0]:
                self._jobs = None
            self._questions.remove(run)
            run.cancel()
        return cancelled

    def _step_question(self, run: Run) -> list[Run]:
        if self._jobs is not None:
            self._jobs.step()
        if self._jobs is None or not len(self._jobs):
            self._begin(run.advance())
        if not run.has_ended:
            return []
        self._questions.popleft()
        return [run]

    def _begin(self, jobs: Sequence[DecodingJob]) -> None:
        self._jobs = loop = self._new_loop(num_at_once(jobs)) if jobs else None
        for job in jobs:
            assert loop is not None
            try:
                loop.add(job)
            except Exception as error:  # any error affects only this question
                job.fail(error)
