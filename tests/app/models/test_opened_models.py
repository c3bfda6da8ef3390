"""Models that are opened by their path: listed by a key, refused without a model, and only where this is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import CommandError
from app.models.opened_models import OpenedModels
from tests.importers.gguf_files import write_header
from tests.importers.test_language_models import VALUES, write_folder


@pytest.fixture
def opened(tmp_path: Path) -> OpenedModels:
    return OpenedModels(tmp_path / "kept" / "opened.json")


def test_an_opened_model_is_listed_by_a_key_after_a_restart(tmp_path: Path, opened: OpenedModels) -> None:
    path = write_header(tmp_path / "small.gguf", VALUES)
    folder = write_folder(tmp_path / "folder")
    keys = [opened.open(str(one), "cpu") for one in (path, folder, path)]
    again = OpenedModels(tmp_path / "kept" / "opened.json").entries()
    assert keys[0] == keys[2] and {key: entry.folder for key, entry in again.items()} == {
        keys[0]: path,
        keys[1]: folder,
    }
    assert str(tmp_path) not in "".join(keys), "the page and the log name a model without its path"


def test_a_forgotten_model_stays_on_the_disk(tmp_path: Path, opened: OpenedModels) -> None:
    path = write_header(tmp_path / "small.gguf", VALUES)
    opened.forget(opened.open(str(path), "cpu"))
    assert not opened.entries() and path.exists()


def test_a_model_that_was_moved_away_is_left_out(tmp_path: Path, opened: OpenedModels) -> None:
    path = write_header(tmp_path / "small.gguf", VALUES)
    opened.open(str(path), "cpu")
    path.unlink()
    assert not opened.entries()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("small.gguf", "not a complete path"),
        ("//server/share/small.gguf", "not a complete path"),
        ("\\\\server\\share\\small.gguf", "not a complete path"),
        ("", "not a complete path"),
        ("/dev/zero", "There is no model at /dev/zero"),
        ("/etc/passwd", "There is no model at /etc/passwd"),
        ("/etc", "There is no model at /etc"),
        ("/none/small.gguf", "There is no model at"),
        ("/\0.gguf", "There is no model at"),
        ("/" + "x" * 490, "There is no model at"),
        ("/proc/self/mem", "There is no model at"),
    ],
)
def test_other_paths_are_refused(opened: OpenedModels, path: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        opened.open(path, "cpu")
    assert not opened.entries()


def test_a_model_that_cannot_be_used_is_not_listed(
    tmp_path: Path, opened: OpenedModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_folder(tmp_path / "with code", auto_map={})
    with pytest.raises(CommandError, match="needs program code"):
        opened.open(str(folder), "cpu")
    monkeypatch.setattr("engine.importers.catalogue.available_bytes", lambda device: 1_000_000_000)
    with pytest.raises(CommandError, match="there is room for a model of up to"):
        opened.open(str(write_header(tmp_path / "large.gguf", VALUES)), "cpu")
    assert not opened.entries()


def test_nobody_opens_a_path_where_nobody_signs_in(tmp_path: Path) -> None:
    opened = OpenedModels(tmp_path / "opened.json", is_allowed=False)
    with pytest.raises(CommandError, match="by an administrator who has signed in"):
        opened.open(str(write_header(tmp_path / "small.gguf", VALUES)), "cpu")
