"""A run learns, stops where it is told, and resumes as if it had never stopped."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from engine import Request, SearchOptions, Translator
from engine.errors import TrainingError
from engine.model import ModelConfig, load_model
from engine.model.weights import load_weights
from engine.train.bundle import write_bundle
from engine.train.data import Batch, PreparedData
from engine.train.options import TrainOptions
from engine.train.prepare import prepare
from engine.train.run_files import CHECKPOINT, snapshots
from engine.train.trainer import EXPLORE_EVERY, ThreadChooser, Trainer
from tests.train.corpora import PAIRS, prepare_options, write_corpus

OPTIONS = TrainOptions(
    max_updates=12,
    batch_pieces=40,
    warmup_updates=4,
    peak_lr=5e-3,
    dropout=0.2,
    dev_every=5,
    checkpoint_minutes=60,
    precision="float32",  # the trial of "auto" may choose differently in two runs
)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny corpus, prepared."""
    folder = tmp_path_factory.mktemp("train")
    prepare(write_corpus(folder / "corpus"), folder / "work", prepare_options())
    return folder / "work"


def small_model(work: Path, *directions: str) -> ModelConfig:
    return ModelConfig(
        PreparedData.load(work).vocabulary_size,
        directions or ("en-de",),
        model_size=32,
        num_heads=2,
        feed_forward_size=64,
        encoder_layers=2,
        decoder_layers=1,
    )


def weights(trainer: Trainer) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in trainer.model.state_dict().items()}


@pytest.mark.parametrize("optimiser", ["muon", "adamw"])
@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, optimiser: str, accumulate: int
) -> None:
    options = replace(OPTIONS, optimiser=optimiser, accumulate=accumulate)
    whole = Trainer(work, tmp_path / "whole", small_model(work), options)
    whole.train()

    first = Trainer(work, tmp_path / "parts", small_model(work), options)
    update = first._update

    def stop_after_seven(batches: list[Batch], progress: float) -> tuple[float, int]:
        if first.position.update == 6:
            os.kill(os.getpid(), signal.SIGTERM)
        return update(batches, progress)

    monkeypatch.setattr(first, "_update", stop_after_seven)
    assert first.train().update == 7
    torch.manual_seed(99)  # another process would stand anywhere else
    second = Trainer(work, tmp_path / "parts", small_model(work), options)
    assert second.train().update == 12
    assert second.position.pieces == whole.position.pieces
    assert second.is_finished
    for name, value in weights(whole).items():
        assert torch.equal(value, weights(second)[name]), name


def test_a_pause_ends_the_call_and_not_the_run(work: Path, tmp_path: Path) -> None:
    options = replace(OPTIONS, pause_after_minutes=1e-9)
    for expected in (1, 2, 3):
        trainer = Trainer(work, tmp_path / "run", small_model(work), options)
        assert trainer.train().update == expected
        assert not trainer.is_finished


def test_a_run_at_a_constant_rate_goes_on_until_a_later_call_ends_it(work: Path, tmp_path: Path) -> None:
    endless = replace(OPTIONS, max_updates=None, schedule="constant", averaging=0.9, pause_after_minutes=1e-9)
    for expected in (1, 2, 3):
        trainer = Trainer(work, tmp_path / "run", small_model(work), endless)
        assert trainer.train().update == expected
        assert not trainer.is_finished
    ended = Trainer(
        work, tmp_path / "run", small_model(work), replace(endless, max_updates=6, pause_after_minutes=None)
    )
    assert ended.train().update == 6
    assert ended.is_finished


def test_snapshots_are_the_moving_average_which_a_resumed_run_continues(work: Path, tmp_path: Path) -> None:
    options = replace(OPTIONS, max_updates=None, schedule="constant", averaging=0.5, pause_after_minutes=1e-9)
    states = []
    for _ in range(4):  # each call makes one update
        trainer = Trainer(work, tmp_path / "run", small_model(work), options)
        trainer.train()
        states.append(weights(trainer)["embedding.weight"])
    mean = states[0]
    for state in states[1:]:
        mean = 0.5 * mean + 0.5 * state
    saved = load_weights(snapshots(tmp_path / "run")[-1], trainer.config).state_dict()["embedding.weight"]
    assert torch.allclose(saved, mean, atol=1e-6)
    assert not torch.allclose(saved, states[-1], atol=1e-4)


