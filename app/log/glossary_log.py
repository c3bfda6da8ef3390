"""The glossaries of sessions and the term bases of projects in the log: stored with an event for each change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from app.access.actor import Actor
from app.glossary import Term
from app.glossary.glossary import Glossary, change_payload, shared_payload
from app.i18n import Message
from app.log.connection import LogConnection
from app.log.event_chain import EventChain
from app.log.glossary_tables import (
    add_document_term,
    follow_project,
    is_behind_project,
    load_glossaries,
    load_term_bases,
    portions_of,
    remove_document_term,
    reserve_term_base,
    store_glossaries,
    store_portion,
)
from app.log.records import to_json


class GlossaryLog:
    """Writes glossaries and terms; each call happens in a transaction, its event included. Thread-safe."""

    def __init__(self, log: LogConnection, chain: EventChain) -> None:
        self._log = log
        self._chain = chain

    def store_ahead(self, session_id: int, glossary: Glossary) -> None:
        """Writes the terms of a new glossary in portions, each in its own transaction, so that others can write.

        They have no effect until `change` adds the glossary.
        """
        for first, portion in enumerate(portions_of(session_id, glossary)):
            with self._log.transaction(Message("store the glossary"), leaves="preparation"):
                store_portion(self._log.db, session_id, glossary, portion, is_first=first == 0)

    def reserve_term_base(self) -> int:
        """The number of a new term base; it has no effect until `change` adds it."""
        with self._log.transaction(Message("store the glossary"), leaves="preparation"):
            return reserve_term_base(self._log.db)

    def term_bases(self, project_id: int) -> tuple[Glossary, ...]:
        """The term bases of a project."""
        with self._log.reading():
            return load_term_bases(self._log.db, project_id)

    def follow_project(self, actor: Actor, session_id: int, glossaries: Sequence[Glossary]) -> None:
        """Writes that the session has these glossaries, after a change of its project."""
        with self._log.transaction(Message("store the glossary")):
            self._chain.append(actor, session_id, "glossary", shared_payload(glossaries))
            follow_project(self._log.db, session_id, glossaries)

    def change(
        self,
        actor: Actor,
        session_id: int,
        before: Sequence[Glossary],
        after: Sequence[Glossary],
        details: Mapping[str, Any] | str,
        *,
        event_type: Literal["glossary", "term_added"] = "glossary",
        segment: int | None = None,
        stored: Collection[int] = (),
    ) -> int:
        """Replaces the glossaries `before` of a session by `after` and writes an event; returns its number.

        A "glossary" event has `details` and all added and removed terms, so that the events alone are complete; a
        "term_added" event, for a term added at a segment, has only `details`. `details` may be the whole payload from
        `glossary_payload`; `stored` are ids of glossaries whose terms are already written.
        """
        if event_type == "glossary" and not isinstance(details, str):
            details = glossary_payload(before, after, details)
        with self._log.transaction(Message("store the glossary")):
            seq = self._chain.append(actor, session_id, event_type, details, segment)
            store_glossaries(self._log.db, session_id, before, after, stored)
        return seq

    def add_term(self, actor: Actor, session_id: int, term: Term, segment: int) -> int:
        """Adds a document term while at a segment; returns the number of the event."""
        payload = {"source": term.source, "target": term.target, "scope": "document"}
        with self._log.transaction(Message("store the term")):
            seq = self._chain.append(actor, session_id, "term_added", payload, segment)
            add_document_term(self._log.db, session_id, term)
        return seq

    def remove_terms(self, actor: Actor, session_id: int, terms: Iterable[Term]) -> None:
        """Removes these document terms, with an event for each, in one transaction."""
        with self._log.transaction(Message("remove the term")):
            for term in terms:
                payload = {"source": term.source, "target": term.target, "scope": "document"}
                self._chain.append(actor, session_id, "term_removed", payload)
                remove_document_term(self._log.db, session_id, term)

    def catch_up(self, actor: Actor, session_id: int) -> tuple[Glossary, ...]:
        """Inside a transaction: logs the present term bases of the session's project if it has not logged them yet.

        Returns the glossaries of the session in that case, else none.
        """
        if not is_behind_project(self._log.db, session_id):
            return ()
        glossaries = load_glossaries(self._log.db, session_id)
        self._chain.append(actor, session_id, "glossary", shared_payload(glossaries))
        follow_project(self._log.db, session_id, glossaries)
        return glossaries


def glossary_payload(before: Sequence[Glossary], after: Sequence[Glossary], details: Mapping[str, Any]) -> str:
    """The payload of a "glossary" event as JSON: details and all added and removed terms. Takes seconds for many."""
    return to_json({**details, **change_payload(before, after)})
