"""The table of projects: settings that the documents of one client and language pair share.

Changes are made inside a transaction together with an event in the log of the document that is open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass, fields
from typing import Any, Final

from sqlite_utils import Database

from app.access.actor import Actor
from app.errors import Checked
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.notices import note_assignment

CHOSEN_BY_NOBODY: Final = -1  # `chosen_ms` of a project for the documents of a program


@dataclass(frozen=True, slots=True)
class Project(Checked):
    """A project. Empty texts: no name of its own, no client, and a form of address or domain that the model chooses.

    `shares_memory`: matches from documents of other projects are used, too. Times are milliseconds since 1970.
    `min_match` is the lowest match rate that is shown, in percent; the penalties are what a match from another project
    or from an imported memory is worth less.
    `learns`: proposals draw from its confirmed segments. `has_review`: reviewers approve or return confirmed segments.
    `deadline_ms` is that of its documents without their own.
    """

    id: int
    name: str
    client: str
    direction: str
    formality: str
    domain: str
    shares_memory: bool
    created_ms: int = 0
    chosen_ms: int = 0
    min_match: int = 75
    other_penalty: int = 1
    import_penalty: int = 0
    learns: bool = True
    has_review: bool = False
    deadline_ms: int | None = None

    @property
    def is_of_program(self) -> bool:
        """True if the project is for a program's documents, and nobody has chosen it for documents of the page."""
        return self.chosen_ms == CHOSEN_BY_NOBODY


_COLUMNS: Final = ", ".join(field.name for field in fields(Project))


@dataclass(frozen=True, slots=True)
class ConfirmedPair:
    """A confirmed segment of a project."""

    session_id: int
    index: int
    source: str
    target: str

    @property
    def origin(self) -> tuple[int, int]:
        """The session and the segment."""
        return self.session_id, self.index


@dataclass(frozen=True, slots=True)
class _AssignedSegment(Checked):
    """A segment with the person to whom it is assigned."""

    index: int
    person: str


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """A project with the numbers of its documents, term bases and terms."""

    project: Project
    num_documents: int
    num_term_bases: int
    num_terms: int


def list_projects(log: LogConnection) -> list[ProjectSummary]:
    """All projects, the one chosen last first."""
    query = f"""
        SELECT {_COLUMNS},
            (SELECT count(*) FROM session WHERE project_id = project.id) AS num_documents,
            (SELECT count(*) FROM term_base WHERE project_id = project.id) AS num_term_bases,
            (SELECT count(*) FROM term_base_term JOIN term_base ON term_base.id = term_base_id
                WHERE project_id = project.id) AS num_terms
        FROM project ORDER BY chosen_ms DESC, id DESC
    """  # noqa: S608 (column names of ours)
    rows = log.rows(Message("list the projects"), query)
    return [ProjectSummary(_project(log, row), *(row[name] for name in _COUNTS)) for row in rows]


def projects_for_new(log: LogConnection, direction: str) -> list[Project]:
    """The projects of exactly this language pair, except those of programs, the one chosen last first."""
    query = f"SELECT {_COLUMNS} FROM project WHERE direction = ? AND chosen_ms != ? ORDER BY chosen_ms DESC, id DESC"  # noqa: S608
    rows = log.rows(Message("list the projects"), query, (direction, CHOSEN_BY_NOBODY))
    return [_project(log, row) for row in rows]


def load_project(log: LogConnection, project_id: int) -> Project | None:
    """The project of that number, if there is one."""
    query = f"SELECT {_COLUMNS} FROM project WHERE id = ?"  # noqa: S608 (column names of ours)
    rows = log.rows(Message("read the project"), query, (project_id,))
    return _project(log, rows[0]) if rows else None


def insert_project(db: Database, project: Project) -> int:
    """Adds a project and returns its number; `project.id` does not count."""
    _, *values = astuple(project)
    marks = ", ".join("?" * len(values))
    statement = f"INSERT INTO project ({_COLUMNS.removeprefix('id, ')}) VALUES ({marks})"  # noqa: S608 (names of ours)
    return int(db.execute(statement, values).lastrowid or 0)


def update_project(db: Database, project: Project) -> None:
    """Stores the fields of a project, except its languages, the time at which it was made, and its deadline."""
    values = asdict(project)
    kept = ("id", "direction", "created_ms", "deadline_ms")
    changes = ", ".join(f"{name} = :{name}" for name in values if name not in kept)
    db.execute(f"UPDATE project SET {changes} WHERE id = :id", values)  # noqa: S608 (column names of ours)


def project_setting(log: LogConnection, project_id: int, name: str) -> str | None:
    """A text that the project keeps under that name."""
    query = "SELECT value FROM project_setting WHERE project_id = ? AND name = ?"
    rows = log.rows(Message("read the project"), query, (project_id, name))
    return str(rows[0]["value"]) if rows else None


def project_settings(log: LogConnection, name: str) -> dict[int, str]:
    """The texts that projects keep under that name, by project."""
    rows = log.rows(
        Message("list the projects"), "SELECT project_id, value FROM project_setting WHERE name = ?", (name,)
    )
    return {row["project_id"]: str(row["value"]) for row in rows}


