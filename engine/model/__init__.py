"""The translation model: its architecture, its decoding cache, its files."""

from engine.model.alignment import AlignmentHead, weak_links, word_links, word_probabilities
from engine.model.checkpoint import LoadedModel, load_model, load_weights, save_weights
from engine.model.config import ModelConfig
from engine.model.datastore import Datastore, DatastoreOptions, StoredPair
from engine.model.decoder import Decoder
from engine.model.directions import Directions, offer_of
from engine.model.encoded import EncodedSources
from engine.model.memory_check import megabytes
from engine.model.transformer import Transformer

__all__ = [
    "AlignmentHead",
    "Datastore",
    "DatastoreOptions",
    "Decoder",
    "Directions",
    "EncodedSources",
    "LoadedModel",
    "ModelConfig",
    "StoredPair",
    "Transformer",
    "load_model",
    "load_weights",
    "megabytes",
    "offer_of",
    "save_weights",
    "weak_links",
    "word_links",
    "word_probabilities",
]
