"""The log's tables, as numbered steps: each runs once per file, in order, and is never edited once released.

A new step goes to the end, with a test that takes an older file and finds its rows again.
"""

from __future__ import annotations

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

# Tells a log from other programs' SQLite files: "PINP".
APPLICATION_ID = 0x50494E50

migrations = Migrations("pinpoint")


@migrations()
def m0001_session_document_segment_event(db: Database) -> None:
    """Who worked on what, every segment's newest state, and all that happened."""
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute("""
        CREATE TABLE document (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            sha256 TEXT NOT NULL,
            encoding TEXT NOT NULL,
            mark BLOB NOT NULL,
            data BLOB NOT NULL)
    """)
    # num_events and last_hash repeat what the events say: a log that lost its tail shows it.
    db.execute("""
        CREATE TABLE session (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            token TEXT NOT NULL UNIQUE,
            document_id INTEGER NOT NULL REFERENCES document(id),
            direction TEXT NOT NULL,
            pseudonym TEXT NOT NULL,
            versions TEXT NOT NULL,
            options TEXT NOT NULL,
            created_ms INTEGER NOT NULL,
            last_ms INTEGER NOT NULL,
            num_events INTEGER NOT NULL,
            last_hash TEXT NOT NULL)
    """)
    db.execute("""
        CREATE TABLE segment (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            segment_index INTEGER NOT NULL,
            source TEXT NOT NULL,
            source_start INTEGER NOT NULL,
            source_end INTEGER NOT NULL,
            target TEXT,
            state TEXT NOT NULL,
            version INTEGER NOT NULL,
            constraints TEXT NOT NULL,
            PRIMARY KEY (session_id, segment_index)) WITHOUT ROWID
    """)
    db.execute("""
        CREATE TABLE event (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            wall_ms INTEGER NOT NULL,
            monotonic_ms INTEGER NOT NULL,
            type TEXT NOT NULL,
            segment_index INTEGER,
            segment_version INTEGER,
            payload TEXT NOT NULL,
            previous_hash TEXT NOT NULL,
            hash TEXT NOT NULL,
            PRIMARY KEY (session_id, seq))
    """)


@migrations()
def m0002_glossary_and_tombstone(db: Database) -> None:
    """The terms a session works with, and what stays of a deleted session."""
    db.execute("ALTER TABLE session ADD COLUMN glossary_name TEXT")
    db.execute("""
        CREATE TABLE glossary_term (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            file_row INTEGER NOT NULL,
            PRIMARY KEY (session_id, position)) WITHOUT ROWID
    """)
    db.execute("""
        CREATE TABLE tombstone (
            session_id INTEGER PRIMARY KEY,
            deleted_ms INTEGER NOT NULL,
            num_events INTEGER NOT NULL,
            last_hash TEXT NOT NULL)
    """)


@migrations()
def m0003_document_format_and_given_translations(db: Database) -> None:
    """Which format a document has (until here all were plain text); what its file says about a segment and with
    which translation it came."""
    db.execute("ALTER TABLE document ADD COLUMN format TEXT NOT NULL DEFAULT 'txt'")
    db.execute("ALTER TABLE segment ADD COLUMN note TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE segment ADD COLUMN given_target TEXT")
    db.execute("ALTER TABLE segment ADD COLUMN given_state TEXT NOT NULL DEFAULT 'new'")


@migrations()
def m0004_document_term(db: Database) -> None:
    """The terms that are required in a whole document, besides its glossary."""
    db.execute("""
        CREATE TABLE document_term (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            UNIQUE (session_id, source, target))
    """)


@migrations()
def m0005_term_fields(db: Database) -> None:
    """What a term says beyond its words, as JSON: status, variants, how it is matched, its glossary and note."""
    db.execute("ALTER TABLE glossary_term ADD COLUMN said TEXT NOT NULL DEFAULT '{}'")


@migrations()
def m0006_memory_entry(db: Database) -> None:
    """Translation memories that were imported; the confirmed segments are a memory as they stand."""
    db.execute("""
        CREATE TABLE memory_entry (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            source_language TEXT NOT NULL,
            target_language TEXT NOT NULL,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            changed_ms INTEGER NOT NULL)
    """)
    db.execute("CREATE INDEX memory_entry_by_languages ON memory_entry (source_language, target_language)")


@migrations()
def m0007_several_glossaries(db: Database) -> None:
    """A session has glossaries in the order of their priority, each on or off, their terms numbered to be edited."""
    db.execute("""
        CREATE TABLE glossary (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            glossary_id INTEGER NOT NULL,
            position INTEGER NOT NULL,
            name TEXT NOT NULL,
            is_on INTEGER NOT NULL,
            PRIMARY KEY (session_id, glossary_id)) WITHOUT ROWID
    """)
    db.execute("INSERT INTO glossary SELECT id, 1, 0, glossary_name, 1 FROM session WHERE glossary_name IS NOT NULL")
    db.execute("ALTER TABLE glossary_term RENAME TO glossary_term_before")
    db.execute("""
        CREATE TABLE glossary_term (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            glossary_id INTEGER NOT NULL,
            number INTEGER NOT NULL,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            file_row INTEGER NOT NULL,
            said TEXT NOT NULL,
            PRIMARY KEY (session_id, glossary_id, number)) WITHOUT ROWID
    """)
    db.execute(
        "INSERT INTO glossary_term SELECT session_id, 1, position, source, target, file_row, said "
        "FROM glossary_term_before"
    )
    db.execute("DROP TABLE glossary_term_before")
    db.execute("ALTER TABLE session DROP COLUMN glossary_name")


def migrate(db: Database) -> None:
    """Brings the file to the newest step, in one transaction: all of it or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        migrations.apply(db)
        # A write in any case: a file that can only be read shows it now, not at the person's first edit.
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        db.rollback()
        raise
    db.commit()


def unknown_steps(db: Database) -> list[str]:
    """Steps that the file has been through and this version of the app does not know: a newer one wrote it."""
    known = {step.name for step in migrations.pending(Database(memory=True))}
    return [step.name for step in migrations.applied(db) if step.name not in known]


def pending_steps(db: Database) -> list[str]:
    """Steps that the file has yet to go through: an older version wrote it."""
    return [step.name for step in migrations.pending(db)]
