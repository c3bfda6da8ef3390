"""The dialect of the OPUS-CAT engine's `MTRestService`, which plug-ins for Trados, memoQ, OmegaT and Wordfast speak.

The key is the field `tokenCode`. The address identifies plug-ins that send a fixed code instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from app.errors import ApiError
from app.serving.admission import Caller
from app.serving.api_fields import optional_field, query, text_field
from app.serving.constrained_texts import ConstrainedText, check_lengths
from app.serving.dialects import (
    BY_ADDRESS,
    HTTP_STATUS,
    admitted,
    context_of,
    field_key,
    query_of,
    unadmitted_fields_of,
)

PREFIX: Final = "/MTRestService/"
_FIXED_CODES: Final = frozenset({"", "0"})  # plug-ins send this value if they do not ask for a code

_PASSWORD: Final = optional_field("password", "The key.")
_CODE: Final = optional_field("tokenCode", "The key.")
_TEXT: Final = text_field("input", "The text to translate.", example="Open the file.")
_SINGLE: Final = text_field("inputIsSingleSentence", "`false` if the text has several sentences.", default="true")
_PAIR: Final = (
    text_field("srcLangCode", "The code of the source language.", example="en"),
    text_field("trgLangCode", "The code of the target language.", example="de"),
)
_TRANSLATION: Final = query(_TEXT, *_PAIR, _SINGLE)
_BY_CODE: Final[dict[str, Any]] = {"dependencies": [field_key(_CODE.name)]}

router = APIRouter(prefix=PREFIX.rstrip("/"), tags=["OPUS-CAT"])


@router.get("/Login", dependencies=[field_key(_PASSWORD.name)])
async def login(request: Request) -> Response:
    """The code for further requests: the key, which is the field `password`."""
    fields = await unadmitted_fields_of(request, takes_address=True)
    key = _PASSWORD.of(fields)
    async with admitted(request, key or None, "the field password"):
        return JSONResponse(key)


@router.get("/ListSupportedLanguagePairs", openapi_extra=BY_ADDRESS, **_BY_CODE)
async def pairs(request: Request) -> Response:
    """The language pairs of the models that are ready."""
    async with _admitted(request, await unadmitted_fields_of(request, takes_address=True)):
        return JSONResponse(context_of(request).translations.directions())


@router.get("/GetLanguagePairModelTags", openapi_extra=query(*_PAIR) | BY_ADDRESS, **_BY_CODE)
async def tags(request: Request) -> Response:
    """The name of the model that translates a language pair."""
    fields = await unadmitted_fields_of(request, takes_address=True)
    async with _admitted(request, fields):
        model, _ = context_of(request).translations.choose(*_languages(fields), "")
        return JSONResponse([model.name])


@router.get("/CheckModelStatus", openapi_extra=query(*_PAIR) | BY_ADDRESS, **_BY_CODE)
async def status(request: Request) -> Response:
    """Confirms that a language pair is supported; raises ApiError if it is not."""
    fields = await unadmitted_fields_of(request, takes_address=True)
    async with _admitted(request, fields):
        model, direction = context_of(request).translations.choose(*_languages(fields), "")
        return JSONResponse(f"{model.name} is ready for {direction}.")


@router.get("/TranslateJson", openapi_extra=_TRANSLATION | BY_ADDRESS, **_BY_CODE)
@router.post("/TranslatePost", openapi_extra=_TRANSLATION | BY_ADDRESS, **_BY_CODE)
async def translate_json(request: Request) -> Response:
    """Translates a text; `inputIsSingleSentence=false` if it has several sentences."""
    return JSONResponse({"translation": await _translation(request)})


@router.get("/Translate", openapi_extra=_TRANSLATION | BY_ADDRESS, **_BY_CODE)
async def translate(request: Request) -> Response:
    """Translates a text; the reply is a JSON string."""
    return JSONResponse(await _translation(request))


@router.get("/TranslateStream", response_class=PlainTextResponse, openapi_extra=_TRANSLATION | BY_ADDRESS, **_BY_CODE)
async def translate_stream(request: Request) -> Response:
    """Translates a text; the reply is the text itself."""
    return PlainTextResponse(await _translation(request))


@router.post("/PreOrderBatch", response_class=PlainTextResponse, openapi_extra=BY_ADDRESS, **_BY_CODE)
async def pre_order(request: Request) -> Response:
    """Announces texts. Pinpoint translates them only on request."""
    async with _admitted(request, query_of(request)):
        return PlainTextResponse()


def error_reply(error: ApiError) -> Response:
    """The reply that shows an error: its message as text."""
    return PlainTextResponse(str(error), HTTP_STATUS[error.kind])


async def _translation(request: Request) -> str:
    fields = query_of(request)
    if "input" not in fields:  # as with OPUS-CAT, they then come from the address alone
        fields = await unadmitted_fields_of(request, takes_address=True)
    async with _admitted(request, fields) as caller:
        return await _translated(request, caller, fields)


async def _translated(request: Request, caller: Caller, fields: Mapping[str, Any]) -> str:
    context = context_of(request)
    text = _TEXT.of(fields)
    check_lengths([text])
    is_single = _SINGLE.of(fields).lower() != "false"
    setup = await context.translations.setup(*_languages(fields), text, splitting="none" if is_single else "sentences")
    (answer,) = await context.translate(request, caller, [text], [ConstrainedText(text)], setup)
    return answer.best(0)


def _admitted(request: Request, fields: Mapping[str, Any]) -> AbstractAsyncContextManager[Caller]:
    """The caller with the key in the fields, or at the address of the request. Raises ApiError."""
    code = _CODE.of(fields)
    return admitted(request, None if code in _FIXED_CODES else code, "the field tokenCode", takes_address=True)


def _languages(fields: Mapping[str, Any]) -> tuple[str, str]:
    source, target = _PAIR
    return source.of(fields), target.of(fields)
