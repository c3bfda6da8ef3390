"""The cells with text of a sheet of Excel, read without a tree, because a sheet may have millions of cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from xml.parsers import expat

from app.errors import DocumentError
from app.formats.office.office_package import OfficePackage

_CHUNK: Final = 2**16  # bytes of a sheet that are parsed at once


class _CellReader:
    """Reads the cells with text of a sheet, which may have millions of others: those cost two calls each."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EntityDeclHandler = self._refuse
        self._found: list[tuple[str, str, int | None, str]] = []
        self._cell: dict[str, str] = {}
        self._depth = 0  # in a cell with text
        self._value: str | None = None
        self._is_in_value = False

    def read(self, data: bytes, *, is_last: bool = False) -> Iterator[tuple[str, str, int | None, str]]:
        """The cells that end in the next bytes. Raises ExpatError, LookupError or ValueError if they are not XML."""
        self._parser.Parse(data, is_last)
        yield from self._found
        self._found.clear()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._depth:
            self._depth += 1
            self._is_in_value = self._depth == 2 and self._value is None and name.rpartition(":")[2] == "v"
        elif attributes.get("t") in ("s", "inlineStr") and name.rpartition(":")[2] == "c":
            self._cell, self._depth, self._value = attributes, 1, None
            self._parser.EndElementHandler, self._parser.CharacterDataHandler = self._end, self._add

    def _add(self, text: str) -> None:
        if self._is_in_value:
            self._value = (self._value or "") + text

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._is_in_value = False
        if self._depth:
            return
        self._parser.EndElementHandler = self._parser.CharacterDataHandler = None
        kind, value = self._cell["t"], (self._value or "").strip()
        number = int(value) if kind == "s" and value.isdecimal() else None
        self._found.append((self._cell.get("r", ""), kind, number, self._cell.get("s", "0")))

    def _refuse(self, *_: object) -> None:
        raise ValueError("it defines its own entities")


def text_cells(package: OfficePackage, sheet: str) -> Iterable[tuple[str, str, int | None, str]]:
    """The cells with text: their place ("B2"), kind, number among the shared texts, and style."""
    content = package.read(sheet)
    reader = _CellReader()
    try:
        for start in range(0, len(content), _CHUNK):
            yield from reader.read(content[start : start + _CHUNK])
        yield from reader.read(b"", is_last=True)
    except (expat.ExpatError, LookupError, ValueError) as problem:  # LookupError: of an encoding
        raise DocumentError(
            "{name} ({part}) cannot be read: {problem}. Open and save the file in {program}, then open it here again.",
            name=package.name,
            part=sheet,
            problem=problem,
            program=package.kind.program,
        ) from problem
