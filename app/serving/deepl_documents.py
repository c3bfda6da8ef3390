"""Documents in DeepL's dialect. As with DeepL, a translated document can be downloaded once."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.errors import ApiError, AppError
from app.glossary import Term
from app.glossary.lemmas import with_forms
from app.models.document_direction import language_and_script
from app.models.style import Style
from app.serving.admission import Caller
from app.serving.api_documents import ApiDocument, DocumentOrder, DocumentState, Upload
from app.serving.api_fields import body, body_of, ignored_field, object_of, optional_field, query, raw_field, text_field
from app.serving.deepl_api import (
    FORMALITY,
    LANGUAGES,
    SOURCE_LANG,
    TARGET_LANG,
    Entered,
    Fields,
    check_known,
    glossary_ids,
)
from app.serving.dialects import DEEPL_KEY, FORM_WITH_FILE, DownloadResponse, context_of, file_reply, uploaded

PATH: Final = "/v2/document"
_STATUS: Final[dict[DocumentState, str]] = {
    "translating": "translating",
    "stopped": "translating",
    "translated": "done",
    "failed": "error",
}

_FILE: Final = raw_field("file", {"type": "string", "format": "binary"}, is_required=True)
_FILE_NAME: Final = optional_field("filename", "The name of the file, with its ending.")
_FORMAT: Final = optional_field("output_format", "The ending of the file; other formats are not offered.")
_UPLOAD: Final = (
    *(_FILE, *LANGUAGES, _FILE_NAME, _FORMAT),
    *map(
        ignored_field, ("enable_document_minification", "show_billed_characters", "enable_beta_languages", "auth_key")
    ),
)
_SECRET: Final = text_field("document_key", "The key of the document, from the answer to its upload.")

router = APIRouter(prefix=PATH, tags=["DeepL"], dependencies=[DEEPL_KEY])


@router.post("", openapi_extra=body_of(object_of(*_UPLOAD), FORM_WITH_FILE))
async def upload(request: Request, caller: Entered) -> Response:
    """Sends a document, and begins to translate it."""
    context = context_of(request)
    async with uploaded(request, caller) as (file, fields):
        check_known(fields, _UPLOAD)
        name, ending = _FILE_NAME.of(fields) or file.name, _FORMAT.of(fields)
        if ending and not name.lower().endswith(f".{ending.lower()}"):
            raise ApiError("unsupported", f"output_format: {name} keeps its format, leave it out.")
        formality, is_required = FORMALITY.of(fields)
        secret = secrets.token_hex(32).upper()
        order = DocumentOrder(
            SOURCE_LANG.of(fields).lower() or None,
            TARGET_LANG.of(fields).lower(),
            style=Style(formality),
            is_style_required=is_required,
            secret=secret,
        )
        terms: dict[str, Sequence[Term]] = {}
        if glossaries := glossary_ids(fields):
            terms = await asyncio.to_thread(_terms, request, caller, glossaries, order)
        await context.translations.loaded(order.source, order.target)
        made = await asyncio.to_thread(
            context.documents.create, caller, Upload(name, file.data), order, context.admission.charge, terms
        )
    return JSONResponse({"document_id": made.id, "document_key": secret})


@router.post("/{number}", openapi_extra=body(_SECRET))
def status(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """The progress of a translation."""
    document = _find(request, caller, number, fields)
    progress = context_of(request).documents.progress(caller.actor, document)
    shown: dict[str, Any] = {"document_id": document.id, "status": _STATUS[progress.state]}
    if progress.state == "translated":
        shown["billed_characters"] = document.num_characters
    elif progress.state == "failed":
        shown["error_message"] = "The model could not be loaded."
    elif progress.seconds_left is not None:
        shown["seconds_remaining"] = progress.seconds_left
    return JSONResponse(shown)


@router.get("/{number}/result", response_class=DownloadResponse, openapi_extra=query(_SECRET))
@router.post("/{number}/result", response_class=DownloadResponse, openapi_extra=body(_SECRET))
def result(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """The translated document, which is deleted then."""
    documents = context_of(request).documents
    document = _find(request, caller, number, fields)
    if documents.progress(caller.actor, document).state != "translated":
        raise ApiError("not_ready", "The document is not translated yet.", retry_after=5)
    made = documents.file(caller.actor, document, with_proposals=True)
    with suppress(AppError):  # a person works on it, or the disk is full: the file is sent all the same
        documents.delete(caller.actor, document)
    return file_reply(made)


def _find(request: Request, caller: Caller, number: str, fields: Mapping[str, Any]) -> ApiDocument:
    return context_of(request).documents.find(caller.name, number, _SECRET.of(fields))


def _terms(request: Request, caller: Caller, numbers: Sequence[str], order: DocumentOrder) -> dict[str, Sequence[Term]]:
    """The terms of glossaries for the languages of a document, by the name of the first one. Raises ApiError."""
    if order.source is None:
        raise ApiError("invalid", "source_lang is required together with a glossary.")
    glossaries = context_of(request).glossaries
    pair = language_and_script(order.source), language_and_script(order.target)
    terms = [Term(*entry) for entry in glossaries.joined_entries(caller.name, numbers, pair).items()]
    return {glossaries.find(caller.name, numbers[0]).name: with_forms(terms, pair[1])}
