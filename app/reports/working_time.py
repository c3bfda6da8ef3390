"""How long a person worked, told by what they did: all of the time, and without pauses.

The clock is the events' `monotonic_ms`, which goes on from one event to the next within one run of the app only.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from app.errors import LogError
from app.log.changes import is_filled_in
from app.log.records import Event
from app.log.store import LogStore
from app.segments.state import Json, SegmentState

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


class WorkingClock:
    """The time in each segment and in all, event by event.

    A pause as long as the limit is still work, a longer one counts nothing.
    """

    def __init__(self, idle_limit_ms: int = IDLE_LIMIT_MS) -> None:
        self.idle_limit_ms = idle_limit_ms
        self.segments: dict[int, SegmentTime] = {}
        self.net_ms = 0
        self._gross_ms = self._first_ms = self._before_ms = 0
        self._current: SegmentTime | None = None

    @property
    def gross_ms(self) -> int:
        """In each run of the app, from the first act to the last."""
        return self._gross_ms + self._before_ms - self._first_ms

    def take(self, event: Event) -> None:
        """The session's next event."""
        if event.type in _BY_ITSELF or is_filled_in(event.type, event.payload):
            return
        if event.type in _STARTS:
            self._gross_ms = self.gross_ms
            self._first_ms, self._current = event.monotonic_ms, None
        # A pause is told once it has lasted: what was done until then counts, such as reading.
        at_ms = event.monotonic_ms - (event.payload.get("idle_ms", 0) if event.type == "idle" else 0)
        if self._current is not None:
            pause_ms = max(0, at_ms - self._before_ms)
            self._current.gross_ms += pause_ms
            if pause_ms <= self.idle_limit_ms:
                self._current.net_ms += pause_ms
                self.net_ms += pause_ms
        self._before_ms = max(self._before_ms, at_ms) if event.type == "idle" else at_ms
        if event.type in _LEAVES:
            self._current = None
        elif event.type == "focus" and event.segment is not None:
            self._current = self.segments.setdefault(event.segment, SegmentTime())


def working_time(events: Iterable[Event], idle_limit_ms: int = IDLE_LIMIT_MS) -> WorkingTime:
    """The time after these events, see `WorkingClock`."""
    clock = WorkingClock(idle_limit_ms)
    for event in events:
        clock.take(event)
    return WorkingTime(clock.gross_ms, clock.net_ms, clock.segments)


def words_per_hour(num_words: int, net_ms: int) -> float | None:
    """Words of confirmed segments over the net time in them; None without any time."""
    return 3_600_000 * num_words / net_ms if net_ms else None


class SessionClock:
    """One session's. The log is read once from its beginning, and after that only what is new in it."""

    def __init__(self, store: LogStore, session_id: int) -> None:
        self._store = store
        self._session_id = session_id
        self._clock = WorkingClock()
        self._num_read = 0
        self._confirmed_ms = 0

    def view(self, segments: Sequence[SegmentState], num_words_confirmed: int) -> Json:
        """What the page shows, ready for JSON; the speed is that over the confirmed segments, None without time."""
        before = self._num_read
        with contextlib.suppress(LogError):  # the page hears of that from what could not be written
            for event in self._store.events(self._session_id, after=self._num_read):
                self._clock.take(event)
                self._num_read = event.seq
        if self._num_read > before:
            opened = self._clock.segments.items()
            self._confirmed_ms = sum(time.net_ms for index, time in opened if _counts(segments[index]))
        return {
            "net_ms": self._clock.net_ms,
            "per_hour": words_per_hour(num_words_confirmed, self._confirmed_ms),
            "idle_limit_ms": self._clock.idle_limit_ms,
        }


def _counts(segment: SegmentState) -> bool:
    return bool(segment.source) and segment.state == "confirmed"
