"""Loads a folder of a model of transformers if it is safe and fits: without code of others or pickled weights."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import torch

from engine.errors import ModelError
from engine.importers.foreign_files import read_json
from engine.model.checkpoint import CONFIG
from engine.model.memory_check import available_bytes, megabytes, num_weights
from engine.transformers_models.prompt_templates import PromptTemplate, template_of_file
from engine.transformers_models.prompted import PromptedModel

PROMPT = "prompt.toml"  # in the folder, of a person's own: a template as in prompts.toml, and `languages`
LANGUAGES = (
    *("en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "da", "fi", "ro", "hu", "el", "bg"),
    *("ru", "uk", "tr", "ar", "he", "fa", "hi", "zh", "ja", "ko", "vi", "th", "id"),
)
_PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt")
_SPARE_BYTES = 500_000_000  # for keys and values, and what PyTorch itself needs
_BYTES = {torch.float32: 4, torch.bfloat16: 2, torch.float16: 2}


def load_folder(
    folder: str | Path, device: str | torch.device, precision: Literal["auto", "float32", "half", "int8"]
) -> PromptedModel:
    """The model with its prompt template. Raises ModelError, before anything large is read, with the cure."""
    folder = Path(folder).resolve()
    config = read_json(folder / CONFIG)
    _check_safe(folder, config)
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
    factory = AutoModelForSeq2SeqLM if config.get("is_encoder_decoder") else AutoModelForCausalLM
    safe = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **safe)
        model = factory.from_pretrained(folder, dtype=dtype, use_safetensors=True, **safe)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelError(f"{folder} cannot be loaded by transformers: {error}; download the folder again") from error
    model = model.to(device)
    return PromptedModel.of(model, tokenizer, template, languages, folder.name)


def _check_safe(folder: Path, config: Mapping[str, Any]) -> None:
    """Raise ModelError for a folder whose model needs code or pickled weights, or that lacks a file."""
    settings = [config]
    if (folder / "tokenizer_config.json").exists():
        settings.append(read_json(folder / "tokenizer_config.json"))
    if any("auto_map" in each for each in settings):
        raise ModelError(
            f"{folder.name} needs program code that comes with the model (auto_map), which Pinpoint never runs; use a "
            "model of a family that transformers knows"
        )
    if not any(folder.glob("*.safetensors")):
        pickled = next((path.name for pattern in _PICKLED for path in folder.glob(pattern)), None)
        found = f"{pickled} is pickled, and reading it would run code" if pickled else "there are no weights"
        raise ModelError(f"{folder.name}: {found}; save the model as safetensors, or download it in this format")
    if not (folder / "tokenizer.json").is_file():
        raise ModelError(
            f"{folder.name} has no tokenizer.json, the fast form of a tokenizer; save it with "
            "AutoTokenizer.from_pretrained(…).save_pretrained(…)"
        )


def _dtype_that_fits(folder: Path, device: torch.device, precision: str) -> torch.dtype:
    """The type of the weights; raises ModelError if they do not fit into memory, with the size of a model that does."""
    if precision == "int8":
        raise ModelError('8-bit weights are for models in Pinpoint\'s own format; load with precision "auto"')
    count = sum(num_weights(path) for path in folder.glob("*.safetensors"))
    if device.type == "cpu":
        offered = {"float32": [torch.float32], "half": [torch.bfloat16]}.get(precision, [torch.float32, torch.bfloat16])
        free = available_bytes()
    else:
        offered = [torch.float32] if precision == "float32" else [torch.bfloat16]
        free = int(torch.cuda.mem_get_info(device)[0]) if device.type == "cuda" else available_bytes()
    for dtype in offered:
        if count * _BYTES[dtype] + _SPARE_BYTES <= free:
            return dtype
    needed = count * _BYTES[offered[-1]] + _SPARE_BYTES
    largest = max(0, free - _SPARE_BYTES) / _BYTES[offered[-1]] / 1e9
    raise ModelError(
        f"{folder.name} has {count / 1e9:.1f} billion weights and needs {megabytes(needed)} of memory, of which "
        f"{megabytes(free)} are free; there is room for a model of up to {largest:.1f} billion weights"
    )


def own_prompt(folder: Path) -> tuple[str | PromptTemplate, tuple[str, ...]]:
    """The template and the languages of the folder's own prompt file, else of the model's family."""
    path = folder / PROMPT
    if not path.is_file():
        return "auto", LANGUAGES
    return template_of_file(path), _languages_of(path)


def _languages_of(path: Path) -> tuple[str, ...]:
    languages = tomllib.loads(path.read_text(encoding="utf-8")).get("languages", LANGUAGES)
    is_list = isinstance(languages, list | tuple) and all(isinstance(language, str) for language in languages)
    if not is_list or not (len(languages) >= 2 or "-" in "".join(languages)):
        message = f"{path}: languages is {languages!r}; give a list of codes"
        raise ModelError(f'{message} such as ["en", "de"], or of directions such as ["en-de"]')
    return tuple(languages)
