"""Simulated people at real workers, and what a command costs the app's process.

There are two ways. In processor time, a worker's steps are carried out one after the other and the clock is what they
took: the result does not depend on what else the machine does, and many copies can be tried on one core. In real time,
people are threads, which needs a quiet machine.
"""

from __future__ import annotations

import multiprocessing
import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import torch

from benchmarks.capacity.costs import Segment, segments_of
from benchmarks.capacity.habits import Ask, Habits, Pause, documents, person
from benchmarks.capacity.simulated import Outcome, Task, work
from engine import Translator, Worker
from engine.translation import Translation
from tests.e2e.conftest import App
from tests.hard.page_client import PageClient

WARM_UP_S = 5.0
STEPPED_WARM_UP_S = 20.0


class _SteppedWorker(Worker):
    """A worker in the thread of its caller."""

    def _new_thread(self) -> threading.Thread:
        return threading.Thread(target=lambda: None)

    def _is_current(self) -> bool:
        return True

    @property
    def has_work(self) -> bool:
        return bool(self._running or any(map(len, self._waiting.values())))

    def step(self) -> None:
        """Does what the worker's thread does in one turn; there must be work."""
        self._wait_for_work()
        self._step()


class RealCopy:
    """A copy of the simulation that translates; a step takes the processor time that it needs."""

    def __init__(self, translator: Translator, segments: Sequence[Segment]) -> None:
        self._worker = _SteppedWorker(translator, deadline_ms=30_000)
        self._segments = segments
        self._ended: list[Task] = []
        self._num_taken = 0
        self.is_stepping = False

    @property
    def has_work(self) -> bool:
        return self._worker.has_work

    def take(self, ask: Ask, owner: int, now: float) -> None:
        task = Task(ask, owner, now)
        self._num_taken += 1
        future = _submitted(self._worker, self._segments, ask, str(owner), self._num_taken)
        future.add_done_callback(lambda done: self._end(task, done.result()))

    def step(self) -> tuple[float, list[Task]]:
        began = time.thread_time()
        self._worker.step()
        ended, self._ended = self._ended, []
        return 1000 * (time.thread_time() - began), ended

    def _end(self, task: Task, answer: Any) -> None:
        if answer is not None and not (isinstance(answer, Translation) and answer.status == "cancelled"):
            self._ended.append(task)


def stepped(
    model: Path, segments: Sequence[Segment], habits: Habits, people: int, cores: int, seconds: float
) -> Outcome:
    """The people of the simulation at so many real workers, which translate; set PyTorch to one thread first."""
    copies = [RealCopy(Translator.load(model, precision="auto", is_compiled=False), segments) for _ in range(cores)]
    return work(copies, habits, people, seconds, random.Random(1), warm_up_s=STEPPED_WARM_UP_S)


def measured(
    translator: Translator, segments: Sequence[Segment], habits: Habits, people: int, seconds: float
) -> Outcome:
    """The people of the simulation, each in a thread, at a worker that has one core."""
    outcome = Outcome()
    with Worker(translator, deadline_ms=30_000) as worker:
        begin = time.monotonic() + WARM_UP_S
        end = begin + seconds
        scripts = [person(habits, random.Random(number)) for number in range(people)]
        threads = [
            threading.Thread(target=_follow, args=(script, str(owner), worker, segments, outcome, begin, end))
            for owner, script in enumerate([*scripts, documents(habits, people, random.Random(-1))])
        ]
        for thread in threads:
            thread.start()
        time.sleep(WARM_UP_S)
        cpu = time.process_time()
        time.sleep(seconds)
        outcome.load = (time.process_time() - cpu) / seconds
        for thread in threads:
            thread.join()
    return outcome


def _follow(
    script: Iterator[Pause | Ask],
    owner: str,
    worker: Worker,
    segments: Sequence[Segment],
    outcome: Outcome,
    begin: float,
    end: float,
) -> None:
    """Does what the script says until the end; adds the times of what was waited for."""
    for number, item in enumerate(script):
        if isinstance(item, Pause):
            time.sleep(max(0.0, min(item.seconds, end - time.monotonic())))
            if time.monotonic() >= end:
                return
            continue
        began = time.monotonic()
        answer = _submitted(worker, segments, item, owner, number)
        if item.is_awaited:
            answer.result()
            if began >= begin:
                outcome.add(item.kind, 1000 * (time.monotonic() - began))


def _submitted(worker: Worker, segments: Sequence[Segment], ask: Ask, owner: str, number: int) -> Future[Any]:
    """Asks the worker as the app does: a pin ends the person's questions."""
    asked, key = segments[ask.segment % len(segments)].asked(ask), f"{owner}/{ask.kind}"
    if ask.kind in ("translation", "pin"):
        worker.cancel(f"{owner}/price")
        worker.cancel(f"{owner}/alternatives")
    if not isinstance(asked, tuple):
        return worker.ask(asked, key=key, owner=owner)
    if ask.kind == "document":
        return worker.submit(*asked, key=f"{key}/{number}", owner=owner, priority="document")
    return worker.submit(*asked, key=key, owner=owner)


def measured_by_processes(
    model: Path, sources: Sequence[str], habits: Habits, people: int, seconds: float, num_processes: int
) -> Outcome:
    """The same with copies of the model in processes of their own, each with an equal share of the people."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(num_processes) as pool:
        parts = pool.starmap(_in_process, [(model, sources, habits, people // num_processes, seconds)] * num_processes)
    whole = Outcome(load=sum(part.load for part in parts) / num_processes)
    for part in parts:
        for kind, times in part.times_ms.items():
            whole.times_ms.setdefault(kind, []).extend(times)
    return whole


def _in_process(model: Path, sources: Sequence[str], habits: Habits, people: int, seconds: float) -> Outcome:
    torch.set_num_threads(1)
    translator = Translator.load(model, precision="auto", is_compiled=False)
    return measured(translator, segments_of(translator, sources, random.Random(1)), habits, people, seconds)


def command_ms(model: Path, folder: Path, num_clients: int = 4, num_commands: int = 100) -> float:
    """Milliseconds of processor time that an edit costs the app's process, over HTTP, with nothing to translate."""
    app = App(model, folder / "log.sqlite", "--no-auth")
    try:
        process = psutil.Process(app.process.pid)
        clients = [PageClient(app.url) for _ in range(num_clients)]
        for number, client in enumerate(clients):
            client.begin(f"client{number}.txt")
            client.command("pretranslate", is_on=False)
        _wait_until_idle(process)

        def edit(client: PageClient) -> None:
            for number in range(num_commands):
                client.command("edit", segment=number % 30 + 5, text=f"Halb fertig {number}", origin="typed")

        before = process.cpu_times()
        with ThreadPoolExecutor(num_clients) as executor:
            list(executor.map(edit, clients))
        after = process.cpu_times()
    finally:
        app.stop()
    seconds = after.user + after.system - before.user - before.system
    return round(1000 * seconds / (num_clients * num_commands), 2)


def _wait_until_idle(process: psutil.Process) -> None:
    process.cpu_percent()
    while process.cpu_percent(1.0) > 10:
        continue
