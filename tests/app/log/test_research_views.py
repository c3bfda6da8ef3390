"""The views for research, and the questions that the guide for researchers answers with them."""

from __future__ import annotations

import csv
import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.__main__ import main
from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.log.store import LogStore, SegmentUpdate

GUIDE = Path(__file__).parents[3] / "docs" / "researchers.md"
QUESTIONS = re.findall(r"^ *```sql\n(.*?)^ *```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
ANSWERS: list[list[dict[str, Any]]] = [
    [
        {"document": "a.txt", "segment": 1, "seconds": 9.0, "source": "One cat."},
        {"document": "a.txt", "segment": 2, "seconds": 1.0, "source": "Two."},
    ],
    [{"document": "a.txt", "characters_per_hour": 12 * 360.0}],
    [{"document": "a.txt", "segment": 2, "source": "Two.", "target": "Zwei."}],
    [{"origin": "typed", "characters": 5}, {"origin": "paste", "characters": 2}],
    [{"person": "", "removed_for_each": 1.0}, {"person": "mia", "removed_for_each": 0.25}],
    [{"rank": 0, "taken": 1}, {"rank": 2, "taken": 1}],
    [
        {"kind": "ban", "asked": 1, "met": 1},
        {"kind": "pin", "asked": 2, "met": 1},
        {"kind": "term", "asked": 1, "met": 1},
    ],
    [{"text": "Katze", "highest_price": 1.25}],
    [
        {"has_constraints": 0, "requests": 1, "mean_ms": 10.0},
        {"has_constraints": 1, "requests": 1, "mean_ms": 30.0},
    ],
    [
        {"first_action": "confirm", "times": 1, "mean_ms": 1000.0},
        {"first_action": "insert", "times": 1, "mean_ms": 2000.0},
    ],
]
NO_REQUEST = {"constraints": [], "phrases": [], "avoid": [], "locked": [], "prefix": "", "follow": None}


def required(text: str, **origin: Any) -> dict[str, Any]:
    return {"text": text, "is_pinned": False, "term_keys": [], **origin}


EVENTS: list[tuple[int, Any, int | None, dict[str, Any]]] = [  # milliseconds, type, segment, payload
    (0, "decode_request", 0, {"number": 1, **NO_REQUEST}),
    (0, "decode_result", 0, {"number": 1, "status": "complete", "elapsed_ms": 10, "hypotheses": [{"text": "A"}]}),
    (0, "focus", 0, {}),
    (2_000, "insert", 0, {"offset": 0, "text": "Eine", "removed": "E", "origin": "typed", "person": "mia"}),
    (3_000, "paste", 0, {"offset": 4, "text": " K", "origin": "paste"}),
    (4_000, "delete", 0, {"offset": 4, "text": " K", "origin": "typed"}),
    (4_000, "hypothesis_taken", 0, {"origin": "n-best", "rank": 0}),
    (5_000, "hypothesis_taken", 0, {"origin": "n-best", "rank": 2}),
    (5_000, "insert", 0, {"offset": 0, "text": "e", "removed": "E", "origin": "typed"}),
    (5_000, "pin", 0, {"text": "Katze"}),
    (
        5_000,
        "decode_request",
        0,
        {
            **NO_REQUEST,
            "number": 1,  # numbers begin again when a session is resumed
            "constraints": [
                required("Katze", is_pinned=True),
                required("Hund", is_pinned=True),
                required("Eine", term_keys=["one\tEine"]),
            ],
            "avoid": [{"text": "Kater"}],
        },
    ),
    (
        5_030,
        "decode_result",
        0,
        {
            "number": 1,
            "status": "complete",
            "elapsed_ms": 30,
            "reasons": [{"kind": "no room", "phrase": 1}],
            "hypotheses": [
                {
                    "text": "Eine Katze. Katze",
                    "placements": [
                        {"phrase": 0, "form": "Katze", "start": 5},
                        {"phrase": 0, "form": "Katze", "start": 12},
                        {"phrase": 2, "form": "Eine", "start": 0},
                    ],
                }
            ],
        },
    ),
    (5_030, "prices", 0, {"number": 1, "total": 2, "constraints": [{"price": 1.25}, {"price": None}, {"price": 0.5}]}),
    (5_030, "decode_request", 1, {"number": 1, **NO_REQUEST}),
    (100_000, "idle", 0, {"idle_ms": 91_000}),  # the person read until 9,000
    (100_000, "focus", 1, {}),
    (101_000, "confirm", 1, {"text": "Zwei."}),
    (101_000, "blur", 1, {}),
    (101_000, "close", None, {}),
]


MODEL_EVENTS = ("decode_request", "decode_result", "prices")
OWN_EVENTS = ["open", *(row[1] for row in EVENTS if row[1] not in MODEL_EVENTS and "person" not in row[3]), "reopen"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log in which the events have the times of the list."""
    path = tmp_path_factory.mktemp("views") / "log.sqlite"
    with closing(LogStore.open(path)) as store:
        session = store.start_session(OWNER, read_document(b"One cat.\nTwo.\n", "a.txt"), "en-de", token="t")
        for _, event_type, segment, payload in EVENTS:
            update = SegmentUpdate("confirmed", payload["text"], 1) if event_type == "confirm" else None
            store.append(OWNER, session.id, event_type, payload, segment=segment, update=update)
        store.append(OWNER, session.id, "reopen", {}, segment=0, update=SegmentUpdate("confirmed", "Eine", 1))
    with closing(sqlite3.connect(path)) as connection, connection:
        for seq, (at_ms, *_) in enumerate([(0,), *EVENTS, (101_000,)], 1):
            times = (1_700_000_000_000 + at_ms, at_ms, seq)
            connection.execute("UPDATE event SET wall_ms = ?, monotonic_ms = ? WHERE seq = ?", times)
    return path


def query(log: Path, question: str) -> Any:
    limit = csv.field_size_limit()
    from sqlite_utils.cli import cli

    csv.field_size_limit(limit)  # that import raises it for the whole process
    answer = CliRunner().invoke(cli, ["query", str(log), question])
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.output)


def test_the_guide_has_ten_questions() -> None:
    assert len(QUESTIONS) == len(ANSWERS) == 10


@pytest.mark.parametrize("number", range(1, 11))
def test_question_of_the_guide_is_answered(log: Path, number: int) -> None:
    assert query(log, QUESTIONS[number - 1]) == ANSWERS[number - 1]


def test_columns_of_each_view_are_those_of_the_guide(log: Path) -> None:
    rows = re.findall(r"^\| `(research_\w+)` \| .*? \| (.*) \|$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 5
    with closing(sqlite3.connect(log)) as connection:
        for view, described in rows:
            columns = {column[0] for column in connection.execute(f"SELECT * FROM {view}").description}
            names = set(re.findall(r"`(\w+)`", re.sub(r"\([^()]*\)", "", described)))
            assert columns == names | {"session", "segment"} | ({"seq"} if "seq" in columns else set()), view


def test_reason_and_form_of_a_constraint_are_shown(log: Path) -> None:
    rows = query(log, "SELECT text, outcome, form, start, reason, price FROM research_constraints ORDER BY text")
    assert [tuple(row.values()) for row in rows] == [
        ("Eine", "met", "Eine", 0, None, 0.5),
        ("Hund", "not met", None, None, "no room", None),
        ("Kater", "met", None, None, None, None),
        ("Katze", "met", "Katze", 5, None, 1.25),
    ]


def test_damaged_payload_does_not_break_a_view(log: Path, tmp_path: Path) -> None:
    copy = tmp_path / "log.sqlite"
    shutil.copyfile(log, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE event SET payload = '{\"text' WHERE type IN ('paste', 'prices', 'decode_result')")
        for view in ("segments", "edits", "constraints", "decodes", "pauses"):
            assert connection.execute(f"SELECT * FROM research_{view}").fetchall()


@pytest.mark.parametrize(("name", "expected"), [("mia", ["insert"]), ("", OWN_EVENTS), ("nobody", [])])
def test_events_of_one_person_are_exported_alone(log: Path, tmp_path: Path, name: str, expected: list[str]) -> None:
    copy, exported = tmp_path / "log.sqlite", tmp_path / "events.jsonl"
    shutil.copyfile(log, copy)
    assert main(["people", "events", name, "-o", str(exported), "--log", str(copy)]) == 0
    lines = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    assert [line["type"] for line in lines] == expected
    assert all((line["session"], line["document"]) == (1, "a.txt") for line in lines)
