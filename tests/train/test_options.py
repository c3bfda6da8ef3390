"""The learning rate follows its schedule; settings that cannot be meant are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import TrainingError
from engine.train.options import TrainOptions


def test_the_linear_schedule_warms_up_and_falls_to_zero() -> None:
    options = TrainOptions(max_updates=100, peak_lr=1.0, warmup_updates=10)
    table = [(1, 0.0, 0.1), (5, 0.0, 0.5), (10, 0.0, 1.0), (50, 0.5, 0.5), (90, 0.9, 0.1), (100, 1.0, 0.0)]
    for update, progress, rate in table:
        assert options.learning_rate(update, progress) == pytest.approx(rate)


def test_the_inverse_root_schedule_cools_down_in_the_last_fifth() -> None:
    options = TrainOptions(max_updates=1000, peak_lr=1.0, warmup_updates=100, schedule="inverse_sqrt")
    table = [
        (50, 0.05, 0.5),
        (100, 0.1, 1.0),
        (400, 0.4, 0.5),
        (800, 0.8, 8**-0.5),
        (900, 0.9, 1 / 6),
        (1000, 1.0, 0.0),
    ]
    for update, progress, rate in table:
        assert options.learning_rate(update, progress) == pytest.approx(rate)


def test_the_constant_schedule_stays_at_the_peak_until_a_limit_nears() -> None:
    options = TrainOptions(peak_lr=1.0, warmup_updates=100, schedule="constant")
    for update, progress, rate in [
        (50, 0.0, 0.5),
        (5000, 0.0, 1.0),
        (5000, 0.8, 1.0),
        (5500, 0.9, 0.5),
        (6000, 1.0, 0.0),
    ]:
        assert options.learning_rate(update, progress) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "give max_minutes or max_updates"),
        ({"max_updates": 0}, "max_updates is 0"),
        ({"max_minutes": float("nan")}, "max_minutes is nan"),
        ({"max_updates": 5, "peak_lr": -1.0}, "peak_lr is -1.0"),
        ({"max_updates": 5, "dropout": 1.5}, "dropout is 1.5"),
        ({"max_updates": 5, "accumulate": 0}, "accumulate is 0"),
        ({"max_updates": 5, "formality_tag_rate": 2.0}, "formality_tag_rate is 2.0"),
        ({"max_updates": 5, "r_drop": 5.0, "dropout": 0.0}, "r_drop is 5.0 and dropout 0.0"),
        ({"max_updates": 5, "weights": {"docs": -1.0}}, "weight of domain docs is -1.0"),
        ({"max_updates": 5, "optimiser": "sgd"}, "optimiser is 'sgd'; it must be one of muon, adamw"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        TrainOptions(**settings)  # type: ignore[arg-type]


def test_settings_come_back_from_disk_and_as_flags(tmp_path: Path) -> None:
    options = TrainOptions(
        directions=("en-de", "de-en"),
        max_minutes=5.5,
        peak_lr=4e-3,
        optimiser="adamw",
        weights={"docs": 0.5, "captions": 3.0},
        adapt_threads=True,
    )
    options.save(tmp_path / "options.json")
    assert TrainOptions.load(tmp_path / "options.json") == options
    assert options.as_flags() == (
        "--directions en-de,de-en --max-minutes 5.5 --optimiser adamw --peak-lr 0.004 --weight docs=0.5 "
        "--weight captions=3 --adapt-threads"
    )
    with pytest.raises(TrainingError, match=r"none\.json cannot be read"):
        TrainOptions.load(tmp_path / "none.json")
