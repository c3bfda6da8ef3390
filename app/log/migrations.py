"""The tables of the log as numbered migrations: each runs once per file, in order, and is never edited after a release.

Append new migrations, with a test that an older file keeps its rows.
"""

from __future__ import annotations

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from app.log.research_views import create_research_views

# Distinguishes a log from the SQLite files of other programs: "PINP".
APPLICATION_ID = 0x50494E50

migrations = Migrations("pinpoint")


@migrations()
def m0001_session_document_segment_event(db: Database) -> None:
    """Sessions, documents, the newest state of every segment, and all events."""
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
    # num_events and last_hash are redundant, so that a missing tail of events is noticed.
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
    """The terms of a session, and a tombstone for each deleted session."""
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
    """The format of a document (all were plain text before), and the note and translation of each segment in its
    file."""
    db.execute("ALTER TABLE document ADD COLUMN format TEXT NOT NULL DEFAULT 'txt'")
    db.execute("ALTER TABLE segment ADD COLUMN note TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE segment ADD COLUMN given_target TEXT")
    db.execute("ALTER TABLE segment ADD COLUMN given_state TEXT NOT NULL DEFAULT 'new'")


@migrations()
def m0004_document_term(db: Database) -> None:
    """Terms required in the whole document, besides its glossary."""
    db.execute("""
        CREATE TABLE document_term (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            UNIQUE (session_id, source, target))
    """)


@migrations()
def m0005_term_fields(db: Database) -> None:
    """Further fields of a term as JSON: status, variants, case, matching, glossary and note."""
    db.execute("ALTER TABLE glossary_term ADD COLUMN said TEXT NOT NULL DEFAULT '{}'")


@migrations()
def m0006_memory_entry(db: Database) -> None:
    """Imported translation memories; confirmed segments are read from their own table."""
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
    """Several glossaries for each session, with priority and an on/off switch, and numbered terms."""
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


@migrations()
def m0008_project_and_term_base(db: Database) -> None:
    """Projects, one for each language pair of the sessions so far, and glossaries shared by a project's documents.

    Empty texts of a project mean: no name of its own, no client, the model's choice. A term base without a project is
    not imported completely yet. Term bases and the glossaries of a session share one range of numbers, in which those
    of term bases are the larger ones. `glossary.revision` is the revision of a term base that the session has logged.
    """
    db.execute("""
        CREATE TABLE project (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            client TEXT NOT NULL,
            direction TEXT NOT NULL,
            formality TEXT NOT NULL,
            domain TEXT NOT NULL,
            shares_memory INTEGER NOT NULL,
            created_ms INTEGER NOT NULL,
            chosen_ms INTEGER NOT NULL)
    """)
    db.execute(
        "INSERT INTO project (name, client, direction, formality, domain, shares_memory, created_ms, chosen_ms) "
        "SELECT '', '', direction, 'formal', '', 1, min(created_ms), 0 FROM session GROUP BY direction"
    )
    db.execute("ALTER TABLE session ADD COLUMN project_id INTEGER REFERENCES project(id)")
    db.execute("UPDATE session SET project_id = (SELECT id FROM project WHERE project.direction = session.direction)")
    db.execute("""
        CREATE TABLE term_base (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            project_id INTEGER REFERENCES project(id),
            position INTEGER NOT NULL,
            name TEXT NOT NULL,
            revision INTEGER NOT NULL)
    """)
    db.execute("INSERT INTO sqlite_sequence VALUES ('term_base', 1000000)")
    db.execute("""
        CREATE TABLE term_base_term (
            term_base_id INTEGER NOT NULL REFERENCES term_base(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            source TEXT NOT NULL,
            target TEXT NOT NULL,
            file_row INTEGER NOT NULL,
            said TEXT NOT NULL,
            PRIMARY KEY (term_base_id, number)) WITHOUT ROWID
    """)
    db.execute("ALTER TABLE glossary ADD COLUMN revision INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE memory_entry ADD COLUMN project_id INTEGER REFERENCES project(id)")


