"""Firefox Translations models of random weights, in the files of the real ones: what the tests read."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.importers.marian_binary import FLOAT32, INT8, INTGEMM8, SETTINGS


@dataclass(frozen=True)
class Item:
    """A tensor to write: float32 values, or int8 ones with or without a multiplier."""

    name: str
    values: npt.NDArray[np.generic]
    multiplier: float | None = None

    @property
    def kind(self) -> int:
        if self.values.dtype == np.float32:
            return FLOAT32
        return INT8 if self.multiplier is None else INTGEMM8

    @property
    def data(self) -> bytes:
        return self.values.tobytes() + (b"" if self.multiplier is None else struct.pack("<f", self.multiplier))


def settings_item(settings: str) -> Item:
    return Item(SETTINGS, np.frombuffer(settings.encode() + b"\0", np.int8))


def write_binary(path: Path, items: Iterable[Item]) -> None:
    """A file of Marian's; every data block but the last is padded to a multiple of 256 bytes."""
    items = list(items)
    blocks = [item.data + bytes(-len(item.data) % 256) for item in items[:-1]] + [item.data for item in items[-1:]]
    names = [item.name.encode() + b"\0" for item in items]
    content = struct.pack("<QQ", 1, len(items))
    for item, name, block in zip(items, names, blocks, strict=True):
        content += struct.pack("<QQQQ", len(name), item.kind, item.values.ndim, len(block))
    content += b"".join(names)
    content += b"".join(struct.pack(f"<{item.values.ndim}i", *item.values.shape) for item in items)
    gap = -(len(content) + 8) % 256
    path.write_bytes(content + struct.pack("<Q", gap) + bytes(gap) + b"".join(blocks))
