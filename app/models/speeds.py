"""The speed of each model on this computer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from app.models.loading import ModelHandle
from app.paths import MODEL_FOLDER
from app.whole_files import write_whole
from engine import cache_folder

MIN_MEASURED: Final = 5  # answers, before a model's speed is known


class MeasuredSpeeds:
    """The duration of an answer of each model on this computer, kept in a file beside the models."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or cache_folder().parent / "speeds.json"

    def all(self) -> dict[str, float]:
        """Milliseconds by the name of the model's folder."""
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
            return {str(name): float(value) for name, value in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def measure(self, handles: Iterable[ModelHandle]) -> None:
        """Keeps the median times of models that are at work."""
        for handle in handles:
            if handle.engine is not None and handle.loaded_from is not None and _is_listed(handle.loaded_from):
                statistics = handle.engine.statistics()
                if statistics.median_latency_ms is not None and statistics.num_answered >= MIN_MEASURED:
                    self._write({**self.all(), handle.loaded_from.name: round(statistics.median_latency_ms, 1)})

    def forget(self, name: str) -> None:
        """Drops the measurement of a removed model."""
        if name in (found := self.all()):
            del found[name]
            self._write(found)

    def _write(self, speeds: dict[str, float]) -> None:
        with suppress(OSError):  # only a figure for information
            write_whole(self._file, json.dumps(speeds).encode("ascii"))


def _is_listed(folder: Path) -> bool:
    """True if a model is bundled or installed; otherwise its folder's name may not be unique."""
    return folder.parent in (cache_folder(), MODEL_FOLDER.parent)
