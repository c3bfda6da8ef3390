"""The decoding loop for requests of several sentences: their sentences become jobs of a loop for single sentences."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Generic

from engine.decoding.loop import DecodingJob, Job, JobLoop, JobState
from engine.decoding.question_steps import Steps
from engine.translation import Translation

_MOST_TOGETHER: Final = 16  # sentences of a job in the inner loop: other jobs must not wait for hundreds


@dataclass(slots=True, eq=False)
class _Run(Generic[Job]):
    """A job of several sentences, its steps, the parts that wait, and the number of those in the inner loop."""

    job: Job
    steps: Steps[Translation]
    waiting: deque[DecodingJob] = field(default_factory=deque)
    num_running: int = 0


class DividedLoop(Generic[Job]):
    """Decodes jobs; the sentences of a job of several share the steps of the inner loop, also with other jobs."""

    def __init__(
        self, inner: JobLoop[DecodingJob], steps_of: Callable[[DecodingJob], Steps[Translation] | None]
    ) -> None:
        """`steps_of` gives the steps of a job of several sentences; None for a job that `inner` decodes as it is."""
        self.inner = inner
        self._steps_of = steps_of
        self._as_they_are: dict[DecodingJob, Job] = {}
        self._runs: dict[DecodingJob, _Run[Job]] = {}  # by part
        self._num_runs = 0
        self._ended: list[Job] = []  # without a step; the next step returns them

    def __len__(self) -> int:
        """Jobs that no step has returned yet."""
        return len(self._as_they_are) + self._num_runs + len(self._ended)

    def add(self, job: Job) -> None:
        """Let the job begin as soon as there is room. Raises InvalidRequest if the model cannot take the request."""
        steps = None if job.prepared is not None else self._steps_of(job)
        if steps is None:
            self.inner.add(job)
            self._as_they_are[job] = job
            return
        run = _Run(job, steps)
        self._advance(run)
        if job.has_ended:
            self._ended.append(job)
        else:
            job.state = JobState.RUNNING
            self._num_runs += 1

    def step(self) -> list[Job]:
        """Take the running jobs one token further; returns the jobs that ended."""
        ended, self._ended = self._ended, []
        return ended + self._after(self.inner.step())

    def interrupt(self) -> list[Job]:
        """End the interrupted jobs, without a step for the others; returns the jobs that ended."""
        return self._after(self.inner.interrupt())

    def _after(self, ended: Iterable[DecodingJob]) -> list[Job]:
        """The jobs that end with these jobs of the inner loop; the others go on with further parts."""
        finished: list[Job] = []
        for part in ended:
            if part in self._as_they_are:
                finished.append(self._as_they_are.pop(part))
                continue
            run = self._runs.pop(part)
            run.num_running -= 1
            try:
                self._advance(run)
            except Exception as error:  # of any kind: it must fail no other job
                run.job.fail(error)
            if run.job.has_ended:
                self._num_runs -= 1
                finished.append(run.job)
        return finished

    def _advance(self, run: _Run[Job]) -> None:
        """Adds parts of the job to the inner loop until it has enough, or finishes the job."""
        while not run.job.has_ended:
            while run.waiting and run.num_running < _MOST_TOGETHER:
                part = run.waiting.popleft()
                try:
                    self.inner.add(part)
                except Exception as error:  # the caller's steps handle it
                    part.fail(error)
                else:
                    self._runs[part] = run
                    run.num_running += 1
            if run.num_running:
                return
            try:
                run.waiting.extend(next(run.steps))
            except StopIteration as end:
                run.job.finish(end.value)
