"""What one segment asks of the engine: pins, glossary terms found in its source, what is kept of it as it stands there.

Knows how pins and terms become phrases, how an answer's phrase numbers lead back to them, and which of two demands
that contradict each other counts: a pin, then what was decided for the segment (a ban, a term switched off), then what
is required, unless a glossary of higher priority forbids it, then what is forbidden, then what is kept. Of the terms
for the same words, `app.glossary.index.matcher` has chosen one. What gives way is reported, never dropped in silence.
Knows nothing of storage, threads or the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from app.glossary import Term, TermHit
from app.glossary.model import has_inner_capitals
from engine import Avoid, Phrase, stands_alone

PhraseCase = Literal["exact", "auto"]
PhraseBoundary = Literal["word", "start", "compound", "anywhere"]
# What contradicts what: the first counts, the second gives way; a pin and a term both count until a person chooses.
# Two terms for the same words are rivals.
ConflictKind = Literal["pin_term", "pin_forbidden", "ban_term", "ban_kept", "forbidden_term", "term_forbidden", "rival"]


@dataclass(frozen=True, slots=True)
class Constraint:
    """One phrase that must stand: what is said for it (`text`, `count` times) and who asked.

    `is_pinned` is true where the translator asked, `term_keys` name the glossary terms that ask for the same text. A
    pin and a term of one text make one constraint, since the engine wants separate occurrences for separate phrases.
    `source_span` is where the term stands in the source, where that is one place only. `forms` are other texts that
    will do; `case` and `boundary` are the phrase's. `is_kept` is true for a placeholder or an address of the source.
    """

    text: str
    count: int = 1
    is_pinned: bool = False
    term_keys: tuple[str, ...] = ()
    source_span: tuple[int, int] | None = None
    forms: tuple[str, ...] = ()
    case: PhraseCase = "exact"
    boundary: PhraseBoundary = "word"
    is_kept: bool = False

    @property
    def is_explicit(self) -> bool:
        """Whether the translator or a glossary wants it; else it is kept and nothing more."""
        return self.is_pinned or bool(self.term_keys)

    def phrase(self) -> Phrase:
        """The engine's side of this constraint."""
        return Phrase(
            self.text,
            forms=self.forms,
            count=self.count,
            case=self.case,
            boundary=self.boundary,
            source_span=self.source_span,
        )


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two demands that contradict each other: the text that counts, and the one that gives way.

    `source` are the words of the source and `term_key` the term concerned: the one that gives way, if it is one. `by`
    is the term before which another gives way.
    """

    kind: ConflictKind
    kept: str
    dropped: str
    source: str
    term_key: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedConstraints:
    """What a translation must contain and must not contain, and the conflicts that were settled on the way."""

    constraints: tuple[Constraint, ...] = ()
    avoid: tuple[Avoid, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def term_key(term: Term) -> str:
    """A name for a term that stays the same when its glossary is uploaded again.

    One glossary may forbid what another requires: these are two terms.
    """
    return f"{term.source}\t{term.target}" + ("\tforbidden" if term.status == "forbidden" else "")


def distinct_terms(hits: Iterable[TermHit]) -> tuple[Term, ...]:
    """The terms of the hits, each once, in the order of the source."""
    return tuple({term_key(hit.term): hit.term for hit in hits}.values())


def constraints_for(
    pins: Sequence[str], hits: Iterable[TermHit], terms_off: Iterable[str] = ()
) -> tuple[Constraint, ...]:
    """The constraints alone of `resolve_constraints`.

    >>> [c.text for c in constraints_for(["auf", "auf"], ())], constraints_for(["auf", "auf"], ())[0].count
    (['auf'], 2)
    """
    return resolve_constraints(tuple(pins), tuple(hits), frozenset(terms_off)).constraints


@lru_cache(maxsize=4096)
def resolve_constraints(
    pins: tuple[str, ...],
    hits: tuple[TermHit, ...],
    terms_off: frozenset[str] = frozenset(),
    bans: tuple[Avoid, ...] = (),
    kept: tuple[tuple[str, int], ...] = (),
) -> ResolvedConstraints:
    """Pins first, then the terms that are not switched off, then what is kept, with its number; each text once.

    A text pinned n times must stand n times, and so must the target of a term whose source stands n times: of such
    sources 83 % have all their targets in human translations of software, about as many as of single ones. What a
    forbidden term says must not stand is avoided, besides the bans.
    """
    on = tuple(hit for hit in hits if term_key(hit.term) not in terms_off)
    forbidden = [hit for hit in on if hit.term.status == "forbidden"]
    required, conflicts = _without_banned([hit for hit in on if hit.term.status != "forbidden"], bans)
    required, overruled = _without_forbidden(required, forbidden, pins)
    conflicts += overruled
    conflicts += [
        Conflict("rival", hit.term.target, rival.target, hit.text or hit.term.source, term_key(rival))
        for hit in on
        for rival in hit.rivals
    ]
    left = {text: count for text, count in kept if not any(_is_same(text, ban) for ban in bans)}
    conflicts += [Conflict("ban_kept", text, text, text, "") for text, _ in kept if text not in left]
    constraints = _with_kept(_constraints(pins, required), left)
    avoid, settled = _avoided(forbidden, constraints, _priorities(required, pins))
    avoid = tuple(dict.fromkeys((*bans, *(item for item in avoid if item.text not in {ban.text for ban in bans}))))
    return ResolvedConstraints(constraints, avoid, tuple(dict.fromkeys((*conflicts, *settled))))


def _constraints(pins: Sequence[str], hits: Sequence[TermHit]) -> tuple[Constraint, ...]:
    by_text: dict[str, list[TermHit]] = {}
    for hit in hits:
        by_text.setdefault(_target(hit), []).append(hit)
    return tuple(
        _constraint(text, pins.count(text), by_text.get(text, ())) for text in dict.fromkeys((*pins, *by_text))
    )


def _constraint(text: str, num_pins: int, hits: Sequence[TermHit]) -> Constraint:
    """A pin stands as it is; so does a term that says so; any other may be capitalised where a sentence begins."""
    count = max(num_pins, len(hits))
    terms = [hit.term for hit in hits]
    forms = dict.fromkeys(form for term in terms for form in _forms(term) if form != text)
    is_fixed = num_pins > 0 or any(not _may_be_capitalised(term) for term in terms)
    may_join = bool(terms) and num_pins == 0 and all(term.joins_compounds for term in terms)
    return Constraint(
        text,
        count,
        is_pinned=num_pins > 0,
        term_keys=tuple(dict.fromkeys(term_key(term) for term in terms)),
        source_span=(hits[0].start, hits[0].end) if len(hits) == count == 1 else None,
        forms=() if num_pins else tuple(forms),
        case="exact" if is_fixed else "auto",
        boundary="compound" if may_join else "word",
    )


def _with_kept(constraints: Sequence[Constraint], kept: Mapping[str, int]) -> tuple[Constraint, ...]:
    """The constraints with what is kept; where a person or a term asks for it too, that is one constraint."""
    asked = [
        replace(constraint, count=max(constraint.count, kept[constraint.text]), is_kept=True)
        if constraint.text in kept
        else constraint
        for constraint in constraints
    ]
    texts = {constraint.text for constraint in constraints}
    own = [Constraint(text, n, boundary="anywhere", is_kept=True) for text, n in kept.items() if text not in texts]
    return (*asked, *own)


def _target(hit: TermHit) -> str:
    """What must stand for a hit: the target, or the source's own words."""
    return (hit.text or hit.term.source) if hit.term.status == "do_not_translate" else hit.term.target


