"""The tables of bundles: documents that were opened together, with the archive that they came from.

Changes are made inside a transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlite_utils import Database

from app.errors import Checked
from app.i18n import Message
from app.log.connection import LogConnection


@dataclass(frozen=True, slots=True)
class Bundle(Checked):
    """Files that were opened together. `data` are the bytes of their archive, empty for files that were selected.

    The `name` is that of the archive or of the folder, or empty. With `id` 0 it is not stored yet.
    """

    id: int
    name: str
    data: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class BundlePlace:
    """The place of a document: its path with folders, and the number of its entry in the archive, None without one."""

    bundle: Bundle
    path: str
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class BundleDocument:
    """A document of a bundle."""

    session_id: int
    path: str
    entry: int | None


def insert_place(db: Database, session_id: int, place: BundlePlace, now_ms: int) -> None:
    """Puts a session into its bundle, which is stored if it is not yet."""
    bundle_id = place.bundle.id
    if not bundle_id:
        statement = "INSERT INTO bundle (name, data, created_ms) VALUES (?, ?, ?)"
        bundle_id = int(db.execute(statement, (place.bundle.name, place.bundle.data, now_ms)).lastrowid or 0)
    statement = "INSERT INTO bundle_document (session_id, bundle_id, path, entry) VALUES (?, ?, ?, ?)"
    db.execute(statement, (session_id, bundle_id, place.path, place.entry))


def move_place(db: Database, session_id: int, new_session_id: int) -> None:
    """Gives the place of a session, if it has one, to the session on the same document that replaces it."""
    db.execute("UPDATE bundle_document SET session_id = ? WHERE session_id = ?", (new_session_id, session_id))


def discard_empty_bundles(db: Database) -> None:
    """Deletes bundles without documents."""
    db.execute("DELETE FROM bundle WHERE id NOT IN (SELECT bundle_id FROM bundle_document)")


def bundle_of(log: LogConnection, session_id: int) -> int | None:
    """The number of the session's bundle; None for a document that was opened alone."""
    query = "SELECT bundle_id FROM bundle_document WHERE session_id = ?"
    rows = log.rows(Message("load the session"), query, (session_id,))
    return int(rows[0]["bundle_id"]) if rows else None


def bundle_kind(log: LogConnection, bundle_id: int) -> tuple[str, bool]:
    """The name of a bundle, and whether it is an archive; without reading the archive."""
    query = "SELECT name, length(data) > 0 AS is_archive FROM bundle WHERE id = ?"
    rows = log.rows(Message("load the session"), query, (bundle_id,))
    return (str(rows[0]["name"]), bool(rows[0]["is_archive"])) if rows else ("", False)


def load_bundle(log: LogConnection, bundle_id: int) -> Bundle | None:
    """The bundle of that number with its archive, if there is one."""
    query = "SELECT id, name, data FROM bundle WHERE id = ?"
    rows = log.rows(Message("load the session"), query, (bundle_id,))
    with log.checked(Message("load the session")):
        return Bundle(**rows[0]) if rows else None


def documents_of_bundle(log: LogConnection, bundle_id: int) -> list[BundleDocument]:
    """The documents of a bundle in the order in which they were opened."""
    query = "SELECT session_id, path, entry FROM bundle_document WHERE bundle_id = ? ORDER BY session_id"
    rows = log.rows(Message("load the session"), query, (bundle_id,))
    with log.checked(Message("load the session")):
        return [BundleDocument(**row) for row in rows]
