"""A wrong value in any column of the log or of the keys is a LogError with the cure, never a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from app.access.actor import OWNER, Actor
from app.errors import LogError
from app.formats.read_file import read_document
from app.glossary.glossary import Glossary
from app.log.connection import LogConnection
from app.log.project_tables import segment_assignees
from app.log.store import LogStore
from app.serving.keys import ApiFile
from app.sessions.assignments import Assignments
from tests.app.log.test_glossary_tables import TERMS

VALUES = (None, b"\xff", b"{}", "x", "{", "[]", '{"x": 1}', '{"variants": [1], "note": []}', "[" * 10_000, -1, 1.5)
TABLES = ("session", "document", "segment", "glossary", "glossary_term", "term_base", "term_base_term", "project")


def wrong_values(connection: LogConnection, tables: tuple[str, ...]) -> Iterator[str]:
    """Writes each value into each column, and takes it back."""
    db = connection.db
    db.execute("PRAGMA foreign_keys = OFF")
    for table in tables:
        for column in db[table].columns_dict:
            for value in VALUES:
                db.execute("SAVEPOINT wrong")
                with suppress(Exception):  # a column that refuses it, or must be unique
                    db.execute(f"UPDATE {table} SET {column} = ?", (value,))
                yield f"{table}.{column} = {value!r:.40}"
                db.execute("ROLLBACK TO wrong")
                db.execute("RELEASE wrong")


def failures(connection: LogConnection, tables: tuple[str, ...], *reads: Callable[[], Any]) -> tuple[int, list[str]]:
    """The number of reads that raise LogError, and what other errors there are."""
    num_refused, others = 0, []
    for wrong in wrong_values(connection, tables):
        for read in reads:
            try:
                read()
            except LogError as error:
                num_refused += 1
                if str(connection.path) not in str(error):
                    others.append(f"{wrong}: {error} does not name the file")
            except Exception as error:
                others.append(f"{wrong}: {error!r}")
    return num_refused, others


def test_wrong_value_in_any_column_of_a_session_is_refused_with_the_cure(store: LogStore):
    session = store.start_session(OWNER, read_document(b"One. Two.", "a.txt"), "en-de")
    own = Glossary.of(1, "g", TERMS)
    store.glossaries.change(OWNER, session.id, (), (own,), {"change": "import"})
    number = store.project_of(OWNER, session.id)
    reads = (
        lambda: store.load_session(OWNER, session.id),
        lambda: store.projects(OWNER),
        lambda: store.project(OWNER, number),
    )
    num_refused, others = failures(store.connection, TABLES, *reads)
    assert others == [] and num_refused > 100
    store.connection.db.execute("UPDATE segment SET constraints = '{'")
    with pytest.raises(LogError, match=r"wrong value .* restore a backup"):
        store.load_session(OWNER, session.id)


def test_wrong_value_in_any_column_about_people_and_events_is_refused_with_the_cure(store: LogStore):
    session = store.start_session(OWNER, read_document(b"One. Two.", "a.txt"), "en-de")
    number = store.project_of(OWNER, session.id)
    store.people.put("Ana", "manager")
    store.people.join("Ana", [number])
    Assignments(store).assign(OWNER, session.id, "Ana", (1, 1))
    store.append(OWNER, session.id, "edit", {"text": "Eins."}, segment=0)

    def people() -> object:
        store.people.changed()
        return store.people.all(), store.people.access(Actor.person("Ana"))

    reads = (
        people,
        lambda: store.sessions(OWNER),
        store.news.changed,
        lambda: segment_assignees(store.connection, session.id),
        lambda: list(store.events(session.id)),
        lambda: store.segment_events(session.id, 0, {"edit"}),
        lambda: store.last_event(session.id, "edit"),
        lambda: store.verify_chain(session.id),
        lambda: store.first_version(session.id),
    )
    tables = ("session", "document", "event", "person", "member", "assigned_segment", "notice", "bundle_document")
    num_refused, others = failures(store.connection, tables, *reads)
    assert others == [] and num_refused > 100


@pytest.mark.parametrize("column", ["type", "wall_ms", "payload", "hash"])
def test_event_of_a_wrong_type_is_a_break_in_the_chain(store: LogStore, column: str):
    session = store.start_session(OWNER, read_document(b"One. Two.", "a.txt"), "en-de")
    store.append(OWNER, session.id, "edit", {"text": "Eins."}, segment=0)
    store.connection.db.execute(f"UPDATE event SET {column} = x'ff' WHERE seq = 2")
    report = store.verify_chain(session.id)
    assert (report.is_intact, report.first_bad_seq, str(report.problem)) == (False, 2, "event 2 was changed")


def test_wrong_value_in_any_column_of_a_key_is_refused(tmp_path: Path):
    file = ApiFile.beside(tmp_path / "log.sqlite")
    text = file.create("Ana", address="192.168.1.20")[1]
    reads = (file.keys, lambda: file.find(text), lambda: file.at_address("192.168.1.20"))
    num_refused, others = failures(file.connection, ("key",), *reads)
    assert others == [] and num_refused > 20
    file.close()
