"""Replicas under Ray Serve, which places, watches and replaces them, and sends calls to them.

Ray is optional (requirements-server.txt), and imported only where it is used, here and in `ray_client`. Calls are
pickled: everybody who can reach the cluster can run programs in it, so it belongs in a private network, with Ray's
token authentication on. `ray start` switches that on only where there is a token, so a cluster without it is refused.
"""

from __future__ import annotations

import hashlib
import pickle
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.any_engine import EngineFacts, EngineStatistics
from engine.errors import ModelError
from engine.importers import cache_folder, is_hub_id, model_folder, origin_of
from engine.remote.ray_client import connected

if TYPE_CHECKING:  # a model in the compiled core is decoded without PyTorch
    from engine.model.datastore import Datastore

# Calls in one replica at a time; more go to the next replica of the ring. The client limits those of documents.
_MAX_CALLS = 64
_CALLS_PER_REPLICA = 8.0  # under way on average, beyond which autoscaling adds a replica
_ROUTER = "ray.serve.experimental.consistent_hash_router.ConsistentHashRouter"


def serve_model(
    model: str | Path,
    *,
    replicas: int = 1,
    most_replicas: int | None = None,
    device: str = "cpu",
    threads: int = 1,
    gpus: float = 0.0,
    is_compiled: bool = True,
    address: str = "auto",
) -> str:
    """Serves a model in the Ray cluster at `address` ("auto": this machine's cluster); returns its name there.

    With `most_replicas` there are between `replicas` and that many, as the load needs. `gpus` is the share of a GPU
    that each takes. Without `is_compiled`, PyTorch decodes instead of the compiled core. A model that is served already
    is changed to these numbers. Waits until all replicas answer. Raises ModelError if there is no such model, if Ray is
    missing or not running, or if the replicas cannot start.
    """
    ray = connected(address)
    serve = import_module("ray.serve")
    identity, name = _identity(model), served_name(model)
    if not is_hub_id(identity):
        model_folder(identity)
    _check_room(ray.cluster_resources(), replicas, {"CPU": threads, "GPU": gpus})
    scaling: dict[str, Any] = {"num_replicas": replicas}
    if most_replicas is not None and most_replicas > replicas:
        limits = {"min_replicas": replicas, "max_replicas": most_replicas}
        scaling = {"autoscaling_config": {**limits, "target_ongoing_requests": _CALLS_PER_REPLICA}}
    deployment = serve.deployment(
        _ServedReplica,
        name="Replica",
        max_ongoing_requests=_MAX_CALLS,
        request_router_config=import_module("ray.serve.config").RequestRouterConfig(request_router_class=_ROUTER),
        ray_actor_options={"num_cpus": threads, "num_gpus": gpus},
        **scaling,
    )
    try:
        serve.start(proxy_location="Disabled")  # only the app calls the replicas, by handle
        serve.run(deployment.bind(identity, device, threads, is_compiled), name=name, route_prefix=None)
    except (RuntimeError, ray.exceptions.RayError) as error:
        raise ModelError(f"Ray could not serve {model}: {error}") from error
    return name


def served_name(model: str | Path) -> str:
    """The name of a model's application in Ray.

    >>> served_name("Helsinki-NLP/opus-mt-en-de")
    'pinpoint-opus-mt-en-de-090c20af'
    """
    identity = _identity(model)
    plain = re.sub(r"[^A-Za-z0-9]+", "-", Path(identity).name).strip("-")
    return f"pinpoint-{plain}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}"


def _identity(model: str | Path) -> str:
    """An identifier by which all machines load a model: the name of an installed one, else its folder or hub id."""
    path = Path(model)
    if not path.exists() and len(path.parts) == 1 and (cache_folder() / path).exists():
        path = cache_folder() / path
    if not path.exists():
        return path.as_posix()
    path = path.resolve()
    is_installed = path.parent == cache_folder().resolve()
    return (is_installed and origin_of(path)) or str(path)


def _check_room(resources: Mapping[str, float], replicas: int, needs: Mapping[str, float]) -> None:
    """Raises ModelError if the cluster is too small, where Ray would wait for more machines without a word."""
    for resource, need in needs.items():
        there = resources.get(resource, 0.0)
        if replicas * need > there:
            raise ModelError(
                f"{replicas} copies need {replicas * need:g} {resource}s, and the cluster has {there:g}: start fewer, "
                "or let more machines join it"
            )


class _ServedReplica:
    """A `Replica` as Ray makes it: from the folder or hub id of a model."""

    def __init__(self, model: str, device: str, threads: int, is_compiled: bool = True) -> None:
        from engine.remote.replica import Replica
        from engine.translator import Translator

        self._replica = Replica(Translator.load(model, device, "auto", is_compiled=is_compiled, num_threads=threads))

    async def carry_out(self, call: bytes, datastore: tuple[str, Any] | None) -> bytes:
        """The answer to a pickled call, pickled; a datastore is a number and a reference to the object store."""
        shared = None if datastore is None else _StoredDatastore(*datastore)
        return pickle.dumps(await self._replica.carry_out(pickle.loads(call), shared))

    async def facts(self) -> EngineFacts:
        return self._replica.facts()

    async def statistics(self) -> EngineStatistics:
        return self._replica.statistics()

    def check_health(self) -> None:
        self._replica.check_health()


@dataclass(frozen=True, slots=True)
class _StoredDatastore:
    """A pickled datastore in the object store of Ray."""

    number: str
    reference: Any

    async def fetch(self) -> Datastore:
        found: Datastore = pickle.loads(await self.reference)
        return found
