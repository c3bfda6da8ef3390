"""Calls from a client to a replica."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from engine.any_engine import EngineFacts, EngineStatistics, Priority
from engine.errors import EngineError
from engine.request import Request
from engine.search_options import SearchOptions
from engine.translator_questions import (
    AlternativesQuestion,
    LearningQuestion,
    PlacesQuestion,
    PriceQuestion,
    Question,
    ScoreQuestion,
)

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore


class ReplicaLost(EngineError):
    """A replica ended before it answered. The call had no effects, so it can be sent to another one."""


class SharedDatastore(Protocol):
    """A datastore that each replica fetches once; `number` is unique in the cluster."""

    @property
    def number(self) -> str: ...

    async def fetch(self) -> Datastore: ...


@dataclass(frozen=True, slots=True)
class RemoteCall:
    """A request or a question for a replica. `key` is unique. `asked` comes without its datastore, if it has one."""

    asked: Request | Question[Any]
    key: str
    owner: str | None
    priority: Priority
    deadline_ms: float | None
    options: SearchOptions | None = None

    @property
    def route(self) -> str:
        """Calls of the same route go to the same replica if it has room: it has encoded the source already."""
        if isinstance(self.asked, Request):
            return self.asked.source
        if isinstance(
            self.asked, PriceQuestion | AlternativesQuestion | PlacesQuestion | ScoreQuestion | LearningQuestion
        ):
            return self.asked.request.source
        return self.key


class Replicas(Protocol):
    """The replicas of one model, as the client reaches them from its event loop."""

    async def facts(self) -> EngineFacts:
        """The facts of the model."""

    async def carry_out(self, call: RemoteCall, datastore: Datastore | None) -> Any:
        """The answer to a call. Cancelling the task frees the model. Raises ReplicaLost if the replica ends.

        Waits while no replica can be reached.
        """

    async def statistics(self) -> list[EngineStatistics]:
        """The load and speed of each replica that answers."""

    @property
    def outage(self) -> str | None:
        """Why no replica can be reached; None while one can."""


def without_datastore(question: Question[Any]) -> tuple[Question[Any], Datastore | None]:
    """The question and its datastore, which is sent separately."""
    if isinstance(question, PriceQuestion | AlternativesQuestion):
        return replace(question, datastore=None), question.datastore
    return question, None


def with_datastore(question: Question[Any], datastore: Datastore | None) -> Question[Any]:
    """The question that a replica answers."""
    if isinstance(question, PriceQuestion | AlternativesQuestion):
        return replace(question, datastore=datastore)
    return question
