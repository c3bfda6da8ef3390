"""The interface of a translator: one model, or two in sequence."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any

from engine.decoding.loop import Interrupt, JobLoop, interruption_of
from engine.decoding.question_steps import Answer, Steps, answer_alone
from engine.model.datastore import Datastore, DatastoreOptions, StoredPair
from engine.request import Formality, Request
from engine.search.batching import REFILL_SHARE, Schedule
from engine.search_options import SearchOptions
from engine.text import word_at
from engine.translation import Alternative, Hypothesis, Pricing, Translation

DEFAULT_OPTIONS = SearchOptions()


class AnyTranslator(ABC):
    """The interface of a translator: a `Translator` or a `PivotTranslator`. `Translator` documents the methods.

    `folder` is the model's; None if there is not exactly one. `pivot` is the language between two models, otherwise "".
    `precision` is that of the weights: "float32", "int8" or "half"; of two models both, as "int8+float32".
    """

    name: str
    checksum: str
    precision: str
    folder: Path | None
    directions: Sequence[str]
    domains: Sequence[str]
    formalities: Mapping[str, Sequence[str]]
    pivot: str = ""

    @property
    @abstractmethod
    def is_on_accelerator(self) -> bool: ...

    @abstractmethod
    def decoding_loop(
        self, batch_size: int = 16, schedule: Schedule = "stream", refill_share: float = REFILL_SHARE
    ) -> JobLoop[Any]: ...

    @abstractmethod
    def translate(
        self,
        request: Request,
        options: SearchOptions = DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> Translation: ...

    @abstractmethod
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
    ) -> Iterator[Translation]: ...

    @abstractmethod
    def score(
        self,
        source: str,
        target: str | None = None,
        *,
        tokens: Sequence[int] | None = None,
        direction: str | None = None,
        domain: str | None = None,
        formality: Formality | None = None,
    ) -> Hypothesis: ...

    @abstractmethod
    def price_steps(
        self,
        request: Request,
        options: SearchOptions,
        interruption: Interrupt,
        datastore: Datastore | None = None,
    ) -> Steps[Pricing]: ...

    @abstractmethod
    def alternatives_steps(
        self,
        request: Request,
        tokens: Sequence[int],
        piece: int,
        count: int,
        options: SearchOptions,
        interruption: Interrupt,
        datastore: Datastore | None = None,
    ) -> Steps[tuple[Alternative, ...]]: ...

    @abstractmethod
    def stored_pair(
        self, request: Request, target: str, *, origin: Hashable = None, least_fit: float | None = None
    ) -> StoredPair | None: ...

    @abstractmethod
    def datastore_of(self, pairs: Sequence[StoredPair], options: DatastoreOptions | None = None) -> Datastore: ...

    @abstractmethod
    def misspelling(self, text: str) -> str | None: ...

    def price(
        self,
        request: Request,
        options: SearchOptions = DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> Pricing:
        """The price of the constraints, all together and each alone, decoded in one batch with and without them.

        All are decoded without hints, which change the model's scores. Prices that are unknown after the deadline or
        `cancel` are None. Two models: the price in the second one; the deadline counts for both, and InvalidRequest is
        raised if the first one gives no translation in time.
        """
        interruption = interruption_of(time.perf_counter(), cancel, deadline_ms)
        return self._answer(self.price_steps(request, options, interruption, datastore))

    def alternatives(
        self,
        request: Request,
        hypothesis: Hypothesis,
        offset: int,
        count: int = 5,
        options: SearchOptions = DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> tuple[Alternative, ...]:
        """Other words for the one at `offset` of a hypothesis, each with the best sentence that continues with it.

        The text before the word stays, and each sentence meets all constraints of the request. At most `count`, best
        sentence first; fewer after the deadline or `cancel`, or if the constraints allow fewer. Raises InvalidRequest
        if there is no word at `offset`. Two models: as for `price`.
        """
        interruption = interruption_of(time.perf_counter(), cancel, deadline_ms)
        piece, _ = word_at(hypothesis.text, hypothesis.token_spans, offset)
        tokens = hypothesis.tokens
        return self._answer(self.alternatives_steps(request, tokens, piece, count, options, interruption, datastore))

    def _answer(self, steps: Steps[Answer]) -> Answer:
        return answer_alone(steps, lambda num_jobs: self.decoding_loop(num_jobs, "batch"))
