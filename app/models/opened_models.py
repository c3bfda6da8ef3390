"""Models that stay where they are: folders and GGUF files of an administrator, and those in the hub's cache."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Final

from app.errors import CommandError
from app.whole_files import write_whole
from engine import ModelEntry, ModelError, cache_folder, describe_model

OPENED: Final = "opened/"  # prefix of the key of such a model
MAX_OPENED: Final = 100


class OpenedModels:
    """The paths that were opened, kept in a file beside the installed models. Safe from several threads."""

    def __init__(self, file: Path | None = None, *, is_allowed: bool = True) -> None:
        """`is_allowed` is False where nobody signs in and other computers reach the page."""
        self._file = file or cache_folder().parent / "opened.json"
        self._is_allowed = is_allowed

    def entries(self) -> dict[str, ModelEntry]:
        """The models by key; those that were moved away are left out."""
        return {_key(path): describe_model(path) for path in self._paths() if path.exists()}

    def open(self, given: str, device: str) -> str:
        """Adds the model at a path and returns its key.

        Raises CommandError if there is no model, it cannot be used, or it does not fit into the memory of the device.
        """
        if not self._is_allowed:
            raise CommandError(
                "A model can be opened by its path only by an administrator who has signed in: start Pinpoint without "
                "--no-auth."
            )
        path = Path(given)
        # A path such as \\server\share would send this computer's credentials to another one.
        if not path.is_absolute() or given.startswith(("\\\\", "//")):
            raise CommandError("{path} is not a complete path on the server: begin it with / or a drive.", path=given)
        try:
            is_model = (path.is_dir() and _has_model(path)) or (path.suffix.lower() == ".gguf" and path.is_file())
        except (OSError, ValueError):  # no permission, too long, or with a null character
            is_model = False
        if not is_model:
            raise CommandError(
                "There is no model at {path}: give a folder with config.json and weights, or a file ending in .gguf.",
                path=given,
            )
        entry = describe_model(path)
        if entry.problem:
            raise CommandError(entry.problem)
        try:
            entry.check_memory(device)
        except ModelError as error:
            raise CommandError(str(error)) from error
        self.keep(path)
        return _key(path)

    def keep(self, path: Path) -> None:
        """Adds the model at a path that can be used."""
        kept = [path, *(other for other in self._paths() if other != path)]
        self._write(kept[:MAX_OPENED])

    def forget(self, key: str) -> None:
        """Takes a model out of the list; its files stay."""
        self._write([path for path in self._paths() if _key(path) != key])

    def _paths(self) -> list[Path]:
        try:
            return [Path(str(path)) for path in json.loads(self._file.read_text(encoding="utf-8"))][:MAX_OPENED]
        except (OSError, ValueError, TypeError):
            return []

    def _write(self, paths: list[Path]) -> None:
        with suppress(OSError):  # the model can be used until the app ends
            write_whole(self._file, json.dumps([str(path) for path in paths]).encode("utf-8"))


def _key(path: Path) -> str:
    return OPENED + hashlib.sha256(str(path).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _has_model(folder: Path) -> bool:
    return (folder / "config.json").is_file()
