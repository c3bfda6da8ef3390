"""How fast a long piece of work goes: words per second over what was done last."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 30.0
MIN_SECONDS = 2.0  # a rate over less than that says more about chance than about the work


class Pace:
    """Words per second; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """The work begins, or goes on after a break: what was before says nothing of what comes."""
        self._begun = self._clock()
        self._done: deque[tuple[float, int]] = deque()

    def add(self, num_words: int) -> None:
        """So many words have just been done."""
        self._done.append((self._clock(), num_words))

    def words_per_second(self) -> float | None:
        """Over the last WINDOW_SECONDS, or since the work began; None while that cannot be told."""
        now = self._clock()
        while self._done and self._done[0][0] < now - WINDOW_SECONDS:
            self._done.popleft()
        seconds = min(now - self._begun, WINDOW_SECONDS)
        num_words = sum(words for _, words in self._done)
        return num_words / seconds if seconds >= MIN_SECONDS and num_words else None
