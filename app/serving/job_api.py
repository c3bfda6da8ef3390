"""Jobs in Pinpoint's own dialect: send many texts, follow their translation, fetch the results, cancel."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field, ValidationError

from app.errors import ApiError
from app.serving.admission import Caller
from app.serving.api_jobs import JobWork, Prepared
from app.serving.api_limits import MAX_JOB_TEXTS
from app.serving.api_schemas import AnswerSchema, List, Text, TextSchema, problem_of
from app.serving.constrained_texts import Answer
from app.serving.dialects import BEARER_KEY, ApiContext, KeyFirstRoute, caller_of, context_of
from app.serving.own_api import PREFIX, TranslateReply, TranslateRequest, items_of, setup_of
from app.serving.stored_jobs import ApiJob, JobState

PATH: Final = f"{PREFIX}/jobs"
router = APIRouter(prefix=PATH, tags=["jobs"], route_class=KeyFirstRoute, dependencies=[BEARER_KEY])
_CALLER = Depends(caller_of)


class JobRequest(TranslateRequest):
    """The body of a job: texts, each alone or with constraints."""

    texts: List[Text | TextSchema] = Field(
        min_length=1, max_length=MAX_JOB_TEXTS, examples=[["Open the file.", {"text": "Close it.", "phrases": ["zu"]}]]
    )


class JobReply(BaseModel):
    """A job with its progress."""

    id: str
    state: JobState
    problem: str = Field(description="Why it failed, or what a running job waits for.")
    direction: str
    num_texts: int
    num_done: int = Field(description="The texts whose results can be fetched: the first ones.")


class JobsReply(BaseModel):
    """All jobs of the person, oldest first."""

    jobs: list[JobReply]


@router.post("", status_code=201)
async def create(request: Request, asked: JobRequest, caller: Caller = _CALLER) -> JobReply:
    """Begins to translate many texts in the background. Their characters are charged at once.

    A job that was answered survives restarts of the server, with its finished results.
    """
    context, items = context_of(request), items_of(asked)
    setup = await setup_of(context, asked, caller, items)

    async def charge() -> None:
        await context.charge(caller, *[item.text for item in items])

    # The language of the texts is not detected again after a restart.
    stored = asked.model_copy(update={"source": setup.source}).model_dump_json()
    job = await context.jobs.create(caller, stored, (items, setup), charge, work_of(context))
    return _described(context, job)


@router.get("")
async def jobs(request: Request, caller: Caller = _CALLER) -> JobsReply:
    """The jobs of the person whose key is used."""
    context = context_of(request)
    found = await asyncio.to_thread(context.jobs.stored.all_of, caller.name)
    return JobsReply(jobs=[_described(context, job) for job in found])


@router.get("/{number}")
async def status(request: Request, number: str, caller: Caller = _CALLER) -> JobReply:
    """A job with its progress."""
    context = context_of(request)
    return _described(context, await asyncio.to_thread(context.jobs.stored.find, caller.name, number))


@router.get("/{number}/result", response_model=TranslateReply)
async def result(request: Request, number: str, caller: Caller = _CALLER) -> Response:
    """The results so far, in the order of the texts; all of them once the job is done."""

    def body() -> bytes:
        stored = context_of(request).jobs.stored
        job = stored.find(caller.name, number)
        head = TranslateReply(model=job.model, direction=job.direction, texts=[]).model_dump_json()
        return head.encode().removesuffix(b"]}") + stored.results(job) + b"]}"

    return Response(await asyncio.to_thread(body), media_type="application/json")


@router.delete("/{number}", status_code=204)
async def delete(request: Request, number: str, caller: Caller = _CALLER) -> Response:
    """Cancels a job if it is running, and deletes it with its results."""
    await context_of(request).jobs.delete(caller.name, number)
    return Response(status_code=204)


def _written(answer: Answer) -> bytes:
    return AnswerSchema.of(answer).model_dump_json().encode()


def work_of(context: ApiContext) -> JobWork:
    """How jobs of this dialect are carried out."""

    async def prepare(caller: Caller, stored: str) -> Prepared:
        try:
            asked = await asyncio.to_thread(JobRequest.model_validate_json, stored)
        except ValidationError as error:
            raise ApiError("invalid", f"This version cannot read the job: {problem_of(error.errors())}.") from error
        items = items_of(asked)
        return items, await setup_of(context, asked, caller, items)

    return JobWork(prepare, context.translations.translate, _written)


def _described(context: ApiContext, job: ApiJob) -> JobReply:
    return JobReply(
        id=job.id,
        state=job.state,
        problem=context.jobs.problem_of(job),
        direction=job.direction,
        num_texts=job.num_texts,
        num_done=job.num_done,
    )
