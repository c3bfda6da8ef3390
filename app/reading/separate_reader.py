"""Reads each file in a process of its own, with limits; the process for the next file is started ahead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from app.errors import AppError, DocumentError, GlossaryError
from app.formats import Reading
from app.formats.documents import Document, FileOverview, Segment
from app.glossary.reading.row_checks import GlossaryImport
from app.i18n import Message
from app.reading.file_reader import ChooseDirection, FileReader
from app.reading.plain_data import read_text, reader_of, to_plain
from app.reading.reading_process import OUT_OF_MEMORY, receive, receive_parts, send
from app.text.encoding import safe_name

MAX_PROCESSES: Final = 4  # at the same time; others wait
_ROOT = Path(__file__).parents[2]  # of the package `app`
_MAIN = "from app.reading.reading_process import main; main()"
_DOCUMENT = tuple[str, str, str, str, tuple[Segment, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading one file may cost: seconds of processor time, and of time altogether, and memory in bytes."""

    seconds: int
    wall_seconds: int
    num_bytes: int


DOCUMENT_LIMITS: Final = ReadingLimits(60, 120, 2 * 2**30)
GLOSSARY_LIMITS: Final = ReadingLimits(120, 240, 3 * 2**30)


class SeparateReader(FileReader):
    """Reads files as FileReader does, in other processes. Safe from several threads. Close it."""

    def __init__(
        self, document_limits: ReadingLimits = DOCUMENT_LIMITS, glossary_limits: ReadingLimits = GLOSSARY_LIMITS
    ) -> None:
        self._document_limits = document_limits
        self._glossary_limits = glossary_limits
        self._places = threading.Semaphore(MAX_PROCESSES)
        self._lock = threading.Lock()
        self._next: subprocess.Popen[bytes] | None = None
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False

    def start_ahead(self) -> None:
        """Starts the process for the next file, if there is none; returns at once."""
        with self._lock, suppress(OSError):  # it is tried again when the file comes
            if self._next is None and not self._is_closed:
                self._next = _start()

    def document(self, data: bytes, name: str, choose: ChooseDirection, reading: Reading | None = None) -> Document:
        """See FileReader; a file that exceeds a limit, or crashes the process, raises DocumentError too."""
        limits, how = self._document_limits, to_plain(reading)
        with self._conversation("document", name, data, limits, DocumentError, reading=how) as conversation:
            conversation.tell(choose(conversation.overview()))
            name, key, encoding, mark, segments, notes = conversation.result(_DOCUMENT)
            return Document(name, key, data, encoding, bytes.fromhex(mark), segments, notes)

    def glossary(self, data: bytes, name: str, direction: str) -> GlossaryImport:
        """See FileReader; a file that exceeds a limit, or crashes the process, raises GlossaryError too."""
        limits = self._glossary_limits
        with self._conversation("glossary", name, data, limits, GlossaryError, direction=direction) as conversation:
            found: GlossaryImport = conversation.result(GlossaryImport)
            return found

    def memory(self, data: bytes, name: str, source_language: str, target_language: str) -> list[tuple[str, str]]:
        """See FileReader; a file that exceeds a limit, or crashes the process, raises DocumentError too."""
        limits, languages = self._glossary_limits, [source_language, target_language]
        with self._conversation("memory", name, data, limits, DocumentError, languages=languages) as conversation:
            pairs: list[tuple[str, str]]
            (pairs,) = conversation.result(tuple[list[tuple[str, str]]])
            return pairs

    def close(self) -> None:
        """Ends all processes; files that are being read raise an error."""
        with self._lock:
            self._is_closed = True
            processes = [*self._running, *([self._next] if self._next else [])]
            self._next = None
        for process in processes:
            process.kill()
        for process in processes:
            _end(process)

    @contextmanager
    def _conversation(
        self, kind: str, name: str, data: bytes, limits: ReadingLimits, error: type[AppError], **details: Any
    ) -> Iterator[_Conversation]:
        shown = safe_name(name, "file")
        with self._places:
            process = self._take(shown, error)
            conversation = _Conversation(process, shown, limits, error)
            timer = threading.Timer(limits.wall_seconds, conversation.stop)
            timer.daemon = True
            timer.start()
            try:
                header = {"kind": kind, "name": name, "seconds": limits.seconds, "bytes": limits.num_bytes, **details}
                conversation.tell(header, data)
                yield conversation
            finally:
                timer.cancel()
                _end(process)
                with self._lock:
                    self._running.discard(process)
        self.start_ahead()

    def _take(self, name: str, error: type[AppError]) -> subprocess.Popen[bytes]:
        with self._lock:
            process, self._next = self._next, None
            if process is not None and process.poll() is not None:  # it was killed while it waited
                _end(process)
                process = None
            if self._is_closed:
                raise error(Message("{name} was not read, because Pinpoint is being closed.", name=name))
            try:
                process = process or _start()
            except OSError as problem:
                raise error(
                    Message(
                        "{name} cannot be read: the system starts no further process ({reason}). Close other programs "
                        "and try again.",
                        name=name,
                        reason=problem.strerror,
                    )
                ) from problem
            self._running.add(process)
            return process


