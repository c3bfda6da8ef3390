"""The terms that a document's segments are held to: those of the glossary, and pins widened to the whole document.

A pin is widened by naming the words of the source that it translates: wherever these stand, it is required. Segments
that this concerns and that are not confirmed are translated anew in the background; what changed is flagged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from app.errors import CommandError
from app.glossary import Glossary, Term, TermHit
from app.glossary.lemmas import with_forms
from app.messages import Message
from app.segments.constraint_changes import MAX_PHRASE_CHARACTERS, one_line
from app.segments.state import Json

if TYPE_CHECKING:
    from app.workspace import Workspace

Scope = Literal["document", "glossary"]
OWN_GLOSSARY = "own terms"


class WideTerms:
    """The terms of one workspace; used under its lock. A term of the document goes before one of the glossary."""

    def __init__(self, workspace: Workspace, glossary: Glossary | None, document_terms: tuple[Term, ...]) -> None:
        self.workspace = workspace
        self.source_language, _, self.target_language = workspace.direction.partition("-")
        self.glossary = glossary
        self.document_terms = document_terms
        self._index()

    def hits(self, source: str) -> tuple[TermHit, ...]:
        """The terms that stand in a source."""
        return self._all.find(source) if self._all.terms else ()

    def set_glossary(self, glossary: Glossary | None) -> None:
        """Another glossary, or none; the terms of the document stay."""
        self.glossary = glossary
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
        known = self.document_terms if term.is_for_document else self.glossary.terms if self.glossary else ()
        if any((other.source, other.target) == (term.source, term.target) for other in known):
            raise CommandError(
                Message("“{source}” → “{target}” is required there already.", source=term.source, target=term.target)
            )
        name = self.glossary.name if self.glossary else OWN_GLOSSARY
        workspace.store.add_term(workspace.session_id, term, name, index)
        if term.is_for_document:
            self.document_terms = (*self.document_terms, term)
        else:
            self.glossary = Glossary((*known, term), name)
        self._index()
        return {"num_anew": workspace.translate_by_terms(besides=index), "glossary": name}

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
        """A pin made a term is taken as it was written; targets of the glossary may be bent as the sentence asks."""
        terms = with_forms(self.glossary.terms, self.target_language) if self.glossary else ()
        self._all = Glossary((*self.document_terms, *terms), language=self.source_language)


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
