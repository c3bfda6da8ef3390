"""Values that people keep in the memory of the server for a while, so that nobody fills it or drops those of others."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class PeopleStore(Generic[T]):
    """Keeps a few values of each person; of too many, the one that the person used least recently is dropped.

    If the values of all people are too large together, whoever has most of them loses one. Thread-safe.
    """

    def __init__(self, max_each: int, max_size: int) -> None:
        """At most `max_each` values of a person, and at most `max_size` as the sum of the sizes of all values."""
        self._max_each = max_each
        self._max_size = max_size
        # By person and key: the value, its size, and when it was used last. The least recently used one comes first.
        self._values: OrderedDict[tuple[str, Hashable], tuple[T, int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, person: str, key: Hashable, value: T, size: int) -> None:
        """Keeps a value."""
        with self._lock:
            self._values.pop((person, key), None)
            self._values[person, key] = value, size, time.monotonic()
            num_own = sum(owner == person for owner, _ in self._values)
            if num_own > self._max_each:
                self._drop_first_of(person)
            while len(self._values) > 1:
                sizes: Counter[str] = Counter()
                for (owner, _), (_, own_size, _) in self._values.items():
                    sizes[owner] += own_size
                if sizes.total() <= self._max_size:
                    break
                self._drop_first_of(max(sizes, key=lambda owner: sizes[owner]))

    def get(self, person: str, key: Hashable) -> T | None:
        """A value of this person, which counts as used now; None if it was dropped."""
        with self._lock:
            if (found := self._values.pop((person, key), None)) is None:
                return None
            self._values[person, key] = found[0], found[1], time.monotonic()
            return found[0]

    def remove(self, person: str, key: Hashable) -> None:
        """Drops a value, if it is still there."""
        with self._lock:
            self._values.pop((person, key), None)

    def remove_idle(self, seconds: float) -> None:
        """Drops the values that were not used for so long."""
        with self._lock:
            due = time.monotonic() - seconds
            for place in [place for place, (_, _, used_at) in self._values.items() if used_at <= due]:
                del self._values[place]

    def _drop_first_of(self, person: str) -> None:
        del self._values[next(place for place in self._values if place[0] == person)]
