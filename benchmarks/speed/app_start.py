"""Seconds from the command to the page and to the first translation, and the app's memory."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "data" / "samples" / "getting-started.txt"
LONGEST_S = 180.0


def measure_start(model: Path, python: str = sys.executable) -> dict[str, float]:
    """Seconds to the page served and to the first translation in the log; peak memory in MB at that moment."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "sessions.sqlite"
        command = [python, "-u", "-m", "app", "--no-browser", "--port", "0", "--model", str(model)]
        started = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--log", str(log), "--document", str(DOCUMENT)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://\S+", line)
            if found is None:
                raise RuntimeError(f"the app did not start: it said {line!r}")
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())  # signs in with a cookie
            with browser.open(found[0], timeout=LONGEST_S) as page:
                page.read()
            served_s = time.perf_counter() - started
            while not has_translation(log):
                if time.perf_counter() - started > LONGEST_S:
                    raise RuntimeError(f"no translation within {LONGEST_S:.0f} seconds")
                time.sleep(0.02)
            translated_s = time.perf_counter() - started
            memory_mb = peak_memory_mb(process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    return {"served_s": served_s, "first_translation_s": translated_s, "peak_memory_mb": memory_mb}


def has_translation(log: Path) -> bool:
    """True if the log contains a decoded segment."""
    try:
        with closing(sqlite3.connect(f"file:{log}?mode=ro", uri=True)) as connection:
            query = "SELECT 1 FROM event WHERE type = 'decode_result' LIMIT 1"
            return connection.execute(query).fetchone() is not None
    except sqlite3.OperationalError:  # not made yet
        return False


def peak_memory_mb(pid: int) -> float:
    """Peak resident memory of a process in MB; NaN if the system does not report it."""
    path = Path(f"/proc/{pid}/status")
    if os.name != "posix" or not path.exists():
        return float("nan")
    found = re.search(r"VmHWM:\s+(\d+) kB", path.read_text())
    return int(found[1]) / 1024 if found else float("nan")
