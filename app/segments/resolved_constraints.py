"""Resolves the pins, glossary terms, bans and non-translatable texts of a segment into constraints for the engine.

Order of precedence where two contradict each other: pins; decisions for the segment (bans, terms switched off);
required terms, unless a glossary of higher priority forbids them; forbidden terms; texts kept from the source; numbers.
If several terms match the same words, `app.glossary.index.matcher` has already chosen one. Every constraint that is
dropped, except a number, is reported as a `Conflict`. Independent of storage, threads and the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from app.glossary import Term, TermHit
from app.glossary.model import has_inner_capitals
from app.text.quantities.requirements import RequiredQuantity
from app.text.words import count_occurrences
from engine import Avoid, Phrase, occurrences

PhraseCase = Literal["exact", "auto"]
PhraseBoundary = Literal["word", "start", "compound", "anywhere"]
# Named winner_loser. A pin and a term ("pin_term") both apply until the user chooses. Two terms for the same words
# are rivals.
ConflictKind = Literal["pin_term", "pin_forbidden", "ban_term", "ban_kept", "forbidden_term", "term_forbidden", "rival"]


@dataclass(frozen=True, slots=True)
class Constraint:
    """A text required in the translation at least `count` times, and where the requirement comes from.

    `is_pinned`: the translator pinned it. `term_keys`: the glossary terms that require it. `is_kept`: a placeholder,
    address or number of the source. A pin and a term with the same text are one constraint, because the engine needs
    separate occurrences for separate phrases. `source_span` is the place of the term or number in the source if there
    is only one. `forms` are alternatives to `text`, of which `language` may have more; `case`, `boundary`,
    `is_expected` (of numbers) and `replaces` are those of `engine.Phrase`.
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
    is_expected: bool = False
    replaces: tuple[str, ...] = ()
    language: str = ""

    @property
    def is_explicit(self) -> bool:
        """True if a pin or a term requires the phrase; otherwise it is only copied from the source."""
        return self.is_pinned or bool(self.term_keys)

    def phrase(self) -> Phrase:
        """This constraint as a phrase for the engine."""
        return Phrase(
            self.text,
            forms=self.forms,
            count=self.count,
            case=self.case,
            boundary=self.boundary,
            source_span=self.source_span,
            is_expected=self.is_expected,
            replaces=self.replaces,
        )


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two contradicting constraints: the text that was kept and the one that was dropped.

    `source` contains the source words and `term_key` the term concerned, the dropped one if it is a term. `by` is the
    key of the term that overrides another term.
    """

    kind: ConflictKind
    kept: str
    dropped: str
    source: str
    term_key: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class ResolvedConstraints:
    """The texts that a translation must contain and avoid, and the conflicts that were resolved."""

    constraints: tuple[Constraint, ...] = ()
    avoid: tuple[Avoid, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def term_key(term: Term) -> str:
    """A key for a term that stays the same when its glossary is uploaded again.

    A forbidden and a required term with the same texts have different keys.
    """
    return f"{term.source}\t{term.target}" + ("\tforbidden" if term.status == "forbidden" else "")


def distinct_terms(hits: Iterable[TermHit]) -> tuple[Term, ...]:
    """The distinct terms of the hits in source order."""
    return tuple({term_key(hit.term): hit.term for hit in hits}.values())


def constraints_for(
    pins: Sequence[str], hits: Iterable[TermHit], terms_off: Iterable[str] = ()
) -> tuple[Constraint, ...]:
    """`resolve_constraints(...).constraints`, without bans and kept texts.

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
    numbers: tuple[RequiredQuantity, ...] = (),
) -> ResolvedConstraints:
    """Constraints for pins, then for active terms, then for kept texts with their counts, then for numbers; each once.

    A text pinned n times must occur n times, and so must the target of a term found n times in the source: human
    translations of software contain all targets for 83 % of such sources, about as often as for single occurrences.
    `avoid` contains the bans and the targets of forbidden terms.
    """
    on = tuple(hit for hit in hits if term_key(hit.term) not in terms_off)
    forbidden = [hit for hit in on if hit.term.status == "forbidden"]
    required, conflicts = _without_banned([hit for hit in on if hit.term.status != "forbidden"], bans)
    required, overridden = _without_forbidden(required, forbidden, pins)
    conflicts += overridden
    conflicts += [
        Conflict("rival", hit.term.target, rival.target, hit.text or hit.term.source, term_key(rival))
        for hit in on
        for rival in hit.rivals
    ]
    left = {text: count for text, count in kept if not any(_is_same(text, ban) for ban in bans)}
    conflicts += [Conflict("ban_kept", text, text, text, "") for text, _ in kept if text not in left]
    constraints = _with_kept(_constraints(pins, required), left)
    constraints += tuple(_of_numbers(_open_numbers(numbers, required, constraints, bans)))
    avoid, more_conflicts = _avoided(forbidden, constraints, _priorities(required, pins))
    avoid = tuple(dict.fromkeys((*bans, *(item for item in avoid if item.text not in {ban.text for ban in bans}))))
    return ResolvedConstraints(constraints, avoid, tuple(dict.fromkeys((*conflicts, *more_conflicts))))


def _constraints(pins: Sequence[str], hits: Sequence[TermHit]) -> tuple[Constraint, ...]:
    by_text: dict[str, list[TermHit]] = {}
    for hit in hits:
        by_text.setdefault(_target(hit), []).append(hit)
    return tuple(
        _constraint(text, pins.count(text), by_text.get(text, ())) for text in dict.fromkeys((*pins, *by_text))
    )


