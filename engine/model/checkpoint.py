"""A model folder, written and read: weights, configuration, text codec, card.

    model.safetensors   the weights, usually in half precision; used in float32
    config.json         architecture, directions, training facts
    vocabulary.txt      the pieces, one a line, in the order of their ids
    bpe.codes           the merges
    alignment.safetensors   which words stand for each other; may be missing
    card.md             what it was trained on, by whom, how well it does

Nothing is ever unpickled: a model folder from a stranger can be wrong, but it cannot run code.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import safetensors.torch
import torch
from safetensors import SafetensorError

from engine.errors import InvalidRequest, ModelError
from engine.model.alignment import ALIGNMENT, AlignmentHead, load_alignment
from engine.model.config import ModelConfig
from engine.model.transformer import EOS, Transformer

if TYPE_CHECKING:
    from engine.text import TextCodec

WEIGHTS, CONFIG, CARD = "model.safetensors", "config.json", "card.md"


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model ready to decode. `checksum` is the SHA-256 of its weights file, for logs."""

    config: ModelConfig
    codec: TextCodec
    transformer: Transformer
    checksum: str
    alignment: AlignmentHead | None = None

    def source_ids(self, piece_ids: Sequence[int], direction: str) -> list[int]:
        """The encoder's input for a source: `<direction> pieces... </s>`."""
        if direction not in self.config.directions:
            offered = ", ".join(self.config.directions)
            raise InvalidRequest(f"direction is {direction!r}; this model translates {offered}")
        return [self.codec.vocabulary.id_of(f"<{direction}>"), *piece_ids, EOS]


def save_weights(path: Path, model: Transformer, dtype: torch.dtype = torch.float16) -> None:
    """Write the weights in `dtype`, all or nothing."""
    state = {name: value.detach().to("cpu", dtype).contiguous() for name, value in model.state_dict().items()}
    for name, value in state.items():
        if not bool(torch.isfinite(value).all()):
            raise ModelError(f"{path}: {name} does not fit {dtype}; save in float32")
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(safetensors.torch.save(state))  # save_file would let the owner alone read it
    os.replace(partial, path)


def load_weights(path: Path, config: ModelConfig) -> Transformer:
    """The model in float32 on the CPU, in evaluation mode; ModelError names the file and the cure."""
    model = Transformer(config)
    try:
        state = safetensors.torch.load_file(path)
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; a model folder needs {WEIGHTS}") from None
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} is no intact safetensors file ({error}); copy the model folder again") from error
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
    model.load_state_dict({name: value.float() for name, value in state.items()})
    return model.eval()


def load_model(folder: str | Path, device: str | torch.device = "cpu") -> LoadedModel:
    """Read a model folder; ModelError names the file and the cure."""
    from engine.text import TextCodec  # here, so that training needs no tokeniser

    folder = Path(folder)
    if not folder.is_dir():
        raise ModelError(f"{folder} is no folder; give the folder that holds {CONFIG} and {WEIGHTS}")
    config = ModelConfig.load(folder / CONFIG)
    codec = TextCodec.load(folder)
    if len(codec.vocabulary) != config.vocabulary_size:
        raise ModelError(
            f"{folder / 'vocabulary.txt'} has {len(codec.vocabulary)} pieces, {CONFIG} says {config.vocabulary_size}; "
            "the two files belong to different models"
        )
    transformer = load_weights(folder / WEIGHTS, config).to(device)
    checksum = hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()
    alignment = load_alignment(folder / ALIGNMENT, config, checksum)
    return LoadedModel(config, codec, transformer, checksum, alignment and alignment.to(device))
