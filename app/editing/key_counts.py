"""How many keys of each class a person pressed in a segment. Which character it was never leaves the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.errors import CommandError
from app.log.records import KEY_CLASSES
from app.workspace import Workspace

MAX_COUNT: Final = 100_000


def log_keys(workspace: Workspace, index: int, counts: Mapping[str, int]) -> None:
    """Keeps what the page has counted since it told last; a count of nothing keeps nothing."""
    if unknown := sorted(set(counts) - set(KEY_CLASSES)):
        raise CommandError(f"There is no class of keys {unknown[0]!r}; reload the page.")
    if any(not 0 <= count <= MAX_COUNT for count in counts.values()):
        raise CommandError("The page counted keys that nobody can have pressed; reload the page.")
    pressed = {name: count for name, count in counts.items() if count}
    if pressed:
        with workspace.lock:
            workspace.log("key", {"counts": pressed}, workspace.segment(index))
