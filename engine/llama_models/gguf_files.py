"""Loads a GGUF file if it fits into memory."""

from __future__ import annotations

import hashlib
from pathlib import Path

from engine.errors import ModelError
from engine.importers.language_models import check_llama_cpp, files_of_gguf
from engine.model.memory_check import available_bytes
from engine.transformers_models.model_folders import own_prompt
from engine.transformers_models.prompted import PromptedModel

_FEATURES = 1 << 24  # the first bytes of a file, with the description and the pieces, tell models apart


def check_device(device: str) -> None:
    """Raises ModelError for a device other than the processor."""
    if device != "cpu":
        raise ModelError(f"a GGUF file is computed on the processor, not on {device}; take the device cpu")


def load_gguf(path: str | Path) -> PromptedModel:
    """The model with its prompt template. Raises ModelError, before anything large is read, with the cure."""
    path = Path(path).absolute()  # not resolved: the prompt file is beside the path that was given
    files = files_of_gguf(path)
    files.check_memory(available_bytes())
    with path.open("rb") as file:
        features = hashlib.sha256(file.read(_FEATURES)).digest() + str(files.num_bytes).encode()
    check_llama_cpp(path.name)
    from engine.llama_models.gguf_model import GgufModel

    model = GgufModel(path)
    template, languages = own_prompt(path.parent)
    kind = " ".join([path.stem, model.setting("general.name"), model.setting("general.architecture")])
    return PromptedModel.asked(model, template, languages, kind, features)
