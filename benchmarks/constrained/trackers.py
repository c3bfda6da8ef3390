"""Two trackers on the same random strings: phrases that each reports as met, compared with substring search."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from transformers.generation.beam_constraints import ConstraintListState

from benchmarks.constrained.marian import constraints_of, count_in_pieces
from engine.search.phrases import TrackedPhrase
from engine.text import TextCodec
from tests.reference.matching import meets_all
from tests.reference.toy import ToyTexts, random_phrases
from tests.search.walking import walk

TOYS = {
    "whole words": ToyTexts(("a", "b", "c")),
    "pieces of words": ToyTexts(("a", "b", "a@@", "b@@")),
}


@dataclass(frozen=True)
class TrackerRow:
    """Counts of strings. `standing` of them hold all phrases on the text, `standing_in_pieces` piece by piece."""

    vocabulary: str
    tracker: str
    strings: int
    refused: int
    standing: int
    standing_seen: int
    standing_in_pieces: int
    standing_in_pieces_seen: int
    absent: int
    absent_seen: int


def pinpoint_sees(texts: ToyTexts | TextCodec, pieces: Sequence[int], phrases: Sequence[TrackedPhrase]) -> bool:
    """True if Pinpoint's tracker takes all phrases for met when the sentence ends after `pieces`."""
    return walk(texts, phrases, pieces).may_end


def transformers_sees(pieces: Sequence[int], phrases: Sequence[TrackedPhrase]) -> bool:
    """The same of transformers' tracker; raises what it raises, ValueError for a form that begins another."""
    state = ConstraintListState(constraints_of(phrases))
    state.reset(list(pieces))
    return bool(state.completed)


def compare_trackers(strings: int, seed: int = 0) -> list[TrackerRow]:
    """Both trackers over strings of 4 to 10 pieces, each with one to three phrases."""
    rows = []
    for name, texts in TOYS.items():
        rng = random.Random(seed)
        counts = {tracker: [0] * 7 for tracker in ("Pinpoint", "transformers")}
        done = 0
        while done < strings:
            phrases = random_phrases(texts, rng, max_phrases=3)
            if not phrases:
                continue
            done += 1
            pieces = [rng.randrange(2, texts.size) for _ in range(rng.randint(4, 10))]
            stands = meets_all(texts.text(pieces), phrases)
            in_pieces = all(count_in_pieces(pieces, phrase) >= phrase.count for phrase in phrases)
            for tracker, tally in counts.items():
                try:
                    if tracker == "Pinpoint":
                        seen = pinpoint_sees(texts, pieces, phrases)
                    else:
                        seen = transformers_sees(pieces, phrases)
                except ValueError:
                    tally[0] += 1
                    continue
                tally[1] += stands
                tally[2] += stands and seen
                tally[3] += in_pieces
                tally[4] += in_pieces and seen
                tally[5] += not stands
                tally[6] += not stands and seen
        rows += [TrackerRow(name, tracker, strings, *tally) for tracker, tally in counts.items()]
    return rows
