"""A lock file next to the log: at most one app writes the texts of a log."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from app.errors import LogError

_LOCKED_BYTE = 2**30  # beyond the text of the file, which others may read


class LogLock:
    """The lock of the log at `path`, taken when made and released by `release`, or by the end of the process.

    Raises LogError with the address of the other process if that has the lock, and OSError if the lock's file cannot be
    written. The file stays: removing it could remove the lock of the next process.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._descriptor)
        except OSError as error:
            owner = os.pread(self._descriptor, 200, 0).decode("utf-8", "replace") if hasattr(os, "pread") else ""
            os.close(self._descriptor)
            raise LogError(
                "{path} is in use by another Pinpoint ({owner}): use its page, stop it, or choose another log with "
                "--log FILE",
                path=path,
                owner=owner or "?",
            ) from error
        self.note(f"process {os.getpid()}")

    def note(self, text: str) -> None:
        """Describes this process for those that find the log locked."""
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, text.encode("utf-8"))

    def release(self) -> None:
        """Gives the lock back."""
        os.close(self._descriptor)


def _lock(descriptor: int) -> None:
    """Locks the file, or raises OSError immediately."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
