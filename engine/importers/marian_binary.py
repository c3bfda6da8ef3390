"""Reads model files in Marian's binary format, version 1: the weights and settings of Firefox Translations models.

    u64 version = 1, u64 N
    N x (u64 name length, u64 type, u64 rank, u64 data bytes)
    N names, each ending with a zero byte
    N shapes, i32 each
    u64 gap, gap bytes
    N data blocks, each of its item's data bytes, which may include padding

Numbers are little endian. An item of 8-bit weights is followed directly by a float32 multiplier m: a weight is q / m.
The file may come from anywhere, so every number is compared with the size of the file before it is used.
"""

from __future__ import annotations

import io
import math
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import IO

import numpy as np
import torch
import zstandard
from torch import Tensor

from engine.errors import ModelError
from engine.importers.conversion import refuse_pointer

SETTINGS = "special:model.yml"
COMPRESSED = (".gz", ".zst")
FLOAT32, INT8, INTGEMM8 = 0x0404, 0x0101, 0x4101

_VERSION = 1
_MOST_BYTES = 2**31  # unpacked; published models have at most 60 MB
_MOST_ITEMS = 10_000
_LONGEST_NAME = 1_000
_HIGHEST_RANK = 4
_LEAST_MULTIPLIER, _MOST_MULTIPLIER = 1e-3, 1e9  # published models have 10 to 2,000
_BLOCK = 2**20
_CURE = "download the file again"


@dataclass(frozen=True, slots=True)
class MarianItem:
    """One named tensor: `values` are float32 or int8; a weight is value / `multiplier`, which is 1 for float32."""

    values: Tensor
    multiplier: float = 1.0

    def weights(self) -> Tensor:
        """The weights in float32."""
        return self.values.float() / self.multiplier


@dataclass(frozen=True, slots=True)
class MarianBinary:
    """A model file: its tensors by name, and its settings as text in YAML."""

    path: Path
    items: Mapping[str, MarianItem]
    settings: str


@dataclass(frozen=True, slots=True)
class _Header:
    name: str
    kind: int
    shape: tuple[int, ...]
    num_bytes: int


def read_marian_binary(path: Path) -> MarianBinary:
    """Read a model file, plain or compressed (.gz, .zst); ModelError names the file, the place in it and the cure."""
    content = read_unpacked(path)
    try:
        items = dict(_items(content))
    except _Damaged as error:
        raise ModelError(f"{path}: {error}; {_CURE}") from error
    settings = items.pop(SETTINGS, None)
    if settings is None or settings.values.dtype != torch.int8:
        raise ModelError(f"{path} has no settings ({SETTINGS}); take a model exported by Marian 1.9 or later")
    try:
        text = settings.values.numpy().tobytes().rstrip(b"\0").decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: {SETTINGS} is not UTF-8 ({error}); {_CURE}") from error
    return MarianBinary(path, items, text)


def read_unpacked(path: Path, most_bytes: int = _MOST_BYTES) -> bytes:
    """The content of a file, decompressed if its name ends in .gz or .zst.

    Raises ModelError, which names the file and the cure, if it cannot be read, is damaged, or contains more than
    `most_bytes`.
    """
    refuse_pointer(path)
    try:
        with path.open("rb") as file, _unpacked(file, path.suffix) as unpacked:
            content = io.BytesIO()
            while block := unpacked.read(_BLOCK):  # in blocks: a small archive may unpack to more than the memory
                content.write(block)
                if content.tell() > most_bytes:
                    raise ModelError(f"{path} has more than {most_bytes} bytes unpacked; use another model")
            return content.getvalue()
    except (BadGzipFile, EOFError, zlib.error, zstandard.ZstdError) as error:
        raise ModelError(f"{path} is not an intact {path.suffix} file ({error}); {_CURE}") from error
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error}); check its permissions, or {_CURE}") from error


def _unpacked(file: IO[bytes], suffix: str) -> IO[bytes] | GzipFile:
    if suffix == ".gz":
        return GzipFile(fileobj=file)
    if suffix == ".zst":
        return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    return file


class _Damaged(Exception):
    """The content is damaged. The message does not contain the file's name."""


