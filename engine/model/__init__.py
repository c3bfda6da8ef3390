"""The translation model: its architecture, its decoding cache, its files.

Importing it does not import PyTorch, which a model in the compiled core does not need: the first use of a name that
needs it does.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from engine.model.checkpoint import LoadedModel, load_model
from engine.model.config import ModelConfig
from engine.model.directions import Directions, offer_of
from engine.model.memory_check import megabytes
from engine.model.word_links import word_links, word_probabilities

if TYPE_CHECKING:
    from engine.model.alignment import AlignmentHead
    from engine.model.datastore import Datastore, DatastoreOptions, StoredPair
    from engine.model.decoder import Decoder
    from engine.model.encoded import EncodedSources
    from engine.model.transformer import Transformer
    from engine.model.weights import load_weights, save_weights
else:
    _NEED_TORCH = {
        "AlignmentHead": "alignment",
        "Datastore": "datastore",
        "DatastoreOptions": "datastore",
        "StoredPair": "datastore",
        "Decoder": "decoder",
        "EncodedSources": "encoded",
        "Transformer": "transformer",
        "load_weights": "weights",
        "save_weights": "weights",
    }

    def __getattr__(name: str) -> object:
        if name not in _NEED_TORCH:
            raise AttributeError(f"module 'engine.model' has no attribute {name!r}")
        return getattr(import_module(f"engine.model.{_NEED_TORCH[name]}"), name)
