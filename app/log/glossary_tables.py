"""The tables of a session's glossaries and document terms. Call inside a transaction; events are written elsewhere."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlite_utils import Database

from app.glossary.glossary import Glossary, changes_between
from app.glossary.index.term_index import TermIndex
from app.glossary.model import Term
from app.log.records import storable

_PORTION = 5000
_INSERT = "INSERT OR REPLACE INTO glossary_term VALUES (?, ?, ?, ?, ?, ?, ?)"
_Row = tuple[Any, ...]


def portions_of(session_id: int, glossary: Glossary) -> Iterator[list[_Row]]:
    """The table rows of a glossary's terms, 5,000 at a time; at least one portion, which may be empty."""
    rows = _rows(session_id, glossary.id, glossary.terms)
    yield list(islice(rows, _PORTION))
    while portion := list(islice(rows, _PORTION)):
        yield portion


def store_portion(db: Database, session_id: int, glossary: Glossary, portion: list[_Row], *, is_first: bool) -> None:
    """Writes one portion of a new glossary's terms; the first one deletes what an interrupted import left."""
    if is_first:
        _delete_terms(db, session_id, glossary.id)
    db.conn.executemany(_INSERT, portion)


def store_glossaries(
    db: Database, session_id: int, before: Sequence[Glossary], after: Sequence[Glossary], stored: Collection[int] = ()
) -> None:
    """Replaces the glossaries `before` of a session by `after`, writing only the differences.

    The terms of the glossaries with the ids `stored` are already written.
    """
    known = {glossary.id: glossary for glossary in before}
    gone = known.keys() - {glossary.id for glossary in after}
    for table in ("glossary", "glossary_term"):
        db.conn.executemany(
            f"DELETE FROM {table} WHERE session_id = ? AND glossary_id = ?",  # noqa: S608 (two names of ours)
            ((session_id, id_) for id_ in gone),
        )
    db.conn.executemany(
        "INSERT INTO glossary VALUES (?1, ?2, ?3, ?4, ?5) "
        "ON CONFLICT DO UPDATE SET position = ?3, name = ?4, is_on = ?5",
        ((session_id, glossary.id, at, storable(glossary.name), glossary.is_on) for at, glossary in enumerate(after)),
    )
    for glossary in after:
        if glossary.id in stored:
            continue
        earlier = known.get(glossary.id)
        if earlier is None:
            _delete_terms(db, session_id, glossary.id)  # of an interrupted import
        changes = changes_between(earlier, glossary) if earlier is not None else glossary.terms
        taken_away = [number for number, term in changes.items() if term is None]
        db.conn.executemany(
            "DELETE FROM glossary_term WHERE session_id = ? AND glossary_id = ? AND number = ?",
            ((session_id, glossary.id, number) for number in taken_away),
        )
        db.conn.executemany(_INSERT, _rows(session_id, glossary.id, changes))


def load_glossaries(db: Database, session_id: int) -> tuple[Glossary, ...]:
    """The glossaries of a session by priority, the highest first."""
    query = "SELECT glossary_id, name, is_on FROM glossary WHERE session_id = ? ORDER BY position"
    return tuple(
        Glossary(id_, name, TermIndex(dict(_terms(db, session_id, id_))), bool(is_on))
        for id_, name, is_on in db.execute(query, (session_id,)).fetchall()
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


def _delete_terms(db: Database, session_id: int, glossary_id: int) -> None:
    db.execute("DELETE FROM glossary_term WHERE session_id = ? AND glossary_id = ?", (session_id, glossary_id))


def _rows(session_id: int, glossary_id: int, terms: Mapping[int, Term | None]) -> Iterator[_Row]:
    """A row for each term; its other fields are JSON, in which halves of surrogate pairs stay escaped."""
    for number, term in terms.items():
        if term is not None:
            fields = json.dumps(term.fields())
            yield session_id, glossary_id, number, storable(term.source), storable(term.target), term.row, fields


def _terms(db: Database, session_id: int, glossary_id: int) -> Iterator[tuple[int, Term]]:
    query = (
        "SELECT number, source, target, file_row, said FROM glossary_term "
        "WHERE session_id = ? AND glossary_id = ? ORDER BY number"
    )
    for number, source, target, row, fields_json in db.execute(query, (session_id, glossary_id)):
        fields: dict[str, Any] = json.loads(fields_json)
        yield number, Term(source, target, row, **{**fields, "variants": tuple(fields.get("variants", ()))})
