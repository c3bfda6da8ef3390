"""Confirmed segments as examples in the prompt of a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz, process

from app.segments.state import SegmentState
from app.tm.similarity import INLINE_TAG
from engine import Example

MAX_EXAMPLES: Final = 3
_MAX_COMPARED: Final = 500  # the confirmed segments that are nearest in the document
_MAX_CHARACTERS: Final = 400  # of a source: longer ones take too much of a prompt
_MIN_SIMILARITY: Final = 40  # percent of common words


def examples_for(index: int, segments: Sequence[SegmentState]) -> tuple[Example, ...]:
    """The confirmed segments that are most similar to a segment, the most similar first, without inline tags."""
    confirmed = [
        one
        for one in segments
        if one.state == "confirmed" and one.target and one.index != index and 0 < len(one.source) <= _MAX_CHARACTERS
    ]
    near = sorted(confirmed, key=lambda one: abs(one.index - index))[:_MAX_COMPARED]
    found = process.extract(
        segments[index].source[:_MAX_CHARACTERS],
        [one.source for one in near],
        scorer=fuzz.token_sort_ratio,
        limit=MAX_EXAMPLES,
        score_cutoff=_MIN_SIMILARITY,
    )
    pairs = [(near[place].source, near[place].target or "") for _, _, place in found]
    return tuple(Example(*(" ".join(INLINE_TAG.sub("", text).split()) for text in pair)) for pair in pairs)
