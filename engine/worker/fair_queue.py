"""A queue in which owners take turns, so that an owner with many jobs does not delay the others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """One queue for each owner; `pop` takes from them in turn.

    >>> queue = FairQueue()
    >>> for owner, job in [("a", 1), ("a", 2), ("a", 3), ("b", 4)]:
    ...     queue.push(owner, job)
    >>> [queue.pop() for _ in range(4)]
    [1, 4, 2, 3]
    """

    def __init__(self) -> None:
        self._by_owner: dict[Hashable, deque[T]] = {}  # the next in turn comes first

    def __len__(self) -> int:
        return sum(map(len, self._by_owner.values()))

    def __iter__(self) -> Iterator[T]:
        return (job for jobs in self._by_owner.values() for job in jobs)

    def push(self, owner: Hashable, job: T) -> None:
        self._by_owner.setdefault(owner, deque()).append(job)

    def pop(self) -> T:
        """Removes and returns the oldest job of the owner whose turn it is."""
        owner = next(iter(self._by_owner))
        jobs = self._by_owner.pop(owner)
        job = jobs.popleft()
        if jobs:
            self._by_owner[owner] = jobs  # behind the others
        return job

    def take(self, should_take: Callable[[T], bool]) -> list[T]:
        """Removes and returns the matching jobs; the others keep their order."""
        taken = [job for job in self if should_take(job)]
        if taken:
            left = {owner: deque(job for job in jobs if not should_take(job)) for owner, jobs in self._by_owner.items()}
            self._by_owner = {owner: jobs for owner, jobs in left.items() if jobs}
        return taken
