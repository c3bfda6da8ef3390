"""Requests for a source that was searched before: the same translations, most of them not computed again."""

from __future__ import annotations

import gc
import random
import weakref

import pytest

from engine import Avoid, Phrase, Request, SearchOptions, Translator
from engine.decoding import encodings
from engine.model import Decoder
from tests.decoding.test_prefix import assert_same
from tests.model.test_cached_decoder import computed_rows
from tests.test_translator import SOURCE, make_translator

OPTIONS = SearchOptions(beam=4, nbest=3, max_length_factor=0, max_length_offset=8)
REQUESTS = (
    Request(SOURCE),
    Request(SOURCE, phrases=(Phrase("Knoten"),)),
    Request(SOURCE, phrases=(Phrase("Seite"), Phrase("C++"))),
    Request(SOURCE, avoid=(Avoid("e"),)),
    Request(SOURCE, prefix="Die ", phrases=(Phrase("Knoten"),)),
)


@pytest.fixture
def translator(codec) -> Translator:
    return make_translator(codec)


@pytest.mark.parametrize("max_bytes", [encodings.MAX_BYTES, 100_000, 0])
def test_a_source_that_was_searched_before_gets_the_same_translations(
    translator: Translator, codec, max_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encodings, "MAX_BYTES", max_bytes)
    rng = random.Random(4)
    expected = {request: make_translator(codec).translate(request, OPTIONS) for request in REQUESTS}
    for request in rng.choices(REQUESTS, k=8):
        assert_same(translator.translate(request, OPTIONS), expected[request])
    variants = list(translator.translate_all(REQUESTS, OPTIONS, batch_size=3))  # some of one source, joining others
    for request, found in zip(REQUESTS, variants, strict=True):
        assert_same(found, expected[request])


def test_prices_compute_nothing_that_a_search_has_computed(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned = REQUESTS[1]
    free, found = (translator.translate(request, OPTIONS) for request in (REQUESTS[0], pinned))
    counts = computed_rows(monkeypatch)
    pricing = translator.price(pinned, OPTIONS)
    assert counts == []
    assert pricing.free.hypotheses == free.hypotheses
    assert pricing.constrained.hypotheses == found.hypotheses


def test_prefixes_of_sources_used_longest_ago_are_forgotten(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = computed_rows(monkeypatch)

    def is_computed(text: str) -> bool:
        counts.clear()
        translator.translate(Request(text), OPTIONS)
        return bool(counts)

    def num_bytes() -> int:
        return sum(kept.own.expanded.num_bytes for kept in translator.pipeline._encodings._kept.values())

    assert is_computed("One.")
    monkeypatch.setattr(encodings, "MAX_BYTES", 2 * (num_bytes() + 1000))
    assert is_computed("Another one.")
    assert not is_computed("Another one.")
    assert is_computed("One.")


def test_a_running_search_keeps_its_prefixes(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = translator.pipeline.prepare(REQUESTS[0])
    monkeypatch.setattr(encodings, "MAX_BYTES", 0)
    decoder = translator.pipeline._encodings.decoder([prepared])
    expanded = weakref.ref(next(iter(translator.pipeline._encodings._kept.values())).own.expanded)
    translator.pipeline._encodings.decoder([prepared])
    assert expanded() is not None
    assert not isinstance(decoder, Decoder)
    del decoder
    gc.collect()
    assert expanded() is None
