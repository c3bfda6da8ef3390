"""Reads files in processes of their own, with limits. One process waits for the next file.

A process reads several small files, one after the other. After a large file, an error of its own or a stop, it ends.
"""

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
from app.formats import Reading, stored_format
from app.formats.archive import ArchiveMember
from app.formats.documents import Document, Segment
from app.formats.read_file import FileOverview
from app.formats.word_table import WordTables
from app.glossary.reading.column_uses import Layout
from app.glossary.reading.glossary_file import GlossaryTable
from app.glossary.reading.row_checks import GlossaryImport
from app.i18n import Message
from app.reading.file_reader import ChooseDirection, ChooseRules, FileReader, no_rules
from app.reading.plain_data import read_text, reader_of, to_plain
from app.reading.reading_process import OUT_OF_MEMORY, receive, receive_parts, send
from app.text.encoding import safe_name
from app.tm.memory_file import MemoryFile

MAX_PROCESSES: Final = 4  # at the same time; others wait
MAX_BYTES_TO_GO_ON: Final = 2**20  # of a file after which its process, which may have grown, reads another one
MAX_IDLE: Final = 2
MAX_FILES: Final = 50  # of one process
_ROOT = Path(__file__).parents[2]  # of the package `app`
_MAIN = "from app.reading.reading_process import main; main()"
_DOCUMENT = tuple[str, str, str, str, tuple[Segment, ...], tuple[str, ...], bool]


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits of reading one file: seconds of processor time, seconds of real time, memory in bytes."""

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
        self._idle: list[_Process] = []
        self._running: set[_Process] = set()
        self._starts_ahead = False
        self._is_closed = False

    def start_ahead(self) -> None:
        """Starts the process for the next file, and from now on after each that ended; returns immediately."""
        self._starts_ahead = True
        with self._lock, suppress(OSError):  # it is tried again when the file comes
            if not self._idle and not self._is_closed:
                self._idle.append(_Process())

    def document(
        self,
        data: bytes,
        name: str,
        choose: ChooseDirection,
        reading: Reading | None = None,
        rules_for: ChooseRules = no_rules,
    ) -> Document:
        """See FileReader; a file that exceeds a limit, or crashes the process, raises DocumentError too."""
        limits, how = self._document_limits, to_plain(reading)
        with self._conversation("document", name, data, limits, DocumentError, reading=how) as conversation:
            direction = choose(conversation.overview())
            project_rules = rules_for(direction)
            rules = project_rules.segmentation
            parts = to_plain(project_rules.parts)
            chosen = {"direction": direction, "rules": rules.name if rules else None, "parts": parts}
            conversation.tell(chosen, rules.data if rules else b"")
            name, key, encoding, mark, segments, notes, is_by_rules = conversation.result(_DOCUMENT)
            used = rules if is_by_rules else None
            return Document(name, stored_format(key), data, encoding, bytes.fromhex(mark), segments, notes, used)

    def glossary(self, data: bytes, name: str, direction: str, layout: Layout | None = None) -> GlossaryImport:
        """See FileReader; a file that exceeds a limit, or crashes the process, raises GlossaryError too."""
        details = {"direction": direction, "layout": to_plain(layout)}
        with self._conversation(
            "glossary", name, data, self._glossary_limits, GlossaryError, **details
        ) as conversation:
            found: GlossaryImport = conversation.result(GlossaryImport)
            return found

    def glossary_table(self, data: bytes, name: str, direction: str) -> GlossaryTable | None:
        """See FileReader; a file that exceeds a limit, or crashes the process, raises GlossaryError too."""
        with self._conversation(
            "glossary table", name, data, self._glossary_limits, GlossaryError, direction=direction
        ) as conversation:
            table: GlossaryTable | None
            (table,) = conversation.result(tuple[GlossaryTable | None])
            return table

    def memory(self, data: bytes, name: str, source_language: str, target_language: str) -> MemoryFile:
        """See FileReader; a file that exceeds a limit, or crashes the process, raises DocumentError too."""
        limits, languages = self._glossary_limits, [source_language, target_language]
        with self._conversation("memory", name, data, limits, DocumentError, languages=languages) as conversation:
            found: MemoryFile = conversation.result(MemoryFile)
            return found

    def archive(self, data: bytes, name: str) -> list[ArchiveMember]:
        """See FileReader; an archive that exceeds a limit, or crashes the process, raises DocumentError too."""
        with self._conversation("archive", name, data, self._document_limits, DocumentError) as conversation:
            members: list[ArchiveMember]
            (members,) = conversation.result(tuple[list[ArchiveMember]])
            return members

    def word_tables(self, data: bytes, name: str) -> WordTables:
        """See FileReader; a file that exceeds a limit, or crashes the process, raises DocumentError too."""
        with self._conversation("word tables", name, data, self._document_limits, DocumentError) as conversation:
            tables: WordTables = conversation.result(WordTables)
            return tables

    def num_rules(self, data: bytes, name: str) -> int:
        """See FileReader; a file that exceeds a limit, or crashes the process, raises DocumentError too."""
        with self._conversation("segmentation rules", name, data, self._document_limits, DocumentError) as conversation:
            number: int
            (number,) = conversation.result(tuple[int])
            return number

    def close(self) -> None:
        """Ends all processes; files that are being read raise an error."""
        with self._lock:
            self._is_closed = True
            processes = [*self._running, *self._idle]
            self._idle.clear()
        for process in processes:
            process.end()

    def kill(self) -> None:
        """Ends all processes at once, without waiting for anything."""
        for process in [*self._running, *self._idle]:
            process.kill()

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
                process.num_files += 1
                can_go_on = conversation.is_over and len(data) <= MAX_BYTES_TO_GO_ON and process.num_files < MAX_FILES
                self._give_back(process, can_go_on=can_go_on)

    def _give_back(self, process: _Process, *, can_go_on: bool) -> None:
        with self._lock:
            self._running.discard(process)
            is_kept = can_go_on and not self._is_closed and len(self._idle) < MAX_IDLE
            if is_kept:
                self._idle.append(process)
        if not is_kept:
            process.end()
            if self._starts_ahead:
                self.start_ahead()

    def _take(self, name: str, error: type[AppError]) -> _Process:
        with self._lock:
            process = self._idle.pop() if self._idle else None
            if process is not None and not process.is_alive:  # it was killed while it waited
                process.end()
                process = None
            if self._is_closed:
                raise error(Message("{name} was not read, because Pinpoint is stopping.", name=name))
            try:
                process = process or _Process()
            except OSError as problem:
                raise error(
                    Message(
                        "{name} cannot be read: the system cannot start another process ({reason}). Close other "
                        "programs and try again.",
                        name=name,
                        reason=problem.strerror,
                    )
                ) from problem
            self._running.add(process)
            return process


class _Conversation:
    """One file being read by a process. Every failure is raised as `error`."""

    def __init__(self, process: _Process, name: str, limits: ReadingLimits, error: type[AppError]) -> None:
        self._process = process
        self._name = name
        self._limits = limits
        self._error = error
        self._is_stopped = False
        self.is_over = False  # the whole answer was received

    def stop(self) -> None:
        """Ends the process because its time is over."""
        self._is_stopped = True
        self._process.kill()

    def tell(self, header: Any, data: bytes = b"") -> None:
        """Sends a frame. A process that has ended is noticed when it should answer."""
        with suppress(OSError):
            send(self._process.commands, header, data)

    def overview(self) -> FileOverview:
        """The facts that decide the direction of the document."""
        overview: FileOverview = self._receive(FileOverview, lambda answer, _: answer["overview"])
        return overview

    def result(self, kind: Any) -> Any:
        """The result, of that type."""
        found = self._receive(kind, lambda answer, _: receive_parts(self._process.answers, answer["parts"]))
        self.is_over = True
        return found

    def _receive(self, kind: Any, rest_of: Callable[[Any, bytes], Any]) -> Any:
        stream = self._process.answers
        try:
            answer, content = receive(stream)
            if "error" not in answer:
                return reader_of(kind)(rest_of(answer, content))
            message = read_text(answer["error"])
        except (EOFError, OSError):
            raise self._error(self._reason()) from None
        except (KeyError, TypeError, ValueError) as problem:  # malformed answer: the process may be compromised
            raise self._error(self._crash()) from problem
        self.is_over = True
        raise self._error(message)

    def _reason(self) -> Message:
        """Why the process has ended without an answer."""
        status = self._process.wait()
        is_over = status == -getattr(signal, "SIGXCPU", 0)
        if self._is_stopped or is_over:
            return Message(
                "{name} was not read: reading took more than {seconds} seconds. Split the file, or save it again in "
                "the program that created it.",
                name=self._name,
                seconds=self._limits.seconds if is_over else self._limits.wall_seconds,
            )
        if status == OUT_OF_MEMORY:
            return Message(
                "{name} was not read: reading needs more than {size:.1f} GiB of memory. Split the file, or save it "
                "again in the program that created it.",
                name=self._name,
                size=self._limits.num_bytes / 2**30,
            )
        return self._crash()

    def _crash(self) -> Message:
        return Message(
            "{name} was not read because of an internal error; the terminal shows the details. Save the file again "
            "in the program that created it, or in another format.",
            name=self._name,
        )


class _Process:
    """A process that waits for a file. Ctrl+C in the terminal does not reach it; it ends with its standard input."""

    def __init__(self) -> None:
        path = os.pathsep.join(filter(None, [str(_ROOT), os.getenv("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _MAIN],  # -P: no code from the current folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.commands: IO[bytes] = self._process.stdin
        self.answers: IO[bytes] = self._process.stdout
        self.num_files = 0

    @property
    def is_alive(self) -> bool:
        """True if the process has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Ends it immediately; its streams stay open."""
        self._process.kill()

    def wait(self) -> int:
        """Its exit status, once it has ended."""
        return self._process.wait()

    def end(self) -> None:
        """Ends it, and frees what it used."""
        self._process.kill()
        for stream in (self.commands, self.answers):
            with suppress(OSError):  # the process has ended: unsent data is lost
                stream.close()
        self._process.wait()
