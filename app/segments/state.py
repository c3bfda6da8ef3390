"""State of one segment: text, constraints and newest answer, rules about them, and conversion to and from the log.

Immutable data and pure functions, independent of threads and the page's layout.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, get_args

from app.checks import CheckName, Finding, findings_in
from app.glossary import TermHit
from app.i18n import Message, joined
from app.log.records import SavedSegment, SegmentUpdate
from app.segments import Json as Json
from app.segments.prices import Prices
from app.segments.proposal_view import DecodingResult
from app.segments.resolved_constraints import Constraint, ResolvedConstraints, resolve_constraints
from app.text.nontranslatables import kept_texts, without_markup
from app.text.text_limits import TextLimits
from app.text.words import count_words
from engine import MAX_FOLLOW_CHARACTERS, Avoid, Follow, Request, is_word_char, stands_alone

State = Literal["new", "pretranslated", "edited", "confirmed"]
# Nats for each changed piece where the places of pins are not known. One pin, 80 sentences of documentation: at 1, 85 %
# of the pins are in the right place and 10 % of the sentences lose more right words than they win; freely, 80 and 19 %.
_STRENGTH_WITHOUT_PLACES: Final = 1.0
Origin = Literal["typed", "hypothesis", "propagated", "memory"]
Review = Literal["approved", "returned", ""]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reviewer's decision about a text. It counts while the segment has this text, see `SegmentState.review`."""

    decision: Literal["approved", "returned"]
    text: str


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The best hypothesis of a complete answer, stored in the log so that it survives a restart.

    `constraints_key` identifies the constraints of its request; `made_with` names the model and the search options.
    """

    text: str
    score: float
    constraints_key: str
    made_with: str


@dataclass(frozen=True, slots=True)
class SegmentState:
    """The current state of one segment; every change creates a new object.

    `target` is the translator's text, or None while there is only machine translation. In a pretranslated segment it
    was filled in from the translation memory. `decoded` is the answer to decode request number `answered`, `requested`
    is the number of the newest request, `shown` is the newest answer with hypotheses, and `stored_answer` a summary of
    the newest complete answer of this run or an earlier one. `version` counts the changes of the segment; `stamp` is
    the workspace version at the last change. `attention` explains why the segment needs review; empty if it does not.
    `match_rate` is the rate of the best match in the translation memory in percent, 0 without one that is shown, and
    `match_text` its translation. `filled_rate` is the rate of the match that was filled in.
    `previous` is the text that the next proposal keeps as far as the constraints and the model allow; empty for a free
    translation.
    `verdict` is the reviewer's last decision, `num_remarks` counts the remarks about the segment in the log.
    `note` (context, comments) and `limits` come from the document file, `comment` from the user. `changed_from`
    is the previous proposal if a change of terms replaced it. A segment that was merged into another one has an empty
    source.
    """

    index: int
    source: str
    num_words: int
    hits: tuple[TermHit, ...] = ()
    state: State = "new"
    target: str | None = None
    origin: Origin | None = None
    pins: tuple[str, ...] = ()
    terms_off: frozenset[str] = frozenset()
    bans: tuple[Avoid, ...] = ()
    note: str = ""
    limits: TextLimits | None = None
    comment: str = ""
    beginning: str = ""
    locked: tuple[str, ...] = ()
    previous: str = ""
    changed_from: str = ""
    decoded: DecodingResult | None = None
    shown: DecodingResult | None = None
    stored_answer: StoredAnswer | None = None
    prices: Prices | None = None
    unpriced: int = -1  # the request whose prices could not be computed
    requested: int = 0
    answered: int = 0
    version: int = 0
    stamp: int = 0
    attention: str = ""
    match_rate: int = 0
    match_text: str = ""
    filled_rate: int = 0
    verdict: Verdict | None = None
    num_remarks: int = 0

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The current texts that the translation must contain."""
        return self.resolved.constraints

    @property
    def avoided(self) -> tuple[Avoid, ...]:
        """The current texts that the translation must not contain: bans and forbidden terms."""
        return self.resolved.avoid

    @property
    def resolved(self) -> ResolvedConstraints:
        """The resolved constraints: required texts, texts to avoid, and conflicts."""
        return resolve_constraints(self.pins, self.hits, self.terms_off, self.bans, kept_texts(self.source))

    def request(self, direction: str) -> Request:
        """The current request to the engine."""
        phrases = tuple(constraint.phrase() for constraint in self.constraints)
        return Request(
            self.source,
            direction=direction,
            phrases=phrases,
            avoid=self.avoided,
            prefix=self.beginning,
            locked=self.locked,
            follow=followed(self.previous, self.pins),
        )

    @property
    def is_pending(self) -> bool:
        """Whether an answer was requested and has not arrived."""
        return self.requested > self.answered

    def is_answered_by(self, decoded: DecodingResult) -> bool:
        """Whether the answer belongs to the current constraints."""
        answered = decoded.constraints, decoded.bans, decoded.beginning, decoded.locked, decoded.previous
        return answered == (self.constraints, self.avoided, self.beginning, self.locked, self.previous)

    @property
    def has_prices(self) -> bool:
        """Whether `prices` belong to the newest answer."""
        return self.prices is not None and self.prices.number == self.requested == self.answered

    @property
    def is_pricing(self) -> bool:
        """Whether prices of the newest answer are still to come."""
        return self.can_be_priced and not self.has_prices and self.unpriced != self.requested

    @property
    def can_be_priced(self) -> bool:
        """Whether the newest answer is complete and has constraints that can have a price."""
        decoded = self.decoded
        if decoded is None or self.is_pending or not self.is_answered_by(decoded):
            return False
        has_constraints = bool(decoded.bans) or any(constraint.is_explicit for constraint in decoded.constraints)
        return decoded.translation.status == "complete" and has_constraints

    @property
    def needs_decoding(self) -> bool:
        """Whether there is no pending request and no answer for the current constraints."""
        if not self.source:
            return False  # merged into another
        return not self.is_pending and (self.decoded is None or not self.is_answered_by(self.decoded))

    @property
    def has_crashed(self) -> bool:
        """Whether the last answer is a crash, or a model that did not answer; asking again may help."""
        translation = self.decoded.translation if self.decoded is not None and not self.is_pending else None
        return translation is not None and any(reason.kind == "crashed" for reason in translation.reasons)

    @property
    def constraints_key(self) -> str:
        """A fingerprint of the current constraints."""
        return constraints_key(self.constraints, self.avoided, self.beginning, self.locked, self.previous)

    @property
    def needs_translation(self) -> bool:
        """Whether no answer for the current constraints is known, from this run or an earlier one."""
        if not self.needs_decoding:
            return False
        return (
            self.decoded is not None
            or self.stored_answer is None
            or self.stored_answer.constraints_key != self.constraints_key
        )

    @property
    def is_translated(self) -> bool:
        """Whether there is a translation, by the translator or the machine."""
        return self.target is not None or self.decoded is not None or self.stored_answer is not None

    @property
    def review(self) -> Review:
        """The reviewer's decision about the current text, "" without one.

        An approved segment is confirmed; a returned one is not until the translator confirms it again.
        """
        if self.verdict is None or self.verdict.text != self.target:
            return ""
        state = "confirmed" if self.verdict.decision == "approved" else "edited"
        return self.verdict.decision if self.state == state else ""

    @property
    def is_from_memory(self) -> bool:
        """Whether the text is a TM match that was filled in and not yet edited or confirmed."""
        return self.origin == "memory" and self.state == "pretranslated"

    @property
    def is_exact_match(self) -> bool:
        """Whether the text is a 100 % match that was filled in and not yet edited or confirmed."""
        return self.is_from_memory and self.filled_rate == 100

    @property
    def can_be_filled(self) -> bool:
        """Whether a match may be filled in: no person has typed, confirmed, pinned or banned anything here."""
        constraints = (*self.pins, *self.bans, *self.locked, self.beginning)
        return bool(self.source) and self.target is None and self.state != "confirmed" and not any(constraints)

    @property
    def machine_text(self) -> str | None:
        """The best hypothesis of `shown`, else the stored answer of an earlier run."""
        if self.shown and self.shown.best:
            return self.shown.best.text
        return self.stored_answer.text if self.stored_answer else None

    @property
    def text(self) -> str | None:
        """The translator's text, else the machine translation."""
        return self.target if self.target is not None else self.machine_text


