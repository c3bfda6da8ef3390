"""One segment at work: its text, constraints and newest answer, and what a person should be told about them.

Plain data and rules; knows nothing of threads, storage or the page's layout.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from app.asking.prices import Prices
from app.checks import Finding
from app.formats.placeholders import placeholders
from app.glossary import Term, TermHit
from app.messages import Message, joined
from app.segments.constraints import Constraint, Demands, demands_of, distinct_terms, term_key
from app.segments.proposal_view import (
    Decoded,
    aligned_words,
    hypothesis_rows,
    proposal_tokens,
    source_runs,
    with_struck,
    word_confidences,
)
from app.segments.term_conflicts import conflicts_of
from engine import Avoid, Hypothesis, Request, is_word_char, stands_alone

Json = dict[str, Any]
State = Literal["new", "pretranslated", "edited", "confirmed"]
Origin = Literal["typed", "hypothesis", "propagated"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """The best text of a complete answer, as the log keeps it over a restart.

    `asked` is the `SegmentState.asked` that it answers, `made_with` names the model and the search options.
    """

    text: str
    score: float
    asked: str
    made_with: str


@dataclass(frozen=True, slots=True)
class SegmentState:
    """What is known of one segment now; a change makes a new one.

    `target` is the translator's text, None while there is only the machine's. `decoded` answers decode request number
    `answered`; `requested` is the newest one asked for; `shown` is the newest answer that has hypotheses. `version`
    counts the segment's own changes, `stamp` is the workspace's version at the last one. `attention` says in a
    sentence why the segment needs a look, and is empty where it does not. `note` is what the document's file says of
    it: a context, a comment. `changed_from` is the proposal before terms changed it behind the person's back.
    A segment that was merged into another has no source any more.
    `recalled` is the newest complete answer in short, of this run or an earlier one.
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
    beginning: str = ""
    locked: tuple[str, ...] = ()
    changed_from: str = ""
    decoded: Decoded | None = None
    shown: Decoded | None = None
    recalled: Recalled | None = None
    prices: Prices | None = None
    requested: int = 0
    answered: int = 0
    version: int = 0
    stamp: int = 0
    attention: str = ""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What the translation of this segment must contain, as of now."""
        return self.demands.constraints

    @property
    def avoided(self) -> tuple[Avoid, ...]:
        """What it must not contain: the bans, and what forbidden terms say."""
        return self.demands.avoid

    @property
    def demands(self) -> Demands:
        """Constraints, what is avoided, and which demands contradict each other."""
        return demands_of(self.pins, self.hits, self.terms_off, self.bans)

    def request(self, direction: str) -> Request:
        """What the engine is asked for this segment, as of now."""
        phrases = tuple(constraint.phrase() for constraint in self.constraints)
        return Request(
            self.source,
            direction=direction,
            phrases=phrases,
            avoid=self.avoided,
            prefix=self.beginning,
            locked=self.locked,
        )

    @property
    def is_pending(self) -> bool:
        """Whether an answer is wanted and not there yet."""
        return self.requested > self.answered

    def is_answered_by(self, decoded: Decoded) -> bool:
        """Whether that answer was asked for with the constraints as they are now."""
        asked = decoded.constraints, decoded.bans, decoded.beginning, decoded.locked
        return asked == (self.constraints, self.avoided, self.beginning, self.locked)

    @property
    def has_prices(self) -> bool:
        """Whether the prices known are those of the newest answer."""
        return self.prices is not None and self.prices.number == self.requested == self.answered

    @property
    def can_be_priced(self) -> bool:
        """Whether the newest answer meets constraints that might cost something."""
        decoded = self.decoded
        if decoded is None or self.is_pending or not self.is_answered_by(decoded):
            return False
        return decoded.translation.status == "complete" and bool(decoded.constraints or decoded.bans)

    @property
    def needs_decoding(self) -> bool:
        """Whether nothing was asked yet, or what was asked is not what is wanted now."""
        if not self.source:
            return False  # merged into another
        return not self.is_pending and (self.decoded is None or not self.is_answered_by(self.decoded))

    @property
    def asked(self) -> str:
        """A short name for what is wanted of the translation now: the same for the same wishes."""
        return asked_for(self.constraints, self.avoided, self.beginning, self.locked)

    @property
    def needs_translation(self) -> bool:
        """Whether no text is known that answers what is wanted now, of this run or an earlier one."""
        if not self.needs_decoding:
            return False
        return self.decoded is not None or self.recalled is None or self.recalled.asked != self.asked

    @property
    def is_translated(self) -> bool:
        """Whether there is a text or an answer, by a person or the machine."""
        return self.target is not None or self.decoded is not None or self.recalled is not None

    @property
    def machine_text(self) -> str | None:
        """The best hypothesis shown last, else what is recalled of an earlier run."""
        if self.shown and self.shown.best:
            return self.shown.best.text
        return self.recalled.text if self.recalled else None

    @property
    def text(self) -> str | None:
        """The translator's text, else the machine's."""
        return self.target if self.target is not None else self.machine_text


def asked_for(constraints: Sequence[Constraint], bans: Sequence[Avoid], beginning: str, locked: Sequence[str]) -> str:
    """See `SegmentState.asked`."""
    wishes = [[asdict(item) for item in constraints], [asdict(ban) for ban in bans], beginning, list(locked)]
    return hashlib.sha256(json.dumps(wishes).encode("ascii")).hexdigest()[:16]


def unmet_texts(segment: SegmentState, text: str) -> list[str]:
    """What is required of the segment's translation and does not stand in `text`."""
    return [constraint.text for constraint in segment.constraints if not _is_in_text(text, constraint)]


