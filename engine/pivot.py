"""Translation through a language between, where no model has the direction: two models, one after the other.

The first model translates the source; all constraints bind in the second. Only what the source has as it is and what
is no plain word (placeholders, numbers, addresses), if it is required, is required of the first model too, so that the
second one sees it. Scores are the second model's, given the first one's best translation, whose own score is reported
beside them.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from threading import Event
from typing import Any, Generic

from engine.decoding.aligner import through, with_alignment
from engine.decoding.loop import DecodingJob, Interrupt, Job, JobLoop, JobState, failed, interruption_of, never
from engine.decoding.question_steps import Steps, answer_alone
from engine.errors import InvalidRequest, ModelError
from engine.model.datastore import Datastore, DatastoreOptions, StoredPair
from engine.request import Formality, Phrase, Request
from engine.search.batching import REFILL_SHARE, Schedule
from engine.search_options import SearchOptions
from engine.text import occurrences, short_code, word_at
from engine.translation import Alternative, Hypothesis, PivotTranslation, Pricing, Translation
from engine.translator import Translator

_DEFAULT_OPTIONS = SearchOptions()
_FIRST_OPTIONS = SearchOptions(nbest=1)
_MAX_KEPT = 256  # translations of sources into the language between


class PivotTranslator:
    """Two translators as one, from the first one's source language to the second one's target language.

    Like a `Translator`, it must not be called from several threads at once, and nobody else may use the two meanwhile.
    """

    folder = None  # it has two

    def __init__(self, first: Translator, second: Translator, first_direction: str, second_direction: str) -> None:
        """Raises ModelError if one of the two does not translate its part, or the parts do not meet."""
        for translator, direction in ((first, first_direction), (second, second_direction)):
            if direction not in translator.directions:
                raise ModelError(f"model {translator.name} does not translate {direction}; choose another model")
        source, _, between = first_direction.partition("-")
        begun, _, target = second_direction.partition("-")
        if short_code(between) != short_code(begun):
            raise ModelError(
                f"{first_direction} and {second_direction} do not follow each other; the second model must translate "
                f"from {between}"
            )
        self._first_direction, self._second_direction = first_direction, second_direction
        self._first, self._second = first, second
        self.pivot = between
        self.directions = (f"{source}-{target}",)
        self.domains = second.domains
        self.formalities = {self.directions[0]: second.formalities.get(second_direction, ())}
        self.name = f"{first.name} + {second.name}"
        self.checksum = f"{first.checksum}+{second.checksum}"
        self._pivots: OrderedDict[Request, Translation] = OrderedDict()

    def translate(
        self,
        request: Request,
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> PivotTranslation:
        """The n-best list of one request, as of `Translator.translate`; the deadline counts for both models.

        Here and below, the datastore is the second model's.
        """
        started = time.perf_counter()
        interruption = interruption_of(started, cancel, deadline_ms)
        first = self._translate_first(request, interruption)
        if first.status != "complete":
            return _unfinished(request, first, 1000 * (time.perf_counter() - started))
        asked = self.second_request(request, first)
        second = self._second.decode(DecodingJob(asked, options, interruption, datastore=datastore))
        return self.joined(request, first, second, 1000 * (time.perf_counter() - started))

    def translate_all(
        self,
        requests: Iterable[Request | tuple[Request, SearchOptions]],
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        batch_size: int = 16,
        schedule: Schedule = "stream",
        progress: Callable[[int], None] | None = None,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
    ) -> Iterator[Translation]:
        """Translations in the order of the requests, as of `Translator.translate_all`, which both models use."""
        read: deque[tuple[Request, SearchOptions]] = deque()  # in the first model
        waiting: deque[tuple[Request, Translation]] = deque()  # translated by the first

        def first_requests() -> Iterator[Request]:
            for item in requests:
                read.append(item if isinstance(item, tuple) else (item, options))
                yield self.first_request(read[-1][0])

        def second_requests() -> Iterator[tuple[Request, SearchOptions]]:
            firsts = self._first.translate_all(
                first_requests(), _FIRST_OPTIONS, batch_size=batch_size, schedule=schedule, cancel=cancel,
                deadline_ms=deadline_ms,
            )  # fmt: skip
            for found in firsts:
                request, own_options = read.popleft()
                first = self._checked(found)
                waiting.append((request, first))
                if first.status == "complete":
                    yield self.second_request(request, first), own_options

        def in_order() -> Iterator[Translation]:
            seconds = self._second.translate_all(
                second_requests(), options, batch_size=batch_size, schedule=schedule, cancel=cancel,
                deadline_ms=deadline_ms,
            )  # fmt: skip
            for second in seconds:
                while waiting[0][1].status != "complete":
                    yield _unfinished(*waiting.popleft())
                request, first = waiting.popleft()
                yield self.joined(request, first, second, first.elapsed_ms + second.elapsed_ms)
            while waiting:
                yield _unfinished(*waiting.popleft())

        for num_done, translation in enumerate(in_order(), start=1):
            yield translation
            if progress:
                progress(num_done)

    def decoding_loop(
        self, batch_size: int = 16, schedule: Schedule = "stream", refill_share: float = REFILL_SHARE
    ) -> PivotLoop[Any]:
        """A loop for jobs that may come at any time, as of `Translator.decoding_loop`; each model has such a batch."""
        first = self._first.decoding_loop(batch_size, schedule, refill_share)
        return PivotLoop(self, first, self._second.decoding_loop(batch_size, schedule, refill_share))

    def score(
        self,
        source: str,
        target: str | None = None,
        *,
        tokens: Sequence[int] | None = None,
        direction: str | None = None,
        domain: str | None = None,
        formality: Formality | None = None,
    ) -> Hypothesis:
        """The second model's score of a given translation, as of `Translator.score`.

        Raises InvalidRequest if the first model cannot translate the source.
        """
        request = Request(source, direction=direction, domain=domain, formality=formality)
        first = self._translated_first(request, never)
        scored = self._second.score(
            first.hypotheses[0].text,
            target,
            tokens=tokens,
            direction=self._second_direction,
            domain=domain,
            formality=formality,
        )
        return self._aligned(request, first, scored)

    def price(
        self,
        request: Request,
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> Pricing:
        """The price of the constraints in the second model, as of `Translator.price`.

        The deadline counts for both models. Raises InvalidRequest if the first one gives no translation in time.
        """
        interruption = interruption_of(time.perf_counter(), cancel, deadline_ms)
        return answer_alone(self.price_steps(request, options, interruption, datastore), self.decoding_loop)

    def price_steps(
        self, request: Request, options: SearchOptions, interruption: Interrupt, datastore: Datastore | None = None
    ) -> Steps[Pricing]:
        """The steps of `price`, as of `Translator.price_steps`; the first model translates a new source at once."""
        first = self._translated_first(request, interruption)
        second = self.second_request(request, first)
        priced = yield from self._second.price_steps(second, options, interruption, datastore)
        free = replace(request, phrases=(), avoid=())
        return replace(
            priced,
            constrained=self.joined(request, first, priced.constrained, priced.constrained.elapsed_ms),
            free=self.joined(free, first, priced.free, priced.free.elapsed_ms),
        )

    def alternatives(
        self,
        request: Request,
        hypothesis: Hypothesis,
        offset: int,
        count: int = 5,
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> tuple[Alternative, ...]:
        """Other words for the one at `offset` of a hypothesis, as of `Translator.alternatives`.

        The deadline counts for both models. Raises InvalidRequest if the first one gives no translation in time.
        """
        interruption = interruption_of(time.perf_counter(), cancel, deadline_ms)
        piece, _ = word_at(hypothesis.text, hypothesis.token_spans, offset)
        tokens = hypothesis.tokens
        steps = self.alternatives_steps(request, tokens, piece, count, options, interruption, datastore)
        return answer_alone(steps, self.decoding_loop)

    def alternatives_steps(
        self,
        request: Request,
        tokens: Sequence[int],
        piece: int,
        count: int,
        options: SearchOptions,
        interruption: Interrupt,
        datastore: Datastore | None = None,
    ) -> Steps[tuple[Alternative, ...]]:
        """The steps of `alternatives`, as of `price_steps`."""
        first = self._translated_first(request, interruption)
        second = self.second_request(request, first)
        found = yield from self._second.alternatives_steps(
            second, tokens, piece, count, options, interruption, datastore
        )
        return tuple(replace(each, hypothesis=self._aligned(request, first, each.hypothesis)) for each in found)

    def stored_pair(
        self, request: Request, target: str, *, origin: Hashable = None, least_fit: float | None = None
    ) -> StoredPair | None:
        """What a datastore keeps of a translation by a person, in the second model, as of `Translator.stored_pair`.

        Raises InvalidRequest if the first model gives no translation.
        """
        second = self.second_request(request, self._translated_first(request, never))
        return self._second.stored_pair(second, target, origin=origin, least_fit=least_fit)

    def datastore_of(self, pairs: Sequence[StoredPair], options: DatastoreOptions | None = None) -> Datastore:
        """A datastore of these pairs, as of `Translator.datastore_of`."""
        return self._second.datastore_of(pairs, options)

    def misspelling(self, text: str) -> str | None:
        """What the second model writes for a text that it cannot spell; None if it can."""
        return self._second.misspelling(text)

    @property
    def is_on_accelerator(self) -> bool:
        return self._second.is_on_accelerator

    def first_request(self, request: Request) -> Request:
        """What the first model is asked: the source, with those phrases that pass through both models unchanged."""
        is_own = request.direction in (None, *self.directions)
        kept = (
            replace(phrase, source_span=None, forms=(), count=min(phrase.count, num_found))
            for phrase in request.phrases
            if (num_found := _num_unchanged(phrase, request.source)) and self._first.misspelling(phrase.text) is None
        )
        direction = self._first_direction if is_own else request.direction
        return Request(request.source, direction=direction, phrases=tuple(kept), hints=request.hints)

    def known_first(self, request: Request) -> Translation | None:
        """The first model's translation of an earlier request with the same source, if it is still kept."""
        asked = self.first_request(request)
        if asked not in self._pivots:
            return None
        self._pivots.move_to_end(asked)
        return self._pivots[asked]

    def take_first(self, translation: Translation) -> Translation:
        """Keeps a complete translation of the first model, as constraints change more often than sources.

        Returns it; an empty one becomes one of status "failed".
        """
        translation = self._checked(translation)
        if translation.status == "complete":
            self._pivots[translation.request] = translation
            if len(self._pivots) > _MAX_KEPT:
                self._pivots.popitem(last=False)
        return translation

    def _checked(self, first: Translation) -> Translation:
        if first.status == "complete" and not first.hypotheses[0].text.strip():
            problem = f"model {self._first.name} gives an empty translation; translate this source by hand"
            return failed(first.request, InvalidRequest(problem))
        return first

    def _translate_first(self, request: Request, interruption: Interrupt) -> Translation:
        if request.direction not in (None, *self.directions):
            raise InvalidRequest(f"direction is {request.direction!r}; these models translate {self.directions[0]}")
        if (known := self.known_first(request)) is not None:
            return known
        asked = self.first_request(request)
        return self.take_first(self._first.decode(DecodingJob(asked, _FIRST_OPTIONS, interruption)))

    def _translated_first(self, request: Request, interruption: Interrupt) -> Translation:
        first = self._translate_first(request, interruption)
        if first.status != "complete":
            reasons = "; ".join(reason.message for reason in first.reasons)
            raise InvalidRequest(f"model {self._first.name} gives no translation ({first.status}): {reasons}")
        return first

    def second_request(self, request: Request, first: Translation) -> Request:
        """The request with all its constraints, for the second model; spans of the source do not exist there."""
        return replace(
            request,
            source=first.hypotheses[0].text,
            direction=self._second_direction,
            phrases=tuple(replace(phrase, source_span=None) for phrase in request.phrases),
        )

    def joined(self, request: Request, first: Translation, second: Translation, elapsed_ms: float) -> PivotTranslation:
        """The second model's answer as one to the original request."""
        found = {entry.name: getattr(second, entry.name) for entry in fields(Translation)}
        found |= {
            "request": request,
            "hypotheses": tuple(self._aligned(request, first, hypothesis) for hypothesis in second.hypotheses),
            "unknown_source": first.unknown_source,
            "num_steps": first.num_steps + second.num_steps,
            "elapsed_ms": elapsed_ms,
        }
        between = first.hypotheses[0]
        return PivotTranslation(**found, pivot=between.text, pivot_score=between.score)

    def _aligned(self, request: Request, first: Translation, hypothesis: Hypothesis) -> Hypothesis:
        """The hypothesis with its words aligned to the source's, where both models align."""
        alignment = through(first.hypotheses[0].alignment, hypothesis.alignment)
        placements = hypothesis.placements
        if alignment:
            placements = with_alignment(placements, request.phrases, alignment, hypothesis.text)
        return replace(hypothesis, alignment=alignment, placements=placements)


