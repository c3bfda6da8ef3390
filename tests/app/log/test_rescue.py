"""What is whole in a damaged log is read into a new one, and nothing else."""

from __future__ import annotations

import hashlib
import random
import sqlite3
from pathlib import Path

import pytest
from sqlite_utils import Database

from app.access.actor import OWNER, Actor
from app.errors import LogError
from app.formats.read_file import read_document
from app.log.migrations import migrations
from app.log.records import NewEvent, SegmentUpdate
from app.log.rescue import Rescue, rescue_log
from app.log.store import LogStore

PAGE = 4096
NUM_SESSIONS, NUM_SEGMENTS = 6, 60
Texts = dict[int, list[tuple[str, str | None]]]  # source and target, by session


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A log of six documents with a text for each segment."""
    path = tmp_path_factory.mktemp("whole") / "log.sqlite"
    store = LogStore.open(path)
    for number in range(NUM_SESSIONS):
        text = " ".join(f"Sentence {place} of document {number}." for place in range(NUM_SEGMENTS))
        session = store.start_session(OWNER, read_document(text.encode(), f"{number}.txt"), "en-de")
        updates = [(place, SegmentUpdate("edited", f"Satz {place} von {number}", 1)) for place in range(NUM_SEGMENTS)]
        events = [NewEvent("edit", {"text": update.target}, place, 1) for place, update in updates]
        store.append_all(OWNER, session.id, events, updates)
    store.close()
    return path.read_bytes()


def texts_of(path: Path) -> Texts:
    """The texts of a log, which must be in order."""
    store = LogStore.open(path)
    try:
        assert store.path == path and not store.notes
        sessions = [store.load_session(OWNER, summary.id) for summary in store.sessions(OWNER)]
        return {session.id: [(one.source, one.target) for one in session.segments] for session in sessions}
    finally:
        store.close()


@pytest.fixture(scope="module")
def expected(whole: bytes, tmp_path_factory: pytest.TempPathFactory) -> Texts:
    path = tmp_path_factory.mktemp("expected") / "log.sqlite"
    path.write_bytes(whole)
    return texts_of(path)


def rescued(data: bytes, folder: Path, expected: Texts) -> Rescue:
    """What was rescued of a damaged file; all of it is as it was, and the file is not changed."""
    damaged, new = folder / "damaged.sqlite", folder / "new.sqlite"
    damaged.write_bytes(data)
    new.unlink(missing_ok=True)
    found = rescue_log(damaged, new)
    assert damaged.read_bytes() == data
    kept = texts_of(new)
    assert len(kept) == found.num_sessions
    assert all(expected[number] == texts for number, texts in kept.items())
    for text in found.texts:
        assert text.session_id not in kept
        assert (text.source, text.target) == expected[text.session_id][text.segment]
    return found


def overwritten(data: bytes, *pages: int) -> bytes:
    changed = bytearray(data)
    for page in pages:
        changed[page * PAGE : (page + 1) * PAGE] = b"\xa5" * PAGE
    return bytes(changed)


def test_whole_log_is_copied_completely(whole: bytes, expected: Texts, tmp_path: Path):
    found = rescued(whole, tmp_path, expected)
    assert (found.num_sessions, found.texts) == (NUM_SESSIONS, ())
    with sqlite3.connect(tmp_path / "damaged.sqlite") as old, sqlite3.connect(tmp_path / "new.sqlite") as new:
        tables = [name for (name,) in old.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
        for table in tables:
            columns = "name" if table == migrations.migrations_table else "*"  # without the times of the steps
            assert [*old.execute(f"SELECT {columns} FROM {table}")] == [*new.execute(f"SELECT {columns} FROM {table}")]


def num_rescued(data: bytes, folder: Path, expected: Texts) -> int:
    """The number of texts that were rescued, in their sessions or alone; 0 where the list of tables is damaged."""
    try:
        found = rescued(data, folder, expected)
    except LogError:
        return 0
    return found.num_sessions * NUM_SEGMENTS + len(found.texts)


def test_damaged_page_loses_only_its_own_rows(whole: bytes, expected: Texts, tmp_path: Path):
    pages = random.Random(1).sample(range(1, len(whole) // PAGE), 9)
    counts = sorted(num_rescued(overwritten(whole, page), tmp_path, expected) for page in pages)
    num_without_list = counts.count(0)
    assert num_without_list <= 2  # a few pages have the list of tables
    assert counts[num_without_list] > NUM_SEGMENTS * (NUM_SESSIONS - 2)
    assert counts[5] == NUM_SEGMENTS * NUM_SESSIONS  # most pages have events only


def test_random_damage_never_gives_a_wrong_text(whole: bytes, expected: Texts, tmp_path: Path):
    random_ = random.Random(5)
    num_pages = len(whole) // PAGE
    pages = range(num_pages * 2 // 3, num_pages)  # the list of tables was written first
    counts = []
    for is_cut in (False, True, True):
        data = overwritten(whole, *random_.sample(pages, 4))
        if is_cut:
            data = data[: random_.choice(pages) * PAGE + random_.randrange(PAGE)]
        counts.append(num_rescued(data, tmp_path, expected))
    assert all(counts)


def test_log_of_an_earlier_version_is_rescued_and_updated_at_its_next_start(tmp_path: Path):
    old, new = tmp_path / "old.sqlite", tmp_path / "new.sqlite"
    database = Database(old)
    migrations.apply(database, stop_before="m0002_glossary_and_tombstone")
    for table, row in (
        ("document", (1, "a.txt", hashlib.sha256(b"One.").hexdigest(), "utf-8", b"", b"One.")),
        ("session", (1, "token", 1, "en-de", "", "{}", "{}", 1, 1, 0, "")),
        ("segment", (1, 0, "One.", 0, 4, "Eins.", "edited", 1, "{}")),
    ):
        database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    database.conn.commit()
    database.close()
    assert rescue_log(old, new).num_sessions == 1
    assert texts_of(new) == {1: [("One.", "Eins.")]}


@pytest.mark.parametrize("data", [b"\xa5" * PAGE, b"my notes", b""])
def test_file_of_which_nothing_can_be_read_is_refused(whole: bytes, tmp_path: Path, data: bytes):
    (tmp_path / "damaged.sqlite").write_bytes(data + whole[PAGE:] if len(data) == PAGE else data)
    with pytest.raises(LogError, match="cannot be read, because its list of tables is damaged: restore a backup"):
        rescue_log(tmp_path / "damaged.sqlite", tmp_path / "new.sqlite")
    assert [path.name for path in tmp_path.iterdir()] == ["damaged.sqlite"]


def test_rescue_replaces_no_file(whole: bytes, tmp_path: Path):
    (tmp_path / "damaged.sqlite").write_bytes(whole)
    (tmp_path / "new.sqlite").write_bytes(b"a backup")
    with pytest.raises(LogError, match="already exists"):
        rescue_log(tmp_path / "damaged.sqlite", tmp_path / "new.sqlite")
    assert (tmp_path / "new.sqlite").read_bytes() == b"a backup"


def test_rescued_log_shows_nobody_more_where_the_roles_are_lost(tmp_path: Path):
    path, new = tmp_path / "log.sqlite", tmp_path / "new.sqlite"
    store = LogStore.open(path)
    store.people.put("Ana", "translator")
    store.start_session(OWNER, read_document(b"One.\n", "a.txt"), "en-de")
    (root,) = store.connection.rows("read", "SELECT rootpage AS page FROM sqlite_master WHERE name = 'person'")
    store.close()
    path.write_bytes(overwritten(path.read_bytes(), root["page"] - 1))
    assert rescue_log(path, new).num_sessions == 1
    store = LogStore.open(new)
    assert store.sessions(Actor.person("Ana")) == []
    assert len(store.sessions(OWNER)) == 1 and store.people.all() == []
    store.close()
