"""The four line commands: one answer for each input line, in the order of the lines. Independent of files and flags."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Event
from typing import TypeVar

from engine.cli.jobs import (
    AlternativesJob,
    Defaults,
    Job,
    alternatives_job,
    job,
    plain_job,
    price_job,
    score_job,
)
from engine.cli.lines import InputLine, LineProblem, parse_object
from engine.cli.output import AnswerFormatter, Json, problem
from engine.decoding.loop import crash_message, failed
from engine.errors import InvalidRequest
from engine.request import Request
from engine.search_options import SearchOptions
from engine.translation import Hypothesis, Translation
from engine.translator import Translator

_WINDOW_BATCHES = 8

T = TypeVar("T")
Answer = tuple[InputLine, Json]


@dataclass(frozen=True)
class LineCommands:
    """The collaborators of every command. After `cancel`, finished answers are still returned, and then no more.

    `batch_size` sentences are decoded together, from a window of lines read ahead. With a batch size of 1, or with a
    deadline, lines are decoded one at a time and nothing is read ahead.
    """

    translator: Translator
    defaults: Defaults
    records: AnswerFormatter
    cancel: Event
    batch_size: int = 16
    deadline_ms: float | None = None
    is_plain: bool = False

    def translate(self, lines: Iterable[InputLine]) -> Iterator[Answer]:
        if self.batch_size == 1 or self.deadline_ms is not None:
            return self._one_by_one(lines, self._translated_alone)
        return self._in_windows(lines)

    def score(self, lines: Iterable[InputLine]) -> Iterator[Answer]:
        return self._one_by_one(lines, self._scored)

    def alternatives(self, lines: Iterable[InputLine]) -> Iterator[Answer]:
        return self._one_by_one(lines, self._alternatives)

    def price(self, lines: Iterable[InputLine]) -> Iterator[Answer]:
        return self._one_by_one(lines, self._priced)

    # -- one line ------------------------------------------------------------------------------------------------------

    def _translated_alone(self, line: InputLine) -> Json:
        wanted = self._job(line)
        try:
            translation = self.translator.translate(
                wanted.request, wanted.options, cancel=self.cancel, deadline_ms=self.deadline_ms
            )
        except Exception as error:  # of any kind: as in a batch
            translation = failed(wanted.request, error)
        return self._translated(translation)

    def _scored(self, line: InputLine) -> Json:
        wanted = score_job(parse_object(line.text), self.defaults)
        return self.records.score(self._score(wanted.request, wanted.target, wanted.tokens))

    def _score(self, request: Request, target: str | None, tokens: Sequence[int] | None) -> Hypothesis:
        """The model's score of a translation of the request's source; constraints are ignored."""
        return self.translator.score(
            request.source,
            target,
            tokens=tokens,
            direction=request.direction,
            domain=request.domain,
            formality=request.formality,
            split_sentences=request.split_sentences,
        )

    def _alternatives(self, line: InputLine) -> Json:
        started = time.perf_counter()
        wanted = alternatives_job(parse_object(line.text), self.defaults)
        hypothesis = self._hypothesis(wanted)
        deadline_ms = self.deadline_ms
        if deadline_ms is not None:
            deadline_ms = max(0.0, deadline_ms - (time.perf_counter() - started) * 1000)
        found = self.translator.alternatives(
            wanted.request,
            hypothesis,
            wanted.offset,
            wanted.count,
            wanted.options,
            cancel=self.cancel,
            deadline_ms=deadline_ms,
        )
        return self.records.alternatives(hypothesis.text, wanted.offset, found)

    def _hypothesis(self, wanted: AlternativesJob) -> Hypothesis:
        """The translation in which to replace a word: the given one, or else the best."""
        request = wanted.request
        if wanted.target is not None or wanted.tokens is not None:
            return self._score(request, wanted.target, wanted.tokens)
        translation = self.translator.translate(
            request, wanted.options, cancel=self.cancel, deadline_ms=self.deadline_ms
        )
        if not translation.hypotheses:
            reasons = "; ".join(reason.message for reason in translation.reasons)
            raise LineProblem("invalid", f"there is no translation to change: {reasons or translation.status}")
        return translation.hypotheses[0]

    def _priced(self, line: InputLine) -> Json:
        wanted = price_job(parse_object(line.text), self.defaults)
        pricing = self.translator.price(
            wanted.request, wanted.options, cancel=self.cancel, deadline_ms=self.deadline_ms
        )
        return self.records.pricing(pricing)

    def _job(self, line: InputLine) -> Job:
        if self.is_plain:
            return plain_job(line.text, self.defaults)
        return job(parse_object(line.text), self.defaults)

    # -- all lines -----------------------------------------------------------------------------------------------------

    def _one_by_one(self, lines: Iterable[InputLine], answer: Callable[[InputLine], Json]) -> Iterator[Answer]:
        for line in lines:
            found = _or_problem(answer, line)
            if self.cancel.is_set():  # it may be half an answer
                return
            yield line, found

    def _in_windows(self, lines: Iterable[InputLine]) -> Iterator[Answer]:
        lines = iter(lines)
        while not self.cancel.is_set() and (window := list(islice(lines, self.batch_size * _WINDOW_BATCHES))):
            yield from _in_order(window, self._answers(window))

    def _answers(self, window: list[InputLine]) -> Iterator[tuple[int, Json]]:
        """The answer to each line of a window with its index in the window, as soon as it is known."""
        places: defaultdict[SearchOptions, list[int]] = defaultdict(list)
        jobs: dict[int, Job] = {}
        for place, line in enumerate(window):
            found = _or_problem(self._job, line)
            if isinstance(found, Job):
                jobs[place] = found
                places[found.options].append(place)
            else:
                yield place, found
        for options, those in places.items():
            requests = (jobs[place].request for place in those)
            translations = self.translator.translate_all(
                requests, options, batch_size=self.batch_size, cancel=self.cancel
            )
            for place, translation in zip(those, translations, strict=True):
                if translation.status != "cancelled":
                    yield place, self._translated(translation)

    def _translated(self, translation: Translation) -> Json:
        """The same result as processing the line alone: an invalid request is an error of the line."""
        if translation.status == "failed" and translation.reasons[0].kind == "invalid":
            return problem("invalid", translation.reasons[0].message)
        return self.records.translation(translation)


def _or_problem(answer: Callable[[InputLine], T], line: InputLine) -> T | Json:
    """The answer to a line, or the error object that explains why there is none."""
    try:
        return answer(line)
    except LineProblem as error:
        return problem(error.kind, error.message)
    except InvalidRequest as error:
        return problem("invalid", str(error))
    except Exception as error:  # of any kind: the other lines go on
        return problem("crashed", crash_message(error))


def _in_order(window: list[InputLine], answers: Iterable[tuple[int, Json]]) -> Iterator[Answer]:
    """The answers in line order, each as soon as all before it are ready; at the end also those behind a gap."""
    done: dict[int, Json] = {}
    following = 0
    for place, answer in answers:
        done[place] = answer
        while following in done:
            yield window[following], done.pop(following)
            following += 1
    for place in sorted(done):
        yield window[place], done[place]
