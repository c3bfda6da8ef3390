"""Makes the engine's request from the pins, bans, glossary terms, numbers and non-translatable texts of a source.

The same for documents, the HTTP API and commands.

Order of precedence where two contradict each other: pins; decisions for the segment (bans, terms switched off);
required terms, unless a glossary of higher priority forbids them; forbidden terms; texts kept from the source; numbers.
If several terms match the same words, `app.glossary.index.matcher` has already chosen one. Every constraint that is
dropped, except a number, is reported as a `Conflict`. Independent of storage, threads and the page.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, Literal

from app.glossary import Term, TermHit
from app.glossary.model import has_inner_capitals
from app.segments.segment_constraints import Constraints, contains_banned
from app.text.nontranslatables import kept_texts, nontranslatables
from app.text.quantities.requirements import RequiredQuantity, numbers_beside
from app.text.words import count_occurrences
from engine import MAX_FOLLOW_CHARACTERS, Avoid, Follow, Phrase, Request, occurrences

# Nats for each changed piece where the places of pins are not known. One pin, 80 sentences of documentation: at 1, 85 %
# of the pins are in the right place and 10 % of the sentences lose more right words than they win; freely, 80 and 19 %.
_STRENGTH_WITHOUT_PLACES: Final = 1.0
PhraseCase = Literal["exact", "auto"]
PhraseBoundary = Literal["word", "start", "compound", "anywhere"]
# Named winner_loser. A pin and a term ("pin_term") both apply until the user chooses. Two terms for the same words
# are rivals.
ConflictKind = Literal["pin_term", "pin_forbidden", "ban_term", "ban_kept", "forbidden_term", "term_forbidden", "rival"]


@dataclass(frozen=True, slots=True)
class RequiredText:
    """A text required in the translation at least `count` times, and where the requirement comes from.

    `is_pinned`: the translator pinned it. `term_keys`: the glossary terms that require it. `is_kept`: a placeholder,
    address or number of the source. A pin and a term with the same text are one required text, because the engine needs
    separate occurrences for separate phrases. `source_span` is the place of the term or number in the source if there
    is only one, or the source words that the person named for a pin. `forms` are alternatives to `text`, of which
    `language` may have more; `case`, `boundary`, `is_expected` (of numbers) and `replaces` are those of
    `engine.Phrase`.
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
        """This text as a phrase for the engine."""
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
    """The constraints of a person, the glossaries and the source together, without contradictions.

    `required` and `banned` are texts that the translation must and must not contain; `prefix`, `locked` and `follow`
    are those of `Constraints`. Equal ones ask for the same translation: `conflicts`, which were resolved, do not count.
    """

    required: tuple[RequiredText, ...] = ()
    banned: tuple[Avoid, ...] = ()
    prefix: str = ""
    locked: tuple[str, ...] = ()
    follow: str = ""
    conflicts: tuple[Conflict, ...] = field(default=(), compare=False)

    @property
    def key(self) -> str:
        """A fingerprint: 16 hex digits, equal for equal constraints. The log stores it."""
        required, banned = [asdict(one) for one in self.required], [asdict(ban) for ban in self.banned]
        values: list[Any] = [required, banned, self.prefix, list(self.locked)]
        if self.follow:
            values.append(self.follow)
        return hashlib.sha256(json.dumps(values).encode("ascii")).hexdigest()[:16]


def term_key(term: Term) -> str:
    """A key for a term that stays the same when its glossary is uploaded again.

    A forbidden and a required term with the same texts have different keys.
    """
    return f"{term.source}\t{term.target}" + ("\tforbidden" if term.status == "forbidden" else "")


def distinct_terms(hits: Iterable[TermHit]) -> tuple[Term, ...]:
    """The distinct terms of the hits in source order."""
    return tuple({term_key(hit.term): hit.term for hit in hits}.values())


