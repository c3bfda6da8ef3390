"""Speeds of models: measured on this computer, and before that expected from models of the same kind."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.models.speeds import MeasuredSpeeds
from engine import ModelEntry


def language_model(path: str, num_millions: float) -> ModelEntry:
    return ModelEntry(path, Path(path), "folder", num_parameters=int(num_millions * 1e6), family="llama")


def at_work(path: str, median_ms: float | None, num_answered: int) -> Any:
    found = SimpleNamespace(median_latency_ms=median_ms, num_answered=num_answered)
    return SimpleNamespace(loaded_from=Path(path), engine=SimpleNamespace(statistics=lambda: found))


@pytest.mark.parametrize(
    ("median_ms", "num_answered", "is_measured"),
    [
        (None, 0, False),
        (80.0, 4, False),  # the first answers of a fast model take longer
        (80.0, 5, True),
        (9000.0, 1, True),  # of a slow one, the first is enough
    ],
)
def test_a_speed_is_measured_with_the_first_answers(
    tmp_path: Path, median_ms: float | None, num_answered: int, is_measured: bool
) -> None:
    speeds, entry = MeasuredSpeeds(tmp_path / "speeds.json"), language_model("/m/a.gguf", 100)
    speeds.measure([at_work("/m/a.gguf", median_ms, num_answered)])
    view = speeds.view(entry, [entry])
    assert view["median_ms"] == (median_ms if is_measured else None)
    assert (view["expected_ms"] is None) == is_measured


def test_a_speed_is_expected_from_models_of_the_same_kind(tmp_path: Path) -> None:
    speeds = MeasuredSpeeds(tmp_path / "speeds.json")
    small, large = language_model("/m/small.gguf", 100), language_model("/m/large.gguf", 700)
    folder, ours = language_model("/m/folder", 700), ModelEntry("ours", Path("/m/ours"), "folder", num_parameters=10**8)
    known = [small, large, folder, ours]
    before = speeds.view(large, known)["expected_ms"]
    elsewhere = speeds.view(folder, known)["expected_ms"]
    speeds.measure([at_work("/m/small.gguf", 4000.0, 3), at_work("/m/ours", 60.0, 9)])
    assert before is not None and before != 28_000
    assert speeds.view(large, known) == {"median_ms": None, "expected_ms": pytest.approx(28_000)}
    assert speeds.view(folder, known) == {"median_ms": None, "expected_ms": elsewhere}
    assert speeds.view(ModelEntry("new", Path("/m/new"), "folder"), known) == {"median_ms": None, "expected_ms": None}
