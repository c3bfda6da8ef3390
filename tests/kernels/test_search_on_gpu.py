"""The whole way from text to text on a GPU gives what it gives on the CPU; TEST_DEVICE names another device."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence

import pytest
import torch

from engine import Avoid, Phrase, Request, SearchOptions, Translation, Translator
from engine.model import LoadedModel, ModelConfig, Transformer
from engine.model.half import halve
from engine.text import TextCodec

DEVICE = os.environ.get("TEST_DEVICE", "cuda")

pytestmark = pytest.mark.skipif(
    DEVICE == "cuda" and not torch.cuda.is_available(), reason="no GPU here to decode on (CUDA)"
)

OPTIONS = SearchOptions(beam=6, nbest=4)
SOURCE = "The quick brown fox opens the settings dialog, doesn't it?"
REQUESTS = [
    Request(SOURCE),
    Request(SOURCE, phrases=[Phrase("Einstellungen"), Phrase("C++", forms=["C"])]),
    Request(SOURCE, phrases=[Phrase("auf allen Knoten")], avoid=[Avoid("der")]),
    Request("A dog.", prefix="Das ist ", phrases=[Phrase("Straße")]),
]
HALF_TOLERANCE = 0.1  # of a score per token, where both find the same


@pytest.fixture(scope="module")
def model(codec: TextCodec) -> LoadedModel:
    torch.manual_seed(17)
    config = ModelConfig(len(codec.vocabulary), ("en-de",), 32, 2, 48, 2, 1, max_pieces=256)
    transformer = Transformer(config)
    for parameter in transformer.parameters():  # sharper than at the start of training
        parameter.data.mul_(2.0)
    return LoadedModel(config, codec, transformer.eval(), checksum="0" * 64)


def translated(model: LoadedModel, device: str, is_half: bool = False) -> Sequence[Translation]:
    transformer = copy.deepcopy(model.transformer).to(device)
    if is_half:
        halve(transformer)
    there = LoadedModel(model.config, model.codec, transformer, model.checksum)
    return list(Translator(there).translate_all(REQUESTS, OPTIONS))


def test_search_on_the_gpu_equals_search_on_the_cpu(model: LoadedModel) -> None:
    for found, expected in zip(translated(model, DEVICE), translated(model, "cpu"), strict=True):
        assert found.status == expected.status == "complete"
        assert [each.tokens for each in found.hypotheses] == [each.tokens for each in expected.hypotheses]
        assert [each.placements for each in found.hypotheses] == [each.placements for each in expected.hypotheses]
        scores = [each.score for each in expected.hypotheses]
        assert [each.score for each in found.hypotheses] == pytest.approx(scores, abs=1e-4)


def test_half_precision_on_the_gpu_meets_everything_with_scores_near(model: LoadedModel) -> None:
    full = translated(model, "cpu")
    for found, expected in zip(translated(model, DEVICE, is_half=True), full, strict=True):
        assert found.status == "complete"
        assert found.hypotheses[0].score == pytest.approx(expected.hypotheses[0].score, abs=HALF_TOLERANCE)
