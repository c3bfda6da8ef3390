"""Jobs in Pinpoint's own dialect: send many texts, follow their translation, fetch the results, cancel."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from app.serving.admission import Caller
from app.serving.api_jobs import ApiJob, JobState
from app.serving.api_limits import MAX_JOB_TEXTS
from app.serving.api_schemas import AnswerSchema, List, Text, TextSchema
from app.serving.constrained_texts import Answer
from app.serving.dialects import BEARER_KEY, KeyFirstRoute, caller_of, context_of
from app.serving.own_api import PREFIX, TranslateReply, TranslateRequest, items_of, setup_of

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
    problem: str = Field(description="Why it failed.")
    direction: str
    num_texts: int
    num_done: int = Field(description="The texts whose results can be fetched: the first ones.")


class JobsReply(BaseModel):
    """All jobs of the person, oldest first."""

    jobs: list[JobReply]


@router.post("", status_code=201)
async def create(request: Request, asked: JobRequest, caller: Caller = _CALLER) -> JobReply:
    """Begins to translate many texts in the background. Their characters are charged at once."""
    context, items = context_of(request), items_of(asked)
    context.jobs.check_room(caller.name, items)
    setup = await setup_of(request, asked, caller, items)
    await context.charge(caller, *[item.text for item in items])
    context.jobs.check_room(caller.name, items)  # another request may have come meanwhile

    return _described(context.jobs.start(caller, items, setup, context.translations.translate, _written))


@router.get("")
async def jobs(request: Request, caller: Caller = _CALLER) -> JobsReply:
    """The jobs of the person whose key is used."""
    return JobsReply(jobs=list(map(_described, context_of(request).jobs.all_of(caller.name))))


@router.get("/{number}")
async def status(request: Request, number: str, caller: Caller = _CALLER) -> JobReply:
    """A job with its progress."""
    return _described(context_of(request).jobs.find(caller.name, number))


@router.get("/{number}/result", response_model=TranslateReply)
async def result(request: Request, number: str, caller: Caller = _CALLER) -> Response:
    """The results so far, in the order of the texts; all of them once the job is done."""
    job = context_of(request).jobs.find(caller.name, number)
    head = TranslateReply(model=job.setup.model.name, direction=job.setup.direction, texts=[]).model_dump_json()
    body = head.encode().removesuffix(b"]}") + b",".join(job.answers) + b"]}"
    return Response(body, media_type="application/json")


@router.delete("/{number}", status_code=204)
async def delete(request: Request, number: str, caller: Caller = _CALLER) -> Response:
    """Cancels a job if it is running, and deletes it with its results."""
    context_of(request).jobs.delete(caller.name, number)
    return Response(status_code=204)


def _written(answer: Answer) -> bytes:
    return AnswerSchema.of(answer).model_dump_json().encode()


def _described(job: ApiJob) -> JobReply:
    return JobReply(
        id=job.id,
        state=job.state,
        problem=job.problem,
        direction=job.setup.direction,
        num_texts=len(job.items),
        num_done=len(job.answers),
    )
