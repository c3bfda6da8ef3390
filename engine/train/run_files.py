"""The files of a training run: a checkpoint that resumes exactly, snapshots of the weights, and its options."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from engine.errors import TrainingError
from engine.model.checkpoint import WEIGHTS
from engine.model.config import ModelConfig
from engine.model.transformer import Transformer
from engine.model.weights import load_weights, save_weights
from engine.train.data import CODEC_FILES

CHECKPOINT, OPTIONS = "checkpoint.pt", "options.json"


def save_checkpoint(folder: Path, state: Mapping[str, Any]) -> None:
    """Writes the whole state of a run in place of the one before; a kill leaves one of the two."""
    unfinished = folder / (CHECKPOINT + ".partial")
    torch.save(dict(state), unfinished)
    os.replace(unfinished, folder / CHECKPOINT)


def load_checkpoint(folder: Path, device: torch.device) -> dict[str, Any]:
    """The state of a run as it was saved. Raises what `torch.load` raises."""
    state: dict[str, Any] = torch.load(folder / CHECKPOINT, map_location=device, weights_only=True)
    return state


def save_snapshot(folder: Path, model: Transformer, update: int, num_kept: int) -> None:
    """Writes the weights alone, for averaging; only the newest `num_kept` snapshots stay."""
    save_weights(folder / f"update-{update:07d}.safetensors", model, torch.float32)
    for old in snapshots(folder)[:-num_kept]:
        old.unlink()


def snapshots(folder: Path) -> list[Path]:
    """The run's weights, oldest first."""
    return sorted(folder.glob("update-*.safetensors"))


def load_earlier(folder: Path, prepared_folder: Path, config: ModelConfig) -> Transformer:
    """The model of another training, in `folder`, whose pieces must be those of the prepared data."""
    for file in CODEC_FILES:
        if not (folder / file).is_file() or (folder / file).read_bytes() != (prepared_folder / file).read_bytes():
            raise TrainingError(f"{folder / file} and the data's differ; prepare the data with --codec {folder}")
    return load_weights(folder / WEIGHTS, config)
