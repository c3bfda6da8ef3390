"""JSON views of a segment for the page: its row in the list and its details in the editor.

Independent of threads, storage and the page's layout.
"""

from __future__ import annotations

from collections.abc import Callable

from app.formats.unit_notes import shown_note
from app.glossary import Term
from app.i18n import Message
from app.segments.findings import term_form
from app.segments.proposal_view import (
    DecodingResult,
    aligned_words,
    free_row,
    hypothesis_rows,
    proposal_tokens,
    source_runs,
    word_confidences,
)
from app.segments.resolved_constraints import Conflict, distinct_terms, term_key
from app.segments.revision import with_changes
from app.segments.segment_constraints import contains_banned, kept_text_with
from app.segments.state import Json, SegmentState
from app.text.nontranslatables import placeholders, without_markup
from app.text.subtitle_layout import RULES
from app.text.words import count_occurrences
from engine import Avoid, Hypothesis, PivotTranslation


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
        "num_pins": len(segment.constraints.pins),
        "is_commented": bool(segment.comment or segment.num_remarks),
        "review": segment.review,
        "is_locked": segment.lock is not None,
        "is_repetition": segment.origin == "propagated" and segment.state == "edited",
        "is_from_memory": segment.is_from_memory,
        "match_rate": shown_rate(segment),
        "can_be_filled": segment.can_be_filled,
        "score": _score(segment),
    }


def shown_rate(segment: SegmentState) -> int:
    """The rate of the inserted match, otherwise of the best match in the memory; 0 without a match."""
    return segment.filled_rate if segment.is_from_memory else segment.match_rate


def _score(segment: SegmentState) -> float | None:
    if segment.shown and segment.shown.best:
        return segment.shown.best.score
    return segment.stored_answer.score if segment.stored_answer else None


def detail_view(segment: SegmentState) -> Json:
    """The segment with all details for the editor."""
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
            "is_first_of_more": segment.is_best_known,
        }
    return {
        "index": segment.index,
        "stamp": segment.stamp,
        "state": segment.state,
        "num_words": segment.num_words,
        "source": source_runs(
            segment.source, segment.hits, [term_key(hit.term) for hit in segment.hits], segment.placeholders
        ),
        "terms": _term_states(segment),
        "kept": _kept_states(segment),
        "constraints": segment.constraints.to_json(),
        "pin_states": _pin_states(segment),
        "ban_states": _ban_states(segment),
        "prices": segment.prices.view() if segment.prices and segment.has_prices else None,
        "is_pricing": segment.is_pricing,
        "conflicts": conflicts_of(segment, lambda pin: aligned_span(segment, pin)),
        "is_pending": segment.is_pending,
        "proposal": proposal,
        "between": _between(shown),
        "nbest": hypothesis_rows(shown) if shown else [],
        "free": _free_row(segment, shown),
        "notices": _notices(segment),
        "target": segment.target,
        "machine_text": segment.machine_text,
        "note": shown_note(segment.note),
        "limits": {**segment.limits.view(), "max_speed": RULES.max_speed} if segment.limits else None,
        "comment": segment.comment,
        "review": segment.review,
        "placeholders": placeholders(segment.source, segment.placeholders),
        "origin": segment.origin,
        "is_from_memory": segment.is_from_memory,
        "match_rate": shown_rate(segment),
    }


def _proposal_tokens(segment: SegmentState, shown: DecodingResult, best: Hypothesis) -> list[Json]:
    tokens = proposal_tokens(best, shown.asked.required)
    before = shown.asked.follow or segment.followed_before
    return with_changes(tokens, before, best.text) if before else tokens


def _between(shown: DecodingResult | None) -> str:
    """The translation in the language between two models; "" for one model."""
    translation = None if shown is None else shown.translation
    return (translation.pivot or "") if isinstance(translation, PivotTranslation) else ""


