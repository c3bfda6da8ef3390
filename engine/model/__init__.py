"""The translation model: its architecture, its decoding cache, its files."""

from engine.model.alignment import AlignmentHead, word_links
from engine.model.checkpoint import LoadedModel, load_model, load_weights, save_weights
from engine.model.config import ModelConfig
from engine.model.decoder import Decoder, Encoded
from engine.model.languages import Directions, offer_of, short_code
from engine.model.memory import megabytes
from engine.model.transformer import BOS, EOS, PAD, UNK, Transformer

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "UNK",
    "AlignmentHead",
    "Decoder",
    "Directions",
    "Encoded",
    "LoadedModel",
    "ModelConfig",
    "Transformer",
    "load_model",
    "load_weights",
    "megabytes",
    "offer_of",
    "save_weights",
    "short_code",
    "word_links",
]
