"""The files of a model on the hub: from the hub's cache or downloaded with a progress bar, or the reason for a failure.

This module does not name a host: huggingface_hub decides which hub it uses.
"""

from __future__ import annotations

import errno
import hashlib
import math
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from engine.errors import ModelError
from engine.importers.foreign_files import find_weights
from engine.importers.hub_cache import hub_cache, noting_files
from engine.importers.language_models import check_download
from engine.model.checkpoint import CONFIG
from engine.model.memory_check import megabytes

_WANTED: Final = (
    *("*.json", "*.spm", "sentencepiece.bpe.model", "merges.txt", "*.safetensors", "README.md", "*.jinja"),
    *("vocabulary.txt", "bpe.codes", "card.md"),  # of a model of ours
)
_ELSEWHERE: Final = "or download the folder elsewhere and give its path"
_BAR_OF_ALL_BYTES: Final = "huggingface_hub.snapshot_download"
_UNWANTED: Final = ("*/*", "consolidated*")  # folders, and the same weights once more
_TORCH_FILES: Final = "pytorch_model*.bin"
_SETTINGS: Final = (CONFIG, "tokenizer_config.json")
_HUB_ID: Final = re.compile(r"([A-Za-z0-9][\w.-]*/\w[\w.-]*?)(?:/(\w[\w.+-]*\.[Gg][Gg][Uu][Ff]))?", re.ASCII)
_ONE_GGUF: Final = re.compile(r"(?!mmproj)\w[\w.+-]*(?<!-\d{5}-of-\d{5})\.gguf", re.IGNORECASE | re.ASCII)  # not a part
_MOST_NAMED: Final = 12
_TURN_SECONDS: Final = 0.2  # between two looks whether another download has ended
FetchProgress = Callable[[int, int], object]  # gets the downloaded bytes, and the total bytes of the files begun so far


@dataclass(frozen=True, slots=True)
class HubModel:
    """The files of a model on the hub that would be downloaded. `licence` is "" if its card names none.

    A model that comes only as GGUF files has no `sizes`, but `choices`: the sizes of these files, one of which must be
    named.
    """

    hub_id: str
    licence: str
    sizes: Mapping[str, int]
    checksums: Mapping[str, str]  # SHA-256 of large files
    names: frozenset[str]  # of all files
    revision: str = ""
    choices: Mapping[str, int] = field(default_factory=dict)

    @property
    def num_bytes(self) -> int:
        return sum(self.sizes.values())


def is_hub_id(name: str) -> bool:
    """True if the name has the form of a hub id, MAKER/MODEL, or of a file there, MAKER/MODEL/FILE.gguf."""
    return _HUB_ID.fullmatch(name) is not None


def hub_id_and_file(name: str) -> tuple[str, str]:
    """The hub id in such a name, and the name of the file, "" without one."""
    found = _HUB_ID.fullmatch(name)
    assert found is not None
    return found[1], found[2] or ""


def look_up(name: str) -> HubModel:
    """The files of a model with their sizes, and its licence; raises ModelError with advice. Downloads nothing.

    `name` is a hub id, or that of a GGUF file, MAKER/MODEL/FILE.gguf.
    """
    hub_id, file = hub_id_and_file(name)
    try:
        from huggingface_hub import HfApi

        info = HfApi().model_info(hub_id, files_metadata=True)
    except Exception as error:  # as of `fetch`
        raise unfetched(hub_id, error) from error
    files = {each.rfilename: each for each in info.siblings or ()}
    in_one = sorted((each.size or 0, name) for name, each in files.items() if _ONE_GGUF.fullmatch(name))
    choices = {name: size for size, name in in_one}
    if file:
        if file not in choices:
            why = "it is a part of a model" if file in files else "the hub does not have this file"
            raise ModelError(f"{hub_id}/{file} cannot be downloaded ({why}); {choice(hub_id, choices)}")
        wanted = [file]
    else:
        wanted = [name for name in files if _is_any(name, _WANTED) and not _is_any(name, _UNWANTED)]
        if not any(name.endswith(".safetensors") for name in wanted):
            pickled = [name for name in files if fnmatch(name, _TORCH_FILES)]
            wanted = [*wanted, *pickled] if pickled or not choices else []
    return HubModel(
        hub_id,
        str((info.card_data.get("license") if info.card_data else "") or "")[:60],
        {name: files[name].size or 0 for name in wanted},
        {name: lfs.sha256 for name in wanted if (lfs := files[name].lfs) is not None},
        frozenset(files),
        info.sha or "",
        {} if wanted else choices,
    )


