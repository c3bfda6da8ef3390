"""Translates a test set with its constraints, as a user would, and measures the results."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.evaluation.metrics import Scores, score
from engine.evaluation.terminology import WINDOWS, TermOccurrence, num_terms_met, window_overlap
from engine.request import Request
from engine.search_options import SearchOptions
from engine.translation import Translation
from engine.translator import Translator


@dataclass(frozen=True, slots=True)
class EvaluationSegment:
    """One line of a test set. `terms` are measured; required phrases are in the request."""

    request: Request
    reference: str
    terms: tuple[TermOccurrence, ...] = ()

    def with_terms_required(self) -> EvaluationSegment:
        """A copy that requires the terms, as phrases after the phrases of the request."""
        phrases = (*self.request.phrases, *(term.phrase for term in self.terms))
        return replace(self, request=replace(self.request, phrases=phrases))

    @property
    def is_constrained(self) -> bool:
        """True if the request has any constraint."""
        request = self.request
        return bool(request.phrases or request.avoid or request.prefix or request.locked or request.suffix)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results for a test set.

    `statuses` counts segments by the status of their translation; `untranslated` numbers, from 1, those without any,
    which count as empty lines. `window_overlaps` is by words on each side, 0 to 1, a mean over `num_window_segments`:
    those with a term in the reference; None if there are none. Words are those of the source, between spaces.
    """

    direction: str
    num_segments: int
    scores: Scores
    statuses: dict[str, int]
    untranslated: tuple[int, ...]
    num_constrained: int
    num_constrained_met: int
    num_phrases: int
    num_phrases_met: int
    num_terms: int
    num_terms_met: int
    window_overlaps: dict[int, float | None]
    num_window_segments: int
    seconds: float
    segments_per_second: float
    words_per_second: float
    translations: tuple[Translation, ...]


def evaluate(
    translator: Translator,
    segments: Sequence[EvaluationSegment],
    options: SearchOptions,
    *,
    batch_size: int = 16,
    progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Translate and measure all segments, which have one direction. `progress` gets the number of finished ones."""
    assert segments, "the test set is empty"
    started = time.perf_counter()
    requests = [segment.request for segment in segments]
    translations = tuple(translator.translate_all(requests, options, batch_size=batch_size, progress=progress))
    seconds = max(time.perf_counter() - started, 1e-9)

    outputs = [best_text(translation) for translation in translations]
    direction = segments[0].request.direction or translator.directions[0]
    pairs = list(zip(segments, translations, strict=True))
    constrained = [translation for segment, translation in pairs if segment.is_constrained]
    overlaps = {window: _overlaps(segments, outputs, window) for window in WINDOWS}
    return Evaluation(
        direction=direction,
        num_segments=len(segments),
        scores=score(outputs, [segment.reference for segment in segments], direction.partition("-")[2]),
        statuses=dict(Counter(translation.status for translation in translations)),
        untranslated=tuple(number for number, (_, found) in enumerate(pairs, start=1) if not found.hypotheses),
        num_constrained=len(constrained),
        num_constrained_met=sum(translation.status == "complete" for translation in constrained),
        num_phrases=sum(len(segment.request.phrases) for segment in segments),
        num_phrases_met=sum(map(_num_phrases_met, translations)),
        num_terms=sum(len(segment.terms) for segment in segments),
        num_terms_met=sum(
            num_terms_met(output, segment.terms) for segment, output in zip(segments, outputs, strict=True)
        ),
        window_overlaps={window: sum(found) / len(found) if found else None for window, found in overlaps.items()},
        num_window_segments=len(overlaps[WINDOWS[0]]),
        seconds=seconds,
        segments_per_second=len(segments) / seconds,
        words_per_second=sum(len(request.source.split()) for request in requests) / seconds,
        translations=translations,
    )


def best_text(translation: Translation) -> str:
    """The best hypothesis, or an empty line if there is none."""
    return translation.hypotheses[0].text if translation.hypotheses else ""


def _num_phrases_met(translation: Translation) -> int:
    if not translation.hypotheses:
        return 0
    return len(translation.request.phrases) - len(translation.hypotheses[0].unmet)


def _overlaps(segments: Sequence[EvaluationSegment], outputs: Sequence[str], window: int) -> list[float]:
    """Of each segment with a term in its reference."""
    found = (
        window_overlap(output, segment.reference, [form for term in segment.terms for form in term.forms], window)
        for segment, output in zip(segments, outputs, strict=True)
    )
    return [share for share in found if share is not None]
