"""Where a phrase goes in a text that lacks it, by trying every place and scoring each whole text on its own."""

from __future__ import annotations

import re

from engine import Translator
from engine.decoding.placing import LEAST_PIECE_WEIGHT, MAX_REPLACED, NUM_READ, PIECE_REWARD, REPLACED_REWARD
from engine.text import EOS, Codec

Pieces = tuple[int, ...]


def slow_placed(
    translator: Translator, codec: Codec, source: str, text: str, phrase: str
) -> list[tuple[float, Pieces]]:
    """The edited texts that are compared, each with its score, the best first."""
    pieces, inserted = codec.encode(text).ids, codec.encode(phrase).ids
    before = translator.score(source, tokens=(*pieces, EOS)).token_log_probs
    tried = []
    for first, last in slow_places(codec, pieces, MAX_REPLACED - 1 + len(phrase.split())):
        edited = (*pieces[:first], *inserted, *pieces[last:])
        scored = translator.score(source, tokens=(*edited, EOS))
        num_more = len(edited) - len(pieces)
        nearby = sum(scored.token_log_probs[first : first + len(inserted) + 1]) - before[last]
        least = min(scored.token_log_probs[first : first + len(inserted)])
        whole = scored.log_prob + PIECE_REWARD * len(scored.tokens) + LEAST_PIECE_WEIGHT * least
        replaced = REPLACED_REWARD * (last - first)
        whole += sum(before[first:last]) + replaced
        tried.append((nearby + PIECE_REWARD * num_more + replaced, whole, edited))
    compared = sorted(tried, reverse=True)[:NUM_READ]
    return sorted(((score, edited) for _, score, edited in compared), reverse=True)


def slow_places(codec: Codec, pieces: Pieces, most: int) -> list[tuple[int, int]]:
    """The pieces that a phrase may replace, as (first, one past the last); equal where it is put between two words."""
    decoding = codec.decode(pieces)
    parts = []
    for chunk in re.finditer(r"\S+", decoding.text):
        core = re.search(r"[^\W_](.*[^\W_])?", chunk[0])
        spans = [(k, k + 1) for k in range(len(chunk[0]))]
        if core:
            spans = [span for span in spans if span[1] <= core.start() or span[0] >= core.end()] + [core.span()]
        parts += sorted((chunk.start() + start, chunk.start() + end) for start, end in spans)
    starts = {start: number for number, (start, _) in enumerate(decoding.spans)}
    ends = {end: number + 1 for number, (_, end) in enumerate(decoding.spans)}
    places = [(len(pieces), len(pieces))]
    for number, (start, _) in enumerate(parts):
        places.append((starts[start], starts[start]))
        places += [(starts[start], ends[end]) for _, end in parts[number : number + most]]
    return places
