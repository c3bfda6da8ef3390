"""The plain output layer against the same step by step; and that nothing here needs Triton."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType

import pytest
import torch
from hypothesis import given

from engine.kernels import TopTokens, dispatch, top_tokens
from engine.kernels.output_layer import top_tokens_plain
from tests.kernels.cases import NAMED_CASES, Case, cases, check


@given(cases())
def test_plain_output_layer_equals_its_steps(case: Case) -> None:
    check(top_tokens_plain, case)


@pytest.mark.parametrize("case", NAMED_CASES)
def test_plain_output_layer_on_named_cases(case: Case) -> None:
    check(top_tokens_plain, case)


def test_row_alone_equals_row_in_batch_bit_by_bit() -> None:
    logits_RV = torch.randn(20, 8000, generator=torch.Generator().manual_seed(1)) * 3
    together = top_tokens(logits_RV, 10)
    for row in range(20):
        alone = top_tokens(logits_RV[row : row + 1], 10)
        assert alone.tokens_RK.tolist() == [together.tokens_RK[row].tolist()]
        assert alone.log_probs_RK.tolist() == [together.log_probs_RK[row].tolist()]


def test_empty_input_has_an_empty_result() -> None:
    found = top_tokens(torch.zeros(0, 100), 5, forced_RF=torch.zeros(0, 2, dtype=torch.long))
    assert found.tokens_RK.shape == found.log_probs_RK.shape == (0, 5)
    assert found.forced_log_probs_RF.shape == (0, 2)


def test_inputs_are_not_changed() -> None:
    logits_RV, masks_MV = torch.randn(3, 100), torch.zeros(1, 100)
    before = logits_RV.clone()
    top_tokens(logits_RV, 5, masks_MV=masks_MV, mask_of_R=torch.zeros(3, dtype=torch.long))
    assert torch.equal(logits_RV, before)
    assert not masks_MV.any()


@pytest.mark.parametrize("k", [0, 101])
def test_k_beyond_the_vocabulary_is_an_assertion_error(k: int) -> None:
    with pytest.raises(AssertionError, match=f"k is {k}"):
        top_tokens(torch.zeros(2, 100), k)


def test_engine_decodes_where_triton_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("engine.kernels")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "triton", None)  # importing it now raises ImportError
    fresh = importlib.import_module("engine.kernels")
    assert fresh.top_tokens(torch.eye(9), 1).tokens_RK[:, 0].tolist() == list(range(9))
    with pytest.raises(ImportError):
        importlib.import_module("engine.kernels.output_layer_triton")


def broken(*_: object) -> TopTokens:
    raise RuntimeError("Failed to find C compiler")


def wrong(logits_RV: torch.Tensor, k: int) -> TopTokens:
    found = top_tokens_plain(logits_RV, k)
    return replace(found, tokens_RK=found.tokens_RK.flip(1))


def inaccurate(logits_RV: torch.Tensor, k: int) -> TopTokens:
    found = top_tokens_plain(logits_RV, k)
    return replace(found, log_probs_RK=found.log_probs_RK + 0.01)


@pytest.fixture
def _kernels_are_tried_anew() -> Iterator[None]:
    dispatch.can_fuse.cache_clear()
    yield
    dispatch.can_fuse.cache_clear()


@pytest.mark.usefixtures("_kernels_are_tried_anew")
@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        (None, "ModuleNotFoundError: .*triton.*; it runs as separate steps on cpu, slower"),
        (broken, r"do not run here \(RuntimeError: Failed to find C compiler\)"),
        (wrong, "they find other tokens than the plain output layer"),
        (inaccurate, "AssertionError: Tensor-likes are not close"),
        (top_tokens_plain, None),
    ],
)
def test_kernels_are_tried_once_and_replaced_with_a_warning_if_they_fail(
    kernels: Callable[..., TopTokens] | None,
    message: str | None,
    monkeypatch: pytest.MonkeyPatch,
    recwarn: pytest.WarningsRecorder,
) -> None:
    module = None
    if kernels is not None:
        module = ModuleType("engine.kernels.output_layer_triton")
        monkeypatch.setattr(module, "top_tokens_fused", kernels, raising=False)
    monkeypatch.setitem(sys.modules, "engine.kernels.output_layer_triton", module)
    answers = [dispatch.can_fuse(torch.device("cpu")) for _ in range(2)]
    assert answers == [message is None] * 2
    warned = [str(warning.message) for warning in recwarn]
    assert len(warned) == (message is not None), "once"
    assert message is None or re.search(message, warned[0])
