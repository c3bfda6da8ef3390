"""One step's candidates (Post & Vilar 2018, section 3.1): which tokens may follow which rows, with score and bank.

In this order: masks, the best continuations and the forced ones, their phrase states and banks, and last the removal
of candidates that cannot meet all constraints in time or that are pruned. Nothing here loops over hypotheses, except
over those in a prefix or with no step to spare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.interruption import Interruption
from engine.search.arrays import Bools, Floats, Ints
from engine.search.banks import rank_within
from engine.search.follow import Following
from engine.search.repeats import is_among, repeating
from engine.search.rows import BeamRows, Candidates
from engine.search.scores import Allowed, LogProbs, Masks, scores_of
from engine.search.sentence import LiveSentence, SearchVocabulary
from engine.search.steps import Output
from engine.search.stopping import beam_left
from engine.search.tracker import ConstraintTracker


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits that the sentences' options set for this step, by the tracker's sentence numbers.

    `max_children_B` bounds the continuations of one row besides the forced ones. `floor_B` is the log-probability below
    which candidates are pruned, `reach_B` how far below the best of its bank a candidate may be, `best_finished_B` the
    best finished hypothesis, which counts in the last bank. `spreads_B`: crowded banks share the beam evenly.
    `late_penalty_B` is for each sentence begun late, beyond `max_sentences_B`, `repetition_penalty_B` for each repeat
    beyond `max_repeats_B`.
    """

    beam_B: Ints
    max_length_B: Ints
    max_children_B: Ints
    floor_B: Floats
    reach_B: Floats
    best_finished_B: Floats
    spreads_B: Bools
    late_penalty_B: Floats
    max_sentences_B: Ints
    repetition_penalty_B: Floats
    max_repeats_B: Ints

    @classmethod
    def of(cls, live: Mapping[int, LiveSentence], num_numbers: int, vocabulary_size: int) -> Limits:
        counts, bounds = [(0, 0, 0, False, 1, 0)] * num_numbers, [(0.0,) * 5] * num_numbers
        for number, item in live.items():
            options, best = item.sentence.options, item.pool.best_total
            beam = beam_left(options, item.pool.num_finished)
            children = min(beam, options.max_children or beam, vocabulary_size)
            sentence = item.sentence
            spreads = options.crowding == "spread"
            counts[number] = beam, sentence.max_length, children, spreads, sentence.max_sentences, sentence.max_repeats
            floor = item.pool.pruning_total - _or_infinity(options.pruning_threshold)
            reach = _or_infinity(options.bank_threshold)
            bounds[number] = floor, reach, best, options.late_penalty, options.repetition_penalty
        beam_B, length_B, children_B, spreads_B, max_sentences_B, max_repeats_B = np.array(counts).reshape(-1, 6).T
        floor_B, reach_B, best_B, late_B, repetition_B = np.array(bounds, dtype=np.float64).reshape(-1, 5).T
        return cls(
            beam_B,
            length_B,
            children_B,
            floor_B,
            reach_B,
            best_B,
            spreads_B.astype(np.bool_),
            late_B,
            max_sentences_B,
            repetition_B,
            max_repeats_B,
        )

    def placement_penalties(self, sentences_N: Ints, endings_N3: Ints, repeats_N: Ints) -> Floats:
        """(N,): the penalties in nats of rows with these counts, for late sentences and for repetition."""
        late_N = self.late_penalty_B[sentences_N] * endings_N3[:, 2]
        more_N = np.maximum(repeats_N - self.max_repeats_B[sentences_N], 0)
        penalties_N: Floats = late_N + self.repetition_penalty_B[sentences_N] * more_N
        return penalties_N


def _or_infinity(threshold: float | None) -> float:
    return float("inf") if threshold is None else threshold


