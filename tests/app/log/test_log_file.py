"""Opening the log: older, newer, foreign, damaged and inaccessible files."""

import errno
import json
import os
import shutil
import sqlite3
import stat
import struct
import sys
import threading
from pathlib import Path
from typing import IO, Any

import pytest
from sqlite_utils import Database

from app.__main__ import main
from app.access.actor import OWNER
from app.errors import LogError
from app.formats.read_file import read_document
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.log import file
from app.log.migrations import APPLICATION_ID, migrations
from app.log.store import LogStore
from app.log.write_ahead_file import check_write_ahead_file
from app.segments.segment_constraints import Constraints
from app.segments.stored_state import restore_segment
from engine import Avoid
from tests.budget import rounds
from tests.faults import StatementFault

DOCUMENT = read_document(b"One\nTwo\n", "a.txt")


def make_log(path: Path, num_events: int = 3) -> str:
    """A log with one session; returns its token."""
    store = LogStore.open(path)
    session = store.start_session(OWNER, DOCUMENT, "en-de")
    for number in range(num_events - 1):
        store.append(OWNER, session.id, "edit", {"text": "word " * 200, "n": number}, segment=0)
    store.close()
    return session.token


def test_log_is_synchronous_with_write_ahead(tmp_path: Path) -> None:
    store = LogStore.open(tmp_path / "log.sqlite")
    names = ("journal_mode", "synchronous", "fullfsync")
    pragmas = {name: store._db.conn.execute(f"PRAGMA {name}").fetchone()[0] for name in names}
    store.close()
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "fullfsync": 1}  # 2 is FULL


def make_older_log(path: Path, stop_before: str) -> str:
    """A log with one session, in the tables before a migration; returns the token of the session."""
    old = Database(path)
    migrations.apply(old, stop_before=stop_before)
    old.close()
    modern = path.with_name("modern.sqlite")
    token = make_log(modern)
    connection = sqlite3.connect(path)
    connection.execute("ATTACH ? AS modern", (str(modern),))
    for table in ("document", "session", "segment", "event"):
        columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
        connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM modern.{table}")
    connection.commit()
    connection.close()
    return token


