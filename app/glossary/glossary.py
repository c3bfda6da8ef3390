"""The glossaries of a document: term lists with an id, a name and a switch, and the changes between two states.

A `Glossary` is immutable. Every change makes a new one, so that undo can restore the earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.glossary.index.matcher import TermMatcher, checksum_of, term_matcher
from app.glossary.index.term_index import TermChanges, TermIndex
from app.glossary.model import Term

MAX_COMPARED = 1000
MAX_OWN_ID = 1_000_000  # of a document's own glossaries; larger ids are term bases of its project


@dataclass(frozen=True)
class Glossary:
    """One term list of a document. `terms` is sorted by term number; removing a term does not change other numbers.

    A term base is shared by all documents of a project; `revision` counts the changes of its terms.
    """

    id: int
    name: str
    terms: TermIndex = field(default_factory=TermIndex)
    is_on: bool = True
    revision: int = 0

    @property
    def is_shared(self) -> bool:
        """True if it is a term base of the project."""
        return self.id > MAX_OWN_ID

    @classmethod
    def of(cls, id_: int, name: str, terms: Iterable[Term]) -> Glossary:
        """A new glossary, its terms numbered from 0."""
        return cls(id_, name, TermIndex(dict(enumerate(terms))))

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def checksum(self) -> str:
        """SHA-256 of the terms in order."""
        return checksum_of(self.terms.values())

    def changed(self, changes: TermChanges) -> Glossary:
        """A copy with these terms replaced, added or (None) removed, by number."""
        return replace(self, terms=self.terms.changed(changes))

    def next_number(self) -> int:
        """The first number above those in use."""
        return max(self.terms, default=-1) + 1


def combined_matcher(first: Sequence[Term], glossaries: Iterable[Glossary], language: str = "") -> TermMatcher:
    """A matcher of `first` and of all glossaries that are on; for the same words, the earlier term wins."""
    own = term_matcher(first, language).parts
    return TermMatcher((*own, *(glossary.terms for glossary in glossaries if glossary.is_on)), language)


def differing_terms(before: Sequence[Glossary], after: Sequence[Glossary]) -> list[Term] | None:
    """The terms that only one of the two states has; None if there are more than `MAX_COMPARED`.

    A text without any of these terms has the same matches in both states.
    """
    if [(glossary.id, glossary.is_on) for glossary in before] != [(glossary.id, glossary.is_on) for glossary in after]:
        return None
    found: list[Term] = []
    for earlier, later in zip(before, after, strict=True):
        for number, term in changes_between(earlier, later).items() if later.is_on else ():
            found += [one for one in (earlier.terms.get(number), term) if one is not None]
    return found if len(found) <= MAX_COMPARED else None


def changes_between(before: Glossary, after: Glossary) -> dict[int, Term | None]:
    """The changes, by term number, that turn the terms of `before` into those of `after`."""
    return after.terms.changes_since(before.terms)


def merged(into: Glossary, other: Glossary) -> Glossary:
    """The glossary with the terms of another one; for the same words, the other's targets become variants.

    A term that it has already is left out. Terms of different status for the same words are both kept.

    >>> into = Glossary.of(1, "a", [Term("file", "Datei")])
    >>> both = merged(into, Glossary.of(2, "b", [Term("File", "Akte"), Term("router", "Router")]))
    >>> [(term.source, term.targets) for term in both.terms.values()]
    [('file', ('Datei', 'Akte')), ('router', ('Router',))]
    """
    changes: dict[int, Term] = {}
    by_words: dict[tuple[str, str], int] = {}
    for number, term in into.terms.items():
        by_words.setdefault((term.source.casefold(), term.status), number)
    next_number = into.next_number()
    for term in other.terms.values():
        words = (term.source.casefold(), term.status)
        if words not in by_words:
            changes[next_number] = replace(term, glossary=into.name if term.glossary == other.name else term.glossary)
            by_words[words] = next_number
            next_number += 1
            continue
        place = by_words[words]
        known = changes.get(place) or into.terms[place]
        new = tuple(dict.fromkeys(target for target in term.targets if target not in known.targets))
        if new and known.status != "do_not_translate":
            changes[place] = replace(known, variants=(*known.variants, *new))
    return into.changed(changes)


def with_revisions(before: Sequence[Glossary], after: Iterable[Glossary]) -> tuple[Glossary, ...]:
    """The glossaries `after` a change, with the next revision where the terms of a term base differ."""
    known = {glossary.id: glossary for glossary in before if glossary.is_shared}
    return tuple(
        replace(glossary, revision=earlier.revision + (glossary.terms is not earlier.terms))
        if (earlier := known.get(glossary.id)) is not None
        else glossary
        for glossary in after
    )


def shared_payload(glossaries: Sequence[Glossary]) -> dict[str, Any]:
    """The glossaries of a document after a change in its project; the event of that change contains the terms."""
    return {
        "change": "project",
        "glossaries": [
            {"id": glossary.id, "name": glossary.name, "is_on": glossary.is_on, "checksum": glossary.checksum}
            for glossary in glossaries
        ],
        "added": [],
        "terms": [],
    }


def change_payload(before: Sequence[Glossary], after: Sequence[Glossary]) -> dict[str, Any]:
    """The change as an event payload: the glossaries after it, those added with all terms, and changed terms."""
    known = {glossary.id: glossary for glossary in before}
    added = [glossary for glossary in after if glossary.id not in known]
    edited = {glossary.id: changes_between(known[glossary.id], glossary) for glossary in after if glossary.id in known}
    return {
        "glossaries": [{"id": glossary.id, "name": glossary.name, "is_on": glossary.is_on} for glossary in after],
        "added": [
            {
                "id": glossary.id,
                "checksum": glossary.checksum,
                "terms": [[number, *term.row_for_log()] for number, term in glossary.terms.items()],
            }
            for glossary in added
        ],
        "terms": [
            {
                "glossary": id_,
                "number": number,
                "before": _row(known[id_].terms.get(number)),
                "after": _row(term),
            }
            for id_, changes in edited.items()
            for number, term in changes.items()
        ],
    }


def _row(term: Term | None) -> list[Any] | None:
    return None if term is None else term.row_for_log()