class _Reader:
    """Takes bytes from the front of the content; raises _Damaged if it ends too early."""

    def __init__(self, content: bytes) -> None:
        self._content = memoryview(content)
        self._position = 0

    @property
    def num_left(self) -> int:
        return len(self._content) - self._position

    def take(self, num_bytes: int, what: str) -> memoryview:
        if num_bytes > self.num_left:
            raise _Damaged(f"{what} needs {num_bytes} bytes at byte {self._position}, {self.num_left} are left")
        self._position += num_bytes
        return self._content[self._position - num_bytes : self._position]

    def numbers(self, num: int, kind: str, what: str) -> tuple[int, ...]:
        """`num` little-endian numbers; `kind` as in `struct`."""
        layout = struct.Struct(f"<{num}{kind}")
        return layout.unpack(self.take(layout.size, what))


def _items(content: bytes) -> Iterator[tuple[str, MarianItem]]:
    reader = _Reader(content)
    for header in _headers(reader):
        what = f"item {header.name!r}"
        yield header.name, _item(header, reader.take(header.num_bytes, what), what)
    if reader.num_left:
        raise _Damaged(f"{reader.num_left} bytes follow the last item")


def _headers(reader: _Reader) -> list[_Header]:
    """The headers of all items; the reader is then at the first data block."""
    version, num_items = reader.numbers(2, "Q", "the head of the file")
    if version != _VERSION:
        raise _Damaged(f"it is not a Marian model of version {_VERSION} (it begins with the number {version})")
    if not 0 < num_items <= _MOST_ITEMS:
        raise _Damaged(f"it claims {num_items} items; between 1 and {_MOST_ITEMS} are expected")
    heads = [reader.numbers(4, "Q", f"the head of item {number}") for number in range(num_items)]
    names: dict[str, None] = {}
    for number, (length, kind, rank, _) in enumerate(heads):
        if not 1 < length <= _LONGEST_NAME:
            raise _Damaged(f"the name of item {number} claims {length} bytes; at most {_LONGEST_NAME} are expected")
        spelt = bytes(reader.take(length, f"the name of item {number}"))
        try:
            name = spelt[:-1].decode("ascii")
        except UnicodeDecodeError:
            name = "\0"
        if spelt[-1] or not name.isprintable():
            raise _Damaged(f"the name of item {number} is {spelt[:80]!r}; ASCII and a zero byte are expected")
        if name in names:
            raise _Damaged(f"two items are named {name!r}")
        if kind not in (FLOAT32, INT8, INTGEMM8):
            raise _Damaged(f"item {name!r} has the type {kind:#x}; float32, int8 and intgemm8 are supported")
        if not 1 <= rank <= _HIGHEST_RANK:
            raise _Damaged(f"item {name!r} claims {rank} dimensions; between 1 and {_HIGHEST_RANK} are expected")
        names[name] = None
    headers = []
    for name, (_, kind, rank, num_bytes) in zip(names, heads, strict=True):
        shape = reader.numbers(rank, "i", f"the shape of item {name!r}")
        if min(shape) < 1:
            raise _Damaged(f"item {name!r} has the shape {shape}; positive sizes are expected")
        needed = math.prod(shape) * (4 if kind == FLOAT32 else 1) + (4 if kind == INTGEMM8 else 0)
        if needed > num_bytes:
            raise _Damaged(f"item {name!r} of shape {shape} needs {needed} bytes and claims {num_bytes}")
        headers.append(_Header(name, kind, shape, num_bytes))
    (gap,) = reader.numbers(1, "Q", "the gap before the data")
    reader.take(gap, "the gap before the data")
    return headers


def _item(header: _Header, data: memoryview, what: str) -> MarianItem:
    size = math.prod(header.shape)
    if header.kind == FLOAT32:
        values = np.frombuffer(data, "<f4", size).astype(np.float32).reshape(header.shape)
        if not np.isfinite(values).all():
            raise _Damaged(f"{what} contains a value that is not a finite number")
        return MarianItem(torch.from_numpy(values))
    quantised = torch.from_numpy(np.frombuffer(data, np.int8, size).copy().reshape(header.shape))
    if header.kind == INT8:
        return MarianItem(quantised)
    (multiplier,) = struct.unpack("<f", data[size : size + 4])
    if not _LEAST_MULTIPLIER < multiplier < _MOST_MULTIPLIER:
        raise _Damaged(f"{what} has the multiplier {multiplier}; a positive number is expected")
    return MarianItem(quantised, multiplier)
