"""The terms that a document's segments are held to: those of its glossaries, and pins widened to the whole document.

A pin is widened by naming the words of the source that it translates: wherever these stand, it is required. Segments
that this concerns and that are not confirmed are translated anew in the background; what changed is flagged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from app.errors import CommandError
from app.glossary import Term, TermHit, TermMatcher, TermMatches, term_matcher
from app.glossary.glossary import Glossary, combined_matcher, differing_terms
from app.glossary.lemmas import with_forms
from app.i18n import Message
from app.segments.constraint_changes import MAX_PHRASE_CHARACTERS, one_line
from app.segments.state import Json, SegmentState
from app.tm.used_forms import with_used_forms

if TYPE_CHECKING:
    from app.workspace.commands import Workspace

Scope = Literal["document", "glossary"]
OWN_GLOSSARY = "own terms"
MAX_BENT = 100_000  # terms whose forms are remembered


@dataclass(frozen=True)
class PreparedTerms:
    """Other terms for a workspace, searched for already, so that taking them takes no time.

    `basis` is what they were made from. `hits` has, by source, what stands there now; None where nothing changes.
    """

    basis: TermMatcher
    glossaries: tuple[Glossary, ...]
    document_terms: tuple[Term, ...]
    all: TermMatcher
    hits: Mapping[str, tuple[TermHit, ...] | None]


class Adoption:
    """Segments being told of other terms, some at a time: one that holds many takes a millisecond to be checked anew.

    Used under the workspace's lock, which may be let go of between two portions.
    """

    def __init__(self, workspace: Workspace, hits: Mapping[str, tuple[TermHit, ...] | None]) -> None:
        self._workspace = workspace
        self._hits = hits
        self._todo = deque(range(len(workspace.segments)))
        if workspace.open_index is not None:
            self._todo.appendleft(workspace.open_index)
        self._changed: list[int] = []

    def carry_on(self, count: int) -> bool:
        """Goes through that many segments, the open one first; returns whether any is left."""
        for _ in range(min(count, len(self._todo))):
            segment = self._workspace.segments[self._todo.popleft()]
            # A segment that was cut or joined meanwhile has a source of its own.
            is_known = segment.source in self._hits
            hits = self._hits[segment.source] if is_known else self._workspace.terms.hits(segment.source)
            if hits in (None, segment.hits):
                continue
            if hits != self._workspace.terms.listed(segment.hits):  # those of the memory may stand besides
                self._workspace.adopt(replace(segment, hits=hits))
                self._changed.append(segment.index)
        return bool(self._todo)

    def finish(self) -> list[int]:
        """Goes through all that are left; returns the segments in which others stand now, also those of before."""
        self.carry_on(len(self._todo))
        return self._changed


class DocumentTerms:
    """The terms of one workspace. A term of the document goes before those of the glossaries.

    Used under the workspace's lock, but for `search` and `prepared`.
    """

    def __init__(
        self, workspace: Workspace, glossaries: tuple[Glossary, ...], document_terms: tuple[Term, ...]
    ) -> None:
        self.workspace = workspace
        self.source_language, _, self.target_language = workspace.direction.partition("-")
        self.glossaries = glossaries
        self.document_terms = document_terms
        self.all = combined_matcher(document_terms, glossaries, self.source_language)
        self._bent = lru_cache(MAX_BENT)(self._with_forms)
        self._used: dict[Term, Term] = {}  # with the forms that the memory in this state has
        self._used_in: object = None
        self._adoption: Adoption | None = None

    def hits(self, source: str) -> tuple[TermHit, ...]:
        """The terms that stand in a source."""
        return self.search(source).hits

    def search(self, source: str) -> TermMatches:
        """The terms that stand in a source, and those that others cover there."""
        return self.search_in(self.all, source)

    def search_in(self, terms: TermMatcher, source: str) -> TermMatches:
        """The same with these terms in place of the workspace's."""
        if not terms:
            return TermMatches((), ())
        matches = terms.search(source)
        return replace(matches, hits=self.listed(matches.hits))

    def listed(self, hits: tuple[TermHit, ...]) -> tuple[TermHit, ...]:
        """The hits with the forms of the list alone."""
        return tuple(replace(hit, term=self._bent(hit.term)) for hit in hits)

    def refreshed(self, segment: SegmentState) -> SegmentState:
        """The segment with the forms of its terms that are in the memory by now, if that has been read."""
        index = self.workspace.memory.library.index_if_read(self.workspace.direction)
        if index is None:
            return segment
        if index.state is not self._used_in:
            self._used_in, self._used = index.state, {}
        hits = self.listed(segment.hits)
        for term in {hit.term for hit in hits} - self._used.keys():
            self._used[term] = with_used_forms(term, index, self.source_language, self.target_language)
        hits = tuple(replace(hit, term=self._used[hit.term]) for hit in hits)
        return segment if hits == segment.hits else self.workspace.adopt(replace(segment, hits=hits))

    def summary(self) -> Json | None:
        """What the page's header says of the glossaries; None where there is none."""
        if not self.glossaries:
            return None
        on = [base for base in self.glossaries if base.is_on]
        return {
            "name": (on or self.glossaries)[0].name,
            "num_terms": sum(map(len, on)),
            "num_glossaries": len(self.glossaries),
        }

    def prepared(
        self, glossaries: tuple[Glossary, ...] | None = None, document_terms: tuple[Term, ...] | None = None
    ) -> PreparedTerms:
        """Other terms, for `adopt`: searched for here in all sources that they may concern.

        Takes seconds for a large glossary or document, and needs no lock.
        """
        basis, glossaries_before, document_terms_before = self.all, self.glossaries, self.document_terms
        glossaries = glossaries_before if glossaries is None else glossaries
        document_terms = document_terms_before if document_terms is None else document_terms
        every = combined_matcher(document_terms, glossaries, self.source_language)
        differing = differing_terms(glossaries_before, glossaries)
        if differing is not None:
            differing += set(document_terms) ^ set(document_terms_before)
        probe = None if differing is None else term_matcher(differing, self.source_language)
        hits = {
            source: None if probe is not None and not probe.concerns(source) else self.search_in(every, source).hits
            for source in {segment.source for segment in list(self.workspace.segments)}
        }
        return PreparedTerms(basis, glossaries, document_terms, every, hits)

    def adopt(self, prepared: PreparedTerms) -> list[int]:
        """Works with these terms from now on; returns the segments in which others stand now."""
        return self.begin_to_adopt(prepared).finish()

    def begin_to_adopt(self, prepared: PreparedTerms) -> Adoption:
        """Works with these terms from now on; the segments learn of them as the adoption is carried on."""
        assert prepared.basis is self.all, "made from an earlier state"
        if self._adoption is not None:
            self._adoption.finish()  # what is prepared leaves out what it does not change
        self.glossaries, self.document_terms, self.all = prepared.glossaries, prepared.document_terms, prepared.all
        self._adoption = Adoption(self.workspace, prepared.hits)
        return self._adoption

    def add(self, index: int, source: str, target: str, scope: Scope) -> Json:
        """Requires `target` wherever `source` stands, in this document or by the glossary.

        `index` is the segment that the person looks at, whose source must hold the words. Returns how many other
        segments are translated anew, and where a glossary has the term: its name, its id, the term's number in it.
        """
        workspace = self.workspace
        segment = workspace.segment(index)
        term = Term(_clean(source), _clean(target), is_for_document=scope == "document")
        if not term.source or not term.target:
            raise CommandError(Message("A term needs its words in the source and in the translation: fill in both."))
        if not term_matcher((term,)).find(segment.source):
            raise CommandError(
                Message(
                    "“{source}” does not stand in the source of segment {index}: take words that stand there.",
                    source=term.source,
                    index=workspace.structure.number(index),
                )
            )
        place: Json = {}
        first = next((base for base in self.glossaries if base.is_on), None)
        known = self.document_terms if term.is_for_document else first.terms.values() if first is not None else ()
        if any((other.source, other.target) == (term.source, term.target) for other in known):
            raise CommandError(
                Message("“{source}” → “{target}” is required there already.", source=term.source, target=term.target)
            )
        if term.is_for_document:
            prepared = self.prepared(document_terms=(*self.document_terms, term))
            workspace.store.add_term(workspace.session_id, term, index)
        else:
            if first is None:
                first = Glossary(workspace.glossaries.new_id(), OWN_GLOSSARY)
            prepared = workspace.glossaries.with_term(first, replace(term, glossary=first.name), index)
            place = {"glossary": first.name, "base": first.id, "number": first.next_number()}
        return {"num_anew": workspace.translate_by_terms(self.adopt(prepared), besides=index), **place}

    def remove(self, source: str, target: str) -> Json:
        """A term of the document is required no longer; returns how many segments are translated anew."""
        gone = [term for term in self.document_terms if (term.source, term.target) == (source, target)]
        for term in gone:
            self.workspace.store.remove_term(self.workspace.session_id, term)
        left = tuple(term for term in self.document_terms if term not in gone)
        return {"num_anew": self.workspace.translate_by_terms(self.adopt(self.prepared(document_terms=left)))}

    def _with_forms(self, term: Term) -> Term:
        """The term with the forms of its target, looked up once it is found: there may be 100,000 others.

        A pin made a term is taken as it was written; targets of a glossary may be bent as the sentence asks.
        """
        if term.is_for_document:
            return term
        (bent,) = with_forms((term,), self.target_language)
        return bent


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
