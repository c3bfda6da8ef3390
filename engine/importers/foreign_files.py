"""The files of model folders: of which family they are, and those of other families; without PyTorch."""

from __future__ import annotations

import glob
import os
import re
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.errors import ModelError
from engine.model.checkpoint import CONFIG
from engine.model.json_files import read_json_file

WEIGHT_FILES = ("model.safetensors", "pytorch_model.bin")
_INDEX = ".index.json"  # of weights in several files
FIREFOX_MODEL = re.compile(r"model\.(?P<pair>[a-z_]+)\.intgemm[\w.]*\.bin(\.gz|\.zst)?")
_ABANDONED_SECONDS = 86_400  # without a file being written: far more than any takes


def is_fairseq(folder: Path) -> bool:
    """True if a folder contains a checkpoint, and no configuration of another family."""
    return not (folder / CONFIG).is_file() and any(folder.glob("*.pt"))


def is_firefox(folder: Path) -> bool:
    """True if a folder contains a model file of Firefox Translations."""
    return bool(firefox_models(folder))


def firefox_models(folder: Path) -> list[Path]:
    """The model files of Firefox Translations in a folder."""
    try:
        return sorted(path for path in folder.iterdir() if FIREFOX_MODEL.fullmatch(path.name))
    except OSError:
        return []


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object; raises ModelError for a file that is missing or contains anything else."""
    try:
        found = read_json_file(path)
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; download the folder again") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read as JSON ({error}); download the folder again") from error
    if not isinstance(found, dict):
        raise ModelError(f"{path} is not a JSON object; download the folder again")
    return found


def find_weights(folder: Path) -> tuple[Path, list[Path]] | None:
    """The weight file of a folder, or the index of its parts, and the parts, some of which may be missing."""
    for name in WEIGHT_FILES:
        if (folder / name).is_file():
            return folder / name, [folder / name]
        index = folder / (name + _INDEX)
        if index.is_file():
            parts = read_json(index).get("weight_map")
            if not isinstance(parts, dict) or not parts:
                raise ModelError(f"{index} does not name any files of weights; download it again")
            return index, [folder / name for name in sorted({Path(str(part)).name for part in parts.values()})]
    return None


def flush(folder: Path) -> None:
    """Return when the files of a folder are on the disk: after a power cut, none is empty under its final name."""
    for path in folder.iterdir():
        if path.is_file():
            descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def remove_abandoned(target: Path) -> None:
    """Remove partial conversions of this model that killed programs left behind."""
    for folder in target.parent.glob(f"{glob.escape(target.name)}.*partial"):
        with suppress(OSError):
            if time.time() - max(path.stat().st_mtime for path in (folder, *folder.iterdir())) > _ABANDONED_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
