"""How many processor threads to compute with, on a machine shared with other work.

Threads that compute together wait for the slowest. Where another program takes half a core, two threads can be slower
than one, and that changes from minute to minute; so the speed of each choice is measured all along.
"""

from __future__ import annotations

from collections.abc import Sequence

EXPLORE_EVERY = 8
MEMORY = 0.7


class ThreadChooser:
    """Chooses among thread counts the one that was fastest of late, trying the others now and then."""

    def __init__(self, choices: Sequence[int]) -> None:
        assert choices, "there must be something to choose from"
        self._choices = tuple(choices)
        self._speeds: dict[int, float] = {}
        self._num_asked = 0

    def choose(self) -> int:
        """The number of threads for the next piece of work."""
        self._num_asked += 1
        for choice in self._choices:
            if choice not in self._speeds:
                return choice
        fastest = max(self._choices, key=lambda choice: self._speeds[choice])
        others = [choice for choice in self._choices if choice != fastest]
        if others and self._num_asked % EXPLORE_EVERY == 0:
            return others[self._num_asked // EXPLORE_EVERY % len(others)]
        return fastest

    def record(self, choice: int, speed: float) -> None:
        """Remember how fast (in pieces a second, say) the work went with so many threads."""
        before = self._speeds.get(choice, speed)
        self._speeds[choice] = MEMORY * before + (1 - MEMORY) * speed