def request_of(
    source: str,
    constraints: Constraints,
    hits: Sequence[TermHit],
    direction: str | None,
    *,
    numbers: Sequence[RequiredQuantity] = (),
    placeholders: tuple[str, ...] = (),
    phrases: tuple[Phrase, ...] = (),
) -> Request:
    """The request to the engine, without a style (see `app.models.style`). Raises InvalidRequest.

    Args:
        source: the text to translate
        constraints: those of the person
        hits: the glossary terms in the source
        direction: the languages, such as en-de; None for the first of the model
        numbers: those of the source that the translation must have
        placeholders: texts of the source that its file marks as such
        phrases: required texts of a program, first in the request; they replace any other with the same text or form
    """
    own_texts = [form for phrase in phrases for form in phrase.all_forms]
    resolved = resolve(source, constraints, hits, numbers_beside(numbers, own_texts), placeholders)
    required = tuple(one.phrase() for one in resolved.required)
    return Request(
        source,
        direction=direction,
        phrases=(*phrases, *(one for one in required if set(own_texts).isdisjoint(one.all_forms))),
        avoid=resolved.banned,
        prefix=resolved.prefix,
        locked=resolved.locked,
        follow=_follow(constraints),
    )


def resolve(
    source: str,
    constraints: Constraints,
    hits: Sequence[TermHit],
    numbers: Sequence[RequiredQuantity] = (),
    placeholders: tuple[str, ...] = (),
) -> ResolvedConstraints:
    """The texts that the translation must contain and avoid; see `request_of` for the arguments."""
    numbers = numbers_beside(numbers, (*constraints.pins, constraints.prefix, *constraints.locked))
    if placeholders:  # a term or number in one of them is not a word
        spans = [(one.start, one.end) for one in nontranslatables(source, placeholders)]
        hits = [hit for hit in hits if not any(start <= hit.start and hit.end <= end for start, end in spans)]
        numbers = tuple(one for one in numbers if not any(start <= one.start < end for start, end in spans))
    return resolve_constraints(constraints, tuple(hits), kept_texts(source, placeholders), tuple(numbers))


@lru_cache(maxsize=4096)
def resolve_constraints(
    constraints: Constraints,
    hits: tuple[TermHit, ...] = (),
    kept: tuple[tuple[str, int], ...] = (),
    numbers: tuple[RequiredQuantity, ...] = (),
) -> ResolvedConstraints:
    """Required texts for pins, then for active terms, then for kept texts with their counts, then for numbers.

    Each text is there once. A text pinned n times must occur n times, and so must the target of a term found n times in
    the source: human translations of software contain all targets for 83 % of such sources, about as often as for
    single occurrences. The banned texts are the bans and the targets of forbidden terms.
    """
    pins, bans = constraints.pins, constraints.bans
    on = tuple(hit for hit in hits if term_key(hit.term) not in constraints.terms_off)
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
    texts = _with_kept(_of_pins_and_terms(constraints, required), left)
    texts += tuple(_of_numbers(_open_numbers(numbers, required, texts, bans)))
    banned, more_conflicts = _banned(forbidden, texts, _priorities(required, pins))
    banned = tuple(dict.fromkeys((*bans, *(item for item in banned if item.text not in {ban.text for ban in bans}))))
    return ResolvedConstraints(
        texts,
        banned,
        constraints.prefix,
        constraints.locked,
        constraints.follow,
        tuple(dict.fromkeys((*conflicts, *more_conflicts))),
    )


def _of_pins_and_terms(constraints: Constraints, hits: Sequence[TermHit]) -> tuple[RequiredText, ...]:
    by_text: dict[str, list[TermHit]] = {}
    for hit in hits:
        by_text.setdefault(_target(hit), []).append(hit)
    return tuple(
        _required_text(text, constraints, by_text.get(text, ()))
        for text in dict.fromkeys((*constraints.pins, *by_text))
    )


