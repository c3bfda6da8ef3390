"""The translation model: its architecture, its decoding cache, its files."""

from engine.model.alignment import AlignmentHead, word_links
from engine.model.checkpoint import LoadedModel, load_model, load_weights, save_weights
from engine.model.config import ModelConfig
from engine.model.decoder import Decoder
from engine.model.encoded import EncodedSources
from engine.model.languages import Directions, offer_of, short_code
from engine.model.memory import megabytes
from engine.model.transformer import Transformer

__all__ = [
    "AlignmentHead",
    "Decoder",
    "Directions",
    "EncodedSources",
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
