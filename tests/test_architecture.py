"""What README.md and the layout promise: imports go one way, the file tree is the real one, links lead somewhere."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# The engine's units from the ground up. A unit may import its own files and units of lower floors, nothing beside it.
ENGINE_FLOORS = (
    {"errors"},
    {"request"},
    {"text", "kernels"},
    {"model", "search"},
    {"constraints", "aligner"},
    {"relaxation", "encodings"},
    {"request_stream"},
    {"telling"},
    {"translator", "fair_queue"},
    {"worker", "evaluation"},
    {"train", "command_line"},
    {"__main__"},
)
FLOOR_OF = {unit: floor for floor, units in enumerate(ENGINE_FLOORS) for unit in units}

# What the engine must not know, although it is installed.
FOREIGN_TO_ENGINE = {"app", "gradio", "sqlite3", "sqlite_utils"}


def python_files(*folders: str) -> list[str]:
    """Paths below the root, as strings that read well as test names."""
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def imported_names(code: str, package: str) -> Iterator[str]:
    """Dotted names of what `code`, a module of `package`, imports anywhere, in functions too.

    `from engine.text import bpe` yields `engine.text.bpe`, whether bpe is a module or a name in one.
    """
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def imports_of(path: str) -> list[str]:
    package = ".".join(Path(path).parent.parts)
    return list(imported_names((ROOT / path).read_text(encoding="utf-8"), package))


def upward_imports(unit: str, imports: list[str]) -> list[str]:
    """Those imports of a file of engine unit `unit` that leave its unit for one that is not below it."""
    wrong = []
    for name in imports:
        top, *rest = name.split(".")
        if top != "engine":
            continue
        target = rest[0] if rest else ""  # `import engine`, and names taken from it, reach everything
        if target != unit and FLOOR_OF.get(target, len(ENGINE_FLOORS)) >= FLOOR_OF[unit]:
            wrong.append(name)
    return wrong


def public_names(path: str) -> set[str]:
    """What `__all__` of the module at `path` lists."""
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            return set(ast.literal_eval(node.value))
    raise AssertionError(f"{path} has no __all__")


@pytest.mark.parametrize(
    ("code", "package", "expected"),
    [
        ("import torch.nn as nn", "engine", ["torch.nn"]),
        ("from engine.text import bpe, spans", "engine.model", ["engine.text.bpe", "engine.text.spans"]),
        ("from . import errors", "engine", ["engine.errors"]),
        ("from ..text.bpe import Bpe", "engine.model", ["engine.text.bpe.Bpe"]),
        ("def late():\n    from app import ui", "engine", ["app.ui"]),
    ],
)
def test_every_way_to_import_is_seen(code: str, package: str, expected: list[str]) -> None:
    assert list(imported_names(code, package)) == expected


@pytest.mark.parametrize(
    ("unit", "name", "is_upward"),
    [
        ("search", "engine.request.Request", False),
        ("search", "engine.search.banks", False),
        ("search", "engine.model.cache", True),  # beside it
        ("text", "engine.translator.Translator", True),  # above it
        ("request", "engine.errors.InvalidRequest", False),
        ("model", "engine.Request", True),  # by way of the roof
        ("model", "engine", True),
        ("model", "torch", False),
    ],
)
def test_upward_import_is_recognised(unit: str, name: str, is_upward: bool) -> None:
    assert upward_imports(unit, [name]) == ([name] if is_upward else [])


@pytest.mark.parametrize("path", [path for path in python_files("engine") if path != "engine/__init__.py"])
def test_engine_file_imports_only_what_lies_below_it(path: str) -> None:
    unit = Path(path).relative_to("engine").parts[0].removesuffix(".py")
    assert unit in FLOOR_OF, f"{path}: give the unit {unit!r} a floor in ENGINE_FLOORS"
    assert upward_imports(unit, imports_of(path)) == []


@pytest.mark.parametrize("path", python_files("engine"))
def test_engine_file_knows_no_page_and_no_database(path: str) -> None:
    assert [name for name in imports_of(path) if name.split(".")[0] in FOREIGN_TO_ENGINE] == []


@pytest.mark.parametrize("path", python_files("app"))
def test_app_file_uses_only_public_names_of_the_engine(path: str) -> None:
    allowed = {"engine"} | {f"engine.{name}" for name in public_names("engine/__init__.py")}
    from_engine = [name for name in imports_of(path) if name.split(".")[0] == "engine"]
    assert [name for name in from_engine if name not in allowed] == []


@pytest.mark.parametrize(
    "path", [path for path in python_files("app") if not path.startswith(("app/ui/", "app/__main__.py"))]
)
def test_plain_app_file_knows_no_page(path: str) -> None:
    imports = imports_of(path)
    assert [name for name in imports if name.split(".")[0] == "gradio" or name.startswith("app.ui")] == []


# --- README.md


def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def listed_entries(text: str) -> list[str]:
    """Paths in the tree under `## Files`: two spaces of indent make a child of the folder above."""
    block = re.search(r"^## Files$.*?^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert block, "README.md has no code block under '## Files'"
    entries = []
    folder = ""
    for line in filter(str.strip, block[1].splitlines()):
        name = line.split()[0]
        assert len(line.split()) > 1, f"README.md: say in a few words what {name} is"
        if line.startswith("  "):
            entries.append(folder + name)
        else:
            entries.append(name)
            folder = name if name.endswith("/") else ""
    return entries


def present_entries(tracked: list[str]) -> set[str]:
    """What the tree should list of these files: the top level and, in each folder there, the level below.

    Hidden files and what marks or describes a package are left out; a folder ends with a slash.
    """
    entries = set()
    for path in tracked:
        parts = path.split("/")
        if parts[0].startswith(".") or parts[-1] == "__init__.py":
            continue
        if len(parts) == 1:
            entries.add(parts[0])
            continue
        entries.add(f"{parts[0]}/")
        entries.add(f"{parts[0]}/{parts[1]}" + ("/" if len(parts) > 2 else ""))
    return entries


def test_file_tree_lists_top_level_and_the_level_below() -> None:
    tracked = [".gitignore", "Makefile", "app/__init__.py", "app/ui/words.js", "app/log.py", "tests/test_a.py"]
    expected = {"Makefile", "app/", "app/ui/", "app/log.py", "tests/", "tests/test_a.py"}
    assert present_entries(tracked) == expected
    tree = "## Files\n\n```\nMakefile  x\napp/  x\n  ui/  x\n  log.py  x\ntests/  x\n  test_a.py  x\n```\n"
    assert set(listed_entries(tree)) == expected


def test_readme_lists_the_files_that_there_are() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so no telling the project's files from others")
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "--deduplicate"]
    tracked = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    listed = listed_entries(readme())
    present = present_entries(tracked)
    assert sorted(listed) == sorted(set(listed)), "an entry stands there twice"
    assert sorted(present - set(listed)) == [], "missing in README.md"
    assert sorted(set(listed) - present) == [], "in README.md only"


@pytest.mark.parametrize("document", ["README.md", "CHANGELOG.md"])
def test_links_to_files_lead_somewhere(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    relative = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    assert [target for target in relative if not (ROOT / target).exists()] == []


def test_requirements_are_exact_and_name_no_host() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            requirement = line.split("#")[0].strip()
            is_exact = re.fullmatch(r"[\w.-]+==[\w.]+(; .+)?", requirement)
            assert requirement in ("", "-r requirements.txt") or is_exact, line
