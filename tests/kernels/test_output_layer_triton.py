"""The kernels against the plain output layer: on a GPU where there is one, in Triton's interpreter otherwise.

`test_interpreter.py` runs this file again with the interpreter, which has to be chosen before Triton is imported.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator

import pytest
import torch
from hypothesis import given, settings

from engine.kernels.dispatch import MAX_FUSED_K
from engine.kernels.output_layer import top_tokens_plain
from tests.budget import rounds
from tests.kernels.cases import DTYPES, NAMED_CASES, Case, cases, check

IS_INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
DEVICE = "cuda" if torch.cuda.is_available() and not IS_INTERPRETED else "cpu"

if not importlib.util.find_spec("triton"):
    pytest.skip("triton is not installed; requirements-dev.txt has it for Linux on x86-64", allow_module_level=True)
if DEVICE == "cpu" and not IS_INTERPRETED:
    pytest.skip("no GPU here; test_interpreter.py runs these in Triton's interpreter", allow_module_level=True)

from engine.kernels import output_layer_triton  # noqa: E402
from engine.kernels.output_layer_triton import TILE_GROUPS, top_tokens_fused  # noqa: E402


@pytest.fixture(autouse=True, scope="module")
def _small_tiles() -> Iterator[None]:
    """So that a vocabulary which the interpreter can manage has several tiles."""
    with pytest.MonkeyPatch.context() as patch:
        if IS_INTERPRETED:
            patch.setattr(output_layer_triton, "TILE_GROUPS", 2)
        yield


@settings(max_examples=rounds(4, 40) if IS_INTERPRETED else 200)
@given(cases(max_rows=3, max_k=12 if IS_INTERPRETED else 70, max_vocabulary=150 if IS_INTERPRETED else 5000))
def test_kernels_equal_the_steps(case: Case) -> None:
    check(top_tokens_fused, case, DEVICE)


@pytest.mark.parametrize("case", NAMED_CASES)
def test_kernels_on_named_cases(case: Case) -> None:
    check(top_tokens_fused, case, DEVICE)


def test_kernels_run_on_the_device_of_the_logits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which need not be the current one: the last GPU, where there are several."""
    logits_RV = torch.randn(2, 100, generator=torch.Generator().manual_seed(1))
    device = "cpu" if IS_INTERPRETED else f"cuda:{torch.cuda.device_count() - 1}"
    device_of, chosen = torch.cuda.device_of, []
    monkeypatch.setattr(torch.cuda, "device_of", lambda tensor: chosen.append(tensor.device) or device_of(tensor))
    check(top_tokens_fused, Case(logits_RV, 3), device)
    assert chosen[0] == torch.device(device)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("vocabulary_size", "k"), [(8000, 10), (8191, 50), (40000, MAX_FUSED_K)])
def test_kernels_at_full_size(
    vocabulary_size: int, k: int, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    if IS_INTERPRETED and (vocabulary_size > 8000 or dtype is not torch.bfloat16):
        pytest.skip("too much for the interpreter")
    monkeypatch.setattr(output_layer_triton, "TILE_GROUPS", TILE_GROUPS)
    generator = torch.Generator().manual_seed(vocabulary_size)
    logits_RV = (3 * torch.randn(1 if IS_INTERPRETED else 300, vocabulary_size, generator=generator)).to(dtype)
    num_rows = len(logits_RV)
    masks_MV = torch.zeros(2, vocabulary_size)
    masks_MV[0, :4] = masks_MV[1, 8:] = -torch.inf
    mask_of_R = (torch.arange(num_rows) % 7 == 1).long()
    forced_RF = torch.randint(-1, vocabulary_size, (num_rows, 3), generator=generator)
    case = Case(logits_RV, k, torch.randn(vocabulary_size, generator=generator), masks_MV, mask_of_R, forced_RF)
    found, expected = top_tokens_fused(*case.arguments(DEVICE)), top_tokens_plain(*case.arguments())
    assert torch.equal(found.tokens_RK.cpu(), expected.tokens_RK)
    torch.testing.assert_close(found.log_probs_RK.cpu(), expected.log_probs_RK, rtol=1e-5, atol=2e-5)
    torch.testing.assert_close(found.forced_log_probs_RF.cpu(), expected.forced_log_probs_RF, rtol=1e-5, atol=2e-5)


def test_kernel_row_alone_equals_row_in_batch_bit_by_bit() -> None:
    logits_RV = torch.randn(4, 300, generator=torch.Generator().manual_seed(1)).to(DEVICE)
    together = top_tokens_fused(logits_RV, 5)
    alone = top_tokens_fused(logits_RV[2:3], 5)
    assert alone.tokens_RK.tolist() == together.tokens_RK[2:3].tolist()
    assert alone.log_probs_RK.tolist() == together.log_probs_RK[2:3].tolist()
