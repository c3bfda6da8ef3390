"""A model by its hub id: fetched once, used without a connection afterwards, and refused with the cure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.model import model_folder
from tests.model.hub import Hub, serving
from tests.model.marian import save_marian

pytest.importorskip("transformers")
ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from engine import Request, Translator
from engine.errors import ModelError
for name in sys.argv[1:]:
    try:
        translator = Translator.load(name)
        print(translator.name, *translator.directions, translator.translate(Request("Hello")).status)
    except ModelError as error:
        print(f"refused: {error}")
"""


def load(hub: Hub, folder: Path, *names: str) -> list[str]:
    """What a fresh process says of each name; its caches lie in `folder`."""
    environment = {
        **os.environ, "HF_ENDPOINT": hub.url, "HF_HOME": str(folder / "hub"), "PINPOINT_CACHE": str(folder / "cache"),
        "HF_HUB_DISABLE_PROGRESS_BARS": "1", "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    command = [sys.executable, "-c", SCRIPT, *names]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.splitlines()


def test_a_model_of_the_hub_is_fetched_once_and_used_offline_afterwards(tmp_path: Path) -> None:
    save_marian(tmp_path / "theirs")
    with serving(Hub(tmp_path / "theirs", "team/opus-mt-en-de")) as hub:
        missing, first = load(hub, tmp_path, "team/nothing-there", "team/opus-mt-en-de")
        assert "refused: team/nothing-there cannot be fetched" in missing and "check the name" in missing
        assert first.startswith("opus-mt-en-de en-de complete")
        assert {"model.safetensors", "vocab.json", "source.spm", "target.spm"} <= set(hub.fetched)
        hub.is_down = True
        assert load(hub, tmp_path, "team/opus-mt-en-de") == [first]
        (offline,) = load(hub, tmp_path, "team/nothing-there")
        assert "refused: team/nothing-there cannot be fetched" in offline and "the connection" in offline


def test_what_is_neither_a_folder_nor_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is no folder; give the folder that holds"):
        model_folder(tmp_path / "nothing")
