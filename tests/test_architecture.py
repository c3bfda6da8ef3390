"""What README.md and the layout promise: imports go one way, the file list is complete, links lead somewhere."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

import engine

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "app" / "ui" / "static"

# The rooms of each package, from the ground up: a room may import itself and rooms of lower floors.
FLOORS = {
    "engine": (
        {"bundled_data", "errors", "settings", "threads"},
        {"interruption", "request", "search_options"},
        {"translation"},
        {"compiled", "kernels", "text"},
        {"model", "search"},
        {"importers", "decoding"},
        {"transformers_models"},
        {"llama_models"},
        {"sentences"},
        {"any_translator"},
        {"translator"},
        {"translator_questions"},
        {"any_engine"},
        {"worker", "evaluation", "pivot"},
        {"remote"},
        {"train", "cli"},
        {"__main__"},
    ),
    "app": (
        {
            "collector",
            "deferred",
            "ending",
            "i18n",
            "lean_imports",
            "paths",
            "people_store",
            "repeating",
            "whole_files",
        },
        {"errors", "precedence", "settings"},
        {"access", "text"},
        {"formats", "checks", "tags"},
        {"glossary"},
        {"log"},
        {"tm", "segments"},
        {"models"},
        {"reports", "reading"},
        {"workspace"},
        {"projects"},
        {"sessions"},
        {"monitoring", "server_log"},
        {"serving", "tracing", "ui"},
        {"cli"},
        {"__main__"},
    ),
}
FLOOR_OF = {
    package: {room: floor for floor, rooms in enumerate(floors) for room in rooms} for package, floors in FLOORS.items()
}

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
    yield from names_imported_in(ast.parse(code), package)


def names_imported_in(tree: ast.Module, package: str) -> Iterator[str]:
    """As `imported_names`, for code that is parsed already."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


@cache
def tree_of(path: str) -> ast.Module:
    """The syntax tree of a file below the root, parsed once."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


@cache
def imports_of(path: str) -> tuple[str, ...]:
    return tuple(names_imported_in(tree_of(path), ".".join(Path(path).parent.parts)))


def upward_imports(package: str, room: str, imports: Sequence[str]) -> list[str]:
    """Those imports of a file of `package`'s `room` that leave the room for one that is not below it."""
    floors = FLOOR_OF[package]
    wrong = []
    for name in imports:
        top, *rest = name.split(".")
        if top != package:
            continue
        target = rest[0] if rest else ""  # `import engine`, and names taken from it, reach everything
        if package == "app" and target == "VERSION":
            continue
        if target != room and floors.get(target, len(FLOORS[package])) >= floors[room]:
            wrong.append(name)
    return wrong


