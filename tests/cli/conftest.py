"""A small model of random weights, and a shell to run commands on it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine import Translator
from engine.model import ModelConfig, Transformer, save_weights
from engine.text import TextCodec
from tests.cli.shell import Shell


@pytest.fixture(scope="session")
def model(codec: TextCodec, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of random weights, sharper than at the start of training."""
    folder = tmp_path_factory.mktemp("model")
    torch.manual_seed(17)
    config = ModelConfig(
        len(codec.vocabulary),
        ("en-de", "de-en"),
        model_size=32,
        num_heads=2,
        feed_forward_size=48,
        encoder_layers=1,
        decoder_layers=1,
        max_pieces=128,
        domains=("docs", "software"),
        formalities={"en-de": ("formal", "informal")},
    )
    transformer = Transformer(config)
    for parameter in transformer.parameters():
        parameter.data.mul_(2.0)
    codec.save(folder)
    config.save(folder / "config.json")
    save_weights(folder / "model.safetensors", transformer, torch.float32)
    return folder


@pytest.fixture(scope="session")
def translator(model: Path) -> Translator:
    return Translator.load(model)


@pytest.fixture
def shell(model: Path) -> Shell:
    return Shell(model)
