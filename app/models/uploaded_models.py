"""Model files that a page uploads, kept on disk until the model is installed. Names and contents are untrusted."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from app.errors import CommandError, DownloadError
from app.i18n import Message
from app.models.local_models import MAX_FILES, has_model_file, install_from_disk, is_plain_name, model_name
from app.models.published_models import no_room, unwritable
from app.models.registry import MAX_MODEL_BYTES
from app.whole_files import free_bytes
from engine import ModelError, cache_folder, install_model

MAX_UPLOADS: Final = 4  # that wait at the same time
KEPT_SECONDS: Final = 3600  # an upload that nobody continued for so long makes room for another one
_ROOM_FACTOR: Final = 4  # uploaded, unpacked and converted files exist side by side
_ID: Final = re.compile(r"[0-9a-f]{32}")
_TEMPORARY: Final = re.compile(r"\S*[/\\](?:uploads[/\\][0-9a-f]{32}|pinpoint-\w+[/\\](?:zip|unpacked))[/\\]?")
_FIREFOX: Final = re.compile(r"model\.([a-z_]{4,24})\.intgemm")


class UploadedModels:
    """The uploads of all pages. Safe from several threads: each upload has a folder of its own."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` is where uploads wait: by default beside the installed models, on the same disk."""
        self._folder = folder or cache_folder().parent / "uploads"

    @contextmanager
    def receiving(self, upload: str, file: str, num_bytes: int) -> Iterator[BinaryIO]:
        """An open file for one file of an upload; if the block raises or writes less, the file is removed.

        `upload` is a random id of 32 hex digits, the same for all files of a model. Raises CommandError for names that
        are not allowed, DownloadError if the disk lacks space.
        """
        folder = self._place(upload)
        if not is_plain_name(file):
            raise CommandError("{name!r} is not a file of a model: choose only files of the model.", name=file[:200])
        self._check_room(folder, num_bytes)
        path = folder / file
        is_whole = False
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as output:
                yield output
            is_whole = path.stat().st_size == num_bytes
        except OSError as error:
            raise unwritable(self._folder, error) from error
        finally:
            if not is_whole:
                path.unlink(missing_ok=True)

    def name_of(self, upload: str, given: str) -> str:
        """The name that the model of an upload will have; `given` is that of the folder or ZIP file, "" without one.

        An installed model of the same name stays: then a number is added. Raises CommandError if nothing was uploaded.
        """
        files = sorted(_paths(self._place(upload)))
        if not files:
            raise CommandError("The uploaded files were removed: choose them again.")
        return _free_name(model_name(given or _name_of(files)))

    def install(self, upload: str, name: str) -> Path:
        """Installs the model of an upload as `name`, and returns its folder; the uploaded files are removed.

        Raises DownloadError or ModelError; then nothing is installed.
        """
        folder = self._place(upload)
        files = sorted(_paths(folder))
        archives = [file for file in files if file.suffix.lower() == ".zip"]
        try:
            if not archives and not has_model_file(file.name for file in files):
                raise DownloadError(
                    "These files are not a complete model: choose the ZIP file, the folder or all files of a "
                    "model, such as model.enpt.intgemm.alphas.bin and vocab.enpt.spm."
                )
            path = archives[0] if archives else folder
            return install_from_disk(path, install_model, name=name, shown=f"{name}{path.suffix}")
        except ModelError as error:
            raise ModelError(_without_places(str(error))) from error
        finally:
            self.discard(upload)

    def discard(self, upload: str) -> None:
        """Removes the files of an upload."""
        shutil.rmtree(self._place(upload), ignore_errors=True)

    def clean(self) -> None:
        """Removes uploads that were not installed in time. Call it at the start."""
        with suppress(OSError):
            for upload in self._folder.iterdir():
                if time.time() - upload.stat().st_mtime > KEPT_SECONDS:
                    shutil.rmtree(upload, ignore_errors=True)

    def _place(self, upload: str) -> Path:
        if not _ID.fullmatch(upload):
            raise CommandError("The id of the upload is not valid.")
        return self._folder / upload

    def _check_room(self, folder: Path, num_bytes: int) -> None:
        self.clean()
        others = [other for other in _paths(self._folder) if other != folder]
        if len(others) >= MAX_UPLOADS:
            raise DownloadError("Other models are being uploaded: try again when they are installed.")
        files = _paths(folder)
        num_all = num_bytes + sum(file.stat().st_size for file in files)
        if len(files) >= MAX_FILES or num_all > MAX_MODEL_BYTES:
            raise DownloadError(
                "These files are too large or too many for a model (limits: {files} files, {size:,} MB).",
                files=MAX_FILES,
                size=MAX_MODEL_BYTES // 10**6,
            )
        if free_bytes(self._folder) < _ROOM_FACTOR * num_all:
            raise no_room(Message("The model"), _ROOM_FACTOR * num_all, self._folder)


def _paths(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _name_of(files: list[Path]) -> str:
    """A name for a model by its files: "firefox-enpt" for model.enpt.intgemm.alphas.bin."""
    for file in files:
        if found := _FIREFOX.match(file.name):
            return f"firefox-{found[1]}"
    return files[0].name.partition(".")[0] if files else "model"


def _without_places(message: str) -> str:
    """The message without the paths of temporary folders, which mean nothing to the person at the page."""
    return _TEMPORARY.sub("", message)


def _free_name(name: str) -> str:
    """The name, with a number if a model of that name is installed."""
    number, free = 1, name
    while (cache_folder() / free).exists():
        number += 1
        free = f"{name}-{number}"
    return free
