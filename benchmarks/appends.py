"""How many events a second the log takes, each on the disk before its caller goes on, from one and several callers.

    python -m benchmarks.appends [--callers 1 16] [--seconds 5] [--rounds 3] [--log FILE] [--output FOLDER]

Each caller has a document of its own and stores one edit after the other: an event and the new text of its segment. The
file must be on a disk: a file in memory has nothing to wait for. Prints a table, and writes results.json.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.records import NewEvent
from app.log.store import LogStore, SegmentUpdate
from benchmarks.paper_dba import commit, environment, write_json

EDIT = {"offset": 17, "text": "Einstellungen", "removed": "Optionen", "origin": "typed"}


def measure(store: LogStore, num_callers: int, seconds: float) -> list[float]:
    """Milliseconds of each append."""
    document = read_document(b"Open the settings.\n", "a.txt")
    sessions = [store.start_session(OWNER, document, "en-de").id for _ in range(num_callers)]
    taken_ms: list[list[float]] = [[] for _ in sessions]
    start = threading.Barrier(num_callers)

    def work(session: int, taken: list[float]) -> None:
        start.wait()
        end = time.perf_counter() + seconds
        version = 0
        while (began := time.perf_counter()) < end:
            update = SegmentUpdate("edited", f"Öffnen Sie die Einstellungen {version}.", version + 1, {}, version)
            version += 1
            store.append_all(OWNER, session, [NewEvent("insert", EDIT, 0, version)], [(0, update)])
            taken.append((time.perf_counter() - began) * 1000)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(sessions, taken_ms, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [each for taken in taken_ms for each in taken]


def figures(taken_ms: Sequence[float], seconds: float) -> dict[str, float]:
    ordered = sorted(taken_ms)
    return {
        "appends_per_second": round(len(ordered) / seconds, 1),
        "median_ms": round(statistics.median(ordered), 2),
        "p95_ms": round(ordered[int(0.95 * len(ordered))], 2),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.appends", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3, help="the best counts, as other programs use the disk too")
    parser.add_argument("--log", type=Path, help="a new log on the disk to measure; by default a temporary one")
    parser.add_argument("--output", type=Path, help="folder for results.json")
    options = parser.parse_args(arguments)
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for num_callers in options.callers:
            rounds = []
            for number in range(options.rounds):
                store = LogStore.open(options.log or Path(folder) / f"{num_callers}-{number}.sqlite")
                rounds.append(figures(measure(store, num_callers, options.seconds), options.seconds))
                store.close()
            best = max(rounds, key=lambda each: each["appends_per_second"])
            results.append({"num_callers": num_callers, **best, "rounds": rounds})
            print(num_callers, best, flush=True)
    if options.output:
        found = {"commit": commit(), "environment": environment(), "seconds": options.seconds, "results": results}
        write_json(options.output / "results.json", found)


if __name__ == "__main__":
    main()
