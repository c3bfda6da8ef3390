"""The terms in the log's tables: those of a session's glossary, and those required in its whole document.

Called inside a transaction of the log; knows nothing of events.
"""

from __future__ import annotations

import json
from typing import Any

from sqlite_utils import Database

from app.glossary import Glossary, Term


def replace_glossary(db: Database, session_id: int, name: str | None, glossary: Glossary | None) -> None:
    """The session has these terms from now on; None: no glossary. Those of the document stay."""
    db.execute("UPDATE session SET glossary_name = ? WHERE id = ?", (name, session_id))
    db.execute("DELETE FROM glossary_term WHERE session_id = ?", (session_id,))
    terms = glossary.terms if glossary else ()
    db.conn.executemany(
        "INSERT INTO glossary_term VALUES (?, ?, ?, ?, ?, ?)",
        ((session_id, at, term.source, term.target, term.row, _said(term)) for at, term in enumerate(terms)),
    )


def add_term(db: Database, session_id: int, term: Term, glossary_name: str) -> None:
    """One more term, of the document or of the glossary, which gets this name."""
    if term.is_for_document:
        db.execute("INSERT OR IGNORE INTO document_term VALUES (?, ?, ?)", (session_id, term.source, term.target))
        return
    db.execute("UPDATE session SET glossary_name = ? WHERE id = ?", (glossary_name, session_id))
    db.execute(
        "INSERT INTO glossary_term SELECT ?, 1 + coalesce(max(position), -1), ?, ?, ?, ? FROM glossary_term "
        "WHERE session_id = ?",
        (session_id, term.source, term.target, term.row, _said(term), session_id),
    )


def remove_document_term(db: Database, session_id: int, term: Term) -> None:
    """The term is required in the document no longer."""
    db.execute(
        "DELETE FROM document_term WHERE session_id = ? AND source = ? AND target = ?",
        (session_id, term.source, term.target),
    )


def load_glossary(db: Database, session_id: int, name: str | None) -> Glossary | None:
    """The session's glossary; None without a name."""
    if name is None:
        return None
    query = "SELECT source, target, file_row, said FROM glossary_term WHERE session_id = ? ORDER BY position"
    return Glossary(tuple(_term(*row) for row in db.execute(query, (session_id,)).fetchall()), name)


def load_document_terms(db: Database, session_id: int) -> tuple[Term, ...]:
    """The terms of the document, in the order in which they were added."""
    query = "SELECT source, target FROM document_term WHERE session_id = ? ORDER BY rowid"
    rows = db.execute(query, (session_id,)).fetchall()
    return tuple(Term(source, target, is_for_document=True) for source, target in rows)


def _said(term: Term) -> str:
    """What the term says beyond its words, as JSON; halves of surrogate pairs stay as escapes."""
    return json.dumps(term.fields())


def _term(source: str, target: str, row: int, said: str) -> Term:
    fields: dict[str, Any] = json.loads(said)
    return Term(source, target, row, **{**fields, "variants": tuple(fields.get("variants", ()))})
