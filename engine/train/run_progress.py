"""The progress of a training run, and the line that shows it."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field

from engine.train.options import TrainOptions


@dataclass(slots=True)
class Position:
    """The progress of a run. `batch` counts within `epoch`; `history` holds (update, minutes, set, loss)."""

    update: int = 0
    epoch: int = 0
    batch: int = 0
    minutes: float = 0.0
    pieces: int = 0
    history: list[tuple[int, float, str, float]] = field(default_factory=list)


class Meter:
    """One line of progress: rewritten in place on a terminal, a line every ten seconds in a log."""

    def __init__(self, options: TrainOptions) -> None:
        self._options = options
        self._is_terminal = sys.stderr.isatty()
        self._last = time.monotonic()
        self._loss = self._pieces = 0.0

    def show(self, position: Position, loss: float, num_pieces: int, progress: float) -> None:
        now = time.monotonic()
        self._loss += loss * num_pieces
        self._pieces += num_pieces
        if now - self._last < (0.5 if self._is_terminal else 10) and progress < 1:
            return
        speed = self._pieces / max(now - self._last, 1e-9)
        remaining = f"  eta {position.minutes * (1 - progress) / progress:.1f} min" if progress else ""
        bar = ("#" * round(20 * progress)).ljust(20, ".")
        line = (
            f"[{bar}] {100 * progress:5.1f} %  update {position.update}  epoch {position.epoch}  "
            f"loss {self._loss / self._pieces:.4f}  {speed:,.0f} pieces/s{remaining}"
        )
        print(f"\r{line}" if self._is_terminal else line, end="" if self._is_terminal else "\n", file=sys.stderr)
        sys.stderr.flush()
        self._last, self._loss, self._pieces = now, 0.0, 0.0

    def close(self) -> None:
        if self._is_terminal:
            print(file=sys.stderr)
