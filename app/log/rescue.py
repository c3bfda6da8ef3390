"""Copies the intact parts of a damaged log into a new one. The damaged file is only read.

SQLite stops at the first damaged page of a query. Here each table is read in ranges of its keys, and a range that fails
is halved until only the rows on damaged pages are left out.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlite_utils import Database

from app.errors import SQLITE_ERRORS, LogError
from app.log.file import explained_new_file
from app.log.migrations import migrations, unknown_steps
from app.log.write_ahead_file import set_number
from app.whole_files import whole_file

_FEWEST_BYTES: Final = 16  # of a row
_SMALLEST_PAGE: Final = 512
_LARGEST_NUMBER: Final = 2**40
_ROWS_AT_ONCE: Final = 1_000
_MAX_FAILURES: Final = 20_000  # one after another: then the table's root is damaged, or all of its end
_TYPES: Final = {"INTEGER": int, "TEXT": str, "BLOB": bytes}


@dataclass(frozen=True, slots=True)
class RescuedText:
    """A readable segment of an incomplete document. `document` is empty if its name cannot be read."""

    session_id: int
    document: str
    segment: int
    source: str
    target: str
    state: str


@dataclass(frozen=True, slots=True)
class Rescue:
    """The result of a rescue: the number of sessions in the new log, and the readable texts of all others."""

    num_sessions: int
    texts: tuple[RescuedText, ...]


def rescue_log(damaged: Path, path: Path) -> Rescue:
    """Writes a new log to `path` with everything of a damaged one that is whole; it exists only once it is complete.

    A session is whole with its document and all its segments; events may be missing, as `verify` then reports. Raises
    LogError if `path` exists or cannot be written, or if nothing can be read.
    """
    with (
        explained_new_file(path),  # errors of the damaged log do not stop the rescue
        closing(_readable(damaged)) as old,
        whole_file(path, mode=0o600, replaces=False, num_bytes=damaged.stat().st_size) as temporary,
        closing(Database(sqlite3.connect(temporary, isolation_level=None))) as new,
    ):
        return _copy(old, new, damaged.stat().st_size)


def _readable(path: Path) -> sqlite3.Connection:
    """A connection to the damaged log. Raises LogError if it is of a newer version, or not even a table is found."""
    if not path.is_file():
        raise LogError("{path}: log not found; choose the right file with --log FILE", path=path)
    for mode in ("mode=ro", "immutable=1"):  # the second one needs no files beside the log
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)
        try:
            # Without this, one table whose beginning is damaged or cut off hides all others.
            connection.execute("PRAGMA writable_schema = ON")
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            if ("session",) in tables or ("segment",) in tables:
                _check_not_newer(connection, path)
                return connection
        except SQLITE_ERRORS:
            pass
        except LogError:
            connection.close()
            raise
        connection.close()
    raise LogError("{path} cannot be read, because its list of tables is damaged: restore a backup", path=path)


def _check_not_newer(old: sqlite3.Connection, path: Path) -> None:
    with suppress(*SQLITE_ERRORS):
        if steps := unknown_steps(Database(old)):
            raise LogError(
                "{path} was written by a newer version of Pinpoint (it has {step}): use that version",
                path=path,
                step=steps[-1],
            )


def _copy(old: sqlite3.Connection, new: Database, num_bytes: int) -> Rescue:
    new.execute("PRAGMA foreign_keys = OFF")
    new.execute("BEGIN")
    migrations.apply(new, stop_before=_first_missing_step(old))
    tables = [name for name in new.table_names() if name not in ("sqlite_sequence", migrations.migrations_table)]
    is_cut = num_bytes % _SMALLEST_PAGE != 0  # SQLite reads zeros behind the end of the last page
    incomplete: set[int] = set()  # sessions
    for table in tables:
        columns = list(new.table(table).columns)
        names, marks = ", ".join(column.name for column in columns), ", ".join("?" for _ in columns)
        kinds = [(_TYPES.get(column.type, object), not column.notnull and not column.is_pk) for column in columns]
        reader = _TableReader(old, table, names, num_bytes)
        for row in _rows(reader, old, new, table):
            if is_cut and any(isinstance(value, str) and "\0" in value for value in row):
                if table == "segment":
                    incomplete.add(row[0])
            elif all(
                isinstance(value, kind) or (value is None and may_lack)
                for value, (kind, may_lack) in zip(row, kinds, strict=True)
            ):
                new.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", row)
        if table == "segment":
            incomplete |= reader.incomplete
    with suppress(*SQLITE_ERRORS):  # a number that a deleted session had is not given again
        for name, number in old.execute("SELECT name, seq FROM sqlite_sequence").fetchall():
            new.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, name))
    if "person" in tables and not _is_readable(old, "person"):
        # The row of the owner says that there are roles: nobody may see more than before, where theirs is lost.
        new.execute("INSERT OR IGNORE INTO person VALUES ('', 'administrator')")
    texts = _take_out_partial_sessions(new, incomplete)
    _restore_projects(new)
    _remove_orphans(new, tables)
    set_number(new)
    new.execute("COMMIT")
    return Rescue(new.table("session").count, texts)


def _is_readable(old: sqlite3.Connection, table: str) -> bool:
    """True if all rows of a table can be read."""
    try:
        old.execute(f"SELECT * FROM {table}").fetchall()
    except SQLITE_ERRORS:
        return False
    return True


def _first_missing_step(old: sqlite3.Connection) -> str | None:
    """The first missing migration of an older log; None if it has all, or if this cannot be read."""
    with suppress(*SQLITE_ERRORS):
        return next((step.name for step in migrations.pending(Database(old))), None)
    return None


class _TableReader:
    """Reads the rows of one table of a damaged log. Names of tables and columns are the log's own."""

    def __init__(self, old: sqlite3.Connection, table: str, names: str, num_bytes: int) -> None:
        self._old = old
        self._table = table
        self._names = names
        self._largest_key = num_bytes // _FEWEST_BYTES  # where the largest one cannot be read
        self._num_failures = 0  # since a row was read
        self.incomplete: set[int] = set()  # the first keys of which a row may be missing

    def rows_by_number(self) -> Iterator[tuple[Any, ...]]:
        """The rows of a table that numbers its rows."""
        yield from self._ranges(["rowid"], ())

    def rows_until_damage(self) -> Iterator[tuple[Any, ...]]:
        """The rows before the first damaged one."""
        with suppress(*SQLITE_ERRORS):
            yield from self._old.execute(f"SELECT {self._names} FROM {self._table}")

    def rows_by_key(self, keys: Sequence[str], first_keys: range) -> Iterator[tuple[Any, ...]]:
        """The rows of a table with a key of several columns; those of one first key are read together."""
        for first in first_keys:
            yield from self._row_group(keys, (first,))

    def _row_group(self, keys: Sequence[str], values: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
        """The rows whose first key columns have these values."""
        condition = " AND ".join(f"{key} = ?" for key in keys[: len(values)])
        found = self._found(f"SELECT {self._names} FROM {self._table} WHERE {condition}", values)
        if found is not None:
            yield from found
            return
        self.incomplete.add(values[0])
        if len(values) < len(keys):
            yield from self._ranges(keys, values)

    def _ranges(self, keys: Sequence[str], fixed: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
        """The rows whose first key columns are fixed, in ranges of the next column."""
        key = keys[len(fixed)]
        place = f"FROM {self._table} WHERE " + "".join(f"{each} = ? AND " for each in keys[: len(fixed)])
        smallest = self._bound(f"SELECT min({key}) {place}true", fixed, 0)
        largest = self._bound(f"SELECT max({key}) {place}true", fixed, self._largest_key)
        for start in range(smallest, largest + 1, _ROWS_AT_ONCE):
            waiting = [(start, min(start + _ROWS_AT_ONCE - 1, largest))]
            while waiting and self._num_failures < _MAX_FAILURES:
                first, last = waiting.pop()
                query = f"SELECT {self._names} {place}{key} BETWEEN ? AND ?"
                if (found := self._found(query, (*fixed, first, last))) is not None:
                    yield from found
                elif first < last:
                    middle = (first + last) // 2
                    waiting += [(middle + 1, last), (first, middle)]
                elif len(fixed) + 1 < len(keys):
                    yield from self._row_group(keys, (*fixed, first))

    def _found(self, query: str, values: tuple[int, ...]) -> list[tuple[Any, ...]] | None:
        """The rows of a query; None if one of them is damaged."""
        try:
            rows = self._old.execute(query, values).fetchall()
        except SQLITE_ERRORS:
            self._num_failures += 1
            return None
        if rows:
            self._num_failures = 0
        return rows

    def _bound(self, query: str, fixed: tuple[int, ...], default: int) -> int:
        """The smallest or largest key; the default if it cannot be read or does not exist."""
        found = self._found(query, fixed)
        value = found[0][0] if found else None
        return value if isinstance(value, int) and value <= _LARGEST_NUMBER else default


def _rows(reader: _TableReader, old: sqlite3.Connection, new: Database, table: str) -> Iterator[tuple[Any, ...]]:
    """All readable rows of a table; the tables that it refers to were read before."""
    if "WITHOUT ROWID" not in new.table(table).schema.upper():
        return reader.rows_by_number()
    keys = [column.name for column in new.table(table).columns if column.is_pk and column.type == "INTEGER"]
    if not keys:
        return reader.rows_until_damage()
    [parent] = [key for key in new.table(table).foreign_keys if key.column == keys[0]]
    numbers = {row["number"] for row in new.query(f"SELECT {parent.other_column} AS number FROM {parent.other_table}")}
    with suppress(*SQLITE_ERRORS):  # rows of sessions that cannot be read themselves
        query = "SELECT seq FROM sqlite_sequence WHERE name = ?"
        numbers |= {number for (number,) in old.execute(query, (parent.other_table,))}
    first = min(numbers, default=1) if parent.other_table == "term_base" else 1  # their numbers begin at a million
    return reader.rows_by_key(keys, range(first, max(numbers, default=0) + 1))


def _take_out_partial_sessions(new: Database, incomplete: set[int]) -> tuple[RescuedText, ...]:
    """Removes sessions without a whole document or with missing segments; returns the segments that they have."""
    sessions = {row["id"]: row["document_id"] for row in new.query("SELECT id, document_id FROM session")}
    numbers = sorted({*sessions, *(row["session_id"] for row in new.query("SELECT DISTINCT session_id FROM segment"))})
    texts: list[RescuedText] = []
    for number in numbers:
        document = next(new.query("SELECT name, sha256, data FROM document WHERE id = ?", [sessions.get(number)]), None)
        segments = list(new.query("SELECT * FROM segment WHERE session_id = ? ORDER BY segment_index", [number]))
        is_document_whole = document is not None and hashlib.sha256(document["data"]).hexdigest() == document["sha256"]
        if is_document_whole and number not in incomplete and len(segments) >= _fewest_segments(new, number):
            continue
        name = document["name"] if document else ""
        for one in segments:
            target = one["target"] or one.get("given_target") or ""
            texts.append(RescuedText(number, name, one["segment_index"], one["source"], target, one["state"]))
        for table, column in (("session", "id"), ("segment", "session_id")):
            new.execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))
    return tuple(texts)


