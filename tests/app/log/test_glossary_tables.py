"""Glossaries and all fields of their terms, stored in the log and kept by migrations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlite_utils import Database

from app.access.actor import OWNER
from app.formats.read_file import read_document
from app.glossary import Term
from app.glossary.glossary import Glossary
from app.log.glossary_tables import load_glossaries
from app.log.migrations import migrations
from app.log.store import LogStore

TERMS = (
    Term("router", "Router", 1),
    Term("log in", "anmelden", 2, variants=("einloggen", "a\tb"), matching="lemma", note="x", glossary="g.tbx"),
    Term("Word", "Word", 3, status="do_not_translate", case="exact"),
)


def test_all_fields_of_a_term_are_stored(tmp_path: Path):
    store = LogStore.open(tmp_path / "log.sqlite")
    session = store.start_session(OWNER, read_document(b"One.", "a.txt"), "en-de")
    glossary = Glossary.of(1, "g", TERMS)
    store.glossaries.change(OWNER, session.id, (), (glossary,), {"change": "import"})
    after = glossary.changed({3: Term("mouse", "Maus", case="any")})
    store.glossaries.change(OWNER, session.id, (glossary,), (after,), {"change": "edit"})
    assert store.load_session(OWNER, session.id).glossaries == (after,)
    first, second = [event.payload for event in store.events(session.id) if event.type == "glossary"]
    (added,) = first["added"]
    assert added["terms"][0] == [0, "router", "Router", 1]
    assert added["terms"][2][4] == {"status": "do_not_translate", "case": "exact"}
    assert (second["change"], second["added"]) == ("edit", [])
    assert second["terms"] == [
        {"glossary": 1, "number": 3, "before": None, "after": ["mouse", "Maus", 0, {"case": "any"}]}
    ]
    store.close()


changes = st.dictionaries(
    st.integers(0, 4), st.none() | st.builds(Term, st.sampled_from("ab"), st.sampled_from("xy")), max_size=3
)
states = st.lists(
    st.tuples(st.integers(1, 3), st.booleans(), changes), max_size=3, unique_by=lambda glossary: glossary[0]
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(states, max_size=4))
def test_stored_glossaries_equal_the_state_after_any_changes(tmp_path_factory, story):
    store = LogStore.open(tmp_path_factory.mktemp("log") / "log.sqlite")
    session = store.start_session(OWNER, read_document(b"One.", "a.txt"), "en-de")
    before: tuple[Glossary, ...] = ()
    for state in story:
        known = {glossary.id: glossary for glossary in before}
        after = tuple(
            replace(known.get(id_, Glossary.of(id_, f"g{id_}", TERMS)).changed(edits), is_on=is_on)
            for id_, is_on, edits in state
        )
        store.glossaries.change(OWNER, session.id, before, after, {})
        assert store.load_session(OWNER, session.id).glossaries == after
        before = after
    store.close()


def test_terms_of_an_older_log_are_migrated_unchanged(tmp_path: Path):
    """Through the step that gave terms their fields, and the one that made several glossaries of one."""
    db = Database(tmp_path / "log.sqlite")
    migrations.apply(db, stop_before="m0005_term_fields")
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("INSERT INTO document VALUES (1, 'a.txt', '', '', x'', x'', 'txt')")
    for number, name in ((1, "old"), (2, None)):
        db.execute("INSERT INTO session VALUES (?, ?, 1, '', '', '', '', 0, 0, 0, '', ?)", (number, str(number), name))
    db.execute("INSERT INTO glossary_term VALUES (1, 0, 'router', 'Router', 7)")
    migrations.apply(db, stop_before="m0007_several_glossaries")
    db.execute("INSERT INTO glossary_term VALUES (1, 1, 'mouse', 'Maus', 8, '{\"note\": \"x\"}')")
    migrations.apply(db)
    terms = [Term("router", "Router", 7), Term("mouse", "Maus", 8, note="x")]
    assert load_glossaries(db, 1) == (Glossary.of(1, "old", terms),)
    assert load_glossaries(db, 2) == ()
    db.close()
