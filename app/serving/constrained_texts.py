"""Texts to translate with their constraints, settings and answers: the same for all dialects of the HTTP API."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Literal

from app.errors import ApiError, ApiErrorKind, Checked
from app.formats.base import splice
from app.glossary import TermMatcher
from app.models.loading import ModelHandle
from app.models.style import Style
from app.segments.segment_constraints import NO_CONSTRAINTS, Constraints
from app.serving.api_limits import MAX_CHARACTERS, MAX_WORK
from app.text.spelling import british_edits
from engine import ListedText, Phrase, Reason

Splitting = Literal["sentences", "punctuation", "none"]


@dataclass(frozen=True, slots=True)
class ConstrainedText(Checked):
    """A text to translate with its constraints. `phrases` are required texts with more settings than a pin has.

    The translation ends with `suffix`.
    """

    text: str
    phrases: tuple[Phrase, ...] = ()
    constraints: Constraints = NO_CONSTRAINTS
    nbest: int = 1
    suffix: str = ""

    @property
    def is_whole(self) -> bool:
        """True if the text is one request to the engine, because it has constraints or an n-best list."""
        fixed = self.constraints.prefix or self.constraints.locked or self.constraints.follow or self.suffix
        return bool(self.phrases or fixed or self.nbest > 1)

    @property
    def work(self) -> int:
        """What constraints and further hypotheses cost the search, as a number; 0 for a plain text."""
        constraints = self.constraints
        num_required = sum(phrase.count for phrase in self.phrases) + len(constraints.locked)
        return (1 + num_required + len(constraints.bans)) * self.nbest - 1

    def with_texts(self, convert: Callable[[str], str]) -> ConstrainedText:
        """The same text with converted texts of its constraints."""
        return replace(
            self,
            phrases=tuple(
                replace(phrase, text=convert(phrase.text), forms=tuple(map(convert, phrase.forms)))
                for phrase in self.phrases
            ),
            constraints=self.constraints.with_texts(convert),
            suffix=convert(self.suffix),
        )


def check_lengths(texts: Iterable[str]) -> None:
    """Raises ApiError if one of the texts of a request is too long."""
    if any(len(text) > MAX_CHARACTERS for text in texts):
        raise ApiError("too_large", f"A text may have {MAX_CHARACTERS:,} characters: split it.")


def check_work(items: Iterable[ConstrainedText]) -> None:
    """Raises ApiError if the texts of a request have too many constraints and hypotheses together."""
    work = sum(item.work for item in items)
    if work > MAX_WORK:
        raise ApiError(
            "too_large",
            f"The constraints of all texts times their numbers of translations are {work:,}; at most {MAX_WORK:,} are "
            "allowed: send the texts in several requests, or ask for fewer translations.",
        )


@dataclass(frozen=True, slots=True)
class TranslationSetup:
    """Model, direction, style, terms and splitting for the texts of a request.

    `is_british`: translations into English get British spelling.
    """

    model: ModelHandle
    direction: str
    style: Style = field(default_factory=Style)
    terms: TermMatcher | None = None
    splitting: Splitting = "sentences"
    is_british: bool = False

    @property
    def source(self) -> str:
        """The code of the source language, as the model writes it."""
        return self.direction.partition("-")[0]

    @property
    def target(self) -> str:
        """The code of the target language, as the model writes it."""
        return self.direction.partition("-")[2]


@dataclass(frozen=True, slots=True)
class PlacedPhrase:
    """The place of a required text in a translation.

    `phrase` is the number of the phrase in the item, None for terms and kept texts.
    """

    phrase: int | None
    text: str
    form: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextHypothesis:
    """One translation of a text. The score of several parts is the mean log-probability of a token.

    Translations of a text are in the order of `ranking_score`: the score with the penalties and rewards of the search.
    `alignment` has (source_start, source_end, target_start, target_end) for each pair of aligned words.
    """

    text: str
    score: float
    log_prob: float
    num_tokens: int
    placements: tuple[PlacedPhrase, ...] = ()
    unmet: tuple[str, ...] = ()
    ranking_score: float = 0.0
    alignment: tuple[tuple[int, int, int, int], ...] = ()
    listed: tuple[ListedText, ...] = ()

    def in_british_spelling(self) -> TextHypothesis:
        """The hypothesis in British spelling, except for required texts."""
        edits = british_edits(self.text, [(place.start, place.end) for place in self.placements])
        ends = [end for _, end, _ in edits]
        growths = list(accumulate((len(new) - (end - start) for start, end, new in edits), initial=0))

        def moved(position: int) -> int:
            return position + growths[bisect_right(ends, position)]

        placements = tuple(replace(place, start=moved(place.start), end=moved(place.end)) for place in self.placements)
        alignment = tuple((first, last, moved(start), moved(end)) for first, last, start, end in self.alignment)
        text = splice(self.text, edits)
        spans = [(moved(each.start), moved(each.end)) for each in self.listed]
        listed = tuple(
            replace(each, form=text[start:end], start=start, end=end)
            for each, (start, end) in zip(self.listed, spans, strict=True)
        )
        return replace(self, text=text, placements=placements, alignment=alignment, listed=listed)


@dataclass(frozen=True, slots=True)
class Answer:
    """The hypotheses of a text, best first. `status` is the status of the first sentence that is not complete."""

    item: ConstrainedText
    status: str  # of `engine.Translation`
    hypotheses: tuple[TextHypothesis, ...]
    reasons: tuple[Reason, ...] = ()

    def in_british_spelling(self) -> Answer:
        """The answer with its hypotheses in British spelling."""
        return replace(self, hypotheses=tuple(each.in_british_spelling() for each in self.hypotheses))

    def best(self, number: int) -> str:
        """The best translation of text `number`, from 0. Raises ApiError if there is none."""
        if self.hypotheses:
            return self.hypotheses[0].text
        kind: ApiErrorKind = "too_late" if self.status in ("deadline", "cancelled") else "unmet"
        why = " ".join(reason.message for reason in self.reasons) or self.status
        raise ApiError("internal" if self.status == "failed" else kind, f"Text {number + 1} has no translation: {why}")
