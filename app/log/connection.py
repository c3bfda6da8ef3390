"""A connection to the SQLite file of the log: atomic transactions, one thread at a time, errors with a solution.

Independent of the tables.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlite_utils import Database

from app.errors import LogError
from app.i18n import Message

# By primary error code of SQLite.
_CURES: Final = {
    sqlite3.SQLITE_FULL: Message("free some disk space"),
    sqlite3.SQLITE_IOERR: Message("check that the disk has free space and no errors"),
    sqlite3.SQLITE_BUSY: Message("close the program that locks the file"),
    sqlite3.SQLITE_LOCKED: Message("close the program that locks the file"),
}


class LogConnection:
    """An open database at `path`, which error messages name. Thread-safe."""

    def __init__(self, db: Database, path: Path) -> None:
        self.db = db
        self.path = path
        self.lock = threading.RLock()

    def rows(self, purpose: str, query: str, parameters: tuple[Any, ...] | dict[str, Any] = ()) -> list[dict[str, Any]]:
        """All rows of a query, by column; `purpose` completes "could not …" in the error message."""
        with self.lock, self.clear_errors(purpose):
            cursor = self.db.conn.execute(query, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

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
    def transaction(self, purpose: str) -> Iterator[None]:
        """A transaction: everything inside is written, or nothing. Takes the write lock of the file at once."""
        with self.lock, self.clear_errors(purpose):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.db.commit()
            except BaseException:
                self.db.rollback()
                raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Every query inside sees the same state of the file, even if other processes write meanwhile."""
        with self.lock, self.clear_errors(Message("read the log")):
            self.db.execute("BEGIN")
            try:
                yield
            finally:
                self.db.rollback()

    @contextmanager
    def clear_errors(self, purpose: str) -> Iterator[None]:
        """Turns SQLite errors into LogError, with the file and a solution."""
        try:
            yield
        except sqlite3.Error as error:
            raise LogError(
                Message(
                    "{path}: could not {purpose} ({error}). Nothing was written: {cure}",
                    path=self.path,
                    purpose=purpose,
                    error=error,
                    cure=cure_of(error),
                )
            ) from error


def cure_of(error: Exception) -> Message:
    """Advice for the user about an SQLite or system error while a log is opened or written."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        code = sqlite3.SQLITE_FULL
    cure = _CURES.get(code) or Message("make the folder and the file writable")
    return Message("{cure}, or choose another file with --log FILE", cure=cure)
