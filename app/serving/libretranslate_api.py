"""The dialect of LibreTranslate. The key is the field `api_key`; the list of languages needs no key."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.errors import ApiError
from app.models.document_direction import guessed_languages, language_and_script
from app.serving.api_fields import body, choice_field, number_field, optional_field, text_field, texts_field
from app.serving.api_limits import MAX_NBEST
from app.serving.constrained_texts import ConstrainedText, check_lengths
from app.serving.dialects import HTTP_STATUS, admitted, context_of, field_key, unadmitted_fields_of
from app.serving.markup import MarkedText
from app.serving.markup_tokens import Outline
from app.text.language_names import english_name

_NOT_OFFERED: Final = ("/suggest", "/translate_file", "/frontend/settings")
FILE_PREFIX: Final = "/download_file/"  # of translated files, which are not offered
PATHS: Final = ("/languages", "/detect", *_NOT_OFFERED)
_STATUS: Final = {"no_key": 403, "wrong_key": 403, "unmet": 400}

_KEY: Final = optional_field("api_key", "The key.")
_TEXT: Final = text_field("q", "The text.", example="Open the file.")
_TEXTS: Final = texts_field("q", "A text, or a list of texts.", ["Open the file."])
_ALTERNATIVES: Final = number_field("alternatives", MAX_NBEST - 1, "How many other translations are returned.")
_FORMAT: Final = choice_field("format", {"text": "text", "html": "html", "": "text"}, "", "What the texts are.")
_SOURCE: Final = optional_field("source", "The code of the source language; `auto` or none: detected from the text.")
_TARGET: Final = text_field("target", "The code of the target language.", example="de")
FIELDS: Final = (_TEXTS, _SOURCE, _TARGET, _FORMAT, _ALTERNATIVES, _KEY)

router = APIRouter(tags=["LibreTranslate"])


@router.get("/languages")
async def languages(request: Request) -> Response:
    """The languages, each with those it is translated into."""
    targets: dict[str, list[str]] = {}
    for direction in context_of(request).translations.directions():
        source, target = map(language_and_script, direction.split("-", 1))
        targets.setdefault(source, []).append(target)
    codes = dict.fromkeys([*targets, *(code for known in targets.values() for code in known)])
    return JSONResponse(
        [{"code": code, "name": english_name(code), "targets": targets.get(code, [])} for code in codes]
    )


@router.post("/detect", openapi_extra=body(_TEXT, _KEY), dependencies=[field_key(_KEY.name)])
async def detect(request: Request) -> Response:
    """The languages of a text, most probable first, with the probability of each in percent."""
    fields = await unadmitted_fields_of(request)
    context = context_of(request)
    async with admitted(request, _key(fields), "the field api_key") as caller:
        text = _TEXT.of(fields)
        await context.charge(caller, text)
        shares = await asyncio.to_thread(guessed_languages, text, context.translations.directions())
    return JSONResponse([{"confidence": round(100 * share, 1), "language": code} for share, code in shares])


async def translate(request: Request, fields: Mapping[str, Any]) -> Response:
    """Translates a text or a list of texts, as plain text or as HTML."""
    context = context_of(request)
    async with admitted(request, _key(fields), "the field api_key") as caller:
        texts, num_others, kind = _TEXTS.of(fields), _ALTERNATIVES.of(fields), _FORMAT.of(fields)
        source = _SOURCE.of(fields) or "auto"
        check_lengths(texts)
        target = _TARGET.of(fields)
        setup = await context.translations.setup(
            None if source == "auto" else source,
            target,
            "\n".join(texts),
            splitting="punctuation" if kind == "html" else "sentences",
        )
        marked = await asyncio.to_thread(_marked, texts, kind, is_whole=num_others > 0)
        items = [ConstrainedText(each.text, nbest=1 + num_others) for text in marked for each in text.paragraphs]
        answers = iter(await context.translate(request, caller, texts, items, setup))
    translated: list[str] = []
    others: list[list[str]] = []
    for number, text in enumerate(marked):
        own = [next(answers) for _ in text.paragraphs]
        translated.append(text.markup([answer.best(number) for answer in own]))
        others.append([text.markup([each.text]) for each in own[0].hypotheses[1:]] if len(own) == 1 else [])
    is_list = isinstance(fields["q"], list)
    reply: dict[str, Any] = {"translatedText": translated if is_list else translated[0]}
    if num_others:
        reply["alternatives"] = others if is_list else others[0]
    if source == "auto":
        detected = {"confidence": 100.0, "language": language_and_script(setup.source)}
        reply["detectedLanguage"] = [detected] * len(texts) if is_list else detected
    return JSONResponse(reply)


def error_reply(error: ApiError) -> Response:
    """The reply that shows an error as LibreTranslate does."""
    return JSONResponse({"error": str(error)}, _STATUS.get(error.kind, HTTP_STATUS[error.kind]))


def _key(fields: Mapping[str, Any]) -> str | None:
    key = fields.get("api_key")
    return key if isinstance(key, str) else None


def _marked(texts: Sequence[str], kind: str, *, is_whole: bool) -> list[MarkedText]:
    if kind == "html":
        return [MarkedText.of(text, Outline("html"), is_whole=is_whole) for text in texts]
    return [MarkedText.plain(text) for text in texts]
