"""One glossary entry, and what may be said of it. Plain data; knows nothing of texts, files or constraints."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from engine import is_word_char

# "preferred": the target, a variant or an inflected form must stand; "exact": the target or a variant as written;
# "do_not_translate": the source's own words must stand; "forbidden": the target and its variants must not.
Status = Literal["preferred", "exact", "do_not_translate", "forbidden"]
# Whether capitals of the source must agree: "permissive" lets the term decide ("IT" yes, "router" no).
Case = Literal["any", "permissive", "exact"]
# What counts as the source: the words as written, any form of them, or words that begin so.
Matching = Literal["exact", "lemma", "prefix"]

# Which of two terms for the same words counts: the lower.
STATUS_RANK: dict[Status, int] = {"do_not_translate": 0, "exact": 1, "preferred": 2, "forbidden": 3}


@dataclass(frozen=True, slots=True)
class Term:
    """One glossary entry: `target`, or another form of it, must stand where `source` stands in the source text.

    `row` is the line of the file it came from, counted from 1; 0 where there is no file. `is_for_document` marks what
    a person required in the whole document, besides the glossary: of two terms for the same words it goes first.
    `variants` are other targets that will do; `glossary` names the file that the term belongs to. `inflections` are
    forms of the target and `joins_compounds` says that it may begin or end a longer word; both come from the form list
    (`lemmas.with_forms`) and the memory (`used_forms`), not from the person.
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

    @property
    def is_case_exact(self) -> bool:
        """Whether capitals must agree: by default those behind a word's first letter say so ("IT", not "New York")."""
        if self.case != "permissive":
            return self.case == "exact"
        return has_inner_capitals(self.source)

    @property
    def targets(self) -> tuple[str, ...]:
        """The target and its variants."""
        return (self.target, *self.variants)

    def row_for_log(self) -> list[Any]:
        """[source, target, row], and behind them what else was said of the term, if anything."""
        said = self.fields()
        return [self.source, self.target, self.row, *([said] if said else [])]

    def fields(self) -> dict[str, Any]:
        """What a person said of the term beyond its words, as plain values; what is as usual is left out."""
        said = {
            "variants": list(self.variants),
            "status": self.status,
            "case": self.case,
            "matching": self.matching,
            "note": self.note,
            "glossary": self.glossary,
        }
        usual = {"variants": [], "status": "preferred", "case": "permissive", "matching": "exact"}
        return {name: value for name, value in said.items() if value != usual.get(name, "")}


@dataclass(frozen=True, slots=True)
class TermHit:
    """A term found in a text, at these code points of the text as given.

    `text` is what stands there, without inline tags. `rivals` are terms for the very same words that lost to this one.
    `priority` is the place of the term's glossary among those searched; the lowest counts first.
    """

    term: Term
    start: int
    end: int
    text: str = ""
    rivals: tuple[Term, ...] = ()
    priority: int = 0


@dataclass(frozen=True, slots=True)
class TermMatches:
    """What was found, in the order of the text: `hits` do not overlap; `suppressed` lost to another one.

    Hits of forbidden terms take no room: they may share theirs with another hit.
    """

    hits: tuple[TermHit, ...]
    suppressed: tuple[TermHit, ...]


def has_inner_capitals(text: str) -> bool:
    """Whether a word of the text has a capital behind its first letter: "IT" and "iPhone", not "New York"."""
    return text != text.lower() and any(
        character != character.lower() and is_word_char(before) for before, character in pairwise(text)
    )
