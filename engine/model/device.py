"""Device and precision of a model: its device, and 16-bit weights and activations on a GPU."""

from __future__ import annotations

import warnings

import torch

from engine.errors import ModelError
from engine.model.transformer import Transformer


def usable_device(name: str | torch.device) -> torch.device:
    """The device of this name, as "cuda:1"; raises ModelError if PyTorch knows it and yet does not have it."""
    try:
        device = torch.device(name)
        torch.empty(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError, ImportError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"device {name} cannot be used ({reason}); take cpu") from error
    return device


def halve(model: Transformer) -> None:
    """Convert the model on its device to 16 bits, in place; warns and keeps 32 bits if the device has none."""
    dtype = half_dtype(model.device)
    if dtype is None:
        warnings.warn(f"16-bit arithmetic is for GPUs; on {model.device.type} the model uses float32", stacklevel=3)
    else:
        model.to(dtype)
        model.precision = "half"


def half_dtype(device: torch.device) -> torch.dtype | None:
    """bfloat16, with the range of float32, if the GPU supports it; otherwise float16, with a warning; None: no GPU."""
    if device.type != "cuda":
        return None
    with torch.cuda.device(device):  # it asks the current one
        has_bfloat16 = torch.cuda.is_bf16_supported(including_emulation=False)
    if has_bfloat16:
        return torch.bfloat16
    warnings.warn("this GPU does not support bfloat16; the model uses float16", stacklevel=4)
    return torch.float16
