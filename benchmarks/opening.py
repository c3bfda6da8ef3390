"""How long people wait for replies while somebody else opens a large document, and while nobody does.

    python -m benchmarks.opening [--segments 20000] [--terms 400] [--people 20] [--rounds 6] [--model FOLDER]
        [--output FOLDER]

The app runs in a process of its own. People type in documents of their own, through the protocol of the page. One more
person opens a new file over HTTP, several times, in a project whose glossary has terms for each of its segments. The
times between two openings, which are as long, are measured in the same run. The last figure is for the time right after
an opening, when the document is looked up in the memory and translated ahead. The model is tiny and has random weights,
so that decoding does not take the processor from the rest; `--model` chooses another. Writes results.json.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from app.paths import MODEL_FOLDER
from benchmarks import bars
from benchmarks.dba.report import table
from benchmarks.paper_dba import commit, environment, write_json
from engine.text import TextCodec
from tests.e2e.conftest import App, save_random_model
from tests.hard.page_client import PageClient

Phase = Literal["without", "opening", "after"]
PHASES: Final[tuple[Phase, ...]] = ("without", "opening", "after")
NUM_OWN_SEGMENTS: Final = 40  # of the document of a person who types
PAUSE_SECONDS: Final = (0.1, 0.5)  # between two edits; a page sends what is typed twice a second
AFTER_SECONDS: Final = 3.0


@dataclass
class Clock:
    """What the opener is doing, and the replies that others waited for, in milliseconds, by what it did meanwhile."""

    phase: Phase | None = None
    ends: bool = False
    times_ms: dict[Phase, list[float]] = field(default_factory=lambda: {phase: [] for phase in PHASES})


class Typist(threading.Thread):
    """A person who types in a document of their own."""

    def __init__(self, url: str, number: int, clock: Clock) -> None:
        super().__init__(daemon=True)
        self._client = PageClient(url)
        self._client.greet()
        self._clock, self._chance = clock, random.Random(number)
        lines = (f"Person {number} presses button {line}.\n" for line in range(NUM_OWN_SEGMENTS))
        self._client.open_file(f"person{number}.txt", "".join(lines).encode())
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            number = 0
            while not self._clock.ends:
                time.sleep(self._chance.uniform(*PAUSE_SECONDS))
                number += 1
                before, began = self._clock.phase, time.perf_counter()
                segment = number // 8 % NUM_OWN_SEGMENTS
                self._client.command("edit", segment=segment, text=f"Jemand drückt {number}", origin="typed")
                elapsed_ms = (time.perf_counter() - began) * 1000
                if before is not None and before == self._clock.phase:  # not half in one, half in another
                    self._clock.times_ms[before].append(elapsed_ms)
        except Exception as error:
            self.error = error


def words_of(number: int) -> tuple[str, str]:
    """A term: a word that looks like one, and its translation."""
    letters = "".join(
        "bcdfgklmnprstvz"[number // 15**place % 15] + "aeiou"[number // 5**place % 5] for place in range(4)
    )
    return f"{letters}er", f"{letters}ung".capitalize()


def text_of(version: int, num_segments: int, num_terms: int) -> bytes:
    """A document of that many segments; each has two of the terms."""
    chance = random.Random(version)
    lines = []
    for number in range(num_segments):
        first, second = (words_of(chance.randrange(num_terms))[0] for _ in range(2))
        lines.append(f"In part {version}, connect the {first} to the {second} before you start unit {number}.\n")
    return "".join(lines).encode()


class Opener:
    """The person who opens the large documents, in a process of their own.

    Reading the reply with 20,000 rows takes the interpreter: in the process of the people, it would stop their clocks.
    """

    _client: ClassVar[PageClient]

    @classmethod
    def begin(cls, url: str) -> None:
        """Called in the process, once."""
        cls._client = PageClient(url)
        cls._client.greet()

    @classmethod
    def open(cls, name: str, data: bytes) -> int:
        """Called in the process: opens a file; returns the number of its terms."""
        return int(cls._client.open_file(name, data)["glossary"]["num_terms"])


def measure(url: str, options: argparse.Namespace) -> dict[str, Any]:
    """The replies that people waited for, by phase, and the seconds of each opening."""
    first = PageClient(url)
    first.greet()
    (glossary,) = first.call("glossary", token=first.token, ask="overview")["result"]["glossaries"]
    first.command("glossary_share", glossary=glossary["id"])  # later documents of the project have it at once
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawned, initializer=Opener.begin, initargs=(url,)) as opener:
        return measured_with(opener, url, options)


def measured_with(opener: Executor, url: str, options: argparse.Namespace) -> dict[str, Any]:
    clock = Clock()
    people = [Typist(url, number, clock) for number in range(options.people)]
    for person in people:
        person.start()
    opened_s: list[float] = []
    for number in range(options.rounds + 1):
        data = text_of(number, options.segments, options.terms)
        began = time.perf_counter()
        clock.phase = "opening" if number else None  # the first one warms up
        num_terms = opener.submit(Opener.open, f"large{number}.txt", data).result()
        opened_s.append(time.perf_counter() - began)
        clock.phase = "after" if number else None
        assert num_terms == options.terms, num_terms
        time.sleep(AFTER_SECONDS)
        clock.phase = None
        opener.submit(Opener.open, f"small{number}.txt", f"Wait {number}.\n".encode()).result()  # the large one stops
        time.sleep(1)
        clock.phase = "without" if number else None
        time.sleep(opened_s[-1] if number else 0)
        clock.phase = None
    clock.ends = True
    for person in people:
        person.join(60)
        if person.error is not None:
            raise person.error
    return {"opened_s": [round(each, 2) for each in opened_s[1:]], "times_ms": clock.times_ms}


def quantile(times_ms: Sequence[float], share: float) -> float:
    return sorted(times_ms)[int(share * (len(times_ms) - 1))]


def figures(times_ms: Sequence[float]) -> dict[str, float]:
    return {
        "replies": len(times_ms),
        "median_ms": round(quantile(times_ms, 0.5), 2),
        "p95_ms": round(quantile(times_ms, 0.95), 2),
        "longest_ms": round(max(times_ms), 2),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        model = options.model or save_random_model(folder / "random-en-de", TextCodec.load(MODEL_FOLDER))
        document, glossary = folder / "terms.txt", folder / "terms.tsv"
        document.write_text("Start.\n", encoding="utf-8")
        lines = ("\t".join(words_of(number)) + "\n" for number in range(options.terms))
        glossary.write_text("".join(lines), encoding="utf-8")
        app = App(model, folder / "log.sqlite", "--no-auth", "--document", str(document), "--glossary", str(glossary))
        try:
            found = measure(app.url, options)
        finally:
            app.stop()
    phases = {phase: figures(times) for phase, times in found["times_ms"].items()}
    without = phases["without"]["p95_ms"]
    results = {
        "commit": commit(),
        "environment": environment(),
        "model": {"name": options.model.name if options.model else "tiny, random weights"},
        "settings": {name: getattr(options, name) for name in ("segments", "terms", "people", "rounds")},
        "opened_s": found["opened_s"],
        "phases": phases,
        "p95_opening_over_without": round(phases["opening"]["p95_ms"] / without, 3),
        "p95_after_over_without": round(phases["after"]["p95_ms"] / without, 3),
    }
    rows = [[phase, *(f"{value:,.1f}" for value in of.values())] for phase, of in phases.items()]
    print(table(["a large document is", "replies", "median ms", "p95 ms", "longest ms"], rows))
    print(f"opened in {statistics.median(found['opened_s']):.1f} s")
    for name, ratio in (("opening", results["p95_opening_over_without"]), ("after", results["p95_after_over_without"])):
        print(f"p95 {name} / without: {ratio:.2f} (bar: {bars.OTHERS_WAIT})")
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        write_json(options.output / "results.json", results, indent=1)
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.opening", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--segments", type=int, default=20_000, help="of the large document (%(default)s)")
    parser.add_argument("--terms", type=int, default=400, help="of its glossary (%(default)s)")
    parser.add_argument("--people", type=int, default=20, help="who type meanwhile (%(default)s)")
    parser.add_argument("--rounds", type=int, default=6, help="openings, after one that warms up (%(default)s)")
    parser.add_argument("--model", type=Path, help="folder (default: a tiny model with random weights)")
    parser.add_argument("--output", type=Path, help="folder for results.json")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
