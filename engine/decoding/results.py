"""What the search found, told in text and characters: every phrase's place, and which words stand for each other."""

from __future__ import annotations

from collections.abc import Sequence

from engine.decoding.aligner import Alignment, align, with_alignment
from engine.decoding.constraints import PreparedRequest
from engine.decoding.encodings import Encodings
from engine.decoding.stream import INTERRUPTED
from engine.model import LoadedModel
from engine.request import Hypothesis, Reason, Request, Status, Translation
from engine.search.finished import SearchHypothesis
from engine.search.sentence import SentenceResult
from engine.text import DecodedPieces


class TranslationBuilder:
    """Puts what a model's search found into a translation."""

    def __init__(self, model: LoadedModel, encodings: Encodings) -> None:
        self._model = model
        self._encodings = encodings

    def build(self, request: Request, prepared: PreparedRequest, result: SentenceResult) -> Translation:
        """The answer to a request, but for the time that it took."""
        decodings = [self._model.codec.decode(found.tokens) for found in result.hypotheses]
        alignments = self.align(prepared, [found.tokens for found in result.hypotheses], decodings)
        hypotheses = tuple(
            _hypothesis(prepared, *item) for item in zip(result.hypotheses, decodings, alignments, strict=True)
        )
        status: Status = result.outcome
        reasons: tuple[Reason, ...] = ()
        if status in ("complete", "unmet"):
            unmet = sorted({phrase for hypothesis in hypotheses for phrase in hypothesis.unmet})
            num_in_order = min((len(hypothesis.locked) for hypothesis in hypotheses), default=0)
            status = "complete" if hypotheses and not unmet and num_in_order == prepared.num_ordered else "unmet"
            reasons = tuple(prepared.not_placed(phrase) for phrase in unmet)
            if num_in_order < prepared.num_ordered:
                reasons += (prepared.not_in_order(num_in_order),)
        elif status in ("deadline", "cancelled"):
            reasons = (INTERRUPTED[status],)
        else:
            reasons = (
                Reason("not_a_number", "the model gave scores that are not numbers; its weights may be damaged"),
            )
        return Translation(request, status, hypotheses, reasons, prepared.unknown_source, result.num_steps)

    def align(
        self, prepared: PreparedRequest, targets: Sequence[Sequence[int]], decodings: Sequence[DecodedPieces]
    ) -> Sequence[Alignment | None]:
        """The word alignment of each target of one source, None for a model that cannot tell."""
        if self._model.alignment is None or not targets:
            return [None] * len(targets)
        encoded = self._encodings.of(prepared)
        return align(self._model, encoded, prepared.source, prepared.direction, prepared.marks, targets, decodings)


def _hypothesis(
    prepared: PreparedRequest, found: SearchHypothesis, decoding: DecodedPieces, alignment: Alignment | None
) -> Hypothesis:
    placements, unmet = prepared.place(decoding.text)
    if alignment is not None:
        placements = with_alignment(placements, prepared.phrases, alignment, decoding.text)
    return Hypothesis(
        text=decoding.text,
        score=found.score,
        log_prob=found.log_prob,
        tokens=found.tokens,
        token_log_probs=found.token_log_probs,
        token_spans=decoding.spans,
        placements=placements,
        alignment=alignment or (),
        unmet=unmet,
        locked=prepared.place_ordered(decoding.text),
    )
