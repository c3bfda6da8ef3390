"""Simulated people at a real worker, and what a command costs the app's process."""

from __future__ import annotations

import multiprocessing
import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import torch

from engine import Translator, Worker
from tests.benchmarks.capacity.costs import Segment, segments_of
from tests.benchmarks.capacity.habits import Ask, Habits, Pause, documents, person
from tests.benchmarks.capacity.simulated import Outcome
from tests.e2e.conftest import App
from tests.hard.__main__ import Client

WARM_UP_S = 5.0


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
        asked, key = segments[item.segment % len(segments)].asked(item), f"{owner}/{item.kind}"
        began = time.monotonic()
        if item.kind in ("translation", "pin"):
            worker.cancel(f"{owner}/price")
            worker.cancel(f"{owner}/alternatives")
        if isinstance(asked, tuple):
            if item.kind == "document":
                worker.submit(*asked, key=f"{key}/{number}", owner=owner, priority="document")
                continue
            answer = worker.submit(*asked, key=key, owner=owner)
        else:
            answer = worker.ask(asked, key=key, owner=owner)
        if item.is_awaited:
            answer.result()
            if began >= begin:
                outcome.add(item.kind, 1000 * (time.monotonic() - began))


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
    translator = Translator.load(model, precision="auto")
    return measured(translator, segments_of(translator, sources, random.Random(1)), habits, people, seconds)


def command_ms(model: Path, folder: Path, num_clients: int = 4, num_commands: int = 100) -> float:
    """Milliseconds of processor time that an edit costs the app's process, over HTTP, with nothing to translate."""
    app = App(model, folder / "log.sqlite", "--no-auth")
    try:
        process = psutil.Process(app.process.pid)
        clients = [Client(app.url) for _ in range(num_clients)]
        for number, client in enumerate(clients):
            client.begin(f"client{number}.txt")
            client.command("pretranslate", is_on=False)
        _wait_until_idle(process)

        def edit(client: Client) -> None:
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
