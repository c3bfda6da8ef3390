"""Random inputs of the output layer, and what must hold of its answers on any device."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor

from engine.kernels import TopTokens
from tests.reference.output_layer import rows_of_output_layer

DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@dataclass(frozen=True, slots=True)
class Case:
    """Arguments of `top_tokens`."""

    logits_RV: Tensor
    k: int
    bias_V: Tensor | None = None
    masks_MV: Tensor | None = None
    mask_of_R: Tensor | None = None
    forced_RF: Tensor | None = None

    def arguments(
        self, device: str = "cpu"
    ) -> tuple[Tensor, int, Tensor | None, Tensor | None, Tensor | None, Tensor | None]:
        """In the order of the parameters, on a device, strides kept."""

        def there(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else tensor.to(device)

        logits_RV = self.logits_RV.to(device)
        return (
            logits_RV,
            self.k,
            there(self.bias_V),
            there(self.masks_MV),
            there(self.mask_of_R),
            there(self.forced_RF),
        )


@st.composite
def cases(draw: st.DrawFn, max_rows: int = 4, max_vocabulary: int = 300, max_k: int = 40) -> Case:
    """Shapes, dtypes, strides, ties, -inf, masks that leave few or no tokens, forced tokens, failing rows."""
    num_rows = draw(st.integers(1, max_rows))
    vocabulary_size = draw(st.integers(1, max_vocabulary))
    k = draw(st.integers(1, min(max_k, vocabulary_size)))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**20)))
    kind = draw(st.sampled_from(("normal", "few values", "all equal", "large")))
    logits_RV = torch.randn(num_rows, vocabulary_size, generator=generator)
    if kind == "few values":
        logits_RV = logits_RV.round()  # -0.0 among them
    elif kind == "all equal":
        logits_RV = torch.zeros_like(logits_RV)
    elif kind == "large":
        logits_RV *= 3000
    if draw(st.booleans()):
        chance = draw(st.sampled_from((0.1, 0.9)))
        logits_RV[torch.rand(logits_RV.shape, generator=generator) < chance] = -math.inf
    if draw(st.integers(0, 3)) == 0:
        row, token = draw(st.integers(0, num_rows - 1)), draw(st.integers(0, vocabulary_size - 1))
        logits_RV[row, token] = draw(st.sampled_from((math.nan, -math.nan, math.inf)))
    logits_RV = strided(logits_RV.to(draw(st.sampled_from(DTYPES))), draw(st.sampled_from(("rows", "columns", "gaps"))))
    bias_V = torch.randn(vocabulary_size, generator=generator) if draw(st.booleans()) else None
    masks_MV = mask_of_R = forced_RF = None
    if draw(st.booleans()):
        share = torch.tensor(draw(st.sampled_from(((0.0, 0.1, 0.99), (1.0, 0.5, 0.9)))))
        is_banned_MV = torch.rand(3, vocabulary_size, generator=generator) < share[:, None]
        masks_MV = torch.zeros(3, vocabulary_size).masked_fill_(is_banned_MV, -math.inf)
        masks_MV = masks_MV.to(draw(st.sampled_from((torch.float32, torch.float16))))
        masks_MV = strided(masks_MV, draw(st.sampled_from(("rows", "columns"))))
        mask_of_R = torch.randint(0, 3, (num_rows,), generator=generator)
    if num_forced := draw(st.integers(0, 5)):
        forced_RF = torch.randint(-1, vocabulary_size, (num_rows, num_forced), generator=generator)
    return Case(logits_RV, k, bias_V, masks_MV, mask_of_R, forced_RF)


def strided(x_RV: Tensor, layout: str) -> Tensor:
    """The same numbers, laid out by rows, by columns, or with gaps between rows and columns."""
    if layout == "columns":
        return x_RV.t().contiguous().t()
    if layout == "gaps":
        wide = x_RV.new_full((x_RV.shape[0], 2 * x_RV.shape[1] + 3), math.nan)
        wide[:, 1 : 2 * x_RV.shape[1] : 2] = x_RV
        return wide[:, 1 : 2 * x_RV.shape[1] : 2]
    return x_RV


def check(function: Callable[..., TopTokens], case: Case, device: str = "cpu") -> None:
    """The answer is that of the step-by-step reference, and has the promised types."""
    found = function(*case.arguments(device))
    assert found.tokens_RK.dtype == torch.int64
    for values in (found.log_probs_RK, found.forced_log_probs_RF, found.normalisers_R):
        assert values.dtype == torch.float32
    expected = rows_of_output_layer(case.logits_RV, case.k, case.bias_V, case.masks_MV, case.mask_of_R, case.forced_RF)
    assert found.tokens_RK.tolist() == [row.tokens for row in expected]
    same(found.log_probs_RK, [row.log_probs for row in expected])
    same(found.forced_log_probs_RF, [row.forced_log_probs for row in expected])
    same(found.normalisers_R, [row.normaliser for row in expected])


def same(found: Tensor, expected: Sequence[object]) -> None:
    torch.testing.assert_close(
        found.cpu(), torch.tensor(expected).view(found.shape), rtol=1e-5, atol=2e-5, equal_nan=True
    )


INF, NAN = math.inf, math.nan
NAMED_CASES = [
    pytest.param(Case(torch.tensor([[1.0, 3.0, 3.0, 2.0, 3.0]]), 3), id="equal logits come by token id"),
    pytest.param(Case(torch.tensor([[-0.0, 0.0, -0.0]]), 3), id="minus zero equals zero"),
    pytest.param(Case(torch.zeros(2, 200), 40), id="equal maxima of groups come by group"),
    pytest.param(Case(torch.tensor([[-INF, 1.0, -INF]]), 3), id="tokens of no probability come last"),
    pytest.param(Case(torch.full((2, 70), -INF), 2), id="a row without probability fails"),
    pytest.param(Case(torch.tensor([[0.0, NAN, 1.0], [0.0, 2.0, 1.0]]), 2), id="not-a-number fails its row alone"),
    pytest.param(Case(torch.tensor([[0.0, INF, 1.0], [0.0, 2.0, 1.0]]), 2), id="infinity fails its row alone"),
    pytest.param(
        Case(torch.tensor([[5.0, 1.0, 2.0]]), 2, None, torch.tensor([[-INF, 0.0, 0.0]]), torch.tensor([0])),
        id="a masked token still counts in the normaliser",
    ),
    pytest.param(
        Case(torch.tensor([[NAN, 1.0, 2.0]]), 2, None, torch.tensor([[-INF, 0.0, 0.0]]), torch.tensor([0])),
        id="not-a-number is seen behind a mask",
    ),
    pytest.param(
        Case(torch.tensor([[5.0, 1.0]]), 2, None, torch.full((1, 2), -INF), torch.tensor([0]), torch.tensor([[1, -1]])),
        id="a mask may leave nothing",
    ),
    pytest.param(Case(torch.tensor([[90000.0, 1.0, -90000.0]]), 3, torch.ones(3)), id="no overflow"),
    pytest.param(Case(torch.tensor([[90000.25, 90000.0, 89990.0]]), 3), id="large logits keep their digits"),
]
