"""Files that a person names: opened, or refused in words for them."""

from __future__ import annotations

import os
from typing import BinaryIO

STANDARD_STREAM = "-"


class CannotGoOn(Exception):
    """The world's mistakes that end the run, in words for a person."""


def open_file(path: str, mode: str) -> BinaryIO:
    """The file at `path`, of bytes; raises CannotGoOn."""
    try:
        return open(path, mode)  # type: ignore[return-value]  # the mode is one of bytes
    except OSError as error:
        doing = "read" if mode == "rb" else "written"
        raise CannotGoOn(f"{path} cannot be {doing}: {error.strerror}") from error


def check_output(output: str, *inputs: str | None) -> None:
    """Raise CannotGoOn where the output would overwrite what is read."""
    for path in inputs:
        if path is None or STANDARD_STREAM in (path, output):
            continue
        if os.path.exists(output) and os.path.exists(path) and os.path.samefile(path, output):
            raise CannotGoOn(f"{output} is the input too; write to another file")
