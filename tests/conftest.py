"""Settings and fixtures for all tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from engine.text import TextCodec
from tests import budget

# No deadlines: a test may be slow on a busy machine.
settings.register_profile("short", deadline=None)
settings.register_profile("full", deadline=None, max_examples=200)

# The models of the tests are tiny: a second thread only waits, and for long where the cores are busy.
torch.set_num_threads(1)

CORPUS_SAMPLE = Path(__file__).parent / "data" / "corpus_sample.tsv"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the tests marked full too, and more random rounds")


def pytest_configure(config: pytest.Config) -> None:
    """Applies `--full` before any test module is imported, in the workers of pytest-xdist too."""
    if config.getoption("full"):
        budget.set_full()
        if config.option.markexpr == "not full":  # the default in pyproject.toml
            config.option.markexpr = ""
    settings.load_profile("full" if budget.is_full() else "short")


@dataclass(frozen=True)
class SampleLine:
    """One line of the corpus sample; tests/data/README.md says where it comes from."""

    language: str
    domain: str
    source: str
    text: str


@pytest.fixture(scope="session")
def corpus_sample() -> list[SampleLine]:
    """1,740 lines of English and German of many kinds."""
    lines = CORPUS_SAMPLE.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [SampleLine(*line.split("\t")) for line in lines if not line.startswith("# ")]


@pytest.fixture(scope="session")
def codec(corpus_sample: list[SampleLine]) -> TextCodec:
    """A small joint codec: 2,000 pieces learnt from the corpus sample, and all characters in it."""
    return TextCodec.learn((line.text for line in corpus_sample), num_pieces=2000, min_char_count=1)
