"""Fuzzes the readers of files, models and messages: checks that damaged input is read or rejected, in time.

    python -m tests.fuzz --minutes 10               all readers in turn, from a random case number
    python -m tests.fuzz --minutes 5 --only docx po
    python -m tests.fuzz --case docx:123            repeat one case, with its traceback

A failure is any exception except AppError, or more than ten seconds of CPU time. Its input is stored in build/fuzz. The
same case number gives the same input as long as the samples are unchanged. Exit status 1 means failures were found.
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

from tests.fuzz.readers import READERS_WITH_MODELS, Reader, problem_of, readers, readers_with_models

MAX_SECONDS = 10
# A loop inside C code blocks signals: after this time the process exits with a traceback.
MAX_WALL_SECONDS = 300


class TooLongError(Exception):
    """Reading took too long."""


def main() -> int:
    known = readers()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n")[0])
    names = sorted([*known, *READERS_WITH_MODELS])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--only", nargs="+", choices=names, metavar="READER", help="only these readers")
    parser.add_argument("--start", type=int, help="first case number")
    parser.add_argument("--case", metavar="READER:NUMBER", help="repeat one case")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="folder for the inputs of failures")
    flags = parser.parse_args()
    signal.signal(signal.SIGPROF, _stop)
    one, _, number = (flags.case or "").partition(":")
    wanted = [one] if flags.case else flags.only or names
    if not set(wanted).isdisjoint(READERS_WITH_MODELS):
        known |= readers_with_models()
    if flags.case:
        if one not in known or not number.isdecimal():
            parser.error(f"--case needs a reader and a number, such as docx:123, not {flags.case}")
        return int(_try(known[one], int(number), flags.keep))
    chosen = [reader for name, reader in known.items() if name in wanted]
    case = random.randrange(10**9) if flags.start is None else flags.start
    print(f"starting at case {case}", flush=True)
    counts, slowest, failures = Counter[str](), dict.fromkeys((reader.name for reader in chosen), 0.0), 0
    end = time.monotonic() + 60 * flags.minutes
    while time.monotonic() < end:
        for reader in chosen:
            started = time.process_time()
            failures += _try(reader, case, flags.keep)
            slowest[reader.name] = max(slowest[reader.name], time.process_time() - started)
            counts[reader.name] += 1
        case += 1
    print(f"{counts.total():,} cases, {failures} failures: " + ", ".join(f"{name} {n:,}" for name, n in counts.items()))
    longest_first = sorted(slowest.items(), key=lambda entry: -entry[1])
    print("slowest, in seconds: " + ", ".join(f"{name} {seconds:.2f}" for name, seconds in longest_first))
    return int(failures > 0)


def _try(reader: Reader, number: int, folder: Path) -> bool:
    """True if this case fails; if so, prints it and stores its input."""
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
    print(f"\n{reader.name}:{number}, {len(data):,} bytes stored in {path}, after {seconds:.1f} s")
    traceback.print_exception(problem, limit=-6, file=sys.stdout)
    sys.stdout.flush()
    return True


def _stop(*_: object) -> None:
    raise TooLongError(f"more than {MAX_SECONDS} s")


if __name__ == "__main__":
    sys.exit(main())
