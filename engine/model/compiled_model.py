"""A translation model in the compiled core: which models it covers, and their weights handed over."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np
from torch import Tensor, nn

from engine.compiled.build import CURE
from engine.compiled.c_interface import Core, CoreAlignment, CoreConfig, CoreError, CoreModel, Floats, core
from engine.model.activations import WeightSteps
from engine.model.alignment import AlignmentHead, GuidedAlignment
from engine.model.config import ModelConfig
from engine.model.transformer import Transformer

NOT_BUILT: Final = "the compiled core has not been built"
KERNEL_NAMES: Final = {"avx512vnni": "AVX512-VNNI", "avx2": "AVX2", "plain": "any processor"}
_SLOW_KERNELS: Final = "plain"  # those for every processor


def why_not_compiled(config: ModelConfig, weight_steps: WeightSteps | None = None) -> str | None:
    """What the compiled core does not cover of a model, for a person; None if it covers it."""
    if config.decoder == "ssru":
        return "the decoder is a recurrence (SSRU)"
    if weight_steps:
        return "the weights were made in 8 bits, with steps of their own"
    return None


def compile_if_covered(model: Transformer, weight_steps: WeightSteps | None = None) -> CoreModel | None:
    """The model in the compiled core; None if it does not cover the model, or has not been built, which it warns about.

    `weight_steps` are those of a model that was made in 8 bits.
    """
    if why_not_compiled(model.config, weight_steps) is not None:
        return None
    built = core()
    if built is None:
        warnings.warn(f"the compiled core has not been built, and the model decodes more slowly: {CURE}", stacklevel=3)
        return None
    return compiled_model(model, built)


def why_core_is_not_faster(config: ModelConfig, weight_steps: WeightSteps | None = None) -> str | None:
    """Why the compiled core is not the best choice for a model here, for a person; None if it is.

    It is where it covers the model, has been built, and has products of its own for this processor.
    """
    if (reason := why_not_compiled(config, weight_steps)) is not None:
        return reason
    try:
        built = core()
    except CoreError as error:
        return str(error)
    if built is None:
        return NOT_BUILT
    if next(name for name, is_supported in built.kernels().items() if is_supported) == _SLOW_KERNELS:
        return "the compiled core has no fast products for this processor (AVX2, AVX-512 VNNI)"
    return None


def compiled_model(model: Transformer, core: Core, kernels: str | None = None) -> CoreModel:
    """The model in the compiled core: its weights rounded to 8 bits, with the tables of embeddings of the given one.

    The model must be in float32 on the CPU, and not packed. `kernels` is a family of processors, or None for the best.
    """
    config = model.config
    sizes = CoreConfig(
        vocabulary_size=config.vocabulary_size,
        source_vocabulary_size=config.source_vocabulary_size or config.vocabulary_size,
        model_size=config.model_size,
        num_heads=config.num_heads,
        encoder_feed_forward_size=config.feed_forward_size,
        decoder_feed_forward_size=config.decoder_feed_forward_size or config.feed_forward_size,
        encoder_layers=config.encoder_layers,
        decoder_layers=config.decoder_layers,
        num_positions=len(model.positions_ME),
        is_post_norm=config.norm == "after",
        activation=config.activation,
    )
    own = model.source_embedding
    compiled = CoreModel(
        core,
        sizes,
        _floats(model.embedding.weight),
        None if own is None else _floats(own.weight),
        _floats(model.positions_ME),
        kernels,
    )
    for name, part in model.named_modules():
        if isinstance(part, nn.Linear):
            compiled.set_linear(name, _floats(part.weight), _floats(part.bias))
        elif isinstance(part, nn.LayerNorm):
            compiled.set_norm(name, _floats(part.weight), _floats(part.bias))
    compiled.set_linear("output", _floats(model.embedding.weight), _floats(model.output_bias))
    compiled.check()
    return compiled


def compiled_alignment(model: Transformer, head: AlignmentHead | GuidedAlignment | None) -> CoreAlignment | None:
    """The head of a model in the compiled core; None if the model is not there, or the core does not cover the head.

    The head reads targets that begin with `<s>`, and pieces of source and target from one table of embeddings.
    """
    config = model.config
    starts_otherwise = config.start != "<s>" or bool(config.languages)
    if model.compiled is None or starts_otherwise or config.source_vocabulary_size is not None:
        return None
    if not isinstance(head, AlignmentHead):
        return None
    query, key = ((_floats(part.weight), _floats(part.bias)) for part in (head.query, head.key))
    return CoreAlignment(model.compiled, query, key)


def _floats(weights: Tensor) -> Floats:
    return np.ascontiguousarray(weights.detach().numpy())
