"""How fast each model answers on this computer."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from engine import cache_folder


class MeasuredSpeeds:
    """How long an answer of each model takes on this computer, kept in a file beside the models."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or cache_folder().parent / "speeds.json"

    def all(self) -> dict[str, float]:
        """Milliseconds by the name of the model's folder."""
        try:
            found = json.loads(self._file.read_text(encoding="utf-8"))
            return {str(name): float(value) for name, value in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def note(self, name: str, median_ms: float) -> None:
        """Keeps a measurement."""
        self._write({**self.all(), name: round(median_ms, 1)})

    def forget(self, name: str) -> None:
        """Drops the measurement of a removed model."""
        if name in (found := self.all()):
            del found[name]
            self._write(found)

    def _write(self, speeds: dict[str, float]) -> None:
        with suppress(OSError):  # only a figure for information
            self._file.parent.mkdir(parents=True, exist_ok=True)
            new = self._file.with_suffix(".new")
            new.write_text(json.dumps(speeds), encoding="utf-8")
            new.replace(self._file)
