"""The parsed file that a document keeps, and the bound on the memory of all of them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final

from app.formats.parsed_file import ParsedFile

MAX_KEPT: Final = 8  # parsed files of a process
MAX_KEPT_BYTES: Final = 60 * 2**20  # of the files before they were parsed; the last used one is always kept


class KeptFile:
    """The parsed file of one document, shared by the copies of the document. Thread-safe.

    It needs much memory and can be parsed again at any time, so only the documents used last keep theirs.
    """

    def __init__(self, parsed: ParsedFile | None = None, num_bytes: int = 0) -> None:
        self.extras: Sequence[str] | None = None  # of the parsed file; also known when it is no longer kept
        self.num_bytes = num_bytes
        self._parsed = parsed
        self._lock = threading.Lock()
        if parsed is not None:
            _LAST_USED.add(self)

    @property
    def is_kept(self) -> bool:
        """True if the file does not have to be parsed again."""
        return self._parsed is not None

    def get(self, parse: Callable[[], ParsedFile], num_bytes: int) -> ParsedFile:
        """The parsed file; `parse` parses a file of so many bytes if it is not kept."""
        with self._lock:
            parsed = self._parsed or parse()
            self._parsed, self.num_bytes = parsed, num_bytes
        _LAST_USED.add(self)
        return parsed

    def forget(self) -> None:
        """Frees the memory of the parsed file."""
        self._parsed = None


class _LastUsed:
    """The kept files of a process, the last used first; those beyond the limits are forgotten."""

    def __init__(self) -> None:
        self._files: list[weakref.ref[KeptFile]] = []  # weak: the file of a closed document is freed with it
        self._lock = threading.Lock()

    def add(self, file: KeptFile) -> None:
        with self._lock:
            files = [file, *(one for ref in self._files if (one := ref()) is not None and one is not file)]
            totals = accumulate(one.num_bytes for one in files)
            num_kept = max(1, sum(total <= MAX_KEPT_BYTES for total in totals))
            for one in files[min(num_kept, MAX_KEPT) :]:
                one.forget()
            self._files = [weakref.ref(one) for one in files[: min(num_kept, MAX_KEPT)]]


_LAST_USED: Final = _LastUsed()
