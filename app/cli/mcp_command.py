"""The command `mcp`: an assistant translates with constraints, looks up terms, and checks translations."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
from dataclasses import replace
from typing import Any

from pydantic import Field

from app.cli.mcp_server import Json, McpServer, Tool
from app.cli.translate import glossary_matcher
from app.errors import ApiError
from app.glossary import TermMatcher
from app.glossary.reading.row_checks import RowDecision
from app.models.loading import SEARCH, ModelHandle
from app.segments.findings import findings_of
from app.segments.state import SegmentState
from app.serving.admission import Caller
from app.serving.api_limits import MAX_CHARACTERS
from app.serving.api_schemas import AnswerSchema, LanguageSchema, StrictSchema, Text, TextSchema
from app.serving.keys import ApiKey
from app.serving.translations import TranslationService, fitting_directions, unsupported
from app.text.words import count_words


def mcp(flags: argparse.Namespace) -> int:
    """Answers an assistant until its messages end; returns 0."""
    messages, answers = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.redirect_stdout(sys.stderr):  # libraries must not write between the answers
        translation = TranslationTools(flags)
        try:
            McpServer(translation.tools()).serve(messages, answers)
        finally:
            translation.close()
    return 0


class TranslateArguments(LanguageSchema, TextSchema):
    """A text with its constraints and languages."""


class LookUpArguments(StrictSchema):
    """A text in the source language."""

    text: Text
    source: str | None = Field(default=None, description="Code of the source language.")
    target: str | None = Field(default=None, description="Code of the target language, such as de.")


class CheckArguments(LookUpArguments):
    """A text and its translation."""

    translation: str = Field(max_length=2 * MAX_CHARACTERS)


class TranslationTools:
    """The tools over one model and its glossaries. The model loads in the background."""

    def __init__(self, flags: argparse.Namespace) -> None:
        """Raises CommandError and GlossaryError for glossaries that cannot be read."""
        os.environ.setdefault("OMP_NUM_THREADS", str(flags.threads))
        self._paths = flags.glossary or []
        self._decision: RowDecision = flags.glossary_proposals
        self._caller = Caller(ApiKey(0, "mcp", ""))
        self._matchers: dict[str, TermMatcher] = {}
        self._model = ModelHandle(flags.model, device=flags.device)
        self._model.load_in_background(flags.threads)
        self._service = TranslationService(self._models, SEARCH)
        if self._model.directions:
            self._terms(self._model.direction)

    def tools(self) -> list[Tool]:
        """The three tools."""
        return [
            Tool(
                "translate",
                "Translates a text. The translation contains the required phrases and the terms of the glossaries, "
                "avoids banned texts, and keeps tags and placeholders. `placements` are the places of required texts.",
                TranslateArguments,
                self._translate,
            ),
            Tool(
                "look_up_terms",
                "Finds the terms of the glossaries in a text of the source language, with their translations.",
                LookUpArguments,
                self._look_up,
            ),
            Tool(
                "check",
                "Checks a translation against its source: missing terms, numbers, placeholders, tags, spaces, doubled "
                "words and the like. An empty list means that nothing was found.",
                CheckArguments,
                self._check,
            ),
        ]

    def close(self) -> None:
        """Ends the model."""
        self._model.close_before_exit()

    def _models(self) -> list[ModelHandle]:
        return [self._model]

    def _translate(self, asked: TranslateArguments) -> Json:
        self._model.wait()
        answer, direction = asyncio.run(self._translated(asked))
        return {"direction": direction, **answer.model_dump()}

    async def _translated(self, asked: TranslateArguments) -> tuple[AnswerSchema, str]:
        setup = await self._service.setup(asked.source, asked.target, asked.text, asked.style())
        setup = replace(setup, terms=self._terms(setup.direction))
        item = asked.constrain(asked.text)
        (answer,) = await self._service.translate(self._caller, [item], setup, _never)
        return AnswerSchema.of(answer), setup.direction

    def _look_up(self, asked: LookUpArguments) -> Json:
        direction = self._direction(asked)
        found = [
            {
                "text": asked.text[hit.start : hit.end],
                "start": hit.start,
                "end": hit.end,
                "source": hit.term.source,
                "target": hit.term.target,
                "variants": list(hit.term.variants),
                "status": hit.term.status,
                "note": hit.term.note,
                "glossary": hit.term.glossary,
            }
            for hit in self._terms(direction).find(asked.text)
        ]
        return {"direction": direction, "terms": found}

    def _check(self, asked: CheckArguments) -> Json:
        direction = self._direction(asked)
        hits = self._terms(direction).find(asked.text)
        segment = SegmentState(0, asked.text, count_words(asked.text), hits=tuple(hits))
        findings: list[dict[str, Any]] = [
            {"check": each.check, "message": str(each.message), "is_error": each.is_error, "texts": list(each.texts)}
            for each in findings_of(segment, asked.translation, direction)
        ]
        return {"direction": direction, "findings": findings}

    def _direction(self, asked: LookUpArguments) -> str:
        if not self._model.directions:
            self._model.wait()
        if asked.target is None:
            if asked.source is not None:
                raise ApiError("invalid", "target is missing: source needs it.")
            return self._model.direction
        fitting = fitting_directions(self._model, asked.source, asked.target)
        if not fitting:
            raise unsupported(asked.source, asked.target, self._model.directions)
        if len(fitting) > 1 and asked.source is None:
            raise ApiError("invalid", f"source is missing: there is {', '.join(fitting)}.")
        return fitting[0]

    def _terms(self, direction: str) -> TermMatcher:
        """The terms of all glossaries for a direction. Raises GlossaryError and CommandError."""
        if direction not in self._matchers:
            self._matchers[direction] = glossary_matcher(self._paths, direction, decision=self._decision)
        return self._matchers[direction]


async def _never() -> None:
    """Waits for a caller to hang up; the assistant waits for its answer."""
    await asyncio.Event().wait()
