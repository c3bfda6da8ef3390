"""Constrained beam search and enumeration, slow and obvious: one Python object per hypothesis.

`slow_search` follows Post & Vilar (2018), algorithm 2, or grid beam search, with every quantity computed from the whole
text, and stops as Huang et al. (2017) describe; `enumerate_all` looks at every sequence there is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.search.follow import FollowedText
from engine.search.phrases import SentenceConstraints, TrackedPhrase
from engine.search_options import SearchOptions
from tests.reference.changes import slow_penalty
from tests.reference.matching import forced_pieces, meets_all, must_close, total_missing, violates
from tests.reference.toy import BEGIN, END, ToyModel, ToyTexts


@dataclass(frozen=True)
class Hyp:
    tokens: tuple[int, ...] = ()
    log_prob: float = 0.0
    penalty: float = 0.0

    @property
    def score(self) -> float:
        return (self.log_prob - self.penalty) / len(self.tokens)


def slow_score(hyp: Hyp, options: SearchOptions, target_length: float) -> float:
    """What ranks a finished hypothesis (Huang et al., section 4): a reward for each token up to the target length."""
    if options.score == "bounded_length_reward":
        return hyp.log_prob + options.length_reward * min(target_length, len(hyp.tokens))
    return hyp.log_prob if options.score == "log_prob" else hyp.score


def slow_allocate(waiting: Sequence[int], beam: int) -> list[int]:
    """Places by bank: floor(k / (C + 1)) each, the rest to the top; unused ones to the nearest bank, upwards first."""
    num_banks = len(waiting)
    places = [beam // num_banks] * num_banks
    places[-1] += beam - sum(places)
    given = [min(place, count) for place, count in zip(places, waiting, strict=True)]
    left = [place - got for place, got in zip(places, given, strict=True)]
    for distance in range(1, num_banks):
        for step in (distance, -distance):
            for bank in range(num_banks):
                if 0 <= bank + step < num_banks:
                    moved = min(left[bank], waiting[bank + step] - given[bank + step])
                    left[bank] -= moved
                    given[bank + step] += moved
    return given


def slow_spread(waiting: Sequence[int], beam: int) -> list[int]:
    """Places in rounds, one to each bank with candidates left; if too few, evenly spaced from the lowest to the top."""
    given = [0] * len(waiting)
    while (left := min(beam, sum(waiting)) - sum(given)) > 0:
        banks = [bank for bank, count in enumerate(waiting) if given[bank] < count]
        if left == 1:
            banks = banks[-1:]
        elif left < len(banks):
            banks = [banks[math.ceil(place * (len(banks) - 1) / (left - 1))] for place in range(left)]
        for bank in banks:
            given[bank] += 1
    return given


class Limit(Protocol):
    """What must come after given tokens before a sentence can end."""

    def needed(self, tokens: Sequence[int]) -> int:
        """Least number of pieces that must still come before the end."""
        ...

    def must_close(self, tokens: Sequence[int]) -> bool:
        """True if the next of these can only be one that ends an open word."""
        ...

    def forced(self, tokens: Sequence[int]) -> set[int]:
        """The pieces that take a phrase forward."""
        ...


@dataclass(frozen=True)
class SlowLimit:
    """The same by definition, for phrases without a turn."""

    texts: ToyTexts
    phrases: Sequence[TrackedPhrase]

    def needed(self, tokens: Sequence[int]) -> int:
        return total_missing(self.texts, tokens, self.phrases) + must_close(self.texts, tokens, self.phrases)

    def must_close(self, tokens: Sequence[int]) -> bool:
        return must_close(self.texts, tokens, self.phrases)

    def forced(self, tokens: Sequence[int]) -> set[int]:
        return forced_pieces(self.texts, tokens, self.phrases)


def allowed_tokens(
    texts: ToyTexts, tokens: Sequence[int], phrases: Sequence[TrackedPhrase], remaining: int, limit: Limit
) -> set[int]:
    """What may follow when `remaining` tokens are left: the end when all is met; near the limit only what must come."""
    allowed = set(range(texts.size)) - {BEGIN}
    if not meets_all(texts.text(tokens), phrases):
        allowed -= {END}
    if limit.needed(tokens) + 1 >= remaining:
        if remaining == 1:
            allowed &= {END}
        elif limit.must_close(tokens):
            allowed = {token for token in allowed if not texts.glues_right[token]}
        else:
            allowed &= limit.forced(tokens)
    return allowed


def is_in_time(tokens: Sequence[int], remaining: int, limit: Limit) -> bool:
    """True if a row that takes the last of `tokens` when `remaining` may come can still meet everything."""
    return tokens[-1] == END or limit.needed(tokens) + 1 < remaining


def slow_search(
    model: ToyModel,
    sentence: int,
    phrases: Sequence[TrackedPhrase],
    texts: ToyTexts,
    max_length: int,
    options: SearchOptions,
    target_length: float = 0.0,
    is_grid: bool = False,
) -> tuple[list[Hyp], int]:
    """The n-best list of one sentence, and the steps that it took."""
    num_tokens = sum(phrase.num_constraint_tokens for phrase in phrases)
    beam, finished, num_finished = [Hyp()], {}, 0
    best_log_prob, last_top = float("-inf"), None
    limit = SlowLimit(texts, phrases)

    def score(hyp: Hyp) -> float:
        return slow_score(hyp, options, target_length)

    for step in range(1, max_length + 1):
        remaining = max_length - step + 1
        width = options.beam - num_finished if options.stopping == "shrinking" else options.beam
        continuations: dict[tuple[int, int], Hyp] = {}
        best_of_row, eligible, spared = [], [], set()
        for row, hyp in enumerate(beam):
            allowed = allowed_tokens(texts, hyp.tokens, phrases, remaining, limit)
            forced = forced_pieces(texts, hyp.tokens, phrases)
            log_probs = model.log_probs(sentence, (BEGIN, *hyp.tokens)).tolist()
            for token in allowed:
                continuations[row, token] = Hyp((*hyp.tokens, token), hyp.log_prob + log_probs[token])
            ranked = sorted(((row, token) for token in allowed), key=lambda key: -continuations[key].log_prob)
            best_of_row += ranked[: options.beam if is_grid else 1] + [(row, token) for token in forced & allowed]
            eligible += ranked[: options.max_children]
            spared |= {continuations[row, token] for token in forced & allowed}
        top = sorted(eligible, key=lambda key: (-continuations[key].log_prob, key))[:width]
        is_full = len(finished) >= min(options.nbest, options.beam)
        prunes = options.pruning_threshold is not None and (is_full or options.pruning == "first_finished")
        floor = best_log_prob - (options.pruning_threshold or 0.0) if prunes else float("-inf")
        banks: list[list[Hyp]] = [[] for _ in range(num_tokens + 1)]
        keys = {*best_of_row} if is_grid else {*top, *best_of_row}
        keys = {key for key in keys if is_in_time(continuations[key].tokens, remaining, limit)}
        stranded = set(range(len(beam))) - {row for row, _ in keys}
        for key in sorted(keys | {(row, END) for row in stranded if (row, END) in continuations}):
            hyp = continuations[key]
            is_end = hyp.tokens[-1] == END
            bank = num_tokens - (0 if is_end else total_missing(texts, hyp.tokens, phrases))
            if hyp.log_prob >= floor:
                banks[bank].append(hyp)
        if options.bank_threshold is not None:
            for number, bank in enumerate(banks):
                best_of_bank = max((hyp.log_prob for hyp in bank), default=0.0)
                if number == num_tokens:
                    best_of_bank = max(best_of_bank if bank else float("-inf"), best_log_prob)
                near = [hyp for hyp in bank if hyp.log_prob >= best_of_bank - options.bank_threshold or hyp in spared]
                banks[number] = near
        waiting = [len(bank) for bank in banks]
        share = slow_spread if options.crowding == "spread" and width < len(banks) else slow_allocate
        places = [min(width, count) for count in waiting] if is_grid else share(waiting, width)
        chosen = [
            hyp
            for bank, size in zip(banks, places, strict=True)
            for hyp in sorted(bank, key=lambda hyp: -hyp.log_prob)[:size]
        ]
        for hyp in chosen:
            if hyp.tokens[-1] == END:
                num_finished += 1
                best_log_prob = max(best_log_prob, hyp.log_prob)
                text = texts.text(hyp.tokens)
                if text not in finished or score(hyp) > score(finished[text]):
                    finished[text] = hyp
        beam = sorted((hyp for hyp in chosen if hyp.tokens[-1] != END), key=lambda hyp: hyp.tokens)
        best = sorted(finished.values(), key=lambda hyp: -score(hyp))
        ended = [hyp for hyp in chosen if hyp.tokens[-1] == END]
        last_top = max(ended, key=lambda hyp: hyp.log_prob, default=last_top)
        if not beam:
            break
        if options.stopping == "optimal" and len(best) >= options.nbest:
            # Whatever a row may still become, no shorter than it is with the end and no likelier than it is now.
            hopes = [
                score(Hyp(hyp.tokens + (END,) * more, hyp.log_prob))
                for hyp in beam
                for more in range(1, max_length - step + 1)
            ]
            if max(hopes) <= score(best[options.nbest - 1]):
                break
        elif (
            (options.stopping == "opennmt" and max(chosen, key=lambda hyp: hyp.log_prob) in ended)
            or (options.stopping == "shrinking" and num_finished == options.beam)
            or (options.stopping == "first_finished" and finished)
            or (
                options.stopping == "beam_finished"
                and num_finished >= options.beam
                and len(finished) >= min(options.nbest, options.beam)
            )
        ):
            break
    if options.stopping == "opennmt" and last_top:
        text = texts.text(last_top.tokens)
        best = [last_top, *(hyp for hyp in best if texts.text(hyp.tokens) != text)]
    return best[: options.nbest], step


def enumerate_all(
    model: ToyModel,
    sentence: int,
    constraints: SentenceConstraints,
    texts: ToyTexts,
    max_length: int,
    limit: Limit | None = None,
    followed: FollowedText | None = None,
) -> list[Hyp]:
    """The best sequence of each distinct satisfying text, best first, by looking at all that the rules allow.

    `limit` says what is in time, where phrases have a turn.
    """
    best: dict[str, Hyp] = {}
    prefix = constraints.prefix.text if constraints.prefix else ""
    limit = limit or SlowLimit(texts, constraints.phrases)
    for hyp in _all_sequences(model, sentence, Hyp(), constraints, texts, max_length, limit):
        hyp = replace(hyp, penalty=slow_penalty(followed, hyp.tokens, END))
        text = texts.text(hyp.tokens)
        is_good = (
            meets_all(text, constraints.phrases)
            and text.startswith(prefix)
            and not violates(text, constraints.avoided, constraints.phrases, prefix)
        )
        if is_good and (text not in best or hyp.score > best[text].score):
            best[text] = hyp
    return sorted(best.values(), key=lambda hyp: -hyp.score)


def _all_sequences(
    model: ToyModel,
    sentence: int,
    hyp: Hyp,
    constraints: SentenceConstraints,
    texts: ToyTexts,
    remaining: int,
    limit: Limit,
) -> Iterator[Hyp]:
    phrases, prefix = constraints.phrases, constraints.prefix
    log_probs = model.log_probs(sentence, (BEGIN, *hyp.tokens)).tolist()
    if prefix and len(hyp.tokens) < len(prefix.pieces):
        allowed = {prefix.pieces[len(hyp.tokens)]}
    elif prefix and not texts.text(hyp.tokens).startswith(prefix.text):
        allowed = set(range(2, texts.size))
    else:
        allowed = allowed_tokens(texts, hyp.tokens, phrases, remaining, limit)
    for token in allowed:
        longer = Hyp((*hyp.tokens, token), hyp.log_prob + log_probs[token])
        if token == END:
            yield longer
        elif is_in_time(longer.tokens, remaining, limit):
            yield from _all_sequences(model, sentence, longer, constraints, texts, remaining - 1, limit)
