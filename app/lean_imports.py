"""Imports of libraries without their parts that the app never uses, which would take a tenth of its memory."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from typing import Any


@contextmanager
def hidden(name: str) -> Iterator[None]:
    """Inside, a library that has not been imported seems not to be installed."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]


@contextmanager
def imported_when_used(name: str) -> Iterator[None]:
    """Inside, importing a library only prepares it: it is loaded when something of it is used."""

    class Finder:
        @classmethod
        def find_spec(cls, asked: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
            found = PathFinder.find_spec(asked, path) if asked == name else None
            if found is not None and found.loader is not None:
                found.loader = LazyLoader(found.loader)
            return found

    sys.meta_path.insert(0, Finder)
    try:
        yield
    finally:
        sys.meta_path.remove(Finder)
