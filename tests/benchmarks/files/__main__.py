"""Seconds of processor time and peak memory of reading each kind of hostile file, in a process of its own.

    python -m tests.benchmarks.files [--only a.docx a.xlsx] [--seconds 60]

Prints a line for each file: with how many segments it was read, or the limit that refused it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from multiprocessing.connection import Connection

from app.errors import AppError
from app.formats.documents import read_document
from tests.benchmarks.files.hostile import KINDS


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.files", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=sorted({kind.name for kind in KINDS}))
    parser.add_argument("--seconds", type=int, default=60, help="of processor time, at most (%(default)s)")
    options = parser.parse_args()
    for number, kind in enumerate(KINDS):
        if not options.only or kind.name in options.only:
            print(
                f"{kind.name:14} {kind.largest:9,} {kind.what[:44]:44} {_measured(number, options.seconds)}", flush=True
            )


def _measured(number: int, seconds: int) -> str:
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_read, args=(number, seconds, sender))
    process.start()
    sender.close()
    try:
        result: str = receiver.recv()
    except EOFError:
        result = f"more than {seconds} s"
    process.join()
    return result


def _read(number: int, seconds: int, sender: Connection) -> None:
    kind = KINDS[number]
    data = kind.make(kind.largest)
    began = time.process_time()
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(began) + seconds + 1, most))
    try:
        outcome = f"{len(read_document(data, kind.name).segments):,} segments"
    except AppError as problem:
        outcome = str(problem)[:120]
    taken = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sender.send(f"{taken:6.2f} s {peak:5.0f} MB  {outcome}")


if __name__ == "__main__":
    main()
