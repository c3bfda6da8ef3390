"""State of one segment: text, constraints and newest answer, and rules about them.

Immutable data and pure functions, independent of threads and the page's layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.errors import CommandError
from app.glossary import TermHit
from app.segments import Json as Json
from app.segments.prices import Prices
from app.segments.proposal_view import DecodingResult
from app.segments.resolved_constraints import ResolvedConstraints, request_of, resolve, term_key
from app.segments.segment_constraints import NO_CONSTRAINTS, Constraints
from app.text.quantities.requirements import RequiredQuantity
from app.text.text_limits import TextLimits
from engine import Request

State = Literal["new", "pretranslated", "edited", "confirmed"]
Origin = Literal["typed", "hypothesis", "propagated", "memory"]
Review = Literal["approved", "returned", ""]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reviewer's decision about a text. It counts while the segment has this text, see `SegmentState.review`."""

    decision: Literal["approved", "returned"]
    text: str


@dataclass(frozen=True, slots=True)
class SegmentLock:
    """Nobody may change the segment: a person has locked it, or `is_of_file`. The log names the person."""

    is_of_file: bool = False


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The best hypothesis of a complete answer, stored in the log so that it survives a restart.

    `constraints_key` identifies the constraints of its request; `made_with` names the model and the search options.
    `uncertain_tags` are those that may be at the wrong words.
    """

    text: str
    score: float
    constraints_key: str
    made_with: str
    uncertain_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SegmentState:
    """The current state of one segment; every change creates a new object.

    `numbers` are those of the source that the translation must have.
    `target` is the translator's text, or None while there is only machine translation. In a pretranslated segment it
    was filled in from the translation memory. `decoded` is the answer to decode request number `answered`, `requested`
    is the number of the newest request, `shown` is the newest answer with hypotheses, and `stored_answer` a summary of
    the newest complete answer of this run or an earlier one. `version` counts the changes of the segment; `stamp` is
    the workspace version at the last change. `attention` explains why the segment needs review; empty if it does not.
    `match_rate` is the rate of the best match in the translation memory in percent, 0 without one that is shown, and
    `match_text` its translation. `filled_rate` is the rate of the match that was filled in.
    `constraints` are those of the person. While they do not follow a text, `followed_before` is the text that they
    followed last, to show what has changed.
    `verdict` is the reviewer's last decision, `num_remarks` counts the remarks about the segment in the log.
    `note` (context, comments), `limits` and `placeholders` come from the document file, `comment` from the user.
    `replaced_proposal` is the proposal before, if a change of terms replaced it. A segment that was merged into another
    one has an empty source. `lock` is set while nobody may change the text, the constraints and the review.
    """

    index: int
    source: str
    num_words: int
    hits: Sequence[TermHit] = ()
    numbers: Sequence[RequiredQuantity] = ()
    state: State = "new"
    target: str | None = None
    origin: Origin | None = None
    constraints: Constraints = NO_CONSTRAINTS
    note: str = ""
    limits: TextLimits | None = None
    placeholders: tuple[str, ...] = ()
    comment: str = ""
    followed_before: str = ""
    replaced_proposal: str = ""
    decoded: DecodingResult | None = None
    shown: DecodingResult | None = None
    stored_answer: StoredAnswer | None = None
    prices: Prices | None = None
    unpriced: int = -1  # the request whose prices could not be computed
    proved: int = -1  # the request whose first hypothesis is shown, before the others
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
    lock: SegmentLock | None = None

    @property
    def resolved(self) -> ResolvedConstraints:
        """The texts that the translation must and must not contain: by the person, the glossaries and the source."""
        return resolve(self.source, self.constraints, self.hits, self.numbers, self.placeholders)

    def request(self, direction: str) -> Request:
        """The current request to the engine."""
        return request_of(
            self.source,
            self.constraints,
            self.hits,
            direction,
            numbers=self.numbers,
            placeholders=self.placeholders,
        )

    def with_constraints(self, wanted: Constraints) -> SegmentState:
        """The segment with these constraints, in the next version; the same object if nothing changes.

        Leaves out the older of a pin and a ban that contradict each other, and terms that the segment does not have.
        Raises CommandError for too many constraints, one that is too long, or source words outside of the source.
        """
        for one in wanted.pin_sources:
            if not 0 <= one.start < one.end <= len(self.source):
                raise CommandError(
                    "The source words of “{text}” are not in this source: select them again.", text=one.text
                )
        known = {term_key(hit.term) for hit in self.hits}
        kept = wanted.cleaned().without_contradictions(self.constraints)
        kept = replace(kept, terms_off=kept.terms_off & known)
        followed = self.constraints.follow or self.followed_before
        before = "" if kept.is_empty or kept.follow else followed
        after = replace(self, constraints=kept, followed_before=before, replaced_proposal="")
        return self if after == self else replace(after, version=self.version + 1)

    @property
    def is_pending(self) -> bool:
        """True if an answer was requested and has not arrived."""
        return self.requested > self.answered

    @property
    def is_best_known(self) -> bool:
        """True if the first hypothesis of the pending answer is shown already."""
        return self.is_pending and self.proved == self.requested

    def is_answered_by(self, decoded: DecodingResult) -> bool:
        """True if the answer belongs to the current constraints."""
        return decoded.asked == self.resolved

    @property
    def has_prices(self) -> bool:
        """True if `prices` belong to the newest answer."""
        return self.prices is not None and self.prices.number == self.requested == self.answered

    @property
    def is_pricing(self) -> bool:
        """True if prices of the newest answer are still to come."""
        return self.can_be_priced and not self.has_prices and self.unpriced != self.requested

    @property
    def can_be_priced(self) -> bool:
        """True if the newest answer is complete and has constraints that can have a price."""
        decoded = self.decoded
        if decoded is None or self.is_pending or not self.is_answered_by(decoded):
            return False
        has_constraints = bool(decoded.asked.banned) or any(one.is_explicit for one in decoded.asked.required)
        return decoded.translation.status == "complete" and has_constraints

    @property
    def needs_decoding(self) -> bool:
        """True if there is no pending request and no answer for the current constraints."""
        if not self.source or self.lock:
            return False  # merged into another, or keeps the text that it has
        return not self.is_pending and (self.decoded is None or not self.is_answered_by(self.decoded))

    @property
    def has_crashed(self) -> bool:
        """True if the last answer is a crash, or a model that did not answer; asking again may help."""
        translation = self.decoded.translation if self.decoded is not None and not self.is_pending else None
        return translation is not None and any(reason.kind == "crashed" for reason in translation.reasons)

    @property
    def needs_translation(self) -> bool:
        """True if no answer for the current constraints is known, from this run or an earlier one."""
        if not self.needs_decoding:
            return False
        return (
            self.decoded is not None
            or self.stored_answer is None
            or self.stored_answer.constraints_key != self.resolved.key
        )

    @property
    def is_translated(self) -> bool:
        """True if there is a translation, by the translator or the machine."""
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
        """True if the text is a TM match that was filled in and not yet edited or confirmed."""
        return self.origin == "memory" and self.state == "pretranslated"

    @property
    def is_exact_match(self) -> bool:
        """True if the text is a 100 % match that was filled in and not yet edited or confirmed."""
        return self.is_from_memory and self.filled_rate == 100

    @property
    def can_be_filled(self) -> bool:
        """True if a match may be filled in: no person has typed, confirmed, pinned or banned anything here."""
        is_untouched = self.target is None and self.state != "confirmed" and self.constraints.is_empty
        return bool(self.source) and is_untouched and not self.lock

    @property
    def is_open(self) -> bool:
        """True if a translator still has to confirm it."""
        return self.state != "confirmed" and not self.lock

    @property
    def is_to_review(self) -> bool:
        """True if a reviewer still has to approve or return it."""
        return self.state == "confirmed" and self.review != "approved" and not self.lock

    @property
    def machine_text(self) -> str | None:
        """The best hypothesis of `shown`, otherwise the stored answer of an earlier run."""
        if self.shown and self.shown.best:
            return self.shown.best.text
        return self.stored_answer.text if self.stored_answer else None

    @property
    def text(self) -> str | None:
        """The translator's text, otherwise the machine translation."""
        return self.target if self.target is not None else self.machine_text
