"""The command-line flags, and the defaults that they set for lines."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from engine.cli import manual
from engine.cli.jobs import Defaults
from engine.cli.line_commands import LineCommands
from engine.cli.lines import STANDARD_STREAM
from engine.errors import InvalidRequest
from engine.importers import BUNDLED_MODEL
from engine.model.config import Precision
from engine.request import Formality
from engine.search_options import SearchOptions
from engine.settings import add_flags, given_settings


class _Manual(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=118)


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; `run` of what it parses is the command, a method of Commands."""
    parser = argparse.ArgumentParser(
        prog="python -m engine",
        description=manual.OVERVIEW,
        epilog=manual.COMMON + "\nengine/README.md has an example of each command.",
        formatter_class=_Manual,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", help="one of those above")

    def add(name: str, text: str, common: str = manual.COMMON) -> argparse.ArgumentParser:
        description, rest = text.split("\n\nkeys of ", maxsplit=1)
        return commands.add_parser(
            name,
            description=description,
            epilog=f"keys of {rest}\n{common}",
            formatter_class=_Manual,
            allow_abbrev=False,
        )

    translate = add("translate", manual.TRANSLATE)
    translate.set_defaults(run=LineCommands.translate)
    files = _add_files(translate)
    files.add_argument("--plain", action="store_true", help="read plain text, one sentence per line, instead of JSON")
    _add_model(translate)
    _add_search(translate)
    _add_batch_size(_add_time(translate))

    score = add("score", manual.SCORE)
    score.set_defaults(run=LineCommands.score)
    _add_files(score)
    _add_model(score)

    alternatives = add("alternatives", manual.ALTERNATIVES)
    alternatives.set_defaults(run=LineCommands.alternatives)
    _add_files(alternatives)
    _add_model(alternatives)
    _add_search(alternatives)
    _add_time(alternatives)

    price = add("price", manual.PRICE)
    price.set_defaults(run=LineCommands.price)
    _add_files(price)
    _add_model(price)
    _add_search(price)
    _add_time(price)

    evaluate = add("evaluate", manual.EVALUATE, manual.EVALUATION_STATUS)
    _add_test_set(evaluate)
    _add_model(evaluate)
    _add_search(evaluate, with_nbest=False)
    _add_batch_size(evaluate)

    models = add("models", manual.MODELS, manual.STATUS)
    one_of = models.add_mutually_exclusive_group()
    one_of.add_argument("--json", action="store_true", help="JSON lines instead of a table")
    one_of.add_argument("--remove", metavar="MODEL", help="remove the converted model of this name to free disk space")
    return parser


def parse(arguments: Sequence[str] | None = None) -> tuple[argparse.Namespace, Defaults]:
    """The flags, and the defaults that they set for lines; a wrong flag ends the program with usage and status 2."""
    parser = build_parser()
    flags = parser.parse_args(arguments)
    given = given_settings(SearchOptions, flags)
    try:
        style = {name: getattr(flags, name, None) for name in ("direction", "domain", "formality")}
        splits = getattr(flags, "split_sentences", True)
        return flags, Defaults(SearchOptions(**given), **style, split_sentences=splits)
    except InvalidRequest as error:
        parser.error(str(error))


def _add_files(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("files")
    group.add_argument(
        "input", nargs="?", default=STANDARD_STREAM, metavar="INPUT", help="file to read (default: standard input)"
    )
    group.add_argument(
        "-o", "--output", default=STANDARD_STREAM, metavar="FILE", help="file to write (default: standard output)"
    )
    group.add_argument(
        "--brief",
        action="store_true",
        help="omit tokens, their log-probabilities and spans, and the alignment",
    )
    return group


def _add_model(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("model")
    group.add_argument(
        "--model",
        type=Path,
        default=BUNDLED_MODEL,
        metavar="MODEL",
        help="model folder, or a hub id such as Helsinki-NLP/opus-mt-en-de, which is downloaded once; `models` lists "
        "those on this machine (default: the bundled model)",
    )
    group.add_argument(
        "--direction", metavar="FROM-TO", help="direction of lines without one (default: the model's first)"
    )
    group.add_argument("--domain", help="domain of lines without one, for a model trained with domains (default: none)")
    group.add_argument(
        "--formality",
        choices=get_args(Formality),
        help="German form of address in lines without one: formal (Sie) or informal (du), for a model trained with it "
        "(default: the model decides)",
    )
    group.add_argument(
        "--no-split-sentences",
        dest="split_sentences",
        action="store_false",
        help="translate lines without split_sentences as one sentence (default: each sentence of a line alone)",
    )
    group.add_argument("--device", default="cpu", help="where to compute: cpu, cuda, cuda:1 (default: cpu)")
    group.add_argument(
        "--precision",
        choices=(*get_args(Precision), "auto"),
        default="float32",
        help="precision of weights and matrix products: half (16 bits) for GPUs; int8 (8 bits) for CPUs and large "
        "models; auto chooses, as the app does; scores are always 32 bits (default: float32)",
    )
    group.add_argument(
        "--no-core",
        dest="is_compiled",
        action="store_false",
        help="decode in PyTorch instead of in the compiled core",
    )
    group.add_argument(
        "--threads",
        type=_at_least_1,
        default=1,
        metavar="N",
        help="CPU threads; more help if cores are idle (default: 1)",
    )


def _add_batch_size(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--batch-size", type=_at_least_1, default=16, metavar="N", help="sentences decoded together (default: 16)"
    )


def _add_test_set(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files", "UTF-8, one segment per line; all files have the same number of lines.")
    group.add_argument("--source", required=True, metavar="FILE", help="source segments")
    group.add_argument("--reference", required=True, metavar="FILE", help="reference translation of each line")
    group.add_argument("--constraints", metavar="FILE", help="constraints of each line, as JSON (see below)")
    group.add_argument("--glossary", metavar="FILE", help="terms, required where a source contains them (see below)")
    group.add_argument(
        "--unconstrained",
        action="store_true",
        help="do not require constraints or terms, for comparison; terms are still counted",
    )
    group.add_argument("-o", "--output", metavar="FILE", help="write the translations to this file, one per line")
    group.add_argument("--json", action="store_true", help="write the results as a JSON object instead of a table")


def _add_search(parser: argparse.ArgumentParser, *, with_nbest: bool = True) -> None:
    group = parser.add_argument_group("search", "Defaults for lines without options.")
    add_flags(group, SearchOptions, leave_out=() if with_nbest else ("nbest",))


def _add_time(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("time")
    group.add_argument(
        "--deadline-ms",
        type=_milliseconds,
        metavar="MS",
        help="time limit for each line, after which the best translation so far is returned (default: no limit)",
    )
    return group


def _at_least_1(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is too small; it must be at least 1")
    return number


def _milliseconds(text: str) -> float:
    number = float(text)
    if not number >= 0:
        raise argparse.ArgumentTypeError(f"{text} is not a valid time; it must be at least 0")
    return number
