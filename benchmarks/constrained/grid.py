"""Random sentences and phrases by number of phrases and beam: how often each engine meets them, how well, how fast."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from benchmarks.constrained.marian import (
    Answer,
    Job,
    Judgement,
    RandomMarian,
    search_pinpoint,
    search_transformers,
)
from benchmarks.constrained.traps import phrase_of
from engine.search_options import SearchOptions
from engine.text import EOS, TextCodec

PHRASES = (0, 1, 2, 4)  # none is plain beam search, ours and theirs
BEAMS = (5, 10, 20)
MAX_PIECES = 5
_WORD = re.compile(r"[A-Za-zÄÖÜäöüß]+")

Search = Callable[[RandomMarian, Job, int], Answer]


def _pinpoint(marian: RandomMarian, job: Job, beam: int) -> Answer:
    return search_pinpoint(marian, [job], SearchOptions(beam=beam))[0]


def _pinpoint_exhaustive(marian: RandomMarian, job: Job, beam: int) -> Answer:
    options = SearchOptions(beam=beam, pruning_threshold=None, stopping="optimal")
    return search_pinpoint(marian, [job], options)[0]


def _transformers(marian: RandomMarian, job: Job, beam: int) -> Answer:
    return search_transformers(marian, [job], SearchOptions(beam=beam))[0]


ENGINES: dict[str, Search] = {
    "Pinpoint": _pinpoint,
    "Pinpoint, unpruned": _pinpoint_exhaustive,
    "transformers": _transformers,
}


@dataclass(frozen=True)
class World:
    """One kind of random model: which pieces it may write, and whether it has a sense of length.

    `samples_phrases`: the phrases come from a translation drawn from the model itself, as they would come from a
    reference; otherwise they are words of the corpus, which random weights find most unlikely.
    """

    name: str
    allowed: tuple[int, ...]
    knows_length: bool
    samples_phrases: bool


@dataclass(frozen=True)
class GridRow:
    """One engine in one cell; shares are of sentences, or of n-best items where it says so.

    `best_score` is the mean, over the `paired` sentences in which every engine has one, of the best score per piece
    among its hypotheses that end and meet everything on the text; `best_log_prob` and `best_length` go with it. `wins`
    and `losses` compare that score with transformers', sentence by sentence. `silent` misses are those that the engine
    does not tell: nothing says that the best item misses a phrase. `repeats`: occurrences in the best item beyond those
    asked for, per sentence.
    """

    world: str
    phrases: int
    constraint_tokens: float
    beam: int
    engine: str
    sentences: int
    errors: int
    best_on_text: float
    best_on_pieces: float
    any_on_text: float
    items: int
    items_on_text: float
    silent: float
    paired: int
    best_score: float | None
    best_log_prob: float | None
    best_length: float | None
    wins: int
    losses: int
    repeats: float
    milliseconds: float
    first_error: str = ""


def worlds(codec: TextCodec) -> list[World]:
    """Three worlds: in the first, weights are as drawn; in the last, no two pieces ever glue."""
    vocabulary = codec.vocabulary
    # Beyond Latin-1, the reference's idea of a word character is not the engine's.
    latin = tuple(
        piece
        for piece in range(len(vocabulary))
        if piece not in codec.specials and all(char <= "\xff" for char in vocabulary.surfaces[piece])
    )
    words = tuple(piece for piece in latin if _is_whole_word(codec, piece))
    return [
        World("weights as drawn, phrases of the corpus", latin, knows_length=False, samples_phrases=False),
        World("a sense of length, phrases that the model samples", latin, knows_length=True, samples_phrases=True),
        World("the same with whole words only", words, knows_length=True, samples_phrases=True),
    ]


def _is_whole_word(codec: TextCodec, piece: int) -> bool:
    surface = codec.surfaces[piece]
    if not _WORD.fullmatch(surface) or codec.glues_left[piece] or codec.glues_right[piece]:
        return False
    return codec.encode(surface).ids == (piece,)


def words_in(lines: Sequence[str], codec: TextCodec, allowed: Sequence[int]) -> list[str]:
    """Words of the lines, each as often as it stands there, that `allowed` pieces can write."""
    writable = set(allowed)
    words = [word for line in lines for word in _WORD.findall(line)]
    good = {word for word in set(words) if writable.issuperset(codec.encode(word).ids)}
    return [word for word in words if word in good]


def jobs_of(
    marian: RandomMarian, world: World, words: Sequence[str], num_phrases: int, sentences: int, seed: int
) -> list[Job]:
    """Random sources of 6 to 12 pieces; phrases of one word or two that follow each other."""
    rng = random.Random(f"{world.name} {num_phrases} {seed}")
    generator = torch.Generator().manual_seed(rng.randrange(2**31))
    jobs: list[Job] = []
    while len(jobs) < sentences:
        sources = [_source(world, rng) for _ in range(sentences)]
        if world.samples_phrases:
            drawn = marian.sample([Job(source, (), world.knows_length) for source in sources], generator)
            texts = [marian.codec.decode(pieces).text.split() for pieces in drawn]
        else:
            texts = [rng.sample(words, 1000) for _ in sources]
        for source, text in zip(sources, texts, strict=True):
            if (chosen := _choose(text, marian.codec, num_phrases, rng)) is not None:
                phrases = tuple(phrase_of(marian.codec, [phrase]) for phrase in chosen)
                jobs.append(Job(source, phrases, world.knows_length))
    return jobs[:sentences]


def _source(world: World, rng: random.Random) -> tuple[int, ...]:
    return (*(rng.choice(world.allowed) for _ in range(rng.randint(6, 12))), EOS)


def _choose(words: Sequence[str], codec: TextCodec, num_phrases: int, rng: random.Random) -> list[str] | None:
    """So many different phrases of neighbouring words; None if there are not so many."""
    runs = [words[start : start + size] for size in (1, 2) for start in range(len(words) - size + 1)]
    texts = sorted({" ".join(run) for run in runs if all(_WORD.fullmatch(word) for word in run)})
    texts = [text for text in texts if len(codec.encode(text).ids) <= MAX_PIECES]
    return rng.sample(texts, num_phrases) if len(texts) >= num_phrases else None


def warm_up(marian: RandomMarian, world: World, words: Sequence[str]) -> None:
    """One sentence through every engine, so that no cell pays for what is loaded on first use."""
    (job,) = jobs_of(marian, world, words, num_phrases=1, sentences=1, seed=0)
    for search in ENGINES.values():
        search(marian, job, BEAMS[0])


def run_cell(marian: RandomMarian, world: World, jobs: Sequence[Job], beam: int) -> list[GridRow]:
    """All engines on the same sentences, in turn sentence by sentence, so that a busy machine is fair to all."""
    answers: dict[str, list[Answer]] = {engine: [] for engine in ENGINES}
    for job in jobs:
        for engine, search in ENGINES.items():
            answers[engine].append(search(marian, job, beam))
    judged = {
        engine: [
            [marian.judge(job, tokens) for tokens in answer.hypotheses] for job, answer in zip(jobs, given, strict=True)
        ]
        for engine, given in answers.items()
    }
    for engine, given in answers.items():
        for answer, items in zip(given, judged[engine], strict=True):
            for said, item in zip(answer.log_probs, items, strict=False):
                assert abs(said - item.log_prob) < 1e-2, "the step decoder and the teacher-forced pass disagree"
    best = {engine: [_best(items) for items in lists] for engine, lists in judged.items()}
    paired = [number for number in range(len(jobs)) if all(best[engine][number] for engine in ENGINES)]
    rows = []
    for engine, given in answers.items():
        firsts = [items[0] if items else None for items in judged[engine]]
        items = [item for items in judged[engine] for item in items]
        shared = [found for number in paired if (found := best[engine][number])]
        against = list(zip(best[engine], best["transformers"], strict=True))
        errors = [answer.error for answer in given if answer.error]
        missed = [
            not (first and first.on_text) and not answer.error and answer.says_met is not False
            for first, answer in zip(firsts, given, strict=True)
        ]
        rows.append(
            GridRow(
                world=world.name,
                phrases=len(jobs[0].phrases),
                constraint_tokens=_mean([job.num_constraint_tokens for job in jobs]) or 0.0,
                beam=beam,
                engine=engine,
                sentences=len(jobs),
                errors=len(errors),
                best_on_text=_share([bool(first and first.on_text) for first in firsts]),
                best_on_pieces=_share([bool(first and first.on_pieces) for first in firsts]),
                any_on_text=_share([any(item.on_text for item in items) for items in judged[engine]]),
                items=len(items),
                items_on_text=_share([item.on_text for item in items]),
                silent=_share(missed),
                paired=len(paired),
                best_score=_mean([found.score for found in shared]),
                best_log_prob=_mean([found.log_prob for found in shared]),
                best_length=_mean([found.length for found in shared]),
                wins=sum(_beats(mine, theirs) for mine, theirs in against),
                losses=sum(_beats(theirs, mine) for mine, theirs in against),
                repeats=_mean([first.repeats for first in firsts if first]) or 0.0,
                milliseconds=1000 * sum(answer.seconds for answer in given) / len(given),
                first_error=errors[0].splitlines()[0] if errors else "",
            )
        )
    return rows


def _best(items: Sequence[Judgement]) -> Judgement | None:
    satisfying = [item for item in items if item.on_text and item.has_ended]
    return max(satisfying, key=lambda item: item.score, default=None)


def _beats(one: Judgement | None, other: Judgement | None) -> bool:
    """True if one is better by more than rounding; any is better than none."""
    if one is None or other is None:
        return one is not None
    return one.score > other.score + 1e-4


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
