"""The part of a translation that continues a text, as far as the model is certain of it."""

from __future__ import annotations

import math
import unicodedata
from typing import Final

from app.text.words import Span, split_spans
from engine import Hypothesis

# The probability that a word needs to be shown unasked. In simulation on two development sets (70 and 60 segments), 0.1
# to 0.6 for the first word gave nearly the same time, least at 0.2 and 0.3; to show it always took a tenth more. For
# the words behind it, 0.2 was better than 0 and 0.4.
CERTAINTY: Final = 0.2


def completion_of(text: str, found: Hypothesis, certainty: float = CERTAINTY, is_requested: bool = False) -> str:
    """The words of the hypothesis that follow `text`, which may be in another Unicode normal form.

    They end before the first word whose probability is below `certainty`, but words of required phrases and locked
    texts count as certain. If `is_requested`, the first word, or the rest of a word begun, is always among them. Empty
    if the hypothesis does not begin with `text`, or if the first word is too unlikely.
    """
    begun = unicodedata.normalize("NFC", text)
    if not found.text.startswith(begun):
        return ""
    words = [span for span in split_spans(found.text) if span[1] > len(begun)]
    required = [*((placement.start, placement.end) for placement in found.placements), *found.locked]
    end = len(begun)
    for number, (start, stop) in enumerate(words):
        is_certain = (number == 0 and is_requested) or any(a < stop and start < b for a, b in required)
        if not is_certain and _probability(found, (max(start, len(begun)), stop)) < certainty:
            break
        end = stop
    return found.text[len(begun) : end]


def _probability(found: Hypothesis, letters: Span) -> float:
    """The product of the probabilities of the pieces that write these letters."""
    pieces = zip(found.token_spans, found.token_log_probs, strict=True)
    return math.exp(sum(log_prob for (start, end), log_prob in pieces if start < letters[1] and end > letters[0]))
