"""The whole way from text to text on a GPU gives what it gives on the CPU; TEST_DEVICE names another device."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import os
from collections.abc import Iterator
from threading import Event
from unittest.mock import Mock

import pytest
import torch

from engine import SearchOptions, Translation, Translator
from engine.kernels import top_tokens
from engine.kernels.dispatch import can_fuse
from engine.model import LoadedModel
from engine.model.device import halve
from engine.model.table_decoder import TableDecoder
from engine.text import TextCodec
from tests.kernels.searches import REQUESTS, assert_same, avoiding_its_words, small_model

DEVICE = os.environ.get("TEST_DEVICE", "cuda")

pytestmark = pytest.mark.skipif(
    DEVICE == "cuda" and not torch.cuda.is_available(), reason="no GPU here to decode on (CUDA)"
)

OPTIONS = SearchOptions(beam=6, nbest=4)
HALF_TOLERANCE = 0.1  # of a score per token, where both find the same


@pytest.fixture(scope="module")
def model(codec: TextCodec) -> LoadedModel:
    return small_model(codec)


def translated(
    model: LoadedModel, device: str, is_half: bool = False, compaction_interval: int | None = None
) -> list[Translation]:
    """All requests, a few at a time, so that sentences end and join."""
    transformer = copy.deepcopy(model.transformer).to(device)
    if is_half:
        halve(transformer)
    there = LoadedModel.of(model.config, model.codec, transformer, model.checksum)
    requests = [*REQUESTS, avoiding_its_words(model, OPTIONS)]
    translator = Translator(there, compaction_interval=compaction_interval)
    return list(translator.translate_all(requests, OPTIONS, batch_size=3, schedule="fifo"))


@pytest.mark.parametrize("compaction_interval", [None, 1, 3])
def test_search_on_the_gpu_equals_search_on_the_cpu(
    model: LoadedModel, compaction_interval: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = translated(model, "cpu")
    fused = None
    if DEVICE.startswith("cuda") and importlib.util.find_spec("triton"):
        assert can_fuse(torch.empty(0, device=DEVICE).device), "see the warning"
        triton_module = importlib.import_module("engine.kernels.output_layer_triton")
        fused = Mock(side_effect=triton_module.top_tokens_fused)
        monkeypatch.setattr(triton_module, "top_tokens_fused", fused)
    found = translated(model, DEVICE, compaction_interval=compaction_interval)
    assert_same(found, expected)
    assert {translation.status for translation in found} == {"complete"}
    assert fused is None or fused.called, "on a GPU the kernels do it"


def test_half_precision_on_the_gpu_meets_all_constraints_with_similar_scores(model: LoadedModel) -> None:
    full = translated(model, "cpu")
    for found, expected in zip(translated(model, DEVICE, is_half=True), full, strict=True):
        assert found.status == "complete"
        assert found.hypotheses[0].score == pytest.approx(expected.hypotheses[0].score, abs=HALF_TOLERANCE)


def test_interrupted_search_on_the_gpu_gives_the_best_so_far(model: LoadedModel) -> None:
    there = LoadedModel.of(model.config, model.codec, copy.deepcopy(model.transformer).to(DEVICE), model.checksum)
    cancel = Event()
    cancel.set()
    assert Translator(there).translate(REQUESTS[1], OPTIONS, cancel=cancel).status == "cancelled"


@pytest.fixture
def _waiting_is_allowed_afterwards() -> Iterator[None]:
    yield
    torch.cuda.set_sync_debug_mode("default")


@pytest.mark.usefixtures("_waiting_is_allowed_afterwards")
@pytest.mark.skipif(not DEVICE.startswith("cuda"), reason="another device may wait where it likes")
def test_step_of_the_decoder_does_not_synchronise(model: LoadedModel) -> None:
    """PyTorch raises where the CPU waits for the GPU; opening and closing up places may."""
    transformer = copy.deepcopy(model.transformer).to(DEVICE)
    sources = torch.randint(4, 500, (3, 9), device=DEVICE)
    table = TableDecoder(transformer, transformer.encode(sources, torch.tensor([9, 5, 7], device=DEVICE)), 100)
    for parents in ([0, 0, 1, 2, 2], [0, 1, 2, 3, 4], [0, 3], [0, 0, 1]):  # the first makes places
        logits = table.step(torch.full((table.num_rows,), 7))
        top_tokens(logits.logits_RV, 6, bias_V=logits.bias_V)
        table.select(torch.tensor(parents))
        torch.cuda.set_sync_debug_mode("error")
