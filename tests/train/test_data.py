"""Batches hold every pair as often as asked, whole, padded, reproducibly."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import TrainingError
from engine.train.data import EOS, PAD, BatchPlan, BatchSampler, Lines, PairSet, PreparedData

PREPARED = PreparedData(
    languages=("en", "de"),
    vocabulary_size=60,
    direction_ids={"en-de": 4, "de-en": 5},
    domains=("docs", "everyday"),
    domain_ids={"docs": 6, "everyday": 7},
    dev_sets=(),
    max_pieces=20,
)
Sequences = st.lists(
    st.tuples(
        st.lists(st.integers(10, 59), min_size=1, max_size=15), st.lists(st.integers(10, 59), min_size=1, max_size=15)
    ),
    min_size=1,
    max_size=30,
)


def pair_set(pairs: list[tuple[list[int], list[int]]], domains: list[int] | None = None) -> PairSet:
    lines = {"en": Lines.of([en for en, _ in pairs], 60), "de": Lines.of([de for _, de in pairs], 60)}
    return PairSet(lines, np.array(domains or [0] * len(pairs), dtype=np.uint8))


@given(pairs=Sequences, epoch=st.integers(0, 5), batch_pieces=st.integers(20, 200))
def test_epoch_contains_every_pair_once_in_each_direction(
    pairs: list[tuple[list[int], list[int]]], epoch: int, batch_pieces: int
) -> None:
    batches = BatchSampler(pair_set(pairs), PREPARED, ("en-de", "de-en"), batch_pieces)
    seen: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
    for drawn in batches.epoch(epoch):
        batch = batches.batch(drawn, np.random.default_rng(0))
        assert len(drawn.pairs) == 1 or batch.target_BT.size <= batch_pieces
        for source, length, target in zip(batch.source_BS, batch.source_lengths_B, batch.target_BT, strict=True):
            assert (source[length:] == PAD).all()
            seen[tuple(source[:length].tolist()), tuple(target[target != PAD].tolist())] += 1
    expected = Counter(((4, *en, EOS), (*de, EOS)) for en, de in pairs)
    expected += Counter(((5, *de, EOS), (*en, EOS)) for en, de in pairs)
    assert seen == expected


def test_weights_say_how_often_a_pair_comes() -> None:
    pairs = [([10 + i % 40], [10]) for i in range(4000)]
    domains = [i % 2 for i in range(4000)]
    batches = BatchSampler(pair_set(pairs, domains), PREPARED, ("en-de",), 500, {"docs": 2.0, "everyday": 0.25})
    times = Counter(int(i) for drawn in batches.epoch(0) for i in drawn.pairs)
    assert all(times[i] == 2 for i in range(0, 4000, 2))
    drawn = sum(times[i] for i in range(1, 4000, 2))
    assert {times[i] for i in range(1, 4000, 2)} == {0, 1}
    assert 400 < drawn < 600  # 500 expected of 2,000, standard deviation 19


def test_an_epoch_depends_on_seed_and_number_alone() -> None:
    pairs = [([10 + i] * (1 + i % 7), [11] * (1 + i % 5)) for i in range(40)]

    def order(seed: int, epoch: int) -> list[list[int]]:
        return [
            drawn.pairs.tolist()
            for drawn in BatchSampler(pair_set(pairs), PREPARED, ("en-de",), 60, seed=seed).epoch(epoch)
        ]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


def test_a_domain_token_follows_the_direction_token() -> None:
    batches = BatchSampler(
        pair_set([([10, 11], [12]), ([13], [14])], [0, 1]), PREPARED, ("en-de",), 100, domain_tag_rate=1.0
    )
    batch = batches.batch(BatchPlan(0, np.array([0, 1])), np.random.default_rng(0))
    assert batch.source_BS.tolist() == [[4, 6, 10, 11, EOS], [4, 7, 13, EOS, PAD]]
    assert batch.source_lengths_B.tolist() == [5, 4]


def test_domain_tokens_come_at_the_rate_asked_for() -> None:
    batches = BatchSampler(pair_set([([10, 11], [12])] * 2000), PREPARED, ("en-de",), 100, domain_tag_rate=0.5)
    batch = batches.batch(BatchPlan(0, np.arange(2000)), np.random.default_rng(0))
    assert {tuple(row) for row in batch.source_BS.tolist()} == {(4, 6, 10, 11, EOS), (4, 10, 11, EOS, PAD)}
    assert 900 < int((batch.source_BS[:, 1] == 6).sum()) < 1100  # 1,000 expected, standard deviation 22


def test_arrays_come_back_from_disk(tmp_path: Path) -> None:
    original = pair_set([([10, 11, 12], [13]), ([14], [15, 16])], [0, 1])
    original.save(tmp_path / "train")
    loaded = PairSet.load(tmp_path / "train", ("en", "de"))
    assert len(loaded) == 2
    assert loaded.domains.tolist() == [0, 1]
    assert [loaded.lines["de"][i].tolist() for i in range(2)] == [[13], [15, 16]]
    assert loaded.lines["en"].lengths.tolist() == [3, 1]


def test_large_vocabularies_keep_their_ids() -> None:
    assert Lines.of([[70_000]], 80_000)[0].tolist() == [70_000]


def test_missing_or_damaged_preparations_are_named_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"prepared\.json is missing; run `python -m engine\.train prepare` first"):
        PreparedData.load(tmp_path)
    (tmp_path / "prepared.json").write_text("{}", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"prepared\.json is damaged"):
        PreparedData.load(tmp_path)
    (tmp_path / "en.npy").write_bytes(b"nothing")
    with pytest.raises(TrainingError, match=r"en\.npy cannot be read"):
        Lines.load(tmp_path, "en")


def test_unknown_directions_and_domains_are_refused() -> None:
    with pytest.raises(TrainingError, match=r"'en-fr' has no token.*en-de, de-en"):
        BatchSampler(pair_set([([10], [11])]), PREPARED, ("en-fr",), 100)
    with pytest.raises(TrainingError, match="domain 'poems'; the data has docs, everyday"):
        BatchSampler(pair_set([([10], [11])]), PREPARED, ("en-de",), 100, {"poems": 2.0})