def _free_row(segment: SegmentState, shown: DecodingResult | None) -> Json | None:
    """The best unconstrained translation, if it is known from the prices."""
    if shown is None or segment.prices is None or not segment.has_prices:
        return None
    pricing = segment.prices.pricing
    if not pricing.free.hypotheses or not pricing.constrained.hypotheses:
        return None
    return free_row(shown, pricing.free.hypotheses[0], pricing.constrained.hypotheses[0])


def _answer_for(segment: SegmentState, text: str) -> tuple[str, str]:
    """(status, reason) of one constraint in the newest answer: "met", "unmet" or "pending"."""
    decoded = segment.decoded
    if decoded is None or segment.is_pending or all(one.text != text for one in decoded.asked.required):
        return "pending", ""
    reason = decoded.reasons_by_text().get(text, "")
    if decoded.best is None:
        # Nothing was decoded: flag only the constraints with a reason, because the others were never tried.
        return ("unmet", reason) if reason or decoded.translation.status == "unmet" else ("pending", "")
    return ("unmet", reason) if text in decoded.unmet_texts() else ("met", "")


def _pin_states(segment: SegmentState) -> list[Json]:
    states = []
    for text in dict.fromkeys(segment.constraints.pins):
        status, reason = _answer_for(segment, text)
        source = _aligned_source(segment, text)
        states.append({"text": text, "status": status, "reason": reason, "source": source})
    return states


def _kept_states(segment: SegmentState) -> list[Json]:
    """Texts kept from the source, their counts, and whether the translator's text or the newest answer has them."""
    states = []
    for constraint in segment.resolved.required:
        if constraint.is_explicit:
            continue
        status, reason = _answer_for(segment, constraint.text)
        if segment.target is not None:
            is_met = segment.target.count(constraint.text) >= constraint.count
            status, reason = ("met", "") if is_met else ("unmet", Message("Not in your text."))
        states.append({"text": constraint.text, "count": constraint.count, "status": status, "reason": reason})
    return states


def _ban_states(segment: SegmentState) -> list[Json]:
    """Status of each ban in the newest answer.

    "kept" (avoided), "clash" (contradicts a constraint), "stands" (occurs inside a required term, or a text that is
    copied from the source) or "pending".
    """
    states = []
    decoded = segment.decoded
    is_answered = decoded is not None and not segment.is_pending and segment.is_answered_by(decoded)
    for ban in segment.constraints.bans:
        status, reason = "pending", ""
        if decoded is not None and is_answered:
            clashing = [c.text for c in decoded.banned_requirements() if contains_banned(c.text, ban)]
            if clashing:
                status, reason = "clash", Message("Required here: {texts}", texts=", ".join(clashing))
            elif found := next((h.text for h in decoded.translation.hypotheses if contains_banned(h.text, ban)), ""):
                kept = kept_text_with(ban, found, segment.source)
                inside_kept = Message("Occurs in “{text}”, which is copied from the source.", text=kept)
                status, reason = "stands", inside_kept if kept else Message("Occurs only inside a required term.")
            elif decoded.best is not None:
                status = "kept"
        states.append({"text": ban.text, "case": ban.case, "status": status, "reason": reason})
    return states


def _term_states(segment: SegmentState) -> list[Json]:
    states = []
    for term in distinct_terms(segment.hits):
        key = term_key(term)
        status, note = ("off", "") if key in segment.constraints.terms_off else _term_state(segment, term)
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
                "term_note": term.note,
                "glossary": term.glossary,
            }
        )
    return states


def _notices(segment: SegmentState) -> list[str]:
    """Notices about the proposal: why there is none, or that a change of terms replaced it."""
    if segment.decoded is None or segment.is_pending:
        return []
    changed = [segment.attention] * bool(segment.replaced_proposal and segment.target is None)
    return [*segment.decoded.general_reasons(), *changed]


def _aligned_source(segment: SegmentState, pin: str) -> str:
    """The source words of a pin: named by the person, else aligned in the proposal; "" without any."""
    start, end = aligned_span(segment, pin)
    return without_markup(segment.source[start:end])


