"""The dialect of Apertium APy, which OmegaT, Okapi and Weblate speak.

The key is the field `key`; a client that sends none, as Weblate, is identified by its address.
The list of language pairs needs no key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http.client import responses
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from langcodes import Language

from app.errors import ApiError
from app.models.document_direction import language_and_script
from app.serving.api_fields import body, choice_field, optional_field, query, text_field
from app.serving.constrained_texts import ConstrainedText, Splitting, check_lengths
from app.serving.dialects import HTTP_STATUS, admitted, context_of, unadmitted_fields_of
from app.serving.markup import MarkedText
from app.serving.markup_tokens import Outline
from app.text.language_names import english_name

_NOT_OFFERED: Final = (
    *("/translateChain", "/translateDoc", "/translatePage", "/translateRaw", "/analyze", "/analyse", "/generate"),
    *("/perWord", "/calcCoverage", "/identifyLang", "/getLocale", "/pipedebug", "/stats", "/speller"),
)
PATHS: Final = ("/listPairs", "/list", "/listLanguageNames", *_NOT_OFFERED)

_LISTED: Final = choice_field("q", {"pairs": "pairs"}, "pairs", "What is listed.")
_KEY: Final = optional_field("key", "The key.")
TEXT: Final = text_field("q", "The text to translate.", example="Open the file.")
PAIR: Final = text_field("langpair", "The codes of both languages.", example="en|de")
FORMAT: Final = optional_field("format", "`html` for text with markup.")
FIELDS: Final = (TEXT, PAIR, FORMAT, _KEY)

router = APIRouter(tags=["Apertium APy"])


@router.get("/listPairs")
@router.post("/listPairs")
@router.get("/list", openapi_extra=query(_LISTED))
@router.post("/list", openapi_extra=body(_LISTED))
async def pairs(request: Request) -> Response:
    """The language pairs, with codes of three letters and of two."""
    fields = await unadmitted_fields_of(request)
    if request.url.path == "/list":
        _LISTED.of(fields)
    found = [direction.split("-", 1) for direction in context_of(request).translations.directions()]
    coded = [[language_and_script(code) for code in pair] for pair in found]
    listed = [[_alpha3(code) for code in pair] for pair in coded] + coded
    shown = [{"sourceLanguage": source, "targetLanguage": target} for source, target in listed]
    return _data(shown)


@router.get("/listLanguageNames")
@router.post("/listLanguageNames")
async def names(request: Request) -> Response:
    """The English names of the languages."""
    directions = context_of(request).translations.directions()
    codes = dict.fromkeys(language_and_script(code) for each in directions for code in each.split("-", 1))
    return JSONResponse({code: english_name(code) for code in codes})


async def translate(request: Request, fields: Mapping[str, Any]) -> Response:
    """Translates a text; `format=html` is for markup."""
    context = context_of(request)
    async with admitted(request, _KEY.of(fields) or None, "the field key", takes_address=True) as caller:
        text = TEXT.of(fields)
        source, sign, target = PAIR.of(fields).partition("|")
        if not sign:
            raise ApiError("invalid", "langpair is not a language pair such as eng|spa.")
        check_lengths([text])
        is_markup = FORMAT.of(fields).startswith("html")
        splitting: Splitting = "punctuation" if is_markup else "sentences"
        setup = await context.translations.setup(source, target, text, splitting=splitting)
        marked = await asyncio.to_thread(_html, text) if is_markup else MarkedText.plain(text)
        items = [ConstrainedText(paragraph.text) for paragraph in marked.paragraphs]
        answers = await context.translate(request, caller, [text], items, setup)
    return _data({"translatedText": marked.markup([answer.best(0) for answer in answers])})


def error_reply(error: ApiError) -> Response:
    """The reply that shows an error as APy does."""
    status = HTTP_STATUS[error.kind]
    shown = {"status": "error", "code": status, "message": responses.get(status, ""), "explanation": str(error)}
    return JSONResponse(shown, status)


def _html(text: str) -> MarkedText:
    return MarkedText.of(text, Outline("html"))


def _data(data: Any) -> Response:
    return JSONResponse({"responseData": data, "responseDetails": None, "responseStatus": 200})


def _alpha3(code: str) -> str:
    try:
        return Language.get(code).to_alpha3()
    except LookupError:
        return code
