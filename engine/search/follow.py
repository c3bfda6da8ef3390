"""Smallest change: the exact cost of the differences between a hypothesis and a previous text, for all rows together.

The cost is the edit distance (Levenshtein 1966) between the pieces of the hypothesis and of the previous text:
pieces added, replaced and left out. Replacing a piece of a required text or leaving it out costs more, so that such a
text stays in its place, also if its words occur elsewhere, too. A row keeps one line of the distance table: entry j is
the least cost of turning the first j pieces of the previous text into the pieces written so far. The least entry is
what every continuation must at least cost, so a row's cost never falls as the row grows, and scores with it are bounded
like log-probabilities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.interruption import NEVER, Interruption
from engine.search.arrays import Bools, Floats, Ints

REQUIRED_CHANGES = 30.0  # that a changed piece of a required text counts for


@dataclass(frozen=True, slots=True)
class FollowedText:
    """A previous text in pieces; each change costs `strength`, in nats.

    `places_phrases`: required phrases that it lacks are still to be put into it (`engine.decoding.placing`). `required`
    are the numbers of pieces of required texts; to replace one or leave it out counts as `REQUIRED_CHANGES`.
    """

    pieces: tuple[int, ...]
    strength: float
    places_phrases: bool = False
    required: frozenset[int] = frozenset()

    def edited(self, first: int, last: int, pieces: Sequence[int]) -> FollowedText:
        """The text with these pieces in the place of those from `first` up to `last`; they are not `required`."""
        more = len(pieces) - (last - first)
        required = frozenset(k if k < first else k + more for k in self.required if not first <= k < last)
        return replace(self, pieces=(*self.pieces[:first], *pieces, *self.pieces[last:]), required=required)


def penalty_of(followed: FollowedText, prefix: Sequence[int], pieces: Sequence[int]) -> float:
    """The cost in nats of a finished translation's changes. Its first pieces are the prefix, which costs nothing."""
    following, number_1 = Following({0: followed}, 1), np.zeros(1, dtype=np.int64)
    costs_1J = following.start(number_1, [prefix])
    for piece in pieces[len(prefix) :]:
        costs_1J = following.after(number_1, costs_1J, np.array([piece]))
    return float(following.end_penalties(number_1, costs_1J)[0])


_NUMBERS_AT_ONCE = 2**18  # of the tables of costs: they stay in the processor's cache


