"""Documents in Pinpoint's own dialect: send one, follow its translation, get it back, delete it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, cast, get_args

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from app.access.actor import Actor
from app.errors import ApiError
from app.formats import Reading
from app.formats.soft_breaks import LineBreaksChoice, line_breaks_of
from app.serving.admission import Caller
from app.serving.api_documents import ApiDocument, DocumentOrder, DocumentState
from app.serving.api_fields import body_of, boolean_field, choice_field, object_of, optional_field, raw_field
from app.serving.api_schemas import LANGUAGES, LanguageSchema, parsed
from app.serving.dialects import (
    BEARER_KEY,
    FORM_WITH_FILE,
    DownloadResponse,
    KeyFirstRoute,
    caller_of,
    context_of,
    file_reply,
    uploaded,
)
from app.serving.own_api import PREFIX
from app.text.encoding import codec_of

PATH: Final = f"{PREFIX}/documents"
_ABOUT_PROJECT: Final = (
    "The number of a project of the page, for a key that may export; by default, a project of the person."
)
_ABOUT_RULES: Final = (
    "What is translated of JSON, YAML or XML: one rule in each line, such as `skip **.id`, `translate items.*.title`, "
    "`inline b`, `paragraph note`, `translate img/@alt`. The last one that fits counts."
)
_COLUMNS: Final = re.compile(r"([1-9]\d{0,4}),([1-9]\d{0,4})", re.ASCII)
_FILE: Final = raw_field("file", {"type": "string", "format": "binary"}, is_required=True)
_LANGUAGES: Final = tuple(
    raw_field(name, schema, is_required=name in LANGUAGES["required"])
    for name, schema in LANGUAGES["properties"].items()
)
_NUMBERS: Final = boolean_field("numbers", default=True)  # which `LanguageSchema` describes
_PROJECT: Final = optional_field("project", _ABOUT_PROJECT)
_ENCODING: Final = optional_field("encoding", "The encoding of a text, such as cp1250.")
_COLUMN_PAIR: Final = optional_field("columns", "The columns of sources and targets of a table, such as 2,3.")
_RULES: Final = optional_field("rules", _ABOUT_RULES)
_LINE_BREAKS: Final = choice_field(
    "line_breaks",
    {**{each: each for each in get_args(LineBreaksChoice)}, "": "automatic"},
    "",
    "Whether a line break inside a paragraph ends a segment: by its lines, always, or never.",
)
_READING: Final = (_ENCODING, _COLUMN_PAIR, _RULES, _LINE_BREAKS)
_BODY: Final = body_of(object_of(_FILE, *_LANGUAGES, _PROJECT, *_READING), FORM_WITH_FILE)

router = APIRouter(prefix=PATH, tags=["documents"], route_class=KeyFirstRoute, dependencies=[BEARER_KEY])
_CALLER = Depends(caller_of)


class DocumentSchema(BaseModel):
    """A document of the person whose key is used."""

    id: str
    name: str
    direction: str
    num_characters: int = Field(description="The characters that were charged.")
    created: str = Field(description="ISO 8601, in UTC.")


class DocumentsReply(BaseModel):
    """All documents of the person, oldest first."""

    documents: list[DocumentSchema]


class DocumentStatusReply(DocumentSchema):
    """A document with the progress of its translation. Failed segments do not have a translation."""

    state: DocumentState
    project: int
    num_segments: int
    num_translated: int = Field(description="By the model, the memory or a person.")
    num_failed: int
    num_confirmed: int = Field(description="By a person on the page; without locked ones.")
    num_locked: int
    seconds_left: int | None


@router.post("", status_code=201, openapi_extra=_BODY)
async def create(request: Request, caller: Caller = _CALLER) -> DocumentStatusReply:
    """Sends a document of any format that the page opens, and begins to translate it."""
    context = context_of(request)
    async with uploaded(request, caller) as (upload, fields):
        project = _PROJECT.of(fields)
        if project and not (project.isascii() and project.isdecimal() and len(project) < 16):
            raise ApiError("invalid", "project is not a number.")
        own = {each.name for each in (_PROJECT, *_READING)}
        given = {name: value for name, value in fields.items() if name not in own}
        given[_NUMBERS.name] = _NUMBERS.of(fields)
        reading = _reading(fields)
        languages = parsed(LanguageSchema, given, "form")
        number = int(project) if project else None
        order = DocumentOrder(languages.source, languages.target, number, languages.style(), reading=reading)
        charge = context.admission.charge
        await context.translations.loaded(order.source, order.target)
        document = await asyncio.to_thread(context.documents.create, caller, upload, order, charge)
    return await _status(caller.actor, request, document)


def _reading(fields: Mapping[str, Any]) -> Reading | None:
    """The import settings of the form; None without any."""
    encoding, columns, rules = _ENCODING.of(fields), _COLUMN_PAIR.of(fields), _RULES.of(fields)
    line_breaks = line_breaks_of(cast(LineBreaksChoice, _LINE_BREAKS.of(fields)))
    codec = codec_of(encoding) if encoding else None
    if encoding and codec is None:
        raise ApiError("invalid", "encoding is not a known encoding.")
    pair = _COLUMNS.fullmatch(columns)
    if columns and (pair is None or pair[1] == pair[2]):
        raise ApiError("invalid", "columns are not two different numbers, such as 2,3.")
    lines = tuple(filter(None, map(str.strip, rules.splitlines())))
    chosen = Reading(
        codec,
        (int(pair[1]) - 1, int(pair[2]) - 1) if pair else None,
        rules=lines or None,
        line_breaks=line_breaks,
    )
    return None if chosen == Reading() else chosen


@router.get("")
async def documents(request: Request, caller: Caller = _CALLER) -> DocumentsReply:
    """The documents of the person whose key is used."""
    found = await asyncio.to_thread(context_of(request).documents.all_of, caller.actor, caller.name)
    return DocumentsReply(documents=[_described(each) for each in found])


@router.get("/{number}")
async def status(request: Request, number: str, caller: Caller = _CALLER) -> DocumentStatusReply:
    """A document with the progress of its translation."""
    return await _status(caller.actor, request, await _find(request, caller, number))


@router.get("/{number}/file", response_class=DownloadResponse)
async def file(request: Request, number: str, proposals: bool = True, caller: Caller = _CALLER) -> Response:
    """The translated document in its current state; without `proposals`, only edited and confirmed segments."""
    found = await _find(request, caller, number)
    made = await asyncio.to_thread(context_of(request).documents.file, caller.actor, found, with_proposals=proposals)
    return file_reply(made)


@router.delete("/{number}", status_code=204)
async def delete(request: Request, number: str, caller: Caller = _CALLER) -> Response:
    """Deletes a document, with the work of people on it."""
    found = await _find(request, caller, number)
    await asyncio.to_thread(context_of(request).documents.delete, caller.actor, found)
    return Response(status_code=204)


async def _find(request: Request, caller: Caller, number: str) -> ApiDocument:
    return await asyncio.to_thread(context_of(request).documents.find, caller.name, number)


async def _status(actor: Actor, request: Request, document: ApiDocument) -> DocumentStatusReply:
    progress = await asyncio.to_thread(context_of(request).documents.progress, actor, document)
    return DocumentStatusReply(
        **_described(document).model_dump(),
        **asdict(progress),
    )


def _described(document: ApiDocument) -> DocumentSchema:
    return DocumentSchema.model_validate(document, from_attributes=True)
