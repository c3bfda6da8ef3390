"""Checks of one segment's translation: required and banned texts in it, findings, and why it needs attention."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from app.checks import CheckName, Finding, findings_in
from app.glossary.lemmas import target_in
from app.i18n import Message, joined
from app.segments.resolved_constraints import RequiredText
from app.segments.segment_constraints import contains_banned
from app.segments.state import SegmentState
from app.text.nontranslatables import nontranslatables, without_markup
from app.text.words import count_occurrences
from engine import is_word_char


def unmet_texts(segment: SegmentState, text: str) -> list[str]:
    """Texts required by pins and terms that do not occur in `text`; tags inside them are ignored."""
    text = without_markup(text)
    return [c.text for c in segment.resolved.required if c.is_explicit and not _is_in_text(text, c)]


def banned_texts(segment: SegmentState, text: str) -> list[str]:
    """Banned and forbidden texts that occur in `text`. Forbidden terms are allowed inside a required text.

    A text in capitals is compared without case.
    """
    text = without_markup(text)
    required = [constraint.text for constraint in segment.resolved.required]
    found = []
    for banned in segment.resolved.banned:
        item = replace(banned, case="permissive") if text.isupper() else banned
        rest = text
        for phrase in required if banned not in segment.constraints.bans else ():
            rest = rest.replace(phrase, " ") if contains_banned(phrase, item) else rest
        if contains_banned(rest, item):
            found.append(item.text)
    return found


def findings_of(
    segment: SegmentState, text: str, direction: str, off: Collection[CheckName] = ()
) -> tuple[Finding, ...]:
    """The findings of the active checks in `text` as this segment's translation."""
    return findings_in(
        segment.source,
        text,
        direction,
        unmet=unmet_texts(segment, text),
        banned=banned_texts(segment, text),
        uncertain=uncertain_tags(segment, text),
        limits=segment.limits,
        placeholders=segment.placeholders,
        off=off,
    )


def uncertain_tags(segment: SegmentState, text: str) -> list[str]:
    """The first tags of pairs around source words that the proposal's word alignment leaves without a partner.

    Without a word alignment, these are all pairs around a part of the source. None if `text` is not the proposal. Tags
    that the user has typed or pinned are left out.
    """
    best = segment.shown.best if segment.shown is not None else None
    if best is None:
        kept = segment.stored_answer
        return list(kept.uncertain_tags) if kept is not None and kept.text == text else []
    if best.text != text:
        return []
    source, elements = segment.source, nontranslatables(segment.source)
    own = segment.constraints
    by_user = "\n".join((own.prefix, *own.locked, *own.pins))
    partners = [link for link in best.alignment if any(map(is_word_char, text[slice(*link[2:])]))]
    found = []
    for element in elements:
        if element.kind != "open" or element.text in by_user:
            continue
        start, end = element.end, elements[element.partner].start
        inside, outside = source[start:end], f"{source[:start]} {source[end:]}"
        is_aligned = any(link[0] < end and start < link[1] for link in partners)
        if not is_aligned and inside not in text and _has_words(inside) and _has_words(outside):
            found.append(element.text)
    return found


def _has_words(text: str) -> bool:
    return any(map(is_word_char, without_markup(text)))


def attention_for(segment: SegmentState, findings: Iterable[Finding]) -> str:
    """Why this segment needs review, as a sentence, or "". `findings` are the check results for its target."""
    if segment.target is not None:
        return joined(". ", [finding.message for finding in findings if finding.is_error])
    if segment.decoded is None or segment.is_pending:
        return ""
    if segment.decoded.translation.status == "complete":
        return (
            Message("Translated again because of your terms; previously: {text}", text=segment.replaced_proposal)
            if segment.replaced_proposal
            else ""
        )
    reasons = segment.decoded.general_reasons() or list(segment.decoded.reasons_by_text().values())
    return (
        reasons[0]
        if reasons
        else Message("Not in the translation: {texts}", texts=", ".join(sorted(segment.decoded.unmet_texts())))
    )


def term_form(text: str, constraint: RequiredText) -> str | None:
    """The words of `text` that meet a constraint of a term: one of its forms, or a compound with one."""
    forms = (constraint.text, *constraint.forms)
    return target_in(text, forms, constraint.language, joins_compounds=constraint.boundary == "compound")


def _is_in_text(text: str, constraint: RequiredText) -> bool:
    required = without_markup(constraint.text)
    if not required.strip():
        return True  # only tags, which the placeholder check covers
    forms = dict.fromkeys((required, *constraint.forms))
    forms |= dict.fromkeys(form.upper() for form in tuple(forms))  # as in the translation of a source in capitals
    if sum(count_occurrences(text, form) for form in forms) >= constraint.count:
        return True
    return not constraint.is_pinned and term_form(text, constraint) is not None
