"""Commands that a page sends again because the reply was lost on its way: they are carried out once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from app.access.actor import Actor
from app.ui.commands.command import CommandMessage

MAX_PAGES: Final = 10_000

T = TypeVar("T")


@dataclass(slots=True)
class _Newest:
    """The newest executed command of a page: its number, its name and its result."""

    number: tuple[int, str] | None = None
    result: object = None
    lock: threading.Lock = field(default_factory=threading.Lock)  # the first attempt may still be running


class RepeatedCommands:
    """The newest command of each page that was open lately. Thread-safe.

    A page sends one command at a time, and the next one only after a reply, so one for each page is enough. Pages
    choose their own names, so those of each person are kept apart.
    """

    def __init__(self) -> None:
        self._pages: OrderedDict[tuple[str, str], _Newest] = OrderedDict()
        self._lock = threading.Lock()

    def once(self, actor: Actor, command: CommandMessage, carry_out: Callable[[], T]) -> T | None:
        """The result of the command, which is carried out unless it was before.

        None for one that comes after a newer command of its page. Commands without a `client` are always carried out.
        """
        if not command.client:
            return carry_out()
        page = actor.name, command.client
        with self._lock:
            newest = self._pages.setdefault(page, _Newest())
            self._pages.move_to_end(page)
            if len(self._pages) > MAX_PAGES:
                self._pages.popitem(last=False)
        with newest.lock:
            number = command.sequence, command.name
            if newest.number == number:
                return newest.result  # type: ignore[return-value]
            if newest.number is not None and command.sequence < newest.number[0]:
                return None
            newest.result = carry_out()
            newest.number = number
            return newest.result

    def forget(self, actor: Actor, command: CommandMessage) -> None:
        """Carries the command out again if it comes again: its page was told that it was refused."""
        with self._lock:
            newest = self._pages.get((actor.name, command.client))
        if newest is not None:
            with newest.lock:
                if newest.number == (command.sequence, command.name):
                    newest.number = None
