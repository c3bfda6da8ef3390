"""The interface of an engine: what translates requests and answers questions, in this process or in others.

All data that crosses it can be pickled, except the futures. Importing it does not load PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar, get_args

from engine.errors import InvalidRequest
from engine.request import Request
from engine.search_options import SearchOptions
from engine.translation import Translation
from engine.translator_questions import Question

if TYPE_CHECKING:
    from engine.model.datastore import Datastore

Priority = Literal["interactive", "document"]
T = TypeVar("T")


def checked_priority(priority: Priority) -> Priority:
    """The priority. Raises InvalidRequest if there is none of this name."""
    if priority not in get_args(Priority):
        raise InvalidRequest(f"priority is {priority!r}; it must be one of {', '.join(get_args(Priority))}")
    return priority


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """Properties and abilities of an engine's model.

    `formalities` has the forms of address by direction. `folder` is the model's, None if there is not exactly one.
    `pivot` is the language between, of two models as one. `num_threads` are those of models. `precision` is that of
    the weights: "float32", "int8" or "half"; of two models both, as "int8+float32". `decoder` says
    for a person what decodes: the compiled core with the processor's family, or PyTorch with the reason. `learns`: it
    answers a `LearningQuestion`.
    `reads_examples`: translations of a person in a request (`Request.examples`) are in the prompt.
    """

    name: str
    directions: Sequence[str]
    formalities: Mapping[str, Sequence[str]]
    domains: Sequence[str]
    checksum: str
    folder: Path | None = None
    pivot: str = ""
    num_threads: int = 0
    precision: str = "float32"
    decoder: str = ""
    learns: bool = True
    reads_examples: bool = False


@dataclass(frozen=True, slots=True)
class EngineStatistics:
    """Load and speed of an engine.

    Latencies are those of the last 1,000 interactive answers, from `submit` or `ask` to the answer; None before the
    first. `answers_per_second` is the mean over the last minute, for both priorities. `tokens_per_second` counts the
    tokens of the best hypotheses over the time of the last 1,000 translations; None before the first. `num_steps`
    counts decoding steps, each with all sentences of a batch; a sentence that the compiled core searches to its end
    counts as one. `num_compiled` sentences were searched by the compiled search; `num_batched` has, for each reason why
    others were not, how many were searched in batches.
    """

    queue_length: int
    num_running: int
    num_answered: int
    num_failed: int
    num_steps: int
    median_latency_ms: float | None
    p95_latency_ms: float | None
    answers_per_second: float
    num_compiled: int = 0
    num_batched: Mapping[str, int] = field(default_factory=dict)
    tokens_per_second: float | None = None


class Engine(Protocol):
    """The interface that the app uses: an engine for one model. Thread-safe."""

    @property
    def facts(self) -> EngineFacts:
        """The model's name and abilities."""

    def submit(
        self,
        request: Request,
        options: SearchOptions | None = None,
        *,
        key: str | None = None,
        owner: str | None = None,
        priority: Priority = "interactive",
        deadline_ms: float | None = None,
        datastore: Datastore | None = None,
        on_best: Callable[[Translation], object] | None = None,
    ) -> Future[Translation]:
        """Queues a request. A newer one with the same key ends it as "cancelled"; owners take turns.

        A language model in this process calls `on_best`, in its own thread, with the first hypothesis as soon as the
        search has proved it the best; the future has the whole list later. Other models only answer the future.

        The deadline of a "document" request counts its share of the steps, without the time of others. Raises
        EngineError after `close`. The future raises InvalidRequest for a request that the model cannot take.
        """

    def ask(
        self,
        question: Question[T],
        *,
        key: str | None = None,
        owner: str | None = None,
        priority: Priority = "interactive",
        deadline_ms: float | None = None,
    ) -> Future[T | None]:
        """Queues a question; its answer is None if a newer one has the same key."""

    def cancel(self, key: str) -> None:
        """Ends the queued or running job with this key as "cancelled"; a question's answer is None."""

    def statistics(self) -> EngineStatistics:
        """The current load and speed."""

    @property
    def heartbeat(self) -> int | None:
        """A number that changes while the model works; None while it has nothing to do."""

    @property
    def outage(self) -> str | None:
        """Why the model cannot be reached, so that everything waits; None while it can."""

    def restart(self, reason: str) -> None:
        """Continues with the waiting requests. What runs is repeated, or ends with an EngineError of this reason."""

    def close(self) -> None:
        """Cancels everything and releases the model."""
