"""How the compiled core is built and found: with a compiler, without one, in folders that cannot be written."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.compiled import build as building
from engine.compiled.build import BuildError, build, library
from engine.compiled.c_interface import Core, CoreError

SOURCE = "int pinpoint_tested() { return 7; }\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with one small source instead of those of the core, and a cache folder beside it."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "one.cpp").write_text(SOURCE)
    monkeypatch.setattr(building, "FOLDER", folder)
    monkeypatch.setenv("PINPOINT_CACHE", str(tmp_path / "cache"))
    building._checksum.cache_clear()
    yield folder
    building._checksum.cache_clear()


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "compiler", lambda: None)


def test_library_is_built_once_beside_its_sources(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert library() is None
    built = build()
    assert built.parent == folder / "built"
    assert list(built.parent.iterdir()) == [built]
    monkeypatch.setattr(building, "compiler", lambda: pytest.fail("it was built before"))
    assert build() == built == library()


def test_changed_source_is_built_again_and_replaces_the_earlier_library(folder: Path) -> None:
    earlier = build()
    (folder / "one.cpp").write_text(SOURCE.replace("7", "8"))
    building._checksum.cache_clear()
    assert library() is None
    built = build()
    assert built != earlier
    assert list(built.parent.iterdir()) == [built]


def test_library_goes_to_the_cache_folder_where_the_sources_cannot_be_written(folder: Path, tmp_path: Path) -> None:
    (folder / "built").write_text("a file is in the way")
    assert build().parent == tmp_path / "cache" / "compiled"
    assert library() == build()


def test_several_builds_at_once_leave_one_library(folder: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        built = set(pool.map(lambda _: build(), range(4)))
    assert len(built) == 1
    assert list((folder / "built").iterdir()) == [*built]


def test_source_with_an_error_names_the_error_and_leaves_nothing(folder: Path) -> None:
    (folder / "one.cpp").write_text("int pinpoint_tested() { return wrong; }\n")
    building._checksum.cache_clear()
    with pytest.raises(BuildError, match="wrong"):
        build()
    assert list((folder / "built").iterdir()) == []


def test_without_a_compiler_the_message_says_how_to_get_one(folder: Path, without_compiler: None) -> None:
    with pytest.raises(BuildError, match=r"no C\+\+ compiler: .*apt install g\+\+.*pip install ziglang"):
        build()


@pytest.mark.usefixtures("folder", "without_compiler")
def test_command_without_a_compiler_says_in_one_line_that_all_works_but_slower(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["build"])
    assert building.main() == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("Pinpoint works without its compiled core, but slower: ")


def test_ziglang_is_the_compiler_if_there_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(building, "find_spec", lambda name: None)
    assert building.compiler() is None
    monkeypatch.setattr(building, "find_spec", lambda name: object())
    assert building.compiler() == [sys.executable, "-m", "ziglang", "c++"]


def test_build_needs_nothing_but_the_standard_library(tmp_path: Path) -> None:
    """The hook of the package's build runs this file before anything is installed."""
    copied = tmp_path / "build.py"
    shutil.copy(building.__file__, copied)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(copied), "--sanitize", str(tmp_path / "into")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.startswith("Pinpoint works without its compiled core, but slower: the compiler refuses"), (
        done.stderr
    )


def test_file_that_is_no_library_is_refused_with_its_name(tmp_path: Path) -> None:
    (damaged := tmp_path / "core.so").write_bytes(b"not a library")
    with pytest.raises(CoreError, match=r"core\.so cannot be loaded .* delete it and build it again"):
        Core(damaged)


def test_library_of_another_interface_is_refused(folder: Path) -> None:
    with pytest.raises(CoreError, match="cannot be loaded"):
        Core(build())