@migrations()
def m0009_matches_of_a_project(db: Database) -> None:
    """The lowest match rate that is shown, and the penalties of matches from elsewhere."""
    for column, default in (("min_match", 75), ("other_penalty", 1), ("import_penalty", 0)):
        db.execute(f"ALTER TABLE project ADD COLUMN {column} INTEGER NOT NULL DEFAULT {default}")


@migrations()
def m0010_project_learns(db: Database) -> None:
    """Adds the setting of a project to learn from its confirmed segments."""
    db.execute("ALTER TABLE project ADD COLUMN learns INTEGER NOT NULL DEFAULT 1")


@migrations()
def m0011_settings_of_a_project(db: Database) -> None:
    """Texts that a project keeps by name, such as how the columns of a glossary were used the last time."""
    db.execute("""
        CREATE TABLE project_setting (
            project_id INTEGER NOT NULL REFERENCES project(id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (project_id, name)) WITHOUT ROWID
    """)


@migrations()
def m0012_bundle(db: Database) -> None:
    """Documents that were opened together, with the bytes of their archive; `entry` is a number there."""
    db.execute("""
        CREATE TABLE bundle (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            data BLOB NOT NULL,
            created_ms INTEGER NOT NULL)
    """)
    db.execute("""
        CREATE TABLE bundle_document (
            session_id INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,
            bundle_id INTEGER NOT NULL REFERENCES bundle(id),
            path TEXT NOT NULL,
            entry INTEGER)
    """)


@migrations()
def m0013_person_and_member(db: Database) -> None:
    """The roles of people (the owner is ""), and the members of projects; `is_own`: it was made for their documents."""
    db.execute("CREATE TABLE person (name TEXT PRIMARY KEY, role TEXT NOT NULL) WITHOUT ROWID")
    db.execute("""
        CREATE TABLE member (
            project_id INTEGER NOT NULL REFERENCES project(id) ON DELETE CASCADE,
            person TEXT NOT NULL,
            is_own INTEGER NOT NULL,
            PRIMARY KEY (project_id, person)) WITHOUT ROWID
    """)


@migrations()
def m0014_assignee(db: Database) -> None:
    """The person to whom a document is assigned; "": nobody."""
    db.execute("ALTER TABLE session ADD COLUMN assignee TEXT NOT NULL DEFAULT ''")


@migrations()
def m0015_limits(db: Database) -> None:
    """Adds the limit of length of a segment's translation, as JSON (`app.text.text_limits`); "" without a limit."""
    db.execute("ALTER TABLE segment ADD COLUMN limits TEXT NOT NULL DEFAULT ''")


@migrations()
def m0016_review(db: Database) -> None:
    """Adds the setting of a project to review its segments, and an index of the remarks about each segment."""
    db.execute("ALTER TABLE project ADD COLUMN has_review INTEGER NOT NULL DEFAULT 0")
    db.execute("CREATE INDEX remark_of_segment ON event (session_id, segment_index, seq) WHERE type = 'remark'")


@migrations()
def m0017_assigned_segment(db: Database) -> None:
    """The person to whom a segment is assigned, if the whole document is not."""
    db.execute("""
        CREATE TABLE assigned_segment (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            segment_index INTEGER NOT NULL,
            person TEXT NOT NULL,
            PRIMARY KEY (session_id, segment_index)) WITHOUT ROWID
    """)


@migrations()
def m0018_indexes_of_sessions(db: Database) -> None:
    """Indexes, so that the time to open a document does not grow with the number of documents."""
    db.execute("CREATE INDEX session_by_use ON session (last_ms, id)")
    db.execute("CREATE INDEX session_by_project ON session (project_id)")
    db.execute("CREATE INDEX session_by_document ON session (document_id)")
    db.execute("CREATE INDEX document_by_checksum ON document (sha256)")
    for name, condition in (
        ("filled", "source != ''"),
        ("confirmed", "state = 'confirmed'"),
        ("changed", "version > 0"),
    ):
        db.execute(f"CREATE INDEX {name}_segment ON segment (session_id) WHERE {condition}")