def followed(previous: str, pins: Iterable[str]) -> Follow | None:
    """The engine's option to change as little as possible of a previous text; None for no text or one too long.

    Follows the text more closely if it contains all pins: then their places are known, otherwise guessed by the engine.
    """
    if not previous.strip() or len(previous) > MAX_FOLLOW_CHARACTERS:
        return None
    follow = Follow(previous)
    has_places = all(count_occurrences(previous, pin) for pin in pins)
    return follow if has_places else replace(follow, strength=_STRENGTH_WITHOUT_PLACES)


def constraints_key(
    constraints: Sequence[Constraint], bans: Sequence[Avoid], beginning: str, locked: Sequence[str], previous: str
) -> str:
    """A fingerprint of constraints: 16 hex digits, equal for equal constraints. The log stores it."""
    values: list[Any] = [[asdict(item) for item in constraints], [asdict(ban) for ban in bans], beginning, list(locked)]
    if previous:
        values.append(previous)
    return hashlib.sha256(json.dumps(values).encode("ascii")).hexdigest()[:16]


def unmet_texts(segment: SegmentState, text: str) -> list[str]:
    """Texts required by pins and terms that do not occur in `text`; tags inside them are ignored."""
    text = without_markup(text)
    return [c.text for c in segment.constraints if c.is_explicit and not _is_in_text(text, c)]


