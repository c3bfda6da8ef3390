"""16 bits where a GPU has them, 32 with a message elsewhere; scores near those of 32 bits, in float32."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch

from engine.kernels import top_tokens
from engine.model import Decoder, ModelConfig, Transformer
from engine.model.device import half_dtype, halve
from engine.model.table_decoder import TableDecoder

CONFIG = ModelConfig(90, ("en-de",), 32, 2, 48, 2, 1, max_pieces=32)
TOLERANCE = 0.05  # of a log-probability of these weights in bfloat16; float16 is nearer


def model() -> Transformer:
    torch.manual_seed(3)
    return Transformer(CONFIG).eval()


@pytest.mark.parametrize(("has_bfloat16", "expected"), [(True, torch.bfloat16), (False, torch.float16)])
def test_gpu_takes_bfloat16_where_it_has_it(
    has_bfloat16: bool, expected: torch.dtype, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    current = [torch.device("cuda:0")]

    @contextmanager
    def device(other: torch.device) -> Iterator[None]:
        current.append(other)
        yield
        current.pop()

    monkeypatch.setattr(torch.cuda, "device", device)
    monkeypatch.setattr(
        torch.cuda, "is_bf16_supported", lambda including_emulation: has_bfloat16 == (current[-1].index == 1)
    )
    assert half_dtype(torch.device("cuda:1")) is expected
    assert [("does not support bfloat16" in str(warning.message)) for warning in recwarn] == (
        [] if has_bfloat16 else [True]
    )


def test_cpu_stays_in_32_bits_with_a_warning() -> None:
    transformer = model()
    with pytest.warns(UserWarning, match="16-bit arithmetic is for GPUs; on cpu"):
        halve(transformer)
    assert {parameter.dtype for parameter in transformer.parameters()} == {torch.float32}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_gives_logits_whose_best_tokens_have_scores_in_float32(dtype: torch.dtype) -> None:
    half = model().to(dtype)
    sources, lengths = torch.randint(4, 90, (2, 9), generator=torch.Generator().manual_seed(1)), torch.tensor([9, 5])
    logits = TableDecoder(half, half.encode(sources, lengths), compaction_interval=8).step(torch.ones(2).long())
    assert logits.logits_RV.dtype == dtype
    found = top_tokens(logits.logits_RV, 90, bias_V=logits.bias_V)
    assert found.log_probs_RK.dtype == torch.float32
    assert found.log_probs_RK.exp().sum(1).tolist() == pytest.approx([1.0] * 2, abs=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_decodes_near_float32_with_scores_in_float32(dtype: torch.dtype) -> None:
    full = model()
    half = copy.deepcopy(full).to(dtype)
    sources = torch.randint(4, 90, (3, 9), generator=torch.Generator().manual_seed(1))
    lengths = torch.tensor([9, 5, 7])
    decoders = [Decoder(each, each.encode(sources, lengths)) for each in (full, half)]
    tokens = torch.ones(3, dtype=torch.long)
    for _ in range(6):
        expected, found = (decoder.step(tokens) for decoder in decoders)
        assert found.dtype == torch.float32
        torch.testing.assert_close(found, expected, rtol=0, atol=TOLERANCE)
        assert found.exp().sum(1).tolist() == pytest.approx([1.0] * 3, abs=1e-5)
        tokens = expected.argmax(1)
        for decoder in decoders:
            decoder.select(torch.arange(3))
