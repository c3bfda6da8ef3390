"""The terms that were made in a session, out of its pins, as a term base for other tools: TBX-Basic."""

from __future__ import annotations

from app.formats.documents import Export
from app.glossary.termbases import termbase
from app.glossary.writing import write_glossary
from app.i18n import Message
from app.log.store import LogStore
from app.reports.jsonl import export_name


def session_tbx(store: LogStore, session_id: int) -> Export:
    """The new terms as they are now, in the order in which they were made; those taken back are left out."""
    session = store.load_session(session_id)
    terms = [term for base in session.termbases for term in base.terms.values()]
    known = {(term.source, term.target): term for term in (*terms, *session.document_terms)}
    made = (event.payload for event in store.events(session_id) if event.type == "term_added")
    new = dict.fromkeys((payload["source"], payload["target"]) for payload in made)
    name = export_name(session, "terms.tbx")
    export = write_glossary(termbase(1, name, [known[pair] for pair in new if pair in known]), "tbx", session.direction)
    note = None if known.keys() & new else Message("No term was made in this session, so the term base is empty.")
    return Export(name, export.data, note)
