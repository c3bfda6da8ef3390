"""The number format of training's products, chosen by a short trial on the processor that is there.

Processors with AVX512-BF16 or AMX multiply bfloat16 faster than float32; others emulate it, more slowly. Weights,
optimiser and checkpoints are float32 either way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Precision = Literal["float32", "bfloat16"]

NUM_ROUNDS = 4  # timed steps of each; the first of each is a warm-up
LEAST_GAIN = 0.05  # of the time: less is not worth the rounding
LOSS_TOLERANCE = 0.01  # relative; bfloat16 has 8 bits


@dataclass(frozen=True, slots=True)
class PrecisionTrial:
    """The fastest step in each format, in seconds, and the loss of the same batch."""

    float32_seconds: float
    bfloat16_seconds: float
    float32_loss: float
    bfloat16_loss: float

    @property
    def losses_agree(self) -> bool:
        return abs(self.bfloat16_loss - self.float32_loss) <= LOSS_TOLERANCE * abs(self.float32_loss)

    @property
    def chosen(self) -> Precision:
        """bfloat16 if it is clearly faster and gives the same loss."""
        is_faster = self.bfloat16_seconds < (1 - LEAST_GAIN) * self.float32_seconds
        return "bfloat16" if is_faster and self.losses_agree else "float32"

    def __str__(self) -> str:
        why = "" if self.losses_agree else f"; the losses {self.float32_loss:.4f} and {self.bfloat16_loss:.4f} differ"
        return (
            f"precision {self.chosen}: a step takes {1000 * self.float32_seconds:.1f} ms in float32, "
            f"{1000 * self.bfloat16_seconds:.1f} ms in bfloat16{why}"
        )


def try_precisions(
    step: Callable[[Precision], object],
    loss: Callable[[Precision], float],
    clock: Callable[[], float] = time.perf_counter,
) -> PrecisionTrial:
    """Run `step` in both formats by turns, so that other programs slow down both, and compare `loss`.

    The fastest of several steps counts: it is the one least disturbed.
    """
    seconds: dict[Precision, list[float]] = {"float32": [], "bfloat16": []}
    for number in range(NUM_ROUNDS + 1):
        for precision, found in seconds.items():
            started = clock()
            step(precision)
            if number:
                found.append(clock() - started)
    return PrecisionTrial(min(seconds["float32"]), min(seconds["bfloat16"]), loss("float32"), loss("bfloat16"))