def _fewest_segments(new: Database, session: int) -> int:
    """The minimum number of segments of a session, from its remaining events."""
    query = "SELECT max(segment_index) AS last FROM event WHERE session_id = ?"
    last = next(new.query(query, [session]))["last"]
    num = 0 if last is None else last + 1
    with suppress(LookupError, ValueError, TypeError, StopIteration):
        opened = next(new.query("SELECT payload FROM event WHERE session_id = ? AND seq = 1", [session]))
        num = max(num, int(json.loads(opened["payload"])["num_segments"]))
    return num


def _restore_projects(new: Database) -> None:
    """A project without a name for the sessions whose project cannot be read."""
    if "project_id" in new.table("session").columns_dict:
        new.execute(
            "INSERT INTO project "
            "(id, name, client, direction, formality, domain, shares_memory, created_ms, chosen_ms) "
            "SELECT project_id, '', '', min(direction), '', '', 1, ?, 0 FROM session "
            "WHERE project_id IS NOT NULL AND project_id NOT IN (SELECT id FROM project) GROUP BY project_id",
            (int(time.time() * 1000),),
        )


def _remove_orphans(new: Database, tables: Sequence[str]) -> None:
    """Removes rows that refer to others which are gone, until all references are right."""
    keys = [(table, key) for table in tables for key in new.table(table).foreign_keys]
    is_changed = True
    while is_changed:
        is_changed = False
        for table, key in keys:
            removed = new.execute(
                f"DELETE FROM {table} WHERE {key.column} IS NOT NULL AND {key.column} NOT IN "
                f"(SELECT {key.other_column} FROM {key.other_table})"
            )
            is_changed = is_changed or removed.rowcount > 0