class _Conversation:
    """One file being read by a process. Raises `error` for whatever goes wrong."""

    def __init__(
        self, process: subprocess.Popen[bytes], name: str, limits: ReadingLimits, error: type[AppError]
    ) -> None:
        self._process = process
        self._name = name
        self._limits = limits
        self._error = error
        self._is_stopped = False

    def stop(self) -> None:
        """Ends the process because its time is over."""
        self._is_stopped = True
        self._process.kill()

    def tell(self, header: Any, data: bytes = b"") -> None:
        """Sends a frame. A process that has ended is noticed when it should answer."""
        assert self._process.stdin is not None
        with suppress(OSError):
            send(self._process.stdin, header, data)

    def overview(self) -> FileOverview:
        """What decides the direction of the document that is being read."""
        overview: FileOverview = self._receive(FileOverview, lambda answer, _: answer["overview"])
        return overview

    def result(self, kind: Any) -> Any:
        """What was read, of that type."""
        return self._receive(kind, lambda answer, stream: receive_parts(stream, answer["parts"]))

    def _receive(self, kind: Any, rest_of: Callable[[Any, IO[bytes]], Any]) -> Any:
        stream = self._process.stdout
        assert stream is not None
        try:
            answer, _ = receive(stream)
            if "error" not in answer:
                return reader_of(kind)(rest_of(answer, stream))
            message = read_text(answer["error"])
        except (EOFError, OSError):
            raise self._error(self._reason()) from None
        except (KeyError, TypeError, ValueError) as problem:  # it does no longer what it was made for
            raise self._error(self._crash()) from problem
        raise self._error(message)

    def _reason(self) -> Message:
        """Why the process has ended without an answer."""
        status = self._process.wait()
        is_over = status == -getattr(signal, "SIGXCPU", 0)
        if self._is_stopped or is_over:
            return Message(
                "{name} was not read: it takes more than {seconds} seconds. Split the file, or save it again in the "
                "program that it comes from.",
                name=self._name,
                seconds=self._limits.seconds if is_over else self._limits.wall_seconds,
            )
        if status == OUT_OF_MEMORY:
            return Message(
                "{name} was not read: it takes more than {size:.1f} GiB of memory. Split the file, or save it again in "
                "the program that it comes from.",
                name=self._name,
                size=self._limits.num_bytes / 2**30,
            )
        return self._crash()

    def _crash(self) -> Message:
        return Message(
            "{name} was not read: reading it failed, and the terminal shows where. Save the file again in the program "
            "that it comes from, or in another format.",
            name=self._name,
        )


def _start() -> subprocess.Popen[bytes]:
    """A process that waits for a file. Ctrl+C in the terminal does not reach it; it ends with its standard input."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(_ROOT), os.getenv("PYTHONPATH")]))}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _MAIN],  # -P: no code from the current folder
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # what was not written yet cannot be
                stream.close()
    process.wait()