class Following:
    """The previous texts of a batch of sentences as tables, by the tracker's sentence numbers.

    `numbers` are the sentences with a previous text; the others have no cost. The state of N rows is an array (N, J):
    the lines of their distance tables, padded with infinity to one more than the pieces of the longest previous text.
    Long computations ask an `interruption` between their parts.
    """

    def __init__(self, texts: Mapping[int, FollowedText | None], num_numbers: int) -> None:
        followed = {number: text for number, text in texts.items() if text is not None}
        self.is_needed = bool(followed)
        self.numbers = np.array(list(followed), dtype=np.int64)
        num_columns = 1 + max((len(text.pieces) for text in followed.values()), default=-1)
        self._places_J = np.arange(num_columns)
        self._pieces_BJ = np.full((num_numbers, num_columns), -1)  # column j: piece j, which the last column lacks
        self._added_B = np.zeros(num_numbers)  # changes by an added piece: 1 in sentences with a previous text
        self._changed_BJ = np.zeros((num_numbers, num_columns))  # changes by replacing piece j or leaving it out
        self._left_out_BJ = np.zeros((num_numbers, num_columns))  # changes by leaving out the first j pieces
        self._last_B = np.zeros(num_numbers, dtype=np.int64)
        self._strength_B = np.zeros(num_numbers)
        for number, text in followed.items():
            self._pieces_BJ[number, : len(text.pieces)] = text.pieces
            self._added_B[number] = 1.0
            changed_J = np.ones(len(text.pieces))
            changed_J[list(text.required)] = REQUIRED_CHANGES
            self._changed_BJ[number, : len(text.pieces)] = changed_J
            self._left_out_BJ[number, 1 : len(text.pieces) + 1] = changed_J.cumsum()
            self._last_B[number] = len(text.pieces)
            self._strength_B[number] = text.strength

    def start(self, sentences_R: Ints, pieces_R: Sequence[Sequence[int]]) -> Floats:
        """(R, J): the costs of rows that must begin with these pieces, which are free."""
        is_inside_RJ = self._places_J <= self._last_B[sentences_R, None]
        costs_RJ = np.where(is_inside_RJ, self._left_out_BJ[sentences_R], np.inf)
        for row, pieces in enumerate(pieces_R):
            for piece in pieces:
                costs_RJ[[row]] = self.after(sentences_R[[row]], costs_RJ[[row]], np.array([piece]))
        start_RJ: Floats = costs_RJ - costs_RJ.min(1, keepdims=True)
        return start_RJ

    def resized(self, costs_RJ: Floats) -> Floats:
        """The costs with as many columns as the tables; columns that are cut off belong to no live sentence."""
        num_columns = len(self._places_J)
        more = num_columns - costs_RJ.shape[1]
        if more <= 0:
            return costs_RJ[:, :num_columns]
        padded = np.pad(costs_RJ, ((0, 0), (0, more)), constant_values=np.inf)
        if not costs_RJ.shape[1]:  # in a batch in which no sentence has a previous text
            padded[:, 0] = 0.0
        return padded

    def after(self, sentences_N: Ints, costs_NJ: Floats, tokens_N: Ints, interruption: Interruption = NEVER) -> Floats:
        """(N, J): the costs after one more piece each."""
        after_NJ = np.empty_like(costs_NJ)
        for some in self._parts(len(sentences_N), interruption):
            is_same_NJ = self._pieces_BJ[sentences_N[some]] == tokens_N[some, None]
            after_NJ[some] = self._next_line(sentences_N[some], costs_NJ[some], is_same_NJ)
        return after_NJ

    def penalties_after(
        self,
        sentences_N: Ints,
        costs_RJ: Floats,
        rows_N: Ints,
        tokens_N: Ints,
        is_end_N: Bools,
        interruption: Interruption = NEVER,
    ) -> Floats:
        """(N,): the nats that row `rows_N[i]` has lost for certain after one more piece each.

        After an end, these are all that it loses, also by lacking the rest of the previous text.
        """
        penalties_N = np.zeros(len(rows_N))
        for some in self._parts(len(rows_N), interruption):
            sentences, costs_NJ = sentences_N[some], costs_RJ[rows_N[some]]
            after_NJ = self._next_line(sentences, costs_NJ, self._pieces_BJ[sentences] == tokens_N[some, None])
            ends_N, goes_on_N = self.end_penalties(sentences, costs_NJ), self.penalties(sentences, after_NJ)
            penalties_N[some] = np.where(is_end_N[some], ends_N, goes_on_N)
        return penalties_N

    def penalties(self, sentences_N: Ints, costs_NJ: Floats) -> Floats:
        """(N,): the nats that rows with these costs have lost for certain."""
        penalties_N: Floats = self._strength_B[sentences_N] * costs_NJ.min(1)
        return penalties_N

    def end_penalties(self, sentences_N: Ints, costs_NJ: Floats) -> Floats:
        """(N,): the nats that these rows lose if they end here, without the rest of the previous text."""
        ends_N = costs_NJ[np.arange(len(sentences_N)), self._last_B[sentences_N]]
        return self._strength_B[sentences_N] * ends_N

    def likely(self, sentences_R: Ints, costs_RJ: Floats, interruption: Interruption = NEVER) -> tuple[Floats, Ints]:
        """(R,) the penalty of a piece that is not in the previous text, and (R, F) the pieces with a lower penalty.

        These are padded with -1. They are few: the pieces at the places where the row's cost is least.
        """
        unlike_R = np.zeros(len(sentences_R))
        is_better_RJ = np.zeros(costs_RJ.shape, dtype=np.bool_)
        for some in self._parts(len(sentences_R), interruption):
            unlike_R[some] = self._next_line(sentences_R[some], costs_RJ[some], None).min(1)
            is_better_RJ[some] = costs_RJ[some] < unlike_R[some, None]
            is_better_RJ[some] &= self._pieces_BJ[sentences_R[some]] >= 0
        rows, places = is_better_RJ.nonzero()
        num_better_R = is_better_RJ.sum(1)
        better_RF = np.full((len(sentences_R), int(num_better_R.max(initial=0))), -1)
        firsts_R = np.cumsum(num_better_R) - num_better_R
        better_RF[rows, np.arange(len(rows)) - firsts_R[rows]] = self._pieces_BJ[sentences_R[rows], places]
        return self._strength_B[sentences_R] * unlike_R, better_RF

    def _parts(self, num_rows: int, interruption: Interruption) -> Iterator[slice]:
        """Slices of the rows, small enough to compute their costs together."""
        size = max(1, _NUMBERS_AT_ONCE // len(self._places_J))
        for first in range(0, num_rows, size):
            if first:
                interruption.check()
            yield slice(first, first + size)

    def _next_line(self, sentences_N: Ints, costs_NJ: Floats, is_same_NJ: Bools | None) -> Floats:
        """The next line of each distance table; `is_same_NJ` marks the pieces that are kept, None: none."""
        added_NJ = costs_NJ + self._added_B[sentences_N, None]
        kept_NJ = costs_NJ + self._changed_BJ[sentences_N]  # or replaced
        if is_same_NJ is not None:
            kept_NJ = np.where(is_same_NJ, costs_NJ, kept_NJ)
        after_NJ = np.minimum(added_NJ[:, 1:], kept_NJ[:, :-1])
        after_NJ = np.concatenate([added_NJ[:, :1], after_NJ], 1)
        left_out_NJ = self._left_out_BJ[sentences_N]
        least_NJ = np.minimum.accumulate(after_NJ - left_out_NJ, axis=1) + left_out_NJ
        is_inside_NJ = self._places_J <= self._last_B[sentences_N, None]
        result: Floats = np.where(is_inside_NJ, least_NJ, np.inf)
        return result
