"""Small models and requests of every kind, to be translated in two ways that must agree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch

from engine import Avoid, Phrase, Request, SearchOptions, Translation, Translator
from engine.model import LoadedModel, ModelConfig, Transformer
from engine.text import TextCodec

SOURCE = "The quick brown fox opens the settings dialog, doesn't it?"
REQUESTS = [
    Request(SOURCE),
    Request(SOURCE, phrases=[Phrase("Einstellungen"), Phrase("C++", forms=["C"])]),
    Request(SOURCE, phrases=[Phrase("auf allen Knoten")], avoid=[Avoid("der")]),
    Request("A dog.", prefix="Das ist ", phrases=[Phrase("Straße")]),
]
SHORT_REQUESTS = [Request("A dog."), Request("A cat?", phrases=[Phrase("C")], avoid=["der"])]
LINES = (
    "Das Haus steht auf der Straße.",
    "Keiner hat die Einstellungen auf allen Knoten geändert, oder?",
    "Der Hund ist schnell und braun; in C++ geht das nicht.",
    "A quick dog opens the settings dialog, doesn't it?",
)


def small_codec() -> TextCodec:
    """Few pieces more than the characters that are always spelt; an interpreter of kernels can manage them."""
    return TextCodec.learn(LINES, num_pieces=720, min_char_count=1)


def small_model(codec: TextCodec) -> LoadedModel:
    torch.manual_seed(17)
    config = ModelConfig(len(codec.vocabulary), ("en-de",), 32, 2, 48, 2, 1, max_pieces=256)
    transformer = Transformer(config)
    for parameter in transformer.parameters():  # sharper than at the start of training
        parameter.data.mul_(2.0)
    return LoadedModel.of(config, codec, transformer.eval(), checksum="0" * 64)


def avoiding_its_words(model: LoadedModel, options: SearchOptions) -> Request:
    """Forbids a source all that is written for it otherwise, so that many of the best continuations are forbidden."""
    free = Translator(model).translate(Request("A dog."), options)
    return Request("A dog.", avoid=sorted({word for each in free.hypotheses for word in each.text.split()}))


def assert_same(found: Sequence[Translation], expected: Sequence[Translation]) -> None:
    """The same texts in the same places, scores to rounding."""
    for one, other in zip(found, expected, strict=True):
        assert one.status == other.status
        assert [each.text for each in one.hypotheses] == [each.text for each in other.hypotheses]
        assert [each.tokens for each in one.hypotheses] == [each.tokens for each in other.hypotheses]
        assert [each.placements for each in one.hypotheses] == [each.placements for each in other.hypotheses]
        scores = [each.score for each in other.hypotheses]
        assert [each.score for each in one.hypotheses] == pytest.approx(scores, abs=1e-4)
