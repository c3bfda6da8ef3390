"""Where the seconds of a gesture go, over those of putting the same words in by hand.

The time over plain post-editing is the sum of four parts: the gesture itself (to ask, to decide about an offer, to take
it), reading what changed, mending right words that the answer spoilt, and, less than nothing, edits that it saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.effort import READ_S
from benchmarks.simulation.protocols import Segment, State, WayOfWorking, free_texts, post_editing

Outcome = Literal["pays", "wins too little", "wins nothing", "spoils", "costs nothing"]


@dataclass(frozen=True, slots=True)
class Act:
    """One gesture: seconds over post-editing by hand; `won_s` are seconds of edits that it saved, else 0."""

    gesture_s: float
    reading_s: float
    waiting_s: float
    spoilt_s: float
    won_s: float

    @property
    def seconds(self) -> float:
        return self.gesture_s + self.reading_s + self.waiting_s + self.spoilt_s - self.won_s

    @property
    def outcome(self) -> Outcome:
        if self.spoilt_s > 0:
            return "spoils"
        if self.won_s > 0:
            return "pays" if self.seconds < 0 else "wins too little"
        return "wins nothing" if self.seconds > 0 else "costs nothing"


def acts_of(way: WayOfWorking, segment: Segment, engine: Engine) -> list[Act] | None:
    """The acts of a naive person in one segment; None for a way whose gestures give no words."""
    found = []
    before = State(free_texts(segment, engine)[0])
    for state in way.states(segment, engine, False):
        if state.by_hand is None:
            return None
        spent = state.effort.seconds - before.effort.seconds
        reading = READ_S * (state.effort.words_read - before.effort.words_read)
        waiting = state.effort.waiting_s - before.effort.waiting_s
        left, left_by_hand, left_before = (
            post_editing(text, segment.goal).seconds for text in (state.text, state.by_hand, before.text)
        )
        gesture = spent - reading - waiting - (left_before - left_by_hand)
        found.append(
            Act(round(gesture, 6), reading, waiting, max(0.0, left - left_by_hand), max(0.0, left_by_hand - left))
        )
        before = state
    return found


def breakdown(acts: Sequence[Act], plain_s: float) -> dict[str, Any]:
    """The parts over the seconds of plain post-editing, and for each outcome the number of acts and their seconds."""
    outcomes: dict[str, dict[str, float]] = {}
    for act in acts:
        one = outcomes.setdefault(act.outcome, {"number": 0, "seconds": 0.0})
        one["number"] += 1
        one["seconds"] += act.seconds
    return {
        **{
            part: round(sum(getattr(act, f"{part}_s") for act in acts) / plain_s, 4)
            for part in ("gesture", "reading", "waiting", "spoilt", "won")
        },
        "outcomes": {
            name: {"number": one["number"], "seconds": round(one["seconds"] / plain_s, 4)}
            for name, one in sorted(outcomes.items())
        },
    }
