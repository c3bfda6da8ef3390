"""Folders of other makers' models, damaged: what is done to them, and that nothing half-made is left of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import safetensors.torch
from torch import Tensor

from engine.errors import ModelError
from engine.importers.resolve import convert_folder


def drop(folder: Path, name: str) -> None:
    (folder / name).unlink()


def cut(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / name).read_bytes()[:100])


def spoil(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"one\ntwo three\n")


def point(folder: Path, name: str) -> None:
    (folder / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n", encoding="utf-8")


def change(folder: Path, name: str, **settings: object) -> None:
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **settings}), encoding="utf-8")


def change_weights(folder: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    """Write `model.safetensors` again as `change` leaves it."""
    state = safetensors.torch.load_file(folder / "model.safetensors")
    change(state)
    safetensors.torch.save_file(state, folder / "model.safetensors")


def check_refused(folder: Path, message: str) -> None:
    """That the folder is refused with that message, and nothing is left of what was begun."""
    ours = folder.with_name("refused")
    with pytest.raises(ModelError, match=message):
        convert_folder(folder, ours)
    assert not ours.exists() and not list(ours.parent.glob("refused*"))
