"""Commands that write happen completely or not at all, as their exit status says.

Each call of the file system and each SQL statement of each command fails once.
"""

from __future__ import annotations

import io
import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.__main__ import main
from app.access.actor import OWNER, Actor
from app.formats.read_file import read_document
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.log.store import LogStore
from app.reports.jsonl import session_jsonl
from app.reports.review_table import session_review
from app.serving import passwords
from app.serving.api_glossaries import ApiGlossaries
from app.serving.keys import ApiFile
from app.serving.passwords import Passwords
from app.sessions.assignments import Assignments
from app.tm.library import MemoryLibrary
from tests.app.review_tables import reviewed
from tests.budget import rounds
from tests.faults import StatementFault, every_error

CSV = b"source,target\nOne house.,Ein Haus.\nTwo doors.,Zwei Tueren.\n"
PASSWORD = "four words without a meaning"
RANDOM = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:]+\+00:00|[0-9a-f-]{32,}|person-[0-9a-f]{8}|\$argon2[^']+|\b\d{7,}\b|[\w-]{32}"
)
CODES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)
COMMANDS = {
    "import a memory": ("memory", "import", "memory.csv", "--direction", "en-de"),
    "import a review": ("import-review", "1", "review.docx", "--apply"),
    "export a memory": ("memory", "export", "csv", "--direction", "en-de", "-o", "out.csv"),
    "export a glossary": ("export", "1", "glossary", "-o", "terms.csv"),
    "import a session": ("import-log", "old.jsonl"),
    "create a key": ("keys", "create", "CAT tool"),
    "create the key of a new person": ("keys", "create", "Cleo", "--sign-in"),
    "revoke a key": ("keys", "revoke", "1"),
    "add a person": ("people", "add", "Cleo", "--project", "1"),
    "remove a person": ("people", "remove", "Ana"),
    "forget a person": ("people", "forget", "Ana"),
    "give a password": ("people", "password", "Ben"),
    "delete a password": ("people", "password", "Ana", "--delete"),
    "sign a person out": ("people", "sign-out", "Ana"),
    "join a project": ("people", "join", "Ben", "1"),
    "leave a project": ("people", "leave", "Ana", "1"),
    "assign a document": ("assignments", "assign", "1", "Ana"),
    "assign a part": ("assignments", "assign", "1", "Ana", "--part", "1-1"),
    "end an assignment": ("assignments", "take-back", "2"),
    "set a deadline of a project": ("deadlines", "set", "2026-12-04T17:00Z", "--project", "1"),
    "set a deadline of a document": ("deadlines", "set", "2026-12-04T17:00Z", "--session", "2"),
}


@pytest.fixture(scope="module")
def fast_passwords() -> Iterator[None]:
    """Hashes of passwords that take no time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(passwords, "_KIB", 64)
        passwords._hasher.cache_clear()
        yield
    passwords._hasher.cache_clear()


@pytest.fixture(scope="module")
def prepared(fast_passwords: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "memory.csv").write_bytes(CSV)
    with closing(LogStore.open(folder / "other.sqlite")) as store:
        number = store.start_session(OWNER, read_document(b"Three.\n", "c.txt"), "en-de").id
        (folder / "old.jsonl").write_bytes(session_jsonl(OWNER, store, number).data)
    for path in folder.glob("other.sqlite*"):
        path.unlink()
    with closing(LogStore.open(folder / "log.sqlite")) as store:
        number = store.start_session(OWNER, read_document(b"One.\n", "a.txt"), "en-de").id
        table = session_review(OWNER, store, number).data
        (folder / "review.docx").write_bytes(reviewed(table, {1: "Eins."}, {1: ("Ana", "Gut")}))
        store.glossaries.change(OWNER, number, (), [Glossary.of(1, "terms", [Term("door", "Tuer")])], {})
        MemoryLibrary(store).import_memory(CSV, "old.csv", "en-de")
        store.people.put("Ana", "manager", [1])
        store.people.put("Ben", "translator")
        number = store.start_session(Actor.signed_in("Ana"), read_document(b"Two.\n", "b.txt"), "en-de").id
        Assignments(store).assign(OWNER, number, "Ana")
    with closing(ApiFile.beside(folder / "log.sqlite")) as keys:
        ApiGlossaries(keys).create("Ana", "g", {("en", "de"): {"door": "Tuer"}})
        keys.charge(keys.create("Ana", signs_in=True)[0], 5)
        Passwords(keys).put("Ana", PASSWORD)
        Passwords(keys).sign_in("Ana", PASSWORD, "127.0.0.1")
    return folder


def fresh(prepared: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(prepared, folder)


def state_of(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """The files besides the log and its keys, and the rows of both, with placeholders for times and random texts."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith("log.sqlite")}
    rows: list[str] = []
    for path in (folder / "log.sqlite", folder / "log.sqlite.keys"):
        with closing(sqlite3.connect(path)) as db:
            for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
                if table != "sqlite_sequence":
                    rows += [f"{table} {RANDOM.sub('…', repr(row))}" for row in db.execute(f'SELECT * FROM "{table}"')]
    return files, sorted(rows)


def every_statement(
    run: list[str], prepared: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, int]]:
    """For each n: the statement of the log or the file of the keys that failed, and the exit status of the command."""
    connect = sqlite3.connect

    def status_with(fault: StatementFault) -> int:
        fresh(prepared, folder)
        with monkeypatch.context() as patched:
            patched.setattr(sqlite3, "connect", lambda *a, **named: fault.over(connect(*a, **named)))
            return status_of(run, monkeypatch)

    status_with(counting := StatementFault(10**6, 0))
    # The first statements open the log, for each command alike.
    first, step = rounds(max(1, counting.num_statements - 24), 1), rounds(2, 1)
    for number in range(first, counting.num_statements + 1, step):
        status = status_with(fault := StatementFault(number, CODES[number % len(CODES)]))
        yield fault.statement, status


def status_of(run: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit status of a command, which reads a password if it asks for one."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(PASSWORD[::-1]))
    return main(run)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_any_call_fails_happens_completely_or_not_at_all(
    name: str, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, run = tmp_path / "work", [*COMMANDS[name], "--log", "log.sqlite"]
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    run = [str(folder / part) if part.endswith((".csv", ".sqlite", ".jsonl", ".docx")) else part for part in run]
    fresh(prepared, folder)
    old = state_of(folder)
    assert status_of(run, monkeypatch) == 0
    new = state_of(folder)
    assert new != old
    num_refused = 0
    for where, status in every_statement(run, prepared, folder, monkeypatch):
        assert state_of(folder) == (old if status else new), where
        num_refused += status != 0
    assert num_refused
    fresh(prepared, folder)
    statuses: list[int] = []
    for where, error in every_error(lambda: statuses.append(status_of(run, monkeypatch))):
        assert error is None, f"{where}: {error!r} instead of a message"
        files, *rest = state_of(folder)
        if "unlink" in where:  # what could not be removed is removed at the next start
            files = {each: data for each, data in files.items() if not each.startswith(".pinpoint-")}
        assert (files, *rest) == (old if statuses[-1] else new), where
        fresh(prepared, folder)
