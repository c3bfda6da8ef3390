"""The manual is whole, and the progress bar keeps to terminals."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from typing import Any

import pytest

from engine import Hypothesis, Placement, Reason, Request, SearchOptions, Translation
from engine.cli import jobs
from engine.cli.arguments import build_parser
from engine.cli.terminal import ProgressBar
from engine.evaluation import Evaluation, Scores
from engine.importers import ModelEntry, ModelFamily
from engine.settings import given_settings, settings_of
from tests.test_settings import settings_table


def subparsers() -> dict[str, Any]:
    return next(action.choices for action in build_parser()._actions if action.dest == "command")


@pytest.mark.parametrize("command", ["translate", "score", "alternatives", "price", "evaluate", "models"])
def test_manual_describes_every_flag_and_key(command):
    manual = subparsers()[command].format_help()
    for action in subparsers()[command]._actions:
        for flag in action.option_strings:
            assert flag in manual
        assert action.help, action
    keys = {
        "translate": (*jobs._REQUEST_KEYS, *jobs._PHRASE_KEYS, *SearchOptions.__dataclass_fields__),
        "score": ("text", "target", "tokens", *jobs._STYLE_KEYS),
        "alternatives": (*jobs._REQUEST_KEYS, "target", "tokens", "offset", "count"),
        "price": jobs._REQUEST_KEYS,
        "evaluate": {field.name for kind in (Evaluation, Scores) for field in dataclasses.fields(kind)}
        - {"scores", "translations"},
        "models": [field.name for kind in (ModelEntry, ModelFamily) for field in dataclasses.fields(kind)],
    }[command]
    missing = [key for key in keys if key not in manual]
    assert missing == []
    assert "exit status:" in manual
    assert max(len(line) for line in manual.splitlines()) <= 120


def test_manual_and_keys_follow_the_engine():
    in_python = {"source", "examples"}  # the examples of a prompt are for programs in Python
    assert {field.name for field in dataclasses.fields(Request)} - in_python == set(jobs._REQUEST_KEYS) - {
        "text",
        "options",
    }
    manual = subparsers()["translate"].format_help()
    told = [
        field.name
        for answer in (Translation, Hypothesis, Placement, Reason)
        for field in dataclasses.fields(answer)
        if field.name not in ("request", "learned", "weak_alignment", "prompts")  # for programs in Python
    ]
    assert [name for name in told if name not in manual] == []


def test_search_flags_have_the_defaults_of_the_engine():
    flags = build_parser().parse_args(["translate"])
    assert SearchOptions(**given_settings(SearchOptions, flags)) == SearchOptions()
    assert {entry.name for entry in settings_of(SearchOptions)} == set(SearchOptions.__dataclass_fields__)


def test_readme_has_the_table_of_search_options():
    readme = (Path(__file__).parents[2] / "engine" / "README.md").read_text(encoding="utf-8")
    table = settings_table(SearchOptions)
    assert table in readme, f"put this table into engine/README.md:\n{table}"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_drawn_on_a_terminal_and_cleared(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"x" * 200)
    stderr = Terminal()
    with path.open("rb") as source:
        bar = ProgressBar(stderr, source, io.BytesIO())
        bar.show(num_lines=1200, num_bytes=100)
        bar.show(num_lines=1201, num_bytes=101)  # too soon to be shown
        bar.clear()
    assert "\r[##########..........]  50%  1,200 lines" in stderr.getvalue()
    assert "1,201" not in stderr.getvalue()
    assert stderr.getvalue().split("\r")[-2].strip() == ""


def test_progress_is_silent_in_a_log_and_beside_answers_on_the_same_terminal():
    class TerminalOutput(io.BytesIO):
        def isatty(self) -> bool:
            return True

    for stderr, output in ((io.StringIO(), io.BytesIO()), (Terminal(), TerminalOutput())):
        bar = ProgressBar(stderr, io.BytesIO(), output)
        bar.show(num_lines=1, num_bytes=1)
        bar.clear()
        assert stderr.getvalue() == ""
