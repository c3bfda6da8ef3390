"""The decoding loop: jobs join at any time, share the steps of the search, and leave as each of them ends.

    WAITING ──> RUNNING ──> FINISHED     with a translation, or with the error that ended the job
       └───────────┴──────> CANCELLED    without a translation

`engine.worker` decides which waiting requests become jobs; `engine.search.batching` decides which jobs share a step.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from engine.decoding.constraints import PreparedRequest
from engine.decoding.pipeline import RequestPipeline, interrupted_translation, num_misplaced, stray_phrases
from engine.decoding.relaxation import smallest_relaxation
from engine.errors import InvalidRequest
from engine.interruption import NEVER, Interrupted, Interruption
from engine.request import Request
from engine.search.batching import Counts, SearchStream, is_out_of_memory
from engine.search.finished import SearchHypothesis
from engine.search.sentence import EndedSentence, Sentence, SentenceResult
from engine.search_options import SearchOptions
from engine.translation import Hypothesis, ListedText, Reason, Translation

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore


class JobState(Enum):
    """The state of a job in the loop."""

    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


@dataclass(slots=True, eq=False)
class DecodingJob:
    """One request on its way through the loop. Once it has ended, either `translation` or `error` is set.

    `datastore` has the neighbours that count. Callers that have prepared the request pass `prepared`. `elapsed_ms` of
    the translation counts from `started_at`, a time of `perf_counter`; None: from `DecodingLoop.add`. While a `draft`
    is decoded and then followed (`SearchOptions.draft_strength`), `first` is the translation without it. A second
    search `has_whole_words` for phrases that the first one found only in words that are not compounds.
    `unrepaired` is a translation that lacks expected phrases, while another that has them is decoded.
    `searched` is the request with the set phrases of the model, which the translation does not mention.
    `on_best` is called with the translation of the first hypothesis alone, once this is known to be the first one of
    the list; not for models whose list is ranked again after the search, and not if another search may follow.
    With `needs_best_only`, the n-best list that is searched is not aligned and written, but for its first hypothesis.
    """

    request: Request
    options: SearchOptions
    interruption: Interruption = NEVER
    prepared: PreparedRequest | None = None
    datastore: Datastore | None = None
    started_at: float | None = None
    draft: PreparedRequest | None = None
    first: Translation | None = None
    has_whole_words: bool = False
    unrepaired: Translation | None = None
    searched: Request | None = None
    on_best: Callable[[Translation], object] | None = None
    needs_best_only: bool = False
    state: JobState = JobState.WAITING
    translation: Translation | None = None
    error: Exception | None = None

    @property
    def has_ended(self) -> bool:
        return self.state in (JobState.FINISHED, JobState.CANCELLED)

    def finish(self, translation: Translation) -> None:
        """End the job with its translation, whose status shows whether it was cancelled."""
        self.translation = translation
        self.state = JobState.CANCELLED if translation.status == "cancelled" else JobState.FINISHED

    def fail(self, error: Exception) -> None:
        """End the job with the error that its decoding raised."""
        self.error = error
        self.state = JobState.FINISHED

    def result(self) -> Translation:
        """The translation of a job that has ended; of status "failed" after an error."""
        return self.translation or failed(self.request, self.error)


Job = TypeVar("Job", bound=DecodingJob)


class JobLoop(Protocol[Job]):
    """A loop that decodes jobs together: a `DecodingLoop` of one model, or a loop over two models (`engine.pivot`)."""

    def __len__(self) -> int:
        """Jobs that no step has returned yet."""

    def add(self, job: Job) -> None:
        """Let the job begin as soon as there is room. Raises InvalidRequest if the model cannot take the request."""

    def step(self) -> list[Job]:
        """Take the running jobs one token further; returns the jobs that ended."""

    def interrupt(self) -> list[Job]:
        """End the interrupted jobs; returns the jobs that ended."""


def decode_all(loop: JobLoop[Job], jobs: Iterable[Job]) -> None:
    """Decodes the jobs in an empty loop until all have ended. Raises InvalidRequest as `JobLoop.add`."""
    for job in jobs:
        loop.add(job)
    while len(loop):
        loop.step()


class DecodingLoop(Generic[Job]):
    """Decodes jobs together. Add some at any time, then call `step` until the loop is empty."""

    def __init__(self, pipeline: RequestPipeline, search: SearchStream) -> None:
        self._pipeline = pipeline
        self._search = search
        self._running: dict[Sentence, Job] = {}
        self._without_search: list[Job] = []  # ended so; the next step returns them
        self._proved: list[tuple[Sentence, SearchHypothesis]] = []  # best hypotheses whose jobs are not told yet

    def __len__(self) -> int:
        """Jobs that no step has returned yet."""
        return len(self._running) + len(self._without_search)

    @property
    def room(self) -> int:
        """The number of further jobs that can begin with the next step."""
        return self._search.room

    @property
    def counts(self) -> Counts:
        """The cost of the search so far."""
        return self._search.counts

    def add(self, job: Job) -> None:
        """Let the job begin as soon as there is room. Raises InvalidRequest if the model cannot take the request."""
        if job.started_at is None:
            job.started_at = time.perf_counter()
        if not self._prepare(job):
            self._without_search.append(job)
            return
        prepared = job.prepared
        assert prepared is not None
        if prepared.obstacles:
            relaxation = None
            if not prepared.is_refused:
                relaxation = smallest_relaxation(
                    job.request,
                    lambda request: self._pipeline.prepare(request, None, job.interruption),
                    job.interruption,
                )
            blocked = Translation(job.request, "infeasible", (), prepared.obstacles, prepared.unknown_source)
            job.finish(replace(blocked, relaxation=relaxation))
            self._without_search.append(job)
            return
        job.prepared = self._pipeline.with_phrases_placed(prepared.without_expected(), job.interruption)
        self._search_for(job, job.prepared)

    def _prepare(self, job: Job) -> bool:
        """Prepare the job; False if it was interrupted and has ended."""
        try:
            job.interruption.check()
            if job.prepared is None:
                job.searched = self._pipeline.with_set_phrases(job.request, job.options)
                job.prepared = self._pipeline.prepare(job.searched, job.datastore, job.interruption)
        except Interrupted as interrupted:
            job.finish(interrupted_translation(job.request, interrupted.cause))
            return False
        return True

    def _search_for(self, job: Job, prepared: PreparedRequest) -> None:
        sentence = self._pipeline.sentence(prepared, job.options, job.interruption)
        if job.on_best is not None and self._pipeline.keeps_ranking:
            sentence = replace(sentence, on_best=lambda found: self._proved.append((sentence, found)))
        job.state = JobState.RUNNING
        self._running[sentence] = job
        self._search.add(sentence)

    def step(self) -> list[Job]:
        """Take the running jobs one token further; returns the jobs that ended."""
        ended, self._without_search = self._without_search, []
        ended += self._end(self._search.step())
        self._tell_best()
        return ended

    def _tell_best(self) -> None:
        """Tell the jobs that still run their best hypotheses, which no later step can change."""
        proved, self._proved = self._proved, []
        for sentence, found in proved:
            job = self._running.get(sentence)
            if job is None or job.on_best is None or job.prepared is None or job.unrepaired or job.draft or job.first:
                continue
            result = SentenceResult("complete", (found,), num_steps=0)
            with suppress(Exception):  # the job itself gets an error of its own at its end
                asked = job.searched or job.request
                best = self._pipeline.translation(asked, job.prepared, result, job.options, job.interruption)
                if best.status == "complete" and not best.hypotheses[0].unmet:
                    job.on_best(_without_set_phrases(best, job.request))

    def interrupt(self) -> list[Job]:
        """End the interrupted jobs, without a step for the others; returns the jobs that ended."""
        return self._end(self._search.interrupt())

    def _end(self, sentences: Iterable[EndedSentence]) -> list[Job]:
        """The jobs that end with these sentences; the others go on with another search."""
        jobs = [(self._running.pop(ended.sentence), ended) for ended in sentences]
        for job, ended in jobs:
            if ended.result is None:
                assert ended.error is not None
                job.fail(ended.error)
                continue
            try:
                self._go_on(job, ended.result)
            except Exception as error:  # of any kind: it must fail no other job
                job.fail(error)
        return [job for job, _ in jobs if job.has_ended]

    def _go_on(self, job: Job, result: SentenceResult) -> None:
        """After a search: finish the job, search for whole words, decode a draft, or follow what was decoded."""
        prepared = job.prepared
        assert prepared is not None
        if result.outcome == "cancelled":
            self._finish(job, interrupted_translation(job.request, result.outcome))
            return
        if job.draft is not None:
            job.draft = None
            if result.hypotheses:
                tokens, strength = result.hypotheses[0].tokens, job.options.draft_strength
                job.prepared = self._pipeline.following(prepared, tokens, strength, job.interruption)
            self._search_for(job, job.prepared or prepared)
            return
        if job.needs_best_only:
            result = _with_best_only(result, prepared)
        asked = job.searched or job.request
        translation = self._pipeline.translation(asked, prepared, result, job.options, job.interruption)
        if job.unrepaired is not None:
            stray = stray_phrases(translation, job.unrepaired)
            if stray and job.interruption.cause() is None:
                self._repair(job, prepared.without(stray))
            else:
                is_usable = translation.status in ("complete", "cancelled") and not stray
                self._finish(job, translation if is_usable else job.unrepaired)
            return
        if not job.has_whole_words and job.first is None:
            again = self._pipeline.with_whole_words(prepared, translation, job.interruption)
            if again is not None:
                job.has_whole_words, job.prepared = True, again
                self._search_for(job, again)
                return
        if job.first is None:
            job.draft = self._pipeline.draft(prepared, translation, job.options, job.interruption)
            if job.draft is not None:
                job.first = translation
                self._search_for(job, job.draft)
                return
        elif translation.status != "cancelled" and num_misplaced(translation) >= num_misplaced(job.first):
            translation = job.first
        is_lacking = translation.status == "complete" and bool(translation.hypotheses[0].unmet)
        if is_lacking and prepared.whole is not None and job.interruption.cause() is None:
            job.unrepaired = translation
            self._repair(job, prepared.whole)
            return
        self._finish(job, translation)

    def _repair(self, job: Job, prepared: PreparedRequest) -> None:
        """Decode the translation that lacks expected phrases again, with those that `prepared` still has."""
        assert job.unrepaired is not None
        job.prepared = self._pipeline.repairing(prepared, job.unrepaired, job.interruption)
        self._search_for(job, job.prepared)

    @staticmethod
    def _finish(job: Job, translation: Translation) -> None:
        assert job.started_at is not None
        translation = _without_set_phrases(translation, job.request)
        job.finish(replace(translation, elapsed_ms=(time.perf_counter() - job.started_at) * 1000))

    def in_order(
        self, jobs: Iterable[Job], window_size: int, interruption: Interruption = NEVER
    ) -> Iterator[Translation]:
        """Yields translations in the order of the jobs, each as soon as it and all earlier ones have ended.

        Reads `window_size` jobs ahead to decode jobs of similar length together; keeps at most twice as many. After
        an `interruption`, the remaining jobs end undecoded. Until the last one, the loop must get no other jobs.
        """
        jobs = iter(jobs)
        held: deque[Job] = deque()  # in their order
        ready: deque[Job] = deque()  # shortest first
        is_all_read = False
        while True:
            cause = interruption.cause()
            if not ready and not is_all_read and len(held) <= window_size:
                window = list(islice(jobs, window_size))
                is_all_read = len(window) < window_size
                held.extend(window)
                ready.extend(window if cause else self._by_length(window))
            while ready and (cause or self.room):
                job = ready.popleft()
                if cause:
                    job.finish(interrupted_translation(job.request, cause))
                    continue
                try:
                    self.add(job)
                except Exception as error:
                    job.fail(error)
            self.step()
            while held and held[0].has_ended:
                yield held.popleft().result()
            if is_all_read and not held:
                return

    def _by_length(self, jobs: Iterable[Job]) -> list[Job]:
        """Prepares the jobs; returns those that can be decoded, shortest source first."""
        lengths: dict[Job, int] = {}
        for job in jobs:
            try:
                if self._prepare(job) and job.prepared is not None:
                    lengths[job] = len(job.prepared.source_ids)
            except Exception as error:
                job.fail(error)
        return sorted(lengths, key=lengths.__getitem__)


def _with_best_only(result: SentenceResult, prepared: PreparedRequest) -> SentenceResult:
    """The result with the hypothesis that will be the best translation, or all if only their texts show which it is."""
    if any(phrase.boundary == "compound" for phrase in prepared.phrases):
        return result
    return replace(result, hypotheses=result.hypotheses[:1])


def _without_set_phrases(translation: Translation, given: Request) -> Translation:
    """The translation as one of the given request, whose phrases come first in the request that was searched."""
    num_given, searched = len(given.phrases), translation.request.phrases
    if len(searched) == num_given:
        return translation

    def listed(one: Hypothesis) -> tuple[ListedText, ...]:
        """The texts of lists, also of those set phrases that the hypothesis has."""
        found = [*one.listed]
        for place in one.placements:
            span = searched[place.phrase].source_span
            if place.phrase >= num_given and span is not None:
                found.append(ListedText("set_phrase", place.form, place.start, place.end, span))
        return tuple(sorted(found, key=lambda text: text.start))

    hypotheses = tuple(
        replace(
            one,
            listed=listed(one),
            placements=tuple(place for place in one.placements if place.phrase < num_given),
            unmet=tuple(number for number in one.unmet if number < num_given),
        )
        for one in translation.hypotheses
    )
    return replace(translation, request=given, hypotheses=hypotheses)


def failed(request: Request, error: Exception | None) -> Translation:
    """The translation, without hypotheses, of a request that is invalid or whose decoding crashed."""
    if isinstance(error, InvalidRequest):
        return Translation(request, "failed", reasons=(Reason("invalid", str(error)),))
    return Translation(request, "failed", reasons=(Reason("crashed", crash_message(error)),))


def crash_message(error: Exception | None) -> str:
    """The type and text of the error; for exhausted memory, also advice."""
    message = f"{type(error).__name__}: {error}"
    if error is not None and is_out_of_memory(error):
        return f"the memory is too small even for this sentence alone; use a smaller beam ({message})"
    return message