def test_older_log_is_migrated_with_its_rows_intact(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    token = make_older_log(path, "m0002_glossary_and_tombstone")
    assert "glossary_term" not in Database(path).table_names()

    store = LogStore.open(path)
    session = store.load_session(OWNER, token)
    assert (session.document.format.stored, session.document.data) == ("txt", DOCUMENT.data)
    assert session.document.segments == DOCUMENT.segments
    assert session.document.export({1: "Zwei"}) == b"One\nZwei\n"
    assert session.num_events == 3
    assert session.glossaries == ()
    assert store.verify_chain(session.id).is_intact
    glossaries = (Glossary.of(1, "g.tsv", [Term("one", "eins", 1)]),)
    store.glossaries.change(OWNER, session.id, (), glossaries, {})
    assert store.load_session(OWNER, token).glossaries == glossaries
    store.glossaries.add_term(OWNER, session.id, Term("two", "zwei", is_for_document=True), 0)
    assert store.load_session(OWNER, token).document_terms == (Term("two", "zwei", is_for_document=True),)
    store.close()
    LogStore.open(path).close()  # a second time there is nothing to do


def test_constraints_of_an_older_log_are_the_same_under_their_present_names(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    token = make_older_log(path, "m0022_names_of_constraints")
    texts = ['Das "Haus', '"beginning":', '\\"previous":"x', "x"]  # a text that looks like a name stays
    bans = [{"text": '"locked":', "case": "permissive"}]
    parts = {"pins": ["Haus"], "terms_off": ["a\tb"], "bans": bans, "locked": ["Tür"], "comment": texts[1]}
    stored = {**parts, "beginning": texts[0], "previous": texts[1], "freed_from": texts[2], "num_remarks": 2}
    damaged = '{"beginning":"x'
    old = sqlite3.connect(path)
    old.execute("UPDATE segment SET constraints = ? WHERE segment_index = 0", (json.dumps(stored),))
    old.execute("UPDATE segment SET constraints = ? WHERE segment_index = 1", (damaged,))
    old.commit()
    before = list(old.execute("SELECT * FROM event ORDER BY seq"))
    old.close()

    store = LogStore.open(path)
    with pytest.raises(LogError):
        store.load_session(OWNER, token)  # as before, JSON that is damaged is not guessed at
    store.connection.db.execute("UPDATE segment SET constraints = '{}' WHERE segment_index = 1")
    saved = store.load_session(OWNER, token)
    segment = restore_segment(saved.segments[0])
    assert segment.constraints == Constraints(
        ("Haus",), frozenset({"a\tb"}), (Avoid('"locked":', "permissive"),), texts[0], ("Tür",), texts[1]
    )
    assert (segment.followed_before, segment.comment, segment.num_remarks) == (texts[2], texts[1], 2)
    assert [tuple(row) for row in store.connection.db.execute("SELECT * FROM event ORDER BY seq")] == before
    assert store.verify_chain(saved.id).is_intact
    store.close()


def test_failed_migration_leaves_the_file_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.sqlite"
    token = make_log(path)

    def fail(db: Database) -> None:
        db.execute("DROP TABLE event")
        db.execute("CREATE TABLE session (id)")  # it exists: an error

    with monkeypatch.context() as patched:
        patched.setattr(
            migrations, "_migrations", [*migrations._migrations, migrations._Migration("m0003_fails", fail)]
        )
        with pytest.raises(LogError, match="already exists"):
            LogStore.open(path)
    store = LogStore.open(path)
    assert store.verify_chain(store.load_session(OWNER, token).id).is_intact
    store.close()


def test_log_of_a_newer_version_is_refused_with_a_solution(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    make_log(path)
    db = Database(path)
    step = {"migration_set": "pinpoint", "name": "m0099_later", "applied_at": "2030"}
    db.table(migrations.migrations_table).insert(step)
    db.close()
    before = path.read_bytes()
    with pytest.raises(LogError, match=r"newer version of Pinpoint \(it has m0099_later\): update Pinpoint"):
        LogStore.open(path)
    assert path.read_bytes() == before


def test_database_of_another_program_is_refused_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "photos.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE photo (id INTEGER)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(LogError, match="another program's database"):
        LogStore.open(path)
    assert path.read_bytes() == before


def test_log_has_the_application_id_of_pinpoint(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    make_log(path)
    assert sqlite3.connect(path).execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID


def overwrite(path: Path, start: int, length: int) -> None:
    content = bytearray(path.read_bytes())
    content[start : start + length] = b"\xa5" * length
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("start", "length"),
    [
        (0, 100),  # the header: no database at all
        (4096, 4096),  # one page of the middle: only a check of the whole file finds it
    ],
)
def test_damaged_log_is_kept_and_a_new_one_is_started(tmp_path: Path, start: int, length: int) -> None:
    path = tmp_path / "log.sqlite"
    make_log(path, 200)
    overwrite(path, start, length)
    damaged = path.read_bytes()
    store = LogStore.open(path)
    assert store.path == tmp_path / "log-2.sqlite"
    assert str(path) in store.notes[0]
    assert "log-2.sqlite" in store.notes[0]
    session = store.start_session(OWNER, DOCUMENT, "en-de")
    store.close()
    assert path.read_bytes() == damaged
    again = LogStore.open(path)  # the next start goes on there, and still says why
    assert again.path == store.path
    assert again.notes == store.notes
    assert again.load_session(OWNER, session.token).id == session.id
    again.close()


def test_text_file_at_the_log_path_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    path.write_text("my notes\n" * 100, encoding="utf-8")
    store = LogStore.open(path)
    store.close()
    assert store.path != path
    assert path.read_text(encoding="utf-8").startswith("my notes")


@pytest.mark.parametrize("name", ["file/log.sqlite", "folder"])
def test_unwritable_folder_is_a_log_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("a file where a folder is wanted", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    with pytest.raises(LogError, match=r"cannot be opened.*--log FILE") as caught:
        LogStore.open(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)


def test_read_only_log_is_a_log_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.sqlite"
    make_log(path)
    connect = sqlite3.connect

    # The tests may run as root, whom no file mode stops: SQLite itself refuses to write.
    def read_only(database: Path, **options: object) -> sqlite3.Connection:
        return connect(f"file:{database}?mode=ro", uri=True, **options)  # type: ignore[call-overload,no-any-return]

    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", read_only)
        with pytest.raises(LogError, match=r"cannot be opened \(attempt to write a readonly database\)"):
            LogStore.open(path)


def test_log_in_exclusive_use_is_refused_with_the_address_of_the_other(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    first = LogStore.open(path, exclusively=True)
    with pytest.raises(
        LogError, match=rf"log\.sqlite is in use by another Pinpoint \(process {os.getpid()}\): use its"
    ):
        LogStore.open(path, exclusively=True)
    first.announce("http://127.0.0.1:7860")
    with pytest.raises(LogError, match=r"another Pinpoint \(http://127\.0\.0\.1:7860\)"):
        LogStore.open(path, exclusively=True)
    LogStore.open(path).close()  # commands that import a session or read the log
    first.close()
    LogStore.open(path, exclusively=True).close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_only_the_owner_can_read_the_log_and_its_backups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, copy = tmp_path / "data" / "log.sqlite", tmp_path / "copy.sqlite"
    make_log(path)
    path.chmod(0o644)  # as earlier versions left it
    path.parent.chmod(0o755)
    monkeypatch.setattr(file, "default_log_path", lambda: path)
    store = LogStore.open(path, exclusively=True)
    store.start_session(OWNER, DOCUMENT, "en-de")
    store.back_up(copy)
    modes = {found.name: stat.S_IMODE(found.stat().st_mode) for found in (path.parent, copy, *path.parent.iterdir())}
    store.close()
    assert modes.pop("data") == 0o700
    assert set(modes) == {"copy.sqlite", "log.sqlite", "log.sqlite-wal", "log.sqlite-shm", "log.sqlite.lock"}
    assert set(modes.values()) == {0o600}


def test_folder_that_the_user_chose_keeps_its_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_log(tmp_path / "log.sqlite")
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_versions_of_each_run_begin_after_all_earlier_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LogStore.open(tmp_path / "log.sqlite")
    session = store.start_session(OWNER, DOCUMENT, "en-de")
    first = store.first_version(session.id)
    monkeypatch.setattr("app.log.event_chain.wall_ms", lambda: 1000)  # the clock is set back for two runs
    store.append(OWNER, session.id, "resume", {})
    second = store.first_version(session.id)
    store.append(OWNER, session.id, "edit", {}, segment=0)
    store.append(OWNER, session.id, "resume", {})
    third = store.first_version(session.id)
    assert first + 10**6 < second and second + 10**6 < third
    store.close()


# ---- reading without writing, and backups ----


def test_reading_does_not_change_a_log_that_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    token = make_log(path)
    writer = LogStore.open(path)
    reader = LogStore.open_to_read(path)
    number = reader.load_session(OWNER, token).id
    writer.append(OWNER, number, "edit", {"n": "new"}, segment=0)
    assert [event.payload.get("n") for event in reader.events(number)][-1] == "new"
    with pytest.raises(LogError, match=r"could not write the events \(attempt to write a readonly database\)"):
        reader.append(OWNER, number, "edit", {}, segment=0)
    writer.append(OWNER, number, "edit", {}, segment=0)
    assert [event.seq for event in reader.events(number)][-1] == 5
    reader.close()
    writer.close()


def test_log_in_a_read_only_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.sqlite"
    token = make_log(path)
    connect, asked = sqlite3.connect, []

    # The tests may run as root, whom no folder's mode stops: SQLite's own refusal is played.
    def in_folder_without_rights(database: str, **options: object) -> sqlite3.Connection:
        asked.append(database)
        if "mode=ro" in database:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(database, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(sqlite3, "connect", in_folder_without_rights)
    store = LogStore.open_to_read(path)
    assert store.load_session(OWNER, token).num_events == 3
    store.close()
    assert [database.rpartition("?")[2] for database in asked[:2]] == ["mode=ro", "immutable=1"]
    (tmp_path / "log.sqlite-wal").touch()  # on a full disk, SQLite leaves it empty
    LogStore.open_to_read(path).close()
    (tmp_path / "log.sqlite-wal").write_bytes(b"x")  # what was written last: reading past it would be wrong
    with pytest.raises(LogError, match="cannot be read"):
        LogStore.open_to_read(path)


def test_unreadable_log_is_reported_and_unchanged(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="log not found"):
        LogStore.open_to_read(tmp_path / "missing.sqlite")
    assert not (tmp_path / "missing.sqlite").exists()
    older = tmp_path / "older.sqlite"
    old = Database(older)
    migrations.apply(old, stop_before="m0002_glossary_and_tombstone")
    old.close()
    with pytest.raises(LogError, match=r"older version of Pinpoint \(it lacks m0002"):
        LogStore.open_to_read(older)
    damaged = tmp_path / "damaged.sqlite"
    make_log(damaged, 200)
    overwrite(damaged, 4096, 4096)
    with pytest.raises(LogError, match="is damaged"):
        LogStore.open_to_read(damaged)
    assert sorted(path.name for path in tmp_path.glob("*-2.sqlite")) == []


def test_log_with_undecodable_text_in_its_list_of_tables_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    make_log(path, 2)
    path.write_bytes(path.read_bytes().replace(b"CREATE", b"CR\x93ATE", 1))  # SQLite quotes it in its message
    with pytest.raises(LogError, match="is damaged"):
        LogStore.open_to_read(path)
    store = LogStore.open(path)
    assert store.path == tmp_path / "log-2.sqlite" and "is damaged" in store.notes[0]
    store.close()


def test_backup_during_writes_is_a_complete_log(tmp_path: Path) -> None:
    path, copy = tmp_path / "log.sqlite", tmp_path / "backups" / "copy.sqlite"
    token = make_log(path, 50)
    store, other = LogStore.open(path), LogStore.open(path)
    number = store.load_session(OWNER, token).id
    is_done = threading.Event()

    def write() -> None:
        while not is_done.is_set():
            other.append(OWNER, number, "edit", {"text": "x" * 5000}, segment=0)

    writer = threading.Thread(target=write)
    writer.start()
    store.back_up(copy)
    is_done.set()
    writer.join()
    kept = LogStore.open_to_read(copy)
    assert kept.verify_chain(number).is_intact
    assert 50 <= kept.load_session(OWNER, token).num_events <= store.load_session(OWNER, token).num_events
    kept.close()
    assert [file.name for file in copy.parent.iterdir()] == ["copy.sqlite"]  # nothing beside it is needed
    with pytest.raises(LogError, match="already exists"):
        store.back_up(copy)
    other.close()
    store.close()


def test_older_log_is_backed_up_unchanged(tmp_path: Path) -> None:
    old = Database(tmp_path / "log.sqlite")
    migrations.apply(old, stop_before="m0003_document_format_and_given_translations")
    old.execute("INSERT INTO document VALUES (1, 'a.txt', '', 'utf-8', '', 'One')")
    old.execute("INSERT INTO session VALUES (1, 'token', 1, 'en-de', '', '{}', '{}', 1, 2, 0, '', NULL)")
    old.close()
    store = LogStore.open_to_read(tmp_path / "log.sqlite", may_be_older=True)
    assert store.back_up(tmp_path / "copy.sqlite") == 1
    store.close()
    logs = [sqlite3.connect(tmp_path / name) for name in ("log.sqlite", "copy.sqlite")]
    assert list(logs[0].iterdump()) == list(logs[1].iterdump())
    for log in logs:
        log.close()


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "free some disk space, or"),
        (PermissionError(errno.EACCES, "Permission denied"), "make the folder and the file writable, or"),
    ],
)
def test_solution_matches_the_cause_of_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, cure: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Path, "mkdir", fail)
    with pytest.raises(LogError, match=cure):
        LogStore.open(tmp_path / "log.sqlite")


@pytest.mark.parametrize(
    ("code", "cure"),
    [
        (sqlite3.SQLITE_FULL, "free some disk space"),
        (sqlite3.SQLITE_IOERR, "no errors"),
        (sqlite3.SQLITE_READONLY, "make the folder and the file writable"),
    ],
)
def test_opening_fails_at_any_statement_and_works_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, cure: str
) -> None:
    """A new log, whose migrations are many statements; each failing one is followed by a start without fault."""
    connect, refusals = sqlite3.connect, []
    step = 17 // rounds(1, 17)
    for number in range(1, 1000, step):
        path = tmp_path / f"{number}.sqlite"
        fault = StatementFault(number, code)
        with monkeypatch.context() as patched:
            patched.setattr(sqlite3, "connect", lambda *a, fault=fault, **named: fault.over(connect(*a, **named)))
            try:
                LogStore.open(path, exclusively=True).close()
            except LogError as error:
                refusals.append(str(error))
        if not fault.has_struck:
            break
        store = LogStore.open(path, exclusively=True)
        assert store.path == path and not store.notes, fault.statement
        session = store.start_session(OWNER, DOCUMENT, "en-de")
        assert store.verify_chain(session.id).is_intact
        store.close()
    assert len(refusals) > 50 // step
    assert all(cure in refusal for refusal in refusals), refusals


@pytest.mark.parametrize(
    ("fault", "end", "cure"),
    [
        ("max_page_count = 1", "max_page_count = 100000", "free some disk space"),  # at most what it has now
        ("query_only = ON", "query_only = OFF", "make the folder and the file writable"),
    ],
)
def test_write_that_sqlite_refuses_changes_nothing(tmp_path: Path, fault: str, end: str, cure: str) -> None:
    make_log(tmp_path / "log.sqlite")
    store = LogStore.open(tmp_path / "log.sqlite")
    (summary,) = store.sessions(OWNER)
    before = list(store.events(summary.id))
    store.connection.db.conn.execute(f"PRAGMA {fault}")
    with pytest.raises(LogError, match=cure):
        store.append(OWNER, summary.id, "edit", {"text": "word " * 100_000}, segment=0)
    after = list(store.events(summary.id))
    assert after == before
    assert store.verify_chain(summary.id).is_intact
    store.connection.db.conn.execute(f"PRAGMA {end}")
    store.append(OWNER, summary.id, "edit", {"text": "word " * 10_000}, segment=0)
    assert store.verify_chain(summary.id).is_intact
    assert len(list(store.events(summary.id))) == len(after) + 1
    store.close()


def test_locked_log_is_reported_as_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.sqlite"
    make_log(path)
    monkeypatch.setattr(file, "BUSY_SECONDS", 0.01)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogError, match=r"locked\): close the program that locks the file"):
        LogStore.open(path)
    holder.close()


