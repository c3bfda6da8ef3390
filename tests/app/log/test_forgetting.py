"""Forgetting a person: their name leaves the log, and the chain of hashes stays verifiable."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.__main__ import main
from app.access.actor import OWNER, Actor
from app.formats.read_file import read_document
from app.log.forgetting import forget_person
from app.log.records import to_json
from app.log.store import LogStore
from app.reports.audit import AuditFilter, audit_rows
from app.serving.api_documents import ApiDocuments
from app.serving.api_glossaries import ApiGlossaries
from app.serving.keys import ApiFile
from app.serving.stored_jobs import StoredJobs

BEN = Actor.person("Ben")

NAME = 'Ana „Ä" Silva'


def log_with_two_people(store: LogStore) -> tuple[int, int]:
    """Two sessions: Ana and Ben work in the first, Ben alone in the second."""
    store.people.put(NAME, "translator")
    first = store.start_session(Actor.signed_in(NAME), read_document(b"One.\n", "a.txt"), "en-de").id
    store.people.put("Ben", "administrator")
    store.append(BEN, first, "confirm", {"text": f"{NAME} was here", "score": 0.1}, segment=0)
    store.append(BEN, first, "project", {"change": "join", "member": NAME, "name": NAME})
    second = store.start_session(BEN, read_document(b"Two.\n", "b.txt"), "en-de").id
    store.append(Actor.signed_in(NAME), first, "comment", {"text": "?"}, segment=0)
    return first, second


def test_name_is_replaced_everywhere_but_in_texts_and_the_chain_is_intact(store: LogStore):
    first, second = log_with_two_people(store)
    before, untouched = list(store.events(first)), list(store.events(second))
    done = forget_person(OWNER, store.connection, NAME)
    store.people.changed()
    after = list(store.events(first))
    assert store.verify_chain(first).is_intact and store.verify_chain(second).is_intact
    assert list(store.events(second)) == untouched
    assert (done.num_events, done.num_sessions) == (3, 1)
    assert [event.payload for event in after if event.type == "confirm"] == [
        {"person": "Ben", "text": f"{NAME} was here", "score": 0.1}
    ]
    assert after[-1].payload == {"pseudonym": done.pseudonym, "num_events": 3, "last_hash": before[-1].hash}
    for old, new in zip(before, after, strict=False):
        renamed = {key: done.pseudonym if text == NAME else text for key, text in old.payload.items()}
        assert (new.type, new.wall_ms, new.segment, new.payload) == (old.type, old.wall_ms, old.segment, renamed)
    assert {row.person for row in audit_rows(OWNER, store, AuditFilter(session=first))} == {"Ben", done.pseudonym}
    assert [person.name for person in store.people.all()] == ["Ben"]
    assert [one.project.name for one in store.projects(OWNER)].count(done.pseudonym) == 1
    assert NAME not in str(store.projects(OWNER)) and store.people.members(1) == []
    assert forget_person(OWNER, store.connection, NAME).num_events == 0


def test_session_is_written_on_after_the_hashes_were_computed_again(store: LogStore):
    first, _ = log_with_two_people(store)
    forget_person(OWNER, store.connection, NAME)
    store.append(OWNER, first, "comment", {"text": "!"}, segment=0)
    assert store.verify_chain(first).is_intact


def test_command_deletes_keys_and_glossaries_of_the_person_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    log = tmp_path / "log.sqlite"
    store = LogStore.open(log)
    log_with_two_people(store)
    store.close()
    assert main(["people", "forget", NAME, "--log", str(log)]) == 0, "without a file of keys"
    keys = ApiFile.beside(log)
    glossaries = ApiGlossaries(keys)
    ApiDocuments(keys, None)  # type: ignore[arg-type]  # makes its tables
    StoredJobs(keys)
    for name in (NAME, "Ben"):
        key, _ = keys.create(name)
        keys.connection.insert(
            "job", id=name, key=key.id, created="", model="m", direction="en-de", request=NAME, num_texts=1, num_bytes=0
        )
        keys.connection.insert("job_answer", job=name, first=0, answers=NAME.encode())
        keys.charge(key, 5)
        glossaries.create(name, "g", {("en", "de"): {"door": "Tür"}})
    keys.create(NAME, signs_in=True)
    assert main(["people", "forget", NAME, "--log", str(log)]) == 0
    assert "Deleted: 2 keys." in capsys.readouterr().err
    assert [key.name for key in keys.keys()] == ["Ben"]  # noqa: SIM118 (no mapping)
    assert glossaries.all_of(NAME) == [] and len(glossaries.all_of("Ben")) == 1
    for table in ("use", "dictionary", "job", "job_answer"):
        assert keys.connection.rows("read", f"SELECT count(*) AS n FROM {table}") == [{"n": 1}]
    keys.close()
    assert main(["verify", "--log", str(log)]) == 0
    left, written = log.read_bytes(), to_json(NAME)[1:-1]
    assert left.count(NAME.encode()) == 0, "not even in pages that are free"
    assert left.count(written.encode()) == left.count(f"{written} was here".encode()) == 1
