"""The dialect of the Translate Toolkit's `tmserver` and of amaGama: look-up in the translation memory, and new entries.

Weblate, Virtaal and Pootle speak it. The key is the field `key` of the address, or in `Authorization: Bearer KEY`; a
client that sends none is identified by its address.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from app.errors import ApiError
from app.models.document_direction import language_and_script
from app.serving.admission import Caller
from app.serving.api_fields import body, body_of, number_field, object_of, query, text_field
from app.serving.api_limits import MAX_MATCHES, MAX_UNITS
from app.serving.constrained_texts import check_lengths
from app.serving.dialects import (
    BEARER_KEY,
    BY_ADDRESS,
    HTTP_STATUS,
    ApiContext,
    admitted,
    context_of,
    field_key,
    header_key,
    json_of,
    query_of,
)
from app.serving.translations import LANGUAGE_CODE
from app.text.encoding import safe_name
from app.tm.entries import MIN_RATE
from app.tm.storage import Pair

PREFIX: Final = "/tmserver"
_NUM_SHOWN: Final = 3  # without `max_candidates`

_SOURCE: Final = text_field("source", "The text.", example="Open the file.")
_TARGET: Final = text_field("target", "Its translation.", example="Öffnen Sie die Datei.")
_LEAST: Final = number_field("min_similarity", 100, f"The least similarity in percent; {MIN_RATE} without it.")
_MOST: Final = number_field("max_candidates", MAX_MATCHES, f"How many are returned; {_NUM_SHOWN} without it.")
_PROJECT: Final = number_field("project", 9999, "The project of the entries; without it, that of the key's programs.")
_UNIT: Final = body(_SOURCE, _TARGET) | query(_PROJECT) | BY_ADDRESS
_UNITS: Final = body_of({"type": "array", "items": object_of(_SOURCE, _TARGET), "maxItems": MAX_UNITS})

router = APIRouter(prefix=PREFIX, tags=["tmserver"], dependencies=[field_key("key"), BEARER_KEY])


@router.get("/languages/", openapi_extra=BY_ADDRESS)
async def languages(request: Request) -> Response:
    """The languages of the memory."""
    async with _admitted(request):
        pairs = [each.split("-", 1) for each in await asyncio.to_thread(context_of(request).memory.directions)]
    sources, targets = (sorted({code for pair in pairs for code in pair[place:][:1]}) for place in (0, 1))
    return JSONResponse({"sourceLanguages": sources, "targetLanguages": targets})


@router.get("/{source}/{target}/unit/", openapi_extra=query(_SOURCE, _LEAST, _MOST) | BY_ADDRESS)
async def matches_of_field(request: Request, source: str, target: str) -> Response:
    """The entries whose source is similar to the field `source`, most similar first."""
    return await _matches(request, source, target, None)


@router.get("/{source}/{target}/unit/{text:path}", openapi_extra=query(_LEAST, _MOST) | BY_ADDRESS)
async def matches(request: Request, source: str, target: str, text: str) -> Response:
    """The entries whose source is similar to a text, most similar first."""
    return await _matches(request, source, target, text)


@router.put("/{source}/{target}/unit/{text:path}", response_class=PlainTextResponse, openapi_extra=_UNIT)
@router.post("/{source}/{target}/unit/{text:path}", response_class=PlainTextResponse, openapi_extra=_UNIT)
async def put_unit(request: Request, source: str, target: str, text: str) -> Response:
    """Adds an entry, in place of an earlier one with the same source from programs of this key."""
    async with _admitted(request) as caller:
        unit = await json_of(request)
        await _add(request, caller, source, target, [unit], f"{caller.name} (API)")
    return PlainTextResponse()


@router.post(
    "/{source}/{target}/store/{name:path}",
    response_class=PlainTextResponse,
    openapi_extra=_UNITS | query(_PROJECT) | BY_ADDRESS,
)
async def add_store(request: Request, source: str, target: str, name: str) -> Response:
    """Adds the entries of a file, in place of earlier ones with the same source from a file of this name."""
    async with _admitted(request) as caller:
        units = await json_of(request)
        if not isinstance(units, list) or len(units) > MAX_UNITS:
            raise ApiError("invalid", f"The body is not a list of at most {MAX_UNITS:,} units.")
        shown = safe_name(name, "memory")
        num_added = await _add(request, caller, source, target, units, shown)
    return PlainTextResponse(f"added {num_added} units from {shown}")


def error_reply(error: ApiError) -> Response:
    """The reply that shows an error: its message as text."""
    return PlainTextResponse(str(error), HTTP_STATUS[error.kind])


def _admitted(request: Request) -> AbstractAsyncContextManager[Caller]:
    """The caller, who is known before the body is read. Raises ApiError."""
    key = query_of(request).get("key") or header_key(request, "Bearer")
    return admitted(request, key if isinstance(key, str) else None, "the field key", takes_address=True)


async def _matches(request: Request, source: str, target: str, text: str | None) -> Response:
    async with _admitted(request) as caller:
        fields, context = query_of(request), context_of(request)
        text = _SOURCE.of(fields) if text is None else text
        check_lengths([text])
        rate, most = _LEAST.of(fields) or MIN_RATE, _MOST.of(fields) or _NUM_SHOWN
        direction = await asyncio.to_thread(_direction, context, source, target, is_new=False)
        found = []
        if direction is not None:
            scope = context.documents.memory_scope(caller, rate)
            found = await asyncio.to_thread(context.memory.matches, direction, text, most, scope)
    shown = [(match.entry.source, match.entry.target, match.rate) for match in found]
    return JSONResponse(
        [{"source": own, "target": other, "quality": rate, "rank": rate, "context": ""} for own, other, rate in shown]
    )


async def _add(request: Request, caller: Caller, source: str, target: str, units: list[Any], name: str) -> int:
    """Adds units under the name of a memory; returns how many. Raises ApiError without adding any."""
    context, project = context_of(request), _PROJECT.of(query_of(request)) or None
    pairs = list(map(_pair, units))
    await context.charge(caller, *(text for pair in pairs for text in pair))

    def add() -> int:
        direction = _direction(context, source, target, is_new=True)
        assert direction is not None
        number = context.documents.project_for(caller, direction, project).id
        return context.memory.add(direction, name, pairs, number)

    return await asyncio.to_thread(add)


def _pair(unit: Any) -> Pair:
    if not isinstance(unit, dict):
        raise ApiError("invalid", "A unit is not an object with source and target.")
    source, target = _SOURCE.of(unit), _TARGET.of(unit)
    if not source.strip() or not target.strip():
        raise ApiError("invalid", "source and target must not be empty.")
    return source, target


def _direction(context: ApiContext, source: str, target: str, *, is_new: bool) -> str | None:
    """The language pair of the memory or of a model for these codes; a new one if `is_new`, otherwise None."""
    for code in (source, target):
        if not LANGUAGE_CODE.fullmatch(code):
            raise ApiError("unsupported", f"{code[:40]!r} is not a language code, such as en or pt_br.")
    wanted = [code.lower().replace("_", "-") for code in (source, target)]
    known = [*context.memory.directions(), *context.translations.directions()]
    pairs = {each: [code.lower().replace("_", "-") for code in each.split("-", 1)] for each in known}
    short = [language_and_script(code) for code in wanted]
    same = [each for each in known if pairs[each] == wanted]
    similar = [each for each in known if [language_and_script(code) for code in pairs[each]] == short]
    return next(iter(same + similar), "-".join(short) if is_new else None)