def banned_texts(segment: SegmentState, text: str) -> list[str]:
    """What is banned from the segment's translation and stands in `text`."""
    return [ban.text for ban in segment.bans if stands_in(text, ban)]


def attention_for(segment: SegmentState, findings: Iterable[Finding]) -> str:
    """Why this segment needs a look, in a sentence; empty where it does not. `findings` are those in its text."""
    if segment.target is not None:
        return joined(". ", [finding.message for finding in findings if finding.is_error])
    if segment.decoded is None or segment.is_pending:
        return ""
    if segment.decoded.translation.status == "complete":
        return (
            Message("Translated anew by your terms; it read: {text}", text=segment.changed_from)
            if segment.changed_from
            else ""
        )
    reasons = segment.decoded.general_reasons() or list(segment.decoded.reasons_by_text().values())
    return (
        reasons[0] if reasons else Message("Not met: {texts}", texts=", ".join(sorted(segment.decoded.unmet_texts())))
    )


def occurrences(text: str, phrase: str) -> int:
    """How often `phrase` stands in `text` as words of their own, without overlap."""
    count = position = 0
    while (start := text.find(phrase, position)) >= 0:
        if stands_alone(text, start, start + len(phrase)):
            count += 1
            position = start + len(phrase)
        else:
            position = start + 1
    return count


def stands_in(text: str, ban: Avoid) -> bool:
    """Whether the banned words stand in `text` as words of their own."""
    if ban.case == "permissive":
        return occurrences(text.lower(), ban.text.lower()) > 0
    return occurrences(text, ban.text) > 0


def form_in(text: str, target: str) -> str | None:
    """The word of `text` that `target` begins, as written there: "Routern" for "Router"; None without any.

    A translator bends terms to the sentence; this finds the forms that only add an ending.
    """
    for match in re.finditer(re.escape(target), text, re.IGNORECASE):
        start, end = match.span()
        if start > 0 and is_word_char(text[start - 1]):
            continue
        while end < len(text) and is_word_char(text[end]):
            end += 1
        return text[start:end]
    return None


def _is_in_text(text: str, constraint: Constraint) -> bool:
    forms = (constraint.text, *constraint.forms)
    if sum(occurrences(text, form) for form in forms) >= constraint.count:
        return True
    return not constraint.is_pinned and form_in(text, constraint.text) is not None


