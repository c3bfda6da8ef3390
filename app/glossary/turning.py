"""A glossary's terms for another direction between languages: as they are, turned round, or none."""

from __future__ import annotations

from collections.abc import Iterable

from app.glossary.model import Matching, Term


def terms_for(terms: Iterable[Term], direction: str, wanted: str) -> list[Term]:
    """What these terms of one direction say in another: nothing, where that has other languages.

    Turned round, a term is required by its first target, and its other targets become terms too. What forbids a target
    says nothing of the way back, and a name that is not translated is the same both ways.

    >>> [(t.source, t.target) for t in terms_for([Term("router", "Router", variants=("Weiche",))], "en-de", "de-en")]
    [('Router', 'router'), ('Weiche', 'router')]
    """
    if direction == wanted:
        return list(terms)
    if direction.split("-", 1)[::-1] != wanted.split("-", 1):
        return []
    turned: list[Term] = []
    for term in terms:
        if term.status == "do_not_translate":
            turned.append(term)
        elif term.status != "forbidden":
            matching: Matching = "exact" if term.matching == "prefix" else term.matching
            turned += [
                Term(target, term.source, status=term.status, case=term.case, matching=matching, note=term.note)
                for target in term.targets
            ]
    return turned
