"""One re-decoding with words of the goal, against putting the same words in by hand at their right places."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.simulation.decoding import Engine
from benchmarks.simulation.protocols import Segment, free_texts, missing_runs, post_editing, slice_of
from benchmarks.simulation.requesters import Correction, OneRequest, Requester, Situation
from benchmarks.simulation.words import missing_words, put_in, right_words, words_of

KINDS = {
    "rand1": "1 random word",
    "rand3": "3 random words",
    "phr4": "4 words in a row",
    "missing1": "1 missing word",
    "missing3": "3 missing words",
    "phrase": "the longest missing phrase",
}


@dataclass(frozen=True, slots=True)
class Redecoding:
    """What one re-decoding did in one segment. Words are counted in the goal; the given ones are never spoilt or won.

    `seconds` and `seconds_by_hand` are what is left to post-edit. `is_met`: the engine had a translation.
    """

    text: str
    by_hand: str
    goal: str
    is_met: bool
    is_placed: bool
    num_right: int
    num_spoilt: int
    num_won: int
    seconds: float
    seconds_by_hand: float


def chosen_words(kind: str, segment: Segment, text: str, seed: int) -> list[int]:
    """Numbers of the goal's words that the person gives; empty if the goal has not so many. The seed draws them."""
    words = words_of(segment.goal)
    rng = random.Random(f"{seed} {kind} {segment.source}")
    plain = [j for j, word in enumerate(words) if not word.is_punctuation]
    if kind == "phrase":
        return max(missing_runs(text, segment.goal), key=lambda run: len(slice_of(segment.goal, run)), default=[])
    if kind == "phr4":
        runs = [list(range(j, j + 4)) for j in range(len(words) - 3) if set(range(j, j + 4)) <= set(plain)]
        return rng.choice(runs) if runs else []
    size = int(kind[-1])
    pool = missing_words(text, segment.goal) if kind.startswith("missing") else plain
    return sorted(rng.sample(pool, size)) if len(pool) >= size else []


@dataclass(frozen=True, slots=True)
class Given:
    """Words of the goal that the person gives, put in by hand, and what the engine is asked."""

    chosen: frozenset[int]
    seen: str
    by_hand: str
    situation: Situation


def given_words(kind: str, segment: Segment, requester: Requester, engine: Engine, seed: int) -> Given | None:
    """None where the segment has no such words to give."""
    seen = free_texts(segment, engine)[0]
    chosen = chosen_words(kind, segment, seen, seed)
    if not chosen:
        return None
    placed = put_in(seen, segment.goal, chosen)
    corrections = corrections_of(segment.goal, chosen, placed.spans, placed.replaced)
    text = placed.text
    if not requester.needs_place:
        corrections = tuple(Correction(correction.phrase) for correction in corrections)
        text = seen
    if requester.needs_source:
        links = engine.alignment(segment.source, segment.goal, segment.direction)
        corrections = with_source_spans(corrections, segment.goal, links)
    situation = Situation(segment.source, segment.direction, seen, text, corrections, segment.goal)
    return Given(frozenset(chosen), seen, placed.text, situation)


def with_source_spans(
    corrections: Sequence[Correction], goal: str, links: Sequence[tuple[int, int, int, int]]
) -> tuple[Correction, ...]:
    """The corrections, which are in the order of the goal, each with the source words that its words translate."""
    found, behind = [], 0
    for correction in corrections:
        start = goal.index(correction.phrase, behind)
        behind = start + len(correction.phrase)
        own = [(a, b) for a, b, c, d in links if c < behind and start < d]
        span = (min(a for a, _ in own), max(b for _, b in own)) if own else None
        found.append(replace(correction, source_span=span))
    return tuple(found)


def read_ahead(
    kinds: Sequence[str], segment: Segment, requesters: Sequence[Requester], engine: Engine, seed: int
) -> None:
    """Decodes the single requests of all re-decodings of a segment together."""
    requests = []
    for kind in kinds:
        for requester in requesters:
            given = given_words(kind, segment, requester, engine, seed)
            if given is not None and isinstance(requester, OneRequest):
                requests.append(requester.request(given.situation))
    engine.read_ahead(requests)


def redecode(kind: str, segment: Segment, requester: Requester, engine: Engine, seed: int) -> Redecoding | None:
    """One re-decoding; None where the segment has no such words to give."""
    given = given_words(kind, segment, requester, engine, seed)
    if given is None:
        return None
    seen, chosen = given.seen, given.chosen
    answer, _ = requester.propose(given.situation, engine)
    after = seen if answer is None else answer
    before_right, after_right = right_words(seen, segment.goal), right_words(after, segment.goal)
    return Redecoding(
        text=after,
        by_hand=given.by_hand,
        goal=segment.goal,
        is_met=answer is not None,
        is_placed=chosen <= after_right,
        num_right=len(before_right - chosen),
        num_spoilt=len(before_right - after_right - chosen),
        num_won=len(after_right - before_right - chosen),
        seconds=post_editing(after, segment.goal).seconds,
        seconds_by_hand=post_editing(given.by_hand, segment.goal).seconds,
    )


def corrections_of(
    goal: str,
    chosen: Sequence[int],
    spans: dict[int, tuple[int, int]],
    replaced: dict[int, tuple[str, ...]],
) -> tuple[Correction, ...]:
    """One correction for each run of chosen words that are neighbours in the goal."""
    words = words_of(goal)
    runs: list[list[int]] = []
    for j in chosen:
        if runs and runs[-1][-1] == j - 1:
            runs[-1].append(j)
        else:
            runs.append([j])
    return tuple(
        Correction(
            goal[words[run[0]].start : words[run[-1]].end],
            spans[run[0]][0],
            spans[run[-1]][1],
            tuple(word for j in run for word in replaced[j]),
        )
        for run in runs
    )
