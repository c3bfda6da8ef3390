"""Working time computed from the events of a session: gross, and net without long pauses.

Uses `monotonic_ms` of the events, which is comparable only within one run of the app.
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

# A longer pause between two actions of the user is not working time.
IDLE_LIMIT_MS: Final = 60_000
# A speed from less time says nothing: a segment that only had to be confirmed would give 60,000 words per hour.
_LEAST_MS_FOR_SPEED: Final = 60_000
_STARTS: Final = frozenset({"open", "resume"})
_LEAVES: Final = frozenset({"blur", "idle", "close"})
# Events that do not show that the user is present.
BY_ITSELF: Final = frozenset(
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
    """Time from entering a segment until leaving it; `net_ms` excludes pauses longer than the idle limit."""

    gross_ms: int = 0
    net_ms: int = 0


@dataclass(frozen=True, slots=True)
class WorkingTime:
    """`gross_ms`: in each run of the app, from the first action to the last. `net_ms`: the sum over the segments."""

    gross_ms: int
    net_ms: int
    segments: dict[int, SegmentTime]


class WorkingClock:
    """Computes the working time in each segment and in total, event by event.

    A pause up to the limit counts in full, a longer one not at all.
    """

    def __init__(self, idle_limit_ms: int = IDLE_LIMIT_MS) -> None:
        self.idle_limit_ms = idle_limit_ms
        self.segments: dict[int, SegmentTime] = {}
        self.net_ms = 0
        self._gross_ms = self._first_ms = self._before_ms = 0
        self._current: SegmentTime | None = None

    @property
    def gross_ms(self) -> int:
        """The sum over the runs of the app, each from the first action to the last."""
        return self._gross_ms + self._before_ms - self._first_ms

    def add(self, event: Event) -> None:
        """Counts the next event of the session."""
        if event.type in BY_ITSELF:
            return
        if event.type == "insert" and is_filled_in(event.type, event.payload):  # parsing a payload takes time
            return
        if event.type in _STARTS:
            self._gross_ms = self.gross_ms
            self._first_ms, self._current = event.monotonic_ms, None
        # "idle" is logged at the end of a pause; the time before the pause counts, for example reading.
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
    """The working time of these events; see `WorkingClock`."""
    clock = WorkingClock(idle_limit_ms)
    for event in events:
        clock.add(event)
    return WorkingTime(clock.gross_ms, clock.net_ms, clock.segments)


def words_per_hour(num_words: int, net_ms: int) -> float | None:
    """Words of confirmed segments per hour of net time in them; None if that is less than a minute."""
    return 3_600_000 * num_words / net_ms if net_ms >= _LEAST_MS_FOR_SPEED else None


class SessionClock:
    """The working time of a running session. Reads the log once, then only new events."""

    def __init__(self, store: LogStore, session_id: int) -> None:
        self._store = store
        self._session_id = session_id
        self._clock = WorkingClock()
        self._num_read = 0
        self._confirmed_ms = 0

    def view(self, segments: Sequence[SegmentState], num_words_confirmed: int) -> Json:
        """Net time and `words_per_hour` of confirmed segments for the page, ready for JSON."""
        before = self._num_read
        with contextlib.suppress(LogError):  # failed writes already report this to the page
            for event in self._store.events(self._session_id, after=self._num_read):
                self._clock.add(event)
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
    return bool(segment.source) and segment.state == "confirmed" and not segment.lock
