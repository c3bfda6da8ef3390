"""The JSON of constraints and answers, the same in all dialects. Offsets count Unicode code points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.errors import ApiError
from app.models.style import Style
from app.segments.segment_constraints import Constraints
from app.serving.api_limits import MAX_CHARACTERS, MAX_CONSTRAINTS, MAX_NBEST, MAX_PHRASE_CHARACTERS
from app.serving.constrained_texts import Answer, ConstrainedText
from app.text.client_json import check_num_fields
from engine import Avoid, EngineError, Phrase

# With a limit on the length, pydantic also refuses half a surrogate pair, which no reply could repeat.
Text = Annotated[str, Field(max_length=MAX_CHARACTERS)]
Words = Annotated[str, Field(min_length=1, max_length=MAX_PHRASE_CHARACTERS)]
Schema = TypeVar("Schema", bound=BaseModel)
_T = TypeVar("_T")
List = Annotated[list[_T], Field(fail_fast=True)]  # of all wrong values, only the first is reported


class StrictSchema(BaseModel):
    """A part of a request: types are not converted, and unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)

    _few_fields = model_validator(mode="before")(check_num_fields)


class PhraseSchema(StrictSchema):
    """Text that the translation must contain."""

    text: Words
    forms: List[Words] = Field(default=[], max_length=50, description="Alternatives: any of them meets the phrase.")
    count: int = Field(default=1, ge=1, le=20, description="The least number of occurrences.")
    max_count: int | None = Field(default=None, ge=1, le=50, description="The largest number of occurrences.")
    case: Literal["exact", "auto"] = Field(
        default="exact", description="auto: a sentence may begin with it, then with a capital."
    )
    boundary: Literal["word", "start", "compound", "anywhere"] = Field(
        default="word", description="Whether an occurrence may be a part of a longer word."
    )
    source_span: List[int] | None = Field(
        default=None,
        min_length=2,
        max_length=2,
        description="First character of the source words that it translates, and the one behind them: its place.",
        examples=[[4, 8]],
    )

    def phrase(self) -> Phrase:
        span = (self.source_span[0], self.source_span[1]) if self.source_span else None
        return Phrase(self.text, tuple(self.forms), self.count, self.case, self.boundary, span, self.max_count)


class AvoidSchema(StrictSchema):
    """Text that the translation must not contain as whole words."""

    text: Words
    case: Literal["exact", "permissive"] = Field(default="exact", description="permissive: in any case.")


class ConstraintSchema(StrictSchema):
    """Constraints of a translation."""

    phrases: List[Words | PhraseSchema] = Field(
        default=[],
        max_length=MAX_CONSTRAINTS,
        description="Texts that the translation must contain.",
        examples=[["Datei"]],
    )
    avoid: List[Words | AvoidSchema] = Field(
        default=[], max_length=MAX_CONSTRAINTS, description="Texts that the translation must not contain."
    )
    prefix: str = Field(default="", max_length=2 * MAX_CHARACTERS, description="How the translation begins.")
    locked: List[Words] = Field(
        default=[], max_length=MAX_CONSTRAINTS, description="Texts that the translation contains in this order."
    )
    suffix: str = Field(default="", max_length=2 * MAX_CHARACTERS, description="How the translation ends.")
    follow: str = Field(
        default="",
        max_length=MAX_CHARACTERS,
        description="An earlier translation, of which the new one changes as little as possible.",
    )
    nbest: int = Field(default=1, ge=1, le=MAX_NBEST, description="The largest number of translations to return.")

    def constrain(self, text: str) -> ConstrainedText:
        """The text with these constraints. Raises ApiError."""
        try:
            phrases = [Phrase(each) if isinstance(each, str) else each.phrase() for each in self.phrases]
            bans = [Avoid(each) if isinstance(each, str) else Avoid(each.text, each.case) for each in self.avoid]
        except EngineError as error:
            raise ApiError("invalid", str(error)) from error
        constraints = Constraints(bans=tuple(bans), prefix=self.prefix, locked=tuple(self.locked), follow=self.follow)
        return ConstrainedText(text, tuple(phrases), constraints, self.nbest, self.suffix)


_REFERENCE: Final = "#/components/schemas/{model}"
_CONSTRAINTS: Final = {"$ref": _REFERENCE.format(model=ConstraintSchema.__name__)}
CONSTRAINTS: Final = {
    "anyOf": [_CONSTRAINTS, {"type": "array", "items": _CONSTRAINTS}],
    "description": "Constraints of all texts, or a list with those of each text. In a form, as JSON.",
}


