"""Cases in which other engines fail: a scripted model and the results of two searches; and batches."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.constrained.marian import Answer, Job, RandomMarian, search_pinpoint, search_transformers
from benchmarks.constrained.trackers import pinpoint_sees, transformers_sees
from engine.search.phrases import Spelling, TrackedPhrase
from engine.search_options import SearchOptions
from engine.text import EOS, TextCodec
from tests.reference.matching import meets_all

OPTIONS = SearchOptions(beam=10, nbest=5)


@dataclass(frozen=True)
class Trap:
    """`wanted` is the sentence that the model is made to want, in canonical pieces unless `pieces` spells it out.

    A phrase is given by its forms, alternatives split by `|`, and asked for as often as it is listed.
    """

    name: str
    phrases: tuple[str, ...]
    wanted: str
    pieces: str = ""


TRAPS = (
    Trap("[A B] on A A B: broken off by its own first piece", ("that is",), "you know that that is good"),
    Trap("[A B A C] on A B A B A C", ("the name the file",), "the name the name the file"),
    Trap("[A B] and [C] on A C A B: broken off for another", ("that is", "the"), "that the that is"),
    Trap("nested: [A B] inside [A B C]", ("the new file", "the new"), "open the new file"),
    Trap("overlapping: [A B] and [B C] on A B C", ("the new", "new file"), "open the new file"),
    Trap("the same phrase twice", ("new", "new"), "the new name or the new file"),
    Trap("the same phrase twice, wanted once", ("new file", "new file"), "open the new file"),
    Trap("glued: theirNormandy", ("Normandy",), "theirNormandy", "thei@@ r@@ N@@ or@@ man@@ d@@ y"),
    Trap("inside a word: use in house", ("use",), "the house"),
    Trap("inside a number: 0 in 1.000", ("0",), "a file with 1.000"),
    Trap("in other pieces: house as hou se", ("house",), "the new house", "the new h@@ o@@ us@@ e"),
    Trap("any of two forms", ("old|new",), "the new file"),
    Trap("any of two forms, one begins the other", ("new|new file",), "open the new file"),
)


@dataclass(frozen=True)
class TrapRow:
    """What stands in the wanted sentence and who sees it there, then what each engine wrote."""

    name: str
    phrases: tuple[str, ...]
    wanted: str
    stands: bool
    pinpoint_sees: str
    transformers_sees: str
    pinpoint_wrote: str
    pinpoint_met: bool
    pinpoint_score: float | None
    transformers_wrote: str
    transformers_met: bool
    transformers_score: float | None


def phrase_of(codec: TextCodec, forms: Sequence[str], count: int = 1) -> TrackedPhrase:
    """A phrase in canonical pieces."""
    for form in forms:
        assert codec.spells(form), form
    spellings = [Spelling.of(number, codec.encode(form).ids, codec) for number, form in enumerate(forms)]
    return TrackedPhrase(tuple(forms), tuple(spellings), count=count)


def spring(trap: Trap, marian: RandomMarian) -> TrapRow:
    """Try both trackers and both searches on one trap."""
    codec = marian.codec
    counts: dict[str, int] = {}
    for text in trap.phrases:
        counts[text] = counts.get(text, 0) + 1
    phrases = tuple(phrase_of(codec, text.split("|"), count) for text, count in counts.items())
    pieces = tuple(codec.vocabulary.id_of(p) for p in trap.pieces.split()) or codec.encode(trap.wanted).ids
    assert codec.decode(pieces).text == trap.wanted, codec.decode(pieces).text
    job = Job((*codec.encode("a new file").ids, EOS), phrases, script=(*pieces, EOS))
    try:
        theirs_sees = "yes" if transformers_sees(pieces, phrases) else "no"
    except ValueError as error:
        theirs_sees = f"refuses ({type(error).__name__})"
    (ours,) = search_pinpoint(marian, [job], OPTIONS)
    (theirs,) = search_transformers(marian, [job], OPTIONS)
    return TrapRow(
        trap.name,
        trap.phrases,
        trap.wanted,
        meets_all(trap.wanted, phrases),
        "yes" if pinpoint_sees(codec, pieces, phrases) else "no",
        theirs_sees,
        *_wrote(marian, job, ours),
        *_wrote(marian, job, theirs),
    )


def _wrote(marian: RandomMarian, job: Job, answer: Answer) -> tuple[str, bool, float | None]:
    if answer.error:
        return answer.error.split(":")[0], False, None
    best = marian.judge(job, answer.hypotheses[0])
    return best.text, best.on_text, best.score


@dataclass(frozen=True)
class BatchRow:
    """One way to call with several sentences: how many got what they asked for, on the text, and what was raised."""

    name: str
    engine: str
    sentences: int
    calls: int
    met: int
    as_alone: int | None
    seconds: float
    error: str = ""


def compare_batches(marian: RandomMarian, words: Sequence[str], size: int, seed: int = 0) -> list[BatchRow]:
    """Sentences together in a call: with the same phrases, with different numbers of phrases, with one broken."""
    rng = random.Random(seed)
    codec = marian.codec
    vocabulary = [piece for word in words for piece in codec.encode(word).ids]
    # Mostly of one length: transformers has one length limit for a call.
    sources = [tuple(rng.choice(vocabulary) for _ in range(8)) for _ in range(size)]
    uneven = [tuple(rng.choice(vocabulary) for _ in range(4 + number)) for number in range(size)]
    chosen = [phrase_of(codec, [word]) for word in rng.sample(words, 2 * size)]
    same = [Job((*source, EOS), tuple(chosen[:2])) for source in sources]
    same_uneven = [Job((*source, EOS), tuple(chosen[:2])) for source in uneven]
    different = [
        Job((*source, EOS), tuple(chosen[2 * number : 2 * number + number % 3]))
        for number, source in enumerate(sources)
    ]
    union = tuple(phrase for job in different for phrase in job.phrases)
    one_broken = [Job(job.source, job.phrases, broken=number == 1) for number, job in enumerate(same)]

    def ours(jobs: Sequence[Job]) -> list[Answer]:
        return search_pinpoint(marian, jobs, OPTIONS)

    def theirs(jobs: Sequence[Job]) -> list[Answer]:
        return search_transformers(marian, jobs, OPTIONS)

    def asked_of_all(jobs: Sequence[Job]) -> list[Answer]:
        return search_transformers(marian, [Job(job.source, union) for job in jobs], OPTIONS)

    def with_scores(jobs: Sequence[Job]) -> list[Answer]:
        return search_transformers(marian, jobs, OPTIONS, output_scores=True, return_dict_in_generate=True)

    alone = "alone, one call each"
    rows = []
    sets = {
        "the same two phrases": same,
        "the same, sources of 4 to 11 pieces": same_uneven,
        "0, 1 or 2 phrases of their own": different,
    }
    for name, jobs in sets.items():
        for engine, search in (("Pinpoint", ours), ("transformers", theirs)):
            singly = [search([job])[0] for job in jobs]
            rows.append(_batch_row(marian, f"{name}, {alone}", engine, jobs, singly, calls=size))
            together = f"{name}, one batch"
            if engine == "transformers" and jobs is different:
                together += ": it takes one list of phrases, so all phrases asked of all"
                search = asked_of_all
            rows.append(_batch_row(marian, together, engine, jobs, search(jobs), calls=1, singly=singly))
    for engine, search in (("Pinpoint", ours), ("transformers", theirs)):
        name = "one sentence's scores are not numbers"
        rows.append(_batch_row(marian, name, engine, one_broken, search(one_broken)))
    rows.append(_batch_row(marian, "scores asked for (output_scores=True)", "transformers", same, with_scores(same)))
    return rows


def _batch_row(
    marian: RandomMarian,
    name: str,
    engine: str,
    jobs: Sequence[Job],
    answers: Sequence[Answer],
    calls: int = 1,
    singly: Sequence[Answer] | None = None,
) -> BatchRow:
    met = sum(
        bool(answer.hypotheses) and not job.broken and marian.judge(job, answer.hypotheses[0]).on_text
        for job, answer in zip(jobs, answers, strict=True)
    )
    as_alone = None
    if singly is not None:
        as_alone = sum(a.hypotheses == b.hypotheses for a, b in zip(answers, singly, strict=True))
    seconds = sum(answer.seconds for answer in answers) if calls > 1 else answers[0].seconds
    errors = [answer.error for answer in answers if answer.error]
    error = f"{len(errors)} of {len(jobs)}: {errors[0].splitlines()[0]}" if errors else ""
    if any(job.broken and answer.hypotheses for job, answer in zip(jobs, answers, strict=True)):
        error = "none told: the broken sentence comes back with a text"
    return BatchRow(name, engine, len(jobs), calls, met, as_alone, seconds, error)
