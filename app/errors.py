"""The app's exceptions, as one tree.

    AppError
    ├── DocumentError      a document that cannot be opened or written
    ├── GlossaryError      a glossary that cannot be used at all
    ├── LogError           a log that cannot be read or written
    ├── DownloadError      a model that cannot be downloaded or installed
    │   └── BrokenDownload   a download that can be continued later
    ├── CommandError       a command of the page that cannot be carried out
    ├── SignInError        a person who cannot be signed in
    └── ApiError           a request of the HTTP API that cannot be answered

Every message is for the user: it names the file or row and how to fix the problem. It is plain text, never HTML.
"""

import logging
import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import PurePath
from typing import Any, Final, Literal

from app.i18n import Message

_LOG: Final = logging.getLogger("pinpoint")
# What reading a database raises: the second where Python cannot decode a message of SQLite, as it quotes damaged text.
SQLITE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)

ApiErrorKind = Literal[
    "no_key",
    "wrong_key",
    "forbidden",
    "foreign",
    "not_found",
    "wrong_method",
    "invalid",
    "unsupported",
    "unmet",
    "in_use",
    "too_large",
    "too_fast",
    "used_up",
    "not_ready",
    "too_late",
    "hung_up",
    "internal",
]


class AppError(Exception):
    """Base class of every exception that the app raises on purpose. Its message is a `Message`.

    >>> str(AppError("{path} cannot be read", path="a.csv"))
    'a.csv cannot be read'
    """

    def __init__(self, message: str, /, **values: Any) -> None:
        """`message` is a `Message`, or the template of one with its values, or a text from elsewhere without values."""
        if not isinstance(message, Message):
            template = message if values else message.replace("{", "{{").replace("}", "}}")
            message = Message(template, **values)
        super().__init__(message)


class DocumentError(AppError):
    """A document cannot be opened or written; the message names the file and the cure."""


class GlossaryError(AppError):
    """A glossary cannot be used; the message names the row or file and the cure."""


class LogError(AppError):
    """The log cannot be read or written; the message names the file and the cure."""


class DownloadError(AppError):
    """A published model cannot be listed, downloaded or installed; the message names the file and the cure."""


class BrokenDownload(DownloadError):
    """A download was broken off, such as by the network; it can be continued later."""


class CommandError(AppError):
    """A command cannot be carried out."""


class SignInError(AppError):
    """A person cannot be signed in. The message does not reveal whether there is a person of that name."""

    def __init__(self, message: str, retry_after: int | None = None) -> None:
        """`retry_after` is the number of seconds to wait, after too many attempts."""
        super().__init__(message)
        self.retry_after = retry_after


class ApiError(AppError):
    """A request of the HTTP API cannot be answered. `kind` is for programs; the message, in English, is for people."""

    def __init__(self, kind: ApiErrorKind, message: str, *, retry_after: int | None = None) -> None:
        """`retry_after` is the number of seconds after which the same request may succeed."""
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after


def shown_message(error: Exception) -> str:
    """The message of an error without the folders of the server, which only its output shows."""
    message: str = error.args[0] if len(error.args) == 1 else str(error)
    if not isinstance(message, Message):
        return message
    values = {name: _without_folders(value) for name, value in message.values.items()}
    if values == message.values:
        return message
    _LOG.error("%s", message)
    return Message.of_parts(message.template, values)


def _without_folders(value: Any) -> Any:
    if isinstance(value, OSError):  # whose text has the path
        return value.strerror or type(value).__name__
    return value.name if isinstance(value, PurePath) else value


class Checked:
    """A dataclass that raises CommandError, when it is made, for a value that is not of the annotated type."""

    __slots__ = ()

    def __post_init__(self) -> None:
        check_fields(self)


def check_fields(value: Any) -> None:
    """Raises CommandError for the first field of a dataclass whose value is not of the annotated type.

    For data from clients, files and flags, which is thereby checked in one way; `engine.check_types` is the engine's.
    """
    _check_types()(value, CommandError)


@cache
def _check_types() -> Callable[[Any, type[Exception]], None]:
    from engine import check_types  # here, as the commands that need no engine start faster without it

    return check_types