def choice(hub_id: str, choices: Mapping[str, int]) -> str:
    """The advice to name one of the files."""
    if not choices:
        return "it has no GGUF files; give the name of the model alone"
    named = ", ".join(f"{name} ({megabytes(size)})" for name, size in [*choices.items()][:_MOST_NAMED])
    return f"name one of its GGUF files, such as {hub_id}/{next(iter(choices))}: {named}"


def _is_any(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def cached_files(hub_id: str) -> Path | None:
    """The folder in the hub's cache, if it contains configuration and weights; without network access."""
    try:
        found = _snapshot(hub_id, local_files_only=True)
    except (OSError, ValueError):  # missing or incomplete
        return None
    return found if _has_weights(found) else None


def fetch(hub_id: str, check: Callable[[Path], bool], progress: FetchProgress | None = None) -> Path:
    """The folder in the hub's cache after downloading missing files; raises ModelError with advice.

    `check` receives the folder with only its settings, and may refuse it before the other files are downloaded. It
    returns True for a model that transformers loads itself: then weights are downloaded only as safetensors, and the
    files are compared with their published checksums.
    `progress` is called in threads of the hub's client, in order. An exception that it raises ends the download if
    files come over HTTP (HF_HUB_DISABLE_XET=1); files that are complete by then are not downloaded again.
    """
    try:
        with noting_files(hub_id):
            return _fetched(hub_id, check, progress)
    except ModelError:
        raise
    except Exception as error:  # OSError and ValueError, and in the middle of a file the errors of the HTTP library
        raise unfetched(hub_id, error) from error


def cached_gguf(hub_id: str, file: str) -> Path | None:
    """A GGUF file in the hub's cache that another program has downloaded; without network access."""
    try:
        found = _snapshot(hub_id, (file,), local_files_only=True) / file
    except (OSError, ValueError):
        return None
    return found if found.is_file() else None


def _fetched(hub_id: str, check: Callable[[Path], bool], progress: FetchProgress | None) -> Path:
    found = _snapshot(hub_id, _SETTINGS)
    if not (found / CONFIG).is_file():
        if choices := look_up(hub_id).choices:
            raise ModelError(f"{hub_id} comes as GGUF files; {choice(hub_id, choices)}")
        raise ModelError(f"{hub_id} has no {CONFIG} on the hub; use a model that `python -m engine models` lists")
    if check(found):
        published = look_up(hub_id)
        if published.choices:
            raise ModelError(f"{hub_id} comes as GGUF files; {choice(hub_id, published.choices)}")
        check_download(hub_id, found, published.names, published.sizes)
        found = _snapshot(hub_id, progress=progress)
        _check_sums(found, published)
        return found
    found = _snapshot(hub_id, progress=progress)
    if not _has_weights(found):
        # older models come as torch files only; read without unpickling anything but tensors
        found = _snapshot(hub_id, (*_WANTED, _TORCH_FILES), progress=progress)
    return found


def _check_sums(folder: Path, published: HubModel) -> None:
    """Raises ModelError, and removes the file, if one differs from what was published."""
    for name, checksum in published.checksums.items():
        if sha256_of(folder / name) != checksum:
            (folder / name).resolve().unlink()  # in the cache, a link leads to the file
            (folder / name).unlink(missing_ok=True)
            raise ModelError(f"{published.hub_id}: {name} differs from its published checksum; download it again")


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unfetched(hub_id: str, error: Exception) -> ModelError:
    reason, cure = _explained(error)
    return ModelError(f"{hub_id} is not a folder on this machine and cannot be downloaded ({reason}); {cure}")


def _snapshot(
    hub_id: str,
    wanted: Sequence[str] = _WANTED,
    *,
    local_files_only: bool = False,
    progress: FetchProgress | None = None,
) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise ModelError(
            f"{hub_id} is not a folder on this machine, and huggingface_hub is not installed to download it"
        ) from None
    bar = _bar_that_tells(progress or (lambda *_: None), hub_id)
    files: dict[str, Any] = {"allow_patterns": [*wanted], "ignore_patterns": [*_UNWANTED]}
    return Path(snapshot_download(hub_id, **files, local_files_only=local_files_only, tqdm_class=bar))


def _bar_that_tells(progress: FetchProgress, hub_id: str) -> type[Any]:
    """The hub's own progress bar, whose count of all files' bytes goes to `progress`, too; it also looks for room."""
    from huggingface_hub.utils.tqdm import tqdm

    class Bar(tqdm):
        def __init__(self, *arguments: Any, name: str | None = None, **settings: Any) -> None:
            super().__init__(*arguments, name=name, **settings)  # type: ignore[no-untyped-call]
            self._tells = name == _BAR_OF_ALL_BYTES
            self._num_bytes = 0  # counted here, because a hidden progress bar does not count
            self._count_lock = threading.Lock()  # files come in several threads

        def update(self, n: float | None = 1) -> Any:
            if self._tells:
                with self._count_lock:
                    self._num_bytes += int(n or 0)
                    check_room(hub_id, int(self.total or 0) - self._num_bytes, hub_cache())
                    progress(self._num_bytes, int(self.total or 0))
            return super().update(n)

    return Bar


def check_room(hub_id: str, num_bytes: int, cache: Path, variable: str = "HF_HOME") -> None:
    """Raises ModelError if so many bytes more do not fit on the disk of the cache, which the variable names."""
    free = shutil.disk_usage(next(place for place in (cache, *cache.absolute().parents) if place.exists())).free
    if free < num_bytes:
        raise ModelError(
            f"{hub_id} needs {math.ceil(num_bytes / 10**6):,} MB more in {cache}, where {free // 10**6:,} MB are free; "
            f"free disk space, or set {variable} to another folder"
        )


def _has_weights(folder: Path) -> bool:
    """True if configuration and all parts of the weights are there: an interrupted download has only some of them."""
    try:
        found = find_weights(folder)
    except ModelError:  # the error of the conversion is more specific
        return False
    return (folder / CONFIG).is_file() and found is not None and all(part.is_file() for part in found[1])


def _explained(error: Exception) -> tuple[str, str]:
    """The error as a message with the cure, and with the file's name if one file caused it."""
    from huggingface_hub.constants import HF_HUB_CACHE
    from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError

    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, GatedRepoError):
            return (
                "its publisher requires that you accept terms of use",
                f"accept them on the model's page and log in with `hf auth login`, {_ELSEWHERE}",
            )
        if isinstance(cause, RepositoryNotFoundError):
            return (
                "the hub does not have a model of this name, or you do not have access to it",
                "check the spelling of the name (MAKER/MODEL), or log in with `hf auth login` if it is private",
            )
        if isinstance(cause, HFValidationError):
            return _first_line(cause), "check the name"
        if isinstance(cause, OSError) and cause.errno == errno.ENOSPC:
            return f"no disk space is left in {HF_HUB_CACHE}", "free disk space, or set HF_HOME to another folder"
        if isinstance(cause, PermissionError):
            return f"{cause.filename} cannot be written", "check its permissions, or set HF_HOME to another folder"
    file = next(filter(None, map(_file_asked_for, causes)), "")
    reason = _first_line(error)
    return f"{file}: {reason}" if file else reason, f"check the connection and try again, {_ELSEWHERE}"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _file_asked_for(error: BaseException) -> str:
    """The name of the file that a failed request was for, if it was for one."""
    try:
        asking: Any = getattr(error, "response", error)  # an error with an answer has lost its own request
        path = str(asking.request.url.path)
    except (AttributeError, RuntimeError):  # none, or not known
        return ""
    return path.rpartition("/")[2] if "/resolve/" in path else ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and its chain of causes."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@contextmanager
def download_turn(lock_file: Path, progress: FetchProgress) -> Iterator[None]:
    """Waits while another download holds the lock, in another program too; `progress` ends this by raising."""
    lock = FileLock(lock_file)
    while True:
        progress(0, 1)
        try:
            lock.acquire(timeout=_TURN_SECONDS)
            break
        except Timeout:
            continue
    try:
        yield
    finally:
        lock.release()
