"""Questions that need one translation of each job align and write no others, and give the same answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Avoid, Phrase, Request, SearchOptions, Translator
from engine.bundled_data import DATA_FOLDER
from engine.decoding.loop import DecodingJob

OPTIONS = SearchOptions(beam=5, nbest=5)
REQUEST = Request(
    "The server sends a message.", phrases=(Phrase("Nachricht"), Phrase("Rechner")), avoid=(Avoid("dem"),)
)


@pytest.fixture(scope="module")
def translator() -> Translator:
    """In the compiled core, which computes the same numbers each time."""
    return Translator.load(DATA_FOLDER / "models" / "en-de", precision="int8")


@pytest.fixture
def num_aligned(translator, monkeypatch) -> list[int]:
    """The number of translations in each call that aligned them."""
    counts: list[int] = []
    align = translator.pipeline.align

    def counted(prepared, targets, *others):
        counts.append(len(targets))
        return align(prepared, targets, *others)

    monkeypatch.setattr(translator.pipeline, "align", counted)
    return counts


def test_one_translation_of_each_alternative_is_aligned(translator, num_aligned, monkeypatch) -> None:
    best = translator.translate(REQUEST, OPTIONS).hypotheses[0]

    def alternatives():
        num_aligned.clear()
        return translator.alternatives(REQUEST, best, best.text.index("Nachricht"), 5, OPTIONS)

    found = alternatives()
    assert num_aligned and set(num_aligned) == {1}
    monkeypatch.setattr(DecodingJob, "needs_best_only", property(lambda job: False, lambda job, value: None))
    assert found == alternatives()
    assert set(num_aligned) == {OPTIONS.nbest}


def test_prices_give_all_translations_with_the_constraints_and_without_and_one_of_the_others(
    translator, num_aligned, monkeypatch
) -> None:
    found = translator.price(REQUEST, OPTIONS)
    assert num_aligned == [5, 5, 1, 1, 1]
    assert [len(found.constrained.hypotheses), len(found.free.hypotheses)] == [5, 5]
    monkeypatch.setattr(DecodingJob, "needs_best_only", property(lambda job: False, lambda job, value: None))
    expected = translator.price(REQUEST, OPTIONS)
    assert (found.total, found.phrases, found.avoid) == (expected.total, expected.phrases, expected.avoid)
    assert replace(found.free, elapsed_ms=0) == replace(expected.free, elapsed_ms=0)
