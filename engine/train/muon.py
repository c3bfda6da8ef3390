"""Muon (Jordan 2024): momentum whose matrices are made orthogonal before each step.

torch.optim.Muon iterates in bfloat16, matrix by matrix; on a processor without bfloat16 that is slow. Here matrices of
one shape go through the iteration together, in the number format that `Muon.product_dtype` names. Scaled as in Liu et
al. 2025 (0.2 * sqrt(longer side)), so that one learning rate fits Muon and AdamW.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

COEFFICIENTS = (3.4445, -4.7750, 2.0315)


def orthogonalised(matrices_NXY: Tensor, num_iterations: int = 5) -> Tensor:
    """About U V^T of each matrix's singular value decomposition (singular values between 0.7 and 1.2)."""
    a, b, c = COEFFICIENTS
    x = matrices_NXY.mT if matrices_NXY.shape[1] > matrices_NXY.shape[2] else matrices_NXY
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(num_iterations):
        gram = x @ x.mT
        x = a * x + torch.baddbmm(gram, gram, gram, beta=b, alpha=c) @ x
    result: Tensor = x.mT if matrices_NXY.shape[1] > matrices_NXY.shape[2] else x
    return result


class Muon(torch.optim.Optimizer):
    """Muon over 2-D parameters. One whose rows stack several projections (`parts` in its group) is split first.

    `product_dtype` is the number format of the matrix products; momentum and parameters keep theirs.
    """

    def __init__(
        self, groups: Iterable[dict[str, Any]], lr: float, momentum: float = 0.95, weight_decay: float = 0.0
    ) -> None:
        super().__init__(groups, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "parts": 1})
        self.product_dtype = torch.float32

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        assert closure is None, "Muon evaluates no closure"
        by_shape: dict[tuple[int, int], list[tuple[Tensor, Tensor, float]]] = defaultdict(list)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["momentum"] = torch.zeros_like(parameter)
                momentum = state["momentum"].lerp_(parameter.grad, 1 - group["momentum"])
                update = parameter.grad.lerp(momentum, group["momentum"])  # Nesterov
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                for target, part in zip(parameter.chunk(group["parts"]), update.chunk(group["parts"]), strict=True):
                    by_shape[(part.shape[0], part.shape[1])].append((target, part, group["lr"]))
        for shape, entries in by_shape.items():
            stacked = torch.stack([part for _, part, _ in entries]).to(self.product_dtype)
            directions = orthogonalised(stacked).float()
            for (target, _, lr), direction in zip(entries, directions, strict=True):
                target.add_(direction, alpha=-lr * 0.2 * max(shape) ** 0.5)
