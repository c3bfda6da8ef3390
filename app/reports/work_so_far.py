"""How long and how fast a person has worked in a session so far: the report's figures, kept up to date as they work."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from app.errors import LogError
from app.log.store import LogStore
from app.reports.working_time import WorkingClock, words_per_hour
from app.segments.state import Json, SegmentState


class WorkSoFar:
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
