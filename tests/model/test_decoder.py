"""Decoding step by step gives what the whole model gives at once, whatever the rows do."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InvalidRequest
from engine.model import Decoder, EncodedSources, ModelConfig, Transformer
from engine.text import BOS, EOS, PAD
from tests.budget import rounds

V = 23
CONFIG = ModelConfig(
    vocabulary_size=V,
    directions=("en-de",),
    model_size=16,
    num_heads=2,
    feed_forward_size=24,
    encoder_layers=2,
    decoder_layers=2,
    max_pieces=48,
)
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def random_model(config: ModelConfig = CONFIG) -> Transformer:
    """Weights large enough that attention is far from uniform."""
    torch.manual_seed(0)
    model = Transformer(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return model


MODEL = random_model()
RECURRENT = random_model(replace(CONFIG, decoder="ssru", norm="after", positions="tensor2tensor"))


@pytest.fixture(scope="module", autouse=True, params=[MODEL, RECURRENT], ids=["attention", "ssru"])
def tested_model(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run every test of this file on a model with self-attention and on one with a recurrence."""
    global MODEL
    before, MODEL = MODEL, request.param
    yield
    MODEL = before


def random_source(rng: random.Random, length: int) -> list[int]:
    return [4, *(rng.randrange(5, V) for _ in range(length)), EOS]


