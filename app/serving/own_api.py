"""Pinpoint's own dialect of the HTTP API, under /api/v1."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel, Field

from app.errors import ApiError
from app.models.style import formalities_of
from app.serving.admission import Caller
from app.serving.api_limits import MAX_ALTERNATIVES, MAX_CHARACTERS, MAX_TEXTS
from app.serving.api_schemas import AnswerSchema, LanguageSchema, List, PlacementSchema, Text, TextSchema
from app.serving.constrained_texts import ConstrainedText, Splitting, TranslationSetup
from app.serving.dialects import BEARER_KEY, HTTP_STATUS, ApiContext, KeyFirstRoute, caller_of, context_of, hangup

PREFIX: Final = "/api/v1"


class TranslateRequest(LanguageSchema):
    """The body of `translate`: texts, each alone or with constraints."""

    texts: List[Text | TextSchema] = Field(
        min_length=1, max_length=MAX_TEXTS, examples=[["Open the file.", {"text": "Close it.", "phrases": ["zu"]}]]
    )
    glossary: str | None = Field(default=None, max_length=100, description="The id of a glossary, see DeepL’s API.")
    splitting: Splitting = Field(
        default="sentences",
        description="Where a text is split: at lines and sentences, at sentences, or nowhere. With constraints or "
        "several translations, a text is not split at lines.",
    )


class TranslateReply(BaseModel):
    """The answers in the order of the texts."""

    model: str
    direction: str
    texts: list[AnswerSchema]


class PriceRequest(LanguageSchema, TextSchema):
    """The body of `prices`: a text with constraints."""


class PriceReply(BaseModel):
    """The price of constraints: the best score without them minus the best score with them; null: unknown."""

    direction: str
    total: float | None
    phrases: list[float | None] = Field(description="The price of each phrase alone, in the order of the request.")
    avoid: list[float | None]
    constrained: str | None = Field(description="The best translation with all constraints.")
    free: str | None = Field(description="The best translation without them.")


class AlternativesRequest(LanguageSchema, TextSchema):
    """The body of `alternatives`: a translation of a text, and one of its words."""

    translation: str = Field(min_length=1, max_length=2 * MAX_CHARACTERS, examples=["Öffnen Sie die Datei."])
    offset: int = Field(ge=0, description="A character of the word, counted from 0.", examples=[15])
    count: int = Field(default=5, ge=1, le=MAX_ALTERNATIVES)


class AlternativeSchema(BaseModel):
    """Another word, and the best translation with it; the text before it is the same."""

    word: str
    log_prob: float
    text: str
    score: float


class AlternativesReply(BaseModel):
    """The alternatives, best translation first."""

    direction: str
    alternatives: list[AlternativeSchema]


class PlacesRequest(LanguageSchema, TextSchema):
    """The body of `places`: a translation of a text, and a phrase that is to stand in it once more."""

    translation: str = Field(min_length=1, max_length=2 * MAX_CHARACTERS, examples=["Öffnen Sie die Datei."])
    phrase: int = Field(default=0, ge=0, description="The number of the phrase, from 0.")
    count: int = Field(default=5, ge=1, le=MAX_ALTERNATIVES)


class PlaceSchema(BaseModel, from_attributes=True):
    """The translation with the phrase at another place; the rest is the same."""

    text: str
    score: float
    placements: list[PlacementSchema]


class PlacesReply(BaseModel):
    """The best places, each elsewhere."""

    direction: str
    places: list[PlaceSchema]


class ModelSchema(BaseModel):
    """A model that is ready."""

    name: str
    directions: list[str]
    formalities: dict[str, list[str]]
    domains: list[str]


class ModelsReply(BaseModel):
    """The models that translate now."""

    models: list[ModelSchema]


class UsageReply(BaseModel):
    """The limits of the key, and how much of them is used."""

    name: str
    characters_today: int
    characters_a_day: int
    requests_a_minute: int


router = APIRouter(
    prefix=PREFIX,
    tags=["texts"],
    route_class=KeyFirstRoute,
    dependencies=[BEARER_KEY],
)
_CALLER = Depends(caller_of)


@router.post("/translate")
async def translate(request: Request, asked: TranslateRequest, caller: Caller = _CALLER) -> TranslateReply:
    """Translates texts. Tags and placeholders of a text are kept."""
    items = items_of(asked)
    setup = await setup_of(context_of(request), asked, caller, items)
    answers = await context_of(request).translate(request, caller, [item.text for item in items], items, setup)
    return TranslateReply(
        model=setup.model.name, direction=setup.direction, texts=[AnswerSchema.of(answer) for answer in answers]
    )


@router.post("/prices")
async def prices(request: Request, asked: PriceRequest, caller: Caller = _CALLER) -> PriceReply:
    """The price of each constraint of a text, in model score."""
    context = context_of(request)
    item = asked.constrain(asked.text)
    setup = await _setup(request, asked)
    # The text is translated with all constraints, with none, and without each of them.
    await context.charge(caller, *[asked.text] * (2 + len(item.phrases) + len(item.constraints.bans)))
    pricing = await context.translations.price(caller, item, setup, hangup(request))
    best = [each.hypotheses[0].text if each.hypotheses else None for each in (pricing.constrained, pricing.free)]
    return PriceReply(
        direction=setup.direction,
        total=pricing.total,
        phrases=list(pricing.phrases[: len(item.phrases)]),
        avoid=list(pricing.avoid[: len(item.constraints.bans)]),
        constrained=best[0],
        free=best[1],
    )


@router.post("/alternatives")
async def alternatives(request: Request, asked: AlternativesRequest, caller: Caller = _CALLER) -> AlternativesReply:
    """Other words for a word of a translation, each with the best translation that contains it."""
    context = context_of(request)
    if asked.offset >= len(asked.translation):
        raise ApiError("invalid", f"offset: the translation has {len(asked.translation)} characters.")
    setup = await _setup(request, asked)
    await context.charge(caller, *[asked.text] * asked.count)
    found = await context.translations.alternatives(
        caller, asked.constrain(asked.text), setup, asked.translation, asked.offset, asked.count, hangup(request)
    )
    shapes = [
        AlternativeSchema(
            word=each.word, log_prob=each.log_prob, text=each.hypothesis.text, score=each.hypothesis.score
        )
        for each in found
    ]
    return AlternativesReply(direction=setup.direction, alternatives=shapes)


@router.post("/places")
async def places(request: Request, asked: PlacesRequest, caller: Caller = _CALLER) -> PlacesReply:
    """The best places of a phrase in a translation. To move an occurrence, give a translation without it."""
    context = context_of(request)
    if asked.phrase >= len(asked.phrases):
        raise ApiError("invalid", f"phrase: the text has {len(asked.phrases)} phrases.")
    setup = await _setup(request, asked)
    await context.charge(caller, asked.text)
    found = await context.translations.places(
        caller, asked.constrain(asked.text), setup, asked.translation, asked.phrase, asked.count, hangup(request)
    )
    return PlacesReply(direction=setup.direction, places=[PlaceSchema.model_validate(each) for each in found])


@router.get("/models")
async def models(request: Request, caller: Caller = _CALLER) -> ModelsReply:
    """The models that are ready, with their directions and styles."""
    ready = [
        ModelSchema(
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
    return ModelsReply(models=ready)


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


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request, caller: Caller = _CALLER) -> Response:
    """Counts of requests and of work, in the text format of Prometheus."""
    shown = context_of(request).metrics
    return Response(await asyncio.to_thread(shown.text), media_type=shown.content_type)


@router.get("/openapi.json", include_in_schema=False)
async def description(request: Request, caller: Caller = _CALLER) -> Response:
    """The description of all addresses of the API, in the format OpenAPI."""
    return await asyncio.to_thread(lambda: JSONResponse(request.app.openapi()))


def items_of(asked: TranslateRequest) -> list[ConstrainedText]:
    """The texts of a request with their constraints. Raises ApiError."""
    return [ConstrainedText(each) if isinstance(each, str) else each.constrain(each.text) for each in asked.texts]


async def setup_of(
    context: ApiContext, asked: TranslateRequest, caller: Caller, items: Sequence[ConstrainedText]
) -> TranslationSetup:
    """The model, style and glossary of a request. Raises ApiError."""
    text = "\n".join(item.text for item in items)
    setup = await context.translations.setup(asked.source, asked.target, text, asked.style(), splitting=asked.splitting)
    return setup if asked.glossary is None else await context.with_glossaries(setup, caller, [asked.glossary])


def error_reply(error: ApiError) -> Response:
    """The reply that shows an error in this dialect."""
    status = HTTP_STATUS[error.kind]
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse({"error": {"kind": error.kind, "message": str(error)}}, status, headers)


async def _setup(request: Request, asked: PriceRequest | AlternativesRequest | PlacesRequest) -> TranslationSetup:
    translations = context_of(request).translations
    return await translations.setup(asked.source, asked.target, asked.text, asked.style())
