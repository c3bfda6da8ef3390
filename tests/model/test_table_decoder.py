"""Rows in a table whose empty places stay for a while score as rows that leave at once; no step asks the device."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model import Decoder, EncodedSources
from engine.model.table_decoder import COMPACTION_INTERVAL, TableDecoder, open_decoder
from engine.text import BOS
from tests.model.test_decoder import CLOSE, CONFIG, MODEL, RECURRENT, V, padded, random_source


@pytest.fixture(scope="module", autouse=True, params=[MODEL, RECURRENT], ids=["attention", "ssru"])
def tested_model(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run every test of this file on a model with self-attention and on one with a recurrence."""
    global MODEL
    before, MODEL = MODEL, request.param
    yield
    MODEL = before


def encoded(rng: random.Random, num_sentences: int) -> EncodedSources:
    return MODEL.encode(*padded([random_source(rng, rng.randrange(1, 9)) for _ in range(num_sentences)]))


def assert_same_step(table: TableDecoder, plain: Decoder, tokens: list[int]) -> None:
    found, expected = table.step(torch.tensor(tokens)).log_probs(), plain.step(torch.tensor(tokens))
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected, **CLOSE)


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), interval=st.sampled_from([1, 2, 3, 8]))
def test_table_gives_the_same_scores_as_removing_finished_rows_immediately(seed: int, interval: int) -> None:
    """Rows branch and end, sentences end, others join wherever they are."""
    rng = random.Random(seed)

    def opened(num_sentences: int) -> tuple[TableDecoder, Decoder]:
        sources = encoded(rng, num_sentences)
        return TableDecoder(MODEL, sources, interval), Decoder(MODEL, sources)

    def stepped(table: TableDecoder, plain: Decoder, sentences: list[int], num_steps: int) -> list[int]:
        """The sentence of each row, and one step less of the decoders than rows have tokens."""
        tokens = [BOS] * len(sentences)
        for _ in range(num_steps):
            assert_same_step(table, plain, tokens)
            parents = [r for r in range(len(sentences)) for _ in range(rng.choice((0, 0, 1, 1, 2, 3)))][:9]
            parents = parents or [len(sentences) - 1]
            sentences = [sentences[parent] for parent in parents]
            table.select(torch.tensor(parents))
            plain.select(torch.tensor(parents))
            tokens = [rng.randrange(5, V) for _ in parents]
        return tokens

    pairs, tokens = [], []
    for _ in range(rng.choice((1, 2, 3))):
        pair = opened(num_sentences := rng.randint(1, 4))
        pairs.append(pair)
        tokens += stepped(*pair, list(range(num_sentences)), rng.randrange(9))
    (table, plain), *others = pairs
    for other_table, other_plain in others:
        table.join(other_table)
        plain.join(other_plain)
    for _ in range(6):
        assert_same_step(table, plain, tokens)
        parents = sorted(rng.choices(range(len(tokens)), k=rng.randint(1, 9)))
        tokens = [rng.randrange(5, V) for _ in parents]
        table.select(torch.tensor(parents))
        plain.select(torch.tensor(parents))


def test_shape_stays_until_the_interval_is_over_or_a_sentence_needs_more_places() -> None:
    table = TableDecoder(MODEL, encoded(random.Random(1), 3), compaction_interval=3)
    shapes, num_sources = [], []
    for parents in ([0, 0, 0, 0, 1, 2, 2], [0, 1, 4, 5], [0, 3], [1, 1], [0, 0, 0, 0, 0], [4]):
        table.step(torch.full((table.num_rows,), 7))
        table.select(torch.tensor(parents))
        shapes.append(table.shape)
        num_sources.append(table._decoder._encoded.num_sentences)
    assert shapes == [
        (3, 4),  # more places than one
        (3, 4),
        (3, 4),  # the second sentence has ended, the others have one row each
        (1, 2),  # three steps are over
        (1, 5),
        (1, 5),
    ]
    assert num_sources == [num_sentences for num_sentences, _ in shapes], "sources leave when places are closed up"


def test_ended_place_does_not_reduce_the_length_of_joined_places() -> None:
    rng = random.Random(2)
    sources = [encoded(rng, 1), encoded(rng, 1)]
    table = TableDecoder(MODEL, sources[0], compaction_interval=1000)
    for _ in range(CONFIG.max_pieces - 2):
        table.step(torch.tensor([6]))
        table.select(torch.tensor([0]))
    table.join(TableDecoder(MODEL, sources[1], compaction_interval=1000))
    for parents in ([0, 1], [1]):
        table.step(torch.tensor([6, 6]))
        table.select(torch.tensor(parents))
    plain = Decoder(MODEL, sources[1])
    for _ in range(2):
        plain.step(torch.tensor([6]))
        plain.select(torch.tensor([0]))
    assert_same_step(table, plain, [8])


def test_cpu_removes_finished_rows_immediately_by_default() -> None:
    sources = encoded(random.Random(3), 2)
    assert isinstance(open_decoder(MODEL, sources), Decoder)
    assert isinstance(open_decoder(MODEL, sources, COMPACTION_INTERVAL), TableDecoder)
    with pytest.raises(AssertionError):
        open_decoder(MODEL, sources, 0)


def test_steps_wait_for_nothing_that_an_accelerator_computes() -> None:
    """On the meta device there are no values: whatever the CPU asked for would raise."""
    model = type(MODEL)(MODEL.config).eval().to("meta")
    sources = encoded(random.Random(4), 3)
    there = EncodedSources(sources.memory_BSE.to("meta"), sources.cross_LBSE.to("meta"), sources.lengths_B)
    table, other = (TableDecoder(model, there, compaction_interval=3) for _ in range(2))
    for parents in ([0, 1, 2], [0, 0, 1, 2, 2], [0, 1, 4], [0, 2], [0, 0, 1]):
        logits = table.step(torch.full((table.num_rows,), 7))
        assert logits.logits_RV.device.type == "meta"
        table.select(torch.tensor(parents))
    table.join(other)
    assert table.step(torch.full((table.num_rows,), 7)).logits_RV.shape == (6, V)


def test_table_decoder_reads_the_start_tokens() -> None:
    rng = random.Random(6)
    sources, lengths = padded([random_source(rng, 4), random_source(rng, 7)])
    starting = MODEL.encode(sources, lengths, torch.tensor([[2, 5], [2, 9]]))
    pairs = [
        (TableDecoder(MODEL, each, 2), Decoder(MODEL, each)) for each in (starting, starting.take(torch.tensor([1])))
    ]
    (table, plain), (other_table, other_plain) = pairs
    assert_same_step(table, plain, [BOS, BOS])
    for decoder in (table, plain):
        decoder.select(torch.tensor([0, 0, 0, 1]))
    table.join(other_table)
    plain.join(other_plain)
    assert_same_step(table, plain, [6, 7, 8, 9, BOS])
