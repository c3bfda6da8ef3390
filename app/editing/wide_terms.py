"""The terms that a document's segments are held to: those of its glossaries, and pins widened to the whole document.

A pin is widened by naming the words of the source that it translates: wherever these stand, it is required. Segments
that this concerns and that are not confirmed are translated anew in the background; what changed is flagged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from app.errors import CommandError
from app.glossary import Glossary, Term, TermHit, TermMatches
from app.glossary.lemmas import with_forms
from app.glossary.termbases import Termbase, combined
from app.messages import Message
from app.segments.constraint_changes import MAX_PHRASE_CHARACTERS, one_line
from app.segments.state import Json

if TYPE_CHECKING:
    from app.workspace import Workspace

Scope = Literal["document", "glossary"]
OWN_GLOSSARY = "own terms"


class WideTerms:
    """The terms of one workspace; used under its lock. A term of the document goes before those of the glossaries."""

    def __init__(self, workspace: Workspace, termbases: tuple[Termbase, ...], document_terms: tuple[Term, ...]) -> None:
        self.workspace = workspace
        self.source_language, _, self.target_language = workspace.direction.partition("-")
        self.termbases = termbases
        self.document_terms = document_terms
        self._index()

    def hits(self, source: str) -> tuple[TermHit, ...]:
        """The terms that stand in a source."""
        return self.search(source).hits

    def search(self, source: str) -> TermMatches:
        """The terms that stand in a source, and those that others cover there."""
        if not self.all.terms:
            return TermMatches((), ())
        matches = self.all.search(source)
        return replace(matches, hits=tuple(replace(hit, term=self._bent(hit.term)) for hit in matches.hits))

    def summary(self) -> Json | None:
        """What the page's header says of the glossaries; None where there is none."""
        if not self.termbases:
            return None
        on = [base for base in self.termbases if base.is_on]
        return {
            "name": (on or self.termbases)[0].name,
            "num_terms": sum(map(len, on)),
            "num_glossaries": len(self.termbases),
        }

    def set_termbases(self, termbases: tuple[Termbase, ...]) -> None:
        """Other glossaries, or the same in another order; the terms of the document stay."""
        self.termbases = termbases
        self._index()

    def add(self, index: int, source: str, target: str, scope: Scope) -> Json:
        """Requires `target` wherever `source` stands, in this document or by the glossary.

        `index` is the segment that the person looks at, whose source must hold the words. Returns how many other
        segments are translated anew.
        """
        workspace = self.workspace
        segment = workspace.segment(index)
        term = Term(_clean(source), _clean(target), is_for_document=scope == "document")
        if not term.source or not term.target:
            raise CommandError(Message("A term needs its words in the source and in the translation: fill in both."))
        if not Glossary((term,)).find(segment.source):
            raise CommandError(
                Message(
                    "“{source}” does not stand in the source of segment {index}: take words that stand there.",
                    source=term.source,
                    index=workspace.structure.number(index),
                )
            )
        first = next((base for base in self.termbases if base.is_on), None)
        known = self.document_terms if term.is_for_document else first.terms.values() if first is not None else ()
        if any((other.source, other.target) == (term.source, term.target) for other in known):
            raise CommandError(
                Message("“{source}” → “{target}” is required there already.", source=term.source, target=term.target)
            )
        if term.is_for_document:
            workspace.store.add_term(workspace.session_id, term, index)
            self.document_terms = (*self.document_terms, term)
            self._index()
        else:
            if first is None:
                first = Termbase(workspace.glossaries.new_id(), OWN_GLOSSARY)
            term = replace(term, glossary=first.name)
            workspace.glossaries.add_term(first, term, index)
        return {
            "num_anew": workspace.translate_by_terms(besides=index),
            "glossary": first.name if first is not None else "",
        }

    def remove(self, source: str, target: str) -> Json:
        """A term of the document is required no longer; returns how many segments are translated anew."""
        gone = [term for term in self.document_terms if (term.source, term.target) == (source, target)]
        for term in gone:
            self.workspace.store.remove_term(self.workspace.session_id, term)
        self.document_terms = tuple(term for term in self.document_terms if term not in gone)
        self._index()
        return {"num_anew": self.workspace.translate_by_terms()}

    def find_anew(self) -> list[int]:
        """Finds the terms in every source anew; returns the segments in which others stand now."""
        changed = []
        for segment in list(self.workspace.segments):
            hits = self.hits(segment.source)
            if hits != segment.hits:
                self.workspace.adopt(replace(segment, hits=hits))
                changed.append(segment.index)
        return changed

    def _index(self) -> None:
        self.all = combined(self.document_terms, self.termbases, self.source_language)
        self._bent_terms: dict[Term, Term] = {}

    def _bent(self, term: Term) -> Term:
        """The term with the forms of its target, looked up once it is found: there may be 100,000 others.

        A pin made a term is taken as it was written; targets of a glossary may be bent as the sentence asks.
        """
        if term.is_for_document:
            return term
        if term not in self._bent_terms:
            (self._bent_terms[term],) = with_forms((term,), self.target_language)
        return self._bent_terms[term]


def _clean(text: str) -> str:
    text = " ".join(one_line(text).split())
    if len(text) > MAX_PHRASE_CHARACTERS:
        raise CommandError(
            Message(
                "“{text}…” has {count} characters; a term holds up to {limit}.",
                text=text[:40],
                count=len(text),
                limit=MAX_PHRASE_CHARACTERS,
            )
        )
    return text
