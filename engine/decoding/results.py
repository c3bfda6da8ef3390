"""What the search found, told in text and characters: every phrase's place, and which words stand for each other."""

from __future__ import annotations

from collections.abc import Sequence

from engine.decoding.aligner import Alignment, align, judged
from engine.decoding.constraints import Constraints
from engine.decoding.encodings import Encodings
from engine.decoding.stream import INTERRUPTED
from engine.model import LoadedModel
from engine.request import Hypothesis, Reason, Request, Status, Translation
from engine.search.finished import Found
from engine.search.sentence import SentenceResult
from engine.text import Decoding


class Teller:
    """Puts what a model's search found into a translation."""

    def __init__(self, model: LoadedModel, encodings: Encodings) -> None:
        self._model = model
        self._encodings = encodings

    def tell(self, request: Request, wanted: Constraints, result: SentenceResult) -> Translation:
        """The answer to a request, but for the time that it took."""
        decodings = [self._model.codec.decode(found.tokens) for found in result.found]
        alignments = self.align(wanted, [found.tokens for found in result.found], decodings)
        hypotheses = tuple(_hypothesis(wanted, *item) for item in zip(result.found, decodings, alignments, strict=True))
        status: Status = result.outcome
        reasons: tuple[Reason, ...] = ()
        if status in ("complete", "unmet"):
            unmet = sorted({phrase for hypothesis in hypotheses for phrase in hypothesis.unmet})
            num_standing = min((len(hypothesis.locked) for hypothesis in hypotheses), default=0)
            status = "complete" if hypotheses and not unmet and num_standing == wanted.num_ordered else "unmet"
            reasons = tuple(wanted.not_placed(phrase) for phrase in unmet)
            if num_standing < wanted.num_ordered:
                reasons += (wanted.not_in_order(num_standing),)
        elif status in ("deadline", "cancelled"):
            reasons = (INTERRUPTED[status],)
        else:
            reasons = (
                Reason("not_a_number", "the model gave scores that are not numbers; its weights may be damaged"),
            )
        return Translation(request, status, hypotheses, reasons, wanted.unknown_source, result.num_steps)

    def align(
        self, wanted: Constraints, targets: Sequence[Sequence[int]], decodings: Sequence[Decoding]
    ) -> Sequence[Alignment | None]:
        """The word alignment of each target of one source, None for a model that cannot tell."""
        if self._model.alignment is None or not targets:
            return [None] * len(targets)
        encoded = self._encodings.of(wanted)
        return align(self._model, encoded, wanted.source, wanted.direction, wanted.marks, targets, decodings)


def _hypothesis(wanted: Constraints, found: Found, decoding: Decoding, alignment: Alignment | None) -> Hypothesis:
    placements, unmet = wanted.place(decoding.text)
    if alignment is not None:
        placements = judged(placements, wanted.asked, alignment, decoding.text)
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
        locked=wanted.place_ordered(decoding.text),
    )
