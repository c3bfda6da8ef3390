"""The process that reads files, which come over standard input.

Both directions carry frames: the lengths of a JSON header and of raw bytes, then these. The answer is a frame with the
number of items of each part, or None if the part is not a list, and then frames with the parts; long lists are divided,
because decoding a frame stops all threads of the app.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from contextlib import suppress
from math import ceil
from typing import IO, Any

from app.errors import AppError
from app.formats import Reading
from app.formats.srx import RuleFile
from app.glossary.reading.column_uses import Layout
from app.reading.file_reader import FileReader, PartRules, ProjectRules
from app.reading.plain_data import reader_of, to_plain

if sys.platform != "win32":
    import resource

ITEMS_PER_FRAME = 500  # are decoded in a few milliseconds
OUT_OF_MEMORY = 77  # the exit status
_LENGTHS = struct.Struct(">QQ")


def send(stream: IO[bytes], header: Any, data: bytes = b"") -> None:
    """Writes a frame."""
    text = json.dumps(header).encode("ascii")
    stream.write(_LENGTHS.pack(len(text), len(data)))
    stream.write(text)
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Any, bytes]:
    """Reads a frame: its header and its raw bytes. Raises EOFError if the other process has ended."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        raise EOFError
    num_header, num_data = _LENGTHS.unpack(lengths)
    header, data = stream.read(num_header), stream.read(num_data)
    if len(header) < num_header or len(data) < num_data:
        raise EOFError
    return json.loads(header), data


def send_parts(stream: IO[bytes], parts: list[Any]) -> None:
    """Writes an answer."""
    send(stream, {"parts": [len(part) if isinstance(part, list) else None for part in parts]})
    for part in parts:
        if not isinstance(part, list):
            send(stream, part)
            continue
        for start in range(0, len(part), ITEMS_PER_FRAME):
            send(stream, part[start : start + ITEMS_PER_FRAME])


def receive_parts(stream: IO[bytes], lengths: list[int | None]) -> list[Any]:
    """The parts of an answer whose first frame was read. Raises EOFError."""
    parts = []
    for length in lengths:
        if length is None:
            parts.append(receive(stream)[0])
            continue
        items: list[Any] = []
        while len(items) < length:
            items += receive(stream)[0]
        parts.append(items)
    return parts


def _limit(seconds: int, num_bytes: int) -> None:
    """Limits this process: processor time, memory, and that it writes no file.

    Windows has no such limits, and macOS ignores the one on memory: there the app's own clock ends the process.
    """
    if sys.platform == "win32":
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    last_second = ceil(usage.ru_utime + usage.ru_stime) + seconds
    for kind, limit in (
        (resource.RLIMIT_CPU, last_second),
        (resource.RLIMIT_AS, num_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # a stricter one is set already, or the system has none
            resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))  # the next file may have a higher one


def _read(request: dict[str, Any], data: bytes, commands: IO[bytes], answers: IO[bytes]) -> Any:
    """The parts of an answer: the items of a tuple, or the fields of a dataclass."""
    reader = FileReader()
    kind, name = request["kind"], request["name"]
    if kind == "glossary":
        return reader.glossary(data, name, request["direction"], reader_of(Layout | None)(request["layout"]))
    if kind == "glossary table":
        return (reader.glossary_table(data, name, request["direction"]),)
    if kind == "memory":
        return reader.memory(data, name, *request["languages"])
    if kind == "archive":
        return (reader.archive(data, name),)
    if kind == "word tables":
        return reader.word_tables(data, name)
    if kind == "segmentation rules":
        return (reader.num_rules(data, name),)
    rules = ProjectRules()

    def choose(overview: Any) -> str:
        nonlocal rules
        send(answers, {"overview": to_plain(overview)})
        chosen, rule_data = receive(commands)
        segmentation = None if chosen["rules"] is None else RuleFile(chosen["rules"], rule_data)
        rules = ProjectRules(segmentation, reader_of(PartRules)(chosen["parts"]))
        return str(chosen["direction"])

    reading = reader_of(Reading | None)(request["reading"])
    document = reader.document(data, name, choose, reading, lambda direction: rules)
    return (
        document.name,
        document.format.stored,
        document.encoding,
        document.mark.hex(),
        document.segments,
        document.notes,
        document.rules is not None,
    )


def main() -> None:
    """Reads files one after the other, and answers with the content of each or with the error."""
    commands = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing that a library prints may come between
    try:
        while True:
            request, data = receive(commands)
            _limit(request["seconds"], request["bytes"])
            try:
                parts = to_plain(_read(request, data, commands, answers))
            except AppError as error:
                send(answers, {"error": to_plain(error.args[0])})
            else:
                send_parts(answers, parts)
    except EOFError:
        return  # the app has ended
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # any other reaction would need memory
