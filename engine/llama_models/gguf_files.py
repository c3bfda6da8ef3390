"""Loads a GGUF file if it fits into memory."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from engine.errors import ModelError
from engine.model.json_files import check_regular
from engine.model.memory_check import available_bytes, megabytes
from engine.transformers_models.model_folders import own_prompt
from engine.transformers_models.prompted import PromptedModel

_MAGIC = b"GGUF"
_SPARE_BYTES = 1_000_000_000  # for keys and values, and for the passes
_BYTES_PER_WEIGHT = 0.6  # of files in 4 bits
_FEATURES = 1 << 24  # the first bytes of a file, with the description and the pieces, tell models apart


def load_gguf(path: str | Path, device: str = "cpu") -> PromptedModel:
    """The model with its prompt template. Raises ModelError, before anything large is read, with the cure."""
    path = Path(path).absolute()  # not resolved: the prompt file is beside the path that was given
    if device != "cpu":
        raise ModelError(f"a GGUF file is computed on the processor, not on {device}; take the device cpu")
    features = _checked(path)
    if find_spec("llama_cpp") is None:
        raise ModelError(
            f"{path.name} needs llama.cpp, which is not installed; run pip install 'pinpoint[llama]' (it compiles "
            "llama.cpp, which takes a C++ compiler and some minutes)"
        )
    from engine.llama_models.gguf_model import GgufModel

    model = GgufModel(path)
    template, languages = own_prompt(path.parent)
    kind = " ".join([path.stem, model.setting("general.name"), model.setting("general.architecture")])
    return PromptedModel.asked(model, template, languages, kind, features)


def _checked(path: Path) -> bytes:
    """The first bytes of a file and its size; raises ModelError if it is none of GGUF, or does not fit into memory."""
    try:
        check_regular(path)
        with path.open("rb") as file:
            first = file.read(_FEATURES)
        size = path.stat().st_size
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read: {error}") from error
    if not first.startswith(_MAGIC):
        raise ModelError(f"{path.name} is not a GGUF file; download it again")
    free = available_bytes()
    if size + _SPARE_BYTES > free:
        largest = max(0, free - _SPARE_BYTES) / _BYTES_PER_WEIGHT / 1e9
        raise ModelError(
            f"{path.name} needs {megabytes(size + _SPARE_BYTES)} of memory, of which {megabytes(free)} are free; there "
            f"is room for a model of up to {largest:.1f} billion weights in 4 bits"
        )
    return hashlib.sha256(first).digest() + str(size).encode()