def test_a_finished_run_trains_no_further(work: Path, tmp_path: Path) -> None:
    options = replace(OPTIONS, max_updates=2)
    Trainer(work, tmp_path / "run", small_model(work), options).train()
    again = Trainer(work, tmp_path / "run", small_model(work), options)
    before = weights(again)
    assert again.train().update == 2
    assert all(torch.equal(value, before[name]) for name, value in weights(again).items())


def test_only_the_newest_snapshots_stay(work: Path, tmp_path: Path) -> None:
    options = replace(OPTIONS, dev_every=2, keep_snapshots=3)
    Trainer(work, tmp_path / "run", small_model(work), options).train()
    assert [path.stem for path in snapshots(tmp_path / "run")] == [
        "update-0000008",
        "update-0000010",
        "update-0000012",
    ]


def test_the_dev_loss_falls_and_is_kept(work: Path, tmp_path: Path) -> None:
    options = replace(OPTIONS, max_updates=40, dropout=0.0)
    history = Trainer(work, tmp_path / "run", small_model(work), options).train().history
    assert {name for _, _, name, _ in history} == {"tiny"}
    assert history[-1][3] < history[0][3] - 0.5


def test_dev_loss_uses_each_pair_once_and_untagged_with_any_training_settings(work: Path, tmp_path: Path) -> None:
    history = []
    tagged = {"weights": {"docs": 0.0}, "domain_tag_rate": 1.0, "formality_tag_rate": 1.0}
    for changes in ({}, tagged):
        trainer = Trainer(work, tmp_path / str(len(history)), small_model(work), replace(OPTIONS, **changes))
        trainer._measure_dev()
        history.append(trainer.position.history)
    assert history[0] == history[1]


def test_two_readings_with_dropout_are_kept_from_differing(work: Path, tmp_path: Path) -> None:
    options = replace(OPTIONS, r_drop=3.0, label_smoothing=0.0)
    trainer = Trainer(work, tmp_path / "run", small_model(work), options)
    batch = trainer._batches.batch(trainer._batches.epoch(0)[0], np.random.default_rng(0))
    trainer.model.train()
    with torch.no_grad():
        torch.manual_seed(7)
        loss, penalty = trainer._training_loss(batch)
        torch.manual_seed(7)
        (one, targets), (other, _) = trainer._logits(batch), trainer._logits(batch)
    p, q = one.double().softmax(-1), other.double().softmax(-1)
    picked = torch.arange(len(targets))
    assert float(loss) == pytest.approx(float(-(p * q)[picked, targets].log().sum() / 2), rel=1e-4)
    divergence = (p * (p / q).log()).sum() + (q * (q / p).log()).sum()
    assert float(penalty) == pytest.approx(3 * float(divergence) / 4, rel=1e-3)
    assert float(penalty) > 0
    trainer.model.eval()  # nothing is dropped: both readings are one
    assert float(trainer._training_loss(batch)[1].detach()) == pytest.approx(0, abs=1e-4)
    assert trainer.train().update == OPTIONS.max_updates


def test_a_run_is_not_resumed_with_another_model(work: Path, tmp_path: Path) -> None:
    Trainer(work, tmp_path / "run", small_model(work), replace(OPTIONS, max_updates=1)).train()
    with pytest.raises(TrainingError, match="has a run of another model"):
        Trainer(work, tmp_path / "run", replace(small_model(work), encoder_layers=1), OPTIONS)


def test_a_damaged_checkpoint_is_named_with_the_cure(work: Path, tmp_path: Path) -> None:
    Trainer(work, tmp_path / "run", small_model(work), replace(OPTIONS, max_updates=1)).train()
    path = tmp_path / "run" / CHECKPOINT
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(TrainingError, match=r"checkpoint\.pt cannot be resumed.*remove it to start again"):
        Trainer(work, tmp_path / "run", small_model(work), OPTIONS)


