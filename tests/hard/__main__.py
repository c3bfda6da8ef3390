"""Kills, load, leaks and damaged files for as long as asked: prints one table, and writes it as JSON.

    make test-hard MINUTES=10
    python -m tests.hard --minutes 10 --people 20 --output tests/hard/result.json

Exit status 1: an acknowledged edit was lost, a chain is broken, a request failed, or a file made a reader fail.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psutil

from app import VERSION
from app.log.store import LogStore
from app.paths import MODEL_FOLDER
from tests.benchmarks.paper_dba import commit, environment
from tests.e2e.conftest import App

NUM_SEGMENTS = 40
TEXT = "".join(f"Press button {number} to restart the router.\n" for number in range(NUM_SEGMENTS)).encode()
NUM_WRITERS = 4  # of one document, while the app is killed
SAMPLE_SECONDS = 5.0
# Shares of the time.
KILLS, LOAD, FUZZ = 0.4, 0.3, 0.3


class Client:
    """What a page sends, over HTTP."""

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=60, trust_env=False)
        self._name = f"client{random.getrandbits(40)}"
        self._sequence = 0
        self.token = ""

    def call(self, function: str, **fields: Any) -> dict[str, Any]:
        message = {"data": fields, "component_id": 1, "fn_name": function, "session_hash": self._name}
        reply = self._http.post("/gradio_api/component_server", json=message)
        reply.raise_for_status()
        answer: dict[str, Any] = reply.json()
        if not answer["ok"]:
            raise RuntimeError(f"{fields.get('name')}: {answer['error']['message']}")
        return answer

    def command(self, name: str, **fields: Any) -> dict[str, Any]:
        self._sequence += 1
        position = {"since": 10**9, "open": None, "detail_since": 10**9}
        own = {"token": self.token, "client": self._name, "sequence": self._sequence}
        return self.call("command", name=name, **own, **position, **fields)

    def begin(self, name: str) -> str:
        """Opens a document; the token of its session."""
        self.token = self.call("hello", token=None)["token"]
        data = base64.b64encode(TEXT).decode("ascii")
        self.token = self.command("open_document", file=name, data=data)["token"]
        return self.token


class Writer(threading.Thread):
    """Types and confirms in its own segments until the app is gone; remembers what was acknowledged."""

    def __init__(self, url: str, token: str, segments: list[int]) -> None:
        super().__init__(daemon=True)
        self._client = Client(url)
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


def kills(end: float) -> dict[str, Any]:
    """Kills the app at random moments while edits are typed and confirmed, and compares the log."""
    num_kills = num_edits = num_lost = num_broken = 0
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.sqlite"
        while time.monotonic() < end:
            app = App(MODEL_FOLDER, log, "--no-auth")
            token = Client(app.url).begin(f"round{num_kills}.txt")
            places = [list(range(first, NUM_SEGMENTS, NUM_WRITERS)) for first in range(NUM_WRITERS)]
            writers = [Writer(app.url, token, place) for place in places]
            for writer in writers:
                writer.start()
            time.sleep(random.uniform(0.05, 2.0))
            app.kill()
            for writer in writers:
                writer.join(60)
            num_kills += 1
            num_edits += sum(writer.num_acknowledged for writer in writers)
            lost, is_intact = _compare(log, token, writers)
            num_lost += lost
            num_broken += not is_intact
    return {"kills": num_kills, "acknowledged edits": num_edits, "lost": num_lost, "broken chains": num_broken}


def _compare(log: Path, token: str, writers: Iterable[Writer]) -> tuple[int, bool]:
    """The number of acknowledged texts that the log lacks, and whether its chain of events is whole."""
    store = LogStore.open(log)
    try:
        (session,) = (summary.id for summary in store.sessions() if summary.token == token)
        texts = {segment.index: segment.target for segment in store.load_session(session).segments}
        num_lost = sum(
            texts[segment] not in (text, writer.sent[segment])
            for writer in writers
            for segment, text in writer.acknowledged.items()
        )
        return num_lost, store.verify_chain(session).is_intact
    finally:
        store.close()


class Person(threading.Thread):
    """Works through a document of their own: edits, confirms and pins, with short pauses."""

    def __init__(self, url: str, number: int, end: float) -> None:
        super().__init__(daemon=True)
        self._client, self._end = Client(url), end
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
                time.sleep(random.uniform(0.2, 1.0))
        except (httpx.HTTPError, RuntimeError) as error:
            self.errors.append(str(error) or type(error).__name__)

    def _act(self, segment: int, number: int) -> None:
        began = time.perf_counter()
        if number % 5 == 0:
            free: dict[str, Any] = {"terms_off": [], "bans": [], "beginning": "", "locked": []}
            self._client.command("constrain", segment=segment, pins=["Router"], origin="person", **free)
        elif number % 3 == 0:
            self._client.command("confirm", segment=segment, text=f"Fertig {number}.")
        else:
            self._client.command("edit", segment=segment, text=f"Halb fertig {number}", origin="typed")
        self.elapsed_ms.append((time.perf_counter() - began) * 1000)


def load(end: float, num_people: int) -> dict[str, Any]:
    """Many people at work; what the app uses in the second quarter of the time and at the end."""
    with tempfile.TemporaryDirectory() as folder:
        app = App(MODEL_FOLDER, Path(folder) / "log.sqlite", "--no-auth")
        process = psutil.Process(app.process.pid)
        people = [Person(app.url, number, end) for number in range(num_people)]
        began = time.monotonic()
        for person in people:
            person.start()
        samples: list[tuple[float, int, int, float]] = []
        while time.monotonic() < end:
            time.sleep(min(SAMPLE_SECONDS, max(0.1, end - time.monotonic())))
            usage = process.num_threads(), process.num_fds(), process.memory_info().rss / 2**20
            samples.append((time.monotonic() - began, *usage))
        for person in people:
            person.join(120)
        app.stop()
    times = sorted(ms for person in people for ms in person.elapsed_ms)
    whole = samples[-1][0]
    early = [sample for sample in samples if whole / 4 <= sample[0] <= whole / 2] or samples[:1]
    late = samples[-len(early) :]

    def middle(chosen: list[tuple[float, int, int, float]], field: int) -> float:
        return statistics.median(sample[field] for sample in chosen)

    errors = [error for person in people for error in person.errors]
    return {
        "people": num_people,
        "commands": len(times),
        "failed": len(errors),
        "first error": errors[0] if errors else "",
        "p50 ms": round(times[len(times) // 2], 1),
        "p95 ms": round(times[int(0.95 * len(times))], 1),
        "threads": f"{middle(early, 1):.0f} to {middle(late, 1):.0f}",
        "descriptors": f"{middle(early, 2):.0f} to {middle(late, 2):.0f}",
        "memory MiB": f"{middle(early, 3):.0f} to {middle(late, 3):.0f}",
    }


def fuzz(minutes: float) -> dict[str, Any]:
    """Damaged copies of all kinds of files; see `tests.fuzz`."""
    command = [sys.executable, "-m", "tests.fuzz", "--minutes", f"{minutes:.2f}"]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = re.search(r"([\d,]+) cases, (\d+) failures", output)
    if found is None:
        return {"cases": 0, "failures": 1, "output": output[-500:]}
    return {"cases": int(found[1].replace(",", "")), "failures": int(found[2])}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hard", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--output", type=Path, default=Path("build/hard.json"))
    flags = parser.parse_args()
    seconds = 60 * flags.minutes
    results = {"kills": kills(time.monotonic() + KILLS * seconds)}
    results["load"] = load(time.monotonic() + LOAD * seconds, flags.people)
    results["fuzz"] = fuzz(FUZZ * flags.minutes)
    facts = {
        "minutes": flags.minutes,
        "date": datetime.now(UTC).date().isoformat(),
        "pinpoint": VERSION,
        "commit": commit(),
        **environment(),
    }
    flags.output.parent.mkdir(parents=True, exist_ok=True)
    flags.output.write_text(json.dumps({**facts, **results}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for part, figures in results.items():
        for name, value in figures.items():
            print(f"{part:<8}{name:<22}{value}")
    bad = ("lost", "broken chains", "failed", "failures")
    return int(any(figures.get(name, 0) for figures in results.values() for name in bad))


if __name__ == "__main__":
    sys.exit(main())
