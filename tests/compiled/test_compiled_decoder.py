"""Rows of the compiled decoder follow `read`, `select` and `join` as those of PyTorch's decoder."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import Event

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiled.c_interface import Core, PrefixTree
from engine.errors import InvalidRequest
from engine.interruption import NEVER, Interrupted, Interruption
from engine.model import Decoder, EncodedSources, Transformer
from engine.model.compiled_decoder import CompiledDecoder
from engine.model.compiled_model import compiled_model
from engine.model.decoder_parts import DecoderParts
from engine.text import BOS, EOS
from tests.budget import rounds
from tests.compiled.test_compiled_model import CONFIG, NO_LIMIT
from tests.compiled.twin import random_model, twin_of

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
        compiled = compiled_model(model, core)
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

    def parts(self, places: Sequence[int], is_compiled: bool) -> DecoderParts:
        decoder = self.compiled(places) if is_compiled else self.expected(places)
        return DecoderParts([(decoder, len(places))])

    def expected(self, places: Sequence[int]) -> Decoder:
        return Decoder(self.twin, EncodedSources.stack([self.encoded[place] for place in places]))


@pytest.fixture(scope="module", params=KINDS)
def sources(core: Core, request: pytest.FixtureRequest) -> Sources:
    return Sources(core, str(request.param))


def check_steps(
    decoders: Sequence[CompiledDecoder | DecoderParts | Decoder], inputs: Sequence[int], rng: random.Random
) -> None:
    """Both decoders give the same log-probabilities for a few steps with random pieces and parents."""
    for _ in range(4):
        found, expected = (decoder.step(torch.tensor(inputs)) for decoder in decoders)
        torch.testing.assert_close(found, expected, **NEAR)
        parents = sorted(rng.choices(range(len(inputs)), k=rng.randrange(1, 8)))
        for decoder in decoders:
            decoder.select(torch.tensor(parents))
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


@settings(max_examples=rounds(10, 60))
@given(seed=st.integers(0, 10**6), first=st.booleans(), second=st.booleans())
def test_sentences_that_join_go_on_from_their_own_positions(
    sources: Sources, seed: int, first: bool, second: bool
) -> None:
    """The one that joins, and the one that is joined, may be compiled (True) or PyTorch's, as with a datastore."""
    rng = random.Random(seed)
    running = sources.parts([0, 1], first), sources.expected([0, 1])
    check_steps(running, [BOS, BOS], rng)
    num_rows = rng.randrange(1, 4)
    for decoder in running:
        decoder.select(torch.zeros(num_rows, dtype=torch.long))
    new = sources.parts([2, 1], second), sources.expected([2, 1])
    for decoder, other in zip(running, new, strict=True):
        decoder.join(other)  # type: ignore[arg-type] # decoders of both kinds
    check_steps(running, [*(rng.randrange(5, 70) for _ in range(num_rows)), BOS, BOS], rng)


def test_row_alone_equals_the_row_in_a_batch(core: Core) -> None:
    sources = Sources(core)
    together = sources.compiled([0, 1, 2]).step(torch.tensor([BOS] * 3))
    for place in range(3):
        assert torch.equal(Sources(core).compiled([place]).step(torch.tensor([BOS]))[0], together[place])


def test_interrupted_step_ends_and_a_later_search_goes_on(core: Core) -> None:
    sources, cancel = Sources(core), Event()
    decoder = sources.compiled([0, 1], Interruption(cancel))
    cancel.set()
    with pytest.raises(Interrupted):
        decoder.step(torch.tensor([BOS, BOS]))
    torch.testing.assert_close(
        sources.compiled([0]).step(torch.tensor([BOS])), sources.expected([0]).step(torch.tensor([BOS])), **NEAR
    )


def test_translation_that_is_too_long_is_refused_like_by_the_other_decoder(core: Core) -> None:
    sources = Sources(core)
    for decoder in (sources.compiled([0]), sources.expected([0])):
        decoder.read([[5] * 39])
        decoder.step(torch.tensor([5]))
        with pytest.raises(InvalidRequest, match="the model writes at most 40 pieces"):
            decoder.step(torch.tensor([5]))
        with pytest.raises(InvalidRequest, match="the model writes at most 40 pieces"):
            (sources.compiled if isinstance(decoder, CompiledDecoder) else sources.expected)([0]).read([[5] * 41])
