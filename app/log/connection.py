"""A connection to the SQLite file of the log: atomic transactions, one thread at a time, errors with a solution.

Independent of the tables.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, Literal

from sqlite_utils import Database

from app.errors import SQLITE_ERRORS, CommandError, LogError
from app.i18n import Message

Leaves = Literal["change", "preparation", "nothing"]  # what a request has done after a transaction

# By primary error code of SQLite.
_CURES: Final = {
    sqlite3.SQLITE_FULL: Message("free some disk space"),
    sqlite3.SQLITE_IOERR: Message("check that the disk has free space and no errors"),
    sqlite3.SQLITE_BUSY: Message("close the program that locks the file"),
    sqlite3.SQLITE_LOCKED: Message("close the program that locks the file"),
    sqlite3.SQLITE_CORRUPT: Message("the file is damaged: restart the app to see which parts can be rescued"),
    sqlite3.SQLITE_NOTADB: Message("the file is damaged: restart the app to see which parts can be rescued"),
}


# How long a transaction waits for the next one to write both to the disk, in case that thread was interrupted.
_HANDED_ON_SECONDS: Final = 0.05


class Written:
    """Whether a request has written anything that was not taken back."""

    def __init__(self) -> None:
        self.is_any = False


_WRITTEN: ContextVar[Written | None] = ContextVar("written", default=None)


@contextmanager
def noting_writes() -> Iterator[Written]:
    """Notes what the request inside writes to the log, also in threads that it waits for."""
    written = Written()
    token = _WRITTEN.set(written)
    try:
        yield written
    finally:
        _WRITTEN.reset(token)


def _note_written(is_any: bool) -> None:
    if (written := _WRITTEN.get()) is not None:
        written.is_any = is_any


class _Group:
    """Transactions of several threads that are written to the disk together; `error` is the reason of a failure."""

    def __init__(self) -> None:
        self.has_ended = threading.Event()
        self.error: sqlite3.Error | None = None


class _Mutex:
    """A lock that a thread can take several times: `depth` says how often it has."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.depth = 0

    def __enter__(self) -> None:
        self._lock.acquire()
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1
        self._lock.release()


class _ConnectionLock:
    """The mutex of a connection, acquired when all earlier changes are on the disk."""

    def __init__(self, mutex: _Mutex, write_group: Callable[[], None]) -> None:
        self._mutex = mutex
        self._write_group = write_group

    def __enter__(self) -> None:
        self._mutex.__enter__()
        try:
            if self._mutex.depth == 1:
                self._write_group()
        except BaseException:
            self._mutex.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        self._mutex.__exit__()


