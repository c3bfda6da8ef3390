"""Reads the JSON files of a model folder, which may come from anywhere."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any, Final

MAX_BYTES: Final = 200_000_000  # vocabularies of large models have tens of megabytes


def check_regular(path: Path) -> None:
    """Raises ValueError unless the path is a regular file or a link to one: reading a device or a pipe may never end.

    Raises OSError if there is nothing.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("it is not a regular file")


def read_json_file(path: Path) -> Any:
    """What a JSON file contains.

    Raises OSError, among them FileNotFoundError, or ValueError for a file that is too large or cannot be read as JSON.
    """
    check_regular(path)
    if (size := path.stat().st_size) > MAX_BYTES:
        raise ValueError(f"it has {size:,} bytes, more than {MAX_BYTES:,}")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
