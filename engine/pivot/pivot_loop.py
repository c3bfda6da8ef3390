"""The decoding loop over two models: each job goes through the first one and then through the second."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Generic

from engine.decoding.loop import DecodingJob, Job, JobLoop, JobState
from engine.pivot.pivot_requests import FIRST_OPTIONS, PivotRequests, unfinished
from engine.translation import Translation


class PivotLoop(Generic[Job]):
    """Decodes jobs with both models: each job by the first and then by the second, together with the other jobs there.

    A source that was translated before goes to the second model at once, and so does a prepared job, which is part of a
    question to that model. Add jobs at any time, as to a `DecodingLoop`.
    """

    def __init__(self, requests: PivotRequests, first: JobLoop[DecodingJob], second: JobLoop[DecodingJob]) -> None:
        self._requests = requests
        self._first = first
        self._second = second
        self._in_first: dict[DecodingJob, Job] = {}
        self._in_second: dict[DecodingJob, tuple[Job, Translation]] = {}
        self._prepared: dict[DecodingJob, Job] = {}  # in the second model as they are

    def __len__(self) -> int:
        """Jobs that no step has returned yet."""
        return len(self._in_first) + len(self._in_second) + len(self._prepared)

    def add(self, job: Job) -> None:
        """Let the job begin as soon as there is room. Raises InvalidRequest if a model cannot take the request."""
        if job.prepared is not None:
            self._second.add(job)
            self._prepared[job] = job
            return
        if job.started_at is None:
            job.started_at = time.perf_counter()
        known = self._requests.known_first(job.request)
        if known is not None:
            self._begin_second(job, known)
        else:
            asked = self._requests.first_request(job.request)
            inner = DecodingJob(asked, FIRST_OPTIONS, job.interruption, started_at=job.started_at)
            self._first.add(inner)
            self._in_first[inner] = job
        job.state = JobState.RUNNING

    def step(self) -> list[Job]:
        """Take the running jobs one token further; returns the jobs that ended."""
        ended = self._after_first(self._first.step()) if self._in_first else []
        if self._in_second or self._prepared:
            ended += self._after_second(self._second.step())
        return ended

    def interrupt(self) -> list[Job]:
        """End the jobs that are interrupted, without a step for the others; returns the jobs that ended."""
        return [*self._after_first(self._first.interrupt()), *self._after_second(self._second.interrupt())]

    def _begin_second(self, job: Job, first: Translation) -> None:
        asked = self._requests.second_request(job.request, first)
        inner = DecodingJob(asked, job.options, job.interruption, started_at=job.started_at, datastore=job.datastore)
        self._second.add(inner)
        self._in_second[inner] = job, first

    def _after_first(self, ended: Iterable[DecodingJob]) -> list[Job]:
        """Hands the jobs on to the second model; returns those that end here."""
        finished = []
        for inner in ended:
            job = self._in_first.pop(inner)
            if inner.error is not None:
                job.fail(inner.error)
            else:
                first = self._requests.take_first(inner.result())
                if first.status != "complete":
                    job.finish(unfinished(job.request, first))
                else:
                    try:
                        self._begin_second(job, first)
                    except Exception as error:  # of any kind: it must fail no other job
                        job.fail(error)
            if job.has_ended:
                finished.append(job)
        return finished

    def _after_second(self, ended: Iterable[DecodingJob]) -> list[Job]:
        finished = []
        for inner in ended:
            if inner in self._prepared:
                finished.append(self._prepared.pop(inner))
                continue
            job, first = self._in_second.pop(inner)
            if inner.error is not None:
                job.fail(inner.error)
            else:
                second = inner.result()
                job.finish(self._requests.joined(job.request, first, second, second.elapsed_ms))
            finished.append(job)
        return finished
