"""Whatever fails while a file is written, and whenever the app is killed: the old state or the new one."""

from __future__ import annotations

import errno
import gzip
import os
import re
import shutil
import tempfile
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.access.actor import OWNER
from app.cli.log_commands import write
from app.errors import CommandError, DownloadError, LogError
from app.formats.archive import pack
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.models import uploaded_models
from app.models.uploaded_models import UploadedModels
from app.ui.sign_in import SignIn
from app.whole_files import remove_leftovers, whole_folder, write_whole
from engine import cache_folder, install_model, known_models, remove_model
from engine.text import TextCodec
from tests.e2e.conftest import save_random_model
from tests.faults import every_error, every_kill
from tests.importers.marian import save_marian

State = dict[str, object]


def files_in(folder: Path) -> State:
    """All files with their content, as far as it is the same in each run; without SQLite's own beside the log."""
    beside = ("log.sqlite-wal", "log.sqlite-shm")
    return {path.name: _content(path) for path in sorted(folder.iterdir()) if path.name not in beside}


def _content(path: Path) -> object:
    if path.is_dir():
        return files_in(path)
    if path.suffix == ".sqlite":
        store = LogStore.open_to_read(path)
        try:
            return [(summary.document_name, store.verify_chain(summary.id)) for summary in store.sessions(OWNER)]
        finally:
            store.close()
    return re.sub(rb"\A[\w-]{43}\n\Z", b"a token", path.read_bytes())


def prepare_log(folder: Path) -> None:
    store = LogStore.open(folder / "log.sqlite")
    store.start_session(OWNER, read_document(b"One. Two.", "a.txt"), "en-de", versions={}, options={})
    store.close()


def back_up(folder: Path) -> None:
    store = LogStore.open_to_read(folder / "log.sqlite")
    try:
        store.back_up(folder / "copy.sqlite")
    finally:
        store.close()


def translate_folder(path: Path) -> None:
    with whole_folder(path) as temporary:
        for name in ("a.txt", "b/c.txt"):
            write_whole(temporary / name, b"new")


@dataclass(frozen=True)
class Case:
    """`prepare` makes the old state in a folder, and `run` the new one from it."""

    prepare: Callable[[Path], object]
    run: Callable[[Path], object]


CASES = {
    "an export": Case(lambda folder: (folder / "a.txt").write_text("old"), lambda f: write(f / "a.txt", b"new")),
    "an export into a new folder": Case(lambda _: None, lambda folder: write(folder / "out" / "a.txt", b"new")),
    "a file of settings": Case(
        lambda folder: (folder / "a.json").write_text("{}"), lambda folder: write_whole(folder / "a.json", b"[1]")
    ),
    "the access token": Case(lambda _: None, lambda folder: SignIn.from_file(folder / "token")),
    "a backup": Case(prepare_log, back_up),
    "a folder of translations": Case(lambda _: None, lambda folder: translate_folder(folder / "de")),
}


def fresh(case: Case, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    case.prepare(folder)
    return folder


def without_empty_folders(state: State) -> State:
    return {name: content for name, content in state.items() if content != {}}


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES], ids=["disk full", "no permission"])
@pytest.mark.parametrize("name", CASES)
def test_a_call_that_fails_leaves_the_old_state_or_the_new_one(name: str, code: int, tmp_path: Path):
    case, folder = CASES[name], tmp_path / "work"
    old = files_in(fresh(case, folder))
    case.run(folder)
    new = files_in(folder)
    assert new != old
    num_errors = 0
    fresh(case, folder)
    for where, error in every_error(lambda: case.run(folder), code):
        state = without_empty_folders(files_in(folder))
        if "unlink" in where:  # what could not be removed is removed at the next start
            state = {name: content for name, content in state.items() if not name.startswith(".pinpoint-")}
        assert state == (old if error is not None else new), where
        num_errors += error is not None
        fresh(case, folder)
    assert num_errors >= 3


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
@pytest.mark.parametrize("name", CASES)
def test_a_kill_leaves_the_old_state_or_the_new_one_and_the_next_start_cleans_up(name: str, tmp_path: Path):
    case, folder = CASES[name], tmp_path / "work"
    old = files_in(fresh(case, folder))
    case.run(folder)
    new = files_in(folder)
    fresh(case, folder)
    num_kills = 0
    for where in every_kill(lambda: case.run(folder)):
        num_kills += 1
        for place in (folder, folder / "out"):
            remove_leftovers(place)
        state = without_empty_folders(files_in(folder))
        assert state in (old, new), where
        if state == old:
            case.run(folder)
        assert files_in(folder) == new, where
        fresh(case, folder)
    assert num_kills >= 3


def test_temporary_files_of_running_programs_stay(tmp_path: Path):
    own, other = (tmp_path / f".pinpoint-{number}-0123abcd.part" for number in (os.getpid(), os.getppid()))
    for path in (own, other):
        path.touch()
    remove_leftovers(tmp_path)
    assert own.exists() and other.exists()


