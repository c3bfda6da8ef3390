"""The segment in which each person works, for other people who have the document open."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from app.access.actor import Actor
from app.segments.state import Json
from app.workspace.core import WorkspaceCore

AWAY_SECONDS: Final = 50.0  # without a request for news, which an open page sends every 20


@dataclass(slots=True)
class _Place:
    """The segment that a person opened last; `is_here` while they look at it."""

    segment: int
    is_here: bool
    heard: float  # on the monotonic clock


class Presence:
    """The place of each person, by name; the owner's name is "". Thread-safe."""

    def __init__(self, core: WorkspaceCore) -> None:
        self._core = core
        self._places: dict[str, _Place] = {}

    def enter(self, actor: Actor, segment: int) -> None:
        """The person of the request has opened a segment."""
        with self._core.lock:
            self._places[actor.name] = _Place(segment, True, time.monotonic())
            self._show(actor)

    def leave(self, actor: Actor, segment: int | None = None) -> None:
        """The person looks elsewhere than at this segment; None: than at the document."""
        with self._core.lock:
            place = self._places.get(actor.name)
            if place is not None and segment in (None, place.segment):
                place.is_here = False
                self._show(actor)

    def hear(self, actor: Actor) -> None:
        """The person's page has asked for news."""
        with self._core.lock:
            if (place := self._places.get(actor.name)) is not None:
                place.heard = time.monotonic()

    def last_segment(self, actor: Actor) -> int | None:
        """The segment that the actor opened last, if any."""
        place = self._places.get(actor.name)
        return None if place is None else place.segment

    def others(self, actor: Actor) -> list[Json]:
        """The other people who are here, by name, each with their segment."""
        since = time.monotonic() - AWAY_SECONDS
        with self._core.lock:
            return [
                {"name": name, "segment": place.segment}
                for name, place in sorted(self._places.items())
                if place.is_here and place.heard >= since and name != actor.name
            ]

    def _show(self, actor: Actor) -> None:
        if self.others(actor):  # otherwise, no page shows it
            self._core.touch()
