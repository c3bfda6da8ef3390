"""Rows of the compiled decoder follow `read` and `select` as those of PyTorch's decoder."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiled.c_interface import Core, Floats, PrefixTree
from engine.errors import InvalidRequest
from engine.interruption import NEVER, Interrupted, Interruption
from engine.model import Decoder, EncodedSources, Transformer
from engine.model.compiled_decoder import CompiledDecoder
from engine.model.compiled_model import compiled_model
from engine.search.steps import log_probs_of
from engine.text import BOS, EOS
from tests.budget import rounds
from tests.compiled.test_compiled_model import CONFIG, NO_LIMIT
from tests.compiled.twin import random_model, twin_of, weights_of

LANGUAGES = replace(CONFIG, directions=(), languages={"en": "__en__", "de": "__de__"}, start="</s>")
# A number in the middle of two steps of 8 bits may be rounded either way; another row or position differs by 1.
NEAR = {"rtol": 0, "atol": 0.15}
KINDS = {"directions": (CONFIG, [BOS]), "languages": (LANGUAGES, [EOS, 9])}


@pytest.fixture(scope="module", autouse=True)
def products_as_they_are() -> Iterator[None]:
    """PyTorch's decoder multiplies weights into keys and values before they are rounded; here it must not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Decoder, "_fold", lambda decoder: None)
        yield


class Sources:
    """Sources of one random model, which the compiled decoder and PyTorch's decoder of its twin translate."""

    def __init__(self, core: Core, kind: str = "directions", num_sources: int = 3) -> None:
        config, starts = KINDS[kind]
        model = random_model(config)
        self.twin: Transformer = twin_of(model)
        compiled = compiled_model(config, weights_of(model), core)
        rng = random.Random(0)
        starts_BN = None if starts == [BOS] else torch.tensor([starts])
        self.encoded, self.trees = [], []
        for _ in range(num_sources):
            ids = [rng.randrange(5, 70) for _ in range(rng.randrange(2, 9))]
            self.encoded.append(self.twin.encode(torch.tensor([ids]), torch.tensor([len(ids)]), starts_BN))
            _, cross = compiled.encode(ids)
            self.trees.append(PrefixTree(compiled, cross, starts, NO_LIMIT))

    def compiled(self, places: Sequence[int], interruption: Interruption = NEVER) -> CompiledDecoder:
        return CompiledDecoder(self.twin.config, [self.trees[place] for place in places], interruption)

    def expected(self, places: Sequence[int]) -> Decoder:
        return Decoder(self.twin, EncodedSources.stack([self.encoded[place] for place in places]))


@pytest.fixture(scope="module", params=KINDS)
def sources(core: Core, request: pytest.FixtureRequest) -> Sources:
    return Sources(core, str(request.param))


def log_probs(decoder: CompiledDecoder | Decoder, inputs: Sequence[int]) -> Floats:
    """The result of a step."""
    return log_probs_of(decoder.step(np.array(inputs)))


def check_steps(decoders: Sequence[CompiledDecoder | Decoder], inputs: Sequence[int], rng: random.Random) -> None:
    """Both decoders give the same log-probabilities for a few steps with random pieces and parents."""
    for _ in range(4):
        found, expected = (log_probs(decoder, inputs) for decoder in decoders)
        np.testing.assert_allclose(found, expected, **NEAR)
        parents = sorted(rng.choices(range(len(inputs)), k=rng.randrange(1, 8)))
        for decoder in decoders:
            decoder.select(np.array(parents))
        inputs = [rng.randrange(5, 70) for _ in parents]


@settings(max_examples=rounds(10, 60))
@given(seed=st.integers(0, 10**6))
def test_rows_follow_the_choice_of_parents_like_those_of_the_other_decoder(sources: Sources, seed: int) -> None:
    rng = random.Random(seed)
    places = [rng.randrange(3) for _ in range(rng.randrange(1, 4))]
    decoders = sources.compiled(places), sources.expected(places)
    inputs = [BOS] * len(places)
    if rng.random() < 0.5:
        texts = [[rng.randrange(5, 70) for _ in range(rng.randrange(4))] for _ in places]
        found, expected = (decoder.read(texts) for decoder in decoders)
        for own, other in zip(found, expected, strict=True):
            assert own == pytest.approx(other, abs=0.15)
        inputs = [text[-1] if text else BOS for text in texts]
    check_steps(decoders, inputs, rng)


def test_row_alone_equals_the_row_in_a_batch(core: Core) -> None:
    sources = Sources(core)
    together = log_probs(sources.compiled([0, 1, 2]), [BOS] * 3)
    for place in range(3):
        assert np.array_equal(log_probs(Sources(core).compiled([place]), [BOS])[0], together[place])


def test_interrupted_step_ends_and_a_later_search_goes_on(core: Core) -> None:
    sources, cancel = Sources(core), Event()
    decoder = sources.compiled([0, 1], Interruption(cancel))
    cancel.set()
    with pytest.raises(Interrupted):
        decoder.step(np.array([BOS, BOS]))
    found, expected = (log_probs(decoder, [BOS]) for decoder in (sources.compiled([0]), sources.expected([0])))
    np.testing.assert_allclose(found, expected, **NEAR)


def test_translation_that_is_too_long_is_refused_like_by_the_other_decoder(core: Core) -> None:
    sources = Sources(core)
    for decoder in (sources.compiled([0]), sources.expected([0])):
        decoder.read([[5] * 39])
        decoder.step(np.array([5]))
        with pytest.raises(InvalidRequest, match="the model writes at most 40 pieces"):
            decoder.step(np.array([5]))
        with pytest.raises(InvalidRequest, match="the model writes at most 40 pieces"):
            (sources.compiled if isinstance(decoder, CompiledDecoder) else sources.expected)([0]).read([[5] * 41])
