"""Other words for one word of a segment's text: the questions to the engine, and its answer for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from app.errors import CommandError
from app.glossary.lemmas import target_in
from app.segments.state import Json, SegmentState
from app.tags.protect import Protection
from app.text.words import word_spans
from engine import (
    Alternative,
    AlternativesQuestion,
    Hypothesis,
    Request,
    ScoreQuestion,
    SearchOptions,
    is_word_char,
    occurrences,
)

if TYPE_CHECKING:
    from engine import Datastore  # importing it loads PyTorch

MAX_ALTERNATIVES = 6


@dataclass(frozen=True, slots=True)
class WordQuestion:
    """A question for other words in place of `word`, which begins at `offset` of `text`.

    `hypothesis` is the text as the model scores it; None for a person's own text, until the engine has scored it.
    `replaced` are the pins that contain the word: they are left out, since another word takes their place.
    """

    segment: SegmentState
    text: str
    hypothesis: Hypothesis | None
    word: str
    offset: int
    replaced: tuple[str, ...]
    protection: Protection

    @property
    def score_question(self) -> ScoreQuestion | None:
        """The question of how the model scores the text; None if that is known, or without tags nothing is left."""
        request = self.protection.request
        if self.hypothesis is not None or self.protection.copy is not None or request.follow is None:
            return None
        return ScoreQuestion(request, request.follow.text)

    def scored(self, answer: Hypothesis) -> WordQuestion:
        """The question with the engine's answer to `score_question`."""
        return replace(self, hypothesis=self.protection.restore_hypothesis(answer, self.text[: self.offset]))


def question_for(
    segment: SegmentState,
    request_of: Callable[[SegmentState], Request],
    text: str,
    before: str,
    locked: Sequence[str] = (),
) -> WordQuestion:
    """The question about the word behind the beginning `before` of `text`, which the answers change little.

    `locked` are parts of the text that stay; one that contains the word does not. Raises CommandError if there is no
    such word, or if the text is a proposal that does not meet the constraints.
    """
    span = next(((start, end) for start, end in word_spans(text) if end > len(before)), None)
    if span is None or not text.startswith(before):
        raise CommandError("There is no word at this place of the text: try again.")
    start, end = span
    shown = None if segment.is_pending else segment.shown
    best = shown.best if shown is not None and shown.best is not None and shown.best.text == text else None
    if shown is not None and best is not None:
        if not segment.is_answered_by(shown):
            raise CommandError("The current constraints cannot all be met, so there are no alternatives for this word.")
        required = shown.asked.required
        pins = [
            (required[one.phrase].text, one.start, one.end)
            for one in best.placements
            if one.phrase < len(required) and required[one.phrase].is_pinned
        ]
    else:
        pins = [(pin, *place) for pin in segment.constraints.pins for place in occurrences(text, pin, "word")]
    replaced = tuple(dict.fromkeys(pin for pin, first, last in pins if first < end and start < last))
    # A fixed beginning would forbid all alternatives before its end, and a locked text those inside it.
    kept = tuple(part for part, place in _placed(text, locked) if place >= end)
    constraints = replace(segment.constraints.without_pins(replaced), prefix="", locked=kept, follow=text)
    asked = replace(segment, constraints=constraints.cleaned())
    protection = Protection.of(request_of(asked), asked.placeholders)
    return WordQuestion(segment, text, best, text[start:end], start, replaced, protection)


def _placed(text: str, parts: Iterable[str]) -> Iterator[tuple[str, int]]:
    """The parts that a text has in this order, each with its place."""
    place = 0
    for part in parts:
        if (found := text.find(part, place)) >= 0:
            yield part, found
            place = found + len(part)


def to_engine(
    question: WordQuestion, options: SearchOptions, datastore: Datastore | None
) -> AlternativesQuestion | None:
    """The question without tags, as the engine takes it; None if the segment is copied and has no alternatives."""
    protection = question.protection
    if protection.copy is not None or question.hypothesis is None:
        return None
    piece = protection.piece_at(question.hypothesis, question.offset)
    tokens = question.hypothesis.tokens
    return AlternativesQuestion(protection.request, tokens, piece, MAX_ALTERNATIVES, options, datastore)


def restored(question: WordQuestion, found: Iterable[Alternative]) -> tuple[Alternative, ...]:
    """The engine's answer with its tags; the text before the word does not change."""
    before = question.text[: question.offset]
    return tuple(question.protection.restore_alternative(alternative, before) for alternative in found)


def alternatives_view(question: WordQuestion, found: Iterable[Alternative]) -> Json:
    """The alternatives, best sentence first: the word to pin, the sentence in three parts, its score.

    `score_difference` is the score minus that of the text: below 0 if the text is better.
    `prefix` is the fixed beginning that leads to the sentence: up to the word and the character behind it, which
    closes the word.
    """
    rows: list[Json] = []
    score = question.hypothesis.score if question.hypothesis else 0.0
    for alternative in found:
        text = alternative.hypothesis.text
        start, end = _place(question.text, alternative)
        word = text[start:end]
        if word == question.word or not any(is_word_char(character) for character in word):
            continue  # the same word in other punctuation, or punctuation alone
        rows.append(
            {
                "word": word,
                "text": text,
                "tail": text[end:],
                "prefix": text[: end + 1],
                "score_difference": alternative.hypothesis.score - score,
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
    return {"word": question.word, "text": question.text, "replaced": list(question.replaced), "rows": rows}


def _place(before: str, alternative: Alternative) -> tuple[int, int]:
    """The alternative's word in its sentence as (start, end), without the punctuation of its pieces.

    Up to that word the sentence equals the text `before`, so it begins no later than the first difference.
    """
    text = alternative.hypothesis.text
    num_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, text, strict=False)))
    start = max(0, text.rfind(alternative.word, 0, num_common + len(alternative.word)))
    words = word_spans(alternative.word)
    return start + words[0][0], start + words[-1][1]
