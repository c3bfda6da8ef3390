"""The JSON of constraints and answers, as all dialects take and give it. Offsets count Unicode code points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import ApiError
from app.serving.translations import MAX_NBEST
from app.serving.wishes import Answer, Wish
from engine import Avoid, EngineError, Phrase

MAX_TEXTS = 50  # of a request
MAX_CHARACTERS = 10_000  # of a text
MAX_CONSTRAINTS = 50  # of a text
_MAX_WORDS = 500  # characters of a required text

Words = Annotated[str, Field(min_length=1, max_length=_MAX_WORDS)]
Shape = TypeVar("Shape", bound=BaseModel)


class StrictShape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class PhraseShape(StrictShape):
    """Text that the translation must contain."""

    text: Words
    forms: list[Words] = Field(default=[], max_length=50, description="Alternatives: any of them meets the phrase.")
    count: int = Field(default=1, ge=1, le=20, description="The least number of occurrences.")
    max_count: int | None = Field(default=None, ge=1, le=50, description="The largest number of occurrences.")
    case: Literal["exact", "auto"] = Field(
        default="exact", description="auto: a sentence may begin with it, then with a capital."
    )
    boundary: Literal["word", "start", "compound", "anywhere"] = Field(
        default="word", description="Whether an occurrence may be a part of a longer word."
    )

    def phrase(self) -> Phrase:
        return Phrase(self.text, tuple(self.forms), self.count, self.case, self.boundary, None, self.max_count)


class AvoidShape(StrictShape):
    """Text that the translation must not contain as whole words."""

    text: Words
    case: Literal["exact", "permissive"] = Field(default="exact", description="permissive: in any case.")


class ConstraintShape(StrictShape):
    """What a translation must be like."""

    phrases: list[Words | PhraseShape] = Field(
        default=[], max_length=MAX_CONSTRAINTS, description="Texts that the translation must contain."
    )
    avoid: list[Words | AvoidShape] = Field(
        default=[], max_length=MAX_CONSTRAINTS, description="Texts that the translation must not contain."
    )
    prefix: str = Field(default="", max_length=2 * MAX_CHARACTERS, description="How the translation begins.")
    locked: list[Words] = Field(
        default=[], max_length=MAX_CONSTRAINTS, description="Texts that the translation contains in this order."
    )
    nbest: int = Field(default=1, ge=1, le=MAX_NBEST, description="The largest number of translations to return.")

    def wish(self, text: str) -> Wish:
        """Raises ApiError."""
        try:
            phrases = [Phrase(each) if isinstance(each, str) else each.phrase() for each in self.phrases]
            avoid = [Avoid(each) if isinstance(each, str) else Avoid(each.text, each.case) for each in self.avoid]
        except EngineError as error:
            raise ApiError("invalid", str(error)) from error
        return Wish(text, tuple(phrases), tuple(avoid), self.prefix, tuple(self.locked), self.nbest)


class PlacementShape(BaseModel):
    """Where a required text is in the translation."""

    phrase: int | None = Field(description="The number of the phrase, from 0; null for terms and kept texts.")
    text: str = Field(description="The required text.")
    form: str = Field(description="The text that meets it: translation[start:end].")
    start: int
    end: int


class TranslationShape(BaseModel):
    """One translation of a text."""

    text: str
    score: float = Field(description="The log-probability of a token, on average; higher is better.")
    log_prob: float = Field(description="The natural logarithm of the probability.")
    placements: list[PlacementShape]
    unmet: list[str] = Field(description="Required texts that it lacks.")


class ReasonShape(BaseModel):
    """Why a translation is not complete."""

    kind: str
    message: str
    phrase: int | None


class AnswerShape(BaseModel):
    """The translations of a text, best first; none if its constraints cannot be met."""

    status: str = Field(description="complete, unmet, deadline, infeasible or failed")
    translations: list[TranslationShape]
    reasons: list[ReasonShape]

    @classmethod
    def of(cls, answer: Answer) -> AnswerShape:
        versions = [
            TranslationShape(
                text=version.text,
                score=version.score,
                log_prob=version.log_prob,
                placements=[
                    PlacementShape(phrase=at.phrase, text=at.text, form=at.form, start=at.start, end=at.end)
                    for at in version.placements
                ],
                unmet=list(version.unmet),
            )
            for version in answer.versions
        ]
        num_own = len(answer.wish.phrases)
        reasons = [
            ReasonShape(
                kind=reason.kind,
                message=reason.message,
                phrase=reason.phrase if reason.phrase is not None and reason.phrase < num_own else None,
            )
            for reason in answer.reasons
        ]
        return cls(status=answer.status, translations=versions, reasons=reasons)


def parsed(shape: type[Shape], values: Any) -> Shape:
    """The values in their shape. Raises ApiError, which names the first wrong field."""
    try:
        return shape.model_validate(values)
    except ValidationError as error:
        raise ApiError("invalid", problem_of(error.errors())) from error


def problem_of(errors: Sequence[Any]) -> str:
    """The most exact of pydantic's errors, with the place of the field and without its value.

    Where a text or an object is allowed, there is an error for each; that of a field of the object is meant.
    """
    meant = max(errors, key=lambda error: len(error["loc"]))
    place = ".".join(str(part) for part in meant["loc"] if part != "body")
    return f"{place[:200] or 'the request'}: {meant['msg']}"
