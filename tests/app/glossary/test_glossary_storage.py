"""What is said of terms, kept in the log and through its migration."""

from __future__ import annotations

from pathlib import Path

from sqlite_utils import Database

from app.documents import read_document
from app.glossary import Glossary, Term
from app.glossary.storage import load_glossary
from app.log.migrations import migrations
from app.log.store import LogStore

TERMS = (
    Term("router", "Router", 1),
    Term("log in", "anmelden", 2, variants=("einloggen", "a\tb"), matching="lemma", note="x", glossary="g.tbx"),
    Term("Word", "Word", 3, status="do_not_translate", case="exact"),
)


def test_everything_said_of_a_term_is_there_again(tmp_path: Path):
    store = LogStore.open(tmp_path / "log.sqlite")
    session = store.start_session(read_document(b"One.", "a.txt"), "en-de")
    store.set_glossary(session.id, Glossary(TERMS, "g"))
    store.add_term(session.id, Term("mouse", "Maus", case="any"), "g", 0)
    kept = store.load_session(session.id).glossary
    assert kept is not None
    assert kept.terms == (*TERMS, Term("mouse", "Maus", case="any"))
    event = next(event for event in store.events(session.id) if event.type == "glossary")
    assert event.payload["terms"][0] == ["router", "Router", 1]
    assert event.payload["terms"][2][3] == {"status": "do_not_translate", "case": "exact"}
    store.close()


def test_terms_of_an_older_log_stay_as_they_were(tmp_path: Path):
    db = Database(tmp_path / "log.sqlite")
    migrations.apply(db, stop_before="m0005_term_fields")
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("INSERT INTO glossary_term VALUES (1, 0, 'router', 'Router', 7)")
    migrations.apply(db)
    glossary = load_glossary(db, 1, "old")
    assert glossary is not None and glossary.terms == (Term("router", "Router", 7),)
    db.close()
