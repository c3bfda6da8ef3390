"""Seconds of processor time of large files: opening, exporting and reporting work, and reading hostile files.

    python -m benchmarks.files [--segments 20000] [--only a.docx a.xlsx] [--output FOLDER]
    python -m benchmarks.files --hostile [--seconds 60] [--only a.docx a.xlsx]

Each file is measured in a process of its own. With --hostile, prints for each file its peak memory too, and with how
many segments it was read, or the limit that refused it; otherwise writes results.json.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from app.access.actor import OWNER, Actor
from app.errors import AppError
from app.formats.read_file import MAX_SEGMENTS, read_document
from app.log.store import LogStore
from app.reports.exports import EXPORTS
from app.reports.views import report_view
from benchmarks.files.hostile import KINDS
from benchmarks.files.large import LARGE, logged_session, long_word, translation
from benchmarks.paper_dba import commit, environment, write_json


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.files", description=(__doc__ or "").split("\n\n")[0])
    names = sorted({*LARGE, *(kind.name for kind in KINDS)})
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names)
    parser.add_argument("--segments", type=int, default=MAX_SEGMENTS, help="of each file of work (%(default)s)")
    parser.add_argument("--hostile", action="store_true", help="read the hostile files instead")
    parser.add_argument("--seconds", type=int, default=60, help="of a hostile file, at most (%(default)s)")
    parser.add_argument("--output", type=Path, help="folder for results.json")
    options = parser.parse_args(arguments)
    if options.hostile:
        for number, kind in enumerate(KINDS):
            if not options.only or kind.name in options.only:
                found = _in_process(_read_hostile, number, options.seconds) or f"more than {options.seconds} s"
                print(f"{kind.name:14} {kind.largest:9,} {kind.what[:44]:44} {found}", flush=True)
        return
    at_start = environment()
    files = {}
    for name in options.only or LARGE:
        files[name] = _in_process(work_of, LARGE[name](options.segments), name)
        print(name, files[name], flush=True)
    results = {"commit": commit(), "environment": at_start, "num_segments": options.segments, "files": files}
    if not options.only:
        results["long_word"] = _in_process(work_of, long_word(), "a.docx")
        results["reports"] = _in_process(reports_of, options.segments)
        print("long Word document", results["long_word"])
        print("reports", results["reports"])
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        write_json(options.output / "results.json", results)


def work_of(data: bytes, name: str) -> dict[str, float]:
    """Seconds of opening a file and of exporting it with a translation of each segment."""
    began = time.process_time()
    document = read_document(data, name)
    opened = time.process_time()
    texts = {segment.index: translation(segment.index, segment.source) for segment in document.segments}
    started = time.process_time()
    exported = document.export(texts)
    ended = time.process_time()
    assert exported != data
    return {
        "num_segments": len(document.segments),
        "open_s": round(opened - began, 2),
        "export_s": round(ended - started, 2),
    }


def reports_of(num_segments: int) -> dict[str, float]:
    """Seconds of each file made of a session, and of the report on the page."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        store = LogStore.open(Path(folder) / "log.sqlite")
        session = logged_session(store, num_segments)
        makers: dict[str, Callable[[Actor, LogStore, int], object]] = {**EXPORTS, "page": report_view}
        for kind, make in makers.items():
            began = time.process_time()
            make(OWNER, store, session)
            found[kind] = round(time.process_time() - began, 2)
        store.close()
    return found


def _in_process(work: Callable[..., Any], *arguments: Any) -> Any:
    """What the work returns in a process of its own; None if that was ended."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_send, args=(sender, work, arguments))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        return None
    finally:
        process.join()


def _send(sender: Connection, work: Callable[..., Any], arguments: Sequence[Any]) -> None:
    sender.send(work(*arguments))


def _read_hostile(number: int, seconds: int) -> str:
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
    return f"{taken:6.2f} s {peak:5.0f} MB  {outcome}"


if __name__ == "__main__":
    main()
