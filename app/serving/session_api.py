"""The sessions of the page as files, in Pinpoint's own dialect. Needs a key that may export."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from app.errors import ApiError
from app.formats.documents import Export
from app.log.store import LogStore
from app.reports.exports import EXPORTS
from app.reports.translated_document import translated_document
from app.serving.admission import Caller
from app.serving.dialects import context_of, file_reply
from app.serving.own_api import PREFIX, bearer

DOCUMENT: Final = "document"  # the translated document; the other kinds are those of EXPORTS


class SessionSchema(BaseModel):
    """A document that was opened on the page."""

    id: int
    document: str
    direction: str
    num_segments: int
    num_confirmed: int
    created_ms: int = Field(description="Milliseconds since 1970.")
    last_ms: int


class SessionsReply(BaseModel):
    """All sessions in the log, and the kinds of files that each can be had as."""

    kinds: list[str]
    sessions: list[SessionSchema]


async def exporter(caller: Caller = Depends(bearer)) -> Caller:  # noqa: B008
    """The caller, whose key may export. Raises ApiError."""
    if not caller.key.may_export:
        message = "This key may not read sessions: `pinpoint keys create NAME --may-export` makes one that may."
        raise ApiError("forbidden", message)
    return caller


router = APIRouter(prefix=PREFIX, tags=["sessions"], dependencies=[Depends(exporter)])


@router.get("/sessions")
async def sessions(request: Request) -> SessionsReply:
    """The sessions of the page, the most recent first."""
    found = await asyncio.to_thread(_store(request).sessions)
    shapes = [
        SessionSchema(
            id=each.id,
            document=each.document_name,
            direction=each.direction,
            num_segments=each.num_segments,
            num_confirmed=each.num_confirmed,
            created_ms=each.created_ms,
            last_ms=each.last_ms,
        )
        for each in found
    ]
    return SessionsReply(kinds=[DOCUMENT, *EXPORTS], sessions=shapes)


@router.get("/sessions/{number}/{kind}", response_class=Response)
async def export(request: Request, number: int, kind: str) -> Response:
    """A session as a file: its translated document, its log, a table, a memory, …"""
    file = await asyncio.to_thread(_file, _store(request), number, kind)
    return file_reply(file)


def _file(store: LogStore, number: int, kind: str) -> Export:
    if all(summary.id != number for summary in store.sessions()):
        raise ApiError("not_found", "There is no session with this number.")
    if kind in EXPORTS:
        return EXPORTS[kind](store, number)
    if kind != DOCUMENT:
        raise ApiError("not_found", f"There is no such kind: {', '.join([DOCUMENT, *EXPORTS])}.")
    session = store.load_session(number)
    return translated_document(session.document, session.segments, session.direction.partition("-")[2])


def _store(request: Request) -> LogStore:
    return context_of(request).store
