"""Questions to a model that need several translations: prices and alternatives.

Each is a generator: it yields jobs, continues once all of them have ended, and returns the answer. The caller decides
when the jobs make their steps: at once (`answer_alone`), or in turn with others (`engine.decoding.question_loop`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any, TypeVar

from engine.decoding.constraints import PreparedRequest
from engine.decoding.limits import check_count
from engine.decoding.loop import DecodingJob, JobLoop, decode_all
from engine.decoding.pipeline import RequestPipeline, interrupted_translation
from engine.errors import InvalidRequest
from engine.interruption import Interrupted, Interruption
from engine.request import Request
from engine.search.next_words import NextWord, next_words
from engine.search.sentence import SearchVocabulary
from engine.search.tracker import ConstraintTracker
from engine.search_options import MAX_BEAM, SearchOptions
from engine.text import Codec, join_bytes, occurrences, word_of_piece
from engine.translation import Alternative, Hypothesis, Pricing, Translation

_VARIANTS_AT_ONCE = 20  # of a request, which are prepared and decoded before the next
_WORDS_AT_ONCE = 100  # other words, whose translations are decoded before the next

Answer = TypeVar("Answer")
Steps = Generator[Sequence[DecodingJob], None, Answer]


def answer_alone(steps: Steps[Answer], new_loop: Callable[[int], JobLoop[Any]]) -> Answer:
    """The answer, with the jobs decoded in loops of their own; `new_loop` gets how many may share a step."""
    while True:
        try:
            jobs = next(steps)
        except StopIteration as end:
            answer: Answer = end.value
            return answer
        if jobs:
            decode_all(new_loop(num_at_once(jobs)), jobs)


def num_at_once(jobs: Sequence[DecodingJob]) -> int:
    """The number of jobs of a question that share a step: together, they have about as many rows as the widest beam."""
    widest = max(job.options.beam_for(job.prepared.num_tokens if job.prepared else 0) for job in jobs)
    return min(len(jobs), max(1, MAX_BEAM // widest))


def price_steps(pipeline: RequestPipeline, asked: DecodingJob) -> Steps[Pricing]:
    """The price of the constraints, all together and each alone, from translations with and without them.

    All are decoded without hints, which change the model's scores, without drafts and without expected phrases, which
    have no price. Prices that are unknown after an interruption are None, too.
    """
    started = time.perf_counter()
    interruption, options = asked.interruption, options_for_prices(asked.options)
    translations: list[Translation] = []
    for some in variants_for_prices(asked.request, interruption):
        jobs: list[DecodingJob] = []
        with suppress(Interrupted):
            for variant in some:
                interruption.check()
                prepared = pipeline.prepare(variant, asked.datastore, interruption)
                is_part_of_answer = len(translations) + len(jobs) < 2  # with all constraints, and without
                job = DecodingJob(variant, options, interruption, prepared, started_at=started)
                job.needs_best_only = not is_part_of_answer
                jobs.append(job)
        if len(jobs) < len(some):
            break
        yield jobs
        translations += map(_translation, jobs)
    return pricing_of(asked.request, translations, interruption)


def options_for_prices(options: SearchOptions) -> SearchOptions:
    """The options with which prices are computed: those that search again or change the scores are off."""
    return replace(options, draft_strength=0.0, reverse_weight=0.0, lexicon=False)


def variants_for_prices(request: Request, interruption: Interruption) -> Iterator[list[Request]]:
    """The requests whose translations give the prices (`pricing_of`), some at a time: each may have 1,000 forms.

    After an interruption, there are no more.
    """
    phrases = tuple(phrase for phrase in request.phrases if not phrase.is_expected)
    every = _variants(replace(request, hints=False, phrases=phrases))
    variants = takewhile(lambda _: interruption.cause() is None, every)
    while some := list(islice(variants, _VARIANTS_AT_ONCE)):
        yield some


def pricing_of(request: Request, translations: Sequence[Translation], interruption: Interruption) -> Pricing:
    """The prices from the translations of the variants of a request; the last ones may be missing after a stop."""
    avoid, is_priced = request.avoid, [not phrase.is_expected for phrase in request.phrases]
    num_unknown = 2 + sum(is_priced) + len(avoid) - len(translations)
    found = [*translations]
    if num_unknown:
        cause = interruption.cause()
        assert cause is not None
        unknown = interrupted_translation(replace(request, hints=False), cause)
        found += [unknown] * num_unknown
    constrained, free, *without = found
    prices = iter([_price(other, constrained) for other in without])
    return Pricing(
        total=_price(free, constrained),
        phrases=tuple(next(prices) if has_price else None for has_price in is_priced),
        avoid=tuple(prices),
        constrained=constrained,
        free=free,
    )


def alternatives_steps(
    pipeline: RequestPipeline,
    codec: Codec,
    vocabulary: SearchVocabulary,
    asked: DecodingJob,
    tokens: Sequence[int],
    piece: int,
    count: int,
) -> Steps[tuple[Alternative, ...]]:
    """Alternatives for the word at piece number `piece` of a hypothesis, each with its best continuation.

    Args:
        tokens: All pieces of the hypothesis.
        count: How many alternatives at most; there are fewer after an interruption.

    Raises InvalidRequest if the piece is part of no word, or if the request cannot be met.
    """
    check_count(count)
    started, request, interruption = time.perf_counter(), asked.request, asked.interruption
    try:
        prepared = pipeline.prepare(request, asked.datastore, interruption)
    except Interrupted:
        return ()
    if prepared.obstacles:
        raise InvalidRequest(prepared.obstacles[0].message)
    decoding = codec.decode(tokens)
    first, last = word_of_piece(decoding.text, decoding.spans, piece)
    left = tuple(tokens[:first])
    replaced = join_bytes("".join(codec.surfaces[token] for token in tokens[first:last]))
    tracker = ConstraintTracker([replace(prepared.constraints, prefix=None)], vocabulary.texts)
    following: list[NextWord] = []
    with suppress(Interrupted):
        following = next_words(
            pipeline.reader(prepared, interruption)(1),
            tracker,
            vocabulary.texts,
            vocabulary.roles,
            vocabulary.byte_masks,
            left,
            count + 1,
            interruption,
        )
    following = _distinct(following, replaced, prepared, codec)[:count]
    options = replace(asked.options, draft_strength=0.0)  # the words before the replaced one stay
    found: list[Alternative] = []
    words = takewhile(lambda _: interruption.cause() is None, following)
    while some := list(islice(words, _WORDS_AT_ONCE)):
        jobs: list[DecodingJob] = []
        for word in some:
            pieces = (*left, *word.pieces)
            begun = prepared.begun_with(codec.decode(pieces).text, pieces)
            job = DecodingJob(request, options, interruption, begun, started_at=started, needs_best_only=True)
            jobs.append(job)
        yield jobs
        for word, translation in zip(some, map(_translation, jobs), strict=True):
            best = translation.hypotheses[0] if translation.hypotheses else None
            if best is not None and not best.unmet and translation.status == "complete":
                found.append(Alternative(_written(word, first, best, codec), word.log_prob, best))
    return tuple(sorted(found, key=lambda alternative: -alternative.hypothesis.score))


def places_steps(
    pipeline: RequestPipeline, request: Request, phrase: int, count: int, interruption: Interruption
) -> Steps[tuple[Hypothesis, ...]]:
    """The previous text of the request with one more occurrence of phrase number `phrase`, the best place first.

    None is computed after an interruption. Raises InvalidRequest if the request cannot be met.
    """
    check_count(count)
    if request.follow is None or not request.follow.strength:
        raise InvalidRequest("places are of a previous text; give it as follow")
    if not 0 <= phrase < len(request.phrases) or request.phrases[phrase].is_expected:
        raise InvalidRequest(f"phrase is {phrase}; it must be the number of one of the required phrases, from 0")
    phrases = [*request.phrases]
    asked = phrases[phrase]
    # As many as the text may have, and one more.
    num_wanted = 1 + sum(len(occurrences(request.follow.text, form)) for form in asked.all_forms)
    if asked.max_count is not None and asked.max_count < num_wanted:
        return ()
    phrases[phrase] = replace(asked, count=num_wanted)
    yield ()
    with suppress(Interrupted):
        prepared = pipeline.prepare(replace(request, phrases=tuple(phrases)), None, interruption)
        if prepared.obstacles:
            raise InvalidRequest(prepared.obstacles[0].message)
        return pipeline.places(prepared.without_expected(), phrase, count, interruption)
    return ()


def _distinct(words: Sequence[NextWord], replaced: str, prepared: PreparedRequest, codec: Codec) -> list[NextWord]:
    """The words that look different from the replaced word and from each other, in order."""
    assert prepared.reading is not None
    seen, found = {prepared.reading.look_of(replaced)}, []
    for word in words:
        look = prepared.reading.look_of(codec.decode(word.pieces).text)
        if look not in seen:
            seen.add(look)
            found.append(word)
    return found


def _written(word: NextWord, first: int, hypothesis: Hypothesis, codec: Codec) -> str:
    """The text of a word that begins with piece number `first` of the hypothesis."""
    last = first + len(word.pieces)
    if hypothesis.tokens[first:last] != word.pieces:  # a word before it was replaced by one of the lexicon
        return codec.decode(word.pieces).text
    return hypothesis.text[hypothesis.token_spans[first][0] : hypothesis.token_spans[last - 1][1]]


def _variants(request: Request) -> Iterator[Request]:
    """The request, the same without phrases and avoided texts, and without each of them; made one at a time."""
    phrases, avoid = request.phrases, request.avoid
    yield request
    yield replace(request, phrases=(), avoid=())
    for i in range(len(phrases)):
        yield replace(request, phrases=phrases[:i] + phrases[i + 1 :])
    for i in range(len(avoid)):
        yield replace(request, avoid=avoid[:i] + avoid[i + 1 :])


def _translation(job: DecodingJob) -> Translation:
    """The translation of a job that has ended; raises its error."""
    if job.error is not None:
        raise job.error
    return job.result()


def _price(without: Translation, having: Translation) -> float | None:
    """The difference of the best scores; None if one of the two has no translation that meets its request."""
    if without.status != "complete" or having.status != "complete":
        return None
    return without.hypotheses[0].score - having.hypotheses[0].score
