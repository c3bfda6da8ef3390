"""The loss and its gradient equal PyTorch's."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from engine.train.loss import cross_entropy

TOLERANCE = {torch.float32: 1e-6, torch.bfloat16: 4e-3}


@pytest.mark.parametrize("num_rows", [1, 64, 150])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("number_format", [torch.float32, torch.bfloat16])
def test_loss_and_gradient_equal_pytorch(num_rows: int, smoothing: float, number_format: torch.dtype) -> None:
    torch.manual_seed(num_rows)
    logits_NV = (5 * torch.randn(num_rows, 37)).to(number_format).requires_grad_()
    targets_N = torch.randint(37, (num_rows,))
    gradients, losses = [], []
    for loss in (
        cross_entropy(logits_NV, targets_N, smoothing),
        F.cross_entropy(logits_NV.float(), targets_N, reduction="sum", label_smoothing=smoothing),
    ):
        (loss / 3).backward()
        assert logits_NV.grad is not None
        gradients.append(logits_NV.grad.clone())
        losses.append(float(loss.detach()))
        logits_NV.grad = None
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    torch.testing.assert_close(*gradients, rtol=0, atol=TOLERANCE[number_format])


def test_without_gradients_the_logits_stay_as_they_are() -> None:
    logits_NV, targets_N = torch.randn(3, 5), torch.tensor([0, 4, 2])
    before = logits_NV.clone()
    with torch.no_grad():
        assert float(cross_entropy(logits_NV, targets_N)) == pytest.approx(
            float(F.cross_entropy(before, targets_N, reduction="sum"))
        )
    assert torch.equal(logits_NV, before)