def shared_schemas() -> dict[str, Any]:
    """The schemas of the OpenAPI description that other parts of it name, by their names."""
    schema = ConstraintSchema.model_json_schema(ref_template=_REFERENCE)
    return {**schema.pop("$defs"), ConstraintSchema.__name__: schema}


class LanguageSchema(StrictSchema):
    """The languages and the style of a translation."""

    source: str | None = Field(default=None, description="Code of the source language; null: detected from the text.")
    target: str = Field(description="Code of the target language.", examples=["de"])
    formality: Literal["formal", "informal"] | None = Field(
        default=None, description="The form of address; an error if the model does not support it."
    )
    domain: str | None = Field(default=None, max_length=100, description="A domain that the model was trained with.")
    numbers: bool = Field(
        default=True,
        description="Require the numbers, dates and times of the source, in the format of the target language.",
    )

    def style(self) -> Style:
        """Formality, domain, and whether numbers are required."""
        return Style(self.formality, self.domain, self.numbers)


LANGUAGES: Final[dict[str, Any]] = LanguageSchema.model_json_schema()


class TextSchema(ConstraintSchema):
    """A text and the constraints of its translation."""

    text: Text = Field(examples=["Open the file."])


class PlacementSchema(BaseModel, from_attributes=True):
    """The position of a required text in the translation."""

    phrase: int | None = Field(description="The number of the phrase, from 0; null for terms and kept texts.")
    text: str = Field(description="The required text.")
    form: str = Field(description="The text that meets it: translation[start:end].")
    start: int
    end: int


class ListedSchema(BaseModel, from_attributes=True):
    """A text of a translation that comes from a list beside the model."""

    origin: str = Field(description="set_phrase, or lexicon for a word that the model did not translate.")
    form: str = Field(description="The text: translation[start:end].")
    start: int
    end: int
    source_span: tuple[int, int] = Field(description="Start and end, in the text, of the words that it translates.")


class TranslationSchema(BaseModel, from_attributes=True):
    """One translation of a text."""

    text: str
    score: float = Field(description="The log-probability of a token, on average; higher is better.")
    log_prob: float = Field(description="The natural logarithm of the probability.")
    ranking_score: float = Field(
        description="What the translations are ranked by: the score with the penalties and rewards of the search."
    )
    placements: list[PlacementSchema]
    unmet: list[str] = Field(description="Required texts that it lacks.")
    alignment: list[tuple[int, int, int, int]] = Field(
        description="Pairs of words that translate each other: start and end in the text, start and end in the "
        "translation. Empty if the model has no word alignment, and for kept texts."
    )
    listed: list[ListedSchema] = Field(description="Texts from the set phrases and the dictionary of the model.")


class ReasonSchema(BaseModel):
    """Why a translation is not complete."""

    kind: str
    message: str
    phrase: int | None


class AnswerSchema(BaseModel):
    """The translations of a text, best first; none if its constraints cannot be met."""

    status: str = Field(description="complete, unmet, deadline, infeasible or failed")
    translations: list[TranslationSchema]
    reasons: list[ReasonSchema]

    @classmethod
    def of(cls, answer: Answer) -> AnswerSchema:
        translations = list(map(TranslationSchema.model_validate, answer.hypotheses))
        num_own = len(answer.item.phrases)
        reasons = [
            ReasonSchema(
                kind=reason.kind,
                message=reason.message,
                phrase=reason.phrase if reason.phrase is not None and reason.phrase < num_own else None,
            )
            for reason in answer.reasons
        ]
        return cls(status=answer.status, translations=translations, reasons=reasons)


def parsed(schema: type[Schema], values: Any, place: str) -> Schema:
    """The checked values of the field `place`. Raises ApiError, which names the wrong field."""
    if not isinstance(values, dict):
        raise ApiError("invalid", f"{place} is not a JSON object.")
    try:
        return schema.model_validate(values)
    except ValidationError as error:
        raise ApiError("invalid", problem_of(error.errors(), place)) from error


# What an item of a list may be, as pydantic names it in the place of an error.
_ITEM_TYPES: Final = ("constrained-str", *(schema.__name__ for schema in (PhraseSchema, AvoidSchema, TextSchema)))


def problem_of(errors: Sequence[Any], place: str = "") -> str:
    """The most exact of pydantic's errors, with the place of the field after `place` and without its value.

    Where a text or an object is allowed, pydantic reports an error for each, with the name of the type in its place; an
    error of a field is used.
    """
    meant = max(errors, key=lambda error: len(error["loc"]))
    parts = [str(part) for part in meant["loc"] if part != "body" and part not in _ITEM_TYPES]
    shown = ".".join([place, *parts] if place else parts)
    return f"{shown[:200] or 'the request'}: {meant['msg']}"
