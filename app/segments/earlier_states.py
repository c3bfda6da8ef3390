"""The earlier states of a segment, computed from its events, for undo after a reload of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from app.access.actor import Actor
from app.log.changes import TEXT_EVENTS, text_after
from app.log.records import Event, EventType
from app.segments.segment_constraints import CONSTRAINT_EVENTS, NO_CONSTRAINTS, Constraints
from app.segments.state import Json, SegmentState

MAX_STATES: Final = 100
_STEPS: Final = frozenset({"undo", "redo"})
_DIVISIONS: Final[frozenset[EventType]] = frozenset({"split", "merge"})
# The events of a segment that `earlier_states` needs, with the divisions of any segment.
STATE_EVENTS: Final[frozenset[str]] = frozenset({*TEXT_EVENTS, *CONSTRAINT_EVENTS, *_DIVISIONS, "reopen"})


@dataclass(frozen=True, slots=True)
class EarlierState:
    """The person's text of a segment, None for the proposal, and its constraints without switched-off terms."""

    text: str | None
    is_confirmed: bool = False
    constraints: Constraints = NO_CONSTRAINTS

    def view(self, now: SegmentState) -> Json:
        """The state as JSON, with the terms that are switched off now."""
        constraints = replace(self.constraints, terms_off=now.constraints.terms_off)
        return {"text": self.text, "is_confirmed": self.is_confirmed, "constraints": constraints.to_json()}


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
    state = EarlierState(given, False, _first_constraints(segment, groups))
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
    now = EarlierState(segment.target, False, replace(segment.constraints, terms_off=frozenset()))
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


def _first_constraints(segment: SegmentState, groups: Sequence[Sequence[Event]]) -> Constraints:
    """The pins and bans before these events, found backwards from those of the segment."""
    now = segment.constraints
    found = Constraints(now.pins, bans=now.bans, pin_sources=now.pin_sources)
    for event in (event for group in reversed(groups) for event in reversed(group)):
        if event.type in CONSTRAINT_EVENTS:
            found = found.before_event(event.type, event.payload)
    return found


def _after(state: EarlierState, event_type: EventType, payload: dict[str, Any]) -> EarlierState:
    """The state after one event. Raises ValueError if the event does not fit it."""
    if event_type in CONSTRAINT_EVENTS:
        return replace(state, constraints=state.constraints.after_event(event_type, payload))
    if event_type == "reopen":
        return replace(state, is_confirmed=False)
    is_confirmed = event_type == "confirm" or payload.get("state") == "confirmed"
    return replace(state, text=text_after(state.text, event_type, payload), is_confirmed=is_confirmed)


def _is_same(one: EarlierState, other: EarlierState) -> bool:
    """True if both have the same text and the same constraints, in any order."""
    return one.text == other.text and one.constraints.has_same_parts(other.constraints)
