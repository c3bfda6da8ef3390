"""The speed of pre-translation in words per second, over the last half minute."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 30.0
MIN_SECONDS = 2.0  # over less, the rate is mostly chance


class Pace:
    """Words per second; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """Starts measuring, or starts again after a break."""
        self._begun = self._clock()
        self._done: deque[tuple[float, int]] = deque()

    def add(self, num_words: int) -> None:
        """Adds words that have just been translated."""
        self._done.append((self._clock(), num_words))

    def words_per_second(self) -> float | None:
        """The rate over the last WINDOW_SECONDS, or since the start; None while it is not known."""
        now = self._clock()
        while self._done and self._done[0][0] < now - WINDOW_SECONDS:
            self._done.popleft()
        seconds = min(now - self._begun, WINDOW_SECONDS)
        num_words = sum(words for _, words in self._done)
        return num_words / seconds if seconds >= MIN_SECONDS and num_words else None
