"""What requests and steps cost on this machine, measured with a model: the input of the simulation."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any, Final

from app.models.loading import SEARCH
from app.workspace.model_questions import COMPLETION_STRENGTH
from benchmarks.capacity.habits import Ask, Kind
from engine import AlternativesQuestion, Follow, Phrase, PriceQuestion, Question, Request, SearchOptions, Translator
from engine.decoding.loop import DecodingJob, JobState
from engine.decoding.question_loop import QuestionLoop, QuestionRun
from engine.interruption import NEVER
from engine.text.boundaries import words as words_of
from engine.worker.worker import BATCH_SIZE

BATCHES: Final = (1, 2, 4, 8, 16)
NUM_ALTERNATIVES: Final = 8
COMPLETION: Final = replace(SEARCH, nbest=1)


@dataclass(frozen=True, slots=True)
class Segment:
    """One sentence with all that a person asks about it; each pin keeps those before it."""

    translation: Request
    pins: tuple[Request, ...]
    completion: Request
    alternatives: AlternativesQuestion

    def asked(self, ask: Ask) -> tuple[Request, SearchOptions] | Question[Any]:
        """What the app would ask of the model."""
        if ask.kind == "price":  # prices are the model's own: they do not follow a text
            return PriceQuestion(replace(self.pins[ask.number % len(self.pins)], follow=None), SEARCH)
        if ask.kind == "alternatives":
            return self.alternatives
        if ask.kind == "pin":
            return self.pins[ask.number % len(self.pins)], SEARCH
        return (self.completion, COMPLETION) if ask.kind == "completion" else (self.translation, SEARCH)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one request costs alone: steps of the model, and milliseconds of processor time."""

    num_steps: int
    ms: float


@dataclass(frozen=True, slots=True)
class Costs:
    """What a model costs on a machine: milliseconds of a step by its number of sentences, and samples by kind."""

    step_ms: dict[int, float]
    samples: dict[Kind, list[Cost]]

    def step(self, num_sentences: int) -> float:
        """Milliseconds of a step, interpolated between those measured."""
        below = max((size for size in self.step_ms if size <= num_sentences), default=min(self.step_ms))
        above = min((size for size in self.step_ms if size >= num_sentences), default=max(self.step_ms))
        share = (num_sentences - below) / (above - below) if above > below else 0.0
        return self.step_ms[below] + share * (self.step_ms[above] - self.step_ms[below])

    def begin_ms(self, kind: Kind) -> float:
        """Mean milliseconds of a request besides its steps: preparing and encoding it, and its result."""
        rest = [cost.ms - cost.num_steps * self.step_ms[1] for cost in self.samples[kind]]
        return max(0.0, statistics.mean(rest))


def segments_of(translator: Translator, sources: Sequence[str], chance: random.Random) -> list[Segment]:
    """The sentences that have a translation of three words or more, with requests for words of it."""
    found = []
    for source in sources:
        translation = translator.translate(Request(source), SEARCH)
        best = translation.hypotheses[0] if translation.hypotheses else None
        words = [word for word in best.text.split() if word.isalpha()] if best else []
        if best is None or len(words) < 3:
            continue
        first, second = chance.sample(words, 2)
        whole = Request(source, follow=Follow(best.text))
        one = replace(whole, phrases=(Phrase(first),))
        half = best.text[: len(best.text) // 2]
        completion = Request(source, prefix=half, follow=Follow(best.text, COMPLETION_STRENGTH))
        piece, _ = chance.choice(words_of(best.text, best.token_spans))
        question = AlternativesQuestion(Request(source), tuple(best.tokens), piece, NUM_ALTERNATIVES, SEARCH)
        both = replace(one, phrases=(Phrase(first), Phrase(second)))
        found.append(Segment(Request(source), (one, both), completion, question))
    return found


def measure(translator: Translator, segments: Sequence[Segment], steps_per_batch: int = 150) -> Costs:
    """The costs of a model, by the processor time of this thread: set PyTorch to one thread first."""
    samples: dict[Kind, list[Cost]] = {
        kind: [] for kind in ("translation", "document", "pin", "completion", "price", "alternatives")
    }
    for segment in segments:
        asks = [Ask("translation", 0), Ask("pin", 0), Ask("price", 0), Ask("completion", 0), Ask("alternatives", 0)]
        for ask in [*asks, Ask("pin", 0, 1), Ask("price", 0, 1)]:
            samples[ask.kind].append(_cost_alone(translator, segment.asked(ask)))
    samples["document"] = samples["translation"]
    step_ms = {size: _step_ms(translator, segments, size, steps_per_batch) for size in BATCHES}
    return Costs(step_ms, samples)


def _loop(translator: Translator) -> QuestionLoop[DecodingJob, QuestionRun]:
    """As in the worker."""
    new = translator.decoding_loop
    return QuestionLoop(new(2 * BATCH_SIZE, "fifo", 1.0), lambda num_jobs: new(num_jobs, "batch"))


def _cost_alone(translator: Translator, asked: tuple[Request, SearchOptions] | Question[Any]) -> Cost:
    loop = _loop(translator)
    began, num_steps = time.thread_time(), 0
    if isinstance(asked, tuple):
        loop.add(DecodingJob(*asked))
    else:
        loop.ask(QuestionRun(asked.steps(translator, NEVER)))
    while len(loop):
        loop.step()
        num_steps += 1
    return Cost(num_steps, round(1000 * (time.thread_time() - began), 3))


def _step_ms(translator: Translator, segments: Sequence[Segment], num_sentences: int, num_steps: int) -> float:
    """Median milliseconds of a step of so many sentences in which none begins or ends."""
    requests = cycle([asked for segment in segments for asked in _translated(segment)])
    loop = translator.decoding_loop(2 * BATCH_SIZE, "fifo", 1.0)
    taken: list[float] = []
    while len(taken) < num_steps:
        is_same = len(loop) == num_sentences
        while len(loop) < num_sentences:
            loop.add(DecodingJob(*next(requests)))
        began = time.thread_time()
        ended = loop.step()
        if is_same and not any(job.state is JobState.FINISHED for job in ended):
            taken.append(1000 * (time.thread_time() - began))
    return round(statistics.median(taken), 3)


def _translated(segment: Segment) -> list[tuple[Request, SearchOptions]]:
    return [(segment.translation, SEARCH), *((pin, SEARCH) for pin in segment.pins), (segment.completion, COMPLETION)]