def keep_project_setting(db: Database, project_id: int, name: str, value: str | None) -> None:
    """Keeps a text for the project under that name; None removes it."""
    db.execute("DELETE FROM project_setting WHERE project_id = ? AND name = ?", (project_id, name))
    if value is not None:
        db.execute("INSERT INTO project_setting VALUES (?, ?, ?)", (project_id, name, value))


def confirmed_in_project(
    log: LogConnection, project_id: int, direction: str, besides: int, limit: int
) -> list[ConfirmedPair]:
    """The newest `limit` confirmed segments of a project, oldest first, without session `besides`."""
    query = """
        SELECT session_id, segment_index, source, target
        FROM session CROSS JOIN segment INDEXED BY confirmed_segment ON session.id = session_id
        WHERE project_id = ? AND direction = ? AND session.id != ? AND state = 'confirmed' AND target IS NOT NULL
        ORDER BY session.id DESC, segment_index DESC LIMIT ?
    """
    rows = log.rows(Message("load the memory"), query, (project_id, direction, besides, limit))
    found = [ConfirmedPair(row["session_id"], row["segment_index"], row["source"], row["target"]) for row in rows]
    return found[::-1]


def confirmation_order(log: LogConnection, session_id: int) -> dict[int, int]:
    """By segment, the number of the newest event that confirmed it; segments confirmed in the file have none."""
    query = """
        SELECT segment_index AS number, seq FROM event WHERE session_id = :session AND (
            type = 'confirm' OR type IN ('insert', 'delete', 'paste', 'edit', 'undo', 'redo', 'review')
            AND json_extract(payload, '$.state') = 'confirmed')
        UNION ALL
        SELECT json_extract(part.value, '$.segment'), seq FROM event, json_each(payload, '$.parts') AS part
        WHERE session_id = :session AND event.type IN ('split', 'merge')
            AND json_extract(part.value, '$.state') = 'confirmed'
        ORDER BY seq
    """
    rows = log.rows(Message("load the memory"), query, {"session": session_id})
    return {row["number"]: row["seq"] for row in rows}


def delete_project(db: Database, project_id: int, into: int | None) -> None:
    """Deletes a project; its documents, term bases and imported memories move to the project `into`."""
    for table in ("session", "term_base", "memory_entry"):
        db.execute(f"UPDATE {table} SET project_id = ? WHERE project_id = ?", (into, project_id))  # noqa: S608
    db.execute("DELETE FROM project WHERE id = ?", (project_id,))


def move_session(db: Database, session_id: int, project_id: int) -> None:
    """Puts a session into another project."""
    db.execute("UPDATE session SET project_id = ? WHERE id = ?", (project_id, session_id))


def assign_session(actor: Actor, db: Database, session_id: int, person: str) -> None:
    """Assigns a document to a person, with notices to those concerned; "" to nobody."""
    before = db.execute("SELECT assignee FROM session WHERE id = ?", (session_id,)).fetchall()
    db.execute("UPDATE session SET assignee = ? WHERE id = ?", (person, session_id))
    note_assignment(actor, db, session_id, person, [row[0] for row in before])


def assign_segments(actor: Actor, db: Database, session_id: int, indices: Iterable[int], person: str) -> None:
    """Assigns segments of a document to a person and ends their earlier assignments; "" assigns them to nobody.

    Those concerned get notices.
    """
    rows = [(session_id, index) for index in indices]
    query = "SELECT segment_index, person FROM assigned_segment WHERE session_id = ?"
    names = dict(db.execute(query, (session_id,)).fetchall())
    db.conn.executemany("DELETE FROM assigned_segment WHERE session_id = ? AND segment_index = ?", rows)
    if person:
        db.conn.executemany("INSERT INTO assigned_segment VALUES (?, ?, ?)", [(*row, person) for row in rows])
    note_assignment(actor, db, session_id, person, [names.get(index, "") for _, index in rows])


def segment_assignees(log: LogConnection, session_id: int) -> dict[int, str]:
    """The person of each segment that is assigned, by its index."""
    query = "SELECT segment_index, person FROM assigned_segment WHERE session_id = ?"
    purpose = Message("load the session")
    rows = log.rows(purpose, query, (session_id,))
    with log.checked(purpose):
        found = [_AssignedSegment(row["segment_index"], row["person"]) for row in rows]
    return {one.index: one.person for one in found}


def current_project(db: Database, direction: str, now_ms: int) -> int:
    """The project of exactly this language pair that was chosen last, not of a program; without any, a new one."""
    query = "SELECT id FROM project WHERE direction = ? AND chosen_ms != ? ORDER BY chosen_ms DESC, id DESC"
    found = db.execute(query, (direction, CHOSEN_BY_NOBODY)).fetchone()
    return int(found[0]) if found else insert_project(db, Project(0, "", "", direction, "formal", "", True, now_ms))


_COUNTS = ("num_documents", "num_term_bases", "num_terms")


def _project(log: LogConnection, row: dict[str, Any]) -> Project:
    values = {name: row[name] for name in _COLUMNS.split(", ")}
    flags = {name: bool(values[name]) for name in ("shares_memory", "learns", "has_review")}
    with log.checked(Message("read the project")):
        return Project(**{**values, **flags})
