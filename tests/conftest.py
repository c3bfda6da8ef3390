"""Settings and fixtures for all tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from engine.text import TextCodec

# No deadlines: a slow machine is no wrong answer. The rest is hypothesis' own profile, in CI the one that repeats.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

# The models of the tests are tiny: a second thread only waits, and for long where the cores are busy.
torch.set_num_threads(1)

CORPUS_SAMPLE = Path(__file__).parent / "data" / "corpus_sample.tsv"


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
