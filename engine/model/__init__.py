"""The translation model: its architecture, its decoding cache, its files."""

from engine.model.alignment import AlignmentHead, word_links
from engine.model.checkpoint import LoadedModel, load_model, load_weights, save_weights
from engine.model.config import ModelConfig
from engine.model.decoding import Decoder, Encoded
from engine.model.directions import Directions, offer_of, short_code
from engine.model.hub import FetchProgress
from engine.model.importing import is_hub_id, model_folder
from engine.model.listing import (
    BUNDLED_MODEL,
    FAMILIES,
    ModelEntry,
    ModelFamily,
    describe_model,
    known_models,
    origin_of,
    read_card,
    remove_model,
)
from engine.model.memory import megabytes
from engine.model.transformer import BOS, EOS, PAD, UNK, Transformer

__all__ = [
    "BOS",
    "BUNDLED_MODEL",
    "EOS",
    "FAMILIES",
    "PAD",
    "UNK",
    "AlignmentHead",
    "Decoder",
    "Directions",
    "Encoded",
    "FetchProgress",
    "LoadedModel",
    "ModelConfig",
    "ModelEntry",
    "ModelFamily",
    "Transformer",
    "describe_model",
    "is_hub_id",
    "known_models",
    "load_model",
    "load_weights",
    "megabytes",
    "model_folder",
    "offer_of",
    "origin_of",
    "read_card",
    "remove_model",
    "save_weights",
    "short_code",
    "word_links",
]
