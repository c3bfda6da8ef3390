"""Sinusoidal positions."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from engine.model.config import Positions


def sinusoids(length: int, size: int, kind: Positions = "sines") -> npt.NDArray[np.float32]:
    """Sinusoidal positions (length, size), sines first (Vaswani et al. 2017, section 3.5).

    Those of tensor2tensor reach the longest wave with the last rate, not after it; fairseq's are these from place 2.
    """
    first = 2 if kind == "fairseq" else 0
    num_rates = size // 2 if kind == "sines" else size // 2 - 1
    rates = np.exp(np.arange(size // 2, dtype=np.float32) * np.float32(-math.log(10_000) / num_rates))
    angles = np.arange(first, first + length, dtype=np.float32)[:, None] * rates
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
