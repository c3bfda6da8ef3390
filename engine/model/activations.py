"""The ranges of the inputs of the decoder's matrix products, measured once for 8-bit quantisation.

    activations.json   beside a model's weights; may be missing
        model          SHA-256 of the weights with which it was measured
        measured_on    the sets that were translated for it
        ranges         by product, the smallest and the largest input
        weight_steps   optional: by product, the distance of two neighbouring weights, of one or more equal parts of its
                       outputs; of a model that was made with 8-bit weights

Without the file, each row is scaled separately at run time, which is slower (engine/model/packed_weights.py).
`python -m engine.train calibrate` measures and writes it. A Firefox Translations model brings both with it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from engine.errors import ModelError
from engine.model.json_files import read_json_file

if TYPE_CHECKING:
    from engine.model.config import ModelConfig
    from engine.model.transformer import Transformer

ACTIVATIONS = "activations.json"
OUTPUT = "output"  # the product with the vocabulary; the others have the names of their modules in the decoder's layers

Range = tuple[float, float]  # zero is in it
Ranges = Mapping[str, Range]
WeightSteps = Mapping[str, tuple[float, ...]]

_FIRST_SUBLAYER = {"attention": ("attention.qkv", "attention.out"), "ssru": ("recurrence.gates",)}
_FEED_FORWARD = ("feed_forward.inner", "feed_forward.outer")
_LARGEST = 1e30
_CURE = "run `python -m engine.train calibrate` for this model, or remove this file: it is optional"


def product_names(config: ModelConfig) -> list[str]:
    """The names of the products with a range: all in the decoder except attention to the source."""
    in_a_layer = (*_FIRST_SUBLAYER[config.decoder], *_FEED_FORWARD)
    return [*(f"{layer}.{product}" for layer in range(config.decoder_layers) for product in in_a_layer), OUTPUT]


class Gauge(nn.Module):
    """Wraps a product and records the range of its inputs."""

    def __init__(self, product: nn.Module) -> None:
        super().__init__()
        self._product = product
        self._lowest = self._highest = 0.0

    @property
    def range(self) -> Range:
        """The smallest and the largest input so far, including zero."""
        return self._lowest, self._highest

    def forward(self, x: Tensor) -> Tensor:
        lowest, highest = x.aminmax()
        self._lowest, self._highest = min(self._lowest, float(lowest)), max(self._highest, float(highest))
        return self._product(x)  # type: ignore[no-any-return]


def attach_gauges(model: Transformer) -> dict[str, Gauge]:
    """Wrap each product of a packed float32 model in a gauge, in place; returns the gauges by name."""
    assert model.output is not None, "pack the model first: without packing, the output layer is not a module"
    gauges = {}
    for name in product_names(model.config):
        parent_name, _, own_name = name.rpartition(".")
        parent = model if name == OUTPUT else model.decoder_layers.get_submodule(parent_name)
        gauges[name] = Gauge(parent.get_submodule(own_name))
        setattr(parent, own_name, gauges[name])
    return gauges


def save_ranges(
    path: Path,
    ranges: Ranges,
    model_checksum: str,
    measured_on: Sequence[str],
    weight_steps: WeightSteps | None = None,
) -> None:
    """Write the ranges atomically, with the checksum of the weights and the translated sets.

    Ranges without `weight_steps` are rounded to six digits, those of 8-bit weights are written exactly.
    """
    content: dict[str, object] = {"model": model_checksum, "measured_on": list(measured_on)}
    if weight_steps is None:
        # six digits are more than 8 bits can distinguish; rounded outwards or inwards, the ends stay within a step
        content["ranges"] = {name: [float(f"{end:.6g}") for end in ends] for name, ends in ranges.items()}
    else:
        content |= {"ranges": ranges, "weight_steps": weight_steps}
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(partial, path)


def load_ranges(path: Path, config: ModelConfig, model_checksum: str) -> Ranges | None:
    """The ranges stored with a model's weights; None without the file; ModelError names the file and the cure."""
    if not path.exists():
        return None
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


def load_weight_steps(path: Path, config: ModelConfig) -> WeightSteps | None:
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
