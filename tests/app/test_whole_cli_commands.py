"""Commands about memories and glossaries happen completely or not at all, as their exit status says.

Each call of the file system and each SQL statement of each command fails once.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.__main__ import main
from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.log.store import LogStore
from app.tm.library import MemoryLibrary
from tests.budget import rounds
from tests.faults import StatementFault, every_error

CSV = b"source,target\nOne house.,Ein Haus.\nTwo doors.,Zwei Tueren.\n"
CODES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY)
COMMANDS = {
    "import a memory": ("memory", "import", "memory.csv", "--direction", "en-de"),
    "export a memory": ("memory", "export", "csv", "--direction", "en-de", "-o", "out.csv"),
    "export a glossary": ("export", "1", "glossary", "-o", "terms.csv"),
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "memory.csv").write_bytes(CSV)
    with closing(LogStore.open(folder / "log.sqlite")) as store:
        number = store.start_session(OWNER, read_document(b"One.\n", "a.txt"), "en-de").id
        store.glossaries.change(OWNER, number, (), [Glossary.of(1, "terms", [Term("door", "Tuer")])], {})
        MemoryLibrary(store).import_memory(CSV, "old.csv", "en-de")
    return folder


def fresh(prepared: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(prepared, folder)


def state_of(folder: Path) -> tuple[dict[str, bytes], list[Any], list[Any]]:
    """The files besides the log, and the imported memories and events in it."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith("log.sqlite")}
    with closing(sqlite3.connect(folder / "log.sqlite")) as db:
        memory = db.execute("SELECT name, source, target, project_id FROM memory_entry ORDER BY id").fetchall()
        return files, memory, db.execute("SELECT * FROM event").fetchall()


def every_statement(
    run: list[str], prepared: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, int]]:
    """For each n: the statement that failed, and the exit status of the command."""
    connect = sqlite3.connect
    for number in range(1, 1000, 5 // rounds(1, 5)):  # opening a log is most of them
        fresh(prepared, folder)
        fault = StatementFault(number, CODES[number % len(CODES)])
        with monkeypatch.context() as patched:
            patched.setattr(sqlite3, "connect", lambda *a, fault=fault, **named: fault.over(connect(*a, **named)))
            status = main(run)
        if not fault.has_struck:
            return
        yield fault.statement, status


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_any_call_fails_happens_completely_or_not_at_all(
    name: str, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, run = tmp_path / "work", [*COMMANDS[name], "--log", "log.sqlite"]
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    run = [str(folder / part) if part.endswith((".csv", ".sqlite")) else part for part in run]
    fresh(prepared, folder)
    old = state_of(folder)
    assert main(run) == 0
    new = state_of(folder)
    assert new != old
    num_refused = 0
    for where, status in every_statement(run, prepared, folder, monkeypatch):
        assert state_of(folder) == (old if status else new), where
        num_refused += status != 0
    assert num_refused
    fresh(prepared, folder)
    statuses: list[int] = []
    for where, error in every_error(lambda: statuses.append(main(run))):
        assert error is None, f"{where}: {error!r} instead of a message"
        files, *rest = state_of(folder)
        if "unlink" in where:  # what could not be removed is removed at the next start
            files = {each: data for each, data in files.items() if not each.startswith(".pinpoint-")}
        assert (files, *rest) == (old if statuses[-1] else new), where
        fresh(prepared, folder)
