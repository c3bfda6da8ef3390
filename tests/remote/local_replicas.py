"""Replicas in this process, which a test can end: everything that reaches them was pickled, as on the way to others."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from engine import Datastore, EngineFacts, EngineStatistics
from engine.remote.remote_call import RemoteCall, ReplicaLost
from engine.remote.replica import Replica

DATASTORES: dict[str, bytes] = {}


@dataclass(frozen=True)
class StoredDatastore:
    number: str

    async def fetch(self) -> Datastore:
        return pickle.loads(DATASTORES[self.number])


class LocalReplicas:
    """Sends a call to the replica that its route begins with, as "0 …", or else to the first that is not lost."""

    def __init__(self, replicas: Sequence[Replica]) -> None:
        self._replicas = replicas
        self._lost = [asyncio.Event() for _ in replicas]
        self._shared: WeakKeyDictionary[Datastore, StoredDatastore] = WeakKeyDictionary()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.sent: list[int] = []  # the replica of each call

    async def facts(self) -> EngineFacts:
        self._loop = asyncio.get_running_loop()
        return self._replicas[0].facts()

    async def statistics(self) -> list[EngineStatistics]:
        return [replica.statistics() for replica in self._replicas]

    @property
    def outage(self) -> None:
        return None

    def share(self, datastore: Datastore) -> StoredDatastore:
        if datastore not in self._shared:
            self._shared[datastore] = StoredDatastore(str(len(DATASTORES)))
            DATASTORES[self._shared[datastore].number] = pickle.dumps(datastore)
        return self._shared[datastore]

    def lose(self, *numbers: int) -> None:
        """Ends replicas: what they work on is lost."""
        assert self._loop is not None
        for number in numbers:
            self._loop.call_soon_threadsafe(self._lost[number].set)

    async def carry_out(self, call: RemoteCall, datastore: Datastore | None) -> Any:
        sent, route = pickle.dumps(call), call.route
        shared = None if datastore is None else self.share(datastore)
        wanted = int(route[0]) % len(self._replicas) if route[:1].isdecimal() else 0
        order = [wanted, *range(len(self._replicas))]
        number = next((n for n in order if not self._lost[n].is_set()), wanted)
        self.sent.append(number)
        answer = asyncio.ensure_future(self._replicas[number].carry_out(pickle.loads(sent), shared))
        loss = asyncio.ensure_future(self._lost[number].wait())
        try:
            await asyncio.wait({answer, loss}, return_when=asyncio.FIRST_COMPLETED)
            if self._lost[number].is_set():
                raise ReplicaLost(f"replica {number} has ended")
            return pickle.loads(pickle.dumps(await answer))
        finally:
            answer.cancel()
            loss.cancel()