def banned_texts(segment: SegmentState, text: str) -> list[str]:
    """Banned and forbidden texts that occur in `text`. Forbidden terms are allowed inside a required text."""
    text = without_markup(text)
    required = [constraint.text for constraint in segment.constraints]
    found = []
    for item in segment.avoided:
        rest = text
        for phrase in required if item not in segment.bans else ():
            rest = rest.replace(phrase, " ") if contains_banned(phrase, item) else rest
        if contains_banned(rest, item):
            found.append(item.text)
    return found


def findings_of(
    segment: SegmentState, text: str, direction: str, off: Collection[CheckName] = ()
) -> tuple[Finding, ...]:
    """The findings of the active checks in `text` as this segment's translation."""
    unmet, banned = unmet_texts(segment, text), banned_texts(segment, text)
    return findings_in(segment.source, text, direction, unmet=unmet, banned=banned, limits=segment.limits, off=off)


def attention_for(segment: SegmentState, findings: Iterable[Finding]) -> str:
    """Why this segment needs review, as a sentence, or "". `findings` are the check results for its target."""
    if segment.target is not None:
        return joined(". ", [finding.message for finding in findings if finding.is_error])
    if segment.decoded is None or segment.is_pending:
        return ""
    if segment.decoded.translation.status == "complete":
        return (
            Message("Translated again because of your terms; previously: {text}", text=segment.changed_from)
            if segment.changed_from
            else ""
        )
    reasons = segment.decoded.general_reasons() or list(segment.decoded.reasons_by_text().values())
    return (
        reasons[0]
        if reasons
        else Message("Not in the translation: {texts}", texts=", ".join(sorted(segment.decoded.unmet_texts())))
    )


def count_occurrences(text: str, phrase: str) -> int:
    """Number of non-overlapping occurrences of `phrase` in `text` as whole words."""
    count = position = 0
    while (start := text.find(phrase, position)) >= 0:
        if stands_alone(text, start, start + len(phrase)):
            count += 1
            position = start + len(phrase)
        else:
            position = start + 1
    return count


def contains_banned(text: str, ban: Avoid) -> bool:
    """Whether the banned text occurs in `text` as whole words."""
    if ban.case == "permissive":
        return count_occurrences(text.lower(), ban.text.lower()) > 0
    return count_occurrences(text, ban.text) > 0


