"""The output layer step by step: log-softmax of every row, then masks, then a sort of the whole vocabulary."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Row(NamedTuple):
    """One row's answer: its k best tokens with their log-probabilities, those of its forced tokens, its normaliser."""

    tokens: list[int]
    log_probs: list[float]
    forced_log_probs: list[float]
    normaliser: float


def rows_of_output_layer(
    logits_RV: Tensor,
    k: int,
    bias_V: Tensor | None = None,
    masks_MV: Tensor | None = None,
    mask_of_R: Tensor | None = None,
    forced_RF: Tensor | None = None,
) -> list[Row]:
    """What `engine.kernels.top_tokens` should give; design: masked before the choice, never renormalised."""
    rows = []
    for row, logits_V in enumerate(logits_RV.cpu().float()):
        if bias_V is not None:
            logits_V = logits_V + bias_V.cpu()
        log_probs = torch.log_softmax(logits_V, 0).tolist()
        is_open = [True] * len(log_probs)
        if masks_MV is not None and mask_of_R is not None:
            is_open = (masks_MV[mask_of_R[row]] == 0).tolist()
        values = [value if open_ else -math.inf for value, open_ in zip(log_probs, is_open, strict=True)]
        ranked = [logit if open_ else -math.inf for logit, open_ in zip(logits_V.tolist(), is_open, strict=True)]
        order = sorted(range(len(values)), key=lambda token: (-ranked[token], token))[:k]
        forced = [] if forced_RF is None else forced_RF[row].tolist()
        forced_values = [-math.inf if token < 0 else values[token] for token in forced]
        normaliser = float(torch.logsumexp(logits_V.double(), 0))
        if any(math.isnan(value) for value in log_probs):
            order, normaliser = [0] * k, math.nan
            values = [math.nan] * len(values)
            forced_values = [-math.inf if token < 0 else math.nan for token in forced]
        rows.append(Row(order, [values[token] for token in order], forced_values, normaliser))
    return rows
