"""What a decoding step would cost if only its weights were read, or only its products computed, on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch

from engine.model import ModelConfig
from engine.model.config import Precision


def machine_rates(megabytes: float) -> dict[str, float]:
    """GB/s of reading as many bytes over and over, and 10^9 multiplications with addition a second, on one thread.

    The bytes are as many as a step reads: what a cache holds of them, it holds in a step too.
    """
    read = torch.ones(int(megabytes * 1e6 / 4))
    size = 1024
    a, b = torch.randn(size, size), torch.randn(size, size)
    products = size**3 / 1e9
    return {
        "read_gb_s": megabytes / 1e3 / best_time(read.sum, 40),
        "float32_gmac_s": products / best_time(lambda: a @ b, 10),
    }


def best_time(call: Callable[[], object], times: int) -> float:
    """Seconds of processor time of the fastest of `times` calls."""
    spent = []
    for _ in range(times):
        started = time.process_time()
        call()
        spent.append(time.process_time() - started)
    return min(spent)


def step_work(config: ModelConfig, num_rows: int) -> dict[str, float]:
    """Megabytes of weights that a decoding step reads, and 10^6 multiplications with addition of its products."""
    size, inner = config.model_size, config.feed_forward_size
    layer = [3 * size * size, size * size, size * size, size * size, size * inner, inner * size]
    weights = [*layer * config.decoder_layers, config.vocabulary_size * size]
    return {"weights_mb": 4 * sum(weights) / 1e6, "large_mmac": num_rows * sum(weights) / 1e6, "small_mmac": 0.0}


def least_step_ms(work: dict[str, float], rates: dict[str, float], precision: Precision) -> dict[str, float]:
    """Milliseconds that reading the weights, and computing with them, take at the machine's rates."""
    computing = work["small_mmac"] / rates["float32_gmac_s"] + work["large_mmac"] / rates[f"{precision}_gmac_s"]
    return {"reading_ms": work["weights_mb"] / rates["read_gb_s"], "computing_ms": computing}
