"""The commands of the page: one class each, with its fields, its effect, and the type of its result.

Only what a message looks like is checked when it is read. Whether a command is possible, such as whether a segment
exists, is checked where it is carried out.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Final, Literal, get_origin

from app.errors import CommandError
from app.ui.commands import (
    audit_commands,
    bundle_commands,
    document_commands,
    glossary_commands,
    model_commands,
    project_commands,
    review_commands,
    segment_commands,
    session_commands,
)
from app.ui.commands.command import Command, SessionCommand
from app.ui.schemas import by_literal, read


def _commands_of(module: ModuleType) -> Iterator[type[Command | SessionCommand]]:
    """The commands that a module defines, in its order, without base classes, which have no name of their own."""
    defined = (kind for kind in vars(module).values() if getattr(kind, "__module__", "") == module.__name__)
    for kind in defined:
        if issubclass(kind, Command | SessionCommand) and get_origin(kind.model_fields["name"].annotation) is Literal:
            yield kind


_MODULES: Final = (
    *(segment_commands, document_commands, review_commands, glossary_commands, model_commands),
    *(project_commands, audit_commands, bundle_commands, session_commands),
)
COMMANDS: Final = by_literal("name", (kind for module in _MODULES for kind in _commands_of(module)))


def read_command(name: str, message: object) -> Command | SessionCommand:
    """The command in a message. Raises CommandError for an unknown command or an invalid message."""
    if name not in COMMANDS:
        raise CommandError("The page sent an unknown command {name!r}; reload the page.", name=name)
    return read(COMMANDS[name], message)
