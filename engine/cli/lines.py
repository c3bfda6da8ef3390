"""Input files: bytes to numbered lines to JSON objects, each line on its own. Independent of requests."""

from __future__ import annotations

import codecs
import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, NoReturn

STANDARD_STREAM = "-"
MAX_LINE_BYTES = 1 << 20

ProblemKind = Literal["unreadable", "invalid", "not_a_number"]


class LineProblem(Exception):
    """Why a line has no answer: becomes the line's error object and never ends the run."""

    def __init__(self, kind: ProblemKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


@dataclass(frozen=True, slots=True)
class InputLine:
    """Line `number` (from 1), its bytes without the line feed, and the byte offset of the next line in the input."""

    number: int
    content: bytes
    end: int

    @property
    def text(self) -> str:
        """The line's text without a byte order mark; raises LineProblem if it is not UTF-8 or too long."""
        if len(self.content) > MAX_LINE_BYTES:
            raise LineProblem("unreadable", f"the line is longer than {MAX_LINE_BYTES:,} bytes; split the text")
        content = self.content.removesuffix(b"\r")
        if self.number == 1:
            content = content.removeprefix(codecs.BOM_UTF8)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            message = (
                f"the line is not UTF-8 (byte {error.start + 1} is 0x{content[error.start]:02x}); convert the file"
            )
            raise LineProblem("unreadable", message) from None


def read_lines(stream: BinaryIO) -> Iterator[InputLine]:
    """Yields the lines of a stream as they arrive. Only a line feed ends a line; a line that is too long is cut."""
    number = end = 0
    while content := stream.readline(MAX_LINE_BYTES + 2):
        end += len(content)
        last = content
        while len(last) == MAX_LINE_BYTES + 2 and not last.endswith(b"\n"):  # pass over the rest of it
            last = stream.readline(MAX_LINE_BYTES + 2)
            end += len(last)
        number += 1
        yield InputLine(number, content.removesuffix(b"\n"), end)


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object in a line; raises LineProblem with the position of the mistake."""
    try:
        value = json.loads(
            text, object_pairs_hook=_without_doubles, parse_constant=_no_constant, parse_float=_finite, strict=True
        )
    except json.JSONDecodeError as error:
        found = "the line is blank" if not text.strip() else f"not JSON: {error.msg} at character {error.colno}"
        raise LineProblem("unreadable", f"{found}; write one JSON object a line") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of open brackets
        raise LineProblem("unreadable", f"this JSON cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise LineProblem("invalid", f'the line is {described(value)}; write an object such as {{"text": "..."}}')
    return value


def described(value: object) -> str:
    """A value as JSON, shortened for a message."""
    try:
        shown = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "nested too deeply"
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise LineProblem("invalid", f"the key {described(key)} occurs twice; keep one")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise LineProblem("unreadable", f"not JSON: {name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise LineProblem("invalid", f"the number {digits[:20]} is too large")
    return number


class RunError(Exception):
    """A problem with a file or flag that ends the run; the message is shown to the user."""


def open_file(path: str, mode: str) -> BinaryIO:
    """The file at `path`, of bytes; raises RunError."""
    try:
        return open(path, mode)  # type: ignore[return-value]  # the mode is one of bytes
    except OSError as error:
        doing = "read" if mode == "rb" else "written"
        raise RunError(f"{path} cannot be {doing}: {error.strerror}") from error


def check_output(output: str, *inputs: str | None) -> None:
    """Raise RunError if the output would overwrite the input."""
    for path in inputs:
        if path is None or STANDARD_STREAM in (path, output):
            continue
        if os.path.exists(output) and os.path.exists(path) and os.path.samefile(path, output):
            raise RunError(f"{output} is also the input; write to another file")
