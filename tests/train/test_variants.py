"""Other encodings of the sources: the same text in other pieces, drawn anew in every epoch, for sources alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.errors import TrainingError
from engine.model import ModelConfig
from engine.text import TextCodec
from engine.train.bundle import write_bundle
from engine.train.data import EOS, PAD, BatchPlan, BatchSampler, PairSet, PreparedData
from engine.train.options import TrainOptions
from engine.train.prepare import prepare
from engine.train.trainer import Trainer
from engine.train.variants import write_variants
from tests.train.corpora import prepare_options, write_corpus

NUM_VARIANTS = 4


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("variants")
    options = prepare_options(source_variants=NUM_VARIANTS, bpe_dropout=0.5)
    prepare(write_corpus(folder / "corpus"), folder / "work", options)
    return folder / "work"


def train_set(work: Path) -> PairSet:
    return PairSet.load(work / "train", ("en", "de"))


def test_every_variant_writes_the_text_of_its_line(work: Path) -> None:
    codec, pairs = TextCodec.load(work), train_set(work)
    for language in ("en", "de"):
        plain, variants = pairs.lines[language], pairs.variants[language]
        assert len(variants) == NUM_VARIANTS * len(plain)
        written = [codec.decode(variants[i].tolist()).text for i in range(len(variants))]
        assert written == [codec.decode(plain[i].tolist()).text for i in range(len(plain))] * NUM_VARIANTS
        assert len({tuple(variants[i].tolist()) for i in range(len(variants))}) > 2 * len({*written})


def test_variants_depend_on_the_seed_and_not_on_the_workers(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("encode", "encode_ids"):  # the machine that draws them may lack what splits text
        monkeypatch.setattr(TextCodec, name, None)
    monkeypatch.setattr("engine.train.variants.CHUNK", 9)
    drawn = []
    for number, (num_workers, seed, max_pieces) in enumerate([(1, 1, 40), (3, 1, 40), (1, 2, 40), (1, 1, 8)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        for path in work.rglob("*"):
            if path.is_file() and "variants" not in path.name:
                copy = folder / path.relative_to(work)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
        replace(PreparedData.load(folder), max_pieces=max_pieces).save(folder)
        write_variants(folder, 2, 0.5, num_workers, seed)
        drawn.append(train_set(folder).variants["de"])
    whole, by_three, other, short = (lines.pieces.tolist() for lines in drawn)
    assert whole == by_three != other
    plain = np.tile(train_set(work).lines["de"].lengths, 2)
    assert (drawn[3].lengths <= np.maximum(plain, 8)).all() and short != whole
    assert (drawn[0].lengths > np.maximum(plain, 8)).any(), "else there was nothing to keep short"


def test_an_epoch_draws_each_source_from_its_variants_and_keeps_its_target(work: Path) -> None:
    pairs, prepared = train_set(work), PreparedData.load(work)
    batches = BatchSampler(pairs, prepared, ("en-de", "de-en"), 80, source_variants=3)
    seen: Counter[int] = Counter()
    for drawn in batches.epoch(0):
        assert drawn.variants is not None
        source, target = [("en", "de"), ("de", "en")][drawn.direction]
        batch = batches.batch(drawn, np.random.default_rng(0))
        assert len(drawn.pairs) == 1 or max(batch.source_BS.size, batch.target_BT.size) <= 80
        for row, (pair, variant) in enumerate(zip(drawn.pairs, drawn.variants, strict=True)):
            ids = pairs.variants[source][variant * len(pairs) + pair].tolist()
            assert batch.source_BS[row].tolist()[1 : int(batch.source_lengths_B[row])] == [*ids, EOS]
            assert [i for i in batch.target_BT[row].tolist() if i != PAD] == [*pairs.lines[target][pair].tolist(), EOS]
            seen[int(variant)] += 1
    assert set(seen) == {0, 1, 2} and min(seen.values()) > 10  # 27 expected of each


def variants_of_epoch(batches: BatchSampler, number: int) -> list[tuple[list[int], list[int]]]:
    epoch = batches.epoch(number)
    return [(drawn.pairs.tolist(), [] if drawn.variants is None else drawn.variants.tolist()) for drawn in epoch]


def test_draws_depend_on_seed_and_epoch_and_are_left_out_where_not_asked_for(work: Path) -> None:
    pairs, prepared = train_set(work), PreparedData.load(work)
    batches = BatchSampler(pairs, prepared, ("en-de",), 80, source_variants=NUM_VARIANTS)
    assert variants_of_epoch(batches, 1) == variants_of_epoch(batches, 1) != variants_of_epoch(batches, 2)
    plain = BatchSampler(pairs, prepared, ("en-de",), 80)
    bare = BatchSampler(replace(pairs, variants={}), prepared, ("en-de",), 80)
    assert variants_of_epoch(plain, 1) == variants_of_epoch(bare, 1)
    ids = plain.batch(BatchPlan(0, np.array([3])), np.random.default_rng(0)).source_BS[0].tolist()
    assert ids[1:-1] == pairs.lines["en"][3].tolist()


def test_run_with_variants_resumes_exactly_and_its_card_names_them(work: Path, tmp_path: Path) -> None:
    config = ModelConfig(PreparedData.load(work).vocabulary_size, ("en-de",), 8, 2, 8, 1, 1)
    options = TrainOptions(
        max_updates=6, batch_pieces=80, warmup_updates=2, source_variants=NUM_VARIANTS, precision="float32"
    )
    whole = Trainer(work, tmp_path / "whole", config, options)
    whole.train()
    paused = replace(options, pause_after_minutes=1e-9)
    while (parts := Trainer(work, tmp_path / "parts", config, paused)).train().update < 6:
        pass
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, parts.model.state_dict()[name]), name
    write_bundle(work, tmp_path / "whole", tmp_path / "model", 1, "A tiny model")
    card = (tmp_path / "model" / "card.md").read_text(encoding="utf-8")
    assert "engine.train variants WORK --source-variants 4 --bpe-dropout 0.5\n" in card


def test_variants_that_are_not_there_or_of_other_lines_are_named_with_the_cure(work: Path, tmp_path: Path) -> None:
    pairs, prepared = train_set(work), PreparedData.load(work)
    with pytest.raises(TrainingError, match=r"source_variants is 5, but .* has 4 for 'en'; make them with"):
        BatchSampler(pairs, prepared, ("en-de",), 80, source_variants=5)
    with pytest.raises(TrainingError, match=r"is 1, but .* has 0 for 'de'"):
        BatchSampler(replace(pairs, variants={}), prepared, ("de-en",), 80, source_variants=1)
    fewer = replace(pairs, domains=pairs.domains[:7])
    with pytest.raises(TrainingError, match=r"en\.variants\.npy was made of other lines; run .* variants` again"):
        BatchSampler(fewer, prepared, ("en-de",), 80, source_variants=1)
    for num_variants, dropout in ((0, 0.1), (1, 0.0), (1, 1.0)):
        with pytest.raises(TrainingError, match="ask for at least 1, with a dropout between 0 and 1"):
            write_variants(work, num_variants, dropout)


def test_preparing_again_removes_earlier_variants(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    prepare(corpus, tmp_path / "work", prepare_options(source_variants=1))
    assert train_set(tmp_path / "work").variants
    prepare(corpus, tmp_path / "work", prepare_options())
    assert not train_set(tmp_path / "work").variants
