"""Converts other families to our model folders: OPUS-MT (Marian), FSMT, M2M100, NLLB, fairseq, Firefox Translations."""

from engine.importers.catalogue import (
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
from engine.importers.hub import FetchProgress
from engine.importers.resolve import cache_folder, install_model, is_hub_id, model_folder

__all__ = [
    "BUNDLED_MODEL",
    "FAMILIES",
    "FetchProgress",
    "ModelEntry",
    "ModelFamily",
    "cache_folder",
    "describe_model",
    "install_model",
    "is_hub_id",
    "known_models",
    "model_folder",
    "origin_of",
    "read_card",
    "remove_model",
]