@migrations()
def m0019_notice(db: Database) -> None:
    """Notices to people about documents, until they open them; `num_segments` 0: about the whole document."""
    db.execute("""
        CREATE TABLE notice (
            session_id INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
            person TEXT NOT NULL,
            kind TEXT NOT NULL,
            sender TEXT NOT NULL,
            num_segments INTEGER NOT NULL,
            wall_ms INTEGER NOT NULL,
            is_dismissed INTEGER NOT NULL,
            PRIMARY KEY (session_id, person, kind)) WITHOUT ROWID
    """)


@migrations()
def m0020_review_of_a_segment(db: Database) -> None:
    """The reviewer's decision about a segment's text, computed from its constraints, so that it is counted quickly."""
    db.execute("""
        ALTER TABLE segment ADD COLUMN review TEXT GENERATED ALWAYS AS (
            CASE json_valid(constraints) WHEN 1 THEN
                CASE WHEN json_extract(constraints, '$.verdict.text') = target
                    AND state = CASE json_extract(constraints, '$.verdict.decision')
                        WHEN 'approved' THEN 'confirmed' WHEN 'returned' THEN 'edited' END
                THEN json_extract(constraints, '$.verdict.decision') END
            END) VIRTUAL
    """)
    db.execute("CREATE INDEX reviewed_segment ON segment (session_id, review) WHERE review IS NOT NULL")


@migrations()
def m0021_placeholders(db: Database) -> None:
    """The texts of a segment's source that are placeholders by the conventions of its file, as a JSON list."""
    db.execute("ALTER TABLE segment ADD COLUMN placeholders TEXT NOT NULL DEFAULT '[]'")


@migrations()
def m0022_names_of_constraints(db: Database) -> None:
    """One name for each part of a segment's constraints: "prefix", "follow" and "followed_before"."""
    # A quote inside a text is escaped, so quote, name, quote and colon are a key. JSON that is damaged stays readable.
    db.execute("""
        UPDATE segment SET constraints = replace(replace(replace(constraints,
            '"beginning":', '"prefix":'), '"previous":', '"follow":'), '"freed_from":', '"followed_before":')
        WHERE instr(constraints, '"beginning":') OR instr(constraints, '"previous":')
            OR instr(constraints, '"freed_from":')
    """)


@migrations()
def m0023_research_views(db: Database) -> None:
    """Views for research: segments, edits, constraints, decodes and pauses."""
    create_research_views(db)


@migrations()
def m0024_lock_of_a_segment(db: Database) -> None:
    """True for a locked segment, computed from its constraints, so that it is counted quickly; who locked it."""
    db.execute("""
        ALTER TABLE segment ADD COLUMN is_locked INTEGER GENERATED ALWAYS AS (
            CASE json_valid(constraints) WHEN 1 THEN json_extract(constraints, '$.lock') IS NOT NULL END) VIRTUAL
    """)
    db.execute("CREATE INDEX locked_segment ON segment (session_id, is_locked) WHERE is_locked")
    db.execute("CREATE INDEX lock_of_segment ON event (session_id, segment_index, seq) WHERE type = 'lock'")


@migrations()
def m0025_deadlines(db: Database) -> None:
    """The deadlines of projects and documents in milliseconds since 1970."""
    db.execute("ALTER TABLE project ADD COLUMN deadline_ms INTEGER")
    db.execute("ALTER TABLE session ADD COLUMN deadline_ms INTEGER")


def migrate(db: Database) -> None:
    """Applies all pending migrations in one transaction."""
    db.execute("BEGIN IMMEDIATE")
    try:
        migrations.apply(db)
        # Always writes, so that a read-only file fails now and not at the first edit.
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        db.rollback()
        raise
    db.commit()


def unknown_steps(db: Database) -> list[str]:
    """Migrations applied to the file that this version does not know, because a newer version wrote it."""
    known = {step.name for step in migrations.pending(Database(memory=True))}
    return [step.name for step in migrations.applied(db) if step.name not in known]


def pending_steps(db: Database) -> list[str]:
    """Migrations not yet applied to the file, because an older version wrote it."""
    return [step.name for step in migrations.pending(db)]
