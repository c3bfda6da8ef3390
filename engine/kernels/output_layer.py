"""The output layer after its matrix product: bias, log-softmax, masks, the k best tokens, and forced tokens, in one.

The full log-probabilities of a row are never written: the search only needs the row's normaliser, its k best tokens
and its forced tokens (Hoang et al. 2018, section 2.2; algorithms 4 and 6). `top_tokens_plain` is the reference and the
CPU's implementation; `output_layer_triton` has the kernels, `dispatch` chooses.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

# The k best tokens are in the k groups with the greatest maxima, so only these need sorting.
GROUP = 32  # neighbouring tokens


@dataclass(frozen=True, slots=True)
class Logits:
    """The result of the output layer's matrix product, in 16 or 32 bits, and the bias to add, if any."""

    logits_RV: Tensor
    bias_V: Tensor | None = None

    def log_probs(self) -> Tensor:
        """(R, V), float32: all log-probabilities, for callers that need more than `top_tokens`."""
        logits_RV = self.logits_RV.float()
        return torch.log_softmax(logits_RV if self.bias_V is None else logits_RV + self.bias_V, dim=1)


@dataclass(frozen=True, slots=True)
class TopTokens:
    """The result of a step for the search, in float32 and int64, on the logits' device.

    Tokens come best first, equal logits by token id. If a mask leaves fewer than k, the rest have -inf. A row that
    failed (a logit that is not a number or +inf, or all -inf) has a normaliser and log-probabilities of NaN, tokens 0.
    """

    log_probs_RK: Tensor
    tokens_RK: Tensor
    forced_log_probs_RF: Tensor
    normalisers_R: Tensor  # logarithm of the sum of exp over the whole vocabulary, masked tokens too


def top_tokens_plain(
    logits_RV: Tensor,
    k: int,
    bias_V: Tensor | None = None,
    masks_MV: Tensor | None = None,
    mask_of_R: Tensor | None = None,
    forced_RF: Tensor | None = None,
) -> TopTokens:
    """`dispatch.top_tokens` in plain PyTorch, on any device."""
    logits_RV = logits_RV.float()
    if bias_V is not None:
        logits_RV = logits_RV + bias_V
    maxima_R1 = logits_RV.amax(1, keepdim=True)
    log_sums_R1 = (logits_RV - maxima_R1).exp_().sum(1, keepdim=True).log_()
    if masks_MV is not None and mask_of_R is not None:
        logits_RV = masks_MV.index_select(0, mask_of_R).to(torch.float32).add_(logits_RV)
    values_RK, tokens_RK = _best(logits_RV, k)
    if forced_RF is None:
        forced_log_probs_RF = logits_RV.new_zeros(len(logits_RV), 0)
    else:
        forced_log_probs_RF = logits_RV.gather(1, forced_RF.clamp(min=0)) - maxima_R1 - log_sums_R1
        forced_log_probs_RF.masked_fill_(forced_RF < 0, -torch.inf)
    tokens_RK.masked_fill_(log_sums_R1.isnan(), 0)
    log_probs_RK = values_RK - maxima_R1 - log_sums_R1  # one by one: the sum of the two loses digits of large logits
    return TopTokens(log_probs_RK, tokens_RK, forced_log_probs_RF, (maxima_R1 + log_sums_R1)[:, 0])


def _best(values_RV: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k greatest values of each row and their tokens, best first, equal ones by token.

    Fewer than k tokens go before one of the k best, so fewer than k groups have a maximum that does: its group is among
    the k best groups. Groups with equal maxima keep their order, which is the order of their tokens.
    """
    vocabulary_size = values_RV.shape[1]
    if k * GROUP >= vocabulary_size:
        tokens_RK = _first_best(values_RV, k)
        return values_RV.gather(1, tokens_RK), tokens_RK
    if vocabulary_size % GROUP:
        values_RV = F.pad(values_RV, (0, -vocabulary_size % GROUP), value=-torch.inf)
    maxima_RG = values_RV.unflatten(1, (-1, GROUP)).amax(2)
    # 1. By `topk`, which puts equal values in any order; one more than asked for shows whether there are any.
    best_maxima_RK1, chosen_RK1 = maxima_RG.topk(k + 1, dim=1)
    tokens_RN = _tokens_of(chosen_RK1[:, :k])
    best_RK1, places_RK1 = values_RV.gather(1, tokens_RN).topk(k + 1, dim=1)
    best_RK, places_RK = best_RK1[:, :k], places_RK1[:, :k]
    following_RK = torch.maximum(best_RK1[:, 1:], best_maxima_RK1[:, k:])  # of the next token, chosen or not
    if (best_RK == following_RK).any():
        # 2. There are: again by value and place. The groups in order keep their tokens in order.
        tokens_RN = _tokens_of(_first_best(maxima_RG, k).sort(1).values)
        candidates_RN = values_RV.gather(1, tokens_RN)
        places_RK = _first_best(candidates_RN, k)
        best_RK = candidates_RN.gather(1, places_RK)
    return best_RK, tokens_RN.gather(1, places_RK)


def _tokens_of(groups_RK: Tensor) -> Tensor:
    """(R, k * GROUP)"""
    return (groups_RK[:, :, None] * GROUP + torch.arange(GROUP, device=groups_RK.device)).flatten(1)


def _first_best(values_RN: Tensor, k: int) -> Tensor:
    """Indices (R, k) of the greatest values, equal ones by index, as keys of 64 bits.

    Above: the float's bits, made to rise with its value; below: the index, made to fall.
    """
    bits_RN = (values_RN + 0.0).view(torch.int32)  # no -0.0
    ordered_RN = (bits_RN >> 31).bitwise_and_(0x7FFFFFFF).bitwise_xor_(bits_RN).long()
    keys_RN = ordered_RN.bitwise_left_shift_(32).sub_(torch.arange(values_RN.shape[1], device=values_RN.device))
    return keys_RN.topk(k, dim=1).indices
