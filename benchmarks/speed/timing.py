"""Times calls in turn, so that other load affects all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of one call by the clock, and of processor time over all its threads; of each run."""

    wall_ms: tuple[float, ...]
    cpu_ms: tuple[float, ...]

    @property
    def best_ms(self) -> float:
        return min(self.wall_ms)

    @property
    def median_ms(self) -> float:
        return statistics.median(self.wall_ms)

    @property
    def best_cpu_ms(self) -> float:
        return min(self.cpu_ms)


def interleave(
    calls: Mapping[str, Callable[[], object]],
    rounds: int,
    before: Mapping[str, Callable[[], object]] | None = None,
) -> dict[str, Times]:
    """Times of each call, one after the other, `rounds` times over, after one round that does not count.

    `before` has what is done before a call of that name, in time that does not count.
    """
    wall: dict[str, list[float]] = {name: [] for name in calls}
    cpu: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            if before and name in before:
                before[name]()
            started, started_cpu = time.perf_counter(), time.process_time()
            call()
            if number:
                wall[name].append((time.perf_counter() - started) * 1000)
                cpu[name].append((time.process_time() - started_cpu) * 1000)
    return {name: Times(tuple(wall[name]), tuple(cpu[name])) for name in calls}
