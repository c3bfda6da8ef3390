"""The tables of glossaries: a session's own, the term bases of its project, and document terms.

Call inside a transaction; events are written elsewhere. The terms of a term base are stored once for all sessions of
its project; each session has its own order and switches.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlite_utils import Database

from app.errors import LogError, check_fields
from app.glossary.glossary import MAX_OWN_ID, Glossary, changes_between
from app.glossary.index.term_index import TermIndex
from app.glossary.model import Term
from app.log.records import storable

_PORTION = 5000
_ABOVE_ALL = 1_000_000  # more glossaries than any document has
_Row = tuple[Any, ...]
_INSERT_OWN = "INSERT OR REPLACE INTO glossary_term VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_SHARED = "INSERT OR REPLACE INTO term_base_term VALUES (?, ?, ?, ?, ?, ?)"


def reserve_term_base(db: Database) -> int:
    """The number of a new term base, which belongs to no project yet."""
    return int(db.execute("INSERT INTO term_base (position, name, revision) VALUES (0, '', 0)").lastrowid or 0)


def discard_unfinished_term_bases(db: Database) -> None:
    """Deletes what interrupted imports of term bases left."""
    db.execute("DELETE FROM term_base WHERE project_id IS NULL")


def portions_of(session_id: int, glossary: Glossary) -> Iterator[list[_Row]]:
    """The table rows of a glossary's terms, 5,000 at a time; at least one portion, which may be empty."""
    rows = _rows(session_id, glossary, glossary.terms)
    yield list(islice(rows, _PORTION))
    while portion := list(islice(rows, _PORTION)):
        yield portion


def store_portion(db: Database, session_id: int, glossary: Glossary, portion: list[_Row], *, is_first: bool) -> None:
    """Writes one portion of a new glossary's terms; the first one deletes what an interrupted import left."""
    if is_first:
        _delete_terms(db, session_id, glossary.id)
        _open_term_base(db, glossary)
    db.conn.executemany(_INSERT_SHARED if glossary.is_shared else _INSERT_OWN, portion)


def store_glossaries(
    db: Database, session_id: int, before: Sequence[Glossary], after: Sequence[Glossary], stored: Collection[int] = ()
) -> None:
    """Replaces the glossaries `before` of a session by `after`, writing only the differences.

    A term base that is not in `after` is deleted from the project. The terms of the glossaries with the ids `stored`
    are already written. Raises LogError if a term base has changed since it was read.
    """
    known = {glossary.id: glossary for glossary in before}
    for id_ in known.keys() - {glossary.id for glossary in after}:
        _delete_glossary(db, session_id, id_)
    _store_rows(db, session_id, after)
    for position, glossary in enumerate(after):
        earlier = known.get(glossary.id)
        if glossary.is_shared:
            _store_term_base(db, session_id, earlier, glossary, position)
        if glossary.id in stored:
            continue
        if earlier is None:
            _delete_terms(db, session_id, glossary.id)  # of an interrupted import
        changes = changes_between(earlier, glossary) if earlier is not None else glossary.terms
        taken_away = [number for number, term in changes.items() if term is None]
        table, condition, key = _place(session_id, glossary.id)
        db.conn.executemany(
            f"DELETE FROM {table} WHERE {condition} AND number = ?",  # noqa: S608 (two names of ours)
            ((*key, number) for number in taken_away),
        )
        insert = _INSERT_SHARED if glossary.is_shared else _INSERT_OWN
        db.conn.executemany(insert, _rows(session_id, glossary, changes))


def follow_project(db: Database, session_id: int, glossaries: Sequence[Glossary]) -> None:
    """Stores the glossaries of the session; their terms have already been written."""
    db.execute("DELETE FROM glossary WHERE session_id = ? AND glossary_id > ?", (session_id, MAX_OWN_ID))
    _store_rows(db, session_id, glossaries)


def is_behind_project(db: Database, session_id: int) -> bool:
    """True if the term bases of the session's project are others than the session has logged."""
    seen = "SELECT glossary_id, revision FROM glossary WHERE session_id = ? AND glossary_id > ?"
    query = "SELECT id, revision FROM term_base WHERE project_id = (SELECT project_id FROM session WHERE id = ?)"
    return set(db.execute(seen, (session_id, MAX_OWN_ID))) != set(db.execute(query, (session_id,)))


def load_glossaries(db: Database, session_id: int) -> tuple[Glossary, ...]:
    """The glossaries of a session by priority, the highest first; term bases that are new to it come before all."""
    query = """
        SELECT glossary_id, name, is_on, 0, position FROM glossary WHERE session_id = ?1 AND glossary_id <= ?2
        UNION ALL
        SELECT id, term_base.name, coalesce(is_on, 1), term_base.revision,
            coalesce(glossary.position, term_base.position - ?3) AS place
        FROM term_base LEFT JOIN glossary ON glossary_id = id AND session_id = ?1
        WHERE project_id = (SELECT project_id FROM session WHERE id = ?1) ORDER BY 5, 1
    """
    return tuple(
        Glossary(id_, name, TermIndex(dict(_terms(db, session_id, id_))), bool(is_on), revision)
        for id_, name, is_on, revision, _ in db.execute(query, (session_id, MAX_OWN_ID, _ABOVE_ALL)).fetchall()
    )


