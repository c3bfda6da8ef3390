"""The earlier states of a segment, computed from its events, for undo after a reload of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any, Final

from app.access.actor import Actor
from app.log.changes import TEXT_EVENTS, text_after
from app.log.records import Event, EventType
from app.segments.state import Json, SegmentState
from engine import Avoid

MAX_STATES: Final = 100
_STEPS: Final = frozenset({"undo", "redo"})
_CONSTRAINT_EVENTS: Final[frozenset[EventType]] = frozenset(
    {"pin", "unpin", "avoid", "unavoid", "beginning", "locked", "follow"}
)
_DIVISIONS: Final[frozenset[EventType]] = frozenset({"split", "merge"})
# The events of a segment that `earlier_states` needs, with the divisions of any segment.
STATE_EVENTS: Final[frozenset[str]] = frozenset({*TEXT_EVENTS, *_CONSTRAINT_EVENTS, *_DIVISIONS, "reopen"})


@dataclass(frozen=True, slots=True)
class EarlierState:
    """The person's text of a segment, None for the proposal, and its constraints except switched-off terms."""

    text: str | None
    is_confirmed: bool = False
    pins: tuple[str, ...] = ()
    bans: tuple[Avoid, ...] = ()
    beginning: str = ""
    locked: tuple[str, ...] = ()
    previous: str = ""

    def view(self, now: SegmentState) -> Json:
        """The state as JSON, with the terms that are switched off now."""
        bans = [asdict(ban) for ban in self.bans]
        lists = {"pins": list(self.pins), "locked": list(self.locked), "terms_off": sorted(now.terms_off), "bans": bans}
        return {**asdict(self), **lists}


def earlier_states(
    actor: Actor, segment: SegmentState, given: str | None, events: Iterable[Event]
) -> list[EarlierState]:
    """The states to which undo returns, oldest first: those before each change that was not undone.

    Changes before a split or merge of the segment, or before the newest change by another person, are not undone.
    The list is empty if the events do not lead to the present state.

    Args:
        segment: the present state
        given: its translation in the document file
        events: of `STATE_EVENTS`, in order
    """
    groups = _commands(segment.index, events)
    divided = max((n for n, group in enumerate(groups) if group[0].type in _DIVISIONS), default=-1)
    if divided >= 0:
        parts = groups[divided][0].payload["parts"]
        given = next(part["target"] for part in parts if part["segment"] == segment.index)
        groups = groups[divided + 1 :]
    state = EarlierState(given, False, *_first_constraints(segment, groups))
    past: list[EarlierState] = []
    try:
        for group in groups:
            before, origin = state, ""
            for event in group:
                payload = event.payload
                state = _after(state, event.type, payload)
                origin = event.type if event.type in _STEPS else payload.get("origin", "")
            if group[-1].payload.get("person", "") != actor.name:
                past = []
            elif origin == "undo":
                found = next((n for n in range(len(past) - 1, -1, -1) if _is_same(past[n], state)), None)
                past = past if found is None else past[:found]
            elif not _is_same(before, state):
                past.append(before)
    except ValueError:  # a log that was damaged, or of an earlier version
        return []
    now = EarlierState(
        segment.target, False, segment.pins, segment.bans, segment.beginning, segment.locked, segment.previous
    )
    return past[-MAX_STATES:] if _is_same(state, now) else []


def _commands(index: int, events: Iterable[Event]) -> list[list[Event]]:
    """The events of a segment, those of one command together."""
    own = [
        event
        for event in events
        if (event.segment == index and event.type in STATE_EVENTS - _DIVISIONS)
        or (event.type in _DIVISIONS and any(part["segment"] == index for part in event.payload["parts"]))
    ]
    return [list(group) for _, group in groupby(own, lambda event: (event.segment, event.segment_version))]


def _first_constraints(
    segment: SegmentState, groups: Sequence[Sequence[Event]]
) -> tuple[tuple[str, ...], tuple[Avoid, ...]]:
    """The pins and bans before these events, found backwards from those of the segment."""
    pins, bans = list(segment.pins), list(segment.bans)
    for event in (event for group in reversed(groups) for event in reversed(group)):
        if event.type == "pin" and event.payload["text"] in pins:
            pins.remove(event.payload["text"])
        elif event.type == "unpin":
            pins.append(event.payload["text"])
        elif event.type in ("avoid", "unavoid"):
            ban = Avoid(event.payload["text"], event.payload["case"])
            if event.type == "unavoid":
                bans.append(ban)
            elif ban in bans:
                bans.remove(ban)
    return tuple(pins), tuple(bans)


def _after(state: EarlierState, event_type: EventType, payload: dict[str, Any]) -> EarlierState:
    """The state after one event. Raises ValueError if the event does not fit it."""
    if event_type in _CONSTRAINT_EVENTS:
        return _constrained(state, event_type, payload)
    if event_type == "reopen":
        return replace(state, is_confirmed=False)
    is_confirmed = event_type == "confirm" or payload.get("state") == "confirmed"
    return replace(state, text=text_after(state.text, event_type, payload), is_confirmed=is_confirmed)


def _constrained(state: EarlierState, event_type: EventType, payload: dict[str, Any]) -> EarlierState:
    if event_type == "locked":
        return replace(state, locked=tuple(payload["texts"]))
    text: str = payload["text"]
    if event_type == "beginning":
        return replace(state, beginning=text)
    if event_type == "follow":
        return replace(state, previous=text)
    if event_type == "pin":
        return replace(state, pins=(*state.pins, text))
    if event_type == "unpin":
        pins = list(state.pins)
        pins.remove(text)  # raises ValueError
        return replace(state, pins=tuple(pins))
    ban = Avoid(text, payload["case"])
    others = tuple(other for other in state.bans if other != ban)
    return replace(state, bans=(*others, ban) if event_type == "avoid" else others)


def _is_same(one: EarlierState, other: EarlierState) -> bool:
    """True if both have the same text and the same constraints, in any order."""
    return _comparable(one) == _comparable(other)


def _comparable(state: EarlierState) -> tuple[object, ...]:
    bans = sorted((ban.text, ban.case) for ban in state.bans)
    return state.text, sorted(state.pins), bans, state.beginning, state.locked, state.previous
