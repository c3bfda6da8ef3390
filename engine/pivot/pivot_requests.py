"""The two requests that one request through a language between becomes, and one answer from their two answers."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import fields, replace

from engine.decoding.aligner import through, with_alignment
from engine.decoding.loop import failed
from engine.errors import InvalidRequest
from engine.request import Phrase, Request
from engine.search_options import SearchOptions
from engine.text import occurrences
from engine.translation import Hypothesis, PivotTranslation, Translation
from engine.translator import Translator

FIRST_OPTIONS = SearchOptions(nbest=1)
_MAX_KEPT = 256  # translations of sources into the language between


class PivotRequests:
    """The requests to both models. Caches the first model's answers, because constraints change more often."""

    def __init__(self, first: Translator, direction: str, first_direction: str, second_direction: str) -> None:
        """`direction` is from the first one's source language to the second one's target language."""
        self._first = first
        self.direction = direction
        self._first_direction = first_direction
        self._second_direction = second_direction
        self._kept: OrderedDict[Request, Translation] = OrderedDict()

    def first_request(self, request: Request) -> Request:
        """The request to the first model: the source, with the phrases that both models must copy unchanged."""
        is_own = request.direction in (None, self.direction)
        kept = (
            replace(phrase, source_span=None, forms=(), count=min(phrase.count, num_found))
            for phrase in request.phrases
            if (num_found := _num_unchanged(phrase, request.source)) and self._first.misspelling(phrase.text) is None
        )
        direction = self._first_direction if is_own else request.direction
        return Request(request.source, direction=direction, phrases=tuple(kept), hints=request.hints)

    def known_first(self, request: Request) -> Translation | None:
        """The first model's translation of an earlier request with the same source, if it is still kept."""
        asked = self.first_request(request)
        if asked not in self._kept:
            return None
        self._kept.move_to_end(asked)
        return self._kept[asked]

    def take_first(self, translation: Translation) -> Translation:
        """Keeps a complete translation of the first model; returns it, or an empty one as one of status "failed"."""
        translation = self.checked(translation)
        if translation.status == "complete":
            self._kept[translation.request] = translation
            if len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)
        return translation

    def checked(self, first: Translation) -> Translation:
        """The first model's answer; an empty translation becomes one of status "failed"."""
        if first.status == "complete" and not first.hypotheses[0].text.strip():
            problem = f"model {self._first.name} returned an empty translation; translate this source by hand"
            return failed(first.request, InvalidRequest(problem))
        return first

    def second_request(self, request: Request, first: Translation) -> Request:
        """The request with all its constraints, for the second model; spans of the source do not exist there."""
        return replace(
            request,
            source=first.hypotheses[0].text,
            direction=self._second_direction,
            phrases=tuple(replace(phrase, source_span=None) for phrase in request.phrases),
        )

    def joined(self, request: Request, first: Translation, second: Translation, elapsed_ms: float) -> PivotTranslation:
        """The second model's answer as one to the original request."""
        found = {entry.name: getattr(second, entry.name) for entry in fields(Translation)}
        found |= {
            "request": request,
            "hypotheses": tuple(self.aligned(request, first, hypothesis) for hypothesis in second.hypotheses),
            "unknown_source": first.unknown_source,
            "num_steps": first.num_steps + second.num_steps,
            "elapsed_ms": elapsed_ms,
        }
        between = first.hypotheses[0]
        return PivotTranslation(**found, pivot=between.text, pivot_score=between.score)

    def aligned(self, request: Request, first: Translation, hypothesis: Hypothesis) -> Hypothesis:
        """The hypothesis with its words aligned to the source's, where both models align."""
        alignment = through(first.hypotheses[0].alignment, hypothesis.alignment)
        placements = hypothesis.placements
        if alignment:
            placements = with_alignment(placements, request.phrases, alignment, hypothesis.text)
        # texts of lists translate words of the text between, not of the source
        return replace(hypothesis, alignment=alignment, weak_alignment=(), placements=placements, listed=())


def unfinished(request: Request, first: Translation, elapsed_ms: float | None = None) -> PivotTranslation:
    """The answer to a request that the first model could not translate, or not in time."""
    elapsed_ms = first.elapsed_ms if elapsed_ms is None else elapsed_ms
    return PivotTranslation(request, first.status, (), first.reasons, first.unknown_source, first.num_steps, elapsed_ms)


def _num_unchanged(phrase: Phrase, source: str) -> int:
    """The number of unchanged occurrences of a phrase in the source, if it is a placeholder, number or address."""
    return 0 if phrase.is_plain else len(occurrences(source, phrase.text))
