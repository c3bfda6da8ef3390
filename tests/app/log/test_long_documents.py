"""Long documents are written to the log, and read from it, in portions: others can write meanwhile."""

from __future__ import annotations

import sqlite3
from itertools import count
from typing import Any

import pytest

from app.access.actor import OWNER
from app.errors import LogError
from app.formats.documents import Document
from app.formats.read_file import read_document
from app.log import session_tables
from app.log import store as log_store
from app.log.connection import LogConnection
from app.log.store import LogStore, SegmentUpdate
from tests.faults import StatementFault

NUM_SEGMENTS = 5


@pytest.fixture(autouse=True)
def _short_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (session_tables, log_store):
        monkeypatch.setattr(module, "SEGMENTS_AT_ONCE", 2)


def long_document(name: str = "long.txt") -> Document:
    return read_document("".join(f"Line {number}.\n" for number in range(NUM_SEGMENTS)).encode(), name)


def tables(store: LogStore) -> list[Any]:
    names = ("session", "document", "segment", "event", "project")
    return [store.connection.tuples("read", f"SELECT * FROM {name}") for name in names]


def test_others_write_between_two_portions(store: LogStore, monkeypatch: pytest.MonkeyPatch) -> None:
    other = store.start_session(OWNER, read_document(b"One.", "other.txt"), "en-de").id
    insert, states = session_tables.insert_segments, []

    def insert_and_look(log: LogConnection, session_id: int, segments: Any) -> None:
        insert(log, session_id, segments)
        states.append((len(segments), len([one for one in store.sessions(OWNER) if one.id == session_id])))

    monkeypatch.setattr(log_store, "insert_segments", insert_and_look)
    begin = LogConnection.transaction
    waits = []

    def note(log: LogConnection, purpose: str, **leaves: Any) -> Any:
        waits.append(log._mutex.depth)
        store.append(OWNER, other, "blur", {}, segment=0)  # between two transactions, the log is free
        return begin(log, purpose, **leaves)

    monkeypatch.setattr(LogConnection, "transaction", note)
    record = store.start_session(OWNER, long_document(), "en-de")
    assert states == [(2, 0), (2, 0), (1, 0)], "no list shows the session until it is complete"
    assert waits == [0, 0, 0]
    assert record == store.load_session(OWNER, record.id)
    assert [one.source for one in record.segments] == [f"Line {number}." for number in range(NUM_SEGMENTS)]


def test_any_statement_that_fails_leaves_nothing_of_a_new_session(store: LogStore) -> None:
    connection, num_refused = store.connection.db.conn, 0
    for number in count(1):
        before, fault = tables(store), StatementFault(number, sqlite3.SQLITE_FULL)
        store.connection.db.conn = fault.over(connection)
        try:
            store.start_session(OWNER, long_document(f"{number}.txt"), "en-de")
        except LogError:
            store.connection.db.conn = connection
            assert tables(store) == before, fault.statement
            num_refused += 1
        finally:
            store.connection.db.conn = connection
        if not fault.has_struck:
            break
    assert num_refused > 10
    assert len(store.sessions(OWNER)) == 1


def test_what_a_killed_app_began_is_shown_nowhere_and_deleted_at_the_next_start(
    store: LogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tables(store)
    monkeypatch.setattr(LogStore, "discard_session", lambda *_: None)
    fault, connection = StatementFault(9, sqlite3.SQLITE_FULL), store.connection.db.conn
    store.connection.db.conn = fault.over(connection)
    with pytest.raises(LogError):
        store.start_session(OWNER, long_document(), "en-de")
    store.connection.db.conn = connection
    assert tables(store) != before
    assert store.sessions(OWNER) == [] and store.num_sessions() == 0 and not store.has_sessions(OWNER)
    store.discard_unfinished()
    assert tables(store) == before


def test_a_session_that_is_changed_while_it_is_read_is_read_again(
    store: LogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = store.start_session(OWNER, long_document(), "en-de").id
    read, texts = session_tables._segment_rows, iter(["Eins.", "Zwei."])

    def change_and_read(*arguments: Any) -> list[dict[str, Any]]:
        if arguments[2] > 0 and (text := next(texts, None)):
            for index in (0, 4):
                version = int(text == "Zwei.")
                update = SegmentUpdate("edited", text, version + 1, {}, version)
                store.append(OWNER, session_id, "insert", {}, segment=index, segment_version=1, update=update)
        return read(*arguments)

    monkeypatch.setattr(session_tables, "_segment_rows", change_and_read)
    record = store.load_session(OWNER, session_id)
    assert record.segments[0].target == record.segments[4].target
    assert record.num_events == len([*store.events(session_id)])