class PivotLoop(Generic[Job]):
    """Decodes jobs with both models: each job by the first and then by the second, together with the other jobs there.

    A source that was translated before goes to the second model at once, and so does a prepared job, which is part of a
    question to that model. Add jobs at any time, as to a `DecodingLoop`.
    """

    def __init__(self, translator: PivotTranslator, first: JobLoop[DecodingJob], second: JobLoop[DecodingJob]) -> None:
        self._translator = translator
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
        known = self._translator.known_first(job.request)
        if known is not None:
            self._begin_second(job, known)
        else:
            asked = self._translator.first_request(job.request)
            inner = DecodingJob(asked, _FIRST_OPTIONS, job.interruption, started_at=job.started_at)
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
        """End the jobs whose interruption says so, without a step for the others; returns the jobs that ended."""
        return [*self._after_first(self._first.interrupt()), *self._after_second(self._second.interrupt())]

    def _begin_second(self, job: Job, first: Translation) -> None:
        asked = self._translator.second_request(job.request, first)
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
                first = self._translator.take_first(inner.result())
                if first.status != "complete":
                    job.finish(_unfinished(job.request, first))
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
                job.finish(self._translator.joined(job.request, first, second, second.elapsed_ms))
            finished.append(job)
        return finished


def _unfinished(request: Request, first: Translation, elapsed_ms: float | None = None) -> PivotTranslation:
    """The answer to a request that the first model could not translate, or not in time."""
    elapsed_ms = first.elapsed_ms if elapsed_ms is None else elapsed_ms
    return PivotTranslation(request, first.status, (), first.reasons, first.unknown_source, first.num_steps, elapsed_ms)


def _num_unchanged(phrase: Phrase, source: str) -> int:
    """How often a phrase stands in the source as it is, if it is no plain word: a placeholder, number or address."""
    is_plain = all(character.isalpha() or character.isspace() for character in phrase.text)
    return 0 if is_plain else len(occurrences(source, phrase.text))
