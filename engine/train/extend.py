"""Adds common placeholders and tags as pieces to the vocabulary of a trained model.

Existing pieces keep their ids and embeddings, so that training continues from them. A new piece starts as the mean of
the pieces that spelt its text before (as in Hewitt 2021, Initializing new word embeddings for pretrained language
models, for parts rather than for all pieces), with the bias of a piece that never occurs; training does the rest.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.errors import TrainingError
from engine.model.checkpoint import CONFIG, WEIGHTS, load_weights, save_weights
from engine.model.config import ModelConfig
from engine.model.transformer import Transformer
from engine.text import TextCodec
from engine.text.placeholders import COMMON
from engine.text.vocabulary import Vocabulary, mark_spellings


def extend(model: Path, folder: Path) -> int:
    """Write the folder of a model like `model` whose vocabulary holds all of `COMMON`; the number of new pieces.

    It is to be trained on (`prepare --codec`, `train --initial`), and has neither card nor alignment. TrainingError
    where the model has all of them already, or where its pieces are not of our own kind.
    """
    config = ModelConfig.load(model / CONFIG)
    if config.text != "bpe" or config.source_vocabulary_size is not None:
        raise TrainingError(f"{model} is an imported model, whose pieces are fixed; extend one that was trained here")
    codec, weights = TextCodec.load(model), load_weights(model / WEIGHTS, config)
    added, parts = [], []
    for text in COMMON:
        new = [piece for piece in mark_spellings(text) if piece not in codec.vocabulary]
        added += new
        parts += [codec.encode_ids(text)] * len(new)
    if not added:
        raise TrainingError(f"{model} holds all {len(COMMON)} placeholders already; prepare with --codec {model}")
    size = config.vocabulary_size + len(added)
    extended = replace(config, vocabulary_size=size, training={**config.training, "added_pieces": len(added)})
    grown = Transformer(extended)
    grown.load_state_dict(_extended_state(weights, parts))
    TextCodec(Vocabulary((*codec.vocabulary.pieces, *added)), codec.merges).save(folder)
    extended.save(folder / CONFIG)
    save_weights(folder / WEIGHTS, grown, torch.float32)
    return len(added)


def _extended_state(model: Transformer, parts: list[list[int]]) -> dict[str, Tensor]:
    """The weights with a row more for each of `parts`, the ids of the pieces that spell it so far."""
    state = model.state_dict()
    embedding_VE, bias_V = state["embedding.weight"], state["output_bias"]
    means = [embedding_VE[ids].mean(dim=0) for ids in parts]
    state["embedding.weight"] = torch.cat([embedding_VE, torch.stack(means)])
    state["output_bias"] = F.pad(bias_V, (0, len(parts)), value=float(bias_V.min()))
    return state
