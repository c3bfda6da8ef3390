"""Pinpoint's decoding engine: translation with required phrases.

Shapes, wherever they are named in this package: B sentences, K beam width, R rows (the live hypotheses of all
sentences, laid end to end), N candidates, S source length, T target length, H heads, D head size, E model size,
V vocabulary, P phrases.

`import engine` does not import PyTorch, which takes seconds: the first use of a name that needs it does.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from engine.any_engine import Engine, EngineFacts, EngineStatistics, Priority
from engine.errors import EngineError, InvalidRequest, ModelError, TrainingError
from engine.request import MAX_FOLLOW_CHARACTERS, Avoid, Example, Follow, Formality, Phrase, Request
from engine.search_options import POST_EDITING, SearchOptions
from engine.settings import Setting, check_settings, check_types, setting, settings_of
from engine.text import (
    IGNORABLE,
    PLACEHOLDER,
    FormList,
    compound_head,
    form_list,
    is_compound,
    is_unspaced,
    is_word_char,
    occurrences,
    sentence_spans,
    short_code,
    stands_alone,
)
from engine.threads import set_num_threads
from engine.translation import (
    Alternative,
    Contribution,
    Hypothesis,
    ListedText,
    PivotTranslation,
    Placement,
    Pricing,
    Reason,
    Relaxation,
    Translation,
)
from engine.translator_questions import (
    AlternativesQuestion,
    LearningQuestion,
    PlacesQuestion,
    PriceQuestion,
    Question,
    ScoreQuestion,
    SpellingQuestion,
)

if TYPE_CHECKING:
    from engine.any_translator import AnyTranslator
    from engine.importers import (
        FetchProgress,
        HubModel,
        ModelEntry,
        cache_folder,
        describe_model,
        download_turn,
        install_model,
        is_hub_id,
        known_models,
        look_up,
        model_folder,
        remove_download,
        remove_model,
    )
    from engine.model import Datastore, DatastoreOptions, StoredPair, offer_of
    from engine.model.compiled_model import use_core
    from engine.model.memory_check import available_bytes
    from engine.pivot import PivotTranslator
    from engine.remote.ray_serve import serve_model
    from engine.remote.served_models import ServedModels
    from engine.transformers_models.constrained_generate import constrained_generate
    from engine.translator import Translator
    from engine.worker import Worker
else:
    _NEED_TORCH = {
        "engine.importers": (
            "FetchProgress",
            "HubModel",
            "ModelEntry",
            "cache_folder",
            "describe_model",
            "download_turn",
            "install_model",
            "is_hub_id",
            "known_models",
            "look_up",
            "model_folder",
            "remove_download",
            "remove_model",
        ),
        "engine.model.compiled_model": ("use_core",),
        "engine.model.memory_check": ("available_bytes",),
        "engine.model": ("Datastore", "DatastoreOptions", "StoredPair", "offer_of"),
        "engine.pivot": ("PivotTranslator",),
        "engine.any_translator": ("AnyTranslator",),
        "engine.remote.ray_serve": ("serve_model",),
        "engine.remote.served_models": ("ServedModels",),
        "engine.transformers_models.constrained_generate": ("constrained_generate",),
        "engine.translator": ("Translator",),
        "engine.worker": ("Worker",),
    }

    def __getattr__(name: str) -> object:
        for module, names in _NEED_TORCH.items():
            if name in names:
                return getattr(import_module(module), name)
        raise AttributeError(f"module 'engine' has no attribute {name!r}")


__all__ = [
    "IGNORABLE",
    "MAX_FOLLOW_CHARACTERS",
    "PLACEHOLDER",
    "POST_EDITING",
    "Alternative",
    "AlternativesQuestion",
    "AnyTranslator",
    "Avoid",
    "Contribution",
    "Datastore",
    "DatastoreOptions",
    "Engine",
    "EngineError",
    "EngineFacts",
    "EngineStatistics",
    "Example",
    "FetchProgress",
    "Follow",
    "FormList",
    "Formality",
    "HubModel",
    "Hypothesis",
    "InvalidRequest",
    "LearningQuestion",
    "ListedText",
    "ModelEntry",
    "ModelError",
    "Phrase",
    "PivotTranslation",
    "PivotTranslator",
    "Placement",
    "PlacesQuestion",
    "PriceQuestion",
    "Pricing",
    "Priority",
    "Question",
    "Reason",
    "Relaxation",
    "Request",
    "ScoreQuestion",
    "SearchOptions",
    "ServedModels",
    "Setting",
    "SpellingQuestion",
    "StoredPair",
    "TrainingError",
    "Translation",
    "Translator",
    "Worker",
    "available_bytes",
    "cache_folder",
    "check_settings",
    "check_types",
    "compound_head",
    "constrained_generate",
    "describe_model",
    "download_turn",
    "form_list",
    "install_model",
    "is_compound",
    "is_hub_id",
    "is_unspaced",
    "is_word_char",
    "known_models",
    "look_up",
    "model_folder",
    "occurrences",
    "offer_of",
    "remove_download",
    "remove_model",
    "sentence_spans",
    "serve_model",
    "set_num_threads",
    "setting",
    "settings_of",
    "short_code",
    "stands_alone",
    "use_core",
]
