"""Rules that the server and the page both apply: the Python side against the tables of cases in this folder.

`node --test` reads the same tables for the JavaScript side. Each table names its rule and both implementations.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.formats import FORMATS
from app.glossary.reading.glossary_file import MAX_BYTES as MAX_GLOSSARY_BYTES
from app.log.changes import reported_changes
from app.reports.working_time import IDLE_LIMIT_MS
from app.segments.clean_texts import MAX_COMMENT_CHARACTERS, one_line
from app.segments.segment_constraints import Constraints, contains_banned
from app.text.folding import folded
from app.text.words import word_spans
from app.tm.memory_file import MAX_BYTES as MAX_MEMORY_BYTES
from app.ui.server import MAX_BODY_BYTES
from app.workspace.activity import MAX_KEY_CHARACTERS
from engine import Avoid, is_unspaced, is_word_char

FOLDER = Path(__file__).parent
MIB = 2**20
LIMITS = {
    "idle_limit_ms": IDLE_LIMIT_MS,
    "comment_characters": MAX_COMMENT_CHARACTERS,
    "key_name_characters": MAX_KEY_CHARACTERS,
    "document_mib": max(one.max_bytes for one in FORMATS.values()) // MIB,
    "glossary_mib": MAX_GLOSSARY_BYTES // MIB,
    "memory_mib": MAX_MEMORY_BYTES // MIB,
}


def cases(table: str) -> list[Any]:
    """The table's cases, each named by its reason; a reason is unique in its table."""
    rows = json.loads((FOLDER / f"{table}.json").read_text(encoding="utf-8"))["cases"]
    return [pytest.param(row, id=row["why"]) for row in rows]


@pytest.mark.parametrize("case", cases("word_boundaries"))
def test_phrase_is_found_as_whole_words(case: dict[str, Any]):
    assert contains_banned(case["text"], Avoid(case["phrase"], case["case"])) is case["expected"]


@pytest.mark.parametrize("case", cases("folding"))
def test_text_is_folded_for_comparison(case: dict[str, Any]):
    assert folded(case["text"]) == case["expected"]


@pytest.mark.parametrize("case", cases("pin_and_ban"))
def test_newer_of_a_contradicting_pin_and_ban_is_kept(case: dict[str, Any]):
    before = Constraints.from_json({"pins": case["pins"], "bans": case["bans"]})
    action = case["action"]
    if "pin" in action:
        after = replace(before, pins=(*before.pins, action["pin"]))
    else:
        after = replace(before, bans=(*before.bans, Avoid(**action["ban"])))
    assert after.cleaned().without_contradictions(before) == Constraints.from_json(case["expected"])


@pytest.mark.parametrize("case", cases("cleaning"))
def test_text_is_cleaned_to_one_line(case: dict[str, Any]):
    assert one_line(case["text"]) == case["expected"]


@pytest.mark.parametrize("case", cases("word_edges"))
def test_punctuation_around_a_word_is_left_out(case: dict[str, Any]):
    assert [case["text"][start:end] for start, end in word_spans(case["text"])] == case["words"]


@pytest.mark.parametrize("case", cases("characters"))
def test_character_has_its_class(case: dict[str, Any]):
    assert is_word_char(case["char"]) is case["is_word_char"]
    assert is_unspaced(case["char"]) is case["is_unspaced"]


@pytest.mark.parametrize("case", cases("text_changes"))
def test_change_sent_by_the_page_leads_to_the_new_text(case: dict[str, Any]):
    offset, num_removed, new = case["expected"]
    changes = reported_changes(case["before"], case["after"], [(offset, num_removed, new, "typed")])
    assert changes is not None
    assert changes[0].applied(case["before"]) == case["after"]


@pytest.mark.parametrize("case", cases("limits"))
def test_limit_is_the_same_on_both_sides(case: dict[str, Any]):
    assert LIMITS[case["name"]] == case["value"]


def test_every_limit_is_in_the_table():
    table = json.loads((FOLDER / "limits.json").read_text(encoding="utf-8"))["cases"]
    assert sorted(row["name"] for row in table) == sorted(LIMITS)


def test_largest_file_fits_into_one_message():
    """Files travel as base64, four characters for three bytes."""
    assert max(LIMITS["document_mib"], LIMITS["memory_mib"]) * MIB * 4 / 3 < MAX_BODY_BYTES
