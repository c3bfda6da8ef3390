"""Who did what when: filters, pages, the table, and whose events a person may see."""

from __future__ import annotations

import csv
import io

import pytest

from app.access.actor import OWNER, Actor
from app.formats.read_file import read_document
from app.log.store import LogStore
from app.reports import audit
from app.reports.audit import TYPES, AuditFilter, audit_csv, audit_rows, managed_sessions


@pytest.fixture
def log(store: LogStore, monkeypatch: pytest.MonkeyPatch) -> LogStore:
    """Two documents with events of Ana, of Ben and of the owner, one each second; the model's events are in between."""
    now = iter(range(1_000, 10_000_000, 1_000))
    monkeypatch.setattr("app.log.event_chain.wall_ms", lambda: next(now))
    first = store.start_session(OWNER, read_document(b"One.\nTwo.\n", "a.txt"), "en-de").id
    second = store.start_session(OWNER, read_document(b"Three.\n", "b.txt"), "en-fr").id
    store.append(Actor.person("Ana"), first, "insert", {"text": "Eins"}, segment=0)
    store.append(Actor.person("Ana"), second, "confirm", {"text": "Trois"}, segment=0)
    store.append(OWNER, first, "decode_result", {}, segment=0)
    store.append(Actor.person("=Ben()"), first, "confirm", {"text": "Zwei"}, segment=1)
    store.append(Actor.person("=Ben()"), second, "export", {"kind": "log.csv"})
    store.append(Actor.person("=Ben()"), first, "project", {"change": "join", "project": 1, "member": "Cem"})
    store.append(OWNER, first, "comment", {"text": "Hm?"}, segment=0)
    return store


def told(rows: list[audit.AuditRow]) -> list[tuple[str, str, str, str]]:
    return [(row.person, row.document, row.type, row.detail) for row in rows]


ALL = [
    ("", "a.txt", "comment", ""),
    ("=Ben()", "a.txt", "project", "join Cem"),
    ("=Ben()", "b.txt", "export", "log.csv"),
    ("=Ben()", "a.txt", "confirm", ""),
    ("Ana", "b.txt", "confirm", ""),
    ("Ana", "a.txt", "insert", ""),
    ("", "b.txt", "open", ""),
    ("", "a.txt", "open", ""),
]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (AuditFilter(), ALL),
        (AuditFilter(person="Ana"), ALL[4:6]),
        (AuditFilter(person=""), [ALL[0], *ALL[6:]]),
        (AuditFilter(session=2), [ALL[2], ALL[4], ALL[6]]),
        (AuditFilter(kind="confirmation"), [ALL[3], ALL[4]]),
        (AuditFilter(person="=Ben()", session=1, kind="project"), [ALL[1]]),
        (AuditFilter(person="Nobody"), []),
    ],
)
def test_events_are_found_by_person_document_and_kind(log: LogStore, chosen: AuditFilter, expected: list[str]):
    assert told(audit_rows(OWNER, log, chosen)) == expected


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9])
def test_pages_together_have_each_event_once(log: LogStore, size: int):
    rows: list[audit.AuditRow] = []
    while page := audit_rows(OWNER, log, AuditFilter(), rows[-1].place if rows else None, size):
        rows += page
    assert told(rows) == ALL


def test_events_of_the_same_moment_are_not_lost_between_pages(store: LogStore, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.log.event_chain.wall_ms", lambda: 5)
    for name in ("a.txt", "b.txt"):
        number = store.start_session(OWNER, read_document(b"One.\n", name), "en-de").id
        store.append(OWNER, number, "confirm", {"text": "Eins"}, segment=0)
    rows: list[audit.AuditRow] = []
    while page := audit_rows(OWNER, store, AuditFilter(), rows[-1].place if rows else None, 1):
        rows += page
    assert sorted(told(rows)) == sorted(
        ("", name, kind, "") for name in ("a.txt", "b.txt") for kind in ("open", "confirm")
    )


def test_table_has_no_formula_and_the_documented_columns(log: LogStore):
    data = audit_csv(OWNER, log, AuditFilter(session=1)).data
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))
    assert rows[0] == list(audit.CSV_COLUMNS)
    assert (
        rows[2][1] == "'=Ben()"
        and rows[1][0].startswith("1970-01-01T00:00:")
        and rows[1][5:8] == ["1", "comment", "comment"]
    )
    assert len(rows) == 1 + sum(one[1] == "a.txt" for one in ALL)


def test_only_project_managers_see_the_events_of_a_project(log: LogStore):
    for name, role in (("Mia", "manager"), ("Tom", "translator"), ("Ada", "administrator")):
        log.people.put(name, role)  # type: ignore[arg-type]
        log.people.join(name, [log.load_session(OWNER, 1).project_id])
    assert {row.session for row in audit_rows(Actor.person("Mia"), log, AuditFilter())} == {1}
    assert audit_rows(Actor.person("Mia"), log, AuditFilter(session=2)) == []
    assert (
        managed_sessions(Actor.person("Tom"), log) == []
        and audit_rows(Actor.person("Tom"), log, AuditFilter(session=1)) == []
    )
    for name in ("Ada", ""):
        assert len(audit_rows(Actor.signed_in(name), log, AuditFilter())) == len(ALL)


def test_every_type_is_of_one_kind():
    every = [one for types in TYPES.values() for one in types]
    assert len(every) == len(set(every))