def aligned_span(segment: SegmentState, pin: str) -> tuple[int, int]:
    """The source span that the person named for a pin, else the one aligned in the proposal; (0, 0) without any."""
    if span := segment.constraints.source_of(pin):
        return span
    if segment.shown is None or segment.shown.best is None:
        return 0, 0
    best, required = segment.shown.best, segment.shown.asked.required
    places = [p for p in best.placements if p.phrase < len(required) and required[p.phrase].text == pin]
    spans = [
        (start, end)
        for start, end, target_start, target_end in best.alignment
        if places and target_start < places[0].end and places[0].start < target_end
    ]
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else (0, 0)


def _doubt(segment: SegmentState, key: str) -> tuple[str, str]:
    """(doubt, note) from the word alignment of a term in the proposal: "misaligned", "doubled" or ""."""
    decoded = segment.decoded
    if decoded is None or decoded.best is None:
        return "", ""
    found = [p for p in decoded.best.placements if key in decoded.asked.required[p.phrase].term_keys]
    others = ", ".join(decoded.best.text[start:end] for p in found for start, end in p.doubled)
    if any(placement.aligned is False for placement in found):
        return "misaligned", Message(
            "The source term seems to be translated as “{texts}”.", texts=others
        ) if others else ""
    return ("doubled", Message("Also translated as “{texts}”.", texts=others)) if others else ("", "")


def _term_state(segment: SegmentState, term: Term) -> tuple[str, str]:
    """(status, note) of a term in the translator's text or, if there is none, in the proposal."""
    text = segment.text
    if term.status == "forbidden":
        found = next((t for t in term.targets if text and contains_banned(text, Avoid(t))), "")
        return (
            ("unmet", Message("Forbidden, but in the text: {text}", text=found))
            if found
            else ("pending" if text is None else "met", "")
        )
    constraint = next((c for c in segment.resolved.required if term_key(term) in c.term_keys), None)
    if constraint is None:  # all its forms are banned, or forbidden by a glossary of higher priority
        by = next((c.by for c in segment.resolved.conflicts if c.by and c.term_key == term_key(term)), "")
        glossary = next((hit.term.glossary for hit in segment.hits if by and term_key(hit.term) == by), "")
        if by:
            return "unmet", Message(
                "“{text}” is forbidden by “{glossary}”, which takes precedence.", text=term.target, glossary=glossary
            )
        return "unmet", Message(
            "“{text}” is both required and banned here; the ban takes precedence.", text=term.target
        )
    status, reason = _answer_for(segment, constraint.text)
    if segment.target is None:
        return status, reason
    target = without_markup(segment.target)
    if count_occurrences(target, constraint.text):
        return "met", ""
    if form := term_form(target, constraint):
        return "met", Message("Form in the text: {form}", form=form)
    if status == "met":
        return "unmet", Message("In the proposal, not in your text.")
    return "unmet", reason or Message("Not in your text.")


def conflicts_of(segment: SegmentState, aligned: Callable[[str], tuple[int, int]]) -> list[Json]:
    """All conflicts of a segment as JSON; see `Conflict`.

    Adds the conflicts between pins and terms: `aligned` returns the source span of a pin, and a pin contradicts a term
    if it is aligned with the term's words but contains no form of its target. Both stay required until the user
    chooses. `resolve_constraints` has already resolved all other conflicts by precedence.
    """
    found = list(segment.resolved.conflicts)
    terms = [
        constraint for constraint in segment.resolved.required if constraint.term_keys and not constraint.is_pinned
    ]
    for pin in dict.fromkeys(segment.constraints.pins):
        start, end = aligned(pin)
        for hit in segment.hits:
            key = term_key(hit.term)
            required = next((constraint for constraint in terms if key in constraint.term_keys), None)
            if required is None or not (start < hit.end and hit.start < end):
                continue
            if any(form in pin for form in (required.text, *required.forms)):
                continue
            conflict = Conflict("pin_term", pin, required.text, hit.term.source, key)
            if conflict not in found:
                found.append(conflict)
    return [
        {"kind": c.kind, "kept": c.kept, "given_up": c.dropped, "source": c.source, "term": c.term_key, "by": c.by}
        for c in found
    ]
