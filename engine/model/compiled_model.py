"""A translation model in the compiled core: whether that is there, and the weights handed over. Without PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from safetensors import safe_open

from engine.compiled.c_interface import (
    Core,
    CoreAlignment,
    CoreConfig,
    CoreError,
    CoreGuidedAlignment,
    CoreModel,
    Floats,
    core,
)
from engine.model.activations import OUTPUT, ProductSteps
from engine.model.config import ModelConfig
from engine.model.positions import sinusoids

TURNED_OFF: Final = "the compiled core is turned off"
NOT_BUILT: Final = "the compiled core has not been built"
KERNEL_NAMES: Final = {"avx512vnni": "AVX512-VNNI", "avx2": "AVX2", "plain": "any processor"}
_SLOW_KERNELS: Final = "plain"  # those for every processor
_TABLES: Final = ("embedding.weight", "source_embedding.weight")

Steps = Mapping[str, ProductSteps]
Weights = Mapping[str, npt.NDArray[np.float32] | npt.NDArray[np.float16]]


@dataclass(frozen=True, slots=True)
class CompiledNetwork:
    """A model in the compiled core, and its word alignment head; None where the core does not cover that."""

    model: CoreModel
    alignment: CoreAlignment | CoreGuidedAlignment | None = None


_is_used = True


def use_core(is_used: bool) -> None:
    """Lets models of this process that are loaded from now on be decoded in the compiled core, or never."""
    global _is_used
    _is_used = is_used


def why_not_usable() -> str | None:
    """Why the compiled core cannot decode models here, for a person; None if it can."""
    if not _is_used:
        return TURNED_OFF
    try:
        built = core()
    except CoreError as error:
        return str(error)
    return NOT_BUILT if built is None else None


def why_core_is_not_faster() -> str | None:
    """Why the compiled core is not the best choice here, for a person; None if it is.

    It is where it has been built, and has products of its own for this processor.
    """
    if (reason := why_not_usable()) is not None:
        return reason
    built = core()
    assert built is not None
    if next(name for name, is_supported in built.kernels().items() if is_supported) == _SLOW_KERNELS:
        return "the compiled core has no fast products for this processor (AVX2, AVX-512 VNNI)"
    return None


def read_weights(path: Path, config: ModelConfig) -> Weights:
    """The weights of a model's file, most often in 16 bits; ModelError names the file and the cure."""
    try:
        with safe_open(path, framework="np") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except Exception:  # of any kind: NumPy lacks the type of the numbers, or the file is damaged
        return _weights_of_pytorch(path, config)


def compiled_network(
    weights_path: Path,
    head: Mapping[str, Floats] | None,
    config: ModelConfig,
    core: Core,
    steps: Steps | None = None,
) -> CompiledNetwork:
    """The model of these files in the compiled core; ModelError names the file and the cure.

    `steps` are those of a model that was made with 8-bit weights.
    """
    try:
        model = compiled_model(config, read_weights(weights_path, config), core, steps=steps)
    except (CoreError, KeyError):
        _weights_of_pytorch(weights_path, config)  # says which entry of the file does not fit
        raise
    return CompiledNetwork(model, compiled_alignment(model, config, head))


def compiled_model(
    config: ModelConfig, weights: Weights, core: Core, kernels: str | None = None, steps: Steps | None = None
) -> CoreModel:
    """The model in the compiled core: its weights, by their names in PyTorch, rounded to 8 bits.

    `kernels` is a family of processors, or None for the best. `steps`: see `compiled_network`.
    """
    own_steps = {name if name == OUTPUT else f"decoder_layers.{name}": own for name, own in (steps or {}).items()}
    positions = sinusoids(config.max_pieces + 1, config.model_size, config.positions)
    sizes = CoreConfig(
        vocabulary_size=config.vocabulary_size,
        source_vocabulary_size=config.source_vocabulary_size or config.vocabulary_size,
        model_size=config.model_size,
        num_heads=config.num_heads,
        encoder_feed_forward_size=config.feed_forward_size,
        decoder_feed_forward_size=config.decoder_feed_forward_size or config.feed_forward_size,
        encoder_layers=config.encoder_layers,
        decoder_layers=config.decoder_layers,
        num_positions=len(positions),
        is_post_norm=config.norm == "after",
        activation=config.activation,
        is_recurrent=config.decoder == "ssru",
        has_guided_alignment=config.guided_alignment,
    )
    embedding = _floats(weights["embedding.weight"])
    source_embedding = None if config.source_vocabulary_size is None else _floats(weights["source_embedding.weight"])
    check_tables(sizes, embedding, source_embedding)
    compiled = CoreModel(core, sizes, embedding, source_embedding, positions, kernels)
    for name, weight in weights.items():
        part = name.removesuffix(".weight")
        if part == name or name in _TABLES:
            continue
        bias = _floats(weights[f"{part}.bias"])
        if weight.ndim == 1:
            compiled.set_norm(part, _floats(weight), bias)
        else:
            _set_linear(compiled, part, _floats(weight), bias, own_steps.get(part))
    _set_linear(compiled, OUTPUT, embedding, _floats(weights["output_bias"]), own_steps.get(OUTPUT))
    compiled.check()
    return compiled


def _set_linear(model: CoreModel, name: str, weights: Floats, bias: Floats, steps: ProductSteps | None) -> None:
    if steps is None:
        model.set_linear(name, weights, bias)
        return
    of_outputs = np.repeat(np.array(steps.weights, dtype=np.float32), len(weights) // len(steps.weights))
    model.set_linear(name, weights, bias, of_outputs, steps.inputs)


def check_tables(sizes: CoreConfig, embedding: Floats, source_embedding: Floats | None) -> None:
    """Raises CoreError for a table of embeddings of another size."""
    wanted = [(embedding, sizes.vocabulary_size), (source_embedding, sizes.source_vocabulary_size)]
    for table, size in wanted:
        if table is not None and table.shape != (size, sizes.model_size):
            raise CoreError(f"a table of embeddings has the shape {table.shape}")


def compiled_alignment(
    model: CoreModel, config: ModelConfig, head: Mapping[str, Floats] | None
) -> CoreAlignment | CoreGuidedAlignment | None:
    """The head of a model (`read_head`), or its guided alignment, in the compiled core.

    None if it has neither, or if the core does not cover the head: it reads targets that begin with `<s>`, and pieces
    of source and target from one table of embeddings.
    """
    if head is None and config.guided_alignment:
        return CoreGuidedAlignment()
    starts_otherwise = config.start != "<s>" or bool(config.languages)
    if head is None or starts_otherwise or config.source_vocabulary_size is not None:
        return None
    query, key = ((head[f"{part}.weight"], head[f"{part}.bias"]) for part in ("query", "key"))
    return CoreAlignment(model, query, key)


def _weights_of_pytorch(path: Path, config: ModelConfig) -> Weights:
    from engine.model.weights import load_weights

    return {name: value.numpy() for name, value in load_weights(path, config).state_dict().items()}


def _floats(weights: npt.NDArray[np.float32] | npt.NDArray[np.float16]) -> Floats:
    return np.ascontiguousarray(weights, dtype=np.float32)