class Expansion:
    """The candidates of one step: `output` is the model's for `rows`, and masked in place. Masks do not renormalise."""

    def __init__(
        self,
        rows: BeamRows,
        output: Output,
        limits: Limits,
        tracker: ConstraintTracker,
        vocabulary: SearchVocabulary,
        following: Following,
        interruption: Interruption,
    ) -> None:
        self._rows = rows
        self._limits = limits
        self._tracker = tracker
        self._following = following
        self._interruption = interruption
        self._vocabulary = vocabulary
        self._num_banks = int(tracker.num_tokens_B.max()) + 1
        self._steps_left_R = limits.max_length_B[rows.sentences_R] - rows.lengths_R  # tokens until the length limit
        self._is_free = tracker.are_free(rows.nodes_R)
        self._remaining = None if self._is_free else rows.remaining
        if not self._is_free and self._remaining is None:
            self._remaining = tracker.remaining_cost(rows.sentences_R, rows.nodes_R, rows.met_RP, interruption)
        self._forced_RF = self._forced()
        self._is_late_counted = bool((limits.late_penalty_B > 0).any())
        placement_R = limits.placement_penalties(rows.sentences_R, rows.endings_R3, rows.repeats_R)
        self._before_R = rows.log_probs_R - rows.penalties_R - placement_R
        self._beam_B, self._children_B = limits.beam_B, limits.max_children_B
        self._repeating_RM = np.zeros((len(rows), 0), dtype=np.int64)
        if (limits.repetition_penalty_B > 0).any():
            self._spare_repeats()
        self._queried_RF = self._forced_RF
        if following.is_needed:
            self._follow()
        self._scores = scores_of(output, self._masks(), self._queried_RF, vocabulary, interruption)
        self.failed = np.zeros(0, dtype=np.int64)  # sentences with NaN scores

    def candidates(self) -> Candidates:
        """All candidates that compete for the places of their sentence's beam."""
        keys = self._gather()
        candidates, is_possible_N = self._weigh(keys)
        if not self._is_free and len(ends := self._last_resorts(candidates.rows_N[is_possible_N])):
            candidates, is_possible_N = self._weigh(np.unique(np.concatenate([keys, ends])))
        is_unpruned_N = candidates.scores_N >= self._limits.floor_B[candidates.sentences_N]
        candidates = candidates.keep(is_possible_N & is_unpruned_N)
        if np.isinf(self._limits.reach_B).all():
            return candidates
        return candidates.keep(self._is_forced(candidates) | self._is_within_reach(candidates))

    def _forced(self) -> Ints:
        """(R, F): pieces that advance an unmet phrase, -1 as padding."""
        rows = self._rows
        if self._remaining is None or self._num_banks == 1:
            return np.zeros((len(rows), 0), dtype=np.int64)
        end = self._vocabulary.roles.end
        return self._tracker.forced(rows.sentences_R, rows.nodes_R, self._remaining, end, self._interruption)

    def _follow(self) -> None:
        """Finds the best continuations without the previous texts, too, beside those that follow them.

        Then all that are among the best k with their own penalty are found: an estimate is too high only for the end,
        which takes at most one place from each row, so twice the beam is enough.
        """
        rows = self._rows
        penalties_R, likely_RF = self._following.likely(rows.sentences_R, rows.changes_RJ, self._interruption)
        self._before_R = self._before_R + rows.penalties_R - penalties_R
        is_followed_B = np.isin(np.arange(len(self._beam_B)), self._following.numbers)
        is_capped_B = self._children_B < np.minimum(self._beam_B, self._vocabulary.size)
        more_B = np.where(is_capped_B, self._children_B + 1, 2 * self._beam_B)
        self._children_B = np.where(is_followed_B, more_B, self._children_B)
        self._beam_B = np.where(is_followed_B, 2 * self._beam_B, self._beam_B)
        ends_R1 = np.where(is_followed_B[rows.sentences_R], self._vocabulary.roles.end, -1)[:, None]
        self._queried_RF = np.concatenate([self._forced_RF, likely_RF, ends_R1], 1)

    def _spare_repeats(self) -> None:
        """Take as many more continuations as could be repeats, so that the best k with their penalty are among them."""
        rows = self._rows
        self._repeating_RM = repeating(rows.tokens_RT)
        repeats_R = (self._repeating_RM >= 0).sum(1) * (self._limits.repetition_penalty_B[rows.sentences_R] > 0)
        more_B = np.bincount(rows.sentences_R, repeats_R, len(self._beam_B)).astype(np.int64)
        self._beam_B, self._children_B = self._beam_B + more_B, self._children_B + more_B

    def _masks(self) -> Masks:
        """The tokens that each row must not write in this step."""
        rows, tracker, steps_left_R = self._rows, self._tracker, self._steps_left_R
        if self._remaining is None:
            may_end_R, is_bound_R = None, steps_left_R <= 1
        else:
            may_end_R = self._remaining.may_end_N
            in_prefix_R = tracker.in_prefix(rows.nodes_R)
            is_bound_R = in_prefix_R | (self._remaining.needed_N + 1 >= steps_left_R)
        following_bytes = self._vocabulary.byte_masks.allowed(rows.tokens_RT)
        allowed: dict[int, Allowed] = dict(following_bytes)
        for row in is_bound_R.nonzero()[0].tolist():  # in the prefix, or with no step to spare
            if self._remaining is not None and in_prefix_R[row]:
                allowed[row] = tuple(tracker.prefix_pieces(int(rows.nodes_R[row])))
            elif steps_left_R[row] == 1:
                allowed[row] = (self._vocabulary.roles.end,)
            elif row in following_bytes:
                continue
            elif self._remaining is not None and self._remaining.closes_N[row]:
                allowed[row] = "closing"
            else:
                forced_F = self._forced_RF[row]
                allowed[row] = tuple(forced_F[forced_F >= 0].tolist())
        return Masks(may_end_R, allowed)

    def _gather(self) -> Ints:
        """Candidates as row * V + token, ascending and distinct; none for sentences that fail.

        Section 3.1: the best k continuations of the sentence (at most `max_children` of one row), the forced ones, and
        the best one of each row.
        """
        rows, vocabulary_size = self._rows, self._vocabulary.size
        keys, failed_R = self._leading()
        if self._queried_RF.shape[1]:
            keys = np.unique(np.concatenate([keys, self._keys(self._queried_RF)]))
        if failed_R.any():
            self.failed = np.unique(rows.sentences_R[failed_R])
            keys = keys[~np.isin(rows.sentences_R[keys // vocabulary_size], self.failed)]
        return keys

    def _leading(self) -> tuple[Ints, Bools]:
        """The candidates of `_gather` without the forced ones, and (R,) the rows with NaN scores."""
        rows, limits, vocabulary_size = self._rows, self._limits, self._vocabulary.size
        is_capped = (limits.max_children_B < np.minimum(limits.beam_B, vocabulary_size))[rows.sentences_R].any()
        if isinstance(self._scores, LogProbs) and not is_capped and not self._tracker.may_die(rows.nodes_R).any():
            return self._scores.leaders(self._before_R, rows.sentences_R, self._beam_B)
        values_RK, tokens_RK = self._best_living()
        is_eligible_RK, _, ranks_RK = self._ranked(values_RK)
        is_chosen_RK = is_eligible_RK & (ranks_RK < self._beam_B[rows.sentences_R][:, None])
        is_chosen_RK[np.arange(len(rows)), values_RK.argmax(1)] = True
        row_index_R1 = np.arange(len(rows))[:, None] * vocabulary_size
        keys = np.sort((row_index_R1 + tokens_RK)[is_chosen_RK & (values_RK > -np.inf)])
        return keys, np.isnan(values_RK[:, 0]) | np.isnan(rows.log_probs_R)

    def _keys(self, tokens_RF: Ints) -> Ints:
        row_index_R1 = np.arange(len(self._rows))[:, None] * self._vocabulary.size
        return (row_index_R1 + tokens_RF)[tokens_RF >= 0]

    def _best_living(self) -> tuple[Floats, Ints]:
        """The best continuations of each row that do not die: log-probabilities and tokens, (R, K).

        At least as many as its sentence may take. Dead ones get -inf, as if masked beforehand: for rows with too few
        living ones, the search widens until there are enough, or one and none of the others can get a place.
        """
        rows, tracker, vocabulary_size = self._rows, self._tracker, self._vocabulary.size
        num_needed = width = min(vocabulary_size, max(1, int(self._children_B.max())))
        widths_R = np.full(len(rows), width)
        may_die_R = tracker.may_die(rows.nodes_R)
        is_enough_R = ~may_die_R
        while True:
            values_RK, tokens_RK = self._scores.best(width)
            if not may_die_R.any():
                return values_RK, tokens_RK
            self._interruption.check()  # a wide table takes tens of milliseconds before the first node is looked up
            widths_R = np.where(is_enough_R, widths_R, width)
            is_seen_RK = np.arange(width) < widths_R[:, None]
            is_text_RK = (
                (tokens_RK != self._vocabulary.roles.end) & (values_RK > -np.inf) & is_seen_RK & may_die_R[:, None]
            )
            is_dead_RK = ~is_seen_RK
            nodes_R = rows.nodes_R.repeat(is_text_RK.sum(1))
            nodes_N, _ = tracker.follow(nodes_R, tokens_RK[is_text_RK], self._interruption)
            is_dead_RK[is_text_RK] = tracker.is_dead(nodes_N)
            living_RK = np.where(is_dead_RK, -np.inf, values_RK)
            num_living_R = (living_RK > -np.inf).sum(1)
            is_enough_R = (num_living_R >= num_needed) | (values_RK[:, -1] == -np.inf)
            if not is_enough_R.all():
                is_hopeless_R = self._before_R + values_RK[:, -1] < self._least_places(living_RK)[rows.sentences_R]
                is_enough_R |= (num_living_R > 0) & is_hopeless_R
            if width == vocabulary_size or is_enough_R.all():
                return living_RK, tokens_RK
            width = min(2 * width, vocabulary_size)

    def _least_places(self, values_RK: Floats) -> Floats:
        """(B,): the lowest score among the best k continuations of a sentence; -inf if there are fewer than k."""
        _, scores_RK, ranks_RK = self._ranked(values_RK)
        is_last_RK = ranks_RK == self._beam_B[self._rows.sentences_R][:, None] - 1
        least_B = np.full(len(self._beam_B), -np.inf)
        least_B[self._rows.sentences_R[is_last_RK.nonzero()[0]]] = scores_RK[is_last_RK]
        return least_B

    def _ranked(self, values_RK: Floats) -> tuple[Bools, Floats, Ints]:
        """Three (R, K): competing continuations, their scores (-inf for others), their ranks in the sentence."""
        sentences_R, is_living_RK = self._rows.sentences_R, values_RK > -np.inf
        is_eligible_RK = is_living_RK & (is_living_RK.cumsum(1) <= self._children_B[sentences_R][:, None])
        scores_RK = np.where(is_eligible_RK, self._before_R[:, None] + values_RK, -np.inf)
        ranks = rank_within(sentences_R.repeat(values_RK.shape[1]), scores_RK.ravel())
        return is_eligible_RK, scores_RK, ranks.reshape(scores_RK.shape)

    def _weigh(self, keys: Ints) -> tuple[Candidates, Bools]:
        """The candidates with scores, phrase states and banks; (N,) which can still meet all constraints in time."""
        rows, tracker = self._rows, self._tracker
        rows_N, tokens_N = np.divmod(keys, self._vocabulary.size)
        values_N = self._scores.take(rows_N, tokens_N)
        log_probs_N = rows.log_probs_R[rows_N] + values_N
        is_possible_N = log_probs_N > -np.inf
        sentences_N = rows.sentences_R[rows_N]
        is_end_N = tokens_N == self._vocabulary.roles.end
        nodes_N, met_NP = rows.nodes_R[rows_N], rows.met_RP[rows_N]
        self._interruption.check()
        banks_N, remaining = np.zeros_like(rows_N), None
        if not self._is_free:
            is_text_N = ~is_end_N
            nodes_N[is_text_N], completed_NP = tracker.follow(
                nodes_N[is_text_N], tokens_N[is_text_N], self._interruption
            )
            self._interruption.check()  # where many phrases are forced, each of these arrays has tens of megabytes
            met_NP[is_text_N] += completed_NP
            self._interruption.check()
            remaining = tracker.remaining_cost(sentences_N, nodes_N, met_NP, self._interruption)
            banks_N = tracker.num_tokens_B[sentences_N] - np.where(is_end_N, 0, remaining.missing_N)
            needed_N = remaining.needed_N
            if tracker.has_avoided:  # the next piece must decide a pending avoided match
                needed_N = np.maximum(needed_N, ~remaining.may_end_N)
            is_possible_N &= is_end_N | (needed_N + 1 < self._steps_left_R[rows_N])
            is_possible_N &= ~tracker.is_dead(nodes_N)
        penalties_N = np.zeros(len(rows_N))
        if self._following.is_needed:
            penalties_N = self._following.penalties_after(
                sentences_N, rows.changes_RJ, rows_N, tokens_N, is_end_N, self._interruption
            )
        endings_N3 = self._endings(rows_N, tokens_N, sentences_N)
        repeats_N = rows.repeats_R[rows_N] + is_among(self._repeating_RM, rows_N, tokens_N)
        candidates = Candidates(
            rows_N,
            tokens_N,
            values_N,
            log_probs_N,
            log_probs_N - penalties_N - self._limits.placement_penalties(sentences_N, endings_N3, repeats_N),
            penalties_N,
            np.zeros((len(rows_N), 0)),
            endings_N3,
            repeats_N,
            sentences_N,
            nodes_N,
            met_NP,
            banks_N,
            is_end_N,
            remaining,
        )
        return candidates, is_possible_N

    def _endings(self, rows_N: Ints, tokens_N: Ints, sentences_N: Ints) -> Ints:
        """The candidates' counts of sentences (N, 3); unchanged if no late beginnings are penalised."""
        endings_N3 = self._rows.endings_R3[rows_N]
        if not self._is_late_counted or self._remaining is None:
            return endings_N3
        is_lacking_N = self._remaining.missing_N[rows_N] > 0
        max_sentences_N = self._limits.max_sentences_B[sentences_N]
        return self._vocabulary.endings.after(endings_N3, tokens_N, max_sentences_N, is_lacking_N)

    def _last_resorts(self, going_rows: Ints) -> Ints:
        """The end token, as keys like those of `_gather`, for rows that may end and have no other candidate.

        The likeliest continuation may break a phrase at the end of the text when no time is left to write it again, and
        the end is not among the candidates of a narrow beam.
        """
        end, rows = self._vocabulary.roles.end, self._rows
        is_stranded_R = np.ones(len(rows), dtype=np.bool_)
        is_stranded_R[going_rows] = False
        if len(self.failed):
            is_stranded_R &= ~np.isin(rows.sentences_R, self.failed)
        stranded = is_stranded_R.nonzero()[0]
        if not len(stranded):
            return stranded
        may_end_N = self._scores.take(stranded, np.full_like(stranded, end)) > -np.inf
        return stranded[may_end_N] * self._vocabulary.size + end

    def _is_forced(self, candidates: Candidates) -> Bools:
        """(N,): whether a candidate advances an unmet phrase."""
        return np.isin(candidates.rows_N * self._vocabulary.size + candidates.tokens_N, self._keys(self._forced_RF))

    def _is_within_reach(self, candidates: Candidates) -> Bools:
        """(N,): whether a candidate is near enough to the best of its bank; finished ones count in the last bank.

        Freitag & Al-Onaizan 2017, section 3.2, the absolute threshold. It applies within a bank because candidates that
        have met few phrases are always likelier than those that have met many.
        """
        limits, tracker, scores_N = self._limits, self._tracker, candidates.scores_N
        num_numbers = len(limits.reach_B)
        groups_N = candidates.sentences_N * self._num_banks + candidates.banks_N
        best_BC = np.full((num_numbers, self._num_banks), -np.inf)
        best_BC[np.arange(num_numbers), tracker.num_tokens_B] = limits.best_finished_B
        best_G = best_BC.ravel()
        np.maximum.at(best_G, groups_N, scores_N)
        is_within_reach_N: Bools = scores_N >= best_G[groups_N] - limits.reach_B[candidates.sentences_N]
        return is_within_reach_N