def row_view(segment: SegmentState) -> Json:
    """The segment as one row of the list."""
    return {
        "index": segment.index,
        "stamp": segment.stamp,
        "state": segment.state,
        "is_queued": segment.is_pending,
        "attention": segment.attention,
        "source": segment.source,
        "target": segment.text,
        "num_pins": len(segment.pins),
        "is_repetition": segment.origin == "propagated" and segment.state == "edited",
        "score": _score(segment),
    }


def _score(segment: SegmentState) -> float | None:
    if segment.shown and segment.shown.best:
        return segment.shown.best.score
    return segment.recalled.score if segment.recalled else None


def detail_view(segment: SegmentState) -> Json:
    """The segment as the editor shows it."""
    shown = segment.shown
    proposal: Json | None = None
    if shown is not None and shown.best is not None:
        proposal = {
            "text": shown.best.text,
            "score": shown.best.score,
            "tokens": _proposal_tokens(segment, shown, shown.best),
            "alignment": aligned_words(segment.source, shown.best),
            "confidence": word_confidences(shown.best),
            "is_stale": not segment.is_answered_by(shown),
        }
    return {
        "index": segment.index,
        "stamp": segment.stamp,
        "state": segment.state,
        "num_words": segment.num_words,
        "source": source_runs(segment.source, segment.hits, [term_key(hit.term) for hit in segment.hits]),
        "terms": _term_states(segment),
        "pins": list(segment.pins),
        "pin_states": _pin_states(segment),
        "bans": [{"text": ban.text, "case": ban.case} for ban in segment.bans],
        "ban_states": _ban_states(segment),
        "beginning": segment.beginning,
        "locked": list(segment.locked),
        "prices": segment.prices.view() if segment.prices and segment.has_prices else None,
        "terms_off": sorted(segment.terms_off),
        "conflicts": conflicts_of(segment, lambda pin: aligned_span(segment, pin)),
        "is_pending": segment.is_pending,
        "proposal": proposal,
        "nbest": hypothesis_rows(shown) if shown else [],
        "notices": _notices(segment),
        "target": segment.target,
        "machine_text": segment.machine_text,
        "note": segment.note,
        "placeholders": placeholders(segment.source),
        "origin": segment.origin,
    }


def _proposal_tokens(segment: SegmentState, shown: Decoded, best: Hypothesis) -> list[Json]:
    tokens = proposal_tokens(best, shown.constraints)
    free = segment.prices.pricing.free.hypotheses if segment.prices and segment.has_prices else ()
    return with_struck(tokens, best.text, free[0].text, segment.bans) if free and segment.bans else tokens


def _answer_for(segment: SegmentState, text: str) -> tuple[str, str]:
    """(status, reason) of one constraint in the newest answer: "met", "unmet" or "pending"."""
    decoded = segment.decoded
    if decoded is None or segment.is_pending or all(c.text != text for c in decoded.constraints):
        return "pending", ""
    reason = decoded.reasons_by_text().get(text, "")
    if decoded.best is None:
        # Nothing was decoded: only what is to blame is flagged, the rest was never tried.
        return ("unmet", reason) if reason or decoded.translation.status == "unmet" else ("pending", "")
    return ("unmet", reason) if text in decoded.unmet_texts() else ("met", "")


def _pin_states(segment: SegmentState) -> list[Json]:
    states = []
    for text in dict.fromkeys(segment.pins):
        status, reason = _answer_for(segment, text)
        source = _aligned_source(segment, text)
        states.append({"text": text, "status": status, "reason": reason, "source": source})
    return states


def _ban_states(segment: SegmentState) -> list[Json]:
    """By the newest answer: "kept", "clash" where it makes a constraint impossible, "stands", or "pending"."""
    states = []
    decoded = segment.decoded
    is_answered = decoded is not None and not segment.is_pending and segment.is_answered_by(decoded)
    for ban in segment.bans:
        status, reason = "pending", ""
        if decoded is not None and is_answered:
            clashing = [c.text for c in decoded.avoided_constraints() if stands_in(c.text, ban)]
            if clashing:
                status, reason = "clash", Message("Required here: {texts}", texts=", ".join(clashing))
            elif any(stands_in(h.text, ban) for h in decoded.translation.hypotheses):
                status, reason = "stands", Message("Stands inside a required term, and there only.")
            elif decoded.best is not None:
                status = "kept"
        states.append({"text": ban.text, "case": ban.case, "status": status, "reason": reason})
    return states


