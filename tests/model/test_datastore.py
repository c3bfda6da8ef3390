"""A datastore mixes what followed similar states into the model's probabilities, exactly, and judges itself."""

from __future__ import annotations

import pickle
import random
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine import Datastore, DatastoreOptions, InvalidRequest
from engine.kernels import Logits
from engine.model import Decoder
from engine.model.datastore import StoredPair, helps, mix_rows, unit_states
from engine.model.table_decoder import TableDecoder
from tests.model.test_decoder import CLOSE, MODEL, RECURRENT, V, padded, random_source
from tests.reference.datastore import mixed_log_probs

SIZE = 8
BOS = 2


def random_datastore(seed: int, num_pairs: int = 3, size: int = SIZE, **options: float) -> Datastore:
    random_numbers = torch.Generator().manual_seed(seed)
    pairs = []
    for number in range(num_pairs):
        states = unit_states(torch.randn(5, size, generator=random_numbers))
        pieces = torch.randint(0, V, (5,), generator=random_numbers)
        pairs.append(StoredPair(f"pair {number}", states, pieces, -4 * torch.rand(5, generator=random_numbers)))
    return Datastore("model", DatastoreOptions(**options)).with_pairs(pairs)  # type: ignore[arg-type]


def random_rows(seed: int, num_rows: int) -> tuple[Tensor, Tensor]:
    random_numbers = torch.Generator().manual_seed(seed)
    states = 3 * torch.randn(num_rows, SIZE, generator=random_numbers)
    return states, torch.log_softmax(2 * torch.randn(num_rows, V, generator=random_numbers), dim=1)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    share=st.sampled_from([0.0, 0.3, 0.8, 0.99]),
    reach=st.sampled_from([0.1, 1.0, 10.0]),
    num_neighbours=st.sampled_from([1, 4, 100]),
)
def test_mixture_equals_the_reference_and_sums_to_1(seed: int, share: float, reach: float, num_neighbours: int) -> None:
    datastore = random_datastore(seed, share=share, reach=reach, num_neighbours=num_neighbours, temperature=0.5)
    states, log_probs = random_rows(seed + 1, 4)
    stored = [
        (state.tolist(), int(piece))
        for pair in datastore.pairs
        for state, piece in zip(pair.states_TE, pair.pieces_T, strict=True)
    ]
    expected = [
        mixed_log_probs(state.tolist(), row.tolist(), stored, datastore.options)
        for state, row in zip(states, log_probs, strict=True)
    ]
    mixed = datastore.mix(states, log_probs.clone())
    torch.testing.assert_close(mixed, torch.tensor(expected), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(mixed.exp().sum(1), torch.ones(4))


def test_log_probabilities_are_at_most_0_when_all_neighbours_agree() -> None:
    states = unit_states(torch.randn(1, SIZE))
    datastore = Datastore("model").with_pairs([StoredPair("pair", states, torch.tensor([3]), torch.zeros(1))])
    certain = torch.full((1, V), -torch.inf)
    certain[0, 3] = 0.0
    mixed = datastore.mix(states, certain)
    assert mixed.max() <= 0.0
    assert mixed[0, 3] == pytest.approx(0.0, abs=1e-6)


def test_rows_without_a_datastore_stay_bit_by_bit() -> None:
    states, log_probs = random_rows(1, 5)
    one, other = random_datastore(2, reach=10.0), random_datastore(3, reach=10.0)
    mixed = mix_rows([one, None, other, None, one], states, log_probs.clone())
    assert torch.equal(mixed[[1, 3]], log_probs[[1, 3]])
    for rows, datastore in (([0, 4], one), ([2], other)):
        torch.testing.assert_close(mixed[rows], datastore.mix(states[rows], log_probs[rows].clone()))
        assert not torch.equal(mixed[rows], log_probs[rows])


def test_pickled_datastore_contains_only_its_pairs() -> None:
    datastore = random_datastore(1)
    before = len(pickle.dumps(datastore))
    assert datastore.gains
    assert len(pickle.dumps(datastore)) == before
    assert pickle.loads(pickle.dumps(datastore)).gains == datastore.gains


def test_pair_moves_to_a_device_whole_or_stays_itself() -> None:
    (pair, *_) = random_datastore(1).pairs
    assert pair.to("cpu") is pair
    moved = pair.to("meta")
    assert {tensor.device.type for tensor in (moved.states_TE, moved.pieces_T, moved.log_probs_T)} == {"meta"}
    assert moved.origin == pair.origin


def test_first_pairs_are_dropped_when_the_datastore_is_full() -> None:
    datastore = random_datastore(1, num_pairs=6, max_states=17)  # 5 states a pair
    assert datastore.origins == ("pair 3", "pair 4", "pair 5")
    assert datastore.num_states == 15
    assert datastore.with_pairs([datastore.pairs[0]] * 9).num_states == 15
    assert random_datastore(1, num_pairs=1, max_states=4).pairs == ()  # a pair is kept whole or not at all


@pytest.mark.parametrize("num_pairs", [2, 7, 30])
def test_gain_of_a_pair_is_the_log_probability_added_by_earlier_pairs(num_pairs: int) -> None:
    datastore = random_datastore(1, num_pairs, reach=1.0, fall=0.5)
    expected = []
    for number in range(max(1, num_pairs - 16), num_pairs):
        pair, before = datastore.pairs[number], datastore.with_pairs(datastore.pairs[:number])
        log_probs = torch.log1p(-pair.log_probs_T.exp())[:, None].repeat(1, V) - torch.tensor(V - 1).log()
        log_probs[range(5), pair.pieces_T] = pair.log_probs_T
        mixed = before.mix(pair.states_TE, log_probs)
        expected.append(float((mixed[range(5), pair.pieces_T] - pair.log_probs_T).sum()))
    assert datastore.gains == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("gains", "is_gain"),
    [
        ((), True),
        ((-9.0, -9.0), True),  # too few to judge
        ((-1.0, -1.0, -1.0), False),
        ((-1.0, 4.0, -1.0), True),
        ((0.2, 0.3, 0.1), False),  # as for sentences that have little in common
        ((-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 40.0), False),  # one repeated sentence excuses no losses elsewhere
        ((2.0, 2.0, 2.0, 2.0, 2.0, 2.0, -40.0), True),
    ],
)
def test_datastore_that_makes_the_last_pairs_less_likely_does_not_help(gains: tuple[float, ...], is_gain: bool) -> None:
    assert helps(gains) == is_gain


