"""Which messages of a page are overtaken by a later one of the same page, as they may arrive in any order."""

from __future__ import annotations


class StaleCommands:
    """Remembers the newest message of each page, kind and segment; used under the workspace's lock."""

    def __init__(self) -> None:
        self._newest: dict[tuple[str, int, str], int] = {}

    def by_later(self, kind: str, index: int, client: str, sequence: int) -> bool:
        """Whether the page `client` has sent a later one already; without a client none counts as overtaken."""
        if not client:
            return False
        key = (kind, index, client)
        if sequence <= self._newest.get(key, -1):
            return True
        self._newest[key] = sequence
        return False
