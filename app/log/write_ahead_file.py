"""Whether a write-ahead file that a killed app has left belongs to the log beside it.

SQLite does not ask: where a log was replaced by its backup, it would write the newest pages of the one into the other.
Each log therefore has a number of its own in its first page, and so does each copy.
"""

from __future__ import annotations

import secrets
import struct
from pathlib import Path

from sqlite_utils import Database

from app.errors import LogError
from app.i18n import Message

_HEADER = struct.Struct(">8I")  # magic number, format, size of a page, checkpoints, two salts, two checksums
_FRAME = struct.Struct(">6I")  # page, size after a commit, two salts, two checksums
_MAGIC = (0x377F0682, 0x377F0683)
_NUMBER = slice(60, 64)  # of the first page: `user_version`, which SQLite leaves to applications


def set_number(db: Database, *, is_copy: bool = False) -> None:
    """Gives a log its number, unless it has one; `is_copy` gives it another one."""
    if is_copy or not db.execute("PRAGMA user_version").fetchone()[0]:
        db.execute(f"PRAGMA user_version = {1 + secrets.randbelow(2**31 - 1)}")


def check_write_ahead_file(path: Path) -> None:
    """Raises LogError if the write-ahead file beside the log at `path` is another log's, and OSError."""
    beside = path.with_name(path.name + "-wal")
    if not beside.is_file() or not path.is_file():
        return
    with path.open("rb") as log:
        number = log.read(_NUMBER.stop)[_NUMBER]
    if any(number) and not _numbers(beside) <= {number}:
        raise LogError(
            Message(
                "{other} belongs to another log than {path}, perhaps to one that was here before: to go on with "
                "{path}, move {other} away; to have the newest texts of the other log, put that log back",
                other=beside,
                path=path,
            )
        )


def _numbers(path: Path) -> set[bytes]:
    """The numbers of the log in all valid copies of its first page in a write-ahead file."""
    found: set[bytes] = set()
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return found
        magic, _, page_size, _, *salts, _, _ = _HEADER.unpack(header)
        if magic not in _MAGIC:
            return found
        while len(frame := file.read(_FRAME.size)) == _FRAME.size:
            page, _, *frame_salts, _, _ = _FRAME.unpack(frame)
            if frame_salts != salts:  # left over from before the last checkpoint
                return found
            if page == 1:
                found.add(file.read(page_size)[_NUMBER])
            else:
                file.seek(page_size, 1)
    return found
