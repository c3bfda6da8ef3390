"""Translation through a language between, where no model has the direction: two models, one after the other.

The first model translates the source; all constraints bind in the second. A required placeholder, number or address
that the source contains unchanged is also required in the first translation, so that the second model sees it. Scores
are the second model's, given the first one's best translation, whose own score is reported beside them.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any

from engine.any_translator import AnyTranslator
from engine.decoding.constraints import PreparedRequest
from engine.decoding.loop import DecodingJob
from engine.decoding.question_steps import Steps
from engine.errors import InvalidRequest, ModelError
from engine.interruption import NEVER, Interruption
from engine.pivot.pivot_loop import PivotLoop
from engine.pivot.pivot_requests import FIRST_OPTIONS, PivotRequests, unfinished
from engine.request import Request
from engine.search.batching import REFILL_SHARE, Schedule
from engine.search_options import SearchOptions
from engine.text import short_code
from engine.translation import Alternative, Hypothesis, PivotTranslation, Pricing, Translation
from engine.translator import Translator

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore, DatastoreOptions, StoredPair


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
        self.decoder = f"{first.decoder} + {second.decoder}"
        self.learns, self.reads_examples = second.learns, second.reads_examples
        self._requests = PivotRequests(first, self.directions[0], first_direction, second_direction)

    def direction_of(self, request: Request) -> str:
        return self.directions[0]

    def constraints_of(self, request: Request, interruption: Interruption) -> PreparedRequest:
        return self._second.constraints_of(replace(request, direction=self._second_direction), interruption)

    def decode(self, job: DecodingJob) -> PivotTranslation:
        """Decodes one job alone; the datastore, here and below, is the second model's."""
        started = time.perf_counter() if job.started_at is None else job.started_at
        first = self._translate_first(job.request, job.interruption)
        if first.status != "complete":
            return unfinished(job.request, first, 1000 * (time.perf_counter() - started))
        asked = self._requests.second_request(job.request, first)
        second = self._second.decode(DecodingJob(asked, job.options, job.interruption, datastore=job.datastore))
        return self._requests.joined(job.request, first, second, 1000 * (time.perf_counter() - started))

    def translate_all_whole(
        self,
        requests: Iterable[tuple[Request, SearchOptions]],
        *,
        batch_size: int,
        schedule: Schedule,
        cancel: Event | None,
        deadline_ms: float | None,
        datastore: Datastore | None,
    ) -> Iterator[Translation]:
        """The translations of sources as one sentence, as of `Translator.translate_all_whole`, by both models."""
        read: deque[tuple[Request, SearchOptions]] = deque()  # in the first model
        waiting: deque[tuple[Request, Translation]] = deque()  # translated by the first

        def first_requests() -> Iterator[tuple[Request, SearchOptions]]:
            for item in requests:
                read.append(item)
                yield self._requests.first_request(item[0]), FIRST_OPTIONS

        def second_requests() -> Iterator[tuple[Request, SearchOptions]]:
            firsts = self._first.translate_all_whole(
                first_requests(), batch_size=batch_size, schedule=schedule, cancel=cancel, deadline_ms=deadline_ms
            )
            for found in firsts:
                request, own_options = read.popleft()
                first = self._requests.checked(found)
                waiting.append((request, first))
                if first.status == "complete":
                    yield self._requests.second_request(request, first), own_options

        seconds = self._second.translate_all_whole(
            second_requests(), batch_size=batch_size, schedule=schedule, cancel=cancel, deadline_ms=deadline_ms,
            datastore=datastore,
        )  # fmt: skip
        for second in seconds:
            while waiting[0][1].status != "complete":
                yield unfinished(*waiting.popleft())
            request, first = waiting.popleft()
            yield self._requests.joined(request, first, second, first.elapsed_ms + second.elapsed_ms)
        while waiting:
            yield unfinished(*waiting.popleft())

    def whole_loop(self, batch_size: int, schedule: Schedule, refill_share: float = REFILL_SHARE) -> PivotLoop[Any]:
        """A loop for jobs that take their source as one sentence; each model has such a batch."""
        first = self._first.whole_loop(batch_size, schedule, refill_share)
        return PivotLoop(self._requests, first, self._second.whole_loop(batch_size, schedule, refill_share))

    def scored(
        self,
        request: Request,
        target: str | None = None,
        tokens: Sequence[int] | None = None,
        datastore: Datastore | None = None,
    ) -> PivotTranslation:
        """The second model's score of a given translation, as of `Translator.scored`.

        Raises InvalidRequest if the first model cannot translate the source.
        """
        first = self._translated_first(request, NEVER)
        asked = self._requests.second_request(request, first)
        second = self._second.scored(asked, target, tokens, datastore)
        return self._requests.joined(request, first, second, first.elapsed_ms)

    def price_whole_steps(self, job: DecodingJob) -> Steps[Pricing]:
        """The steps of `price`, for a source as one sentence; the first model translates a new source in one step."""
        request = job.request
        first = self._translated_first(request, job.interruption)
        second = replace(job, request=self._requests.second_request(request, first))
        priced = yield from self._second.price_whole_steps(second)
        free = replace(request, phrases=(), avoid=())
        return replace(
            priced,
            constrained=self._requests.joined(request, first, priced.constrained, priced.constrained.elapsed_ms),
            free=self._requests.joined(free, first, priced.free, priced.free.elapsed_ms),
        )

    def alternatives_whole_steps(
        self, job: DecodingJob, tokens: Sequence[int], piece: int, count: int
    ) -> Steps[tuple[Alternative, ...]]:
        """The steps of `alternatives`, as of `price_whole_steps`."""
        request = job.request
        first = self._translated_first(request, job.interruption)
        second = replace(job, request=self._requests.second_request(request, first))
        found = yield from self._second.alternatives_whole_steps(second, tokens, piece, count)
        return tuple(
            replace(each, hypothesis=self._requests.aligned(request, first, each.hypothesis)) for each in found
        )

    def places_steps(
        self, request: Request, phrase: int, count: int, interruption: Interruption
    ) -> Steps[tuple[Hypothesis, ...]]:
        """The steps of `places`, as of `price_whole_steps`."""
        first = self._translated_first(request, interruption)
        second = self._requests.second_request(request, first)
        found = yield from self._second.places_steps(second, phrase, count, interruption)
        return tuple(self._requests.aligned(request, first, each) for each in found)

    def whole_pair(self, request: Request, target: str, origin: Hashable, least_fit: float | None) -> StoredPair | None:
        """A translation by a person as the datastore of the second model stores it; see `Translator.whole_pair`.

        Raises InvalidRequest if the first model gives no translation.
        """
        second = self._requests.second_request(request, self._translated_first(request, NEVER))
        return self._second.whole_pair(second, target, origin, least_fit)

    def datastore_of(self, pairs: Sequence[StoredPair], options: DatastoreOptions | None = None) -> Datastore:
        """A datastore of these pairs, as of `Translator.datastore_of`."""
        return self._second.datastore_of(pairs, options)

    def misspelling(self, text: str) -> str | None:
        """The nearest spelling of the second model for a text that it cannot spell; None if it can."""
        return self._second.misspelling(text)

    @property
    def num_compiled(self) -> int:  # type: ignore[override]  # of both models, counted by them
        return self._first.num_compiled + self._second.num_compiled

    @property
    def num_batched(self) -> Mapping[str, int]:  # type: ignore[override]
        return Counter(self._first.num_batched) + Counter(self._second.num_batched)

    @property
    def is_on_accelerator(self) -> bool:
        return self._second.is_on_accelerator

    @property
    def end(self) -> int:
        return self._second.end

    def _translate_first(self, request: Request, interruption: Interruption) -> Translation:
        if request.direction not in (None, *self.directions):
            raise InvalidRequest(f"direction is {request.direction!r}; these models translate {self.directions[0]}")
        if (known := self._requests.known_first(request)) is not None:
            return known
        asked = self._requests.first_request(request)
        return self._requests.take_first(self._first.decode(DecodingJob(asked, FIRST_OPTIONS, interruption)))

    def _translated_first(self, request: Request, interruption: Interruption) -> Translation:
        first = self._translate_first(request, interruption)
        if first.status != "complete":
            reasons = "; ".join(reason.message for reason in first.reasons)
            raise InvalidRequest(f"model {self._first.name} found no translation ({first.status}): {reasons}")
        return first
