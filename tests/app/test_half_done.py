"""Whatever fails while a file is written, and whenever the app is killed: the old state or the new one."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.cli.log_commands import write
from app.errors import CommandError, LogError
from app.formats.documents import read_document
from app.log.store import LogStore
from app.paths import MODEL_FOLDER
from app.ui.sign_in import SignIn
from app.whole_files import remove_leftovers, write_whole
from engine import install_model, known_models
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
            return [(summary.document_name, store.verify_chain(summary.id)) for summary in store.sessions()]
        finally:
            store.close()
    return re.sub(rb"\A[\w-]{43}\n\Z", b"a token", path.read_bytes())


def prepare_log(folder: Path) -> None:
    store = LogStore.open(folder / "log.sqlite")
    store.start_session(read_document(b"One. Two.", "a.txt"), "en-de", versions={}, options={})
    store.close()


def back_up(folder: Path) -> None:
    store = LogStore.open_to_read(folder / "log.sqlite")
    try:
        store.back_up(folder / "copy.sqlite")
    finally:
        store.close()


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


@pytest.mark.parametrize("is_converted", [False, pytest.param(True, marks=pytest.mark.full)])
def test_a_model_that_cannot_be_replaced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_converted: bool):
    cache, small = tmp_path / "cache", tmp_path / "small"
    monkeypatch.setenv("PINPOINT_CACHE", str(cache))
    if is_converted:
        pytest.importorskip("transformers")
        save_marian(small)
    else:
        shutil.copytree(MODEL_FOLDER, small, ignore=shutil.ignore_patterns("*.safetensors"))
        (small / "model.safetensors").symlink_to(MODEL_FOLDER / "model.safetensors")
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
def test_a_kill_while_a_model_is_replaced_leaves_one_of_the_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    small = tmp_path / "small"
    shutil.copytree(MODEL_FOLDER, small, ignore=shutil.ignore_patterns("*.safetensors"))
    (small / "model.safetensors").symlink_to(MODEL_FOLDER / "model.safetensors")
    target = install_model(small, "m", {"LICENSE.txt": "old"})
    found = set()
    for where in every_kill(lambda: install_model(small, "m", {"LICENSE.txt": "new"})):
        assert "m" in {entry.folder.name for entry in known_models()}, where
        found.add((target / "LICENSE.txt").read_text())
        assert (target / "model.safetensors").stat().st_size == (MODEL_FOLDER / "model.safetensors").stat().st_size
        (target / "LICENSE.txt").write_text("old")
    assert found == {"old", "new"}


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
    with pytest.raises(LogError, match=r"the document needs 2 MB on this disk, and 0 MB are free"):
        store.start_session(read_document(b"One.", "a.txt"), "en-de")
    store.close()
    assert files_in(tmp_path) == before
