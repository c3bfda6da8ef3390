"""How long a person worked, told by what they did: all of the time, and without pauses.

The clock is the events' `monotonic_ms`, which goes on from one event to the next within one run of the app only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.log.records import Event

# A longer pause between two acts of a person is no work.
IDLE_LIMIT_MS: Final = 60_000
_STARTS: Final = frozenset({"open", "resume"})
_LEAVES: Final = frozenset({"blur", "idle", "close"})
# What happens by itself does not show that anybody is there.
_BY_ITSELF: Final = frozenset(
    {
        "model",
        "decode_request",
        "decode_result",
        "prices",
        "pretranslate",
        "error",
        "term_shown",
        "term_used",
        "check_raised",
        "consent",
    }
)


@dataclass(slots=True)
class SegmentTime:
    """Time from a segment's focus until it is left; `net_ms` is that without pauses longer than the idle limit."""

    gross_ms: int = 0
    net_ms: int = 0


@dataclass(frozen=True, slots=True)
class WorkingTime:
    """`gross_ms`: in each run of the app, from the first act to the last. `net_ms` is the sum over the segments."""

    gross_ms: int
    net_ms: int
    segments: dict[int, SegmentTime]


def working_time(events: Iterable[Event], idle_limit_ms: int = IDLE_LIMIT_MS) -> WorkingTime:
    """The time in each segment and in all. A pause as long as the limit is still work, a longer one counts nothing."""
    segments: dict[int, SegmentTime] = {}
    current: SegmentTime | None = None
    gross_ms = before_ms = first_ms = 0
    for event in events:
        if event.type in _BY_ITSELF:
            continue
        if event.type in _STARTS:
            gross_ms += before_ms - first_ms
            first_ms, current = event.monotonic_ms, None
        # A pause is told once it has lasted: what was done until then counts, such as reading.
        at_ms = event.monotonic_ms - (event.payload.get("idle_ms", 0) if event.type == "idle" else 0)
        if current is not None:
            pause_ms = max(0, at_ms - before_ms)
            current.gross_ms += pause_ms
            current.net_ms += pause_ms if pause_ms <= idle_limit_ms else 0
        before_ms = max(before_ms, at_ms) if event.type == "idle" else at_ms
        if event.type in _LEAVES:
            current = None
        elif event.type == "focus" and event.segment is not None:
            current = segments.setdefault(event.segment, SegmentTime())
    gross_ms += before_ms - first_ms
    return WorkingTime(gross_ms, sum(segment.net_ms for segment in segments.values()), segments)