def _forms(term: Term) -> tuple[str, ...]:
    return () if term.status == "do_not_translate" else (*term.variants, *term.inflections)


def _may_be_capitalised(term: Term) -> bool:
    if term.status == "do_not_translate" or term.case == "exact":
        return False
    return term.target[:1].isupper() or not has_inner_capitals(term.target)


def _without_banned(hits: Sequence[TermHit], bans: Sequence[Avoid]) -> tuple[list[TermHit], list[Conflict]]:
    """The hits that the bans leave the target or a variant of, and a conflict for each of the others."""
    left: list[TermHit] = []
    conflicts: list[Conflict] = []
    for hit in hits:
        texts = (_target(hit), *(hit.term.variants if hit.term.status != "do_not_translate" else ()))
        if bans and all(any(_is_same(text, ban) for ban in bans) for text in texts):
            ban = next(ban for ban in bans if _is_same(texts[0], ban))
            conflicts.append(Conflict("ban_term", ban.text, texts[0], hit.term.source, term_key(hit.term)))
        else:
            left.append(hit)
    return left, conflicts


def _without_forbidden(
    hits: Sequence[TermHit], forbidden: Sequence[TermHit], pins: Sequence[str]
) -> tuple[list[TermHit], list[Conflict]]:
    """The hits that glossaries of higher priority leave the target or a variant of, and the conflicts with them."""
    left: list[TermHit] = []
    conflicts: list[Conflict] = []
    for hit in hits:
        stronger = [other for other in forbidden if other.priority < hit.priority]
        texts = (_target(hit), *(hit.term.variants if hit.term.status != "do_not_translate" else ()))
        against = {
            text: (item, other)
            for text in texts
            for other in stronger
            for item in _ruled_out(other.term)
            if text not in pins and _holds(text, item)
        }
        for item, other in list(against.values())[:1]:
            key, by = term_key(hit.term), term_key(other.term)
            conflicts.append(Conflict("forbidden_term", item.text, texts[0], hit.text or hit.term.source, key, by))
        if len(against) < len(texts):
            left.append(hit)
    return left, conflicts


