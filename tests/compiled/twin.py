"""The compiled model once more, slow and obvious: PyTorch's model with the same weights and activations in 8 bits."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn

from engine.compiled.c_interface import Floats
from engine.model import ModelConfig, Transformer


def weights_of(model: nn.Module) -> dict[str, Floats]:
    """The weights as in the model's file."""
    return {name: value.detach().numpy() for name, value in model.state_dict().items()}


def random_model(config: ModelConfig, seed: int = 0) -> Transformer:
    """A model whose weights, norms and biases are all random."""
    torch.manual_seed(seed)
    model = Transformer(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 1:
                weight += 0.3 * torch.randn_like(weight)
            elif "embedding" not in name:
                weight *= 1.5
    return model


class RoundedLinear(nn.Module):
    """A product of weights in 8 bits, scaled by output, and activations in 8 bits, scaled by row, with exact sums."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self._levels, self._steps = rounded(weight.detach())
        self._bias = bias.detach()

    def forward(self, x: Tensor) -> Tensor:
        levels, steps = rounded(x)
        sums = (levels.double() @ self._levels.double().T).float()
        return sums * steps * self._steps.squeeze(-1) + self._bias


def rounded(numbers: Tensor) -> tuple[Tensor, Tensor]:
    """Whole numbers from -127 to 127, and the step of each row."""
    largest = numbers.abs().amax(-1, keepdim=True).clamp_min(1e-30)
    return torch.round(numbers * (127 / largest)), largest / 127


def twin_of(model: Transformer) -> Transformer:
    """The model with all its products in 8 bits."""
    twin = deepcopy(model)
    for parent in list(twin.modules()):
        for name, part in list(parent.named_children()):
            if isinstance(part, nn.Linear):
                setattr(parent, name, RoundedLinear(part.weight, part.bias))
    twin.__dict__["project"] = RoundedLinear(model.embedding.weight, model.output_bias)
    return twin