def test_backup_that_does_not_fit_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, copy = tmp_path / "log.sqlite", tmp_path / "copy.sqlite"
    make_log(path, 50)
    store = LogStore.open(path)
    connect = sqlite3.connect

    def on_small_disk(database: Path, **options: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(database, **options)  # type: ignore[call-overload]
        connection.execute("PRAGMA max_page_count = 3")
        return connection

    monkeypatch.setattr(sqlite3, "connect", on_small_disk)
    with pytest.raises(LogError, match=r"cannot be written \(.*full\)"):
        store.back_up(copy)
    assert list(tmp_path.glob("*copy*")) == []
    store.close()


def test_backup_gets_its_name_only_when_it_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, copy = tmp_path / "log.sqlite", tmp_path / "copy.sqlite"
    make_log(path)
    store = LogStore.open(path)
    link = os.link

    def looked_at(unfinished: Path, name: Path) -> None:
        assert not copy.exists()
        link(unfinished, name)

    monkeypatch.setattr(os, "link", looked_at)
    store.back_up(copy)
    store.close()
    LogStore.open_to_read(copy).close()
    assert sorted(found.name for found in tmp_path.glob("*copy*")) == ["copy.sqlite"]


def leave_write_ahead_file(path: Path, num_events: int, *, checkpoint: bool = False) -> int:
    """A log whose app was killed after so many events, and perhaps a checkpoint; its number of events."""
    child = os.fork()
    if child == 0:
        store = LogStore.open(path)
        session = store.start_session(OWNER, DOCUMENT, "en-de")
        for _ in range(num_events):
            store.append(OWNER, session.id, "error", {"command": "a", "message": "b"})
        if checkpoint:
            store._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        os._exit(0)
    os.waitpid(child, 0)
    assert path.with_name(path.name + "-wal").stat().st_size > 0
    return num_events + 1


def num_events(path: Path) -> int:
    store = LogStore.open(path)
    try:
        return sum(store.verify_chain(summary.id).num_events for summary in store.sessions(OWNER))
    finally:
        store.close()


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
@pytest.mark.parametrize("damage", ["", "lost", "overwritten"])
def test_index_of_the_write_ahead_file_may_be_lost_or_damaged(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "log.sqlite"
    expected = leave_write_ahead_file(path, 30)
    index = tmp_path / "log.sqlite-shm"
    if damage == "lost":
        index.unlink()
    elif damage:
        index.write_bytes(os.urandom(index.stat().st_size))
    assert num_events(path) == expected


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
@pytest.mark.parametrize("is_own_backup", [False, True])
def test_write_ahead_file_of_another_log_is_not_written_into_this_one(tmp_path: Path, is_own_backup: bool) -> None:
    path, other = tmp_path / "log.sqlite", tmp_path / "other.sqlite"
    make_log(path)
    expected = num_events(path)
    if is_own_backup:
        store = LogStore.open_to_read(path)
        store.back_up(other)
        store.close()
        path, other = other, path
    leave_write_ahead_file(other, 30)
    before = path.read_bytes()
    beside = path.with_name(path.name + "-wal")
    shutil.copy(other.with_name(other.name + "-wal"), beside)
    for open_log in (LogStore.open, LogStore.open_to_read):
        with pytest.raises(LogError, match=r"does not belong to .*, move .*-wal to another folder"):
            open_log(path)
    assert path.read_bytes() == before
    beside.unlink()
    assert num_events(path) == expected


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
def test_first_write_ahead_file_of_a_log_is_its_own_after_a_checkpoint(tmp_path: Path) -> None:
    """It contains the first page from before the log got its number."""
    path = tmp_path / "log.sqlite"
    expected = leave_write_ahead_file(path, 30, checkpoint=True)
    assert any(path.read_bytes()[60:64])
    LogStore.open_to_read(path).close()
    assert num_events(path) == expected


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
@pytest.mark.parametrize("num_bytes", [0, 100, 4096])
def test_write_ahead_file_with_an_unfinished_page_belongs_to_its_log(tmp_path: Path, num_bytes: int) -> None:
    """The app was killed after it had written the header of a frame, and none, some or all of an old page was there."""
    path = tmp_path / "log.sqlite"
    make_log(path)
    expected = num_events(path) + leave_write_ahead_file(path, 30)
    with path.with_name(path.name + "-wal").open("r+b") as beside:
        salts = beside.read(24)[16:]
        beside.seek(0, os.SEEK_END)
        beside.write(struct.pack(">II", 1, 0) + salts + bytes(8) + b"\xaa" * num_bytes)
    assert num_events(path) == expected


@pytest.mark.skipif(os.name != "posix", reason="needs a system that can fork")
def test_write_ahead_file_may_disappear_while_it_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process that closes the log removes it."""
    path = tmp_path / "log.sqlite"
    make_log(path)
    expected = num_events(path)
    (tmp_path / "log.sqlite-wal").write_bytes(b"")
    open_file = Path.open

    def open_late(file: Path, mode: str = "r") -> IO[Any]:
        if file.name.endswith("-wal"):
            file.unlink(missing_ok=True)
        return open_file(file, mode)

    with monkeypatch.context() as late:
        late.setattr(Path, "open", open_late)
        check_write_ahead_file(path)
    assert not (tmp_path / "log.sqlite-wal").exists()
    assert num_events(path) == expected


def test_upgrade_and_rollback_follow_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new version is this one with another migration; `before.sqlite` is the copy that the old one made."""
    path, before = tmp_path / "log.sqlite", tmp_path / "before.sqlite"
    token = make_log(path)
    assert main(["backup", str(before), "--log", str(path)]) == 0
    assert main(["verify", "--log", str(before)]) == 0

    def later(db: Database) -> None:
        db.execute("ALTER TABLE session ADD COLUMN later TEXT NOT NULL DEFAULT ''")

    with monkeypatch.context() as new_version:
        steps = [*migrations._migrations, migrations._Migration("m9999_later", later)]
        new_version.setattr(migrations, "_migrations", steps)
        store = LogStore.open(path)  # the upgrade
        session = store.load_session(OWNER, token)
        assert session.num_events == 3 and store.verify_chain(session.id).is_intact
        store.close()
        assert main(["verify", "--log", str(path)]) == 0

    migrated = path.read_bytes()
    with pytest.raises(LogError, match="newer version of Pinpoint"):
        LogStore.open(path)
    assert path.read_bytes() == migrated
    for ending in ("", "-wal", "-shm"):
        (tmp_path / f"log.sqlite{ending}").unlink(missing_ok=True)
    shutil.copyfile(before, path)
    store = LogStore.open(path)  # the old version, on the copy
    session = store.load_session(OWNER, token)
    assert session.num_events == 3 and store.verify_chain(session.id).is_intact
    store.close()
