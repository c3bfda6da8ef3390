"""Loads a folder of a model of transformers if it is safe and fits: without code of others or pickled weights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import torch

from engine.errors import ModelError
from engine.importers.foreign_files import read_json
from engine.importers.language_models import PROMPT, files_of_folder, languages_of
from engine.model.checkpoint import CONFIG
from engine.model.memory_check import available_bytes
from engine.transformers_models.prompt_templates import PromptTemplate, template_of_file
from engine.transformers_models.prompted import PromptedModel

_BYTES = {torch.float32: 4, torch.bfloat16: 2, torch.float16: 2}


def load_folder(
    folder: str | Path, device: str | torch.device, precision: Literal["auto", "float32", "half", "int8"], name: str
) -> PromptedModel:
    """The model with the prompt template of its family, which its name may tell, or of its own.

    Raises ModelError, before anything large is read, with the cure.
    """
    folder = Path(folder).resolve()
    device = torch.device(device)
    dtype = _dtype_that_fits(folder, device, precision)
    template, languages = own_prompt(folder)
    try:
        from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer
        from transformers.utils import logging
    except ImportError as error:
        raise ModelError(
            f"{folder.name} is a model of the transformers library, which is not installed; run "
            "pip install 'pinpoint[transformers]'"
        ) from error

    logging.disable_progress_bar()
    factory = AutoModelForSeq2SeqLM if read_json(folder / CONFIG).get("is_encoder_decoder") else AutoModelForCausalLM
    safe = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **safe)
        model = factory.from_pretrained(folder, dtype=dtype, use_safetensors=True, **safe)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelError(f"{folder} cannot be loaded by transformers: {error}; download the folder again") from error
    model = model.to(device)
    return PromptedModel.of(model, tokenizer, template, languages, name, packs_weights=True)


def _dtype_that_fits(folder: Path, device: torch.device, precision: str) -> torch.dtype:
    """The type of the weights; raises ModelError if they do not fit into memory, with the size of a model that does."""
    if precision == "int8":
        raise ModelError('8-bit weights are for models in Pinpoint\'s own format; load with precision "auto"')
    if device.type == "cpu":
        offered = {"float32": [torch.float32], "half": [torch.bfloat16]}.get(precision, [torch.float32, torch.bfloat16])
    else:
        offered = [torch.float32] if precision == "float32" else [torch.bfloat16]
    free = available_bytes(str(device))
    for dtype in offered:
        files = files_of_folder(folder, _BYTES[dtype])
        if files.needed_bytes <= free:
            return dtype
    files.check_memory(free)
    raise AssertionError("the last type does not fit")


def own_prompt(folder: Path) -> tuple[str | PromptTemplate, Sequence[str]]:
    """The template and the languages of the folder's own prompt file, else of the model's family."""
    path = folder / PROMPT
    return (template_of_file(path) if path.is_file() else "auto"), languages_of(folder)
