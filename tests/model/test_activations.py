"""Ranges of activations: what the gauges note, and the file that keeps it beside a model."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from engine.errors import ModelError
from engine.model import ModelConfig, Transformer
from engine.model.activations import (
    ACTIVATIONS,
    Range,
    attach_gauges,
    load_ranges,
    load_weight_steps,
    product_names,
    save_ranges,
)
from engine.model.packed_weights import pack
from engine.text import EOS

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


def test_gauges_record_the_input_range_of_each_product() -> None:
    torch.manual_seed(1)
    plain = Transformer(CONFIG).eval()
    watched = copy.deepcopy(plain)
    pack(watched)
    gauges = attach_gauges(watched)
    read: dict[str, list[torch.Tensor]] = {name: [] for name in product_names(CONFIG)}
    for name in read:
        if name != "output":
            linear = plain.decoder_layers.get_submodule(name)
            assert isinstance(linear, nn.Linear)
            linear.register_forward_pre_hook(lambda _, inputs, name=name: read[name].append(inputs[0]))
    plain.decoder_norm.register_forward_hook(lambda *of_norm: read["output"].append(of_norm[2]))
    for seed in range(3):
        torch.manual_seed(seed)
        source, target = torch.randint(4, 40, (2, 5)), torch.randint(4, 40, (2, 6))
        source[:, -1] = EOS
        for model in (plain, watched):
            model.score(source, torch.tensor([5, 5]), target)
    assert list(gauges) == list(read)
    for name, inputs in read.items():
        together = torch.cat([x.flatten() for x in inputs])
        expected = min(0.0, float(together.min())), max(0.0, float(together.max()))
        assert gauges[name].range == pytest.approx(expected, rel=1e-5, abs=1e-6), name


def test_ranges_come_back_from_their_file(tmp_path: Path) -> None:
    path = tmp_path / ACTIVATIONS
    save_ranges(path, RANGES, CHECKSUM, ["dev/tiny"])
    assert load_ranges(path, CONFIG, CHECKSUM) == RANGES
    assert [file.name for file in tmp_path.iterdir()] == [ACTIVATIONS]


def test_a_model_without_the_file_has_no_ranges(tmp_path: Path) -> None:
    assert load_ranges(tmp_path / ACTIVATIONS, CONFIG, CHECKSUM) is None


def test_ranges_of_other_weights_are_refused_with_the_cure(tmp_path: Path) -> None:
    path = tmp_path / ACTIVATIONS
    save_ranges(path, RANGES, CHECKSUM, ["dev/tiny"])
    with pytest.raises(ModelError, match=r"json was measured with other weights .* engine\.train calibrate"):
        load_ranges(path, CONFIG, "cd" * 32)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("", "cannot be read as JSON"),
        ("[" * 100_000, "cannot be read as JSON"),
        ("[1, 2]", "does not contain an object of ranges"),
        ('{"model": 3, "ranges": [1]}', "does not contain an object of ranges"),
    ],
)
def test_a_damaged_file_is_named_with_the_cure(tmp_path: Path, content: str, named: str) -> None:
    path = tmp_path / ACTIVATIONS
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=rf"activations\.json {named}.* remove this file"):
        load_ranges(path, CONFIG, CHECKSUM)


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
    path.write_text(json.dumps({"model": CHECKSUM, "ranges": ranges}), encoding="utf-8")
    with pytest.raises(ModelError, match=named):
        load_ranges(path, CONFIG, CHECKSUM)


STEPS = dict.fromkeys(product_names(CONFIG), (0.1,))


def test_weight_steps_come_back_from_the_file_with_exact_ranges(tmp_path: Path) -> None:
    path, ranges = tmp_path / ACTIVATIONS, dict.fromkeys(product_names(CONFIG), (-128 / 30.1, 127 / 30.1))
    assert load_weight_steps(path, CONFIG) is None
    save_ranges(path, RANGES, CHECKSUM, ["dev/tiny"])
    assert load_weight_steps(path, CONFIG) is None
    save_ranges(path, ranges, CHECKSUM, ["makers"], STEPS)
    assert load_weight_steps(path, CONFIG) == STEPS
    assert load_ranges(path, CONFIG, CHECKSUM) == ranges, "not rounded"


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
    save_ranges(path, RANGES, CHECKSUM, ["makers"], steps)
    with pytest.raises(ModelError, match=message):
        load_weight_steps(path, CONFIG)