def _priorities(required: Sequence[TermHit], pins: Sequence[str]) -> dict[str, int]:
    """Of each text that only glossaries ask for, the priority of the highest of them."""
    highest: dict[str, int] = {}
    for hit in required:
        text = _target(hit)
        if text not in pins:
            highest[text] = min(hit.priority, highest.get(text, hit.priority))
    return highest


def _avoided(
    hits: Sequence[TermHit], constraints: Sequence[Constraint], priorities: Mapping[str, int]
) -> tuple[tuple[Avoid, ...], list[Conflict]]:
    """What the forbidden terms rule out, without what is required all the same, and not by a lower glossary."""
    avoid: list[Avoid] = []
    conflicts: list[Conflict] = []
    for hit in hits:
        stronger = [c for c in constraints if priorities.get(c.text, hit.priority) <= hit.priority]
        for item in _ruled_out(hit.term):
            holding = next((c for c in stronger if _holds(c.text, item)), None)
            if holding is not None:
                kind: ConflictKind = "pin_forbidden" if holding.is_pinned else "term_forbidden"
                conflicts.append(Conflict(kind, holding.text, item.text, hit.term.source, term_key(hit.term)))
            if holding is None or not _is_same(
                holding.text, item
            ):  # within a longer phrase it may stand, and only there
                avoid.append(item)
    return tuple(avoid), conflicts


def _ruled_out(term: Term) -> list[Avoid]:
    """What a forbidden term says must not stand."""
    return [Avoid(text, "permissive" if term.case == "any" else "exact") for text in (*term.targets, *term.inflections)]


def _holds(text: str, avoid: Avoid) -> bool:
    banned = avoid.text
    if avoid.case == "permissive":
        text, banned = text.lower(), banned.lower()
    start = text.find(banned)
    while start >= 0:
        if stands_alone(text, start, start + len(banned)):
            return True
        start = text.find(banned, start + 1)
    return False


def _is_same(text: str, avoid: Avoid) -> bool:
    return text == avoid.text or (avoid.case == "permissive" and text.lower() == avoid.text.lower())
