"""A model of ours in CTranslate2: the same weights, the same pieces, hypothesis for hypothesis the same sums."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from ctranslate2.specs import transformer_spec
from torch import Tensor

from engine.model import LoadedModel
from engine.text import BOS, EOS, UNK


def convert(model: LoadedModel, folder: Path) -> None:
    """Write `model` as a CTranslate2 model of 32-bit weights; what it is loaded as decides its arithmetic."""
    config, transformer = model.config, model.transformer
    assert (config.norm, config.activation) == ("before", "relu"), "this writes models of our own architecture"
    spec = transformer_spec.TransformerSpec.from_config(
        (config.encoder_layers, config.decoder_layers), config.num_heads, pre_norm=True
    )
    state = {name: value.detach().cpu().float() for name, value in transformer.state_dict().items()}
    positions = transformer.positions_ME.cpu().float()
    embedding = state["embedding.weight"]
    for side, embeddings in ((spec.encoder, spec.encoder.embeddings[0]), (spec.decoder, spec.decoder.embeddings)):
        embeddings.weight = _array(embedding)
        side.position_encodings.encodings = _array(positions)
    _normalise(spec.encoder.layer_norm, state, "encoder_norm")
    _normalise(spec.decoder.layer_norm, state, "decoder_norm")
    spec.decoder.projection.weight = _array(embedding)
    spec.decoder.projection.bias = _array(state["output_bias"])
    for number, layer in enumerate(spec.encoder.layer):
        _attend_to_self(layer.self_attention, state, f"encoder.{number}.attention")
        _feed_forward(layer.ffn, state, f"encoder.{number}.feed_forward")
    for number, layer in enumerate(spec.decoder.layer):
        name = f"decoder_layers.{number}"
        _attend_to_self(layer.self_attention, state, f"{name}.attention")
        _normalise(layer.attention.layer_norm, state, f"{name}.cross.norm")
        for linear, part in zip(layer.attention.linear, ("q", "kv", "out"), strict=True):
            _link(linear, state, f"{name}.cross.{part}")
        _feed_forward(layer.ffn, state, f"{name}.feed_forward")
    pieces = piece_names(model)
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.config.bos_token, spec.config.eos_token = pieces[BOS], pieces[EOS]
    spec.config.unk_token, spec.config.decoder_start_token = pieces[UNK], pieces[BOS]
    spec.config.add_source_bos = spec.config.add_source_eos = False
    spec.validate()
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))


def piece_names(model: LoadedModel) -> list[str]:
    """A distinct name for each piece id: CTranslate2 speaks of pieces by name."""
    return [str(number) for number in range(model.config.vocabulary_size)]


def _attend_to_self(spec: Any, state: dict[str, Tensor], name: str) -> None:
    _normalise(spec.layer_norm, state, f"{name}.norm")
    _link(spec.linear[0], state, f"{name}.qkv")
    _link(spec.linear[1], state, f"{name}.out")


def _feed_forward(spec: Any, state: dict[str, Tensor], name: str) -> None:
    _normalise(spec.layer_norm, state, f"{name}.norm")
    _link(spec.linear_0, state, f"{name}.inner")
    _link(spec.linear_1, state, f"{name}.outer")


def _normalise(spec: Any, state: dict[str, Tensor], name: str) -> None:
    spec.gamma, spec.beta = _array(state[f"{name}.weight"]), _array(state[f"{name}.bias"])


def _link(spec: Any, state: dict[str, Tensor], name: str) -> None:
    spec.weight, spec.bias = _array(state[f"{name}.weight"]), _array(state[f"{name}.bias"])


def _array(tensor: Tensor) -> np.ndarray[Any, Any]:
    return tensor.contiguous().numpy()