def _constraint(text: str, num_pins: int, hits: Sequence[TermHit]) -> Constraint:
    """Pins and exact terms keep their case; other terms may be capitalised at the start of a sentence."""
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
        language=terms[0].language if terms and num_pins == 0 else "",
    )


def _with_kept(constraints: Sequence[Constraint], kept: Mapping[str, int]) -> tuple[Constraint, ...]:
    """Adds the kept texts; a text that a pin or term requires too stays one constraint."""
    required = [
        replace(constraint, count=max(constraint.count, kept[constraint.text]), is_kept=True)
        if constraint.text in kept
        else constraint
        for constraint in constraints
    ]
    texts = {constraint.text for constraint in constraints}
    own = [Constraint(text, n, boundary="anywhere", is_kept=True) for text, n in kept.items() if text not in texts]
    return (*required, *own)


def _open_numbers(
    numbers: Iterable[RequiredQuantity],
    required: Sequence[TermHit],
    constraints: Sequence[Constraint],
    bans: Sequence[Avoid],
) -> Iterator[RequiredQuantity]:
    """The numbers without those of a term, those that another constraint has, and those with a banned form."""
    texts = [form for constraint in constraints for form in (constraint.text, *constraint.forms)]
    for number in numbers:
        is_in_term = any(hit.start < number.end and number.start < hit.end for hit in required)
        is_met = any(occurrences(text, form) for text in texts for form in number.forms)
        is_banned = any(contains_banned(form, ban) for form in number.forms for ban in bans)
        if not (is_in_term or is_met or is_banned):
            yield number


def _of_numbers(numbers: Iterable[RequiredQuantity]) -> Iterator[Constraint]:
    by_forms: dict[tuple[str, ...], list[RequiredQuantity]] = {}
    for number in numbers:
        by_forms.setdefault(number.forms, []).append(number)
    for (text, *forms), same in by_forms.items():
        yield Constraint(
            text,
            len(same),
            source_span=(same[0].start, same[0].end) if len(same) == 1 else None,
            forms=tuple(forms),
            is_kept=True,
            is_expected=True,
            replaces=same[0].replaces,
        )


def _target(hit: TermHit) -> str:
    """The required text for a hit: the term's target, or the source words of a do-not-translate term."""
    return (hit.text or hit.term.source) if hit.term.status == "do_not_translate" else hit.term.target


def _forms(term: Term) -> tuple[str, ...]:
    return () if term.status == "do_not_translate" else (*term.variants, *term.inflections)


def _may_be_capitalised(term: Term) -> bool:
    if term.status == "do_not_translate" or term.case == "exact":
        return False
    return term.target[:1].isupper() or not has_inner_capitals(term.target)


def _without_banned(hits: Sequence[TermHit], bans: Sequence[Avoid]) -> tuple[list[TermHit], list[Conflict]]:
    """Hits with a target or variant that is not banned, and a conflict for each of the others."""
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
    """Hits with a target or variant that no glossary of higher priority forbids, and the conflicts."""
    left: list[TermHit] = []
    conflicts: list[Conflict] = []
    for hit in hits:
        stronger = [other for other in forbidden if other.priority < hit.priority]
        texts = (_target(hit), *(hit.term.variants if hit.term.status != "do_not_translate" else ()))
        against = {
            text: (item, other)
            for text in texts
            for other in stronger
            for item in _forbidden_texts(other.term)
            if text not in pins and contains_banned(text, item)
        }
        for item, other in list(against.values())[:1]:
            key, by = term_key(hit.term), term_key(other.term)
            conflicts.append(Conflict("forbidden_term", item.text, texts[0], hit.text or hit.term.source, key, by))
        if len(against) < len(texts):
            left.append(hit)
    return left, conflicts


def _priorities(required: Sequence[TermHit], pins: Sequence[str]) -> dict[str, int]:
    """The highest priority (lowest number) among the glossaries that require each text; pinned texts are left out."""
    highest: dict[str, int] = {}
    for hit in required:
        text = _target(hit)
        if text not in pins:
            highest[text] = min(hit.priority, highest.get(text, hit.priority))
    return highest


def _avoided(
    hits: Sequence[TermHit], constraints: Sequence[Constraint], priorities: Mapping[str, int]
) -> tuple[tuple[Avoid, ...], list[Conflict]]:
    """Forbidden texts to avoid, except those required by a pin or a glossary of the same or higher priority."""
    avoid: list[Avoid] = []
    conflicts: list[Conflict] = []
    for hit in hits:
        stronger = [c for c in constraints if priorities.get(c.text, hit.priority) <= hit.priority]
        for item in _forbidden_texts(hit.term):
            winner = next((c for c in stronger if contains_banned(c.text, item)), None)
            if winner is not None:
                kind: ConflictKind = "pin_forbidden" if winner.is_pinned else "term_forbidden"
                conflicts.append(Conflict(kind, winner.text, item.text, hit.term.source, term_key(hit.term)))
            if winner is None or not _is_same(winner.text, item):  # allowed only within the longer required phrase
                avoid.append(item)
    return tuple(avoid), conflicts


def _forbidden_texts(term: Term) -> list[Avoid]:
    return [Avoid(text, "permissive" if term.case == "any" else "exact") for text in (*term.targets, *term.inflections)]


def contains_banned(text: str, ban: Avoid) -> bool:
    """True if the banned text occurs in `text` as whole words."""
    if ban.case == "permissive":
        return count_occurrences(text.lower(), ban.text.lower()) > 0
    return count_occurrences(text, ban.text) > 0


def _is_same(text: str, avoid: Avoid) -> bool:
    return text == avoid.text or (avoid.case == "permissive" and text.lower() == avoid.text.lower())
