"""What `pip install .` installs: the app, the engine, the bundled data, and the `pinpoint` command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path
from unittest import mock

import pytest

from app import VERSION
from engine.compiled.build import library
from hatch_build import ZIG, CompiledCoreHook
from tests.test_architecture import imports_of, python_files

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("MODEL_FOLDER", "SAMPLES_FOLDER")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as file:
        yield file


def files_below(folder: str) -> set[str]:
    """Source files below a folder of the checkout, without compiled ones."""
    paths = (path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix() for path in paths}


def is_needed_at_run_time(path: str) -> bool:
    """False for descriptions of the sources, and for what only the checks and the bundle of the page's scripts read."""
    return not path.endswith(("/README.md", ".d.ts", ".mjs"))


def test_wheel_has_the_files_of_app_and_engine_that_are_needed_at_run_time(wheel: zipfile.ZipFile) -> None:
    expected = set(filter(is_needed_at_run_time, files_below("app") | files_below("engine")))
    assert {name for name in wheel.namelist() if name.startswith(("app/", "engine/"))} == expected


def test_only_training_imports_packages_of_the_extra_train() -> None:
    modules = {"subword_nmt", "translate", "wordfreq", "eflomal"}
    importing = {
        path
        for path in python_files("app", "engine")
        if any(module in (ROOT / path).read_text(encoding="utf-8") for module in modules)  # parsing all takes 4 s
        for name in imports_of(path)
        if name.split(".")[0] in modules
    }
    learns_a_vocabulary = "engine/text/bpe.py"
    assert {path for path in importing if not path.startswith("engine/train/")} == {learns_a_vocabulary}


@pytest.mark.parametrize("folder", ["models/en-de", "samples"])
def test_wheel_contains_the_bundled_data(wheel: zipfile.ZipFile, folder: str) -> None:
    expected = {path.replace("data/", "pinpoint_data/", 1) for path in files_below(f"data/{folder}")}
    assert expected <= set(wheel.namelist())


def test_wheel_contains_the_lists_of_words_and_their_licences(wheel: zipfile.ZipFile) -> None:
    lists = {"forms/de.txt.xz", "forms/README.md", "casing/README.md"}
    lists |= {f"casing/{language}.{kind}.xz" for language in ("de", "en") for kind in ("txt", "weights")}
    assert {f"pinpoint_data/{name}" for name in lists} <= set(wheel.namelist())


def test_wheel_contains_the_compiled_core_for_this_kind_of_computer(wheel: zipfile.ZipFile) -> None:
    built = library()
    assert built is not None, "the build of the wheel compiles it beside its sources"
    assert f"engine/compiled/built/{built.name}" in wheel.namelist()
    facts = wheel.read(f"pinpoint-{VERSION}.dist-info/WHEEL").decode()
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    assert f"Tag: py3-none-{platform}" in facts
    assert "Root-Is-Purelib: false" in facts


def test_wheel_without_a_compiler_is_for_every_computer_and_a_warning_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = CompiledCoreHook(str(ROOT), {}, None, None, str(tmp_path), "wheel", app := mock.Mock())

    class NoCompiler(Exception):
        pass

    without = mock.Mock(compiler=lambda: None, BuildError=NoCompiler)
    without.build.side_effect = NoCompiler("there is no C++ compiler")
    monkeypatch.setattr("hatch_build._build_module", lambda root: without)
    build_data: dict[str, object] = {"force_include": {}}
    hook.initialize("standard", build_data)
    assert build_data == {"force_include": {}}
    app.display_warning.assert_called_once_with(
        "Pinpoint works without its compiled core, but slower: there is no C++ compiler"
    )
    assert hook.dependencies() == [ZIG]


def test_build_by_make_and_by_pip_take_the_same_compiler_package() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"ZIG = {ZIG} " in makefile


def test_wheel_adds_three_names_to_the_environment(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist() if ".dist-info/" not in name}
    assert tops == {"app", "engine", "pinpoint_data"}


def test_installed_app_finds_its_data(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path / "site")
    code = (
        f"import json, sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); import app.paths as paths; "
        "from engine.text.word_forms import FORMS_FOLDER; "
        f"print(json.dumps([str(getattr(paths, name)) for name in {FOLDERS}] + [str(FORMS_FOLDER)]))"
    )
    printed = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True).stdout
    data = tmp_path / "site" / "pinpoint_data"
    assert [Path(path) for path in json.loads(printed)] == [data / "models/en-de", data / "samples", data / "forms"]


@pytest.mark.full  # loads PyTorch in a process of its own
def test_installed_app_translates_a_document(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path / "site")
    (tmp_path / "note.txt").write_text("The file could not be opened.\n", encoding="utf-8")
    (tmp_path / "terms.tsv").write_text("source\ttarget\nfile\tDatei\n", encoding="utf-8")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); from app.__main__ import main; "
        "sys.exit(main(['translate', 'note.txt', '--glossary', 'terms.tsv']))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True)
    assert "Datei" in (tmp_path / "note.de.txt").read_text(encoding="utf-8")


def requirements(name: str) -> list[str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def test_metadata_names_version_command_and_exact_requirements(wheel: zipfile.ZipFile) -> None:
    info = f"pinpoint-{VERSION}.dist-info"
    metadata = message_from_bytes(wheel.read(f"{info}/METADATA"))
    assert (metadata["Name"], metadata["Version"]) == ("pinpoint", VERSION)
    expected = {
        f"{line}; extra == '{extra}'"
        for extra in ("server", "train", "transformers", "llama", "tracing")
        for line in requirements(f"requirements-{extra}.txt")
    }
    expected |= {line.replace("_", "-") for line in requirements("requirements.txt")}
    assert {value.replace("_", "-") for value in metadata.get_all("Requires-Dist", [])} == expected
    assert "pinpoint = app.__main__:main" in wheel.read(f"{info}/entry_points.txt").decode()


def test_build_requirements_equal_the_versions_of_the_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    pinned = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    assert set(project["build-system"]["requires"]) <= set(pinned)


@pytest.mark.parametrize(("is_installed", "num_installs"), [(True, 0), (False, 2)])
def test_make_test_installs_only_what_is_missing_and_runs_the_named_tests(
    tmp_path: Path, is_installed: bool, num_installs: int
) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    calls = tmp_path / "calls"
    python.write_text(
        f'#!/bin/sh\necho "$*" >>"{calls}"\ncase "$*" in *--no-index*) exit {int(not is_installed)};; esac\n'
    )
    python.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "test", f"VENV={tmp_path}", "TESTS=tests/search"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    *before, last = calls.read_text().splitlines()
    assert last.startswith("-m pytest") and last.endswith(" tests/search")
    installs = [line for line in before if line.startswith("-m pip install") and "--no-index" not in line]
    assert len(installs) == num_installs
