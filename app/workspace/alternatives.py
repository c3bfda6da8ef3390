"""Alternatives for one word of the proposal: the question to the engine, and its answer for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from app.errors import CommandError
from app.glossary.lemmas import target_in
from app.i18n import Message
from app.segments.state import Json, SegmentState
from app.tags.protect import Protection
from app.text.words import word_spans
from engine import Alternative, AlternativesQuestion, Hypothesis, Request, SearchOptions, is_word_char

if TYPE_CHECKING:
    from engine import Datastore  # importing it loads PyTorch

MAX_ALTERNATIVES = 6


@dataclass(frozen=True, slots=True)
class WordQuestion:
    """A question for alternatives to the word at `offset` of the proposal.

    `replaced` are the pins that contain the word: they are left out, since an alternative takes their place.
    """

    segment: SegmentState
    hypothesis: Hypothesis
    word: str
    offset: int
    replaced: tuple[str, ...]
    protection: Protection


def question_for(
    segment: SegmentState, request_of: Callable[[SegmentState], Request], word: int, text: str
) -> WordQuestion:
    """The question about word number `word` of the proposal `text`, which the answers change as little as possible.

    Raises CommandError if the proposal changed.
    """
    shown = segment.shown
    if shown is None or shown.best is None or shown.best.text != text or segment.is_pending:
        raise CommandError(Message("The proposal has changed: try again."))
    if not segment.is_answered_by(shown):
        raise CommandError(
            Message("The current constraints cannot all be met, so there are no alternatives for this word.")
        )
    spans = word_spans(text)
    if not 0 <= word < len(spans):
        raise CommandError(Message("The proposal does not have a word number {word}: try again.", word=word + 1))
    start, end = spans[word]
    replaced = tuple(
        constraint.text
        for placement in shown.best.placements
        if placement.start < end and start < placement.end
        for constraint in shown.asked.required[placement.phrase : placement.phrase + 1]
        if constraint.is_pinned
    )
    # A fixed beginning would forbid all alternatives before its end, and a locked text those inside it.
    places = dict(enumerate(shown.best.locked))
    locked = tuple(
        text
        for number, text in enumerate(segment.constraints.locked)
        if number not in places or places[number][0] >= end or places[number][1] <= start
    )
    constraints = replace(segment.constraints.without_pins(replaced), prefix="", locked=locked, follow=text)
    asked = replace(segment, constraints=constraints)
    return WordQuestion(
        segment, shown.best, text[start:end], start, replaced, Protection.of(request_of(asked), asked.placeholders)
    )


def to_engine(
    question: WordQuestion, options: SearchOptions, datastore: Datastore | None
) -> AlternativesQuestion | None:
    """The question without tags, as the engine takes it; None if the segment is copied and has no alternatives."""
    protection = question.protection
    if protection.copy is not None:
        return None
    piece = protection.piece_at(question.hypothesis, question.offset)
    tokens = question.hypothesis.tokens
    return AlternativesQuestion(protection.request, tokens, piece, MAX_ALTERNATIVES, options, datastore)


def restored(question: WordQuestion, found: Iterable[Alternative]) -> tuple[Alternative, ...]:
    """The engine's answer with its tags; the text before the word does not change."""
    before = question.hypothesis.text[: question.offset]
    return tuple(question.protection.restore_alternative(alternative, before) for alternative in found)


def alternatives_view(question: WordQuestion, found: Iterable[Alternative]) -> Json:
    """The alternatives, best sentence first: the word to pin, the sentence in three parts, its score.

    `score_difference` is the score minus that of the proposal: below 0 if the proposal is better.
    `prefix` is the fixed beginning that leads to the sentence: up to the word and the character behind it, which
    closes the word.
    """
    rows: list[Json] = []
    for alternative in found:
        text = alternative.hypothesis.text
        start, end = _place(question.hypothesis.text, alternative)
        word = text[start:end]
        if word == question.word or not any(is_word_char(character) for character in word):
            continue  # the same word in other punctuation, or punctuation alone
        rows.append(
            {
                "word": word,
                "text": text,
                "tail": text[end:],
                "prefix": text[: end + 1],
                "score_difference": alternative.hypothesis.score - question.hypothesis.score,
                "is_term": any(
                    target_in(
                        word,
                        (*hit.term.targets, *hit.term.inflections),
                        hit.term.language,
                        joins_compounds=hit.term.joins_compounds,
                    )
                    for hit in question.segment.hits
                ),
            }
        )
    return {"word": question.word, "text": question.hypothesis.text, "replaced": list(question.replaced), "rows": rows}


def _place(proposal: str, alternative: Alternative) -> tuple[int, int]:
    """The alternative's word in its sentence as (start, end), without the punctuation of its pieces.

    Up to that word the sentence equals the proposal, so it begins no later than the first difference.
    """
    text = alternative.hypothesis.text
    num_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(proposal, text, strict=False)))
    start = max(0, text.rfind(alternative.word, 0, num_common + len(alternative.word)))
    words = word_spans(alternative.word)
    return start + words[0][0], start + words[-1][1]
