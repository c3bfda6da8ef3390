"""Where a model computes: the device of a name, once it has been tried."""

from __future__ import annotations

import torch

from engine.errors import ModelError


def usable_device(name: str | torch.device) -> torch.device:
    """The device of this name, as "cuda:1"; raises ModelError where PyTorch knows it and yet does not have it."""
    try:
        device = torch.device(name)
        torch.empty(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError, ImportError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"device {name} cannot be used ({reason}); take cpu") from error
    return device
