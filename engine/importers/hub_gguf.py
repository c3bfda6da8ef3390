"""GGUF files of the hub: downloaded into Pinpoint's own cache, continued where an earlier download ended, and removed.

The hub's client would begin a file of some gigabytes again from its start. A file that another program has downloaded
into the hub's cache is used from there.
"""

from __future__ import annotations

import hashlib
import io
from contextlib import suppress
from pathlib import Path

from engine.bundled_data import user_cache
from engine.errors import ModelError
from engine.importers.foreign_files import flush
from engine.importers.gguf_header import read_gguf_header
from engine.importers.hub import (
    FetchProgress,
    HubModel,
    cached_gguf,
    check_room,
    download_turn,
    look_up,
    sha256_of,
    unfetched,
)
from engine.importers.language_models import check_gguf_download


def gguf_of_hub(hub_id: str, file: str, progress: FetchProgress | None = None) -> Path:
    """A GGUF file of the hub, downloaded if it is not here; raises ModelError with advice.

    It is refused before it is downloaded if it will not fit into memory. `progress` gets the bytes here and in total;
    an exception that it raises ends the download, and the next call continues it.
    """
    target = path_of(hub_id, file)
    if target.is_file():
        return target
    return cached_gguf(hub_id, file) or _fetched(hub_id, file, target, progress or (lambda *_: None))


def hub_name_of_gguf(path: Path) -> str:
    """The name by which a file in Pinpoint's cache was downloaded, MAKER/MODEL/FILE.gguf; "" for others."""
    if path.parent.parent != _folder():
        return ""
    return f"{path.parent.name.replace('--', '/', 1)}/{path.name}"


def remove_gguf(hub_id: str, file: str) -> int:
    """Removes a file that Pinpoint downloaded; returns the bytes that became free. Raises OSError."""
    target = path_of(hub_id, file)
    if not target.is_file():
        return 0
    size = target.stat().st_size
    target.unlink()
    with suppress(OSError):  # other files are beside it
        target.parent.rmdir()
    return size


def _folder() -> Path:
    return user_cache().absolute() / "gguf"


def path_of(hub_id: str, file: str) -> Path:
    """The path of a GGUF file that Pinpoint downloads."""
    return _folder() / hub_id.replace("/", "--") / file


def _fetched(hub_id: str, file: str, target: Path, progress: FetchProgress) -> Path:
    name = f"{hub_id}/{file}"
    published = look_up(name)
    check_gguf_download(name, published.num_bytes)
    # Beside the unfinished downloads of other models, which are removed after a week. Another file gets another part.
    digest = hashlib.sha256(repr((name, published.num_bytes, published.checksums.get(file))).encode()).hexdigest()
    folder = user_cache().absolute() / "downloads" / f"gguf-{digest[:24]}"
    part = folder / "part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with download_turn(folder / "lock", progress):
            num_here = part.stat().st_size if part.exists() else 0
            check_room(name, published.num_bytes - num_here, user_cache(), "PINPOINT_CACHE")
            _receive(hub_id, file, published, part, progress)
            _check(name, published.checksums.get(file), part)
            flush(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
        (folder / "lock").unlink(missing_ok=True)
        folder.rmdir()
    except ModelError:
        raise
    except Exception as error:  # OSError, and the errors of the HTTP library
        raise unfetched(name, error) from error
    return target


class _ToldFile(io.FileIO):
    """A file for appending that tells its size after each write."""

    def __init__(self, path: Path, total: int, progress: FetchProgress) -> None:
        super().__init__(path, "a")
        self._total, self._progress = total, progress

    def write(self, data: io.ReadableBuffer, /) -> int:  # type: ignore[name-defined]
        left = memoryview(data)
        while left:
            left = left[super().write(left) :]
        self._progress(self.tell(), self._total)
        return len(data)


def _receive(hub_id: str, file: str, published: HubModel, part: Path, progress: FetchProgress) -> None:
    from huggingface_hub import hf_hub_url
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    with _ToldFile(part, published.num_bytes, progress) as output:
        http_get(
            hf_hub_url(hub_id, file, revision=published.revision),
            output,
            resume_size=output.tell(),
            headers=build_hf_headers(),
            expected_size=published.num_bytes,
            displayed_filename=file,
        )


def _check(name: str, checksum: str | None, part: Path) -> None:
    """Raises ModelError, and removes the file, if it differs from what was published, or is no GGUF file."""
    try:
        if checksum is not None and sha256_of(part) != checksum:
            raise ModelError(f"{name} differs from its published checksum; download it again")
        read_gguf_header(part)
    except ModelError:
        part.unlink()
        raise
