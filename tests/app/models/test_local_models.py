"""Models installed from a folder or a file, without a network."""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.errors import DownloadError
from app.models import local_models
from app.models.local_models import install_from_disk
from tests.faults import every_error


class Installed:
    """What was given to the importer."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.name = ""
        self.texts: Mapping[str, str] = {}

    def __call__(self, folder: Path, name: str, texts: Mapping[str, str]) -> Path:
        self.files = {file.name: file.read_bytes() for file in folder.iterdir()}
        self.name, self.texts = name, texts
        return Path(name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "en pt (tiny)"
    folder.mkdir()
    (folder / "model.enpt.intgemm.alphas.bin.gz").write_bytes(gzip.compress(b"model"))
    (folder / "vocab.enpt.spm").write_bytes(b"vocabulary")
    (folder / "LICENSE").write_text("terms")
    return folder


def check(installed: Installed) -> None:
    assert installed.files["model.enpt.intgemm.alphas.bin"] == b"model"
    assert installed.files["vocab.enpt.spm"] == b"vocabulary"
    assert installed.texts["LICENSE.txt"] == "terms"


def test_folder_is_installed_with_packed_files_unpacked_and_its_licence(folder: Path) -> None:
    installed = Installed()
    install_from_disk(folder, installed)
    check(installed)
    assert installed.name == "en-pt-tiny"
    assert json.loads(installed.texts["source.json"])["from"] == str(folder)
    assert sorted(file.name for file in folder.iterdir())[1] == "model.enpt.intgemm.alphas.bin.gz", "it stays as it is"


def test_folder_can_be_named_by_its_model_file(folder: Path) -> None:
    installed = Installed()
    install_from_disk(folder / "model.enpt.intgemm.alphas.bin.gz", installed)
    check(installed)


@pytest.mark.parametrize("prefix", ["", "enpt/", "a/b/"])
def test_zip_of_a_folder_is_installed(folder: Path, tmp_path: Path, prefix: str) -> None:
    with zipfile.ZipFile(tmp_path / "enpt.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, prefix + file.name)
        archive.writestr(prefix + "deeper/notes.txt", "not needed")
    installed = Installed()
    install_from_disk(tmp_path / "enpt.zip", installed)
    check(installed)
    assert installed.name == "enpt"
    assert "notes.txt" not in installed.files


@pytest.mark.parametrize("name", ["..", "a\\b.bin", "mod\nel.bin", ".hidden", "C:model.bin"])
def test_zip_with_an_odd_name_is_refused(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(DownloadError, match="contains the name"):
        install_from_disk(tmp_path / "bad.zip", Installed())


def test_zip_with_path_parts_writes_nothing_outside(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("../../escaped.bin", "x")
    installed = Installed()
    install_from_disk(tmp_path / "bad.zip", installed)
    assert installed.files == {"escaped.bin": b"x"}
    assert list(tmp_path.parent.rglob("escaped.bin")) == []


def test_zip_that_unpacks_to_very_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_models, "MAX_MODEL_BYTES", 1_000)
    with zipfile.ZipFile(tmp_path / "large.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model.bin", bytes(10_000))
    with pytest.raises(DownloadError, match="it is too large"):
        install_from_disk(tmp_path / "large.zip", Installed())


def test_zip_whose_file_begins_before_its_own_start_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "damaged.zip", "w") as archive:
        archive.writestr("model.bin", "x" * 1_000)
    data = (tmp_path / "damaged.zip").read_bytes()
    (tmp_path / "damaged.zip").write_bytes(data[500:])
    with pytest.raises(DownloadError, match="cannot be unpacked"):
        install_from_disk(tmp_path / "damaged.zip", Installed())


@pytest.mark.parametrize("is_zip", [False, True])
def test_full_disk_is_reported_with_the_model_and_leaves_nothing(folder: Path, tmp_path: Path, is_zip: bool) -> None:
    given = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", folder)) if is_zip else folder
    errors = [error for _, error in every_error(lambda: install_from_disk(given, Installed())) if error is not None]
    assert len(errors) >= 3
    assert all(isinstance(error, DownloadError) and "free space" in str(error) for error in errors), errors


def test_damaged_zip_and_other_files_are_refused(tmp_path: Path, folder: Path) -> None:
    with zipfile.ZipFile(tmp_path / "damaged.zip", "w") as archive:
        archive.writestr("model.bin", "x" * 1_000)
    data = bytearray((tmp_path / "damaged.zip").read_bytes())
    data[100] ^= 0xFF
    (tmp_path / "damaged.zip").write_bytes(data)
    with pytest.raises(DownloadError, match="cannot be unpacked"):
        install_from_disk(tmp_path / "damaged.zip", Installed())
    (tmp_path / "notes.txt").write_text("x")
    for path in (tmp_path / "notes.txt", tmp_path / "gone"):
        with pytest.raises(DownloadError, match="is not a model: give a folder"):
            install_from_disk(path, Installed())
    (folder / "model.enpt.intgemm.alphas.bin.gz").write_bytes(gzip.compress(b"model")[:-4])
    with pytest.raises(DownloadError, match="is damaged"):
        install_from_disk(folder, Installed())


@pytest.mark.parametrize("ending", ["partial", "replaced"])
def test_model_has_no_name_of_one_that_is_being_installed(ending: str, folder: Path) -> None:
    installed = Installed()
    install_from_disk(folder.rename(folder.with_name(f"en pt.{ending}")), installed)
    assert installed.name == f"en-pt-{ending}", "the list of models leaves other names out"
