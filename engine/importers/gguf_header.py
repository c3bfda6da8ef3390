"""The description in the header of a GGUF file, read without llama.cpp and without its weights."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from engine.errors import ModelError
from engine.model.json_files import check_regular

_MAGIC = b"GGUF"
_MOST_BYTES = 256 << 20  # of a header; the largest vocabularies take 20 MB
_MOST_ENTRIES = 100_000  # values, and tensors
_MOST_ITEMS = 4_000_000  # of a list, such as the pieces
_LONGEST_TEXT = 4096  # that is kept
# Kinds of values by their number in the format, as struct has them; 8 is a text and 9 a list.
_KINDS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_TEXT, _LIST = 8, 9


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The texts and numbers of the header by key, without lists, and the number of weights."""

    values: dict[str, Any] = field(default_factory=dict)
    num_weights: int = 0


def read_gguf_header(path: Path) -> GgufHeader:
    """The header of a file; raises ModelError for a file that is none of GGUF, or damaged."""
    try:
        check_regular(path)
        with path.open("rb") as file:
            if file.read(4) != _MAGIC:
                raise ModelError(f"{path.name} is not a GGUF file; download it again")
            return _Reader(file, path.stat().st_size).header()
    except OSError as error:
        raise ModelError(f"{path.name} cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError) as error:
        raise ModelError(f"{path.name} is not an intact GGUF file ({error}); download it again") from error


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, min(size, _MOST_BYTES)

    def header(self) -> GgufHeader:
        version = self._number("<I")
        if version not in (2, 3):
            raise ValueError(f"its version is {version}; versions 2 and 3 are read")
        num_tensors, num_values = self._count(_MOST_ENTRIES), self._count(_MOST_ENTRIES)
        values = {}
        for _ in range(num_values):
            key, value = self._text(), self._value(self._number("<I"))
            if value is not None:
                values[key] = value
        num_weights = 0
        for _ in range(num_tensors):
            self._skip_text()
            num_weights += math.prod(self._number("<Q") for _ in range(self._count(8, "<I")))
            self._skip(12)  # its type and place
        return GgufHeader(values, num_weights)

    def _value(self, kind: int) -> Any:
        """A value; None for a list, which is passed over."""
        if kind == _TEXT:
            return self._text()
        if kind != _LIST:
            return self._number(_KINDS[kind])
        inner, num = self._number("<I"), self._count(_MOST_ITEMS)
        if inner == _TEXT:
            for _ in range(num):
                self._skip_text()
        else:
            self._skip(num * struct.calcsize(_KINDS[inner]))
        return None

    def _number(self, kind: str) -> Any:
        return struct.unpack(kind, self._bytes(struct.calcsize(kind)))[0]

    def _count(self, most: int, kind: str = "<Q") -> int:
        found = int(self._number(kind))
        if found > most:
            raise ValueError(f"a number of {found:,} is too large")
        return found

    def _text(self) -> str:
        length = self._count(self._size)
        text = self._bytes(min(length, _LONGEST_TEXT)).decode("utf-8", "replace")
        self._skip(length - min(length, _LONGEST_TEXT))
        return text

    def _skip_text(self) -> None:
        self._skip(self._count(self._size))

    def _bytes(self, num: int) -> bytes:
        found = self._file.read(num)
        if len(found) < num:
            raise ValueError("it ends in the middle of its header")
        return found

    def _skip(self, num: int) -> None:
        if num and self._file.seek(num, 1) > self._size:
            raise ValueError("it ends in the middle of its header, or the header is too large")