def _term_states(segment: SegmentState) -> list[Json]:
    states = []
    for term in distinct_terms(segment.hits):
        key = term_key(term)
        status, note = ("off", "") if key in segment.terms_off else _term_state(segment, term)
        doubt = ""
        if status == "met" and segment.target is None:
            doubt, note = _doubt(segment, key)
        states.append(
            {
                "key": key,
                "source": term.source,
                "target": term.target,
                "status": status,
                "doubt": doubt,
                "note": note,
                "is_for_document": term.is_for_document,
                "term_status": term.status,
                "said": term.note,
            }
        )
    return states


def _notices(segment: SegmentState) -> list[str]:
    """What is said of the proposal: why there is none, or that it has changed behind the person's back."""
    if segment.decoded is None or segment.is_pending:
        return []
    changed = [segment.attention] * bool(segment.changed_from and segment.target is None)
    return [*segment.decoded.general_reasons(), *changed]


def _aligned_source(segment: SegmentState, pin: str) -> str:
    """The words of the source that a pin translates in the proposal, where the model can tell; else empty."""
    start, end = aligned_span(segment, pin)
    return segment.source[start:end]


def aligned_span(segment: SegmentState, pin: str) -> tuple[int, int]:
    """Where these words stand; (0, 0) where the model cannot tell."""
    if segment.shown is None or segment.shown.best is None:
        return 0, 0
    best, constraints = segment.shown.best, segment.shown.constraints
    places = [p for p in best.placements if p.phrase < len(constraints) and constraints[p.phrase].text == pin]
    spans = [
        (start, end)
        for start, end, target_start, target_end in best.alignment
        if places and target_start < places[0].end and places[0].start < target_end
    ]
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else (0, 0)


def _doubt(segment: SegmentState, key: str) -> tuple[str, str]:
    """What the word alignment has against a term that the proposal holds: "misaligned", "doubled" or "", and a note."""
    decoded = segment.decoded
    if decoded is None or decoded.best is None:
        return "", ""
    found = [p for p in decoded.best.placements if key in decoded.constraints[p.phrase].term_keys]
    others = ", ".join(f"“{decoded.best.text[start:end]}”" for p in found for start, end in p.doubled)
    if any(placement.aligned is False for placement in found):
        return "misaligned", Message("The source term seems translated by {texts}.", texts=others) if others else ""
    return ("doubled", Message("Also translated by {texts}.", texts=others)) if others else ("", "")


def _term_state(segment: SegmentState, term: Term) -> tuple[str, str]:
    """By the translator's text where there is one, else by the proposal."""
    text = segment.text
    if term.status == "forbidden":
        standing = next((t for t in term.targets if text and stands_in(text, Avoid(t))), "")
        return (
            ("unmet", Message("Must not stand: {text}", text=standing))
            if standing
            else ("pending" if text is None else "met", "")
        )
    constraint = next((c for c in segment.constraints if term_key(term) in c.term_keys), None)
    if constraint is None:  # a ban leaves no form of it
        return "unmet", Message("“{text}” is required and banned at once here; the ban counts.", text=term.target)
    status, reason = _answer_for(segment, constraint.text)
    if segment.target is None:
        return status, reason
    if occurrences(segment.target, constraint.text):
        return "met", ""
    standing = next((form for form in constraint.forms if occurrences(segment.target, form)), "")
    if form := standing or form_in(segment.target, constraint.text):
        return "met", Message("Form in the text: {form}", form=form)
    if status == "met":
        return "unmet", Message("In the proposal, not in your text.")
    return "unmet", reason or Message("Not in your text.")
