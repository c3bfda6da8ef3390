"""A simulation of people who share copies of a model, step by step, with measured costs.

A copy works as `engine.worker` does: up to 16 requests share a step, the steps of the oldest question alternate with
them, and documents are translated in the pauses.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from benchmarks.capacity.costs import Costs
from benchmarks.capacity.habits import LIMIT_MS, TIMED, Ask, Habits, Kind, Pause, documents, person
from engine.worker.worker import BATCH_SIZE

WARM_UP_S = 60.0  # whose answers do not count


@dataclass(slots=True)
class Outcome:
    """Answers by kind, in milliseconds, and the share of the time in which the copies worked."""

    times_ms: dict[Kind, list[float]] = field(default_factory=dict)
    load: float = 0.0

    def quantile(self, share: float) -> float:
        """Of the requests with a limit; 0 if there are none."""
        ordered = sorted(ms for kind in TIMED for ms in self.times_ms.get(kind, ()))
        return ordered[int(share * (len(ordered) - 1))] if ordered else 0.0

    def add(self, kind: Kind, ms: float) -> None:
        self.times_ms.setdefault(kind, []).append(ms)


@dataclass(slots=True, eq=False)
class Task:
    """A request under way; `asked_at` is in milliseconds of the simulated time."""

    ask: Ask
    owner: int
    asked_at: float
    steps_left: int = 0
    ms_per_step: float = 0.0  # of a question


class Copy(Protocol):
    """One copy of the model, whose steps are carried out when the simulation asks for them."""

    is_stepping: bool  # the simulation's

    @property
    def has_work(self) -> bool:
        """True if there is something to do."""

    def take(self, ask: Ask, owner: int, now: float) -> None:
        """Queues a request. A pin ends the person's questions, and a price the price before it."""

    def step(self) -> tuple[float, list[Task]]:
        """One step: its milliseconds, and what has ended with it."""


class _Copy:
    """A copy whose steps only cost time, with what it works on and what waits."""

    def __init__(self, costs: Costs, chance: random.Random) -> None:
        self._costs, self._chance = costs, chance
        self._begin_ms = {kind: costs.begin_ms(kind) for kind in costs.samples}
        self._running: list[Task] = []
        self._documents: list[Task] = []
        self._questions: list[Task] = []
        self._waiting: deque[Task] = deque()
        self._waiting_documents: deque[Task] = deque()
        self.is_stepping = False

    @property
    def has_work(self) -> bool:
        return bool(self._running or self._documents or self._questions or self._waiting or self._waiting_documents)

    def take(self, ask: Ask, owner: int, now: float) -> None:
        """As `Copy.take`."""
        cost = self._chance.choice(self._costs.samples[ask.kind])
        task = Task(ask, owner, now, cost.num_steps, cost.ms / max(1, cost.num_steps))
        if ask.kind in ("translation", "pin", "price"):
            for tasks in (self._questions, self._waiting):
                for old in [old for old in tasks if old.owner == owner and old.ask.kind in ("price", "alternatives")]:
                    if ask.kind != "price" or old.ask.kind == "price":
                        tasks.remove(old)
        (self._waiting_documents if ask.kind == "document" else self._waiting).append(task)

    def step(self) -> tuple[float, list[Task]]:
        """As `Copy.step`."""
        ms = 0.0
        while self._waiting and len(self._running) + len(self._questions) < BATCH_SIZE:
            ms += self._begin(self._waiting.popleft())
        if not self._running and not self._questions:
            while self._waiting_documents and len(self._documents) < BATCH_SIZE:
                ms += self._begin(self._waiting_documents.popleft())
            return ms + self._costs.step(len(self._documents)), _advanced(self._documents)
        if self._running:
            ms += self._costs.step(len(self._running))
        ended = _advanced(self._running)
        if self._questions:
            ms += self._questions[0].ms_per_step
            first = self._questions[:1]
            ended += _advanced(first)
            self._questions[:1] = first
        return ms, ended

    def _begin(self, task: Task) -> float:
        if task.ask.kind in ("price", "alternatives"):
            self._questions.append(task)
            return 0.0  # its steps have all of its cost
        (self._documents if task.ask.kind == "document" else self._running).append(task)
        return self._begin_ms[task.ask.kind]


def _advanced(tasks: list[Task]) -> list[Task]:
    """Takes the tasks one step further; removes and returns those that ended."""
    for task in tasks:
        task.steps_left -= 1
    ended = [task for task in tasks if task.steps_left <= 0]
    tasks[:] = [task for task in tasks if task.steps_left > 0]
    return ended


def simulate(costs: Costs, habits: Habits, num_people: int, num_copies: int, seconds: float, seed: int = 1) -> Outcome:
    """So many people for so long, at copies whose steps cost what was measured."""
    chance = random.Random(seed)
    return work([_Copy(costs, chance) for _ in range(num_copies)], habits, num_people, seconds, chance, seed)


def work(
    copies: Sequence[Copy],
    habits: Habits,
    num_people: int,
    seconds: float,
    chance: random.Random,
    seed: int = 1,
    warm_up_s: float = WARM_UP_S,
) -> Outcome:
    """So many people for so long; a segment's requests go to one copy, chosen by chance."""
    num_copies, begin = len(copies), 1000 * warm_up_s
    scripts: list[Iterator[Pause | Ask]] = [person(habits, random.Random(seed + 1 + n)) for n in range(num_people)]
    scripts.append(documents(habits, num_people, chance))
    order = itertools.count()
    events: list[tuple[float, int, int, int]] = [(0.0, next(order), owner, -1) for owner in range(len(scripts))]
    ending: dict[int, list[Task]] = {}
    outcome, busy_ms, end = Outcome(), 0.0, begin + 1000 * seconds

    def act(owner: int, now: float) -> None:
        for item in scripts[owner]:
            if isinstance(item, Pause):
                heapq.heappush(events, (now + 1000 * item.seconds, next(order), owner, -1))
                return
            place = item.segment % num_copies
            copies[place].take(item, owner, now)
            if not copies[place].is_stepping:
                copies[place].is_stepping = True
                heapq.heappush(events, (now, next(order), -1, place))
            if item.is_awaited:
                return

    while events[0][0] < end:
        now, _, owner, place = heapq.heappop(events)
        if owner >= 0:
            act(owner, now)
            continue
        for task in ending.pop(place, ()):
            if task.asked_at >= begin:
                outcome.add(task.ask.kind, now - task.asked_at)
            if task.ask.is_awaited:
                act(task.owner, now)
        copy = copies[place]
        copy.is_stepping = copy.has_work
        if copy.is_stepping:
            ms, ending[place] = copy.step()
            busy_ms += ms if now >= begin else 0.0
            heapq.heappush(events, (now + ms, next(order), -1, place))
    outcome.load = busy_ms / (1000 * seconds * num_copies)
    return outcome


def most_people(costs: Costs, habits: Habits, num_copies: int, seconds: float) -> int:
    """The most people for whom 95 of 100 translations take less than the limit; 0 if it fails for one."""

    def is_served(num_people: int) -> bool:
        return simulate(costs, habits, num_people, num_copies, seconds).quantile(0.95) < LIMIT_MS

    served, refused = 0, num_copies
    while is_served(refused):
        served, refused = refused, 2 * refused
    while refused - served > max(1, served // 30):
        middle = (served + refused) // 2
        served, refused = (middle, refused) if is_served(middle) else (served, middle)
    return served
