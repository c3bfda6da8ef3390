"""The terminal: a progress bar on standard error, and Ctrl-C that ends a run without losing results."""

from __future__ import annotations

import io
import os
import signal
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import BinaryIO, TextIO

_SECONDS_BETWEEN = 0.2


class ProgressBar:
    """A progress bar in one line. Silent if standard error is not a terminal, or if answers go to a terminal too.

    `output` is the stream of the answers, if any. The percentage counts bytes of the input, if it is a file.
    """

    def __init__(self, stream: TextIO, source: BinaryIO, output: BinaryIO | None = None) -> None:
        self._stream = stream
        self._size = _file_size(source)
        self._is_shown = stream.isatty() and not (output and output.isatty())
        self._started = time.monotonic()
        self._last_shown = 0.0
        self._width = 0

    def show(self, num_lines: int, num_bytes: int) -> None:
        """Update the bar, at most every 0.2 seconds."""
        now = time.monotonic()
        if not self._is_shown or now - self._last_shown < _SECONDS_BETWEEN:
            return
        self._last_shown = now
        text = f"{num_lines:,} lines  {num_lines / max(now - self._started, 1e-9):.1f} lines/s"
        if self._size:
            share = min(1.0, num_bytes / self._size)
            text = f"[{('#' * int(20 * share)).ljust(20, '.')}] {share:4.0%}  {text}"
        self._write(text)

    def clear(self) -> None:
        """Remove the bar from the terminal."""
        if self._width:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()
            self._width = 0

    def _write(self, text: str) -> None:
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text) or self._width


def _file_size(source: BinaryIO) -> int | None:
    try:
        status = os.fstat(source.fileno())
    except (OSError, io.UnsupportedOperation):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


class Interrupt:
    """Handles Ctrl-C inside a `with` block: raises KeyboardInterrupt while `waiting`, or when it is pressed twice.

    Otherwise it only sets `cancel`, so that finished translations can still be written.
    """

    def __init__(self) -> None:
        self.cancel = threading.Event()
        self._is_waiting = False

    def __enter__(self) -> Interrupt:
        self._is_main = threading.current_thread() is threading.main_thread()  # the only one that gets signals
        if self._is_main:
            self._previous = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._is_main:
            signal.signal(signal.SIGINT, self._previous)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Marks a time in which no work is half done."""
        self._is_waiting = True
        try:
            yield
        finally:
            self._is_waiting = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._is_waiting or self.cancel.is_set():
            raise KeyboardInterrupt
        self.cancel.set()
