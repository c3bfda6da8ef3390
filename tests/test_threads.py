"""Where threads start: one that others can find in an attribute has begun before they can."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
THREADS = {"Thread", "Timer", "ThreadPoolExecutor", "_new_thread"}


def unguarded(tree: ast.Module) -> Iterator[str]:
    """The methods that put a thread into an attribute of a finished object, or start it, outside a lock."""
    for owner in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        kept = {
            ast.unparse(target)
            for node in ast.walk(owner)
            if isinstance(node, ast.Assign) and _makes_thread(node.value)
            for target in _targets(node)
        }
        for method in (node for node in owner.body if isinstance(node, ast.FunctionDef) and node.name != "__init__"):
            guarded = {
                inner
                for node in ast.walk(method)
                if isinstance(node, ast.With) and any(_is_lock(item.context_expr) for item in node.items)
                for inner in ast.walk(node)
            }
            for node in ast.walk(method):
                is_put = isinstance(node, ast.Assign) and _makes_thread(node.value) and bool(_targets(node))
                is_begun = isinstance(node, ast.Call) and ast.unparse(node.func) in {f"{name}.start" for name in kept}
                if (is_put or is_begun) and node not in guarded:
                    yield f"{owner.name}.{method.name}"


def _makes_thread(value: ast.expr) -> bool:
    calls = (node.func for node in ast.walk(value) if isinstance(node, ast.Call))
    return any(ast.unparse(call).rpartition(".")[2] in THREADS for call in calls)


def _targets(node: ast.Assign) -> list[ast.expr]:
    targets = [part for each in node.targets for part in (each.elts if isinstance(each, ast.Tuple) else [each])]
    return [each for each in targets if isinstance(each, ast.Attribute)]


def _is_lock(context: ast.expr) -> bool:
    return any(name in ast.unparse(context) for name in ("lock", "_changed"))


def test_a_thread_that_others_can_find_has_begun() -> None:
    found = [
        f"{path.relative_to(ROOT).as_posix()} {where}"
        for folder in ("app", "engine")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for where in unguarded(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("body", "is_right"),
    [
        ("self._thread = Thread(target=run)\n  self._thread.start()", False),
        ("with self._lock:\n   self._thread = Thread(target=run)\n  self._thread.start()", False),
        ("with self._lock:\n   self._thread = Thread(target=run)\n   self._thread.start()", True),
        ("thread = Thread(target=run)\n  thread.start()", True),
    ],
)
def test_a_thread_that_begins_too_late_is_found(body: str, is_right: bool) -> None:
    assert bool([*unguarded(ast.parse(f"class A:\n def restart(self):\n  {body}"))]) != is_right
