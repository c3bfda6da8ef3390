"""The terms of a glossary for another language direction: unchanged, reversed, or none."""

from __future__ import annotations

from collections.abc import Iterable

from app.glossary.model import Matching, Term


def terms_for(terms: Iterable[Term], direction: str, new_direction: str) -> list[Term]:
    """The terms of `direction` as terms of `new_direction`; none if that has other languages.

    In the opposite direction each target of a term becomes a term. Forbidden terms are dropped, and terms that are not
    translated stay the same.

    >>> [(t.source, t.target) for t in terms_for([Term("router", "Router", variants=("Weiche",))], "en-de", "de-en")]
    [('Router', 'router'), ('Weiche', 'router')]
    """
    if direction == new_direction:
        return list(terms)
    if direction.split("-", 1)[::-1] != new_direction.split("-", 1):
        return []
    reversed_terms: list[Term] = []
    for term in terms:
        if term.status == "do_not_translate":
            reversed_terms.append(term)
        elif term.status != "forbidden":
            matching: Matching = "exact" if term.matching == "prefix" else term.matching
            reversed_terms += [
                Term(target, term.source, status=term.status, case=term.case, matching=matching, note=term.note)
                for target in term.targets
            ]
    return reversed_terms
