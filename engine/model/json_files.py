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


def leads_out(folder: Path, path: Path) -> bool:
    """True if a path in a model folder is a link to a file elsewhere, which the maker of the model could choose.

    The hub's cache keeps the files of all versions of a model in a folder beside them, "blobs".
    """
    real, home = path.resolve(), folder.resolve()
    return not any(real.is_relative_to(root) for root in (home, home.parent.parent / "blobs"))


def read_json_file(path: Path) -> Any:
    """The content of a JSON file.

    Raises OSError, among them FileNotFoundError, or ValueError for a file that is too large or cannot be read as JSON.
    """
    check_regular(path)
    if (size := path.stat().st_size) > MAX_BYTES:
        raise ValueError(f"it has {size:,} bytes, more than {MAX_BYTES:,}")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
