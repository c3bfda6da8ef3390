"""Kills, load, leaks and damaged files for as long as asked: prints one table, and writes it as JSON.

The tests of the compiled core also run with a build of it that checks its memory and its arithmetic (`sanitizers`).

    make test-hard MINUTES=10
    python -m tests.hard --minutes 10 --people 20 --output tests/hard/result.json
    python -m tests.hard --minutes 60 --kills 1000 --load 30 --people 50 --fuzz 60 --at-once

Exit status 1: an acknowledged edit was lost, a chain is broken, a request failed, or a file made a reader fail.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psutil

from app import VERSION
from app.access.actor import OWNER
from app.log.store import LogStore
from app.paths import MODEL_FOLDER
from app.segments.segment_constraints import Constraints
from benchmarks.paper_dba import commit, environment
from tests.compiled.sanitized import failed_tests, found_races
from tests.e2e.conftest import App, ForkedApp
from tests.hard.page_client import NUM_SEGMENTS, TEXT, PageClient

NUM_KILLED_SEGMENTS = 12
NUM_WRITERS = 4  # of one document, while the app is killed
SAMPLE_SECONDS = 5.0
THINK_SECONDS = (2.0, 8.0)  # of a person between two commands
NUM_KILLED_AT_ONCE = 3  # each with a log of its own
KILLS_PER_LOG = 25
PARTS = ("kills", "load", "fuzz", "sanitizers")
# Their shares of the time.
KILLS, LOAD, FUZZ = 0.4, 0.3, 0.3


class Writer(threading.Thread):
    """Types and confirms in its own segments until the app is gone; remembers what was acknowledged."""

    def __init__(self, url: str, token: str, segments: list[int]) -> None:
        super().__init__(daemon=True)
        self._client = PageClient(url)
        self._client.token = token
        self._segments = segments
        self.acknowledged: dict[int, str] = {}
        self.sent: dict[int, str] = {}
        self.num_acknowledged = 0

    def run(self) -> None:
        number = 0
        while True:
            number += 1
            segment = random.choice(self._segments)
            text = f"Text {number} {random.getrandbits(32):x} äß😀"
            self.sent[segment] = text
            try:
                if number % 4 == 0:
                    self._client.command("confirm", segment=segment, text=text)
                else:
                    self._client.command("edit", segment=segment, text=text, origin="typed")
            except httpx.HTTPError:
                return
            self.acknowledged[segment] = text
            self.num_acknowledged += 1


def kills(end: float, num_wanted: float = math.inf) -> dict[str, Any]:
    """Kills apps at random moments while edits are typed and confirmed, and compares their logs.

    Ends at `end` or after `num_wanted` kills.
    """
    began = time.monotonic()
    counts = Counter[str]({"kills": 0, "acknowledged edits": 0, "lost": 0, "broken chains": 0})
    rounds = itertools.count()

    def kill_again_and_again() -> None:
        with tempfile.TemporaryDirectory() as folder:
            while time.monotonic() < end and (number := next(rounds)) < num_wanted:
                counts.update(_kill(Path(folder) / f"log{number // KILLS_PER_LOG}.sqlite", f"round{number}.txt"))
                print(f"\r{counts['kills']} kills, {counts['lost']} lost", end="", flush=True)

    with ThreadPoolExecutor(NUM_KILLED_AT_ONCE) as executor:
        for killer in [executor.submit(kill_again_and_again) for _ in range(NUM_KILLED_AT_ONCE)]:
            killer.result()
    return {"minutes": round((time.monotonic() - began) / 60, 1), **counts}


def _kill(log: Path, name: str) -> dict[str, int]:
    """One kill while four writers edit a new document; none if the machine is too busy for the app to answer."""
    document = log.with_name(name)
    document.write_bytes(b"".join(TEXT.splitlines(keepends=True)[:NUM_KILLED_SEGMENTS]))
    app = ForkedApp(MODEL_FOLDER, log, "--no-auth", "--document", str(document))
    try:
        token = PageClient(app.url).greet()
    except httpx.TimeoutException:
        app.kill()
        return {}
    places = [list(range(first, NUM_KILLED_SEGMENTS, NUM_WRITERS)) for first in range(NUM_WRITERS)]
    writers = [Writer(app.url, token, place) for place in places]
    for writer in writers:
        writer.start()
    time.sleep(random.uniform(0.02, 1.0))
    app.kill()
    for writer in writers:
        writer.join(60)
    num_lost, is_intact = _compare(log, token, writers)
    num_edits = sum(writer.num_acknowledged for writer in writers)
    return {"kills": 1, "acknowledged edits": num_edits, "lost": num_lost, "broken chains": int(not is_intact)}


def _compare(log: Path, token: str, writers: Iterable[Writer]) -> tuple[int, bool]:
    """The number of acknowledged texts that the log lacks, and whether its chain of events is whole."""
    store = LogStore.open(log)
    try:
        (session,) = (summary.id for summary in store.sessions(OWNER) if summary.token == token)
        texts = {segment.index: segment.target for segment in store.load_session(OWNER, session).segments}
        num_lost = sum(
            texts[segment] not in (text, writer.sent[segment])
            for writer in writers
            for segment, text in writer.acknowledged.items()
        )
        return num_lost, store.verify_chain(session).is_intact
    finally:
        store.close()


class Person(threading.Thread):
    """Works through a document of their own: edits, confirms and pins, with pauses to think."""

    def __init__(self, url: str, number: int, end: float) -> None:
        super().__init__(daemon=True)
        self._client, self._end = PageClient(url), end
        self._name = f"person{number}.txt"
        self.elapsed_ms: list[float] = []
        self.errors: list[str] = []

    def run(self) -> None:
        try:
            self._client.begin(self._name)
            number = 0
            while time.monotonic() < self._end:
                number += 1
                self._act(number % NUM_SEGMENTS, number)
                time.sleep(random.uniform(*THINK_SECONDS))
        except (httpx.HTTPError, RuntimeError) as error:
            self.errors.append(str(error) or type(error).__name__)

    def _act(self, segment: int, number: int) -> None:
        began = time.perf_counter()
        if number % 5 == 0:
            constraints = Constraints(("Router",)).to_json()
            self._client.command("constrain", segment=segment, constraints=constraints, origin="person")
        elif number % 3 == 0:
            self._client.command("confirm", segment=segment, text=f"Fertig {number}.")
        else:
            self._client.command("edit", segment=segment, text=f"Halb fertig {number}", origin="typed")
        self.elapsed_ms.append((time.perf_counter() - began) * 1000)


@dataclass(frozen=True)
class Usage:
    """What the app uses, so many seconds after the first request."""

    seconds: float
    num_threads: int
    num_descriptors: int
    memory_mib: float


def load(end: float, num_people: int) -> dict[str, Any]:
    """Many people at work; what the app uses in the second quarter of the time and at the end."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        app = App(MODEL_FOLDER, Path(folder) / "log.sqlite", "--no-auth")
        process = psutil.Process(app.process.pid)
        people = [Person(app.url, number, end) for number in range(num_people)]
        for person in people:
            person.start()
        samples: list[Usage] = []
        while time.monotonic() < end:
            time.sleep(min(SAMPLE_SECONDS, max(0.1, end - time.monotonic())))
            memory = process.memory_info().rss / 2**20
            samples.append(Usage(time.monotonic() - began, process.num_threads(), process.num_fds(), memory))
        for person in people:
            person.join(120)
        app.stop()
    times = sorted(ms for person in people for ms in person.elapsed_ms) or [0.0]
    whole = samples[-1].seconds
    early = [sample for sample in samples if whole / 4 <= sample.seconds <= whole / 2] or samples[:1]
    late = samples[-len(early) :]

    def change(measure: Callable[[Usage], float]) -> str:
        return f"{statistics.median(map(measure, early)):.0f} to {statistics.median(map(measure, late)):.0f}"

    errors = [error for person in people for error in person.errors]
    return {
        "minutes": round((time.monotonic() - began) / 60, 1),
        "people": num_people,
        "commands": len(times),
        "failed": len(errors),
        "first error": errors[0] if errors else "",
        "p50 ms": round(times[len(times) // 2], 1),
        "p95 ms": round(times[int(0.95 * len(times))], 1),
        "threads": change(lambda usage: usage.num_threads),
        "descriptors": change(lambda usage: usage.num_descriptors),
        "memory MiB": change(lambda usage: usage.memory_mib),
        "memory MiB by minute": _by_minute(samples),
    }


def _by_minute(samples: list[Usage]) -> list[int]:
    """The last memory of each minute."""
    return list({int(usage.seconds / 60): round(usage.memory_mib) for usage in samples}.values())


def fuzz(minutes: float) -> dict[str, Any]:
    """Damaged copies of all kinds of files; see `tests.fuzz`."""
    command = [sys.executable, "-m", "tests.fuzz", "--minutes", f"{minutes:.2f}"]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = re.search(r"([\d,]+) cases, (\d+) failures", output)
    if found is None:
        return {"minutes": minutes, "cases": 0, "failures": 1, "output": output[-500:]}
    slowest = re.search(r"slowest, in seconds: (.*)", output)
    return {
        "minutes": minutes,
        "cases": int(found[1].replace(",", "")),
        "failures": int(found[2]),
        "failed": re.findall(r"^(\S+:\d+), [\d,]+ bytes stored", output, re.MULTILINE),
        # The time of the slowest input of each kind, the slowest kind first.
        "slowest s": {n: float(s) for n, _, s in (each.rpartition(" ") for each in slowest[1].split(", "))}
        if slowest
        else {},
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hard", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--output", type=Path, default=Path("build/hard.json"))
    parser.add_argument("--kills", type=int, metavar="NUMBER", help="number of kills, in at most --minutes")
    parser.add_argument("--load", type=float, metavar="MINUTES", help=f"default: {LOAD:g} of --minutes")
    parser.add_argument("--fuzz", type=float, metavar="MINUTES", help=f"default: {FUZZ:g} of --minutes")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="the results of the others stay in the output file")
    parser.add_argument("--at-once", action="store_true", help="all at the same time; times are then longer")
    flags = parser.parse_args()
    kill_minutes = flags.minutes * (KILLS if flags.kills is None else 1)
    load_minutes = flags.minutes * LOAD if flags.load is None else flags.load
    fuzz_minutes = flags.minutes * FUZZ if flags.fuzz is None else flags.fuzz
    with ThreadPoolExecutor(3 if flags.at_once else 1) as executor:
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "kills": lambda: kills(time.monotonic() + 60 * kill_minutes, flags.kills or math.inf),
            "load": lambda: load(time.monotonic() + 60 * load_minutes, flags.people),
            "fuzz": lambda: fuzz(fuzz_minutes),
            "sanitizers": lambda: {"failed": int(found_races() != 0) + int(failed_tests() != 0)},
        }
        running = {name: executor.submit(parts[name]) for name in PARTS if name in (flags.only or PARTS)}
        of_all = {"date": datetime.now(UTC).date().isoformat(), "pinpoint": VERSION, "commit": commit()}
        results = {name: {**of_all, **part.result()} for name, part in running.items()}
    kept = json.loads(flags.output.read_text(encoding="utf-8")) if flags.only and flags.output.exists() else {}
    results = {name: results.get(name) or kept[name] for name in PARTS if name in results or name in kept}
    flags.output.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**environment(), **results}, indent=1, ensure_ascii=False)
    text = re.sub(r"\[[\d\s,]*\]", lambda numbers: json.dumps(json.loads(numbers.group())), text)
    flags.output.write_text(text + "\n", encoding="utf-8")
    for part, figures in results.items():
        for name, value in figures.items():
            if isinstance(value, dict):
                for kind, number in value.items():
                    print(f"{part:<8}{name + ' ' + kind:<32}{number}")
            else:
                print(f"{part:<8}{name:<32}{value}")
    bad = ("lost", "broken chains", "failed", "failures")
    return int(any(figures.get(name, 0) for figures in results.values() for name in bad))


if __name__ == "__main__":
    sys.exit(main())
