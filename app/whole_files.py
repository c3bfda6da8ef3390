"""Writes files and folders completely or not at all: first under a temporary name beside, flushed to the disk."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_TEMPORARY = re.compile(r"\.pinpoint-(\d+)-[0-9a-f]{8}\.part(-journal|-wal|-shm)?")
_ABANDONED_SECONDS: Final = 3600.0


def free_bytes(path: Path) -> int:
    """The free space on the disk of a file or folder, which need not exist yet. Raises OSError."""
    usage = shutil.disk_usage(next(place for place in (path, *path.absolute().parents) if place.exists()))
    return usage.free if usage.total else sys.maxsize  # some network drives do not say


def check_room(path: Path, num_bytes: int) -> None:
    """Raises OSError (ENOSPC) with both figures if so many bytes do not fit on the disk of a file."""
    free = free_bytes(path)
    if free < num_bytes:
        needed, left = (f"{count / 10**6:,.1f} MB" for count in (num_bytes, free))
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: {needed} are needed, {left} are free")


@contextmanager
def whole_file(path: Path, *, mode: int = 0o666, replaces: bool = True, num_bytes: int = 0) -> Iterator[Path]:
    """An empty temporary file for the caller to fill; it becomes `path` when the block ends without an error.

    Folders are created. `num_bytes` is the size of the file, as far as it is known. With `replaces` False, a file that
    is at `path` by then raises FileExistsError. Raises OSError; after any error, `path` is as before and the temporary
    file is gone.
    """
    check_room(path, num_bytes)
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path.parent)
    temporary = path.with_name(_temporary_name())
    try:
        os.close(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode))
        yield temporary
        write_through(temporary)
        if replaces:
            os.replace(temporary, path)
        else:
            _rename_to_new(temporary, path)
        with suppress(OSError):  # not every system can
            write_through(path.parent)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """An empty temporary folder for the caller to fill; it becomes `path` when the block ends without an error.

    Raises OSError, also if `path` exists and is not an empty folder; after any error, `path` is as before.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path.parent)
    temporary = path.with_name(_temporary_name())
    try:
        temporary.mkdir()
        yield temporary
        temporary.rename(path)
        with suppress(OSError):  # not every system can
            write_through(path.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_whole(path: Path, data: bytes, *, mode: int = 0o666, replaces: bool = True) -> None:
    """Writes the data to `path` completely or not at all; see `whole_file`."""
    with whole_file(path, mode=mode, replaces=replaces, num_bytes=len(data)) as temporary:
        temporary.write_bytes(data)


def remove_leftovers(folder: Path) -> None:
    """Removes temporary files and folders of programs that were killed while they wrote."""
    with suppress(OSError):
        for path in folder.iterdir():
            found = _TEMPORARY.fullmatch(path.name)
            if found is not None and not _is_in_use(path, int(found[1])):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    with suppress(OSError):
                        path.unlink()


def _temporary_name() -> str:
    return f".pinpoint-{os.getpid()}-{secrets.token_hex(4)}.part"


def _is_in_use(path: Path, process: int) -> bool:
    """True if the program that writes a temporary file may still run."""
    if process == os.getpid():
        return True
    if os.name == "posix":
        try:
            os.kill(process, 0)  # only asks
        except ProcessLookupError:
            return False
        except OSError:
            pass  # it runs for another user
    try:
        return time.time() - path.stat().st_mtime < _ABANDONED_SECONDS
    except OSError:
        return False


def write_through(path: Path) -> None:
    """Returns when the file or folder is on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _rename_to_new(temporary: Path, path: Path) -> None:
    """Gives the file its final name. Raises FileExistsError if another file has that name."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if path.exists():
            raise FileExistsError(path) from None
        temporary.rename(path)
