"""The transcripts of a page: consoles with what was typed and what came back, run again on the bundled model.

Knows three things that can be typed: `[echo '...' |] python -m engine ...`, `cat FILE`, whose output is what the file
holds, and `echo $?`. To write the page anew, with another bundled model for instance:

    python -m tests.cli.transcript engine/README.md
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from engine.__main__ import main
from engine.cli.arguments import BUNDLED_MODEL

RENEW = "python -m tests.cli.transcript engine/README.md"

_CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
_CHECKSUM = re.compile(r"\b[0-9a-f]{64}\b")


@dataclass(frozen=True)
class Step:
    """What was typed after the `$ `, lines ended by a backslash included, and what came back."""

    typed: str
    output: str


def steps(page: str) -> list[Step]:
    """All steps of a page, in their order."""
    return [step for console in _CONSOLE.findall(page) for step in _steps(console)]


def checksum(page: str) -> str:
    """The checksum of the model that the page was made with."""
    found = _CHECKSUM.search(page)
    assert found, "the page names no model"
    return found[0]


def run(wanted: list[Step], folder: Path) -> Iterator[Step]:
    """The steps as they come out now, in `folder`."""
    status = 0
    for step in wanted:
        words = shlex.split(step.typed.replace("\\\n", " "))
        stdin = ""
        if words[0] == "echo" and "|" in words:
            stdin, words = words[1] + "\n", words[words.index("|") + 1 :]
        if words == ["echo", "$?"]:
            yield replace(step, output=f"{status}\n")
        elif words[0] == "cat":
            (folder / words[1]).write_text(step.output, encoding="utf-8")
            yield step
        else:
            assert words[:3] == ["python", "-m", "engine"], f"{step.typed!r} is nothing that a transcript can hold"
            stdout, stderr = io.BytesIO(), io.StringIO()
            own_cache = mock.patch.dict(os.environ, PINPOINT_CACHE=str(folder / "cache"))  # where nothing is
            with contextlib.chdir(folder), own_cache:
                status = main(words[3:], io.BytesIO(stdin.encode()), stdout, stderr)
            yield replace(step, output=stdout.getvalue().decode() + stderr.getvalue())


def is_like(found: str, expected: str) -> bool:
    """True if two outputs say the same: times may differ, and scores by what another processor rounds otherwise."""
    found_lines, expected_lines = found.splitlines(), expected.splitlines()
    return len(found_lines) == len(expected_lines) and all(map(_is_like_line, found_lines, expected_lines))


def _is_like_line(found: str, expected: str) -> bool:
    try:
        return _is_like_value(json.loads(found), json.loads(expected))
    except json.JSONDecodeError:
        return found == expected


def _is_like_value(found: Any, expected: Any, name: str = "") -> bool:
    if isinstance(found, float) and isinstance(expected, float):
        return name.endswith(("_ms", "_per_second")) or name == "seconds" or abs(found - expected) < 0.005
    if isinstance(found, dict) and isinstance(expected, dict):
        return list(found) == list(expected) and all(_is_like_value(found[key], expected[key], key) for key in found)
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(_is_like_value, found, expected))
    return type(found) is type(expected) and found == expected


def renewed(page: str, model_checksum: str, folder: Path) -> str:
    """The page with what comes out now."""
    outputs = iter(list(run(steps(page), folder)))

    def console(match: re.Match[str]) -> str:
        return "".join(f"$ {step.typed}\n{step.output}" for step in (next(outputs) for _ in _steps(match[0])))

    return _CHECKSUM.sub(model_checksum, _CONSOLE.sub(console, page))


def _steps(console: str) -> list[Step]:
    found = []
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        num_typed = next(number for number, line in enumerate(lines, start=1) if not line.endswith("\\\n"))
        found.append(Step("".join(lines[:num_typed]).rstrip("\n"), "".join(lines[num_typed:])))
    return found


if __name__ == "__main__":
    from engine import Translator

    path = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        page = renewed(path.read_text(encoding="utf-8"), Translator.load(BUNDLED_MODEL).checksum, Path(scratch))
    path.write_text(page, encoding="utf-8")
