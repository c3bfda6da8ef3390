"""Projects with their totals, and deadlines of projects and documents, in Pinpoint's own dialect.

For keys that may export.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field

from app.access.actor import Actor
from app.errors import ApiError, CommandError
from app.log.deadlines import Urgency, parse_deadline
from app.serving.admission import Caller
from app.serving.api_schemas import StrictSchema
from app.serving.dialects import BEARER_KEY, KeyFirstRoute, context_of
from app.serving.own_api import PREFIX
from app.serving.session_api import exporter

_TIME: Final = "A time in UTC, in ISO 8601."


class ProjectSchema(BaseModel):
    """A project of the page."""

    id: int
    name: str
    client: str
    direction: str
    num_documents: int


class ProjectsReply(BaseModel):
    """The projects that the person of the key sees."""

    projects: list[ProjectSchema]


class AmountSchema(BaseModel):
    """Segments with the words of their sources: in all, done (confirmed), to do, and locked, which are neither."""

    num_segments: int
    num_words: int = Field(description="Characters, where the languages of the project do not separate words.")
    num_segments_done: int
    num_words_done: int
    num_segments_to_do: int
    num_words_to_do: int
    num_segments_locked: int
    num_words_locked: int


class DocumentTotalsSchema(BaseModel):
    """The totals of a document."""

    session: int
    name: str
    assignee: str
    deadline: str | None = Field(description=f"{_TIME} null: the document has that of the project.")
    due: str | None = Field(description="The deadline of the document or else of the project.")
    urgency: Urgency = Field(description="overdue, soon (within a day), or empty; empty if nothing is to do.")
    amount: AmountSchema


class PersonTotalsSchema(BaseModel):
    """The totals of the segments of a person; those of the person with an empty name are assigned to nobody."""

    name: str
    due: str | None = Field(description="The first deadline of those that are to do.")
    urgency: Urgency
    amount: AmountSchema


class ProjectTotalsReply(BaseModel):
    """The totals of a project."""

    project: int
    deadline: str | None = Field(description=_TIME)
    unit: str = Field(description="words or characters")
    urgency: Urgency
    documents: list[DocumentTotalsSchema]
    people: list[PersonTotalsSchema]
    amount: AmountSchema


class DeadlineRequest(StrictSchema):
    """When a project or a document is due."""

    deadline: str = Field(
        max_length=40, description="A time with its time zone, in ISO 8601.", examples=["2026-12-04T17:00+01:00"]
    )


router = APIRouter(
    prefix=PREFIX, tags=["projects"], route_class=KeyFirstRoute, dependencies=[BEARER_KEY, Depends(exporter)]
)
_EXPORTER = Depends(exporter)


@router.get("/projects")
async def projects(request: Request, caller: Caller = _EXPORTER) -> ProjectsReply:
    """The projects of the page."""
    found = await asyncio.to_thread(context_of(request).store.projects, caller.actor)
    return ProjectsReply(
        projects=[
            ProjectSchema(
                id=one.project.id,
                name=one.project.name,
                client=one.project.client,
                direction=one.project.direction,
                num_documents=one.num_documents,
            )
            for one in found
        ]
    )


@router.get("/projects/{number}/totals")
async def totals(request: Request, number: int, caller: Caller = _EXPORTER) -> ProjectTotalsReply:
    """What is done and to do in a project, by document and by person, with deadlines."""
    return await asyncio.to_thread(_totals, caller.actor, request, number)


@router.put("/projects/{number}/deadline")
async def set_deadline(
    request: Request, number: int, asked: DeadlineRequest, caller: Caller = _EXPORTER
) -> ProjectTotalsReply:
    """Sets the deadline of a project, for its documents without their own; for a key whose person manages it."""
    return await asyncio.to_thread(_set_of_project, caller.actor, request, number, asked.deadline)


@router.delete("/projects/{number}/deadline")
async def remove_deadline(request: Request, number: int, caller: Caller = _EXPORTER) -> ProjectTotalsReply:
    """Removes the deadline of a project, for a key whose person manages it."""
    return await asyncio.to_thread(_set_of_project, caller.actor, request, number, None)


@router.put("/sessions/{number}/deadline")
async def set_document_deadline(
    request: Request, number: int, asked: DeadlineRequest, caller: Caller = _EXPORTER
) -> ProjectTotalsReply:
    """Sets the deadline of a document, for a key whose person manages its project; the reply has the whole project."""
    return await asyncio.to_thread(_set_of_document, caller.actor, request, number, asked.deadline)


@router.delete("/sessions/{number}/deadline")
async def remove_document_deadline(request: Request, number: int, caller: Caller = _EXPORTER) -> ProjectTotalsReply:
    """Leaves the deadline of a document to its project, for a key whose person manages it."""
    return await asyncio.to_thread(_set_of_document, caller.actor, request, number, None)


def _totals(actor: Actor, request: Request, number: int) -> ProjectTotalsReply:
    _check_project(actor, request, number)
    return ProjectTotalsReply.model_validate(context_of(request).totals.with_times(actor, number))


def _check_project(actor: Actor, request: Request, number: int) -> None:
    if all(one.project.id != number for one in context_of(request).store.projects(actor)):
        raise ApiError("not_found", "There is no project with this number.")


def _set_of_project(actor: Actor, request: Request, number: int, deadline: str | None) -> ProjectTotalsReply:
    context = context_of(request)
    _check_project(actor, request, number)
    _change(actor, request, number, lambda: context.totals.set_project_deadline(actor, number, _ms(deadline)))
    return _totals(actor, request, number)


def _set_of_document(actor: Actor, request: Request, number: int, deadline: str | None) -> ProjectTotalsReply:
    context = context_of(request)
    found = next((one for one in context.store.sessions(actor) if one.id == number), None)
    if found is None:
        raise ApiError("not_found", "There is no session with this number.")
    project = found.project_id
    _change(actor, request, project, lambda: context.totals.set_document_deadline(actor, number, _ms(deadline)))
    return _totals(actor, request, project)


def _change(actor: Actor, request: Request, project: int, change: Callable[[], object]) -> None:
    if not context_of(request).store.people.access(actor).manages(project):
        raise ApiError("forbidden", "Only managers of this project can do that: ask one of them.")
    try:
        change()
    except CommandError as error:
        raise ApiError("invalid", str(error)) from error


def _ms(deadline: str | None) -> int | None:
    return None if deadline is None else parse_deadline(deadline)