def inflected_form(text: str, target: str, *, joins_compounds: bool = False) -> str | None:
    """The first word of `text` that starts with `target`: "Routern" for "Router"; None if there is none.

    Finds inflected forms that only add an ending. With `joins_compounds`, `target` may also end the word: "Bilddatei"
    for "Datei".
    """
    for match in re.finditer(re.escape(target), text, re.IGNORECASE):
        start, end = match.span()
        if start > 0 and is_word_char(text[start - 1]):
            if not (joins_compounds and stands_alone(text, start, end, "end")):
                continue
            while start > 0 and is_word_char(text[start - 1]):
                start -= 1
        while end < len(text) and is_word_char(text[end]):
            end += 1
        return text[start:end]
    return None


def term_form(text: str, constraint: Constraint) -> str | None:
    """The words of `text` that meet a constraint of a term: one of its forms, or an inflected or compound word."""
    forms = (constraint.text, *constraint.forms)
    joins = constraint.boundary == "compound"
    words = (inflected_form(text, form, joins_compounds=joins) for form in (forms if joins else forms[:1]))
    return next((form for form in forms if count_occurrences(text, form)), None) or next(filter(None, words), None)


def _is_in_text(text: str, constraint: Constraint) -> bool:
    required = without_markup(constraint.text)
    if not required.strip():
        return True  # only tags, which the placeholder check covers
    forms = (required, *constraint.forms)
    if sum(count_occurrences(text, form) for form in forms) >= constraint.count:
        return True
    return not constraint.is_pinned and term_form(text, constraint) is not None


def segment_update(segment: SegmentState, read_version: int) -> SegmentUpdate:
    """The segment's state as the log stores it, in place of the state with `read_version`."""
    constraints = {
        "pins": list(segment.pins),
        "terms_off": sorted(segment.terms_off),
        "bans": [asdict(ban) for ban in segment.bans],
        "beginning": segment.beginning,
        "locked": list(segment.locked),
        "previous": segment.previous,
        "origin": segment.origin,
        "filled_rate": segment.filled_rate,
        "comment": segment.comment,
        "verdict": asdict(segment.verdict) if segment.verdict else None,
        "num_remarks": segment.num_remarks,
        "recalled": _stored_answer_payload(segment.stored_answer) if segment.stored_answer else None,
    }
    return SegmentUpdate(segment.state, segment.target, segment.version, constraints, read_version)


def review_of(saved: SavedSegment) -> Review:
    """The reviewer's decision about the text of a stored segment."""
    return restore_segment(saved).review if saved.constraints.get("verdict") else ""


def restore_segment(saved: SavedSegment) -> SegmentState:
    """A segment restored from the log. Of the engine's answer, only the best text was stored."""
    kept = saved.constraints
    is_written = saved.target is not None
    stored_answer = _stored_answer(kept["recalled"]) if kept.get("recalled") else None
    return SegmentState(
        saved.index,
        saved.source,
        num_words=count_words(saved.source),
        state=saved.state if is_written else "pretranslated" if stored_answer else "new",
        target=saved.target,
        origin=kept.get("origin") if is_written else None,
        filled_rate=kept.get("filled_rate", 100),  # before it was kept, only exact matches were filled in
        pins=tuple(kept.get("pins", ())),
        terms_off=frozenset(kept.get("terms_off", ())),
        bans=tuple(Avoid(ban["text"], ban["case"]) for ban in kept.get("bans", ())),
        beginning=kept.get("beginning", ""),
        locked=tuple(kept.get("locked", ())),
        previous=kept.get("previous", ""),
        stored_answer=stored_answer,
        comment=kept.get("comment", ""),
        verdict=_stored_verdict(kept.get("verdict")),
        num_remarks=kept.get("num_remarks", 0),
        note=saved.note,
        limits=saved.limits,
        version=saved.version,
    )


def _stored_verdict(payload: Json | None) -> Verdict | None:
    if not payload or payload["decision"] not in get_args(Review):
        return None
    return Verdict(payload["decision"], str(payload["text"]))


def _stored_answer_payload(answer: StoredAnswer) -> Json:
    return {
        "text": answer.text,
        "score": answer.score,
        "asked": answer.constraints_key,
        "made_with": answer.made_with,
    }


def _stored_answer(payload: Json) -> StoredAnswer:
    return StoredAnswer(payload["text"], payload["score"], payload["asked"], payload["made_with"])
