"""Makes a trained model larger, for further training: placeholders and tags as pieces, more layers of the encoder.

Existing pieces keep their ids and embeddings, so that training continues from them. A new piece starts as the mean of
the pieces that spelt its text before (as in Hewitt 2021, Initializing new word embeddings for pretrained language
models, for parts rather than for all pieces), with the bias of a piece that never occurs.

A new layer is a copy of the layer below it whose outputs start at zero, so that the larger model computes the same at
first (Chen et al. 2016, Net2Net: accelerating learning via knowledge transfer). Training does the rest.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.errors import TrainingError
from engine.model.checkpoint import CONFIG, WEIGHTS
from engine.model.config import ModelConfig
from engine.model.transformer import Transformer
from engine.model.weights import load_weights, save_weights
from engine.text import TextCodec
from engine.text.placeholders import COMMON
from engine.text.vocabulary import Vocabulary, mark_spellings


def extend(model: Path, folder: Path, encoder_layers: int | None = None) -> tuple[int, int]:
    """Write the folder of a model like `model` whose vocabulary has all of `COMMON` and whose encoder has more layers.

    The folder is for further training (`prepare --codec`, `train --initial`), and has neither card nor alignment.

    Args:
        model: folder of a model that was trained here; it stays as it is.
        folder: folder to write.
        encoder_layers: number of layers afterwards, a multiple of the present number; None for as many as there are.

    Returns:
        The number of new pieces and the number of new layers.

    Raises:
        TrainingError: the model is imported, has all of these pieces and layers already, or the number of layers is
            not a multiple.
    """
    config = ModelConfig.load(model / CONFIG)
    if config.text != "bpe" or config.source_vocabulary_size is not None:
        raise TrainingError(f"{model} is an imported model, whose pieces are fixed; extend one that was trained here")
    layers = config.encoder_layers if encoder_layers is None else encoder_layers
    if layers < config.encoder_layers or layers % config.encoder_layers:
        raise TrainingError(f"--encoder-layers is {layers}; give a multiple of {config.encoder_layers}, as {model} has")
    codec, weights = TextCodec.load(model), load_weights(model / WEIGHTS, config)
    added, parts = [], []
    for text in COMMON:
        new = [piece for piece in mark_spellings(text) if piece not in codec.vocabulary]
        added += new
        parts += [codec.encode_ids(text)] * len(new)
    added_layers = layers - config.encoder_layers
    if not added and not added_layers:
        raise TrainingError(
            f"{model} holds all {len(COMMON)} placeholders already; prepare with --codec {model}, or give more "
            "--encoder-layers"
        )
    facts = {"added_pieces": len(added), "added_encoder_layers": added_layers}
    extended = replace(
        config,
        vocabulary_size=config.vocabulary_size + len(added),
        encoder_layers=layers,
        training={**config.training, **{name: number for name, number in facts.items() if number}},
    )
    state = _with_more_layers(weights.state_dict(), layers // config.encoder_layers)
    if parts:
        _add_pieces(state, parts)
    grown = Transformer(extended)
    grown.load_state_dict(state)
    TextCodec(Vocabulary((*codec.vocabulary.pieces, *added)), codec.merges).save(folder)
    extended.save(folder / CONFIG)
    save_weights(folder / WEIGHTS, grown, torch.float32)
    return len(added), added_layers


def _add_pieces(state: dict[str, Tensor], parts: list[list[int]]) -> None:
    """Add a row to embeddings and bias for each of `parts`, the ids of the pieces that spell the new piece so far."""
    embedding_VE, bias_V = state["embedding.weight"], state["output_bias"]
    means = [embedding_VE[ids].mean(dim=0) for ids in parts]
    state["embedding.weight"] = torch.cat([embedding_VE, torch.stack(means)])
    state["output_bias"] = F.pad(bias_V, (0, len(parts)), value=float(bias_V.min()))


def _with_more_layers(state: dict[str, Tensor], times: int) -> dict[str, Tensor]:
    """The weights with `times` encoder layers for each one: itself, then copies that add zero to their input."""
    extended = {}
    for name, value in state.items():
        match = re.fullmatch(r"encoder\.(\d+)\.(.+)", name)
        if match is None:
            extended[name] = value
            continue
        number, part = int(match[1]), match[2]
        is_output = part.rsplit(".", 1)[0] in ("attention.out", "feed_forward.outer")
        for copy in range(times):
            new = torch.zeros_like(value) if copy and is_output else value.clone()
            extended[f"encoder.{number * times + copy}.{part}"] = new
    return extended
