"""Translation memories in DeepL's dialect: one for each language pair, which programs can read.

Its id is the language pair, such as en-de. Entries are added on the page, by `pinpoint memory`, and in the
dialect of `tmserver`.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.errors import ApiError
from app.serving.admission import Caller
from app.serving.api_fields import boolean_field, number_field, optional_field, query
from app.serving.deepl_api import Entered, Fields
from app.serving.dialects import DEEPL_KEY, context_of
from app.tm.entries import MemoryEntry
from app.tm.library import languages_of

PATH: Final = "/v3/translation_memories"
_MAX_LISTED: Final = 25
_MAX_SEGMENTS: Final = 100
_PAGE: Final = number_field("page", 9_999, "The number of the page, from 0.")
_PAGE_SIZE: Final = number_field("page_size", _MAX_LISTED, f"How many are returned; {_MAX_LISTED} without it.")
_SEGMENTS: Final = number_field("page_size", _MAX_SEGMENTS, "How many are returned; 50 without it.")
_CURSOR: Final = optional_field("page_cursor", "`next_page_cursor` of the page before.")
_FILTER: Final = optional_field("filter_text", "Text that the source or the target contains.")
_CASE: Final = boolean_field("filter_case_sensitive", False, "Whether its case counts.")

router = APIRouter(prefix=PATH, tags=["DeepL"], dependencies=[DEEPL_KEY])

# The functions are not asynchronous: FastAPI calls them in threads, as they read the memory.


@router.get("", openapi_extra=query(_PAGE, _PAGE_SIZE))
def memories(request: Request, caller: Entered, fields: Fields) -> Response:
    """The memories of which the person sees entries."""
    size = _PAGE_SIZE.of(fields) or _MAX_LISTED
    found = [_described(each, _entries(request, caller, each)) for each in context_of(request).memory.directions()]
    shown = [each for each in found if each["segment_count"]]
    first = _PAGE.of(fields) * size
    return JSONResponse({"translation_memories": shown[first : first + size], "total_count": len(shown)})


@router.get("/{number}")
def memory(request: Request, number: str, caller: Entered) -> Response:
    """The memory of a language pair."""
    return JSONResponse(_described(number, _entries(request, caller, number)))


@router.get("/{number}/segments", openapi_extra=query(_SEGMENTS, _CURSOR, _FILTER, _CASE))
def segments(request: Request, number: str, caller: Entered, fields: Fields) -> Response:
    """The entries of a memory, in pages."""
    entries = _entries(request, caller, number)
    cursor, size, wanted = _CURSOR.of(fields) or "0", _SEGMENTS.of(fields) or 50, _FILTER.of(fields)
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
        raise ApiError("invalid", "page_cursor is not that of an earlier page.")
    first = int(cursor)
    convert = str if _CASE.of(fields) else str.casefold
    if wanted:
        wanted = convert(wanted)
        found = [each for each in entries if wanted in convert(each.source) or wanted in convert(each.target)]
    else:
        found = entries
    target = languages_of(number)[1]
    reply: dict[str, Any] = {
        "segments": [_segment(each, target) for each in found[first : first + size]],
        "segment_count": len(entries),
    }
    if first + size < len(found):
        reply["next_page_cursor"] = str(first + size)
    return JSONResponse(reply)


def _entries(request: Request, caller: Caller, direction: str) -> list[MemoryEntry]:
    """The entries of a language pair that the person sees. Raises ApiError for one that nobody uses."""
    context = context_of(request)
    if direction not in (*context.memory.directions(), *context.translations.directions()):
        raise ApiError("not_found", "There is no such translation memory: its id is a language pair, such as en-de.")
    return context.memory.seen(caller.actor, direction)


def _described(direction: str, entries: list[MemoryEntry]) -> dict[str, Any]:
    source, target = languages_of(direction)
    times = {}
    if entries:
        times["updated_time"] = _time(max(entry.changed_ms for entry in entries))
    return {
        "translation_memory_id": direction,
        "name": direction,
        "source_language": source,
        "target_languages": [target],
        "segment_count": len(entries),
        **times,
    }


def _segment(entry: MemoryEntry, language: str) -> dict[str, Any]:
    source_id, target_id = (
        hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        for text in (entry.source, f"{entry.source}\0{entry.target}")
    )
    target = {"target_segment_id": target_id, "target_language": language, "target_text": entry.target}
    changed = _time(entry.changed_ms)
    return {
        "source_segment_id": source_id,
        "source_text": entry.source,
        "updated_time": changed,
        "targets": [{**target, "updated_time": changed}],
    }


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
