"""Damages files of every kind, again and again, and looks whether they are read or refused, and in time.

    python -m tests.fuzz --minutes 10               all readers in turn, from a random number on
    python -m tests.fuzz --minutes 5 --only docx po
    python -m tests.fuzz --case docx:123            one case again, with its traceback

A find is any exception but AppError, or more than ten seconds of the processor's time. Its input is kept in
build/fuzz; the same number gives the same input as long as the samples stay as they are. Exit status 1: something was
found.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.fuzz.readers import Reader, problem_of, readers

MAX_SECONDS = 10
# A loop inside C code lets no signal through: then the process ends with where it was.
MAX_WALL_SECONDS = 300


class TooLongError(Exception):
    """Reading took longer than a person waits."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--only", nargs="+", choices=sorted(readers()), metavar="READER", help="these readers alone")
    parser.add_argument("--start", type=int, help="the first number")
    parser.add_argument("--case", metavar="READER:NUMBER", help="one case, as a find names it")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="where the inputs of finds go")
    flags = parser.parse_args()
    known = readers()
    signal.signal(signal.SIGPROF, _stop)
    if flags.case:
        name, _, number = flags.case.partition(":")
        return int(_try(known[name], int(number), flags.keep))
    chosen = [reader for name, reader in known.items() if not flags.only or name in flags.only]
    number = random.randrange(10**9) if flags.start is None else flags.start
    print(f"from number {number} on", flush=True)
    counts, finds = Counter[str](), 0
    end = time.monotonic() + 60 * flags.minutes
    while time.monotonic() < end:
        for reader in chosen:
            finds += _try(reader, number, flags.keep)
            counts[reader.name] += 1
        number += 1
    print(f"{counts.total():,} cases, {finds} finds: " + ", ".join(f"{name} {n:,}" for name, n in counts.items()))
    return int(finds > 0)


def _try(reader: Reader, number: int, folder: Path) -> bool:
    """Whether this case is a find; says so and keeps its input."""
    data = reader.case(number)
    faulthandler.dump_traceback_later(MAX_WALL_SECONDS, exit=True)
    signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
    started = time.process_time()
    problem = problem_of(reader.read, data)
    seconds = time.process_time() - started
    signal.setitimer(signal.ITIMER_PROF, 0)
    faulthandler.cancel_dump_traceback_later()
    if problem is None and seconds > MAX_SECONDS:
        problem = TooLongError(f"{seconds:.0f} s")
    if problem is None:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{reader.name}-{number}"
    path.write_bytes(data)
    print(f"\n{reader.name}:{number}, {len(data):,} bytes kept in {path}, after {seconds:.1f} s")
    traceback.print_exception(problem, limit=-6, file=sys.stdout)
    sys.stdout.flush()
    return True


def _stop(*_: object) -> None:
    raise TooLongError(f"more than {MAX_SECONDS} s")


if __name__ == "__main__":
    sys.exit(main())
