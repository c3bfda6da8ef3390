"""A model's weights in PyTorch: `model.safetensors` written and read."""

from __future__ import annotations

import os
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError

from engine.errors import ModelError
from engine.model.config import ModelConfig
from engine.model.transformer import Transformer


def save_weights(path: Path, model: Transformer, dtype: torch.dtype = torch.float16) -> None:
    """Write the weights in `dtype`, atomically."""
    state = {name: value.detach().to("cpu", dtype).contiguous() for name, value in model.state_dict().items()}
    for name, value in state.items():
        if not bool(torch.isfinite(value).all()):
            raise ModelError(f"{path}: {name} does not fit {dtype}; save in float32")
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(safetensors.torch.save(state))  # save_file would let the owner alone read it
    os.replace(partial, path)


def load_weights(path: Path, config: ModelConfig) -> Transformer:
    """The model in float32 on the CPU, in evaluation mode; ModelError names the file and the cure."""
    with torch.device("meta"):  # what the file has needs no memory and no random numbers before
        model = Transformer(config)
    try:
        state = safetensors.torch.load_file(path)
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; a model folder needs {path.name}") from None
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} is not an intact safetensors file ({error}); copy the model folder again") from error
    expected = model.state_dict()
    for name in sorted(expected.keys() | state.keys()):
        if name not in state:
            raise ModelError(f"{path}: {name} is missing; config.json describes another model")
        if name not in expected:
            raise ModelError(f"{path}: {name} is unknown; config.json describes another model")
        if state[name].shape != expected[name].shape:
            raise ModelError(
                f"{path}: {name} has shape {tuple(state[name].shape)}, config.json asks for "
                f"{tuple(expected[name].shape)}; the two files belong to different models"
            )
    # copies: the file is mapped into memory, and may be written again
    loaded = {name: value.to(torch.float32, copy=True) for name, value in state.items()}
    model.load_state_dict(loaded, assign=True)
    return model.eval()
