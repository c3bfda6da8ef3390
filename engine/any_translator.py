"""The interface of a translator, whether it is one model or two."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any, Protocol

from engine.decoding.loop import Interrupt, JobLoop
from engine.decoding.question_steps import Steps
from engine.model.datastore import Datastore, DatastoreOptions, StoredPair
from engine.request import Formality, Request
from engine.search.batching import REFILL_SHARE, Schedule
from engine.search_options import SearchOptions
from engine.translation import Alternative, Hypothesis, Pricing, Translation

_DEFAULT_OPTIONS = SearchOptions()


class AnyTranslator(Protocol):
    """What a worker and its callers need: a `Translator`, or a `PivotTranslator`, which is documented by it.

    `folder` is the model's; None if there is not exactly one.
    """

    @property
    def name(self) -> str: ...

    @property
    def checksum(self) -> str: ...

    @property
    def folder(self) -> Path | None: ...

    @property
    def directions(self) -> Sequence[str]: ...

    @property
    def domains(self) -> Sequence[str]: ...

    @property
    def formalities(self) -> Mapping[str, Sequence[str]]: ...

    @property
    def is_on_accelerator(self) -> bool: ...

    def decoding_loop(
        self, batch_size: int = 16, schedule: Schedule = "stream", refill_share: float = REFILL_SHARE
    ) -> JobLoop[Any]: ...

    def translate(
        self,
        request: Request,
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> Translation: ...

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
    ) -> Iterator[Translation]: ...

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

    def price(
        self,
        request: Request,
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
    ) -> Pricing: ...

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
    ) -> tuple[Alternative, ...]: ...

    def price_steps(
        self,
        request: Request,
        options: SearchOptions,
        interruption: Interrupt,
        datastore: Datastore | None = None,
    ) -> Steps[Pricing]: ...

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

    def stored_pair(
        self, request: Request, target: str, *, origin: Hashable = None, least_fit: float | None = None
    ) -> StoredPair | None: ...

    def datastore_of(self, pairs: Sequence[StoredPair], options: DatastoreOptions | None = None) -> Datastore: ...

    def misspelling(self, text: str) -> str | None: ...
