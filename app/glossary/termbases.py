"""The glossaries of one document in the order of their priority: each with a number, a name, and numbered terms.

Plain data that is never changed: every change makes new values, so that an earlier state can be put back as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.glossary.index.matching import Terminology, checksum_of
from app.glossary.index.term_index import NumberedTerms, TermChanges
from app.glossary.terms import Term

MAX_COMPARED = 1000


@dataclass(frozen=True)
class Termbase:
    """One glossary of a document. `terms` are by number, in the order of their numbers; numbers stay as terms go."""

    id: int
    name: str
    terms: NumberedTerms = field(default_factory=NumberedTerms)
    is_on: bool = True

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def checksum(self) -> str:
        """SHA-256 of the terms in order."""
        return checksum_of(self.terms.values())

    def changed(self, changes: TermChanges) -> Termbase:
        """The glossary with these terms in place of those of the same numbers."""
        return replace(self, terms=self.terms.changed(changes))

    def next_number(self) -> int:
        """A number that no term of this glossary has."""
        return max(self.terms, default=-1) + 1


def termbase(id_: int, name: str, terms: Iterable[Term]) -> Termbase:
    """A new glossary, its terms numbered from 0."""
    return Termbase(id_, name, NumberedTerms(dict(enumerate(terms))))


def combined(first: Sequence[Term], termbases: Iterable[Termbase], language: str = "") -> Terminology:
    """`first` and the glossaries that are on, searched as one; for the same words, what comes earlier counts."""
    own = terminology(first, language).parts
    return Terminology((*own, *(base.terms for base in termbases if base.is_on)), language)


def terminology(terms: Sequence[Term], language: str) -> Terminology:
    """These terms alone, the earlier before the later."""
    return Terminology((NumberedTerms(dict(enumerate(terms))),), language)


def differing_terms(before: Sequence[Termbase], after: Sequence[Termbase]) -> list[Term] | None:
    """The terms that are in one of the two states only; None where more than some terms make the difference.

    A text in which none of them stands holds the same terms in both states.
    """
    if [(base.id, base.is_on) for base in before] != [(base.id, base.is_on) for base in after]:
        return None
    found: list[Term] = []
    for earlier, later in zip(before, after, strict=True):
        for number, term in changes_between(earlier, later).items() if later.is_on else ():
            found += [one for one in (earlier.terms.get(number), term) if one is not None]
    return found if len(found) <= MAX_COMPARED else None


def changes_between(before: Termbase, after: Termbase) -> dict[int, Term | None]:
    """What makes the terms of `after` of those of `before`."""
    return after.terms.changes_since(before.terms)


def told(before: Sequence[Termbase], after: Sequence[Termbase]) -> dict[str, Any]:
    """What changed, for the log: which glossaries there are now, those added with all terms, and single terms."""
    known = {base.id: base for base in before}
    added = [base for base in after if base.id not in known]
    edited = {base.id: changes_between(known[base.id], base) for base in after if base.id in known}
    return {
        "glossaries": [{"id": base.id, "name": base.name, "is_on": base.is_on} for base in after],
        "added": [
            {
                "id": base.id,
                "checksum": base.checksum,
                "terms": [[number, *term.row_for_log()] for number, term in base.terms.items()],
            }
            for base in added
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