def _required_text(text: str, constraints: Constraints, hits: Sequence[TermHit]) -> RequiredText:
    """Pins and exact terms keep their case; other terms may be capitalised at the start of a sentence."""
    num_pins = constraints.pins.count(text)
    count = max(num_pins, len(hits))
    source_span = constraints.source_of(text) or ((hits[0].start, hits[0].end) if len(hits) == 1 else None)
    terms = [hit.term for hit in hits]
    forms = dict.fromkeys(form for term in terms for form in _forms(term) if form != text)
    is_fixed = num_pins > 0 or any(not _may_be_capitalised(term) for term in terms)
    may_join = bool(terms) and num_pins == 0 and all(term.joins_compounds for term in terms)
    return RequiredText(
        text,
        count,
        is_pinned=num_pins > 0,
        term_keys=tuple(dict.fromkeys(term_key(term) for term in terms)),
        source_span=source_span if count == 1 else None,
        forms=() if num_pins else tuple(forms),
        case="exact" if is_fixed else "auto",
        boundary="compound" if may_join else "word",
        language=terms[0].language if terms and num_pins == 0 else "",
    )


def _with_kept(required: Sequence[RequiredText], kept: Mapping[str, int]) -> tuple[RequiredText, ...]:
    """Adds the kept texts, each once, also if a pin or term requires it too."""
    both = [
        replace(one, count=max(one.count, kept[one.text]), is_kept=True) if one.text in kept else one
        for one in required
    ]
    texts = {one.text for one in required}
    own = [RequiredText(text, n, boundary="anywhere", is_kept=True) for text, n in kept.items() if text not in texts]
    return (*both, *own)


def _open_numbers(
    numbers: Iterable[RequiredQuantity],
    term_hits: Sequence[TermHit],
    required: Sequence[RequiredText],
    bans: Sequence[Avoid],
) -> Iterator[RequiredQuantity]:
    """The numbers without those of a term, those in another required text, and those with a banned form."""
    texts = [form for one in required for form in (one.text, *one.forms)]
    for number in numbers:
        is_in_term = any(hit.start < number.end and number.start < hit.end for hit in term_hits)
        is_met = any(occurrences(text, form) for text in texts for form in number.forms)
        is_banned = any(contains_banned(form, ban) for form in number.forms for ban in bans)
        if not (is_in_term or is_met or is_banned):
            yield number


def _of_numbers(numbers: Iterable[RequiredQuantity]) -> Iterator[RequiredText]:
    by_forms: dict[tuple[str, ...], list[RequiredQuantity]] = {}
    for number in numbers:
        by_forms.setdefault(number.forms, []).append(number)
    for (text, *forms), same in by_forms.items():
        yield RequiredText(
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


def _banned(
    hits: Sequence[TermHit], required: Sequence[RequiredText], priorities: Mapping[str, int]
) -> tuple[tuple[Avoid, ...], list[Conflict]]:
    """The texts of forbidden terms, except those required by a pin or a glossary of the same or higher priority."""
    avoid: list[Avoid] = []
    conflicts: list[Conflict] = []
    for hit in hits:
        stronger = [c for c in required if priorities.get(c.text, hit.priority) <= hit.priority]
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


def _is_same(text: str, avoid: Avoid) -> bool:
    return text == avoid.text or (avoid.case == "permissive" and text.lower() == avoid.text.lower())


def _follow(constraints: Constraints) -> Follow | None:
    """The engine's option to change as little as possible of a text; None for no text or one too long.

    Follows the text more closely if it contains all pins, or their source words are known: then their places are known,
    otherwise guessed by the engine.
    """
    text = constraints.follow
    if not text.strip() or len(text) > MAX_FOLLOW_CHARACTERS:
        return None
    has_places = all(count_occurrences(text, pin) or constraints.source_of(pin) for pin in constraints.pins)
    return Follow(text) if has_places else replace(Follow(text), strength=_STRENGTH_WITHOUT_PLACES)
