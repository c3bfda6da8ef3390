"""Published models: the list of a registry, kept on disk, and installing one of them.

Nothing is requested from the registry unless a person asks for it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from app.errors import DownloadError
from app.models.document_direction import has_same_languages
from app.models.registry import MAX_LIST_BYTES, PublishedModel, read_registry
from app.models.transfer import download, fetch_bytes, new_client, unpack
from app.whole_files import free_bytes, remove_leftovers, write_whole
from engine import FetchProgress, cache_folder, download_turn, install_model

KEPT_SECONDS: Final = 7 * 86_400  # an interrupted download can be continued for so long
_VOCABULARY_BYTES: Final = 1_000_000  # about; the registry does not publish the size
_ROOM_FACTOR: Final = 4  # packed, unpacked and converted files exist side by side
_ROOM_BYTES: Final = 64 * 2**20
LICENCE_FILE: Final = "LICENSE.txt"
SOURCE_FILE: Final = "source.json"
CARD_FILE: Final = "card.md"
BEGUN_SUFFIX: Final = ".begun"  # of the notes of downloads to continue (`begun_downloads`)
Install = Callable[[Path, str, Mapping[str, str]], Path]


@dataclass(frozen=True, slots=True)
class ModelList:
    """The published models, and when the list was read from the registry."""

    models: tuple[PublishedModel, ...]
    read_at: str

    def find(self, name: str) -> PublishedModel | None:
        """The model with this name, if the list has it."""
        return next((model for model in self.models if model.name == name), None)

    def of_languages(self, direction: str) -> list[PublishedModel]:
        """The models for these two languages, the recommended one first."""
        return [model for model in self.models if has_same_languages(model.direction, direction)]


def licence_of(folder: Path) -> str:
    """The name of the licence of a model that was installed from the list; "" where its files name none."""
    try:
        return str(json.loads((folder / SOURCE_FILE).read_text(encoding="utf-8"))["licence"])[:60]
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def no_room(name: str, num_bytes: int, folder: Path) -> DownloadError:
    """The error for a model that does not fit on the disk of the cache."""
    return DownloadError(
        "{name} needs {needed:,} MB of disk space in {folder}, and {free:,} MB are free: free some, or set "
        "PINPOINT_CACHE to another folder.",
        name=name,
        needed=num_bytes // 10**6,
        free=free_bytes(folder) // 10**6,
        folder=folder,
    )


def unwritable(folder: Path, error: OSError) -> DownloadError:
    """The error for a folder of the cache that cannot be written."""
    return DownloadError(
        "{folder} cannot be written ({reason}): check its permissions, or set PINPOINT_CACHE to another folder.",
        folder=folder,
        reason=error.strerror or str(error),
    )


class PublishedModels:
    """The models of one registry. Safe from several threads and processes."""

    def __init__(self, address: str, folder: Path | None = None, install: Install = install_model) -> None:
        """`folder` is where the list and unfinished downloads are kept: by default beside the installed models."""
        self.address = address
        self._folder = folder or cache_folder().parent
        self._install = install

    @property
    def _list_file(self) -> Path:
        return self._folder / f"registry-{hashlib.sha256(self.address.encode()).hexdigest()[:12]}.json"

    @property
    def _downloads(self) -> Path:
        return self._folder / "downloads"

    def known(self) -> ModelList | None:
        """The list that was read last; None if it was never read. Does not use the network."""
        try:
            kept = json.loads(self._list_file.read_text(encoding="utf-8"))
            return ModelList(tuple(read_registry(kept["list"].encode(), self.address)), str(kept["read_at"])[:40])
        except (OSError, ValueError, LookupError, TypeError, AttributeError, DownloadError):
            return None

    def update(self) -> ModelList:
        """Reads the list from the registry and stores it. Raises DownloadError and keeps the stored list."""
        with new_client() as client:
            data = fetch_bytes(client, self.address, MAX_LIST_BYTES)
        models = tuple(read_registry(data, self.address))
        read_at = datetime.now(UTC).isoformat(timespec="seconds")
        kept = json.dumps({"address": self.address, "read_at": read_at, "list": data.decode("utf-8", "replace")})
        with suppress(OSError):  # a list that cannot be kept can still be used
            write_whole(self._list_file, kept.encode("utf-8"))
        return ModelList(models, read_at)

    def num_here(self, model: PublishedModel) -> int:
        """The bytes of the model that an unfinished download has left."""
        with suppress(OSError):
            return sum(path.stat().st_size for path in (self._downloads / model.name).iterdir() if path.is_file())
        return 0

    def install(self, model: PublishedModel, progress: FetchProgress) -> Path:
        """Downloads, checks and converts a model; returns its folder. One model at a time is downloaded.

        `progress` gets the bytes received and their expected sum; an exception that it raises ends the download, and
        the next call continues it. Raises DownloadError or ModelError; then nothing is installed.
        """
        folder = self._downloads / model.name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with download_turn(self._downloads / "lock", progress):
                self._check_room(model)
                unpacked = self._fetch(model, folder, progress)
                installed = self._install(unpacked, model.name, self._texts(model))
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                shutil.rmtree(folder, ignore_errors=True)
                raise self._no_room(model) from error
            raise unwritable(folder, error) from error
        shutil.rmtree(folder, ignore_errors=True)
        return installed

    def clean(self) -> None:
        """Removes downloads that were not continued for a week. Call it at the start."""
        remove_leftovers(self._downloads)
        with suppress(OSError):
            for folder in self._downloads.iterdir():
                with suppress(OSError):
                    newest = max(path.stat().st_mtime for path in (folder, *folder.rglob("*")))
                    if time.time() - newest <= KEPT_SECONDS:
                        continue
                    if folder.is_dir():
                        shutil.rmtree(folder, ignore_errors=True)
                    elif folder.suffix == BEGUN_SUFFIX:
                        folder.unlink()

    def _fetch(self, model: PublishedModel, folder: Path, progress: FetchProgress) -> Path:
        """The folder with the model's files, checked and unpacked."""
        unpacked = folder / "unpacked"
        shutil.rmtree(unpacked, ignore_errors=True)
        unpacked.mkdir()
        sizes = [file.num_bytes or _VOCABULARY_BYTES for file in model.files]
        with new_client() as client:
            for number, (file, size) in enumerate(zip(model.files, sizes, strict=True)):
                done = sum(sizes[:number])

                def on_bytes(received: int, expected: int, done: int = done, size: int = size) -> None:
                    progress(done + min(size, size * received // max(expected, received, 1)), sum(sizes))

                packed = folder / file.name
                download(client, file.url, packed, file.max_bytes, on_bytes)
                try:
                    unpack(packed, unpacked / file.name, file.max_bytes, file.num_bytes, file.sha256)
                except DownloadError:
                    packed.unlink()  # or the next try would take it again
                    raise
        progress(sum(sizes), sum(sizes))
        return unpacked

    def _check_room(self, model: PublishedModel) -> None:
        if free_bytes(self._folder) < self._room(model):
            raise self._no_room(model)

    @staticmethod
    def _room(model: PublishedModel) -> int:
        return _ROOM_FACTOR * model.num_bytes + _ROOM_BYTES

    def _no_room(self, model: PublishedModel) -> DownloadError:
        return no_room(model.title, self._room(model), self._folder)

    def _texts(self, model: PublishedModel) -> dict[str, str]:
        """The files stored with the installed model: its licence, its origin, a card."""
        quality = ", ".join(f"{name} {value:g}" for name, value in model.quality.items()) or "not published"
        source = {
            "name": model.name,
            "licence": model.licence,
            "registry": self.address,
            "installed_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "quality": dict(model.quality),
            "files": {file.name: {"url": file.url, "sha256": file.sha256} for file in model.files},
        }
        card = (
            f"# {model.title}\n\nLicence: {model.licence}\nOrigin: {self.address}\n"
            f"Quality published by its makers (FLORES-200): {quality}\n"
        )
        return {
            LICENCE_FILE: model.licence_text,
            SOURCE_FILE: json.dumps(source, indent=2) + "\n",
            CARD_FILE: card,
        }
