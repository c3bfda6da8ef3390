"""The steps of a model that was made with 8-bit weights, such as one of Firefox Translations.

    activations.json   beside a model's weights; may be missing
        model          SHA-256 of the weights
        ranges         by product, the smallest and the largest input
        weight_steps   by product, the distance of two neighbouring weights, of one or more equal parts of its outputs

A file without `weight_steps` changes nothing: it belongs to a model whose weights are rounded when it is loaded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import ModelError
from engine.model.json_files import read_json_file

if TYPE_CHECKING:
    from engine.model.config import ModelConfig

ACTIVATIONS = "activations.json"
OUTPUT = "output"  # the product with the vocabulary; the others have the names of their modules in the decoder's layers

_LEVELS = 127  # on each side of zero

Range = tuple[float, float]  # zero is in it
Ranges = Mapping[str, Range]
WeightSteps = Mapping[str, tuple[float, ...]]

_FIRST_SUBLAYER = {"attention": ("attention.qkv", "attention.out"), "ssru": ("recurrence.gates",)}
_FEED_FORWARD = ("feed_forward.inner", "feed_forward.outer")
_LARGEST = 1e30
_CURE = "convert the model again, or remove this file: it is optional"


@dataclass(frozen=True, slots=True)
class ProductSteps:
    """The distances of neighbouring weights, of one or more equal parts of the outputs, and of neighbouring inputs."""

    weights: tuple[float, ...]
    inputs: float


def load_steps(path: Path, config: ModelConfig, model_checksum: str) -> dict[str, ProductSteps] | None:
    """The steps of each product; None of a model without its own; ModelError names the file and the cure."""
    if (weight_steps := _load_weight_steps(path, config)) is None:
        return None
    ranges = _load_ranges(path, config, model_checksum)
    return {name: ProductSteps(steps, ranges[name][1] / _LEVELS) for name, steps in weight_steps.items()}


def product_names(config: ModelConfig) -> list[str]:
    """The names of the products with a range: all in the decoder except attention to the source."""
    in_a_layer = (*_FIRST_SUBLAYER[config.decoder], *_FEED_FORWARD)
    return [*(f"{layer}.{product}" for layer in range(config.decoder_layers) for product in in_a_layer), OUTPUT]


def save_steps(path: Path, ranges: Ranges, weight_steps: WeightSteps, model_checksum: str) -> None:
    """Write the file atomically, with the checksum of the weights."""
    content = {"model": model_checksum, "ranges": ranges, "weight_steps": weight_steps}
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(partial, path)


def _load_ranges(path: Path, config: ModelConfig, model_checksum: str) -> Ranges:
    """The ranges stored with a model's weights; ModelError names the file and the cure."""
    content = _read(path)
    ranges = content.get("ranges")
    if not isinstance(ranges, dict):
        raise ModelError(f"{path} does not contain an object of ranges; {_CURE}")
    if content.get("model") != model_checksum:
        raise ModelError(f"{path} was measured with other weights than those beside it; {_CURE}")
    expected = product_names(config)
    if wrong := sorted(set(expected) ^ set(ranges)):
        has = "is unknown" if wrong[0] in ranges else "is missing"
        raise ModelError(f"{path}: the range of {wrong[0]} {has}; {_CURE}")
    for name in expected:
        if not _is_range(ranges[name]):
            raise ModelError(
                f"{path}: the range of {name} is {ranges[name]!r}; it must be two numbers with zero between; {_CURE}"
            )
    return {name: (float(lowest), float(highest)) for name, (lowest, highest) in ranges.items()}


def _load_weight_steps(path: Path, config: ModelConfig) -> WeightSteps | None:
    """The steps of 8-bit weights in that file, None without any; ModelError names the file and the cure."""
    if not path.exists() or (steps := _read(path).get("weight_steps")) is None:
        return None
    expected = product_names(config)
    if not isinstance(steps, dict) or sorted(steps) != sorted(expected):
        raise ModelError(f"{path}: weight_steps must have an entry for each of {', '.join(expected)}; {_CURE}")
    for name, values in steps.items():
        num_parts = 2 if name.endswith(".gates") else 1
        if not isinstance(values, list) or len(values) != num_parts or not all(map(_is_step, values)):
            raise ModelError(
                f"{path}: the weight_steps of {name} are {values!r}; a list of {num_parts} positive numbers is "
                f"expected; {_CURE}"
            )
    return {name: tuple(map(float, steps[name])) for name in expected}


def _read(path: Path) -> dict[str, Any]:
    try:
        content = read_json_file(path)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read as JSON ({error}); {_CURE}") from error
    return content if isinstance(content, dict) else {}


def _is_step(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 1 / _LARGEST < value < _LARGEST


def _is_range(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    is_number = all(isinstance(end, int | float) and not isinstance(end, bool) for end in value)
    return is_number and -_LARGEST < value[0] <= 0 <= value[1] < _LARGEST
