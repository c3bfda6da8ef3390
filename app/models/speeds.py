"""The speed of each model on this computer."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from app.models.loading import ModelHandle
from app.paths import MODEL_FOLDER
from app.whole_files import write_whole
from engine import ModelEntry, cache_folder

MIN_MEASURED: Final = 5  # answers, before a model's speed is known
SLOW_MS: Final = 2000  # one answer that takes so long is enough
NUM_STEPS: Final = 30  # of a sentence of 15 to 20 words
# Milliseconds of a step of five rows per million weights, on one core: 4 bits by llama.cpp, and single precision by
# transformers. Measured with 135 million weights.
_FILE_STEP_MS: Final = 0.34
_FOLDER_STEP_MS: Final = 0.47


class MeasuredSpeeds:
    """The duration of an answer of each model on this computer, kept in a file beside the models."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or cache_folder().parent / "speeds.json"

    def view(self, entry: ModelEntry, known: Iterable[ModelEntry]) -> dict[str, float | None]:
        """The measured milliseconds of a proposal; without a measurement, those to be expected of a language model.

        They are expected from the language models of the same kind among `known` that were measured on this computer.
        """
        speeds = self.all()
        measured = speeds.get(_name_of(entry.folder))
        if measured is not None or not entry.family:  # other models differ too much
            return {"median_ms": measured, "expected_ms": None}
        alike = [one for one in known if one.family and one.num_parameters and _is_file(one) == _is_file(entry)]
        rates = [speeds[name] / one.num_parameters for one in alike if (name := _name_of(one.folder)) in speeds]
        step_ms = _FILE_STEP_MS if _is_file(entry) else _FOLDER_STEP_MS
        rate = statistics.median(rates) if rates else NUM_STEPS * step_ms / 1e6
        return {"median_ms": None, "expected_ms": rate * entry.num_parameters}

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
                found = handle.engine.statistics()
                median_ms, num_answered = found.median_latency_ms, found.num_answered
                if median_ms is not None and num_answered >= (1 if median_ms >= SLOW_MS else MIN_MEASURED):
                    self._write({**self.all(), _name_of(handle.loaded_from): round(median_ms, 1)})

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


def _is_file(entry: ModelEntry) -> bool:
    """True for a GGUF file, which llama.cpp computes."""
    return entry.folder.suffix.lower() == ".gguf"
