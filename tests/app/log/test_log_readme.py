"""The description of the log in its README lists exactly the event types that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import app.log
from app.log.records import EventType
from app.reports.word_origins import ORIGINS, origin_name
from app.segments.text_changes import EditOrigin, ReportedOrigin

README = Path(app.log.__file__).with_name("README.md").read_text(encoding="utf-8")


def rows(start: str, end: str) -> list[tuple[set[str], set[str]]]:
    """The names in backquotes in the first two columns of a table."""
    lines = README.partition(start)[2].partition(end)[0].splitlines()
    columns = [line.split("|")[1:3] for line in lines if line.startswith("| `")]
    return [(set(re.findall(r"`([\w-]+)`", first)), set(re.findall(r"`(\w+)`", second))) for first, second in columns]


def documented() -> dict[str, set[str]]:
    """Each event type with the fields that its payload may have."""
    return {name: fields for names, fields in rows("## Events", "###") for name in names}


def test_exactly_the_event_types_are_described() -> None:
    assert sorted(documented()) == sorted(get_args(EventType))


def test_every_origin_of_a_change_is_described() -> None:
    described = {name for names, _ in rows("### Where text", "The page reports") for name in names}
    origins = {*get_args(ReportedOrigin), *get_args(EditOrigin)} - {"undo", "redo", "proposal", "hypothesis"}
    assert described == origins | {"n-best", "replace", "propagated", "review", "unknown"}
    assert {origin_name(name) for name in described} <= set(ORIGINS)
