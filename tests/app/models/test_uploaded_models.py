"""Models that a page uploads: received in bounds, installed as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import time
import zipfile
from collections import namedtuple
from contextlib import suppress
from pathlib import Path

import pytest

from app.errors import AppError, CommandError, DownloadError
from app.models import uploaded_models
from app.models.uploaded_models import UploadedModels
from engine import ModelError, cache_folder
from tests.importers.marian import save_marian

ID, OTHER = "0" * 32, "1" * 32


@pytest.fixture
def uploads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UploadedModels:
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    return UploadedModels()


def left(uploads: UploadedModels) -> list[str]:
    return sorted(path.name for path in uploads._folder.rglob("*") if path.is_file())


def send(uploads: UploadedModels, file: str, data: bytes = b"x", upload: str = ID) -> None:
    with uploads.receiving(upload, file, len(data)) as output:
        output.write(data)


def test_file_that_did_not_come_whole_is_removed(uploads: UploadedModels) -> None:
    with suppress(KeyboardInterrupt), uploads.receiving(ID, "model.bin", 10) as output:
        output.write(b"half")
        raise KeyboardInterrupt
    assert left(uploads) == []
    with uploads.receiving(ID, "model.bin", 10) as output:
        output.write(b"half")
    assert left(uploads) == []
    with pytest.raises(CommandError, match="choose them again"):
        uploads.name_of(ID, "")


@pytest.mark.parametrize(
    ("upload", "file"),
    [("../escape", "model.bin"), ("", "model.bin"), (ID, "../model.bin"), (ID, ".."), (ID, "a/b.bin"), (ID, "a\nb")],
)
def test_odd_names_are_refused(uploads: UploadedModels, upload: str, file: str) -> None:
    with pytest.raises(CommandError):
        send(uploads, file, upload=upload)
    assert not uploads._folder.exists()


def test_limits_of_size_number_and_room(uploads: UploadedModels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploaded_models, "MAX_FILES", 2)
    monkeypatch.setattr(uploaded_models, "MAX_MODEL_BYTES", 10)
    send(uploads, "a.bin", b"12345678")
    with pytest.raises(DownloadError, match="too large or too many"):
        send(uploads, "b.bin", b"123")
    send(uploads, "b.bin", b"12")
    with pytest.raises(DownloadError, match="too large or too many"):
        send(uploads, "c.bin", b"")
    usage = namedtuple("usage", "total used free")(100, 90, 39)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(DownloadError, match=r"needs 0 MB of disk space in .*, and 0 MB are free"):
        send(uploads, "a.bin", b"1234567890", upload=OTHER)


def test_few_uploads_wait_at_a_time_and_forgotten_ones_make_room(
    uploads: UploadedModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploaded_models, "MAX_UPLOADS", 1)
    send(uploads, "a.bin")
    with pytest.raises(DownloadError, match="Other models are being uploaded"):
        send(uploads, "a.bin", upload=OTHER)
    old = time.time() - uploaded_models.KEPT_SECONDS - 1
    os.utime(uploads._folder / ID, (old, old))
    send(uploads, "b.bin", upload=OTHER)
    assert left(uploads) == ["b.bin"]


def test_zip_file_and_loose_files_are_installed_beside_a_model_of_the_same_name(
    uploads: UploadedModels, tmp_path: Path
) -> None:
    folder = tmp_path / "opus mt"
    save_marian(folder)
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"opus mt/{file.name}")
    send(uploads, "model.zip", (tmp_path / "model.zip").read_bytes())
    installed = uploads.install(ID, uploads.name_of(ID, "opus mt.zip"))
    assert installed == cache_folder() / "opus-mt"
    assert (installed / "model.safetensors").is_file()
    assert str(tmp_path) not in (installed / "source.json").read_text(encoding="utf-8")
    for file in folder.iterdir():
        send(uploads, file.name, file.read_bytes())
    assert uploads.install(ID, uploads.name_of(ID, "opus mt")).name == "opus-mt-2"
    assert left(uploads) == []


def test_name_of_loose_files_is_the_name_of_the_model(uploads: UploadedModels) -> None:
    send(uploads, "lex.50.50.enpt.s2t.bin")
    send(uploads, "model.enpt.intgemm.alphas.bin")
    assert uploads.name_of(ID, "") == "firefox-enpt"


@pytest.mark.parametrize(
    ("file", "data", "message"),
    [
        ("notes.txt", b"x", "These files are not a complete model"),
        ("model.zip", b"x", "is not a model"),
        ("model.safetensors", b"x", "config.json"),
        ("model.enpt.intgemm.alphas.bin", b"x", "^model.enpt.intgemm.alphas.bin: the head of the file"),
    ],
)
def test_other_files_install_nothing_and_the_error_names_no_temporary_folder(
    uploads: UploadedModels, file: str, data: bytes, message: str
) -> None:
    send(uploads, file, data)
    with pytest.raises((AppError, ModelError), match=message) as raised:
        uploads.install(ID, "mine")
    assert "uploads" not in str(raised.value)
    assert left(uploads) == []
    assert not cache_folder().exists() or list(cache_folder().iterdir()) == []