@pytest.fixture
def small(tmp_path: Path, codec: TextCodec) -> Path:
    """The folder of a small model."""
    return save_random_model(tmp_path / "small", codec)


@pytest.mark.parametrize("is_converted", [False, pytest.param(True, marks=pytest.mark.full)])
def test_a_model_that_cannot_be_replaced_stays(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_converted: bool
):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    if is_converted:
        pytest.importorskip("transformers")
        small = tmp_path / "marian"
        save_marian(small)
    target = install_model(small, "m", {"LICENSE.txt": "old"})
    num_errors = 0
    for where, error in every_error(lambda: install_model(small, "m", {"LICENSE.txt": "new"})):
        expected = "new" if error is None else "old"
        assert (target / "LICENSE.txt").read_text() == expected, where
        assert [path.name for path in target.parent.iterdir()] == ["m"] or "rmdir" in where or "unlink" in where, where
        (target / "LICENSE.txt").write_text("old")
        num_errors += error is not None
    assert num_errors > 5


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
def test_a_kill_while_a_model_is_replaced_leaves_one_of_the_two(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    target = install_model(small, "m", {"LICENSE.txt": "old"})
    found = set()
    for where in every_kill(lambda: install_model(small, "m", {"LICENSE.txt": "new"})):
        assert "m" in {entry.folder.name for entry in known_models()}, where
        found.add((target / "LICENSE.txt").read_text())
        assert (target / "model.safetensors").stat().st_size == (small / "model.safetensors").stat().st_size
        (target / "LICENSE.txt").write_text("old")
    assert found == {"old", "new"}


@pytest.mark.parametrize("code", [errno.EACCES, errno.EBUSY], ids=["no permission", "in use"])
def test_a_model_that_cannot_be_removed_stays_and_one_that_is_removed_goes_at_once(
    code: int, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    install_model(small, "m")
    found = set()
    for where, error in every_error(lambda: remove_model("m"), code):
        names = [entry.name for entry in known_models() if entry.place == "cached"]
        assert names == (["m"] if error else []), where
        assert not [entry for entry in known_models() if entry.problem], where
        found.add(error is None)
        if error is None:
            install_model(small, "m")
    assert found == {True, False}


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
def test_a_kill_while_a_model_is_removed_leaves_all_of_it_or_nothing(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    install_model(small, "m")
    found = set()
    for where in every_kill(lambda: remove_model("m")):
        listed = [entry for entry in known_models() if entry.place == "cached"]
        assert [(entry.name, entry.problem) for entry in listed] in ([("m", "")], []), where
        found.add(bool(listed))
        if not listed:
            assert list((tmp_path / "cache").rglob("*")) == [cache_folder()], where
            install_model(small, "m")
    assert found == {True, False}


@pytest.mark.parametrize("is_zip", [False, True], ids=["files", "ZIP file"])
def test_an_upload_that_fails_anywhere_installs_nothing(is_zip: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache" / "models"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    uploads, upload, installed = UploadedModels(), "0" * 32, []
    contents = {"model.safetensors": b"weights", "config.json.gz": gzip.compress(b"{}"), "LICENSE": b"free"}
    expected = [("LICENSE", b"free"), ("config.json", b"{}"), ("model.safetensors", b"weights")]
    sent = {"model.zip": pack({f"m/{name}": data for name, data in contents.items()})} if is_zip else contents

    def install(folder: Path, name: str, texts: object) -> Path:
        installed.append(sorted((path.name, path.read_bytes()) for path in folder.iterdir()))
        return folder

    monkeypatch.setattr(uploaded_models, "install_model", install)

    def send_and_install() -> None:
        for name, data in sent.items():
            with uploads.receiving(upload, name, len(data)) as output:
                output.write(data)
        uploads.install(upload, "m")

    num_errors = 0
    for where, error in every_error(send_and_install):
        assert error is None or isinstance(error, DownloadError), f"{where}: {error!r}"
        assert installed == ([] if error else [expected]), where
        uploads.discard(upload)
        assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()], where
        installed.clear()
        num_errors += error is not None
    assert num_errors > 4


def test_too_little_room_is_seen_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    prepare_log(tmp_path)
    before = files_in(tmp_path)
    usage = namedtuple("usage", "total used free")(10**9, 10**9, 100)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    room = r"0\.\d MB are needed, 0\.0 MB are free"
    with pytest.raises(CommandError, match=room):
        write(tmp_path / "out" / "a.txt", b"x" * 50_000)
    with pytest.raises(LogError, match=room):
        back_up(tmp_path)
    store = LogStore.open(tmp_path / "log.sqlite")
    with pytest.raises(LogError, match=r"the document needs 2 MB of disk space, and 0 MB are free"):
        store.start_session(OWNER, read_document(b"One.", "a.txt"), "en-de")
    store.close()
    assert files_in(tmp_path) == before