def test_run_continues_from_another_models_weights_and_its_card_names_it(work: Path, tmp_path: Path) -> None:
    Trainer(work, tmp_path / "first", small_model(work), OPTIONS).train()
    write_bundle(work, tmp_path / "first", tmp_path / "model", 1, "first")
    later = replace(OPTIONS, max_updates=3)
    trainer = Trainer(work, tmp_path / "second", small_model(work), later, initial=tmp_path / "model")
    earlier = load_model(tmp_path / "model").transformer.state_dict()
    assert all(torch.equal(value, earlier[name]) for name, value in weights(trainer).items())
    trainer.train()
    assert Trainer(work, tmp_path / "second", small_model(work), later).position.update == 3
    write_bundle(work, tmp_path / "second", tmp_path / "both", 1, "second")
    card = (tmp_path / "both" / "card.md").read_text(encoding="utf-8")
    assert "3 updates" in card and "started from a model of 12 updates" in card and "--initial EARLIER" in card


def test_a_run_does_not_go_on_from_a_model_with_other_pieces(work: Path, tmp_path: Path) -> None:
    Trainer(work, tmp_path / "first", small_model(work), OPTIONS).train()
    write_bundle(work, tmp_path / "first", tmp_path / "model", 1, "first")
    vocabulary = (tmp_path / "model" / "vocabulary.txt").read_text(encoding="utf-8").splitlines()
    (tmp_path / "model" / "vocabulary.txt").write_text("\n".join(reversed(vocabulary)) + "\n", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"vocabulary\.txt and the data's differ; prepare the data with --codec"):
        Trainer(work, tmp_path / "second", small_model(work), OPTIONS, initial=tmp_path / "model")


def test_a_run_on_other_data_is_refused(work: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="the model has 99 pieces"):
        Trainer(work, tmp_path / "run", replace(small_model(work), vocabulary_size=99), OPTIONS)


def test_weights_of_zero_leave_nothing_to_learn(work: Path, tmp_path: Path) -> None:
    options = replace(OPTIONS, weights={"docs": 0.0, "everyday": 0.0})
    with pytest.raises(TrainingError, match="nothing to learn from"):
        Trainer(work, tmp_path / "run", small_model(work), options).train()


def test_a_tiny_model_learns_twenty_pairs_in_both_directions_and_translates_them(work: Path, tmp_path: Path) -> None:
    options = replace(
        OPTIONS,
        directions=("en-de", "de-en"),
        max_updates=160,
        batch_pieces=120,
        warmup_updates=10,
        peak_lr=2e-2,
        dropout=0.0,
        label_smoothing=0.0,
        dev_every=1000,
    )
    Trainer(work, tmp_path / "run", small_model(work, "en-de", "de-en"), options).train()
    write_bundle(work, tmp_path / "run", tmp_path / "model", 1, "A tiny model")
    translator = Translator.load(tmp_path / "model")
    for direction, pairs in (("en-de", PAIRS), ("de-en", [(de, en) for en, de in PAIRS])):
        for source, target in pairs:
            result = translator.translate(Request(source, direction=direction), SearchOptions(beam=3, nbest=1))
            assert result.hypotheses[0].text == target


def test_the_fastest_choice_is_taken_most_and_found_again_after_a_change() -> None:
    chooser = ThreadChooser((1, 2))
    for fastest in (2, 1, 2):
        taken: Counter[int] = Counter()
        for number in range(200):
            choice = chooser.choose()
            chooser.record(choice, 100.0 if choice == fastest else 40.0)
            if number >= 100:
                taken[choice] += 1
        assert taken[fastest] >= 100 - 100 // EXPLORE_EVERY - 1
        assert taken[3 - fastest] >= 100 // EXPLORE_EVERY - 1  # the other is still watched


def test_a_single_choice_is_always_taken() -> None:
    chooser = ThreadChooser((4,))
    for _ in range(50):
        assert chooser.choose() == 4
        chooser.record(4, 1.0)
