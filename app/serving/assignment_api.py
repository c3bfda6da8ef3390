"""Assignments of documents and parts of them in Pinpoint's own dialect, for keys that may export."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Final, TypeVar

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel, Field

from app.access.actor import Actor
from app.errors import ApiError, CommandError
from app.serving.admission import Caller
from app.serving.api_schemas import StrictSchema, Words
from app.serving.dialects import BEARER_KEY, KeyFirstRoute, context_of
from app.serving.own_api import PREFIX
from app.serving.session_api import exporter
from app.sessions.assignments import DocumentAssignment, UnknownDocument

PATH: Final = f"{PREFIX}/assignments"
T = TypeVar("T")
_NUMBER: Final = "A segment, counted from 1 in the order of the document; without both, the whole document."
SegmentNumber = Annotated[int | None, Query(ge=1, description=_NUMBER)]


class AssignmentsReply(BaseModel):
    """The assignments of all documents that the person of the key sees, the most recently used document first."""

    documents: list[DocumentAssignment]


class AssignRequest(StrictSchema):
    """To whom a document, or a part of it, is assigned."""

    person: Words = Field(description="A member of the document's project.", examples=["Ana"])
    first: int | None = Field(default=None, ge=1, description=_NUMBER)
    last: int | None = Field(default=None, ge=1, description=_NUMBER)


router = APIRouter(
    prefix=PATH, tags=["assignments"], route_class=KeyFirstRoute, dependencies=[BEARER_KEY, Depends(exporter)]
)
_EXPORTER = Depends(exporter)


@router.get("")
async def assignments(request: Request, caller: Caller = _EXPORTER) -> AssignmentsReply:
    """Assignments of documents and of their parts to people."""
    found = await asyncio.to_thread(context_of(request).assignments.all, caller.actor)
    return AssignmentsReply(documents=found)


@router.get("/{number}")
async def assignment(request: Request, number: int, caller: Caller = _EXPORTER) -> DocumentAssignment:
    """The assignment of a document, by the number of its session."""
    return await _tried(lambda: context_of(request).assignments.of(caller.actor, number))


@router.put("/{number}")
async def assign(request: Request, number: int, asked: AssignRequest, caller: Caller = _EXPORTER) -> DocumentAssignment:
    """Assigns a document, or a part of it, for a key whose person manages the project."""
    return await _assign(caller.actor, request, number, asked.person, asked.first, asked.last)


@router.delete("/{number}")
async def take_back(
    request: Request, number: int, first: SegmentNumber = None, last: SegmentNumber = None, caller: Caller = _EXPORTER
) -> DocumentAssignment:
    """Takes the assignment of a document, or of a part of it, back; for a key whose person manages the project."""
    return await _assign(caller.actor, request, number, "", first, last)


async def _assign(
    actor: Actor, request: Request, number: int, person: str, first: int | None, last: int | None
) -> DocumentAssignment:
    if (first is None) != (last is None):
        raise ApiError("invalid", "Give both first and last, or neither for the whole document.")
    segments = None if first is None or last is None else (first, last)
    context = context_of(request)
    found = await _tried(lambda: context.assignments.of(actor, number))
    if not context.store.people.access(actor).manages(found.project):
        raise ApiError("forbidden", "Only managers of this project can do that: ask one of them.")
    done, _ = await _tried(lambda: context.assignments.assign(actor, number, person, segments))
    return done


async def _tried(work: Callable[[], T]) -> T:
    try:
        return await asyncio.to_thread(work)
    except UnknownDocument as error:
        raise ApiError("not_found", str(error)) from error
    except CommandError as error:
        raise ApiError("invalid", str(error)) from error
