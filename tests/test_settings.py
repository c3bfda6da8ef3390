"""Settings described once: flags, checks and help come from the same description."""

from __future__ import annotations

import argparse
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from engine.errors import InvalidRequest
from engine.settings import add_flags, check_settings, given_settings, setting, settings_of


@dataclass(frozen=True)
class Options:
    direction: str = setting(MISSING, "the direction", flag="from_to", metavar="FROM-TO")
    beam: int = setting(10, "hypotheses kept", minimum=1, maximum=1000)
    rate: float = setting(0.5, "learning rate", minimum=0, is_above_minimum=True)
    limit: int | None = setting(None, "first lines only", minimum=1, unset="all")
    order: Literal["up", "down"] = setting("up", "sorts 50 % of them")
    languages: tuple[str, ...] = setting(("en", "de"), "languages")
    sets: tuple[str, ...] = setting((), "a set", flag="set", is_repeated=True)
    folder: Path | None = setting(None, "folder", unset="none")
    is_fast: bool = setting(False, "hurry")
    seed: int = 1  # not described: it has no flag

    def __post_init__(self) -> None:
        check_settings(self, InvalidRequest)


def parsed(*arguments: str) -> Options:
    parser = argparse.ArgumentParser()
    add_flags(parser, Options)
    return Options(**given_settings(Options, parser.parse_args(arguments)))


def test_flags_without_values_give_the_defaults() -> None:
    assert parsed("--from-to", "en-de") == Options("en-de")


def test_flags_give_values_of_the_fields_types() -> None:
    flags = "--from-to de-en --beam 3 --rate 1e-3 --limit 7 --order down --languages fr,en --set a --set b --folder x"
    found = parsed(*flags.split(), "--is-fast")
    assert found == Options("de-en", 3, 0.001, 7, "down", ("fr", "en"), ("a", "b"), Path("x"), True)
    assert parsed("--from-to", "en-de", "--limit", "none").limit is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"beam": 0}, "beam is 0; it must be between 1 and 1000"),
        ({"beam": 1001}, "beam is 1001; it must be between 1 and 1000"),
        ({"rate": 0}, "rate is 0; it must be more than 0"),
        ({"rate": float("nan")}, "rate is nan; it must be more than 0"),
        ({"limit": 0}, "limit is 0; it must be at least 1, or none"),
        ({"order": "left"}, "order is 'left'; it must be one of up, down"),
    ],
)
def test_value_out_of_range_is_refused_with_name_value_and_range(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        Options("en-de", **given)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--beam", "x"], "argument --beam: 'x' is not a whole number"),
        (["--rate", "x"], "argument --rate: 'x' is not a number"),
        ([], "the following arguments are required: --from-to"),
    ],
)
def test_wrong_flag_ends_with_a_message(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit):
        parsed(*arguments)
    assert message in capsys.readouterr().err


def settings_table(options: type) -> str:
    """The settings in Markdown: name, values, default, meaning."""
    rows = [
        f"| `{entry.name}` | {'true or false' if entry.kind is bool else entry.values} | {entry.shown_default} "
        f"| {entry.help} |"
        for entry in settings_of(options)
    ]
    return "\n".join(["| option | values | default | meaning |", "|---|---|---|---|", *rows]) + "\n"


def test_help_and_table_show_meaning_values_and_default() -> None:
    parser = argparse.ArgumentParser(
        formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=40, width=200)
    )
    add_flags(parser, Options)
    manual = parser.format_help()
    assert " hypotheses kept (between 1 and 1000; default: 10)" in manual
    assert "first lines only (default: all)" in manual
    assert "sorts 50 % of them (default: up)" in manual
    table = settings_table(Options)
    assert "| `rate` | more than 0 | 0.5 | learning rate |" in table
    assert "seed" not in table
