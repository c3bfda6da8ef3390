"""Runs the command line in this process."""

from __future__ import annotations

import io
import json
from pathlib import Path
from threading import Event
from typing import Any

from engine import SearchOptions, Translator
from engine.__main__ import main
from engine.cli.jobs import Defaults
from engine.cli.line_commands import LineCommands
from engine.cli.output import AnswerFormatter

SOURCE = "The quick brown fox opens the settings dialog."
QUICK = ["--beam", "3", "--nbest", "2", "--max-length-factor", "0.5", "--max-length-offset", "4"]
Json = dict[str, Any]


class Shell:
    """Runs commands in this process on one model; keeps what the last one wrote."""

    def __init__(self, model: Path) -> None:
        self.model = model
        self.output = b""
        self.messages = ""

    def run(self, arguments: list[str], *lines: Json | str | bytes) -> tuple[int, list[Json]]:
        """The exit status and the answers to these lines, each as JSON, text or raw bytes."""
        stdin = io.BytesIO(b"".join(encoded(line) + b"\n" for line in lines))
        stdout, stderr = io.BytesIO(), io.StringIO()
        command, *flags = arguments
        status = main([command, "--model", str(self.model), *flags], stdin, stdout, stderr)
        self.output, self.messages = stdout.getvalue(), stderr.getvalue()
        return status, answers(self.output)


def encoded(line: Json | str | bytes) -> bytes:
    if isinstance(line, bytes):
        return line
    return (line if isinstance(line, str) else json.dumps(line)).encode()


def answers(output: bytes) -> list[Json]:
    def no_constant(name: str) -> float:
        raise AssertionError(f"{name} is no JSON")

    return [json.loads(line, parse_constant=no_constant) for line in output.decode("utf-8").splitlines()]


def make_commands(translator: Translator, **settings: Any) -> LineCommands:
    """The commands on a model that is loaded already, with a quick search."""
    options = SearchOptions(beam=2, nbest=1, max_length_factor=0.2, max_length_offset=3)
    return LineCommands(translator, Defaults(options), AnswerFormatter(), Event(), **settings)
