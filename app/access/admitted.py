"""The actor of a web request, from the door that admits it to the route that answers it and to the server's log."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, Final

from app.access.actor import Actor, check_actor

_KEY: Final = "pinpoint.actor"  # of an ASGI scope


def admit(scope: MutableMapping[str, Any], actor: Actor) -> None:
    """Notes who sent this request."""
    check_actor(actor)
    scope[_KEY] = actor


def known_actor(scope: Mapping[str, Any]) -> Actor | None:
    """Who sent this request; None if no door has admitted it, as for a wrong key or an address that is public."""
    return scope.get(_KEY)


def actor_of(scope: Mapping[str, Any]) -> Actor:
    """Who sent this request. Raises TypeError if no door has admitted it."""
    actor = known_actor(scope)
    check_actor(actor)
    assert actor is not None
    return actor
