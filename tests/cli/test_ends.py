"""What ends a whole run: one clear line on standard error, or none, and a status that tells."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine import Translator
from engine.__main__ import main
from engine.decoding.loop import DecodingJob, DecodingLoop
from tests.cli.shell import QUICK, answers

ROOT = Path(__file__).resolve().parents[2]


def test_fatal_error_is_reported_in_one_line(model, tmp_path, capsys):
    line = b'{"text": "a"}\n'
    for flags, names in (
        (["--model", str(tmp_path / "none")], "none is not a folder"),
        (["--device", "toaster"], "device toaster"),
        (["--device", "meta"], "device meta"),
        (["--device", "hpu"], "device hpu"),
        ([str(tmp_path / "none.jsonl")], "none.jsonl cannot be read"),
        ([str(tmp_path)], "cannot be read"),
        (["-o", str(tmp_path / "no" / "out.jsonl")], "out.jsonl cannot be written"),
    ):
        stderr = io.StringIO()
        assert main(["translate", "--model", str(model), *flags], io.BytesIO(line), io.BytesIO(), stderr) == 2
        assert stderr.getvalue().startswith("error: ")
        assert names in stderr.getvalue()
        assert stderr.getvalue().count("\n") == 1


def test_input_is_not_overwritten(shell, tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_text('{"text": "a"}\n')
    assert shell.run(["translate", str(path), "-o", str(path)])[0] == 2
    assert "also the input" in shell.messages
    assert path.read_text() == '{"text": "a"}\n'


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["transmute"],
        ["translate", "--bean", "3"],
        ["translate", "--bea", "3"],  # no abbreviations: a later flag would change their meaning
        ["translate", "--beam", "0"],
        ["translate", "--beam", "1001"],
        ["translate", "--batch-size", "0"],
        ["translate", "--stopping", "soon"],
        ["translate", "--pruning-threshold", "nan"],
        ["translate", "--deadline-ms", "-1"],
        ["score", "--beam", "3"],
    ],
)
def test_wrong_flags_are_refused_with_usage(arguments, capsys):
    with pytest.raises(SystemExit) as refused:
        main(arguments)
    assert refused.value.code == 2
    assert "usage: python -m engine" in capsys.readouterr().err


def test_unsupported_precision_is_reported_in_one_line_and_the_run_continues(model):
    line, arguments = b'{"text": "A house."}\n', ["translate", "--model", str(model), *QUICK]
    stderr, half, full = io.StringIO(), io.BytesIO(), io.BytesIO()
    assert main([*arguments, "--brief", "--precision", "half"], io.BytesIO(line), half, stderr) == 0
    assert stderr.getvalue() == "warning: 16-bit arithmetic is for GPUs; on cpu the model uses float32\n"
    assert main([*arguments, "--brief"], io.BytesIO(line), full) == 0
    assert answers(half.getvalue())[0]["hypotheses"] == answers(full.getvalue())[0]["hypotheses"]


def test_weights_have_the_precision_asked_for(model, monkeypatch):
    asked = []
    load = Translator.load

    def noting(*arguments, **more):
        translator = load(*arguments, **more)
        asked.append(translator.precision)
        return translator

    monkeypatch.setattr(Translator, "load", noting)
    for flags in ([], ["--precision", "int8"]):
        main(["translate", "--model", str(model), *QUICK, *flags], io.BytesIO(), io.BytesIO())
    assert asked == ["float32", "int8"]


class Closed(io.BytesIO):
    def write(self, data: Any, /) -> int:
        raise BrokenPipeError


class Full(io.BytesIO):
    def write(self, data: Any, /) -> int:
        raise OSError(28, "No space left on device")


def test_closed_output_ends_the_run_quietly_and_a_full_disk_does_not(model):
    line, arguments = b'{"text": "A house."}\n', ["translate", "--model", str(model), *QUICK]
    stderr = io.StringIO()
    assert main(arguments, io.BytesIO(line), Closed(), stderr) == 141
    assert stderr.getvalue() == ""
    assert main(arguments, io.BytesIO(line), Full(), stderr) == 2
    assert "No space left" in stderr.getvalue()


class Interrupted(io.BytesIO):
    """An input in which Ctrl-C is pressed while its third line is awaited."""

    num_read = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        self.num_read += 1
        if self.num_read == 3:
            signal.raise_signal(signal.SIGINT)
        return super().readline(size)


def test_ctrl_c_while_waiting_keeps_written_answers(model):
    output, stderr = io.BytesIO(), io.StringIO()
    handler = signal.getsignal(signal.SIGINT)
    source = Interrupted(b'{"text": "A house."}\n' * 5)
    assert main(["translate", "--model", str(model), "--batch-size", "1", *QUICK], source, output, stderr) == 130
    assert [answer["line"] for answer in answers(output.getvalue())] == [1, 2]
    assert stderr.getvalue() == ""
    assert signal.getsignal(signal.SIGINT) is handler


LINES = [f'{{"text": "{"a house and " * length}"}}\n'.encode() for length in (4, 2, 3, 1)]  # short ones first


def interrupted_lines(model: Path, *flags: str) -> list[int]:
    """The numbers of the lines that are written before Ctrl-C ends the run."""
    output = io.BytesIO()
    assert main([*flags, "--model", str(model), *QUICK], io.BytesIO(b"".join(LINES)), output) == 130
    return [answer["line"] for answer in answers(output.getvalue())]


def test_ctrl_c_while_decoding_writes_only_finished_answers(model, monkeypatch):
    step = DecodingLoop.step
    answered: list[DecodingJob] = []

    def interrupted(self: DecodingLoop) -> list[DecodingJob]:
        answered.extend(now := step(self))
        if now and len(answered) == 2:
            signal.raise_signal(signal.SIGINT)
        return now

    monkeypatch.setattr(DecodingLoop, "step", interrupted)
    assert interrupted_lines(model, "translate", "--batch-size", "2") == [2, 4]


def test_ctrl_c_while_pricing_writes_the_lines_before(model, monkeypatch):
    price = Translator.price
    calls = []

    def interrupted(self: Translator, *arguments: Any, **settings: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return price(self, *arguments, **settings)

    monkeypatch.setattr(Translator, "price", interrupted)
    assert interrupted_lines(model, "price") == [1]


@pytest.mark.skipif(os.name != "posix", reason="pipes that break and SIGINT are POSIX")
def test_process_ends_quietly_when_its_reader_goes(model):
    command = [sys.executable, "-m", "engine", "translate", "--model", str(model), "--batch-size", "1", *QUICK]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b'{"text": "A house."}\n')
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["line"] == 1
        process.stdout.close()
        process.stdin.write(b'{"text": "A house."}\n' * 3)
        process.stdin.close()
        assert process.wait() == 141
        assert process.stderr.read() == b""
