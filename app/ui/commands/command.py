"""The base classes of all commands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

from app.access.actor import Actor
from app.segments import Json
from app.sessions import Sessions
from app.ui.results import ShownSession
from app.ui.schemas import Integer, Name, PageMessage
from app.workspace.commands import Workspace

StepOrigin = Literal["undo", "redo"]


class CommandMessage(PageMessage):
    """The fields of every command: its `name`, and the page's version, so that the reply has only newer state.

    `since` is the page's version, `open` its open segment and `detail_since` the stamp of that segment's details.
    Commands of one page (`client`) are numbered by `sequence`, so that each is carried out once and in order.
    """

    name: str
    since: Integer
    open: Integer | None = None
    detail_since: Integer
    client: Name = ""
    sequence: Integer = 0


class Command(CommandMessage, ABC):
    """A command on one workspace; its result comes with the new state."""

    changes_models: ClassVar[bool] = False  # which are not in the log: what `run` did stays if the reply cannot be made

    @abstractmethod
    def run(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Json | None:
        """Executes the command. Raises AppError or EngineError if this is impossible; nothing has changed then."""

    def result_after(self, actor: Actor, sessions: Sessions) -> Json | None:
        """The result of a command whose `run` has none, read when its changes are saved."""
        return None

    def take_back(self, actor: Actor, sessions: Sessions, result: Json | None) -> None:
        """Drops what `run` keeps in memory alone: the command is refused, as its reply could not be made."""


class SegmentCommand(Command):
    """A command about one segment, by its index."""

    segment: Integer


class SessionCommand(CommandMessage, ABC):
    """A command after which the page shows another session."""

    result: ClassVar[Any] = ShownSession

    @abstractmethod
    def switch(self, actor: Actor, sessions: Sessions, workspace: Workspace) -> Workspace:
        """The workspace to show instead. Raises AppError or EngineError if this is impossible."""
