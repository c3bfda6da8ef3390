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
    remove_download,
    remove_model,
)
from engine.importers.hub import FetchProgress, HubModel, download_turn, is_hub_id, look_up
from engine.importers.resolve import cache_folder, install_model, model_folder