def import_circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Modules that import each other, directly or through others: one sorted list for each circle."""
    found: list[list[str]] = []
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []

    def visit(module: str) -> None:  # Tarjan's strongly connected components
        numbers[module] = lowest[module] = len(numbers)
        stack.append(module)
        for other in sorted(imports[module]):
            if other not in numbers:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], numbers[other])
        if lowest[module] == numbers[module]:
            circle = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(circle) > 1:
                found.append(sorted(circle))

    for module in sorted(imports):
        if module not in numbers:
            visit(module)
    return found


def module_imports(*folders: str) -> dict[str, set[str]]:
    """For each module below these folders, the modules there that it imports."""
    modules = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in python_files(*folders)
    }
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        graph[module] = set()
        for name in imports_of(path):
            while name and name not in modules:
                name = name.rpartition(".")[0]
            if name and name != module:
                graph[module].add(name)
    return graph


def public_names(path: str) -> set[str]:
    """What `__all__` of the module at `path` lists."""
    for node in tree_of(path).body:
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
    ("package", "room", "name", "is_upward"),
    [
        ("engine", "search", "engine.request.Request", False),
        ("engine", "search", "engine.search.banks", False),
        ("engine", "search", "engine.model.cache", True),  # beside it
        ("engine", "text", "engine.translator.Translator", True),  # above it
        ("engine", "request", "engine.errors.InvalidRequest", False),
        ("engine", "model", "engine.Request", True),  # through the package itself
        ("engine", "model", "engine", True),
        ("engine", "model", "torch", False),
        ("app", "segments", "app.workspace.core", True),
        ("app", "reports", "app.VERSION", False),
    ],
)
def test_upward_import_is_recognised(package: str, room: str, name: str, is_upward: bool) -> None:
    assert upward_imports(package, room, [name]) == ([name] if is_upward else [])


@pytest.mark.parametrize("package", ["engine", "app"])
def test_files_import_only_from_lower_floors(package: str) -> None:
    wrong = {}
    for path in python_files(package):
        if path == f"{package}/__init__.py":
            continue
        room = Path(path).relative_to(package).parts[0].removesuffix(".py")
        assert room in FLOOR_OF[package], f"{path}: give {room!r} a floor in FLOORS"
        if upward := upward_imports(package, room, imports_of(path)):
            wrong[path] = upward
    assert wrong == {}


def test_import_circle_is_found() -> None:
    assert import_circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert import_circles({"a": {"b"}, "b": set()}) == []


@pytest.mark.parametrize("package", ["engine", "app"])
def test_modules_have_no_import_cycles(package: str) -> None:
    assert import_circles(module_imports(package)) == []


# The page's scripts: a folder imports only from folders before it; "" holds what starts the page.
PAGE_FOLDERS = ["vendor", "core", "dialogs", "pages", "editor", "component", "panels", "list", ""]
SCRIPT_IMPORT = re.compile(r"""^(?:import|export)\b[^;]*?\bfrom '(\.[^']*)';|\bimport\('(\.[^']*)'\)""", re.MULTILINE)


def script_imports() -> dict[str, set[str]]:
    """For each script of the page, the scripts that it imports; paths below its folder of static files."""
    graph = {}
    for path in sorted(PAGE.rglob("*.js")):
        found = SCRIPT_IMPORT.findall(path.read_text(encoding="utf-8"))
        targets = [(path.parent / (static or dynamic)).resolve() for static, dynamic in found]
        graph[path.relative_to(PAGE).as_posix()] = {target.relative_to(PAGE).as_posix() for target in targets}
    return graph


def test_scripts_import_each_other_in_one_direction() -> None:
    graph = script_imports()
    assert {name for names in graph.values() for name in names} - set(graph) == set()
    assert import_circles(graph) == []
    floors = {name: PAGE_FOLDERS.index(name.rpartition("/")[0]) for name in graph}
    wrong = [(name, other) for name, others in graph.items() for other in others if floors[other] > floors[name]]
    assert wrong == []


def classes_with_one_name() -> dict[str, list[str]]:
    """Public top-level class names of app and engine that two or more modules define, with these modules."""
    modules: dict[str, list[str]] = {}
    for path in python_files("app", "engine"):
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules.setdefault(node.name, []).append(path)
    return {name: paths for name, paths in modules.items() if len(paths) > 1}


def test_public_class_names_are_unique() -> None:
    assert classes_with_one_name() == {}


# Both packages have a tree of exceptions, a description of settings, and the flags of their commands.
SAME_JOB_IN_BOTH_PACKAGES = {"errors", "settings", "arguments"}


def test_module_names_are_unique() -> None:
    names = Counter(Path(path).stem for path in python_files("app", "engine"))
    repeated = {name for name, count in names.items() if count > 1 and not name.startswith("__")}
    assert repeated == SAME_JOB_IN_BOTH_PACKAGES


def test_engine_does_not_import_page_or_database() -> None:
    foreign = {
        path: [n for n in imports_of(path) if n.split(".")[0] in FOREIGN_TO_ENGINE] for path in python_files("engine")
    }
    assert {path: names for path, names in foreign.items() if names} == {}


def test_product_does_not_import_tests_or_benchmarks() -> None:
    foreign = {
        path: [name for name in imports_of(path) if name.split(".")[0] in ("tests", "benchmarks")]
        for path in python_files("app", "engine")
    }
    assert {path: names for path, names in foreign.items() if names} == {}


def test_engine_has_every_name_that_it_lists() -> None:
    assert [name for name in engine.__all__ if not hasattr(engine, name)] == []
    assert not hasattr(engine, "Untranslator")


def test_app_uses_only_public_names_of_the_engine() -> None:
    allowed = {"engine"} | {f"engine.{name}" for name in public_names("engine/__init__.py")}
    used = {path: [n for n in imports_of(path) if n.split(".")[0] == "engine"] for path in python_files("app")}
    assert {path: set(names) - allowed for path, names in used.items() if set(names) - allowed} == {}


def test_only_models_and_commands_import_engine_implementations() -> None:
    behind = {f"engine.{name}" for name in ("AnyTranslator", "PivotTranslator", "Translator", "Worker", "ServedModels")}
    files = [path for path in python_files("app") if not path.startswith(("app/models/", "app/cli/"))]
    known = {path: behind & set(imports_of(path)) for path in files}
    assert {path: names for path, names in known.items() if names} == {"app/__main__.py": {"engine.ServedModels"}}


def test_only_the_page_and_the_start_know_gradio() -> None:
    files = [path for path in python_files("app") if not path.startswith(("app/ui/", "app/__main__.py"))]
    assert [path for path in files if any(name.split(".")[0] == "gradio" for name in imports_of(path))] == []


# --- README.md


def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def listed_entries(text: str) -> list[str]:
    """Names in the list under `## Files`, each with a description."""
    block = re.search(r"^## Files$.*?^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert block, "README.md has no code block under '## Files'"
    lines = [line.split(maxsplit=1) for line in block[1].splitlines()]
    assert [line for line in lines if len(line) != 2] == [], "README.md: these files have no description"
    return [name for name, _ in lines]


def present_entries(tracked: list[str]) -> set[str]:
    """Files and folders of the top level, without hidden ones; a folder ends with a slash."""
    entries = {path.split("/")[0] + ("/" if "/" in path else "") for path in tracked}
    return {entry for entry in entries if not entry.startswith(".")}


def test_file_list_has_the_top_level() -> None:
    tracked = [".gitignore", ".ci/run", "Makefile", "app/__init__.py", "app/ui/words.js", "tests/test_a.py"]
    expected = {"Makefile", "app/", "tests/"}
    assert present_entries(tracked) == expected
    page = "## Files\n\n```\nMakefile  x\napp/  x y\ntests/  x\n```\n"
    assert set(listed_entries(page)) == expected


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


def test_requirements_are_exact_and_name_no_host() -> None:
    for name in sorted(path.name for path in ROOT.glob("requirements*.txt")):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            requirement = line.split("#")[0].strip()
            is_exact = re.fullmatch(r"[\w.-]+(\[\w+\])?==[\w.]+(; .+)?", requirement)
            is_other_file = requirement.startswith("-r requirements") and (ROOT / requirement[3:]).is_file()
            assert not requirement or is_other_file or is_exact, line
