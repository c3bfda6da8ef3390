"""Requests for a source that was searched before: the same translations, most prefixes not computed again."""

from __future__ import annotations

import random

import pytest

from engine import Avoid, Phrase, Request, SearchOptions, Translator
from engine.bundled_data import DATA_FOLDER
from engine.compiled.c_interface import Core
from engine.decoding import core_sources
from engine.model import compiled_model

SOURCE = "The old computer opens the file again."
OPTIONS = SearchOptions(beam=4, nbest=3)
REQUESTS = (
    Request(SOURCE),
    Request(SOURCE, phrases=(Phrase("Rechner"),)),
    Request(SOURCE, phrases=(Phrase("Datei"), Phrase("C++"))),
    Request(SOURCE, avoid=(Avoid("Computer"),)),
    Request(SOURCE, prefix="Die ", phrases=(Phrase("Rechner"),)),
)


@pytest.fixture
def translator(core: Core, monkeypatch: pytest.MonkeyPatch) -> Translator:
    monkeypatch.setattr(compiled_model, "core", lambda: core)
    return Translator.load(DATA_FOLDER / "models" / "en-de", precision="int8")


def num_computed(translator: Translator) -> int:
    """The prefixes that all trees have computed."""
    sources = translator.pipeline._core._with_trees
    return sum(source.tree.num_computed for source in sources if source.tree is not None)


@pytest.mark.parametrize("max_bytes", [core_sources.MAX_BYTES, 200_000, 0])
def test_source_that_was_searched_before_gets_the_same_translations(
    translator: Translator, max_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {}
    for request in REQUESTS:
        translator.pipeline.forget_sources()
        expected[request] = translator.translate(request, OPTIONS).hypotheses
    monkeypatch.setattr(core_sources, "MAX_BYTES", max_bytes)
    for request in random.Random(4).choices(REQUESTS, k=8):
        assert translator.translate(request, OPTIONS).hypotheses == expected[request]
    for request, found in zip(REQUESTS, translator.translate_all(REQUESTS, OPTIONS, batch_size=3), strict=True):
        assert found.hypotheses == expected[request]


def test_prices_compute_nothing_that_a_search_has_computed(translator: Translator) -> None:
    free, found = (translator.translate(request, OPTIONS) for request in REQUESTS[:2])
    before = num_computed(translator)
    pricing = translator.price(REQUESTS[1], OPTIONS)
    assert num_computed(translator) == before > 0
    assert pricing.free.hypotheses == free.hypotheses
    assert pricing.constrained.hypotheses == found.hypotheses


def test_prefixes_of_sources_used_longest_ago_are_forgotten(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = translator.pipeline._core
    for text in ("One.", "Two.", "Three."):
        translator.translate(Request(text), OPTIONS)
    sources = [*core._with_trees]
    assert len(sources) == 3 and all(source.tree is not None for source in sources)
    monkeypatch.setattr(core_sources, "MAX_BYTES", 0)
    translator.translate(Request("Four."), OPTIONS)
    assert len(core._with_trees) == 1 and all(source.tree is None for source in sources)
