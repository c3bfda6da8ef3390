"""The engine as the simulated person uses it: answers to requests, kept, with the time that each took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from engine import Alternative, Hypothesis, InvalidRequest, Request, SearchOptions, Translation, Translator

T = TypeVar("T")


class Decoder(Protocol):
    """The parts of `engine.Translator` that the simulation needs."""

    def translate(self, request: Request, options: SearchOptions) -> Translation: ...

    def translate_all(self, requests: Sequence[Request], options: SearchOptions) -> Iterator[Translation]: ...

    def alternatives(
        self, request: Request, hypothesis: Hypothesis, offset: int, count: int, options: SearchOptions
    ) -> Sequence[Alternative]: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """The translations of a request, best first, and the seconds that a person waits for them.

    `texts` is empty where the engine has no translation that meets the request.
    """

    hypotheses: tuple[Hypothesis, ...]
    waiting_s: float

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(" ".join(hypothesis.text.split()) for hypothesis in self.hypotheses)


class Engine:
    """A translator that answers equal requests once. `is_waiting_counted` False makes every answer take no time.

    Only requests without constraints get an n-best list, others the best translation.
    """

    def __init__(self, translator: Decoder, options: SearchOptions, is_waiting_counted: bool = True) -> None:
        self.translator = translator
        self._options = options
        self._is_waiting_counted = is_waiting_counted
        self._answers: dict[Request, Answer] = {}
        self._alternatives: dict[tuple[Request, int], tuple[Sequence[Alternative], float]] = {}
        self.times_ms: dict[str, list[float]] = {}

    def translate(self, request: Request, kind: str) -> Answer:
        """The answer; `kind` names the list in `times_ms` that its time is added to."""
        if request not in self._answers:

            def answer() -> tuple[Hypothesis, ...]:
                try:
                    return met(self.translator.translate(request, self._options_for(request)))
                except InvalidRequest:
                    return ()

            hypotheses, seconds = self._timed(answer, kind)
            self._answers[request] = Answer(hypotheses, seconds)
        return self._answers[request]

    def read_ahead(self, requests: Sequence[Request]) -> None:
        """Decodes requests together, which takes less time and gives the same answers; nobody waits for them."""
        new = [request for request in dict.fromkeys(requests) if request not in self._answers]
        for translation in self.translator.translate_all(new, replace(self._options, nbest=1)):
            self._answers[translation.request] = Answer(met(translation), 0.0)

    def alternatives(
        self, request: Request, hypothesis: Hypothesis, offset: int, count: int
    ) -> tuple[Sequence[Alternative], float]:
        """Other words at a place, with their sentences, and the seconds that a person waits for them."""
        if (request, offset) in self._alternatives:
            return self._alternatives[request, offset]

        def answer() -> Sequence[Alternative]:
            try:
                return self.translator.alternatives(request, hypothesis, offset, count, replace(self._options, nbest=1))
            except InvalidRequest:
                return ()

        self._alternatives[request, offset] = self._timed(answer, "alternatives")
        return self._alternatives[request, offset]

    def places(self, request: Request, count: int) -> tuple[list[str], float]:
        """The text to follow with the first phrase at other places, best first, and the seconds that a person waits."""
        translator = self.translator
        assert isinstance(translator, Translator), "only a model finds places"

        def answer() -> list[str]:
            try:
                return [" ".join(one.text.split()) for one in translator.places(request, 0, count)]
            except InvalidRequest:
                return []

        return self._timed(answer, "places")

    def alignment(self, source: str, target: str, direction: str) -> tuple[tuple[int, int, int, int], ...]:
        """The linked words of a source and a target, in characters; none where the model cannot spell the target."""
        translator = self.translator
        assert isinstance(translator, Translator), "only a model aligns"
        if translator.misspelling(target) is not None:
            return ()
        return translator.score(source, target, direction=direction).alignment

    def forget(self) -> None:
        """Forgets the kept answers, not their times."""
        self._answers.clear()
        self._alternatives.clear()

    def _options_for(self, request: Request) -> SearchOptions:
        is_free = request == Request(request.source, request.direction)
        return self._options if is_free else replace(self._options, nbest=1)

    def _timed(self, call: Callable[[], T], kind: str) -> tuple[T, float]:
        started = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - started
        self.times_ms.setdefault(kind, []).append(1000 * seconds)
        return result, seconds if self._is_waiting_counted else 0.0


def met(translation: Translation) -> tuple[Hypothesis, ...]:
    """The translations of a request that is met."""
    return translation.hypotheses if translation.status == "complete" else ()
