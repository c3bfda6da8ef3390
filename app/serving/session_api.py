"""The sessions of the page as files and as streams of events, in Pinpoint's own dialect, for keys that may export."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from itertools import islice
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from app.access.actor import Actor
from app.errors import ApiError
from app.formats.documents import Export
from app.log.records import Event, to_json
from app.log.store import LogStore
from app.reports.exports import EXPORTS
from app.reports.jsonl import event_line
from app.reports.review_table import REVIEW_TABLES, RowChoice
from app.reports.translated_document import translated_document
from app.segments.stored_state import restore_segment
from app.serving.admission import Caller
from app.serving.dialects import BEARER_KEY, DownloadResponse, KeyFirstRoute, caller_of, context_of, file_reply
from app.serving.own_api import PREFIX

EVENT_STREAM: Final = "text/event-stream"
POLL_SECONDS: Final = 0.25
KEEP_ALIVE_SECONDS: Final = 15.0
EVENTS_PER_PAGE: Final = 200
DOCUMENT: Final = "document"  # the translated document; the other kinds are those of EXPORTS


class SessionSchema(BaseModel, from_attributes=True):
    """A document that was opened on the page."""

    id: int
    document: str = Field(validation_alias="document_name")
    direction: str
    num_segments: int
    num_confirmed: int = Field(description="Without locked ones.")
    num_locked: int
    created_ms: int = Field(description="Milliseconds since 1970.")
    last_ms: int


class SessionsReply(BaseModel):
    """All sessions in the log, and the kinds of files that each can be had as."""

    kinds: list[str]
    sessions: list[SessionSchema]


async def exporter(caller: Caller = Depends(caller_of)) -> Caller:  # noqa: B008
    """The caller, whose key may export. Raises ApiError."""
    if not caller.key.may_export:
        message = "This key may not read sessions: `pinpoint keys create NAME --may-export` makes one that may."
        raise ApiError("forbidden", message)
    return caller


async def stream_place(request: Request, caller: Caller = Depends(exporter)) -> AsyncIterator[Caller]:  # noqa: B008
    """The caller, while a stream is open. Raises ApiError."""
    with context_of(request).admission.streaming(caller):
        yield caller


router = APIRouter(
    prefix=PREFIX, tags=["sessions"], route_class=KeyFirstRoute, dependencies=[BEARER_KEY, Depends(exporter)]
)
_EXPORTER = Depends(exporter)


@router.get("/sessions")
async def sessions(request: Request, caller: Caller = _EXPORTER) -> SessionsReply:
    """The sessions of the page, the most recent first."""
    found = await asyncio.to_thread(_store(request).sessions, caller.actor)
    return SessionsReply(kinds=[DOCUMENT, *EXPORTS], sessions=list(map(SessionSchema.model_validate, found)))


@router.get(
    "/sessions/{number}/events",
    response_class=StreamingResponse,
    responses={200: {"description": "A server-sent event for each event of the log.", "content": {EVENT_STREAM: {}}}},
)
async def events(
    request: Request,
    number: int,
    after: Annotated[int, Query(ge=0, description="The number of the last event that the caller has.")] = 0,
    last_event_id: Annotated[int | None, Header(ge=0, description="As browsers send it; counts instead.")] = None,
    caller: Caller = Depends(stream_place),  # noqa: B008
) -> Response:
    """The events of a session, with their hashes: first the existing events, then each new one.

    The id of an event is its number. The stream ends when the session is deleted, the key is revoked, or the server
    stops.
    """
    found = [
        each.token for each in await asyncio.to_thread(_store(request).sessions, caller.actor) if each.id == number
    ]
    if not found:
        raise ApiError("not_found", "There is no session with this number.")
    first = after if last_event_id is None else last_event_id
    return StreamingResponse(_events(request, caller, number, found[0], first), media_type=EVENT_STREAM)


@router.get("/sessions/{number}/{kind}", response_class=DownloadResponse)
async def export(
    request: Request,
    number: int,
    kind: str,
    segments: Annotated[str, Query(description="Of a table for review, only these segments, such as 1-40,57.")] = "",
    states: Annotated[
        str, Query(description="Of a table for review, only segments in these states, such as edited,confirmed.")
    ] = "",
    caller: Caller = _EXPORTER,
) -> Response:
    """A session as a file: its translated document, its log, a table, a memory, …"""
    rows = RowChoice.of(segments, states)
    file = await asyncio.to_thread(_file, caller.actor, _store(request), number, kind, rows)
    return file_reply(file)


async def _events(request: Request, caller: Caller, number: int, token: str, after: int) -> AsyncIterator[str]:
    """The events after number `after`. A comment every KEEP_ALIVE_SECONDS shows proxies that the stream is alive."""
    store, keys = _store(request), context_of(request).admission.file

    def count_events() -> int | None:
        """None if the session was deleted, whose number may be given to another one, or the key revoked."""
        return store.num_events(caller.actor, token) if keys.is_valid(caller.key) else None

    silent_since = time.monotonic()
    while not request.app.state.is_stopping:
        num_events = await asyncio.to_thread(count_events)
        if num_events is None:
            return
        if num_events > after:
            for event in await asyncio.to_thread(_page, store, number, after):
                yield f"id: {event.seq}\ndata: {to_json(event_line(event))}\n\n"
                after = event.seq
            silent_since = time.monotonic()
            continue
        if time.monotonic() - silent_since > KEEP_ALIVE_SECONDS:
            yield ":\n\n"
            silent_since = time.monotonic()
        await asyncio.sleep(POLL_SECONDS)


def _page(store: LogStore, number: int, after: int) -> list[Event]:
    return list(islice(store.events(number, after=after), EVENTS_PER_PAGE))


def _file(actor: Actor, store: LogStore, number: int, kind: str, rows: RowChoice) -> Export:
    if all(summary.id != number for summary in store.sessions(actor)):
        raise ApiError("not_found", "There is no session with this number.")
    if kind in REVIEW_TABLES:
        return REVIEW_TABLES[kind](actor, store, number, choice=rows)
    if rows:
        raise ApiError("invalid", f"Only these have segments or states: {', '.join(REVIEW_TABLES)}.")
    if kind in EXPORTS:
        return EXPORTS[kind](actor, store, number)
    if kind != DOCUMENT:
        raise ApiError("not_found", f"Unknown kind; choose one of: {', '.join([DOCUMENT, *EXPORTS])}.")
    session = store.load_session(actor, number)
    segments = map(restore_segment, session.segments)
    return translated_document(session.document, segments, session.direction.partition("-")[2])


def _store(request: Request) -> LogStore:
    return context_of(request).store