class LogConnection:
    """An open database at `path`, which error messages name. Thread-safe."""

    def __init__(self, db: Database, path: Path) -> None:
        self.db = db
        self.path = path
        # Is entered for each transaction, with its purpose, by whoever measures them.
        self.watch: Callable[[str], AbstractContextManager[object]] = nullcontext
        self._mutex = _Mutex()
        self.lock = _ConnectionLock(self._mutex, self._write_group)
        # The attributes below are used under the mutex.
        self._group: _Group | None = None  # carried out, and not on the disk yet
        self._waiting: set[object] = set()  # shared transactions that wait for the mutex; under none

    def rows(self, purpose: str, query: str, parameters: tuple[Any, ...] | dict[str, Any] = ()) -> list[dict[str, Any]]:
        """All rows of a query, by column; `purpose` completes "could not …" in the error message."""
        with self.lock, self.clear_errors(purpose):
            cursor = self.db.conn.execute(query, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def tuples(self, purpose: str, query: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query, each as the values of its columns in order; for many rows, faster than `rows`."""
        with self.lock, self.clear_errors(purpose):
            return self.db.conn.execute(query, parameters).fetchall()

    def data_version(self) -> int:
        """A number that changes whenever another connection writes to the file, but not with own writes."""
        return int(self.rows(Message("read the log"), "PRAGMA data_version")[0]["data_version"])

    def insert(self, table: str, **values: Any) -> int:
        """Inserts a row and returns its number. Table and column names must never come from data."""
        columns = ", ".join(values)
        marks = ", ".join("?" for _ in values)
        statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608
        return int(self.db.execute(statement, tuple(values.values())).lastrowid or 0)

    @contextmanager
    def transaction(self, purpose: str, *, leaves: Leaves = "change") -> Iterator[None]:
        """A transaction: everything inside is written, or nothing. Takes the write lock of the file immediately.

        `leaves`: "preparation" has no effect yet, "nothing" takes back all that the request has written.
        """
        with self.watch(purpose), self.lock, self.clear_errors(purpose):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.db.commit()
            except BaseException:
                self.db.rollback()
                raise
            if leaves != "preparation":
                _note_written(leaves == "change")

    @contextmanager
    def shared_transaction(self, purpose: str) -> Iterator[None]:
        """Like `transaction`, for short ones: transactions of several threads share one write to the disk.

        It ends when its changes are on the disk. An exception inside undoes only its own changes. If writing to the
        disk fails, all transactions that share the write raise LogError, and none of them is written.
        """
        with self.watch(purpose), self.clear_errors(purpose):
            mark = object()
            self._waiting.add(mark)
            try:
                with self._mutex:
                    self._waiting.discard(mark)
                    try:
                        self.db.execute("BEGIN IMMEDIATE" if self._group is None else "SAVEPOINT shared")
                        try:
                            yield
                            group = self._end_shared()
                        except BaseException as error:
                            self._undo_shared(error)
                            raise
                    finally:
                        if not self._is_continued:
                            self._write_group()
            finally:
                self._waiting.discard(mark)
            if group is not None:
                self._wait_for(group)
            _note_written(True)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """All queries inside see the same state of the file, even if other processes write to it at the same time."""
        with self.lock, self.clear_errors(Message("read the log")):
            self.db.execute("BEGIN")
            try:
                yield
            finally:
                self.db.rollback()

    @property
    def _is_continued(self) -> bool:
        """True if another thread is waiting, which will write the group to the disk."""
        return bool(self._waiting) and self._mutex.depth == 1

    def _end_shared(self) -> _Group | None:
        """The group that the transaction belongs to; None if it was alone and is on the disk now."""
        if self._group is not None:
            self.db.execute("RELEASE shared")
        elif self._is_continued:
            self._group = _Group()
        else:
            self.db.commit()
        return self._group

    def _wait_for(self, group: _Group) -> None:
        """Waits until the group is on the disk. Raises the error of SQLite if it cannot be."""
        while not group.has_ended.wait(_HANDED_ON_SECONDS):
            with self.lock:  # writes it
                pass
        if group.error is not None:
            raise group.error

    def _undo_shared(self, reason: BaseException) -> None:
        """Undoes the changes of one transaction, or of its whole group if SQLite has already undone the group."""
        if self._group is None:
            self.db.rollback()
            return
        try:
            self.db.execute("ROLLBACK TO shared")
            self.db.execute("RELEASE shared")
        except sqlite3.Error as error:
            self._end_group(reason if isinstance(reason, sqlite3.Error) else error)

    def _write_group(self) -> None:
        """Writes the group that was left to this thread, if any, to the disk; errors are its members'."""
        if self._group is None:
            return
        error: sqlite3.Error | None = sqlite3.OperationalError("interrupted")
        try:
            self.db.commit()
            error = None
        except sqlite3.Error as failure:
            error = failure
        finally:
            self._end_group(error)

    def _end_group(self, error: sqlite3.Error | None) -> None:
        """Reports the result of the transaction to all writers of the group, and rolls it back after an error."""
        group, self._group = self._group, None
        assert group is not None
        group.error = error
        try:
            if error is not None:
                with suppress(sqlite3.Error):  # the next transaction says so
                    self.db.rollback()
        finally:
            group.has_ended.set()

    @contextmanager
    def checked(self, purpose: str) -> Iterator[None]:
        """Turns the errors of wrong values in the file into LogError: a wrong type, an unknown name, damaged JSON."""
        try:
            yield
        except (CommandError, ValueError, TypeError, LookupError, RecursionError) as error:
            raise LogError(
                "{path}: could not {purpose}, because the file has a wrong value ({error}): restore a backup, or "
                "copy the intact documents with `pinpoint rescue`",
                path=self.path,
                purpose=purpose,
                error=error,
            ) from error

    @contextmanager
    def clear_errors(self, purpose: str) -> Iterator[None]:
        """Turns SQLite errors into LogError, with the file and a solution."""
        try:
            yield
        except SQLITE_ERRORS as error:
            raise LogError(
                "{path}: could not {purpose} ({error}). Nothing was written: {cure}",
                path=self.path,
                purpose=purpose,
                error=error,
                cure=cure_of(error),
            ) from error


def cure_of(error: Exception) -> Message:
    """Advice for the user about an SQLite or system error while a log is opened or written."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        code = sqlite3.SQLITE_FULL
    cure = _CURES.get(code) or Message("make the folder and the file writable")
    return Message("{cure}, or choose another file with --log FILE", cure=cure)
