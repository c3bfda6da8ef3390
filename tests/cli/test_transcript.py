"""engine/README.md shows what really comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import Translator
from engine.cli.arguments import BUNDLED_MODEL
from tests.cli.transcript import RENEW, Step, checksum, is_like, renewed, run, steps

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "engine" / "README.md"


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_page_shows_every_command():
    commands = {found for step in steps(page()) for found in re.findall(r"python -m engine (\w+)", step.typed)}
    assert commands == {"translate", "score", "alternatives", "price", "evaluate", "models"}


def test_transcripts_equal_the_output_of_the_bundled_model(tmp_path):
    cure = f"write the page anew: {RENEW}"
    assert Translator.load(BUNDLED_MODEL).checksum == checksum(page()), f"made with another model; {cure}"
    for shown, found in zip(steps(page()), run(steps(page()), tmp_path), strict=True):
        assert is_like(found.output, shown.output), f"$ {shown.typed}\n{found.output}\nis not\n\n{shown.output}\n{cure}"


def test_steps_are_read_from_consoles_alone():
    text = "```\n$ no\n```\n\n```console\n$ echo 'a' \\\n    | python -m engine score\nb\nc\n$ echo $?\n0\n```\n"
    assert steps(text) == [Step("echo 'a' \\\n    | python -m engine score", "b\nc\n"), Step("echo $?", "0\n")]


def test_page_is_renewed_in_place(model, tmp_path):
    text = (
        f"Made with {'0' * 64}.\n\n```console\n$ cat lines\nno JSON\n$ python -m engine score --model {model} lines\n"
        "what it was\n$ echo $?\n0\n```\nThe rest stays.\n"
    )
    found = renewed(text, "a" * 64, tmp_path)
    assert found.startswith(f"Made with {'a' * 64}.\n\n```console\n$ cat lines\nno JSON\n$ python")
    assert '{"line": 1, "error": {"kind": "unreadable"' in found
    assert found.endswith("1 of 1 lines failed; the output has the reasons\n$ echo $?\n1\n```\nThe rest stays.\n")
    assert all(is_like(a.output, b.output) for a, b in zip(run(steps(found), tmp_path), steps(found), strict=True))


@pytest.mark.parametrize(
    ("found", "is_alike", "why"),
    [
        ('{"a": 1.001, "b_ms": 7.5}\n', True, "rounding, time"),
        ('{"a": 1.1, "b_ms": 7.0}\n', False, "another score"),
        ('{"a": 1, "b_ms": 7.0}\n', False, "another type"),
        ('{"b_ms": 7.0, "a": 1.0}\n', False, "another order"),
        ('{"a": 1.0, "b_ms": 7.0}\nmore\n', False, "one line more"),
        ("text\n", False, "no JSON"),
    ],
)
def test_outputs_are_alike_but_for_time_and_rounding(found, is_alike, why):
    assert is_like(found, '{"a": 1.0, "b_ms": 7.0}\n') == is_alike, why
