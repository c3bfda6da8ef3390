"""What Pinpoint has downloaded into the hub's cache, which all programs share, so that it can be removed again.

A note in Pinpoint's own cache has the names of these files for each model. Files that another program downloaded are in
no note, and stay.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Set
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.bundled_data import user_cache

_SNAPSHOTS = "snapshots"


def hub_cache() -> Path:
    """The cache of huggingface_hub."""
    from huggingface_hub.constants import HF_HUB_CACHE

    return Path(HF_HUB_CACHE)


def hub_id_of(folder: Path) -> str:
    """The hub id of a folder in the hub's cache, "" for another folder."""
    begin, _, name = folder.parent.parent.name.partition("--")
    return name.replace("--", "/", 1) if begin == "models" and folder.parent.name == _SNAPSHOTS else ""


def folder_of(hub_id: str) -> Path:
    """The folder of a model in the hub's cache, whether it exists or not."""
    return hub_cache() / f"models--{hub_id.replace('/', '--')}"


@contextmanager
def noting_files(hub_id: str) -> Iterator[None]:
    """Notes the files of a model that come into the hub's cache meanwhile, also if the block raises."""
    before = _files(hub_id)
    try:
        yield
    finally:
        if new := _files(hub_id) - before:
            with suppress(OSError):  # then they stay when the model is removed
                _write(hub_id, _noted(hub_id) | new)


def remove_downloaded(hub_id: str) -> int:
    """Removes the files of a model that Pinpoint downloaded; returns the bytes that became free. Raises OSError."""
    if not (noted := _noted(hub_id)):
        return 0
    folder = folder_of(hub_id)
    freed = sum(_remove(folder, folder / _SNAPSHOTS / name) for name in sorted(noted))
    _note(hub_id).unlink(missing_ok=True)
    for snapshot in (folder / _SNAPSHOTS).glob("*"):
        with suppress(OSError):  # not empty: other files stay
            snapshot.rmdir()
    if not _files(hub_id):
        shutil.rmtree(folder, ignore_errors=True)
    return freed


def _remove(folder: Path, path: Path) -> int:
    """Removes a file of a snapshot with the blob that it links to, unless another snapshot links to it, too."""
    if not path.is_file():
        path.unlink(missing_ok=True)  # a link to a blob that is gone
        return 0
    blob, size, is_link = path.resolve(), path.stat().st_size, path.is_symlink()
    path.unlink()
    if not is_link:  # a file system without links
        return size
    is_shared = any(other.resolve() == blob for other in (folder / _SNAPSHOTS).rglob("*"))
    if is_shared or blob.parent != (folder / "blobs").resolve():
        return 0
    blob.unlink()
    return size


def _files(hub_id: str) -> Set[str]:
    """The files of all snapshots of a model, as SNAPSHOT/NAME."""
    return {f"{path.parent.name}/{path.name}" for path in (folder_of(hub_id) / _SNAPSHOTS).glob("*/*")}


def _note(hub_id: str) -> Path:
    return user_cache() / "downloaded" / f"{hashlib.sha256(hub_id.encode()).hexdigest()[:24]}.json"


def _noted(hub_id: str) -> Set[str]:
    try:
        names = json.loads(_note(hub_id).read_text(encoding="utf-8"))["files"]
        return {str(name) for name in names if str(name).count("/") == 1 and ".." not in str(name).split("/")}
    except (OSError, ValueError, LookupError, TypeError):
        return set()


def _write(hub_id: str, names: Set[str]) -> None:
    note = _note(hub_id)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(json.dumps({"model": hub_id, "files": sorted(names)}), encoding="utf-8")
