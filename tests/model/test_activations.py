"""The steps of a model that was made with 8-bit weights, in the file beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ModelError
from engine.model import ModelConfig
from engine.model.activations import ACTIVATIONS, ProductSteps, Range, load_steps, product_names, save_steps

CONFIG = ModelConfig(
    vocabulary_size=40,
    directions=("en-de",),
    model_size=16,
    num_heads=2,
    feed_forward_size=24,
    encoder_layers=1,
    decoder_layers=2,
    max_pieces=20,
)
CHECKSUM = "ab" * 32
RANGES: dict[str, Range] = dict.fromkeys(product_names(CONFIG), (-1.5, 2.25))
STEPS = dict.fromkeys(product_names(CONFIG), (0.1,))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("", "cannot be read as JSON"),
        ("[" * 100_000, "cannot be read as JSON"),
        (json.dumps({"model": 3, "ranges": [1], "weight_steps": STEPS}), "does not contain an object of ranges"),
    ],
)
def test_a_damaged_file_is_named_with_the_cure(tmp_path: Path, content: str, named: str) -> None:
    path = tmp_path / ACTIVATIONS
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=rf"activations\.json {named}.* remove this file"):
        load_steps(path, CONFIG, CHECKSUM)


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("1.attention.qkv", None, r"1\.attention\.qkv is missing"),
        ("2.attention.qkv", [-1, 1], r"2\.attention\.qkv is unknown"),
        ("output", [1, 2], r"output is \[1, 2\]; it must be two numbers"),
        ("output", [-1], r"output is \[-1\]"),
        ("output", [float("nan"), 1], r"output is \[nan, 1\]"),
        ("output", [-1, float("inf")], r"output is \[-1, inf\]"),
        ("output", [-1, 10**400], r"output is \[-1, 10+\]"),
        ("output", ["-1", 1], r"output is \['-1', 1\]"),
        ("output", {"low": -1, "high": 1}, r"output is \{'low': -1"),
    ],
)
def test_invalid_range_is_refused_with_the_name_of_the_product(
    tmp_path: Path, name: str, value: Any, named: str
) -> None:
    path = tmp_path / ACTIVATIONS
    ranges: dict[str, Any] = {**RANGES, name: value}
    if value is None:
        del ranges[name]
    path.write_text(json.dumps({"model": CHECKSUM, "ranges": ranges, "weight_steps": STEPS}), encoding="utf-8")
    with pytest.raises(ModelError, match=named):
        load_steps(path, CONFIG, CHECKSUM)


def test_steps_come_back_exactly_from_their_file(tmp_path: Path) -> None:
    path, ranges = tmp_path / ACTIVATIONS, dict.fromkeys(product_names(CONFIG), (-128 / 30.1, 127 / 30.1))
    assert load_steps(path, CONFIG, CHECKSUM) is None
    save_steps(path, ranges, STEPS, CHECKSUM)
    expected = ProductSteps(weights=(0.1,), inputs=127 / 30.1 / 127)
    assert load_steps(path, CONFIG, CHECKSUM) == dict.fromkeys(product_names(CONFIG), expected)
    assert [file.name for file in tmp_path.iterdir()] == [ACTIVATIONS]


def test_file_of_ranges_alone_belongs_to_a_model_without_steps_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / ACTIVATIONS
    path.write_text(json.dumps({"model": "of other weights", "ranges": RANGES}), encoding="utf-8")
    assert load_steps(path, CONFIG, CHECKSUM) is None


def test_steps_of_other_weights_are_refused_with_the_cure(tmp_path: Path) -> None:
    path = tmp_path / ACTIVATIONS
    save_steps(path, RANGES, STEPS, CHECKSUM)
    with pytest.raises(ModelError, match=r"json was measured with other weights .* convert the model again"):
        load_steps(path, CONFIG, "cd" * 32)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([1.0], "weight_steps must have an entry for each of 0.attention.qkv, "),
        ({"output": [0.1]}, "weight_steps must have an entry for each of"),
        ({**STEPS, "output": [0.1, 0.1]}, r"the weight_steps of output are \[0.1, 0.1\]; a list of 1 positive"),
        ({**STEPS, "output": 0.1}, "the weight_steps of output are 0.1; a list of 1 positive"),
        ({**STEPS, "output": [0]}, r"the weight_steps of output are \[0\]; a list"),
        ({**STEPS, "output": [True]}, r"the weight_steps of output are \[True\]; a list"),
        ({**STEPS, "output": ["0.1"]}, r"the weight_steps of output are .*; a list"),
    ],
)
def test_weight_steps_that_cannot_be_right_are_refused(tmp_path: Path, steps: Any, message: str) -> None:
    path = tmp_path / ACTIVATIONS
    save_steps(path, RANGES, steps, CHECKSUM)
    with pytest.raises(ModelError, match=message):
        load_steps(path, CONFIG, CHECKSUM)