def test_contributions_are_those_that_made_a_piece_twice_as_likely() -> None:
    states = unit_states(torch.eye(3, SIZE))
    pairs = [StoredPair(n, states[[n]], torch.tensor([n]), torch.zeros(1)) for n in range(3)]
    datastore = Datastore("model").with_pairs(pairs)
    log_probs = torch.tensor([[0.9, 0.05, 0.05], [0.9, 0.05, 0.05], [0.05, 0.9, 0.05]]).log()
    # 0 was likely before, 1 was not; the last state is that of pair 2, which has another piece than 1
    found = datastore.contributions(states, torch.tensor([0, 1, 1]), log_probs)
    assert [(one.token, one.origin) for one in found] == [(1, 1)]


@pytest.mark.parametrize("seed", range(5))
def test_share_of_a_pair_is_the_probability_lost_without_it(seed: int) -> None:
    datastore = random_datastore(seed, reach=5.0, temperature=1.0)
    states, log_probs = random_rows(seed, 4)
    mixed = datastore.mix(states, log_probs.clone())
    pieces = (mixed - log_probs).argmax(1)
    found = datastore.contributions(states, pieces, log_probs)
    assert {one.token for one in found} == set(range(4))
    for one in found:
        piece = int(pieces[one.token])
        changed = [  # the pair's states are followed by another piece
            replace(pair, pieces_T=pair.pieces_T.where(pair.pieces_T != piece, (piece + 1) % V))
            if pair.origin == one.origin
            else pair
            for pair in datastore.pairs
        ]
        left = datastore.with_pairs(changed).mix(states, log_probs.clone())[one.token, piece]
        assert one.share == pytest.approx(1 - float((left - mixed[one.token, piece]).exp()), abs=1e-4)


@pytest.mark.parametrize("option", [{"share": 1.0}, {"temperature": 0.0}, {"num_neighbours": 0}, {"max_states": 0}])
def test_wrong_options_are_named(option: dict[str, float]) -> None:
    with pytest.raises(InvalidRequest, match=next(iter(option))):
        DatastoreOptions(**option)  # type: ignore[arg-type]


@pytest.mark.parametrize("model", [MODEL, RECURRENT], ids=["attention", "ssru"])
@pytest.mark.parametrize("seed", range(4))
@torch.inference_mode()
def test_decoders_mix_in_the_rows_of_sentences_with_a_datastore(model, seed: int) -> None:
    """Rows branch and end, and others join: both decoders give what the states alone would give."""
    rng = random.Random(seed)
    stores = [random_datastore(seed + number, size=16, reach=5.0) for number in range(2)]
    sources = [random_source(rng, rng.randrange(1, 9)) for _ in range(5)]
    own: list[Datastore | None] = [None, stores[0], stores[1], stores[0], None]
    first, second = model.encode(*padded(sources[:3])), model.encode(*padded(sources[3:]))
    mixed = Decoder(model, first, datastores=own[:3]), Decoder(model, second, datastores=own[3:])
    plain = Decoder(model, first), Decoder(model, second)
    table = TableDecoder(model, first, 2, datastores=own[:3]), TableDecoder(model, second, 2, datastores=own[3:])
    for decoders in (mixed, plain, table):
        decoders[0].join(decoders[1])  # type: ignore[arg-type]
    rows, tokens = list(range(5)), [BOS] * 5
    for _ in range(6):
        found, tabled = mixed[0].step(torch.tensor(tokens)), table[0].step(torch.tensor(tokens))
        assert isinstance(tabled, Logits)
        states = plain[0].hidden(torch.tensor(tokens))
        log_probs = torch.log_softmax(model.project(states), dim=1)
        expected = mix_rows([own[sentence] for sentence in rows], states, log_probs.clone())
        torch.testing.assert_close(found, expected, **CLOSE)
        torch.testing.assert_close(tabled.log_probs(), expected, **CLOSE)
        without = [row for row, sentence in enumerate(rows) if own[sentence] is None]
        assert torch.equal(found[without], log_probs[without])
        parents = [r for r in range(len(rows)) for _ in range(rng.choice((0, 1, 1, 2)))][:9] or [len(rows) - 1]
        rows, tokens = [rows[parent] for parent in parents], [rng.randrange(5, V) for _ in parents]
        for decoder in (mixed[0], plain[0], table[0]):
            decoder.select(torch.tensor(parents))
