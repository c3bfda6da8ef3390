"""The translation model: its architecture, its decoding cache, its files."""

from engine.model.alignment import AlignmentHead, word_links
from engine.model.checkpoint import LoadedModel, load_model, load_weights, save_weights
from engine.model.config import ModelConfig
from engine.model.decoding import Decoder, Encoded
from engine.model.importing import model_folder
from engine.model.transformer import BOS, EOS, PAD, UNK, Transformer

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "UNK",
    "AlignmentHead",
    "Decoder",
    "Encoded",
    "LoadedModel",
    "ModelConfig",
    "Transformer",
    "load_model",
    "load_weights",
    "model_folder",
    "save_weights",
    "word_links",
]
