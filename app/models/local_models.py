"""Installs a model from a folder or a file on this computer, for computers without a network."""

from __future__ import annotations

import errno
import json
import lzma
import re
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

from app.errors import DownloadError
from app.i18n import Message
from app.models.published_models import LICENCE_FILE, SOURCE_FILE
from app.models.registry import MAX_MODEL_BYTES
from app.models.transfer import CHUNK_BYTES, unpack
from engine import install_model

MAX_FILES: Final = 200  # of a model, in an archive
MAX_LICENCE_BYTES: Final = 2**20
_WEIGHTS: Final = (".bin", ".safetensors", ".pt")
_MODEL_FILES: Final = (*_WEIGHTS, ".spm")
_UNFINISHED: Final = re.compile(r"\.(?=(?:partial|replaced)\Z)")  # of folders of models that are being installed
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+=-]{0,120}")
# Exceptions that zipfile raises for damaged archives.
_DAMAGE: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, FileExistsError, NotImplementedError,
    RuntimeError, ValueError,
)  # fmt: skip
Install = Callable[[Path, str, Mapping[str, str]], Path]


def install_from_disk(path: Path, install: Install = install_model, *, name: str = "", shown: str = "") -> Path:
    """Installs the model in a folder, in a ZIP file, or beside one of its own files; returns its new folder.

    Files may be packed with gzip, as registries have them. `name` is by default that of the folder or ZIP file; errors
    and the note of the origin name the file as `shown`, by default by its path. Raises DownloadError or ModelError if
    nothing is installed.
    """
    folder = path.parent if path.is_file() and path.name.removesuffix(".gz").endswith(_MODEL_FILES) else path
    name = name or model_name(folder.resolve().name)
    try:
        with tempfile.TemporaryDirectory(prefix="pinpoint-", ignore_cleanup_errors=True) as temporary:
            if folder.is_dir():
                found = _unpacked(folder, Path(temporary))
            elif folder.is_file() and zipfile.is_zipfile(folder):
                found = _unpacked(_extracted(folder, Path(temporary) / "zip", shown), Path(temporary))
            else:
                raise DownloadError(
                    "{path} is not a model: give a folder with the files of a model, or a ZIP file of such a folder.",
                    path=shown or path,
                )
            return install(found, name, _texts(found, name, shown or str(path.resolve())))
    except OSError as error:
        raise DownloadError(
            "{path} cannot be installed ({reason}): check that you may read the files, and that {folder} is "
            "writable and has free space.",
            path=shown or path,
            reason=error.strerror or error,
            folder=tempfile.gettempdir(),
        ) from error


def model_name(name: str) -> str:
    """The name under which a folder or ZIP file is installed.

    >>> model_name("en pt (tiny).zip")
    'en-pt-tiny'
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name.removesuffix(".zip"))[:100].strip("-.")
    return _UNFINISHED.sub("-", plain) or "model"


def is_plain_name(name: str) -> bool:
    """True if a model's file may have this name."""
    return _PLAIN_NAME.fullmatch(name) is not None


def has_model_file(names: Iterable[str]) -> bool:
    """True if one of the files contains weights, by its name."""
    return any(name.removesuffix(".gz").endswith(_WEIGHTS) for name in names)


def _unpacked(folder: Path, temporary: Path) -> Path:
    """The folder itself, or a copy whose gzip files are unpacked."""
    if not any(folder.glob("*.gz")):
        return folder
    copy = temporary / "unpacked"
    copy.mkdir()
    for file in folder.iterdir():
        if file.is_file():
            if file.suffix == ".gz":
                unpack(file, copy / file.stem, MAX_MODEL_BYTES, None, None)
            else:
                shutil.copyfile(file, copy / file.name)
    return copy


def _extracted(archive: Path, target: Path, shown: str) -> Path:
    """The files of the archive's uppermost folder that has any. Names with path parts never leave `target`."""
    target.mkdir()
    try:
        with zipfile.ZipFile(archive) as file:
            members = [member for member in file.infolist() if not member.is_dir()]
            top = min((len(PurePosixPath(member.filename).parts) for member in members), default=0)
            chosen = [member for member in members if len(PurePosixPath(member.filename).parts) == top]
            if len(chosen) > MAX_FILES or sum(member.file_size for member in chosen) > 2 * MAX_MODEL_BYTES:
                raise _bad_archive(shown or archive, Message("it is too large"))
            for member in chosen:
                name = PurePosixPath(member.filename).name
                if not is_plain_name(name):
                    raise _bad_archive(
                        shown or archive, Message("it contains the name {name!r}", name=member.filename[:200])
                    )
                num_left = member.file_size
                with file.open(member) as source, (target / name).open("xb") as output:
                    while chunk := source.read(CHUNK_BYTES):
                        num_left -= len(chunk)
                        if num_left < 0:
                            raise _bad_archive(shown or archive, Message("it is too large"))
                        output.write(chunk)
    except _DAMAGE as error:
        raise _bad_archive(shown or archive, str(error)) from error
    except OSError as error:
        if error.errno != errno.EINVAL:  # a part of the archive begins before the file does
            raise
        raise _bad_archive(shown or archive, Message("it is damaged")) from error
    return target


def _bad_archive(archive: Path | str, reason: str) -> DownloadError:
    return DownloadError(
        "{path} cannot be unpacked ({reason}): unpack it with another program and give the folder.",
        path=archive,
        reason=reason,
    )


def _texts(folder: Path, name: str, origin: str) -> dict[str, str]:
    """The files stored with the installed model: its origin, and its licence if the folder has one."""
    installed_at = datetime.now(UTC).isoformat(timespec="seconds")
    texts = {SOURCE_FILE: json.dumps({"name": name, "from": origin, "installed_at": installed_at}) + "\n"}
    for file in sorted(folder.iterdir()):
        if re.match(r"(licen[cs]e|copying)", file.name, re.IGNORECASE) and file.is_file():
            with suppress(OSError):
                if file.stat().st_size <= MAX_LICENCE_BYTES:
                    texts[LICENCE_FILE] = file.read_text(encoding="utf-8", errors="replace")
                    break
    return texts
