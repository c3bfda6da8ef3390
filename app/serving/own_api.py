"""Pinpoint's own dialect of the HTTP API, under /api/v1."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from app.errors import ApiError
from app.models.style import Style, formalities_of
from app.serving.admission import Caller
from app.serving.dialects import HTTP_STATUS, admitted, context_of, hangup, header_key
from app.serving.shapes import MAX_CHARACTERS, MAX_TEXTS, AnswerShape, ConstraintShape, StrictShape
from app.serving.wishes import Manner, Splitting

PREFIX = "/api/v1"
MAX_ALTERNATIVES = 20


class LanguageShape(StrictShape):
    """The languages and the style."""

    source: str | None = Field(default=None, description="Code of the source language; null: as the text is written.")
    target: str = Field(description="Code of the target language, such as de.")
    formality: Literal["formal", "informal"] | None = Field(
        default=None, description="How the reader is addressed; an error where the model cannot be asked for it."
    )
    domain: str | None = Field(default=None, max_length=100, description="A domain that the model was trained with.")

    def style(self) -> Style:
        return Style(self.formality, self.domain)


class TextShape(ConstraintShape):
    """A text and what its translation must be like."""

    text: str = Field(max_length=MAX_CHARACTERS)


class TranslateShape(LanguageShape):
    """Texts to translate."""

    texts: list[str | TextShape] = Field(min_length=1, max_length=MAX_TEXTS)
    glossary: str | None = Field(default=None, max_length=100, description="The id of a glossary, see DeepL’s API.")
    splitting: Splitting = Field(
        default="sentences",
        description="Where a text without constraints is split: at lines and sentences, at sentences, or nowhere.",
    )


class TranslateReply(BaseModel):
    """The answers in the order of the texts."""

    model: str
    direction: str
    texts: list[AnswerShape]


class PriceShape(LanguageShape, TextShape):
    """A text whose constraints are priced."""


class PriceReply(BaseModel):
    """What constraints cost: the best score without them minus the best score with them; null: not known."""

    direction: str
    total: float | None
    phrases: list[float | None] = Field(description="Of each phrase alone, in the order of the request.")
    avoid: list[float | None]
    constrained: str | None = Field(description="The best translation with all constraints.")
    free: str | None = Field(description="The best translation without them.")


class AlternativeRequest(LanguageShape, TextShape):
    """A word of a translation for which others are wanted."""

    translation: str = Field(min_length=1, max_length=2 * MAX_CHARACTERS)
    offset: int = Field(ge=0, description="A character of the word, counted from 0.")
    count: int = Field(default=5, ge=1, le=MAX_ALTERNATIVES)


class AlternativeShape(BaseModel):
    """Another word, and the best translation with it; the text before it stays."""

    word: str
    log_prob: float
    text: str
    score: float


class AlternativesReply(BaseModel):
    """The alternatives, best translation first."""

    direction: str
    alternatives: list[AlternativeShape]


class ModelShape(BaseModel):
    """A model that is ready."""

    name: str
    directions: list[str]
    formalities: dict[str, list[str]]
    domains: list[str]


class ModelsReply(BaseModel):
    """The models that translate now."""

    models: list[ModelShape]


class UsageReply(BaseModel):
    """The limits of the key, and what was used of them."""

    name: str
    characters_today: int
    characters_a_day: int
    requests_a_minute: int


class ErrorDetail(BaseModel):
    """What went wrong: `kind` for programs, `message` for people."""

    kind: str
    message: str


class ApiErrorReply(BaseModel):
    """The reply of each request that cannot be answered."""

    error: ErrorDetail


async def bearer(request: Request) -> AsyncIterator[Caller]:
    """The caller, by the key in `Authorization: Bearer KEY`. Raises ApiError."""
    with admitted(request, header_key(request, "Bearer")) as caller:
        yield caller


router = APIRouter(prefix=PREFIX, responses={"4XX": {"model": ApiErrorReply}, "5XX": {"model": ApiErrorReply}})
_CALLER = Depends(bearer)


@router.post("/translate")
async def translate(request: Request, asked: TranslateShape, caller: Caller = _CALLER) -> TranslateReply:
    """Translates texts. Tags and placeholders of a text are kept."""
    context = context_of(request)
    wishes = [ConstraintShape().wish(each) if isinstance(each, str) else each.wish(each.text) for each in asked.texts]
    await context.charge(caller, *(wish.text for wish in wishes))
    sample = "\n".join(wish.text for wish in wishes)
    manner = context.translations.manner(asked.source, asked.target, sample, asked.style(), splitting=asked.splitting)
    if asked.glossary is not None:
        manner = await context.with_glossary(manner, caller, asked.glossary)
    answers = await context.translations.translate(caller, wishes, manner, hangup(request))
    return TranslateReply(
        model=manner.model.name, direction=manner.direction, texts=[AnswerShape.of(answer) for answer in answers]
    )


@router.post("/prices")
async def prices(request: Request, asked: PriceShape, caller: Caller = _CALLER) -> PriceReply:
    """What each constraint of a text costs in model score."""
    context = context_of(request)
    wish = asked.wish(asked.text)
    manner = _manner(request, asked)
    # Each is translated without one of them, too.
    await context.charge(caller, *[asked.text] * (2 + len(wish.phrases) + len(wish.avoid)))
    pricing = await context.translations.price(caller, wish, manner, hangup(request))
    best = [each.hypotheses[0].text if each.hypotheses else None for each in (pricing.constrained, pricing.free)]
    return PriceReply(
        direction=manner.direction,
        total=pricing.total,
        phrases=list(pricing.phrases[: len(wish.phrases)]),
        avoid=list(pricing.avoid[: len(wish.avoid)]),
        constrained=best[0],
        free=best[1],
    )


@router.post("/alternatives")
async def alternatives(request: Request, asked: AlternativeRequest, caller: Caller = _CALLER) -> AlternativesReply:
    """Other words at a place of a translation, each with the best translation that has it."""
    context = context_of(request)
    if asked.offset >= len(asked.translation):
        raise ApiError("invalid", f"offset: the translation has {len(asked.translation)} characters.")
    manner = _manner(request, asked)
    await context.charge(caller, *[asked.text] * asked.count)
    found = await context.translations.alternatives(
        caller, asked.wish(asked.text), manner, asked.translation, asked.offset, asked.count, hangup(request)
    )
    shapes = [
        AlternativeShape(word=each.word, log_prob=each.log_prob, text=each.hypothesis.text, score=each.hypothesis.score)
        for each in found
    ]
    return AlternativesReply(direction=manner.direction, alternatives=shapes)


@router.get("/models")
async def models(request: Request, caller: Caller = _CALLER) -> ModelsReply:
    """The models that are ready, with their directions and styles."""
    shapes = [
        ModelShape(
            name=handle.name,
            directions=list(handle.directions),
            formalities={
                direction: list(formalities)
                for direction in handle.directions
                if (formalities := formalities_of(handle, direction))
            },
            domains=list(handle.domains),
        )
        for handle in context_of(request).translations.models()
    ]
    return ModelsReply(models=shapes)


@router.get("/usage")
async def usage(request: Request, caller: Caller = _CALLER) -> UsageReply:
    """The limits of the key, and how much of them is used."""
    key = caller.key
    return UsageReply(
        name=key.name,
        characters_today=context_of(request).admission.file.characters_today(key),
        characters_a_day=key.characters_a_day,
        requests_a_minute=key.requests_a_minute,
    )


@router.get("/openapi.json", include_in_schema=False)
async def description(request: Request, caller: Caller = _CALLER) -> JSONResponse:
    """The description of all addresses of the API, in the format OpenAPI."""
    return JSONResponse(request.app.openapi())


def error_reply(error: ApiError) -> Response:
    """The reply that shows an error in this dialect."""
    status = HTTP_STATUS[error.kind]
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse({"error": {"kind": error.kind, "message": str(error)}}, status, headers)


def _manner(request: Request, asked: PriceShape | AlternativeRequest) -> Manner:
    translations = context_of(request).translations
    return translations.manner(asked.source, asked.target, asked.text, asked.style())
