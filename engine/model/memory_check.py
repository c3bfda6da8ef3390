"""Checks that a model fits into free memory before it is read."""

from __future__ import annotations

import json
import math
from pathlib import Path

from engine.errors import ModelError
from engine.model.json_files import check_regular

_BYTES = 4  # of a weight in single precision
_LONGEST_HEADER = 100_000_000  # as the format has it
# (limit, in use) of the group of processes, as containers set it: version 2, then version 1
_GROUP_FILES = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def num_weights(path: Path) -> int:
    """The number of weights in a safetensors file, from its header; raises ModelError for a damaged file."""
    try:
        check_regular(path)
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            if not 0 < size <= _LONGEST_HEADER:
                raise ValueError("the length of its header is invalid")
            header = json.loads(file.read(size))
        tensors = {name: entry for name, entry in header.items() if name != "__metadata__"}
        end = max(entry["data_offsets"][1] for entry in tensors.values())
        if path.stat().st_size != 8 + size + end:
            raise ValueError(f"it should have {8 + size + end:,} bytes and has {path.stat().st_size:,}")
        return sum(math.prod(entry["shape"]) for entry in tensors.values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise ModelError(f"{path} is not an intact safetensors file ({error}); copy the model folder again") from error


def needed_bytes(weights: Path) -> int:
    """The peak memory of loading: the file, and its weights in single precision.

    Measured with 54 million weights in half precision: 6.2 bytes per weight, where this returns 6.0.
    """
    return weights.stat().st_size + _BYTES * num_weights(weights)


def available_bytes(device: str = "cpu") -> int:
    """The memory that this process can allocate without swapping: of the machine, or of its container if less.

    Of a GPU ("cuda"), its own memory that is free.
    """
    if device.startswith("cuda"):
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    import psutil  # here, so that training, which needs less installed, can do without

    available = int(psutil.virtual_memory().available)
    for limit, usage in _GROUP_FILES:
        try:
            left = int(Path(limit).read_text()) - int(Path(usage).read_text())
        except (OSError, ValueError):  # no such group, or "max"
            continue
        return max(0, min(available, left))
    return available


def check_memory(weights: Path) -> None:
    """Raise ModelError with both sizes if the weights do not fit."""
    _check(weights.parent.name, needed_bytes(weights), "load")


def check_reading_memory(path: Path) -> None:
    """Raise ModelError with both sizes if a file that is read as a whole does not fit."""
    _check(path.parent.name, path.stat().st_size, "read")


def check_conversion_memory(name: str, num_weights: int) -> None:
    """Raise ModelError with both sizes if there is too little memory to convert a model with so many weights.

    They are read, put in order in single precision, and written in half: three times their size in single precision,
    for every precision of the file.
    """
    _check(name, 3 * _BYTES * num_weights, "convert")


def _check(name: str, needed: int, purpose: str) -> None:
    available = available_bytes()
    if needed > available:
        raise ModelError(
            f"{name} needs {megabytes(needed)} of memory to {purpose}, and {megabytes(available)} are free; "
            "close other programs, or use a smaller model"
        )


def megabytes(number: int) -> str:
    """A size for a person.

    >>> megabytes(14_655_312)
    '14.7 MB'
    """
    size = number / 1e6
    return f"{size:,.0f} MB" if size >= 100 else f"{size:.1f} MB"