def load_term_bases(db: Database, project_id: int) -> tuple[Glossary, ...]:
    """The term bases of a project, all switched on."""
    query = "SELECT id, name, revision FROM term_base WHERE project_id = ? ORDER BY position, id"
    return tuple(
        Glossary(id_, name, TermIndex(dict(_terms(db, 0, id_))), revision=revision)
        for id_, name, revision in db.execute(query, (project_id,)).fetchall()
    )


def add_document_term(db: Database, session_id: int, term: Term) -> None:
    """Adds a document term."""
    db.execute("INSERT OR IGNORE INTO document_term VALUES (?, ?, ?)", (session_id, term.source, term.target))


def remove_document_term(db: Database, session_id: int, term: Term) -> None:
    """Removes a document term."""
    db.execute(
        "DELETE FROM document_term WHERE session_id = ? AND source = ? AND target = ?",
        (session_id, term.source, term.target),
    )


def load_document_terms(db: Database, session_id: int) -> tuple[Term, ...]:
    """The document terms, in the order in which they were added."""
    query = "SELECT source, target FROM document_term WHERE session_id = ? ORDER BY rowid"
    rows = db.execute(query, (session_id,)).fetchall()
    return tuple(Term(source, target, is_for_document=True) for source, target in rows)


def _store_rows(db: Database, session_id: int, glossaries: Sequence[Glossary]) -> None:
    db.conn.executemany(
        "INSERT INTO glossary (session_id, glossary_id, position, name, is_on, revision) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
        "ON CONFLICT DO UPDATE SET position = ?3, name = ?4, is_on = ?5, revision = ?6",
        (
            (session_id, glossary.id, at, storable(glossary.name), glossary.is_on, glossary.revision)
            for at, glossary in enumerate(glossaries)
        ),
    )


def _store_term_base(
    db: Database, session_id: int, earlier: Glossary | None, glossary: Glossary, position: int
) -> None:
    """Writes the row of a term base; its terms are written elsewhere."""
    if earlier is None:
        _open_term_base(db, glossary)
    row = db.execute("SELECT revision FROM term_base WHERE id = ?", (glossary.id,)).fetchone()
    if row is None or (earlier is not None and row[0] != earlier.revision):
        raise LogError(
            "{name} was changed by another document of the project: open this document again", name=glossary.name
        )
    db.execute(
        "UPDATE term_base SET position = ?, name = ?, revision = ?, "
        "project_id = (SELECT project_id FROM session WHERE id = ?) WHERE id = ?",
        (position, storable(glossary.name), glossary.revision, session_id, glossary.id),
    )


def _open_term_base(db: Database, glossary: Glossary) -> None:
    """Makes sure that a term base has its row, also one that was deleted and comes back."""
    if glossary.is_shared:
        db.execute("INSERT OR IGNORE INTO term_base VALUES (?, NULL, 0, '', ?)", (glossary.id, glossary.revision))


def _delete_glossary(db: Database, session_id: int, id_: int) -> None:
    if id_ > MAX_OWN_ID:
        db.execute("DELETE FROM term_base WHERE id = ?", (id_,))
        db.execute("DELETE FROM glossary WHERE session_id = ? AND glossary_id = ?", (session_id, id_))
        return
    for table in ("glossary", "glossary_term"):
        db.execute(
            f"DELETE FROM {table} WHERE session_id = ? AND glossary_id = ?",  # noqa: S608 (two names of ours)
            (session_id, id_),
        )


def _place(session_id: int, glossary_id: int) -> tuple[str, str, tuple[int, ...]]:
    """The table with the terms of a glossary, the condition for its rows, and the values of the condition."""
    if glossary_id > MAX_OWN_ID:
        return "term_base_term", "term_base_id = ?", (glossary_id,)
    return "glossary_term", "session_id = ? AND glossary_id = ?", (session_id, glossary_id)


def _delete_terms(db: Database, session_id: int, glossary_id: int) -> None:
    table, condition, key = _place(session_id, glossary_id)
    db.execute(f"DELETE FROM {table} WHERE {condition}", key)  # noqa: S608 (two names of ours)


def _rows(session_id: int, glossary: Glossary, terms: Mapping[int, Term | None]) -> Iterator[_Row]:
    """A row for each term; its other fields are JSON, in which halves of surrogate pairs stay escaped."""
    _, _, key = _place(session_id, glossary.id)
    for number, term in terms.items():
        if term is not None:
            fields = json.dumps(term.fields())
            yield *key, number, storable(term.source), storable(term.target), term.row, fields


def _terms(db: Database, session_id: int, glossary_id: int) -> Iterator[tuple[int, Term]]:
    table, condition, key = _place(session_id, glossary_id)
    query = f"SELECT number, source, target, file_row, said FROM {table} WHERE {condition} ORDER BY number"  # noqa: S608
    for number, source, target, row, fields_json in db.execute(query, key):
        fields: dict[str, Any] = json.loads(fields_json)
        term = Term(source, target, row, **{**fields, "variants": tuple(fields.get("variants", ()))})
        if fields or not isinstance(source, str) or not isinstance(target, str) or not isinstance(row, int):
            check_fields(term)  # which takes longer than all else: most terms have no other fields
        yield number, term
