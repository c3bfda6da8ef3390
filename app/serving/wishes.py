"""What a program asks to be translated, how, and the answer: the same for all dialects of the HTTP API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from app.errors import ApiError, ApiErrorKind
from app.glossary import TermMatcher
from app.models.loading import ModelHandle
from app.models.style import Style
from engine import Avoid, Phrase, Reason

Splitting = Literal["sentences", "punctuation", "none"]


@dataclass(frozen=True, slots=True)
class Wish:
    """A text to translate, and what its translation must be like: see `engine.Request`."""

    text: str
    phrases: tuple[Phrase, ...] = ()
    avoid: tuple[Avoid, ...] = ()
    prefix: str = ""
    locked: tuple[str, ...] = ()
    nbest: int = 1

    @property
    def is_whole(self) -> bool:
        """Whether it is translated as one sentence, because constraints or several versions concern all of it."""
        return bool(self.phrases or self.prefix or self.locked or self.nbest > 1)


@dataclass(frozen=True, slots=True)
class Manner:
    """How the texts of a request are translated."""

    model: ModelHandle
    direction: str
    style: Style = field(default_factory=Style)
    terms: TermMatcher | None = None
    splitting: Splitting = "sentences"

    @property
    def source(self) -> str:
        """The code of the source language, as the model writes it."""
        return self.direction.partition("-")[0]

    @property
    def target(self) -> str:
        """The code of the target language, as the model writes it."""
        return self.direction.partition("-")[2]


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a required text is: `phrase` is its number among those of the wish, None for terms and kept texts."""

    phrase: int | None
    text: str
    form: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Version:
    """One translation of a text; of several sentences, the score is the mean log-probability of a token."""

    text: str
    score: float
    log_prob: float
    num_tokens: int
    placements: tuple[Placed, ...] = ()
    unmet: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The versions of a text, best first. `status` is that of the first sentence which is not complete."""

    wish: Wish
    status: str  # of `engine.Translation`
    versions: tuple[Version, ...]
    reasons: tuple[Reason, ...] = ()

    def best(self, number: int) -> str:
        """The best translation of text `number`, from 0. Raises ApiError if there is none."""
        if self.versions:
            return self.versions[0].text
        kind: ApiErrorKind = "too_late" if self.status in ("deadline", "cancelled") else "unmet"
        why = " ".join(reason.message for reason in self.reasons) or self.status
        raise ApiError("internal" if self.status == "failed" else kind, f"Text {number + 1} has no translation: {why}")
