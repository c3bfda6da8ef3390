"""Translation through a language between, where no model has the direction: two models, one after the other.

The first model translates the source; all constraints bind in the second. Only what the source has as it is and what
is no plain word (placeholders, numbers, addresses), if it is required, is required of the first model too, so that the
second one sees it. Scores are the second model's, given the first one's best translation, whose own score is reported
beside them.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from threading import Event
from typing import Any

from engine.any_translator import DEFAULT_OPTIONS, AnyTranslator
from engine.decoding.loop import DecodingJob, Interrupt, interruption_of, never
from engine.decoding.question_steps import Steps
from engine.errors import InvalidRequest, ModelError
from engine.model.datastore import Datastore, DatastoreOptions, StoredPair
from engine.pivot.pivot_loop import PivotLoop
from engine.pivot.pivot_requests import FIRST_OPTIONS, PivotRequests, unfinished
from engine.request import Formality, Request
from engine.search.batching import REFILL_SHARE, Schedule
from engine.search_options import SearchOptions
from engine.text import short_code
from engine.translation import Alternative, Hypothesis, PivotTranslation, Pricing, Translation
from engine.translator import Translator


class PivotTranslator(AnyTranslator):
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
        self._second_direction = second_direction
        self._first, self._second = first, second
        self.pivot = between
        self.directions = (f"{source}-{target}",)
        self.domains = second.domains
        self.formalities = {self.directions[0]: second.formalities.get(second_direction, ())}
        self.name = f"{first.name} + {second.name}"
        self.checksum = f"{first.checksum}+{second.checksum}"
        self.precision = f"{first.precision}+{second.precision}"
        self._requests = PivotRequests(first, self.directions[0], first_direction, second_direction)

    def translate(
        self,
        request: Request,
        options: SearchOptions = DEFAULT_OPTIONS,
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
            return unfinished(request, first, 1000 * (time.perf_counter() - started))
        asked = self._requests.second_request(request, first)
        second = self._second.decode(DecodingJob(asked, options, interruption, datastore=datastore))
        return self._requests.joined(request, first, second, 1000 * (time.perf_counter() - started))

    def translate_all(
        self,
        requests: Iterable[Request | tuple[Request, SearchOptions]],
        options: SearchOptions = DEFAULT_OPTIONS,
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
                yield self._requests.first_request(read[-1][0])

        def second_requests() -> Iterator[tuple[Request, SearchOptions]]:
            firsts = self._first.translate_all(
                first_requests(), FIRST_OPTIONS, batch_size=batch_size, schedule=schedule, cancel=cancel,
                deadline_ms=deadline_ms,
            )  # fmt: skip
            for found in firsts:
                request, own_options = read.popleft()
                first = self._requests.checked(found)
                waiting.append((request, first))
                if first.status == "complete":
                    yield self._requests.second_request(request, first), own_options

        def in_order() -> Iterator[Translation]:
            seconds = self._second.translate_all(
                second_requests(), options, batch_size=batch_size, schedule=schedule, cancel=cancel,
                deadline_ms=deadline_ms,
            )  # fmt: skip
            for second in seconds:
                while waiting[0][1].status != "complete":
                    yield unfinished(*waiting.popleft())
                request, first = waiting.popleft()
                yield self._requests.joined(request, first, second, first.elapsed_ms + second.elapsed_ms)
            while waiting:
                yield unfinished(*waiting.popleft())

        for num_done, translation in enumerate(in_order(), start=1):
            yield translation
            if progress:
                progress(num_done)

    def decoding_loop(
        self, batch_size: int = 16, schedule: Schedule = "stream", refill_share: float = REFILL_SHARE
    ) -> PivotLoop[Any]:
        """A loop for jobs that may come at any time, as of `Translator.decoding_loop`; each model has such a batch."""
        first = self._first.decoding_loop(batch_size, schedule, refill_share)
        return PivotLoop(self._requests, first, self._second.decoding_loop(batch_size, schedule, refill_share))

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
        return self._requests.aligned(request, first, scored)

    def price_steps(
        self, request: Request, options: SearchOptions, interruption: Interrupt, datastore: Datastore | None = None
    ) -> Steps[Pricing]:
        """The steps of `price`, as in `Translator.price_steps`; the first model translates a new source in one step."""
        first = self._translated_first(request, interruption)
        second = self._requests.second_request(request, first)
        priced = yield from self._second.price_steps(second, options, interruption, datastore)
        free = replace(request, phrases=(), avoid=())
        return replace(
            priced,
            constrained=self._requests.joined(request, first, priced.constrained, priced.constrained.elapsed_ms),
            free=self._requests.joined(free, first, priced.free, priced.free.elapsed_ms),
        )

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
        second = self._requests.second_request(request, first)
        found = yield from self._second.alternatives_steps(
            second, tokens, piece, count, options, interruption, datastore
        )
        return tuple(
            replace(each, hypothesis=self._requests.aligned(request, first, each.hypothesis)) for each in found
        )

    def stored_pair(
        self, request: Request, target: str, *, origin: Hashable = None, least_fit: float | None = None
    ) -> StoredPair | None:
        """A translation by a person as the datastore of the second model stores it; see `Translator.stored_pair`.

        Raises InvalidRequest if the first model gives no translation.
        """
        second = self._requests.second_request(request, self._translated_first(request, never))
        return self._second.stored_pair(second, target, origin=origin, least_fit=least_fit)

    def datastore_of(self, pairs: Sequence[StoredPair], options: DatastoreOptions | None = None) -> Datastore:
        """A datastore of these pairs, as of `Translator.datastore_of`."""
        return self._second.datastore_of(pairs, options)

    def misspelling(self, text: str) -> str | None:
        """The nearest spelling of the second model for a text that it cannot spell; None if it can."""
        return self._second.misspelling(text)

    @property
    def is_on_accelerator(self) -> bool:
        return self._second.is_on_accelerator

    def _translate_first(self, request: Request, interruption: Interrupt) -> Translation:
        if request.direction not in (None, *self.directions):
            raise InvalidRequest(f"direction is {request.direction!r}; these models translate {self.directions[0]}")
        if (known := self._requests.known_first(request)) is not None:
            return known
        asked = self._requests.first_request(request)
        return self._requests.take_first(self._first.decode(DecodingJob(asked, FIRST_OPTIONS, interruption)))

    def _translated_first(self, request: Request, interruption: Interrupt) -> Translation:
        first = self._translate_first(request, interruption)
        if first.status != "complete":
            reasons = "; ".join(reason.message for reason in first.reasons)
            raise InvalidRequest(f"model {self._first.name} found no translation ({first.status}): {reasons}")
        return first
