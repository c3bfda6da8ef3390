"""The process of `ray_client` with a cluster that is a folder: `python cluster_in_a_folder.py FOLDER`.

The file `cluster` names the cluster, `served` is there while it serves the model, and `searches` gets a line each time
that a client looks for it. A client that is connected to one cluster gets no answers from another, as with Ray.
"""

from __future__ import annotations

import asyncio
import pickle
from pathlib import Path
from typing import Any

from engine.any_engine import EngineFacts, EngineStatistics
from engine.errors import ModelError
from engine.remote import ray_client


class FolderClient:
    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        if not self._here.exists():
            raise ModelError("there is no cluster")
        self._cluster = self._here.read_text()
        self._datastores: list[str] = []

    @property
    def _here(self) -> Path:
        return self._folder / "cluster"

    async def _wait_if_lost(self) -> None:
        while not self._here.exists() or self._here.read_text() != self._cluster:
            await asyncio.sleep(60)

    async def find(self, name: str) -> bool:
        await self._wait_if_lost()
        with (self._folder / "searches").open("a") as searches:
            searches.write(f"{name}\n")
        return (self._folder / "served").exists()

    async def facts(self, name: str) -> EngineFacts:
        await self._wait_if_lost()
        return EngineFacts("en-de", ("en-de",), {}, (), (self._folder / "served").read_text())

    async def statistics(self, name: str) -> list[EngineStatistics]:
        return []

    async def share(self, number: str, datastore: bytes) -> None:
        self._datastores.append(number)

    async def forget(self, number: str) -> None:
        self._datastores.remove(number)

    async def carry_out(self, name: str, route: str, call: bytes, datastore: str | None) -> bytes:
        await self._wait_if_lost()
        if route == "lost":
            raise ray_client._Lost("a copy has ended")
        assert datastore is None or datastore in self._datastores
        return pickle.dumps((self._cluster, route, len(self._datastores)))


if __name__ == "__main__":
    client: Any = FolderClient
    ray_client._RayClient = client  # type: ignore[misc]
    ray_client.main()
