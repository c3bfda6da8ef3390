"""Chooses the implementation of the output layer: the Triton kernels where they work, otherwise plain PyTorch."""

from __future__ import annotations

import functools
import warnings

import torch
from torch import Tensor

from engine.kernels.output_layer import TopTokens, top_tokens_plain

MAX_FUSED_K = 256
MAX_FUSED_VOCABULARY = 1 << 18


def top_tokens(
    logits_RV: Tensor,
    k: int,
    *,
    bias_V: Tensor | None = None,
    masks_MV: Tensor | None = None,
    mask_of_R: Tensor | None = None,
    forced_RF: Tensor | None = None,
) -> TopTokens:
    """The k best tokens of each row with their log-probabilities, and the log-probabilities of its forced tokens.

    Logits are float16, bfloat16 or float32, with any strides. `masks_MV` holds 0 where a token may come and -inf where
    it may not: the few different masks of a step, such as "never these", "not the end either", "only these";
    `mask_of_R` names each row's. They act before the choice and do not change the normaliser. `forced_RF` has tokens,
    padded with -1; masked ones and padding get -inf. All tensors are on one device. On a GPU this reads the logits
    once, without synchronisation.
    """
    inputs = (logits_RV, k, bias_V, masks_MV, mask_of_R, forced_RF)
    _check(*inputs)
    num_rows, vocabulary_size = logits_RV.shape
    fits = 0 < num_rows and k <= MAX_FUSED_K and vocabulary_size <= MAX_FUSED_VOCABULARY
    if logits_RV.is_cuda and fits and can_fuse(logits_RV.device):
        from engine.kernels.output_layer_triton import top_tokens_fused

        return top_tokens_fused(*inputs)
    return top_tokens_plain(*inputs)


def _check(
    logits_RV: Tensor,
    k: int,
    bias_V: Tensor | None,
    masks_MV: Tensor | None,
    mask_of_R: Tensor | None,
    forced_RF: Tensor | None,
) -> None:
    num_rows, vocabulary_size = logits_RV.shape
    assert logits_RV.dtype in (torch.float16, torch.bfloat16, torch.float32), logits_RV.dtype
    assert 1 <= k <= vocabulary_size, f"k is {k}, the vocabulary {vocabulary_size}"
    assert bias_V is None or bias_V.shape == (vocabulary_size,), bias_V.shape
    assert (masks_MV is None) == (mask_of_R is None), "masks and each row's choice of them come together"
    assert masks_MV is None or masks_MV.shape[1] == vocabulary_size, masks_MV.shape
    assert mask_of_R is None or mask_of_R.shape == (num_rows,), mask_of_R.shape
    assert forced_RF is None or (forced_RF.dim() == 2 and len(forced_RF) == num_rows), forced_RF.shape


@functools.cache
def can_fuse(device: torch.device) -> bool:
    """True if the kernels run on this device and give correct results; tried once, with a warning if not.

    Triton may not be installed, the GPU too old for it, or a C compiler missing, which it needs on the first call.
    """
    logits_RV = torch.randn(3, 5000, generator=torch.Generator().manual_seed(1)).to(device)
    try:
        from engine.kernels.output_layer_triton import top_tokens_fused

        found, expected = top_tokens_fused(logits_RV, 10), top_tokens_plain(logits_RV, 10)
        if not torch.equal(found.tokens_RK, expected.tokens_RK):
            raise ValueError("they find other tokens than the plain output layer")
        torch.testing.assert_close(found.log_probs_RK, expected.log_probs_RK, rtol=1e-4, atol=1e-4)
    except torch.OutOfMemoryError:
        raise
    except Exception as error:  # of any kind: plain PyTorch always works
        warnings.warn(
            f"the kernels of the output layer do not run here ({type(error).__name__}: {error}); it runs as separate "
            f"steps on {device}, slower",
            stacklevel=3,
        )
        return False
    return True
