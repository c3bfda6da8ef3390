"""Translation through a language between, where no model has the direction: two models, one after the other.

The first model translates the source freely; all constraints bind in the second. Scores are the second model's, given
the first one's best translation, whose own score is reported beside them.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from threading import Event

from engine.decoding.aligner import with_alignment
from engine.errors import InvalidRequest, ModelError
from engine.request import Alternative, Formality, Hypothesis, Pricing, Request, SearchOptions, Translation
from engine.translator import Translator

_DEFAULT_OPTIONS = SearchOptions()
_FIRST_OPTIONS = SearchOptions(nbest=1)
_MAX_KEPT = 256  # translations of sources into the language between
Alignment = Sequence[tuple[int, int, int, int]]


@dataclass(frozen=True, slots=True)
class PivotTranslation(Translation):
    """A translation through `pivot`, the first model's best translation, with its score there.

    Both are None if the first model gave none. `unknown_source` and alignments refer to the source itself.
    """

    pivot: str | None = None
    pivot_score: float | None = None


class PivotTranslator:
    """Two translators as one, from the first one's source language to the second one's target language."""

    def __init__(self, first: Translator, second: Translator, source: str, pivot: str, target: str) -> None:
        """Raises ModelError if one of the two does not translate its part."""
        self._first_direction, self._second_direction = f"{source}-{pivot}", f"{pivot}-{target}"
        for translator, direction in ((first, self._first_direction), (second, self._second_direction)):
            if direction not in translator.directions:
                raise ModelError(f"model {translator.name} does not translate {direction}; choose another model")
        self._first, self._second = first, second
        self.directions = (f"{source}-{target}",)
        self.domains, self.formalities = second.domains, second.formalities
        self.name = f"{first.name} + {second.name}"
        self.checksum = f"{first.checksum}+{second.checksum}"
        self._pivots: OrderedDict[str, Translation] = OrderedDict()

    def translate(
        self,
        request: Request,
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
    ) -> PivotTranslation:
        """The n-best list of one request, as of `Translator.translate`; the deadline counts for both models."""
        started = time.perf_counter()
        first = self._translate_first(request, cancel, deadline_ms)
        if first.status != "complete":
            elapsed_ms = 1000 * (time.perf_counter() - started)
            return PivotTranslation(
                request, first.status, (), first.reasons, first.unknown_source, first.num_steps, elapsed_ms
            )
        left_ms = None if deadline_ms is None else max(0.0, deadline_ms - 1000 * (time.perf_counter() - started))
        second = self._second.translate(
            self._second_request(request, first), options, cancel=cancel, deadline_ms=left_ms
        )
        return self._joined(request, first, second, 1000 * (time.perf_counter() - started))

    def score(
        self,
        source: str,
        target: str | None = None,
        *,
        tokens: Sequence[int] | None = None,
        direction: str | None = None,
        domain: str | None = None,
        formality: Formality | None = None,
    ) -> Hypothesis:
        """The second model's score of a given translation, as of `Translator.score`.

        Raises InvalidRequest if the first model cannot translate the source.
        """
        request = Request(source, direction=direction, domain=domain, formality=formality)
        first = self._translated_first(request, None, None)
        scored = self._second.score(
            first.hypotheses[0].text,
            target,
            tokens=tokens,
            direction=self._second_direction,
            domain=domain,
            formality=formality,
        )
        return self._aligned(request, first, scored)

    def price(
        self,
        request: Request,
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
    ) -> Pricing:
        """The price of the constraints in the second model, as of `Translator.price`.

        Raises InvalidRequest if the first model gives no translation in time.
        """
        first = self._translated_first(request, cancel, deadline_ms)
        second = self._second_request(request, first)
        priced = self._second.price(second, options, cancel=cancel, deadline_ms=deadline_ms)
        free = replace(request, phrases=(), avoid=())
        return replace(
            priced,
            constrained=self._joined(request, first, priced.constrained, priced.constrained.elapsed_ms),
            free=self._joined(free, first, priced.free, priced.free.elapsed_ms),
        )

    def alternatives(
        self,
        request: Request,
        hypothesis: Hypothesis,
        offset: int,
        count: int = 5,
        options: SearchOptions = _DEFAULT_OPTIONS,
        *,
        cancel: Event | None = None,
        deadline_ms: float | None = None,
    ) -> tuple[Alternative, ...]:
        """Other words for the one at `offset` of a hypothesis, as of `Translator.alternatives`.

        Raises InvalidRequest if the first model gives no translation in time.
        """
        first = self._translated_first(request, cancel, deadline_ms)
        second = self._second_request(request, first)
        found = self._second.alternatives(
            second, hypothesis, offset, count, options, cancel=cancel, deadline_ms=deadline_ms
        )
        return tuple(replace(each, hypothesis=self._aligned(request, first, each.hypothesis)) for each in found)

    def misspelling(self, text: str) -> str | None:
        """What the second model writes for a text that it cannot spell; None if it can."""
        return self._second.misspelling(text)

    @property
    def is_on_accelerator(self) -> bool:
        return self._second.is_on_accelerator

    def _translate_first(self, request: Request, cancel: Event | None, deadline_ms: float | None) -> Translation:
        """The source in the language between; complete ones are kept, as constraints change more often than sources."""
        if request.direction not in (None, *self.directions):
            raise InvalidRequest(f"direction is {request.direction!r}; these models translate {self.directions[0]}")
        if request.source in self._pivots:
            self._pivots.move_to_end(request.source)
            return self._pivots[request.source]
        free = Request(request.source, direction=self._first_direction)
        first = self._first.translate(free, _FIRST_OPTIONS, cancel=cancel, deadline_ms=deadline_ms)
        if first.status == "complete" and not first.hypotheses[0].text.strip():
            raise InvalidRequest(f"model {self._first.name} gives an empty translation; translate this source by hand")
        if first.status == "complete":
            self._pivots[request.source] = first
            if len(self._pivots) > _MAX_KEPT:
                self._pivots.popitem(last=False)
        return first

    def _translated_first(self, request: Request, cancel: Event | None, deadline_ms: float | None) -> Translation:
        first = self._translate_first(request, cancel, deadline_ms)
        if first.status != "complete":
            reasons = "; ".join(reason.message for reason in first.reasons)
            raise InvalidRequest(f"model {self._first.name} gives no translation ({first.status}): {reasons}")
        return first

    def _second_request(self, request: Request, first: Translation) -> Request:
        """The request with all its constraints, for the second model; spans of the source do not exist there."""
        return replace(
            request,
            source=first.hypotheses[0].text,
            direction=self._second_direction,
            phrases=tuple(replace(phrase, source_span=None) for phrase in request.phrases),
        )

    def _joined(self, request: Request, first: Translation, second: Translation, elapsed_ms: float) -> PivotTranslation:
        found = {entry.name: getattr(second, entry.name) for entry in fields(Translation)}
        found |= {
            "request": request,
            "hypotheses": tuple(self._aligned(request, first, hypothesis) for hypothesis in second.hypotheses),
            "unknown_source": first.unknown_source,
            "num_steps": first.num_steps + second.num_steps,
            "elapsed_ms": elapsed_ms,
        }
        between = first.hypotheses[0]
        return PivotTranslation(**found, pivot=between.text, pivot_score=between.score)

    def _aligned(self, request: Request, first: Translation, hypothesis: Hypothesis) -> Hypothesis:
        """The hypothesis with its words aligned to the source's, where both models align."""
        alignment = through(first.hypotheses[0].alignment, hypothesis.alignment)
        placements = hypothesis.placements
        if alignment:
            placements = with_alignment(placements, request.phrases, alignment, hypothesis.text)
        return replace(hypothesis, alignment=alignment, placements=placements)


def through(first: Alignment, second: Alignment) -> tuple[tuple[int, int, int, int], ...]:
    """The product of two alignments: words that share a partner in the language between, in the target's order.

    >>> through([(0, 3, 0, 5), (4, 8, 6, 9)], [(0, 5, 4, 7), (6, 9, 0, 3)])
    ((4, 8, 0, 3), (0, 3, 4, 7))
    """
    links = {
        ((target_start, target_end), (source_start, source_end))
        for source_start, source_end, start, end in first
        for other_start, other_end, target_start, target_end in second
        if start < other_end and other_start < end
    }
    return tuple((*source, *target) for target, source in sorted(links))