def padded(sources: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(map(len, sources))
    ids = torch.tensor([[*source, *[PAD] * (longest - len(source))] for source in sources])
    return ids, torch.tensor([len(source) for source in sources])


def whole_log_probs(source: list[int], history: list[int]) -> torch.Tensor:
    """The reference: log-probabilities after `<s> history`, the model run over all of it at once, without padding."""
    ids, lengths = padded([source])
    with torch.no_grad():
        hidden = MODEL(ids, lengths, torch.tensor([[BOS, *history]]))
        return torch.log_softmax(MODEL.project(hidden[0, -1]), dim=-1)


@settings(max_examples=rounds(10, 40))
@given(seed=st.integers(0, 10**6), num_sentences=st.integers(1, 5), num_steps=st.integers(1, 20))
def test_cached_steps_with_ragged_reorders_equal_the_whole_model(seed: int, num_sentences: int, num_steps: int) -> None:
    rng = random.Random(seed)
    sources = [random_source(rng, rng.randrange(1, 9)) for _ in range(num_sentences)]
    decoder = Decoder(MODEL, MODEL.encode(*padded(sources)))
    rows: list[tuple[int, list[int]]] = [(sentence, []) for sentence in range(num_sentences)]
    tokens = [BOS] * num_sentences
    for _ in range(num_steps):
        log_probs = decoder.step(torch.tensor(tokens))
        assert log_probs.shape == (len(rows), V)
        for row, (sentence, history) in zip(log_probs, rows, strict=True):
            torch.testing.assert_close(row, whole_log_probs(sources[sentence], history), **CLOSE)
        # each row gets 0 to 3 children, and at least one row lives on
        parents = [r for r in range(len(rows)) for _ in range(rng.choice((0, 1, 1, 2, 3)))][:12] or [len(rows) - 1]
        tokens = [rng.randrange(5, V) for _ in parents]
        rows = [(rows[parent][0], [*rows[parent][1], token]) for parent, token in zip(parents, tokens, strict=True)]
        decoder.select(torch.tensor(parents))


def test_score_equals_the_sum_over_cached_steps() -> None:
    source, target = [4, 7, 9, 6, EOS], [8, 20, 5, 5, 13, EOS]
    scores = MODEL.score(*padded([source]), torch.tensor([target]))
    decoder = Decoder(MODEL, MODEL.encode(*padded([source])))
    for place, (last, token) in enumerate(zip([BOS, *target], target, strict=False)):
        log_probs = decoder.step(torch.tensor([last]))
        torch.testing.assert_close(log_probs[0, token], scores[0, place], **CLOSE)


def test_probabilities_of_a_step_sum_to_one() -> None:
    decoder = Decoder(MODEL, MODEL.encode(*padded([[4, 7, EOS]])))
    log_probs = decoder.step(torch.tensor([BOS]))
    assert log_probs.dtype == torch.float32
    torch.testing.assert_close(log_probs.exp().sum(dim=1), torch.ones(1))


@settings(max_examples=rounds(8, 30))
@given(seed=st.integers(0, 10**6), num_rows=st.integers(1, 20), size=st.integers(1, 300), scale=st.floats(0.01, 50))
def test_log_softmax_in_the_place_of_its_logits_is_the_same(seed: int, num_rows: int, size: int, scale: float) -> None:
    """PyTorch does not promise it; each step relies on it."""
    torch.manual_seed(seed)
    logits_RV = scale * torch.randn(num_rows, size)
    logits_RV[0, 0] = torch.nan if seed % 3 == 0 else -torch.inf
    expected = torch.log_softmax(logits_RV, dim=-1)
    assert torch.equal(torch.log_softmax(logits_RV, dim=-1, out=logits_RV).nan_to_num(7), expected.nan_to_num(7))


def test_sentence_alone_equals_sentence_in_batch() -> None:
    rng = random.Random(3)
    sources = [random_source(rng, length) for length in (1, 12, 5)]
    target = torch.tensor([[6, 7, 8, EOS]])
    together = MODEL.score(*padded(sources), target.expand(3, -1))
    for row, source in zip(together, sources, strict=True):
        torch.testing.assert_close(row, MODEL.score(*padded([source]), target)[0], **CLOSE)


def test_content_of_the_padding_does_not_change_the_result() -> None:
    ids, lengths = padded([[4, 7, 9, EOS], [4, 8, 8, 8, 8, 8, EOS]])
    disturbed = ids.clone()
    disturbed[0, 4:] = 11
    target = torch.tensor([[6, 7, EOS], [6, 7, EOS]])
    torch.testing.assert_close(MODEL.score(ids, lengths, target), MODEL.score(disturbed, lengths, target))


def test_later_target_pieces_do_not_change_earlier_scores() -> None:
    source = padded([[4, 7, 9, EOS]])
    first = MODEL.score(*source, torch.tensor([[6, 7, 8, 9, EOS]]))
    second = MODEL.score(*source, torch.tensor([[6, 7, 20, 21, 22]]))
    torch.testing.assert_close(first[:, :2], second[:, :2])
    assert not torch.allclose(first[:, 3:], second[:, 3:])


def test_the_order_of_source_pieces_matters() -> None:
    target = torch.tensor([[6, 7, EOS]])
    one, other = (MODEL.score(*padded([[4, *middle, EOS]]), target) for middle in ([7, 9], [9, 7]))
    assert not torch.allclose(one, other)


def test_encoded_sentences_stacked_equal_sentences_encoded_together() -> None:
    rng = random.Random(5)
    sources = [random_source(rng, length) for length in (3, 9, 1)]
    stacked = EncodedSources.stack([MODEL.encode(*padded([source])) for source in sources])
    assert stacked.num_sentences == 3
    tokens = torch.full((3,), BOS)
    expected = Decoder(MODEL, MODEL.encode(*padded(sources))).step(tokens)
    torch.testing.assert_close(Decoder(MODEL, stacked).step(tokens), expected, **CLOSE)


def test_two_decoders_can_share_one_encoding() -> None:
    encoded = MODEL.encode(*padded([[4, 7, 9, EOS]]))
    before = [tensor.clone() for tensor in (encoded.memory_BSE, encoded.cross_LBSE)]
    outputs = []
    for _ in range(2):
        decoder = Decoder(MODEL, encoded)
        decoder.step(torch.tensor([BOS]))
        decoder.select(torch.tensor([0, 0]))
        outputs.append(decoder.step(torch.tensor([6, 7])))
    assert torch.equal(*outputs)
    assert torch.equal(before[0], encoded.memory_BSE)
    assert torch.equal(before[1], encoded.cross_LBSE)


def test_a_sentence_may_outlive_all_others() -> None:
    rng = random.Random(8)
    sources = [random_source(rng, length) for length in (2, 3, 4, 5, 11, 6, 7, 8)]
    decoder = Decoder(MODEL, MODEL.encode(*padded(sources)))
    sentences, tokens = list(range(8)), [BOS] * 8
    leaving = [0, 7, 1, 6, 2, 5, 3]  # sentence 4 is the last
    for num_steps in range(8):
        log_probs = decoder.step(torch.tensor(tokens))
        for row, sentence in zip(log_probs, sentences, strict=True):
            torch.testing.assert_close(row, whole_log_probs(sources[sentence], [5 + sentence] * num_steps), **CLOSE)
        staying = [i for i, sentence in enumerate(sentences) if sentence not in leaving[: num_steps + 1]]
        decoder.select(torch.tensor(staying))
        sentences = [sentences[i] for i in staying]
        tokens = [5 + sentence for sentence in sentences]
    assert sentences == [4]


@settings(max_examples=rounds(8, 30))
@given(seed=st.integers(0, 10**6), num_steps=st.integers(2, 14))
def test_sentences_that_join_between_steps_equal_the_whole_model(seed: int, num_steps: int) -> None:
    """Also where those that began first leave, so that columns are dropped, and where the joined have begun already."""
    rng = random.Random(seed)
    decoder = None
    rows: list[tuple[list[int], list[int]]] = []
    for _ in range(num_steps):
        if decoder is None or rng.random() < 0.4:
            sources = [random_source(rng, rng.randrange(1, 9)) for _ in range(rng.randint(1, 3))]
            newcomer, new_rows = Decoder(MODEL, MODEL.encode(*padded(sources))), [(source, []) for source in sources]
            for _ in range(rng.choice((0, 0, 1, 4))):
                newcomer.step(torch.tensor([[BOS, *history][-1] for _, history in new_rows]))
                new_rows = [(source, [*history, rng.randrange(5, V)]) for source, history in new_rows]
            if decoder is None:
                decoder, rows = newcomer, new_rows
            else:
                decoder.join(newcomer)
                rows += new_rows
        log_probs = decoder.step(torch.tensor([[BOS, *history][-1] for _, history in rows]))
        for row, (source, history) in zip(log_probs, rows, strict=True):
            torch.testing.assert_close(row, whole_log_probs(source, history), **CLOSE)
        parents = [r for r in range(len(rows)) for _ in range(rng.choice((0, 1, 1, 2)))][-9:] or [len(rows) - 1]
        decoder.select(torch.tensor(parents))
        rows = [(rows[parent][0], [*rows[parent][1], rng.randrange(5, V)]) for parent in parents]


def test_columns_that_no_row_uses_any_more_are_dropped() -> None:
    decoder = Decoder(MODEL, MODEL.encode(*padded([[4, 7, 9, EOS]])))
    for _ in range(5):
        decoder.step(torch.tensor([6]))
    decoder.join(Decoder(MODEL, MODEL.encode(*padded([[4, 8, EOS]]))))
    decoder.step(torch.tensor([6, BOS]))
    assert decoder._past.num_steps == 6
    decoder.select(torch.tensor([1]))
    assert decoder._past.num_steps == 1
    assert decoder._past.positions == 0
    torch.testing.assert_close(decoder.step(torch.tensor([9]))[0], whole_log_probs([4, 8, EOS], [9]), **CLOSE)


def test_source_longer_than_the_model_reads_is_refused_with_the_cure() -> None:
    with pytest.raises(InvalidRequest, match=r"49 pieces.*at most 48.*split the segment"):
        MODEL.encode(torch.full((1, 49), 5), torch.tensor([49]))


def test_target_longer_than_the_model_writes_is_refused() -> None:
    decoder = Decoder(MODEL, MODEL.encode(*padded([[4, 7, EOS]])))
    for _ in range(CONFIG.max_pieces):
        decoder.step(torch.tensor([6]))
    with pytest.raises(InvalidRequest, match="at most 48 pieces"):
        decoder.step(torch.tensor([6]))


def test_a_model_in_training_mode_does_not_decode() -> None:
    model = Transformer(CONFIG, dropout=0.5).train()
    with pytest.raises(AssertionError, match=r"model\.eval"):
        model.encode(*padded([[4, 7, EOS]]))
