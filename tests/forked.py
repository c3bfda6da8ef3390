"""A program of the app in a process of its own, which is forked from one that has imported all modules.

That takes 0.3 instead of 4 seconds of processor time. `tests/app/test_main.py` starts the app as a user does.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

# What the app imports when it starts, and its command `mcp`.
_MODULES = ["app.__main__", "app.cli.mcp_command", "app.models.loading", "app.sessions", "app.ui.server", __name__]
Program = Callable[[list[str]], int | None]  # is found by its name in the other process


def _run(program: Program, arguments: list[str], read: Connection, written: Connection, writes_errors: bool) -> None:
    """Runs the program in this process; its input and output are the other ends of pipes."""
    os.dup2(read.fileno(), 0)
    os.dup2(written.fileno(), 1)
    if writes_errors:
        os.dup2(written.fileno(), 2)
    for connection in (read, written):
        connection.close()
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (multiprocessing has given it no input)
    sys.argv = ["pinpoint", *arguments]
    sys.exit(program(arguments))


@cache
def _context() -> Any:
    """Processes are forked from one that has imported all modules, and has only one thread."""
    os.environ["OMP_NUM_THREADS"] = "1"
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_MODULES)
    return context


class ForkedProcess:
    """The process, with what the tests use of `subprocess.Popen`."""

    def __init__(self, program: Program, arguments: Sequence[str], *, writes_errors: bool = True) -> None:
        """With `writes_errors`, `stdout` has the errors, too."""
        context = _context()
        read, sent = context.Pipe(duplex=False)
        received, written = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_run, args=(program, list(arguments), read, written, writes_errors), daemon=True
        )
        self._process.start()
        self.pid: int = self._process.pid
        self.stdin = os.fdopen(os.dup(sent.fileno()), "wb")
        self.stdout = os.fdopen(os.dup(received.fileno()), "rb")
        for connection in (read, sent, received, written):
            connection.close()

    def poll(self) -> int | None:
        """The exit status; None while the process runs."""
        status: int | None = self._process.exitcode
        return status

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the end of the process; returns its exit status. Raises subprocess.TimeoutExpired."""
        self._process.join(timeout)
        status = self.poll()
        if status is None:
            raise subprocess.TimeoutExpired(str(self._process), timeout or 0.0)
        return status

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)
