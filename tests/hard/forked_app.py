"""The app in a process of its own that starts in half a second, to be killed often."""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from app.paths import MODEL_FOLDER


def _serve(log: str, document: str, output: Connection) -> None:
    """Runs the app with this document in this process, whose output goes to `output`."""
    from app.__main__ import main as run_app

    os.dup2(output.fileno(), 1)
    flags = ["--model", str(MODEL_FOLDER), "--log", log, "--port", "0", "--no-browser", "--no-auth", "--threads", "1"]
    sys.exit(run_app([*flags, "--document", document]))


@cache
def _context() -> Any:
    """Processes are forked from one that has imported all modules, and has only one thread."""
    os.environ["OMP_NUM_THREADS"] = "1"
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["app.__main__", "app.models.loading", "app.sessions", "app.ui.server", __name__])
    return context


class ForkedApp:
    """The app in a process that is forked from one with all modules imported, which saves five seconds each time."""

    def __init__(self, log: Path, document: Path) -> None:
        context = _context()
        output, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_serve, args=(str(log), str(document), theirs))
        self._process.start()
        theirs.close()
        with os.fdopen(os.dup(output.fileno()), encoding="utf-8", errors="replace") as lines:
            addresses = (found.group() for line in lines if (found := re.search(r"http://\S+", line)))
            address = next(addresses, None)
        output.close()
        if address is None:
            raise RuntimeError("the app did not start")
        self.url = address

    def kill(self) -> None:
        """Kills the process with SIGKILL."""
        self._process.kill()
        self._process.join()
