"""Checks that a write-ahead file left by a killed app belongs to the log beside it.

SQLite does not check this: if a backup has replaced the log, SQLite would write pages of the old log into it.
Therefore each log, and each copy of a log, has its own number in its first page.
"""

from __future__ import annotations

import secrets
import struct
from pathlib import Path

from sqlite_utils import Database

from app.errors import LogError

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
    try:
        with path.open("rb") as log:
            number = log.read(_NUMBER.stop)[_NUMBER]
        # Checksums take 0.3 s for 4 MiB, so they are computed only where the answer would be no.
        is_other = any(number) and not any(
            _may_belong(_numbers(beside, are_checked), number) for are_checked in (False, True)
        )
    except FileNotFoundError:  # another process can close the log, and remove its write-ahead file, at any time
        return
    if is_other:
        raise LogError(
            "{other} does not belong to {path} but to another log, perhaps an earlier one in this folder. To use "
            "{path}, move {other} to another folder; to get the newest texts of the other log, put that log back",
            other=beside,
            path=path,
        )


def _may_belong(numbers: set[bytes], number: bytes) -> bool:
    """True if a log with this number can have a write-ahead file with these numbers.

    A new log has the number 0 until it gets its own, so its first write-ahead file contains both.
    """
    return not numbers or (number in numbers and not any(any(other) for other in numbers - {number}))


def _numbers(path: Path, are_checked: bool) -> set[bytes]:
    """The numbers of the log in all copies of its first page in a write-ahead file.

    With `are_checked` only frames count whose checksum is right: the app can have been killed while it wrote the last.
    """
    found: set[bytes] = set()
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return found
        magic, _, page_size, _, *salts, first, second = _HEADER.unpack(header)
        if magic not in _MAGIC:
            return found
        order = ">" if magic == _MAGIC[1] else "<"
        while len(frame := file.read(_FRAME.size)) == _FRAME.size:
            page, _, *frame_salts, expected_first, expected_second = _FRAME.unpack(frame)
            if frame_salts != salts:  # left over from before the last checkpoint
                return found
            if len(content := file.read(page_size)) < page_size:
                return found
            if are_checked:
                first, second = _checksums(frame[:8] + content, order, first, second)
                if (first, second) != (expected_first, expected_second):
                    return found
            if page == 1:
                found.add(content[_NUMBER])
    return found


def _checksums(content: bytes, order: str, first: int, second: int) -> tuple[int, int]:
    """The two checksums of a write-ahead file after this content (https://sqlite.org/fileformat2.html, section 4.2)."""
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
