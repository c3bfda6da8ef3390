"""Makes the n-th file-system call or SQL statement of an operation fail, or kills the process there, for every n."""

from __future__ import annotations

import builtins
import errno
import io
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

Strike = Callable[[], None]
_CHANGES = ("replace", "rename", "link", "unlink", "remove", "mkdir", "rmdir", "fsync", "write", "sendfile")
KILLED = 99  # the exit status


@dataclass
class Counter:
    """Counts calls that change something on the disk, and strikes before the n-th."""

    strikes_at: int
    strike: Strike
    num_calls: int = 0
    call: str = ""

    def count(self, call: str) -> None:
        self.num_calls += 1
        if self.num_calls == self.strikes_at:
            self.call = call
            self.strike()

    @property
    def has_struck(self) -> bool:
        return self.num_calls >= self.strikes_at


class _File:
    """A file that was opened to be written."""

    def __init__(self, file: Any, counter: Counter) -> None:
        self._file, self._counter = file, counter

    def write(self, data: Any) -> int:
        self._counter.count("write")
        return self._file.write(data)  # type: ignore[no-any-return]

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def counted(counter: Counter) -> Iterator[None]:
    """Counts the calls of Python in this block; SQLite's own are not seen."""

    def counting(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            counter.count(name)
            return real(*arguments, **named)

        return call

    real_open, real_os_open = io.open, os.open

    def open_file(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if not set(mode) & set("wax+"):
            return real_open(file, mode, *arguments, **named)
        counter.count("open")
        return _File(real_open(file, mode, *arguments, **named), counter)

    def open_descriptor(path: Any, flags: int, *arguments: Any, **named: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            counter.count("os.open")
        return real_os_open(path, flags, *arguments, **named)

    patches = [patch.object(os, name, counting(name, getattr(os, name))) for name in _CHANGES if hasattr(os, name)]
    patches += [patch.object(io, "open", open_file), patch.object(builtins, "open", open_file)]
    patches.append(patch.object(os, "open", open_descriptor))
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in reversed(patches):
            each.stop()


def every_error(
    operation: Callable[[], object], code: int = errno.ENOSPC
) -> Iterator[tuple[str, BaseException | None]]:
    """For each n: the call that failed and what the operation raised. Whoever iterates restores the state between."""

    def fail() -> None:
        raise OSError(code, os.strerror(code))

    number = 0
    while True:
        number += 1
        counter = Counter(number, fail)
        error: Exception | None = None
        with counted(counter):
            try:
                operation()
            except Exception as caught:
                error = caught
        if not counter.has_struck:
            return
        yield f"call {number} ({counter.call})", error


@dataclass
class StatementFault:
    """Fails the n-th statement of a connection, with an error code of SQLite; a ROLLBACK never fails."""

    strikes_at: int
    code: int
    num_statements: int = 0
    statement: str = ""

    @property
    def has_struck(self) -> bool:
        return self.num_statements >= self.strikes_at

    def over(self, connection: sqlite3.Connection) -> Any:
        """The connection with this fault."""
        return _FaultyConnection(connection, self)

    def count(self, statement: str) -> None:
        self.num_statements += statement != "ROLLBACK"
        if self.num_statements == self.strikes_at and not self.statement:
            self.statement = statement
            error = sqlite3.OperationalError("a fault of the test")
            error.sqlite_errorcode = self.code
            raise error


class _FaultyConnection:
    """A connection of SQLite as the app uses it."""

    def __init__(self, connection: sqlite3.Connection, fault: StatementFault) -> None:
        self.__dict__.update(_connection=connection, _fault=fault)

    def execute(self, statement: str, *parameters: Any) -> Any:
        self._fault.count(statement)
        return self._connection.execute(statement, *parameters)

    def executemany(self, statement: str, *parameters: Any) -> Any:
        self._fault.count(statement)
        return self._connection.executemany(statement, *parameters)

    def executescript(self, statements: str) -> Any:
        self._fault.count(statements)
        return self._connection.executescript(statements)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._connection, name, value)


def every_kill(operation: Callable[[], object]) -> Iterator[str]:
    """For each n: runs the operation in a child process that dies before the n-th call, without any clean-up."""
    number = 0
    while True:
        number += 1
        child = os.fork()
        if child == 0:
            try:
                with counted(Counter(number, lambda: os._exit(KILLED))):
                    operation()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) != KILLED:
            return
        yield f"killed before call {number}"
