"""Opens the log's SQLite file: its write settings, its lock, and the handling of a damaged file.

Independent of the meaning of the tables.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlite_utils import Database

from app.errors import SQLITE_ERRORS, LogError
from app.i18n import Message
from app.log.connection import cure_of
from app.log.lock import LogLock
from app.log.migrations import APPLICATION_ID, migrate, pending_steps, unknown_steps
from app.log.write_ahead_file import check_write_ahead_file, set_number
from app.paths import default_log_path
from app.settings import program_name
from app.whole_files import whole_file

# How long a write waits for another program's lock. Everybody waits with it, so a message must come soon.
BUSY_SECONDS = 3.0
# Checking a larger file would delay the start too much.
_MAX_BYTES_TO_CHECK = 200 * 1024 * 1024
_MAX_NAMES = 100


class _DamagedError(Exception):
    """The file is not an SQLite database, or it is corrupt."""


def open_database(path: Path, *, exclusively: bool) -> tuple[Database, Path, tuple[str, ...], LogLock | None]:
    """The open database, its path, notes for the user, and with `exclusively` the lock of its file.

    A damaged file is left unchanged and the first usable file of "log-2.sqlite", "log-3.sqlite", … is opened instead,
    so that the next start finds the same one again.
    """
    notes: list[str] = []
    for number in range(1, _MAX_NAMES):
        candidate = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        try:
            db, lock = _open(candidate, exclusively)
            return db, candidate, tuple(notes), lock
        except _DamagedError as error:
            following = path.with_name(f"{path.stem}-{number + 1}{path.suffix}")
            notes.append(
                Message(
                    "The log {path} is damaged ({error}). It is left unchanged; work is logged in {other} instead. "
                    "Restore a backup, or copy the intact parts: {command} rescue rescued.sqlite --log {path}",
                    path=candidate,
                    error=error,
                    other=following,
                    command=program_name(),
                )
            )
    raise LogError(
        "{path} and {count} other logs in its folder are damaged: choose another file with --log FILE",
        path=path,
        count=_MAX_NAMES - 2,
    )


def open_to_read(path: Path, *, may_be_older: bool = False) -> Database:
    """The database in this file, opened read-only. Raises LogError if it cannot be used without changes.

    With `may_be_older` a log of an earlier version is accepted, to be copied only.
    """
    connection: sqlite3.Connection | None = None
    try:
        if not path.is_file():
            raise LogError("{path}: log not found; choose the right file with --log FILE", path=path)
        check_write_ahead_file(path)
        connection = _connect_to_read(path)
        db = Database(connection)
        _check(db, path)
        if not may_be_older and (missing := pending_steps(db)):
            raise LogError(
                "{path} was written by an older version of Pinpoint (it lacks {step}): start the app once with "
                "this log to update it",
                path=path,
                step=missing[0],
            )
        return db
    except LogError:
        _close(connection)
        raise
    except (*SQLITE_ERRORS, OSError) as error:
        _close(connection)
        if is_damage(error):
            problem = Message(
                "{path}: the log is damaged ({error}); it is left unchanged. Restore a backup, or copy the "
                "intact parts: {command} rescue rescued.sqlite --log {path}",
                path=path,
                error=error,
                command=program_name(),
            )
        else:
            problem = Message("{path}: the log cannot be read ({error}); it is left unchanged", path=path, error=error)
        raise LogError(problem) from error


def back_up(db: Database, path: Path) -> None:
    """Copies a database into a new file at `path`, which exists only once it is complete.

    On LogError no file is left behind.
    """
    with explained_new_file(path):
        if path.exists():
            raise FileExistsError
        num_pages, page_size = (db.execute(f"PRAGMA page_{what}").fetchone()[0] for what in ("count", "size"))
        with whole_file(path, mode=0o600, replaces=False, num_bytes=num_pages * page_size) as temporary:
            _copy(db, temporary)


@contextmanager
def explained_new_file(path: Path) -> Iterator[None]:
    """Turns errors while a new log is written to `path` into LogError with a solution."""
    try:
        yield
    except FileExistsError as error:
        raise LogError(
            "{path} already exists: choose a new name (existing backups are not overwritten)", path=path
        ) from error
    except (OSError, *SQLITE_ERRORS) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise LogError("{path} cannot be written ({error}): choose another folder", path=path, error=reason) from error


def _copy(db: Database, path: Path) -> None:
    """Copies the database into a file, and checks the copy."""
    target = sqlite3.connect(path)
    try:
        db.conn.backup(target)
        set_number(Database(target), is_copy=True)
        # A single file, without a write-ahead file beside it.
        target.execute("PRAGMA journal_mode = DELETE").fetchall()
        result = target.execute("PRAGMA quick_check(1)").fetchone()[0]
        if result != "ok":
            raise sqlite3.DatabaseError(f"the copy is damaged: {result}")
    finally:
        target.close()


def _connect_to_read(path: Path) -> sqlite3.Connection:
    """A read-only connection; in a read-only folder or on a full disk, it assumes that no other process writes."""
    uri = path.resolve().as_uri()
    try:
        connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return connection
    except sqlite3.OperationalError:
        # Write-ahead logging needs files beside the log, which cannot be created here, or have no room.
        beside = path.with_name(path.name + "-wal")
        if beside.exists() and beside.stat().st_size:
            raise  # it may contain the newest writes
        return sqlite3.connect(f"{uri}?immutable=1", uri=True, check_same_thread=False)


def _open(path: Path, exclusively: bool) -> tuple[Database, LogLock | None]:
    connection: sqlite3.Connection | None = None
    lock: LogLock | None = None
    try:
        keep_private(path)
        lock = LogLock(path) if exclusively else None
        check_write_ahead_file(path)
        # Transactions are explicit, and a lock guards the connection.
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        db = Database(connection)
        _check(db, path)
        enable_wal(db)
        # macOS keeps written data in the disk's own cache, unless asked to write through.
        for pragma in ("synchronous = FULL", "fullfsync = ON", "foreign_keys = ON", "secure_delete = ON"):
            db.execute(f"PRAGMA {pragma}")
        migrate(db)
        db.execute("BEGIN IMMEDIATE")  # two processes that start together must not give the log two numbers
        set_number(db)
        db.execute("COMMIT")
        return db, lock
    except (LogError, *SQLITE_ERRORS, OSError) as error:
        _close(connection)
        if lock is not None:
            lock.release()
        if isinstance(error, LogError):
            raise
        if is_damage(error):
            raise _DamagedError(str(error)) from error
        raise LogError(
            "{path}: the log cannot be opened ({error}): {cure}", path=path, error=error, cure=cure_of(error)
        ) from error


def enable_wal(db: Database) -> None:
    """Switches to write-ahead logging; waits itself, as SQLite does not while another process switches."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.enable_wal()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def keep_private(path: Path) -> None:
    """Creates the file and its folder if they do not exist; only their owner can read them.

    SQLite gives the files beside it the same rights. A folder that the user has chosen keeps its rights.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.parent == default_log_path().parent:
        with suppress(OSError):
            path.parent.chmod(0o700)
    if not path.exists():
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with suppress(OSError):  # also if the file does not exist
            path.with_name(name).chmod(0o600)


def _check(db: Database, path: Path) -> None:
    """Raises an error if the file is damaged, belongs to another program, or was written by a newer version."""
    has_tables = db.conn.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0
    if has_tables and db.conn.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise LogError(
            "{path} is another program's database, not a Pinpoint log: choose another file with --log FILE", path=path
        )
    if steps := unknown_steps(db):
        raise LogError(
            "{path} was written by a newer version of Pinpoint (it has {step}): update Pinpoint, or choose "
            "another file with --log FILE",
            path=path,
            step=steps[-1],
        )
    if path.stat().st_size <= _MAX_BYTES_TO_CHECK:
        result = db.conn.execute("PRAGMA quick_check(1)").fetchone()[0]
        if result != "ok":
            raise sqlite3.DatabaseError(f"database disk image is malformed: {result}")


def is_damage(error: Exception) -> bool:
    """True if the content is corrupt: SQLite raises OperationalError for access, plain DatabaseError for content."""
    return type(error) in (sqlite3.DatabaseError, UnicodeDecodeError)


def _close(connection: sqlite3.Connection | None) -> None:
    if connection is not None:
        connection.close()
