"""Training in bfloat16: chosen where a trial finds it faster, and the run is the same kind of run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.train.options import PrecisionChoice
from engine.train.precision import Precision, PrecisionTrial, try_precisions
from engine.train.prepare import prepare
from engine.train.run_files import CHECKPOINT, snapshots
from engine.train.trainer import Trainer
from tests.train.corpora import prepare_options, write_corpus
from tests.train.test_trainer import OPTIONS, small_model, weights


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("precision")
    prepare(write_corpus(folder / "corpus"), folder / "work", prepare_options())
    return folder / "work"


def trainer(work: Path, folder: Path, precision: PrecisionChoice = "auto", max_updates: int = 12) -> Trainer:
    return Trainer(work, folder, small_model(work), replace(OPTIONS, precision=precision, max_updates=max_updates))


@pytest.mark.parametrize(
    ("float32_ms", "bfloat16_ms", "losses", "chosen", "why"),
    [
        (100, 70, (7.0, 7.02), "bfloat16", "faster, with the same loss"),
        (100, 97, (7.0, 7.0), "float32", "hardly faster"),
        (100, 400, (7.0, 7.0), "float32", "emulated"),
        (100, 50, (7.0, 7.6), "float32", "another loss"),
        (100, 50, (7.0, float("nan")), "float32", "not a number"),
    ],
)
def test_the_faster_format_wins_if_its_loss_agrees(
    float32_ms: float, bfloat16_ms: float, losses: tuple[float, float], chosen: str, why: str
) -> None:
    elapsed = {"now": 0.0, "step": 0}

    def step(precision: Precision) -> None:
        elapsed["step"] += 1
        is_disturbed = elapsed["step"] in (1, 2, 5, 6)  # warm-up, and another program once for each
        elapsed["now"] += (float32_ms if precision == "float32" else bfloat16_ms) / 1000 * (9 if is_disturbed else 1)

    trial = try_precisions(step, lambda precision: losses[precision == "bfloat16"], lambda: elapsed["now"])
    assert trial.chosen == chosen, why
    assert (trial.float32_seconds, trial.bfloat16_seconds) == pytest.approx((float32_ms / 1000, bfloat16_ms / 1000))
    assert f"precision {chosen}" in str(trial)
    assert ("differ" in str(trial)) == (why in ("another loss", "not a number"))


def test_the_trial_changes_neither_weights_nor_random_numbers_nor_gradients(work: Path, tmp_path: Path) -> None:
    run = trainer(work, tmp_path / "run")
    before, random_numbers = weights(run), torch.get_rng_state()
    run._choose_precision()
    assert run.precision in ("float32", "bfloat16")
    assert torch.equal(torch.get_rng_state(), random_numbers)
    assert all(torch.equal(value, before[name]) for name, value in weights(run).items())
    assert all(parameter.grad is None for parameter in run.model.parameters())


def test_loss_and_gradient_of_a_step_agree_in_both_formats(work: Path, tmp_path: Path) -> None:
    run = trainer(work, tmp_path / "run")
    batch = run._batches.batch(run._batches.epoch(0)[0], np.random.default_rng(0))
    run.model.eval()
    found = {}
    formats: tuple[Precision, ...] = ("float32", "bfloat16")
    for precision in formats:
        run.precision = precision
        loss, _ = run._training_loss(batch)
        run.model.zero_grad()
        loss.backward()
        gradient = torch.cat([p.grad.flatten() for p in run.model.parameters() if p.grad is not None])
        assert gradient.dtype == torch.float32
        found[precision] = float(loss.detach()), gradient
    assert found["bfloat16"][0] == pytest.approx(found["float32"][0], rel=0.005)
    assert found["bfloat16"][0] != found["float32"][0], "computed in another format"
    alike = torch.nn.functional.cosine_similarity(found["float32"][1], found["bfloat16"][1], dim=0)
    assert float(alike) > 0.999


def test_checkpoints_of_both_formats_have_the_same_tensors(work: Path, tmp_path: Path) -> None:
    described = []
    formats: tuple[Precision, ...] = ("float32", "bfloat16")
    for precision in formats:
        run = trainer(work, tmp_path / precision, precision, max_updates=2)
        run.train()
        state = torch.load(tmp_path / precision / CHECKPOINT, weights_only=True)
        described.append({name: (value.dtype, value.shape) for name, value in state["model"].items()})
        assert state["precision"] == precision
        assert {value.dtype for value in state["model"].values()} == {torch.float32}
        assert len(snapshots(tmp_path / precision)) == 1
    assert described[0] == described[1]


def test_a_resumed_run_keeps_its_format_and_names_a_new_one(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.train.trainer.try_precisions", lambda step, loss: PrecisionTrial(2.0, 1.0, 5.0, 5.0))
    run = trainer(work, tmp_path / "run", max_updates=2)
    run.train()
    assert run.precision == "bfloat16"
    assert "precision bfloat16: a step takes 2000.0 ms in float32, 1000.0 ms in bfloat16" in capsys.readouterr().err

    monkeypatch.setattr("engine.train.trainer.try_precisions", None)  # must not be called again
    again = trainer(work, tmp_path / "run", max_updates=4)
    again.train()
    assert again.precision == "bfloat16"
    assert "precision bfloat16, as before" in capsys.readouterr().err

    other = trainer(work, tmp_path / "run", "float32", max_updates=6)
    other.train()
    assert other.precision == "float32" and other.position.update == 6
    assert "precision float32 from here on; so far it was bfloat16" in capsys.readouterr().err


def test_run_without_a_stored_precision_continues_in_float32(work: Path, tmp_path: Path) -> None:
    trainer(work, tmp_path / "run", "float32", max_updates=2).train()
    path = tmp_path / "run" / CHECKPOINT
    state = torch.load(path, weights_only=True)
    del state["precision"]
    torch.save(state, path)
    run = trainer(work, tmp_path / "run", max_updates=4)
    run.train()
    assert run.precision == "float32"
