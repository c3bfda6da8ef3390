"""Jobs: many texts that are translated in the background for a program, which asks for progress and results.

Jobs are in memory: they end with the app. All functions run on the event loop of the server.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from app.errors import ApiError
from app.serving.admission import Caller
from app.serving.api_limits import MAX_JOB_BYTES, MAX_JOBS, MAX_JOBS_EACH, MAX_RUNNING_JOBS, MAX_TEXTS
from app.serving.constrained_texts import Answer, ConstrainedText, TranslationSetup, check_work

JobState = Literal["running", "done", "cancelled", "failed"]
T = TypeVar("T")
# `TranslationService.translate`: the answers to texts, until the function that it gets ends.
Translate = Callable[
    [Caller, Sequence[ConstrainedText], TranslationSetup, Callable[[], Awaitable[None]]], Awaitable[Sequence[Answer]]
]
Write = Callable[[Answer], bytes]
_KEPT_SECONDS = 24 * 3600.0  # after the end of a job


@dataclass
class ApiJob:
    """Texts of a person. `answers` has those so far as JSON, in the order of the texts; `problem` is why it failed."""

    id: str
    owner: str
    setup: TranslationSetup
    items: Sequence[ConstrainedText]
    answers: list[bytes] = field(default_factory=list)
    state: JobState = "running"
    problem: str = ""
    ended: float = 0.0
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None  # the event loop keeps no task by itself


class ApiJobs:
    """The jobs of all people. A person cannot see that another person's job exists."""

    def __init__(self) -> None:
        self._jobs: dict[str, ApiJob] = {}

    def check_room(self, owner: str, items: Sequence[ConstrainedText]) -> None:
        """Raises ApiError if a job with these texts would exceed a limit. Forgets what ended long ago."""
        for part in _parts(items):
            check_work(part)
        long_ago = time.monotonic() - _KEPT_SECONDS
        self._jobs = {job.id: job for job in self._jobs.values() if job.state == "running" or job.ended > long_ago}
        own = self.all_of(owner)
        if len(own) >= MAX_JOBS_EACH or len(self._jobs) >= MAX_JOBS:
            most = f"{MAX_JOBS_EACH} jobs of a person and {MAX_JOBS} in all"
            raise ApiError("too_fast", f"The server keeps {most}: delete jobs whose results you have.", retry_after=60)
        if sum(job.state == "running" for job in own) >= MAX_RUNNING_JOBS:
            raise ApiError("too_fast", f"At most {MAX_RUNNING_JOBS} jobs of a person run at once.", retry_after=10)

    def start(
        self,
        caller: Caller,
        items: Sequence[ConstrainedText],
        setup: TranslationSetup,
        translate: Translate,
        write: Write,
    ) -> ApiJob:
        """Begins to translate the texts. `write` makes the JSON of an answer."""
        job = ApiJob(secrets.token_hex(12), caller.name, setup, items)
        self._jobs[job.id] = job
        job.task = asyncio.create_task(_run(job, caller, translate, write))
        return job

    def all_of(self, owner: str) -> list[ApiJob]:
        """The jobs of a person, oldest first."""
        return [job for job in self._jobs.values() if job.owner == owner]

    def find(self, owner: str, number: str) -> ApiJob:
        """The job of a person with this id. Raises ApiError."""
        job = self._jobs.get(number)
        if job is None or job.owner != owner:
            raise ApiError("not_found", "There is no such job: it was deleted, or the server was started again.")
        return job

    def delete(self, owner: str, number: str) -> None:
        """Cancels a job if it is running, and forgets its results. Raises ApiError."""
        job = self.find(owner, number)
        job.cancelled.set()
        del self._jobs[job.id]


async def _run(job: ApiJob, caller: Caller, translate: Translate, write: Write) -> None:
    async def gone() -> None:
        await job.cancelled.wait()

    num_bytes = 0
    try:
        for part in _parts(job.items):
            if job.cancelled.is_set():
                raise ApiError("hung_up", "The job was cancelled.")
            answers = [write(answer) for answer in await translate(caller, part, job.setup, gone)]
            num_bytes += sum(map(len, answers))
            if num_bytes > MAX_JOB_BYTES:
                raise ApiError("too_large", f"The results have more than {MAX_JOB_BYTES:,} bytes: ask for fewer.")
            job.answers += answers
        job.state = "done"
    except ApiError as error:
        job.state, job.problem = ("cancelled", "") if error.kind == "hung_up" else ("failed", str(error))
    except BaseException:
        job.state, job.problem = "failed", "The server had to stop this job."
        raise
    finally:
        job.ended = time.monotonic()


def _parts(texts: Sequence[T]) -> list[Sequence[T]]:
    return [texts[first : first + MAX_TEXTS] for first in range(0, len(texts), MAX_TEXTS)]
