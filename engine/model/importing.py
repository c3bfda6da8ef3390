"""From what a person names to a model folder that can be loaded: one of ours, a foreign one, or one on the hub.

A foreign folder is converted once; the result stays in the cache (`PINPOINT_CACHE`, else `~/.cache/pinpoint`).
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from pathlib import Path

from engine.errors import ModelError
from engine.model.checkpoint import CONFIG, WEIGHTS
from engine.model.marian import convert_marian, is_marian

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_WANTED = ("config.json", "tokenizer_config.json", "vocab.json", "*.spm", "*.safetensors", "README.md")
_CONVERTER_VERSION = 1


def cache_folder() -> Path:
    """Where converted models stay."""
    return Path(os.environ.get("PINPOINT_CACHE") or Path.home() / ".cache" / "pinpoint") / "models"


def model_folder(name: str | Path) -> Path:
    """The folder to load for a folder or a hub id, fetched and converted where need be.

    Raises ModelError that says what is missing and the cure.
    """
    folder = Path(name)
    origin = hub_id = folder.as_posix()
    if folder.exists():
        origin = str(folder.resolve())
    elif _HUB_ID.fullmatch(hub_id):
        folder = _fetch(hub_id)
    if not folder.is_dir():
        raise ModelError(
            f"{name} is no folder; give the folder that holds {CONFIG} and {WEIGHTS}, or a hub id such as "
            "Helsinki-NLP/opus-mt-en-de"
        )
    if not is_marian(folder):
        return folder
    target = cache_folder() / f"{Path(name).resolve().name}-{_fingerprint(folder)}"
    if not target.is_dir():
        print(f"converting {folder} once, to {target}", file=sys.stderr)
        convert_marian(folder, target, origin=origin)
    return target


def _fetch(hub_id: str) -> Path:
    """The hub's files, from its cache where they are there, with a progress bar otherwise."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError:
        raise ModelError(f"{hub_id} is no folder here, and huggingface_hub is not installed to fetch it") from None
    try:
        try:
            found = Path(snapshot_download(hub_id, allow_patterns=list(_WANTED), local_files_only=True))
            if _is_whole(found):
                return found
        except LocalEntryNotFoundError:
            pass
        found = Path(snapshot_download(hub_id, allow_patterns=list(_WANTED)))
        if not _is_whole(found):
            # older models come as torch files only; read without unpickling anything but tensors
            found = Path(snapshot_download(hub_id, allow_patterns=[*_WANTED, "pytorch_model.bin"]))
        return found
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(
            f"{hub_id} cannot be fetched ({reason}); check the name and the connection, or download the folder "
            "elsewhere and give its path"
        ) from error


def _is_whole(folder: Path) -> bool:
    return (folder / CONFIG).is_file() and any((folder / name).is_file() for name in (WEIGHTS, "pytorch_model.bin"))


def _fingerprint(folder: Path) -> str:
    """Changes with any file of the folder: what was converted from other files is not taken for this."""
    digest = hashlib.sha256(str(_CONVERTER_VERSION).encode())
    for path in sorted(folder.iterdir()):
        if path.is_file():
            stat = path.stat()
            digest.update(f"{path.name}\n{stat.st_size}\n{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]
