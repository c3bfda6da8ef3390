"""Writes the header of a GGUF file, as its specification describes it: no weights follow."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path


def write_header(
    path: Path, values: Mapping[str, str | int | list[str]], shapes: Sequence[Sequence[int]] = ((8, 4), (4,))
) -> Path:
    """`shapes` are those of the tensors."""
    parts = [b"GGUF", struct.pack("<IQQ", 3, len(shapes), len(values))]
    for key, value in values.items():
        parts.append(_text(key) + _value(value))
    for number, shape in enumerate(shapes):
        sizes = struct.pack(f"<{len(shape)}Q", *shape)
        parts.append(_text(f"tensor {number}") + struct.pack("<I", len(shape)) + sizes + struct.pack("<IQ", 0, 0))
    path.write_bytes(b"".join(parts))
    return path


def _value(value: str | int | list[str]) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()
