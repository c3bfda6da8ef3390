"""The app, in which some work hangs for ever once a file exists."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app import __main__
from app.log.store import LogStore
from app.reading import separate_reader
from app.ui.api import Api
from engine import Worker


def hang() -> None:
    """Never returns."""
    while True:
        time.sleep(60)


def hanging(owner: Any, name: str, marker: Path) -> None:
    """Makes a method of a class hang once the file exists."""
    real: Callable[..., Any] = getattr(owner, name)

    def call(*arguments: Any, **named: Any) -> Any:
        if marker.exists():
            hang()
        return real(*arguments, **named)

    setattr(owner, name, call)


def hang_where_named(what: str, marker: Path) -> None:
    """Prepares one kind of hanging."""
    if what == "opening":
        hanging(LogStore, "load_session", marker)
    elif what == "model":
        hanging(Worker, "_step", marker)
    elif what == "closing":
        hanging(LogStore, "close", marker)
    elif what == "event loop":
        hanging(Api, "changes", marker)  # a coroutine function: its call blocks the loop
    elif what == "reading":
        separate_reader._MAIN = "import time\nwhile True: time.sleep(60)"
    elif what == "thread":
        threading.Thread(target=hang, name="hanging").start()
    else:
        raise ValueError(what)


@dataclass(frozen=True)
class HangingApp:
    """Runs the app; `kinds` hang once the file `marker` exists."""

    marker: Path
    kinds: Sequence[str]

    def __call__(self, arguments: list[str]) -> int:
        for kind in self.kinds:
            hang_where_named(kind, self.marker)
        return __main__.main(arguments)
