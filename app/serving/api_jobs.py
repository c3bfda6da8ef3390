"""Jobs: many texts that are translated in the background for a program, which asks for progress and results.

Jobs and their finished results are in the file of the keys. They continue when the app starts again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from app.errors import ApiError, LogError
from app.serving.admission import Caller
from app.serving.api_limits import MAX_TEXTS
from app.serving.constrained_texts import Answer, ConstrainedText, TranslationSetup, check_work
from app.serving.stored_jobs import ApiJob, StoredJobs

T = TypeVar("T")
# `TranslationService.translate`: the answers to texts, until the function that it gets ends.
Translate = Callable[
    [Caller, Sequence[ConstrainedText], TranslationSetup, Callable[[], Awaitable[None]]], Awaitable[Sequence[Answer]]
]
Prepared = tuple[Sequence[ConstrainedText], TranslationSetup]
_SWEEP_SECONDS: Final = 600.0  # between two searches for old jobs
_RETRY_SECONDS: Final = 5.0  # before another attempt, while the model is not ready or the disk is full
_LOGGER: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class JobWork:
    """How jobs are carried out: `prepare` reads a stored request, `write` makes the JSON of an answer."""

    prepare: Callable[[Caller, str], Awaitable[Prepared]]
    translate: Translate
    write: Callable[[Answer], bytes]


@dataclass
class _Running:
    """A job that is being carried out. `waits_for` is a problem that may pass."""

    job: ApiJob
    caller: Caller
    work: JobWork
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    waits_for: str = ""
    task: asyncio.Task[None] | None = None  # the event loop keeps no task by itself

    async def patiently(self, function: Callable[..., Awaitable[T]], *arguments: Any) -> T:
        """The result of a function, which is repeated while the model is not ready or the file cannot be written.

        Raises ApiError.
        """
        while not self.cancelled.is_set():
            try:
                result = await function(*arguments)
                self.waits_for = ""
                return result
            except ApiError as error:
                if error.kind != "not_ready":
                    raise
                self.waits_for = str(error)
            except LogError as error:
                if not self.waits_for:
                    _LOGGER.error("%s", error)
                self.waits_for = "The server cannot read or write its files; its output has the details."
            with suppress(TimeoutError):
                await asyncio.wait_for(self.cancelled.wait(), _RETRY_SECONDS)
        raise ApiError("hung_up", "The job was cancelled.")

    async def gone(self) -> None:
        """Waits until the job is deleted."""
        await self.cancelled.wait()


class ApiJobs:
    """Carries out jobs on the event loop of the server."""

    def __init__(self, stored: StoredJobs) -> None:
        self.stored = stored
        self._creating = asyncio.Lock()
        self._running: dict[str, _Running] = {}
        self._sweeping: asyncio.Task[None] | None = None

    @property
    def num_running(self) -> int:
        """The number of jobs that are being carried out."""
        return len(self._running)

    async def create(
        self, caller: Caller, request: str, prepared: Prepared, charge: Callable[[], Awaitable[None]], work: JobWork
    ) -> ApiJob:
        """Stores a job and begins to carry it out. Raises ApiError if it would exceed a limit.

        `request` is what `work.prepare` reads after a restart, and `charge` counts the characters.
        """
        items, setup = prepared
        for part in _parts(items):
            check_work(part)
        async with self._creating:
            await asyncio.to_thread(self.stored.remove_old)
            await asyncio.to_thread(self.stored.check_room, caller.name, len(request.encode()))
            await charge()
            job = await asyncio.to_thread(self.stored.add, caller, request, setup, len(items))
        self._begin(_Running(job, caller, work), prepared)
        return job

    async def delete(self, owner: str, number: str) -> None:
        """Cancels a job if it is running, and deletes it with its results. Raises ApiError."""
        await asyncio.to_thread(self.stored.delete, owner, number)
        if (running := self._running.get(number)) is not None:
            running.cancelled.set()

    def problem_of(self, job: ApiJob) -> str:
        """Why a job failed, or the problem that a running one waits to end."""
        running = self._running.get(job.id)
        return job.problem or (running.waits_for if running is not None else "")

    def start(self, work: JobWork) -> None:
        """Continues the jobs of earlier runs, and removes old jobs from time to time."""
        self._sweeping = asyncio.create_task(self._continue_all(work))

    def stop(self) -> None:
        """Interrupts all jobs; the next run continues them."""
        for task in (self._sweeping, *(running.task for running in self._running.values())):
            if task is not None:
                task.cancel()

    async def _continue_all(self, work: JobWork) -> None:
        are_begun = False  # the jobs of earlier runs
        while True:
            try:
                await asyncio.to_thread(self.stored.remove_old)
                if not are_begun:
                    for job, caller in await asyncio.to_thread(self.stored.unfinished):
                        if job.id not in self._running:  # it was sent meanwhile
                            self._begin(_Running(job, caller, work))
                are_begun = True
            except LogError as error:
                _LOGGER.error("%s", error)
            await asyncio.sleep(_SWEEP_SECONDS if are_begun else _RETRY_SECONDS)

    def _begin(self, running: _Running, prepared: Prepared | None = None) -> None:
        self._running[running.job.id] = running
        running.task = asyncio.create_task(self._run(running, prepared))

    async def _run(self, running: _Running, prepared: Prepared | None) -> None:
        try:
            problem = await self._translate(running, prepared)
            if problem is not None:
                await running.patiently(asyncio.to_thread, self.stored.end, running.job.id, problem)
        except ApiError:  # deleted meanwhile
            pass
        finally:
            del self._running[running.job.id]

    async def _translate(self, running: _Running, prepared: Prepared | None) -> str | None:
        """Translates the texts that have no result yet. Returns why it failed, "" if not; None if it was deleted."""
        job, caller, work = running.job, running.caller, running.work
        try:
            if prepared is None:
                prepared = await running.patiently(work.prepare, caller, job.request)
            items, setup = prepared
            if (setup.model.name, setup.direction) != (job.model, job.direction):
                return f"The job began with the model {job.model} ({job.direction}), which is not loaded any more."
            for part in _parts(items[job.num_done :]):
                answers = await running.patiently(work.translate, caller, part, setup, running.gone)
                results = await asyncio.to_thread(list, map(work.write, answers))
                if not await running.patiently(asyncio.to_thread, self.stored.add_results, job.id, results):
                    return None
        except ApiError as error:
            return None if error.kind == "hung_up" else str(error)
        except Exception:
            _LOGGER.exception("a job failed")
            return "Something went wrong in the server; its output has the details."
        return ""


def _parts(texts: Sequence[T]) -> list[Sequence[T]]:
    return [texts[first : first + MAX_TEXTS] for first in range(0, len(texts), MAX_TEXTS)]
