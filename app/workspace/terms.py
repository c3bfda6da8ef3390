"""The terms of a document: terms of its glossaries, and pins that are required in the whole document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from app.deferred import Deferred
from app.glossary import Term, TermHit, TermMatcher, TermMatches, term_matcher
from app.glossary.glossary import Glossary, combined_matcher, differing_terms
from app.glossary.lemmas import with_forms
from app.segments.state import Json
from app.tm.entries import EVERYTHING, MemoryScope
from app.tm.index import MemoryIndex
from app.tm.used_forms import with_used_forms

MAX_BENT = 100_000  # terms whose forms are remembered


@dataclass(frozen=True)
class PreparedTerms:
    """Other terms for a document with their hits, so that putting them in force takes no time.

    `basis` are the terms in force when they were prepared. `hits` has the new hits by source; None: no change.
    """

    basis: TermMatcher
    glossaries: tuple[Glossary, ...]
    document_terms: tuple[Term, ...]
    all: TermMatcher
    hits: Mapping[str, tuple[TermHit, ...] | None]


class DocumentTerms:
    """The terms in force for one document. Terms of the document take precedence over glossaries.

    `search` and `prepared` may be called from any thread; all else under the workspace's lock.
    """

    def __init__(
        self,
        direction: str,
        glossaries: tuple[Glossary, ...],
        document_terms: tuple[Term, ...],
        memory_index: Callable[[], MemoryIndex | None],
        scope: Callable[[], MemoryScope] = lambda: EVERYTHING,
    ) -> None:
        """`memory_index` returns the translation memory where it has been read, `scope` the entries to learn from."""
        self.source_language, _, self.target_language = direction.partition("-")
        self.glossaries = glossaries
        self.document_terms = document_terms
        self.all = combined_matcher(document_terms, glossaries, self.source_language)
        self._memory_index = memory_index
        self._scope = scope
        self._bent = lru_cache(MAX_BENT)(self._with_forms)
        self._used: dict[Term, Term] = {}  # with the forms that the memory in this state has
        self._used_in: tuple[object, MemoryScope] = None, EVERYTHING

    def hits(self, source: str) -> Sequence[TermHit]:
        """The terms that occur in a source, found when they are needed."""
        return Deferred(self._hits_of, self.all, source) if self.all else ()

    def search(self, source: str) -> TermMatches:
        """The terms that occur in a source, and the terms that other terms suppress there."""
        return self.search_in(self.all, source)

    def search_in(self, terms: TermMatcher, source: str) -> TermMatches:
        """The same for other terms than those in force."""
        if not terms:
            return TermMatches((), ())
        matches = terms.search(source)
        return replace(matches, hits=self.listed(matches.hits))

    def _hits_of(self, terms: TermMatcher, source: str) -> tuple[TermHit, ...]:
        return self.search_in(terms, source).hits

    def listed(self, hits: Sequence[TermHit]) -> tuple[TermHit, ...]:
        """The hits with inflected forms from the form list only, without forms from the memory."""
        return tuple(replace(hit, term=self._bent(hit.term)) for hit in hits)

    def with_used_forms(self, hits: Sequence[TermHit]) -> Sequence[TermHit]:
        """The hits with inflected forms from the form list and, if it has been read, from the memory."""
        index = self._memory_index()
        if index is None:
            return hits
        scope = self._scope()
        if index.state is not self._used_in[0] or scope != self._used_in[1]:
            self._used_in, self._used = (index.state, scope), {}
        hits = self.listed(hits)
        for term in {hit.term for hit in hits} - self._used.keys():
            self._used[term] = with_used_forms(term, index, self.source_language, self.target_language, scope)
        return tuple(replace(hit, term=self._used[hit.term]) for hit in hits)

    def summary(self) -> Json | None:
        """The glossaries in the page's header; None without any."""
        if not self.glossaries:
            return None
        on = [glossary for glossary in self.glossaries if glossary.is_on]
        return {
            "name": (on or self.glossaries)[0].name,
            "num_terms": sum(map(len, on)),
            "num_glossaries": len(self.glossaries),
        }

    def prepared(
        self,
        sources: Iterable[str],
        glossaries: tuple[Glossary, ...] | None = None,
        document_terms: tuple[Term, ...] | None = None,
    ) -> PreparedTerms:
        """Other terms, for `use`, with their hits in all sources that they may concern.

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
            source: None if probe is not None and not probe.occurs_in(source) else self._hits_of(every, source)
            for source in set(sources)
        }
        return PreparedTerms(basis, glossaries, document_terms, every, hits)

    def use(self, prepared: PreparedTerms) -> None:
        """Puts these terms in force."""
        assert prepared.basis is self.all, "made from an earlier state"
        self.glossaries, self.document_terms, self.all = prepared.glossaries, prepared.document_terms, prepared.all

    def _with_forms(self, term: Term) -> Term:
        """The term with the forms of its target, looked up once it is found: there may be 100,000 others.

        A pin made a term is taken as it was written; targets of a glossary may be bent as the sentence asks.
        """
        if term.is_for_document:
            return term
        (bent,) = with_forms((term,), self.target_language)
        return bent
