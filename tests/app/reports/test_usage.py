"""Usage by month, and budgets of projects."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.__main__ import main
from app.access.actor import OWNER, Actor
from app.errors import CommandError
from app.formats.read_file import read_document
from app.log.budgets import month_of, set_budget, words_opened
from app.log.store import LogStore, SegmentUpdate
from app.reports.usage import CSV_COLUMNS, project_usage, usage_csv
from app.serving.keys import ApiFile

DOCUMENT = read_document(b"One red cat.\nTwo dogs.\n", "a.txt")  # five words
NOW = month_of(int(datetime.now(UTC).timestamp() * 1000))


def work(store: LogStore) -> int:
    """Confirms both segments, the first one twice: in October and in November. Returns the project."""
    session = store.start_session(OWNER, DOCUMENT, "en-de")
    for segment, version in ((0, 0), (1, 0), (0, 1)):
        update = SegmentUpdate("confirmed", "Ja", version + 1, read_version=version)
        store.append(OWNER, session.id, "decode_request", {"number": 1}, segment=segment)
        store.append(OWNER, session.id, "decode_result", {"number": 1, "elapsed_ms": 600.0}, segment=segment)
        store.append(OWNER, session.id, "confirm", {"text": "Ja"}, segment=segment, update=update)
    months = [datetime(2026, month, 20, tzinfo=UTC).timestamp() * 1000 for month in (10, 11)]
    with store._db.conn:
        store._db.execute("UPDATE event SET wall_ms = CASE WHEN seq < 8 THEN ? ELSE ? END", months)
    return session.project_id or 1


def opened(store: LogStore, project: int) -> int:
    return store.start_session(OWNER, DOCUMENT, "en-de", project_id=project).id


def test_a_segment_counts_in_the_month_in_which_it_was_confirmed_last(store: LogStore) -> None:
    work(store)
    rows = [
        (r.month, r.documents, r.segments, r.words, r.decodes, r.model_seconds) for r in project_usage(OWNER, store)
    ]
    assert rows == [("2026-11", 0, 1, 3, 1, 0.6), ("2026-10", 1, 1, 2, 2, 1.2)]
    assert [row.month for row in project_usage(OWNER, store, "2026-10")] == ["2026-10"]
    table = list(csv.reader(io.StringIO(usage_csv(OWNER, store).data.decode("utf-8-sig"))))
    assert tuple(table[0]) == CSV_COLUMNS and len(table) == 3


def test_only_managers_of_a_project_see_its_usage(store: LogStore) -> None:
    project = work(store)
    store.people.put("Mia", "manager", (project,))
    store.people.put("Tom", "translator", (project,))
    assert project_usage(Actor.person("Mia"), store) == project_usage(OWNER, store)
    assert project_usage(Actor.person("Tom"), store) == []


def test_document_over_the_budget_is_refused_and_leaves_nothing(store: LogStore) -> None:
    project = work(store)
    set_budget(store.connection, project, 12)
    opened(store, project)
    second = opened(store, project)
    store.delete_session(second)  # its words stay used
    num_sessions = len(store.sessions(OWNER))
    with pytest.raises(CommandError) as refused:
        opened(store, project)
    message = str(refused.value)
    assert "has a budget of 12 words a month. 10 are used, and this document has 5" in message
    assert f"pinpoint usage budget {project} WORDS" in message
    assert (len(store.sessions(OWNER)), words_opened(store.connection, project, NOW)) == (num_sessions, 10)
    set_budget(store.connection, project, 15)
    opened(store, project)
    set_budget(store.connection, project, None)
    opened(store, project)
    assert words_opened(store.connection, project, NOW) == 15


def test_command_shows_usage_and_sets_budgets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.sqlite"
    with closing(LogStore.open(log)) as store:
        work(store)
    with closing(ApiFile.beside(log)) as file:
        key, _ = file.create("Weblate")
        assert file.charge(key, 1234)
    assert main(["usage", "budget", "1", "500", "--log", str(log)]) == 0
    assert main(["usage", "list", "--json", "--log", str(log)]) == 0
    *projects, key_row = map(json.loads, capsys.readouterr().out.splitlines())
    assert [(row["month"], row["budget"]) for row in projects] == [("2026-11", 500), ("2026-10", 500)]
    assert key_row == {"month": NOW, "key": "Weblate", "characters": 1234}
    assert main(["usage", "list", "--log", str(log)]) == 0
    assert "0 of 500 words of the budget" in capsys.readouterr().out
    assert main(["usage", "budget", "7", "--none", "--log", str(log)]) == 2
    assert "there is no project 7" in capsys.readouterr().err
