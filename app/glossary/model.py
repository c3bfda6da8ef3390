"""The data model of glossaries: terms, their occurrences, and priorities, without search, files and constraints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from engine import is_word_char

# What the translation must contain. "preferred": the target, a variant or an inflected form; "exact": the target or a
# variant as written; "do_not_translate": the words of the source; "forbidden": neither the target nor a variant.
Status = Literal["preferred", "exact", "do_not_translate", "forbidden"]
# Whether matching is case-sensitive: "permissive" decides by the term ("IT" yes, "router" no).
Case = Literal["any", "permissive", "exact"]
# What matches the source: the words as written, any form of them, or words that start with them.
Matching = Literal["exact", "lemma", "prefix"]

# Of two terms for the same words, the one with the lower rank wins.
STATUS_RANK: dict[Status, int] = {"do_not_translate": 0, "exact": 1, "preferred": 2, "forbidden": 3}


@dataclass(frozen=True, slots=True)
class Term:
    """A glossary entry: if `source` occurs, the translation must contain `target` or another allowed form.

    `row` is the row in its file, counted from 1, or 0 without a file. `is_for_document` marks a pin that the user
    required in the whole document: it wins against glossary terms for the same words. `variants` are other allowed
    targets. `glossary` is the name of its glossary. `inflections` are forms of the targets, and `joins_compounds` means
    that the target may be the first or last part of a compound of its `language`; these are derived from the form list
    (`lemmas.with_forms`) and from the translation memory (`used_forms`), never entered by the user.
    """

    source: str
    target: str
    row: int = 0
    is_for_document: bool = False
    variants: tuple[str, ...] = ()
    status: Status = "preferred"
    case: Case = "permissive"
    matching: Matching = "exact"
    note: str = ""
    glossary: str = ""
    inflections: tuple[str, ...] = ()
    joins_compounds: bool = False
    language: str = ""

    @property
    def is_case_exact(self) -> bool:
        """True if matching is case-sensitive; "permissive" is if a word has a capital after its first letter ("IT")."""
        if self.case != "permissive":
            return self.case == "exact"
        return has_inner_capitals(self.source)

    @property
    def targets(self) -> tuple[str, ...]:
        """The target and its variants."""
        return (self.target, *self.variants)

    def row_for_log(self) -> list[Any]:
        """[source, target, row], followed by the other fields if any differs from its default."""
        fields = self.fields()
        return [self.source, self.target, self.row, *([fields] if fields else [])]

    def fields(self) -> dict[str, Any]:
        """The fields of a glossary file besides source and target, as plain values; default values are left out."""
        fields = {
            "variants": list(self.variants),
            "status": self.status,
            "case": self.case,
            "matching": self.matching,
            "note": self.note,
            "glossary": self.glossary,
        }
        defaults = {"variants": [], "status": "preferred", "case": "permissive", "matching": "exact"}
        return {name: value for name, value in fields.items() if value != defaults.get(name, "")}


@dataclass(frozen=True, slots=True)
class TermHit:
    """A term found in a text, from code point `start` to `end` of the original text.

    `text` is the matched text without inline tags. `rivals` are terms for exactly the same words that lost to this one.
    `priority` is the position of the term's glossary among those searched; the lowest wins.
    """

    term: Term
    start: int
    end: int
    text: str = ""
    rivals: tuple[Term, ...] = ()
    priority: int = 0


@dataclass(frozen=True, slots=True)
class TermMatches:
    """The terms found in a text, in text order: `hits` do not overlap; `suppressed` lost to another hit.

    Forbidden terms do not block a place: their hits may overlap others.
    """

    hits: tuple[TermHit, ...]
    suppressed: tuple[TermHit, ...]


def has_inner_capitals(text: str) -> bool:
    """True if a word of the text has a capital after its first letter: "IT" and "iPhone", not "New York"."""
    return text != text.lower() and any(
        character != character.lower() and is_word_char(before) for before, character in pairwise(text)
    )


def terms_in_direction(terms: Iterable[Term], direction: str, new_direction: str) -> list[Term]:
    """The terms of `direction` as terms of `new_direction`; none if that has other languages.

    In the opposite direction each target of a term becomes a term. Forbidden terms are dropped, and terms that are not
    translated stay the same.

    >>> terms = [Term("router", "Router", variants=("Weiche",))]
    >>> [(term.source, term.target) for term in terms_in_direction(terms, "en-de", "de-en")]
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
