"""One copy of a model with its worker: what runs on each replica."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from engine.any_engine import EngineFacts, EngineStatistics
from engine.any_translator import AnyTranslator
from engine.errors import EngineError
from engine.remote.remote_call import RemoteCall, SharedDatastore, with_datastore
from engine.request import Request
from engine.worker.worker import Worker

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore

_NUM_DATASTORES = 8  # kept, one for each document at work; at most some megabytes each
_SILENT_SECONDS = 90.0  # then the model hangs; a step takes less than a second


class Replica:
    """Answers calls with a worker of its own. `carry_out` runs in an event loop, the other methods anywhere."""

    def __init__(self, translator: AnyTranslator) -> None:
        self._translator = translator
        self._worker = Worker(translator)
        self._datastores: OrderedDict[str, Datastore] = OrderedDict()
        self._beat: tuple[int | None, float] = (None, 0.0)

    async def carry_out(self, call: RemoteCall, shared: SharedDatastore | None) -> Any:
        """The answer to a call. If the task is cancelled, the model is free within one step."""
        datastore = None if shared is None else await self._datastore(shared)
        future: Future[Any]
        if isinstance(call.asked, Request):
            future = self._worker.submit(
                call.asked,
                call.options,
                key=call.key,
                owner=call.owner,
                priority=call.priority,
                deadline_ms=call.deadline_ms,
                datastore=datastore,
            )
        else:
            future = self._worker.ask(
                with_datastore(call.asked, datastore),
                key=call.key,
                owner=call.owner,
                priority=call.priority,
                deadline_ms=call.deadline_ms,
            )
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            self._worker.cancel(call.key)  # a future that runs cannot be cancelled
            raise

    def facts(self) -> EngineFacts:
        """The model's name and abilities."""
        return self._worker.facts

    def statistics(self) -> EngineStatistics:
        """The load and speed of this replica."""
        return self._worker.statistics()

    def check_health(self) -> None:
        """Raises EngineError if the model hangs, so that the replica is replaced."""
        now, beat = time.monotonic(), self._worker.heartbeat
        if beat is None or beat != self._beat[0]:
            self._beat = (beat, now)
        elif now - self._beat[1] > _SILENT_SECONDS:
            raise EngineError(f"the model has not answered for {now - self._beat[1]:.0f} seconds")

    def close(self) -> None:
        """Cancels everything and ends the worker."""
        self._worker.close()

    async def _datastore(self, shared: SharedDatastore) -> Datastore:
        found = self._datastores.get(shared.number)
        if found is None:
            found = await shared.fetch()
            if found.model == self._translator.checksum:  # else the request is refused
                found = self._translator.datastore_of(found.pairs, found.options)
            self._datastores[shared.number] = found
            if len(self._datastores) > _NUM_DATASTORES:
                self._datastores.popitem(last=False)
        self._datastores.move_to_end(shared.number)
        return found
