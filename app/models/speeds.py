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
from engine import ModelEntry, cache_folder

MIN_MEASURED: Final = 5  # answers, before a model's speed is known
NUM_STEPS: Final = 30  # of a sentence of 15 to 20 words
# Milliseconds of a step of five rows per million weights, on one core: 4 bits by llama.cpp, and single precision by
# transformers. Measured with 135 million weights.
_FILE_STEP_MS: Final = 0.34
_FOLDER_STEP_MS: Final = 0.70


class MeasuredSpeeds:
    """The duration of an answer of each model on this computer, kept in a file beside the models."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or cache_folder().parent / "speeds.json"

    def view(self, entry: ModelEntry) -> dict[str, float | None]:
        """The measured milliseconds of a proposal; without a measurement, those to be expected of a language model."""
        measured = self.all().get(_name_of(entry.folder))
        return {"median_ms": measured, "expected_ms": None if measured is not None else _expected_ms(entry)}

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
            if handle.engine is not None and handle.loaded_from is not None:
                statistics = handle.engine.statistics()
                if statistics.median_latency_ms is not None and statistics.num_answered >= MIN_MEASURED:
                    self._write({**self.all(), _name_of(handle.loaded_from): round(statistics.median_latency_ms, 1)})

    def forget(self, entry: ModelEntry) -> None:
        """Drops the measurement of a removed model."""
        if (name := _name_of(entry.folder)) in (found := self.all()):
            del found[name]
            self._write(found)

    def _write(self, speeds: dict[str, float]) -> None:
        with suppress(OSError):  # only a figure for information
            write_whole(self._file, json.dumps(speeds).encode("ascii"))


def _name_of(folder: Path) -> str:
    """The name of a bundled or installed model; the path of another one, whose name may not be unique."""
    return folder.name if folder.parent in (cache_folder(), MODEL_FOLDER.parent) else str(folder)


def _expected_ms(entry: ModelEntry) -> float | None:
    """The time of a proposal of a language model on one core; None for other models, which differ too much."""
    if not entry.family:
        return None
    per_step = _FILE_STEP_MS if entry.folder.suffix.lower() == ".gguf" else _FOLDER_STEP_MS
    return NUM_STEPS * per_step * entry.num_parameters / 1e6
