"""The glossaries of one document in the order of their priority: each with a number, a name, and numbered terms.

Plain data that is never changed: every change makes new values, so that an earlier state can be put back as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.glossary.matching import Glossary, checksum_of
from app.glossary.terms import Term

# A term's number with the term as it is to be; None takes it away.
TermChanges = Mapping[int, Term | None]


@dataclass(frozen=True)
class Termbase:
    """One glossary of a document. `terms` are by number, in the order of their numbers; numbers stay as terms go."""

    id: int
    name: str
    terms: Mapping[int, Term] = field(default_factory=dict)
    is_on: bool = True

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def checksum(self) -> str:
        """SHA-256 of the terms in order."""
        return checksum_of(self.terms.values())

    def changed(self, changes: TermChanges) -> Termbase:
        """The glossary with these terms in place of those of the same numbers."""
        terms = {**self.terms, **changes}
        if not changes.keys() <= self.terms.keys():
            terms = dict(sorted(terms.items()))
        return replace(self, terms={number: term for number, term in terms.items() if term is not None})

    def next_number(self) -> int:
        """A number that no term of this glossary has."""
        return max(self.terms, default=-1) + 1


def termbase(id_: int, name: str, terms: Iterable[Term]) -> Termbase:
    """A new glossary, its terms numbered from 0."""
    return Termbase(id_, name, dict(enumerate(terms)))


def combined(first: Sequence[Term], termbases: Iterable[Termbase], language: str = "") -> Glossary:
    """One index over `first` and the glossaries that are on; for the same words, what comes earlier counts."""
    terms = list(first)
    parts = []
    for base in termbases:
        if base.is_on:
            parts.append(len(terms))
            terms += base.terms.values()
    return Glossary(tuple(terms), language=language, parts=tuple(parts))


def changes_between(before: Termbase, after: Termbase) -> dict[int, Term | None]:
    """What makes the terms of `after` of those of `before`."""
    if before.terms is after.terms:
        return {}
    changes: dict[int, Term | None] = {
        number: term
        for number, term in after.terms.items()
        if (was := before.terms.get(number)) is not term and was != term  # most are the very same
    }
    changes.update({number: None for number in before.terms if number not in after.terms})
    return changes


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
