"""Muon's directions are orthogonal, whatever shape a parameter has and however many projections it stacks."""

from __future__ import annotations

import pytest
import torch

from engine.train.muon import Muon, orthogonalised


@pytest.mark.parametrize("shape", [(8, 8), (4, 12), (12, 4)])
def test_singular_values_come_near_one_and_singular_vectors_stay(shape: tuple[int, int]) -> None:
    torch.manual_seed(0)
    matrices = torch.randn(3, *shape)
    result = orthogonalised(matrices)
    u, _, vh = torch.linalg.svd(matrices, full_matrices=False)
    core = u.mT @ result @ vh.mT
    values = core.diagonal(dim1=1, dim2=2)
    assert ((values > 0.3) & (values < 1.3)).all()
    torch.testing.assert_close(core, torch.diag_embed(values), rtol=0, atol=1e-4)


def test_stacked_projections_move_as_if_they_were_apart() -> None:
    torch.manual_seed(0)
    stacked = torch.nn.Parameter(torch.randn(12, 4))
    parts = [torch.nn.Parameter(part.clone()) for part in stacked.data.chunk(3)]
    together = Muon([{"params": [stacked], "parts": 3}], lr=0.1)
    apart = Muon([{"params": parts}], lr=0.1)
    for _ in range(3):
        gradient = torch.randn(12, 4)
        stacked.grad = gradient
        for parameter, part in zip(parts, gradient.chunk(3), strict=True):
            parameter.grad = part.clone()
        together.step()
        apart.step()
    torch.testing.assert_close(stacked.data, torch.cat([part.data for part in parts]))


def test_a_step_goes_downhill_by_the_learning_rate() -> None:
    parameter = torch.nn.Parameter(torch.zeros(4, 4))
    parameter.grad = torch.eye(4)
    Muon([{"params": [parameter]}], lr=0.5).step()
    assert (parameter.diagonal() < 0).all()
    assert 0.7 < float(-parameter.data.diagonal().mean()) / (0.5 * 0.2 * 4**0.5) < 1.3


def test_products_in_bfloat16_give_nearly_the_same_step() -> None:
    torch.manual_seed(0)
    gradient = torch.randn(64, 32)
    parameters = {dtype: torch.nn.Parameter(torch.zeros(64, 32)) for dtype in (torch.float32, torch.bfloat16)}
    for dtype, parameter in parameters.items():
        parameter.grad = gradient.clone()
        muon = Muon([{"params": [parameter]}], lr=0.1)
        muon.product_dtype = dtype
        muon.step()
    exact, rounded = (parameter.detach() for parameter in parameters.values())
    assert rounded.dtype == torch.float32
    assert not torch.equal(rounded, exact)
    assert float((rounded - exact).norm() / exact.norm()) < 0.05
