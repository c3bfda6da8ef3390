"""`python -m engine`: JSON lines in, JSON lines out; evaluation and listing of models.

Opens the files and the model, and turns failures into exit statuses.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import BinaryIO, TextIO

from engine.cli import models
from engine.cli.arguments import parse
from engine.cli.evaluation import run_evaluation
from engine.cli.jobs import Defaults
from engine.cli.line_commands import LineCommands
from engine.cli.lines import STANDARD_STREAM, InputLine, RunError, check_output, open_file, read_lines
from engine.cli.output import AnswerFormatter, Writer
from engine.cli.terminal import Interrupt, ProgressBar
from engine.errors import EngineError
from engine.search.batching import is_out_of_memory
from engine.translator import Translator

DONE, SOME_LINES_FAILED, STOPPED, INTERRUPTED, OUTPUT_CLOSED = 0, 1, 2, 130, 141


def main(
    arguments: Sequence[str] | None = None,
    stdin: BinaryIO | None = None,
    stdout: BinaryIO | None = None,
    stderr: TextIO | None = None,
) -> int:
    """Run one command and return its exit status. Wrong flags raise SystemExit, as in argparse."""
    flags, defaults = parse(arguments)
    with warnings.catch_warnings():
        messages = stderr or sys.stderr
        warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=messages)
        return _main(flags, defaults, stdin, stdout or sys.stdout.buffer, messages)


def _main(
    flags: argparse.Namespace, defaults: Defaults, stdin: BinaryIO | None, output: BinaryIO, messages: TextIO
) -> int:
    try:
        if flags.command == "models":
            if flags.remove is None:
                models.list_models(output, as_json=flags.json)
            else:
                models.remove(flags.remove, output)
            return DONE
        if flags.command == "evaluate":
            is_whole = run_evaluation(flags, defaults, _load(flags), output, messages)
            return DONE if is_whole else SOME_LINES_FAILED
        return _run(flags, defaults, stdin or sys.stdin.buffer, output, messages)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        if output is sys.stdout.buffer:  # or else Python complains when it flushes it at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OUTPUT_CLOSED
    except (EngineError, RunError) as error:
        print(f"error: {error}", file=messages)
    except OSError as error:
        print(f"error: {error}; all lines written so far are complete", file=messages)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        print("error: the memory is full; lower --batch-size or --beam", file=messages)
    return STOPPED


def _run(flags: argparse.Namespace, defaults: Defaults, stdin: BinaryIO, stdout: BinaryIO, stderr: TextIO) -> int:
    with ExitStack() as files:
        # 1. errors that can be found before a line is read
        source = stdin if flags.input == STANDARD_STREAM else files.enter_context(open_file(flags.input, "rb"))
        check_output(flags.output, flags.input)
        translator = _load(flags)
        output = stdout if flags.output == STANDARD_STREAM else files.enter_context(open_file(flags.output, "wb"))

        # 2. line by line
        interrupt = files.enter_context(Interrupt())
        commands = LineCommands(
            translator,
            defaults,
            AnswerFormatter(flags.brief),
            interrupt.cancel,
            batch_size=1 if source.isatty() else getattr(flags, "batch_size", 1),
            deadline_ms=getattr(flags, "deadline_ms", None),
            is_plain=getattr(flags, "plain", False),
        )
        writer = Writer(output)
        progress = ProgressBar(stderr, source, output)
        files.callback(progress.clear)
        for line, answer in flags.run(commands, _lines(source, interrupt)):
            writer.write(line.number, answer)
            progress.show(writer.num_lines, line.end)
    if interrupt.cancel.is_set():
        return INTERRUPTED
    if writer.num_failed:
        print(f"{writer.num_failed:,} of {writer.num_lines:,} lines failed; the output has the reasons", file=stderr)
        return SOME_LINES_FAILED
    return DONE


def _lines(source: BinaryIO, interrupt: Interrupt) -> Iterator[InputLine]:
    """The lines of the input; Ctrl-C while waiting for a line ends the run immediately."""
    lines = read_lines(source)
    while True:
        with interrupt.waiting():
            line = next(lines, None)
        if line is None:
            return
        yield line


def _load(flags: argparse.Namespace) -> Translator:
    return Translator.load(
        flags.model, flags.device, flags.precision, is_compiled=flags.is_compiled, num_threads=flags.threads
    )


if __name__ == "__main__":
    sys.exit(main())
