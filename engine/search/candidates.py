"""One step's candidates (Post & Vilar 2018, section 3.1): which tokens may follow which rows, with score and bank.

Masks come first, then the best continuations and the forced ones, then what they make of the phrases; last, what can
still meet everything in time and is not pruned. Nothing here loops over hypotheses, except over those in a prefix or
without a step to spare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.search.banks import rank_within
from engine.search.rows import Candidates, Rows
from engine.search.sentence import LiveSentence, Vocabulary
from engine.search.stopping import beam_left
from engine.search.tracker import ConstraintTracker


@dataclass(frozen=True, slots=True)
class Limits:
    """What the sentences' options allow at this step, by the tracker's numbers.

    `max_children_B` counts the continuations of one row besides the forced ones; `floor_B` is the log-probability
    below which nothing lives, `reach_B` how far below the best of its bank a candidate may be, and
    `best_finished_B` what else counts as the best of the last bank.
    """

    beam_B: Tensor
    max_length_B: Tensor
    max_children_B: Tensor
    floor_B: Tensor
    reach_B: Tensor
    best_finished_B: Tensor

    @classmethod
    def of(cls, live: Mapping[int, LiveSentence], num_numbers: int, vocabulary_size: int) -> Limits:
        counts, bounds = [(0, 0, 0)] * num_numbers, [(0.0, 0.0, 0.0)] * num_numbers
        for number, item in live.items():
            options, best = item.sentence.options, item.pool.best_log_prob
            beam = beam_left(options, item.pool.num_finished)
            counts[number] = beam, item.sentence.max_length, min(beam, options.max_children or beam, vocabulary_size)
            floor = item.pool.pruning_log_prob - _or_infinity(options.pruning_threshold)
            bounds[number] = floor, _or_infinity(options.bank_threshold), best
        counts_B3, bounds_B3 = torch.tensor(counts), torch.tensor(bounds, dtype=torch.float64)
        return cls(*counts_B3.unbind(1), *bounds_B3.unbind(1))


def _or_infinity(threshold: float | None) -> float:
    return float("inf") if threshold is None else threshold


class Expansion:
    """The candidates of one step of `rows`; `log_probs_RV` is masked in place, without renormalising."""

    def __init__(
        self, rows: Rows, log_probs_RV: Tensor, limits: Limits, tracker: ConstraintTracker, vocabulary: Vocabulary
    ) -> None:
        self._rows = rows
        self._log_probs_RV = log_probs_RV
        self._limits = limits
        self._tracker = tracker
        self._vocabulary = vocabulary
        self._num_banks = int(tracker.num_tokens_B.max()) + 1
        self._remaining_R = limits.max_length_B[rows.sentences_R] - rows.lengths_R  # tokens that may still come
        self._forced_RF = self._forced()
        self.failed = torch.zeros(0, dtype=torch.long)  # sentences whose scores are not numbers

    def candidates(self) -> Candidates:
        """All that may compete for the sentences' places."""
        self._mask()
        keys = self._gather()
        candidates = self._weigh(keys)
        is_possible_N = self._is_possible(candidates)
        if self._tracker.is_needed and len(ends := self._last_resorts(candidates.rows_N[is_possible_N])):
            candidates = self._weigh(torch.cat([keys, ends]).unique())
            is_possible_N = self._is_possible(candidates)
        is_unpruned_N = candidates.scores_N >= self._limits.floor_B[candidates.sentences_N]
        candidates = candidates.keep(is_possible_N & is_unpruned_N)
        if self._limits.reach_B.isinf().all():
            return candidates
        return candidates.keep(candidates.is_forced_N | self._is_within_reach(candidates))

    def _forced(self) -> Tensor:
        """(R, F): pieces that take an unmet phrase forward, -1 as padding."""
        rows = self._rows
        if self._num_banks == 1:
            return torch.zeros(len(rows), 0, dtype=torch.long)
        return self._tracker.forced(rows.sentences_R, rows.nodes_R, rows.met_RP, self._vocabulary.roles.end)

    def _mask(self) -> None:
        """Take from each row what it may not write now."""
        rows, tracker, log_probs_RV, remaining_R = self._rows, self._tracker, self._log_probs_RV, self._remaining_R
        roles, device = self._vocabulary.roles, log_probs_RV.device
        log_probs_RV[:, list(roles.never)] = -torch.inf
        needed_R = torch.zeros_like(remaining_R)
        if tracker.is_needed:
            unfinished_R = ~tracker.may_end(rows.sentences_R, rows.nodes_R, rows.met_RP)
            log_probs_RV[unfinished_R.to(device), roles.end] = -torch.inf
            closes_R = tracker.must_close(rows.sentences_R, rows.nodes_R, rows.met_RP)
            needed_R = tracker.needed(rows.sentences_R, rows.nodes_R, rows.met_RP)
        in_prefix_R = tracker.in_prefix(rows.nodes_R)
        is_bound_R = in_prefix_R | (needed_R + 1 >= remaining_R)  # in the prefix, or without a step to spare
        for row in is_bound_R.nonzero()[:, 0].tolist():
            allowed_V = torch.zeros(log_probs_RV.shape[1], dtype=torch.bool)
            if in_prefix_R[row]:
                allowed_V[tracker.prefix_pieces(int(rows.nodes_R[row]))] = True
            elif remaining_R[row] == 1:
                allowed_V[roles.end] = True
            elif tracker.is_needed and closes_R[row]:
                allowed_V |= self._vocabulary.closing_V
            else:
                forced_F = self._forced_RF[row]
                allowed_V[forced_F[forced_F >= 0]] = True
            log_probs_RV[row, ~allowed_V.to(device)] = -torch.inf

    def _gather(self) -> Tensor:
        """Candidates as row * V + token, ascending and distinct; sentences that fail have none.

        They are the best k continuations of the sentence, at most `max_children` of a row among them, the single best
        one of each row, and the forced ones.
        """
        rows, limits, vocabulary_size = self._rows, self._limits, self._log_probs_RV.shape[1]
        values_RK, tokens_RK = self._best_living()
        failed_R = values_RK[:, 0].isnan()  # topk ranks not-a-number highest
        self.failed = rows.sentences_R[failed_R].unique()
        is_living_RK = values_RK > -torch.inf
        is_eligible_RK = is_living_RK & (is_living_RK.cumsum(1) <= limits.max_children_B[rows.sentences_R][:, None])
        scores_RK = (rows.log_probs_R[:, None] + values_RK).masked_fill(~is_eligible_RK, -torch.inf)
        sentences_RK = rows.sentences_R[:, None].expand_as(scores_RK)
        ranks = rank_within(sentences_RK.flatten(), scores_RK.flatten()).view_as(scores_RK)
        is_chosen_RK = is_eligible_RK & (ranks < limits.beam_B[sentences_RK])
        is_chosen_RK[torch.arange(len(rows)), values_RK.argmax(1)] = True
        row_index_R1 = torch.arange(len(rows))[:, None] * vocabulary_size
        keys = (row_index_R1 + tokens_RK)[is_chosen_RK & is_living_RK]
        if self._forced_RF.shape[1]:
            keys = torch.cat([keys, self._forced_keys()]).unique()
        else:
            keys = keys.sort().values
        if len(self.failed):
            keys = keys[~torch.isin(rows.sentences_R[keys // vocabulary_size], self.failed)]
        return keys

    def _forced_keys(self) -> Tensor:
        row_index_R1 = torch.arange(len(self._rows))[:, None] * self._log_probs_RV.shape[1]
        return (row_index_R1 + self._forced_RF)[self._forced_RF >= 0]

    def _best_living(self) -> tuple[Tensor, Tensor]:
        """The best continuations of each row that no avoidance forbids: log-probabilities and tokens.

        At least as many as its sentence may take. Forbidden ones get -inf, as if masked beforehand: more are looked at
        until enough living ones are found.
        """
        rows, tracker, log_probs_RV = self._rows, self._tracker, self._log_probs_RV
        vocabulary_size = log_probs_RV.shape[1]
        num_wanted = width = max(1, int(self._limits.max_children_B.max()))
        while True:
            values_RK, tokens_RK = (t.cpu() for t in log_probs_RV.topk(width, dim=1))
            if not tracker.has_guards:
                return values_RK, tokens_RK
            is_text_RK = (tokens_RK != self._vocabulary.roles.end) & (values_RK > -torch.inf)
            nodes_RK = rows.nodes_R[:, None].expand_as(tokens_RK)
            is_dead_RK = torch.zeros_like(is_text_RK)
            is_dead_RK[is_text_RK] = tracker.is_dead(tracker.follow(nodes_RK[is_text_RK], tokens_RK[is_text_RK]))
            num_living_R = ((values_RK > -torch.inf) & ~is_dead_RK).sum(1)
            is_enough_R = (num_living_R >= num_wanted) | (values_RK[:, -1] == -torch.inf)
            if width == vocabulary_size or is_enough_R.all():
                return values_RK.masked_fill(is_dead_RK, -torch.inf), tokens_RK
            width = min(2 * width, vocabulary_size)

    def _weigh(self, keys: Tensor) -> Candidates:
        """The candidates with their scores, phrases and banks."""
        rows, tracker, log_probs_RV = self._rows, self._tracker, self._log_probs_RV
        vocabulary_size, device = log_probs_RV.shape[1], log_probs_RV.device
        rows_N, tokens_N = keys // vocabulary_size, keys % vocabulary_size
        values_N = log_probs_RV[rows_N.to(device), tokens_N.to(device)].cpu().double()
        sentences_N = rows.sentences_R[rows_N]
        is_end_N = tokens_N == self._vocabulary.roles.end
        nodes_N, met_NP = rows.nodes_R[rows_N], rows.met_RP[rows_N]
        banks_N = torch.zeros_like(rows_N)
        is_forced_N = torch.zeros_like(is_end_N)
        if tracker.is_needed:
            nodes_N = nodes_N.clone()
            nodes_N[~is_end_N] = tracker.follow(nodes_N[~is_end_N], tokens_N[~is_end_N])
            met_NP = torch.where(is_end_N[:, None], met_NP, met_NP + tracker.counts(nodes_N))
            missing_N = tracker.missing(sentences_N, nodes_N, met_NP)
            banks_N = tracker.num_tokens_B[sentences_N] - torch.where(is_end_N, 0, missing_N)
            is_forced_N = torch.isin(keys, self._forced_keys())
        scores_N = rows.log_probs_R[rows_N] + values_N
        return Candidates(
            rows_N, tokens_N, values_N, scores_N, sentences_N, nodes_N, met_NP, banks_N, is_end_N, is_forced_N
        )

    def _is_possible(self, candidates: Candidates) -> Tensor:
        """(N,): whether a candidate may be written and can still meet everything in time."""
        sentences_N, nodes_N, met_NP = candidates.sentences_N, candidates.nodes_N, candidates.met_NP
        is_possible_N = candidates.scores_N > -torch.inf
        if self._tracker.is_needed:
            needed_N = self._tracker.needed(sentences_N, nodes_N, met_NP)
            if self._tracker.has_guards:  # what follows must decide on an avoided text
                needed_N = needed_N.maximum((~self._tracker.may_end(sentences_N, nodes_N, met_NP)).long())
            is_in_time_N = needed_N + 1 < self._remaining_R[candidates.rows_N]
            is_possible_N &= candidates.is_end_N | is_in_time_N
            is_possible_N &= ~self._tracker.is_dead(nodes_N)
        return is_possible_N

    def _last_resorts(self, going_rows: Tensor) -> Tensor:
        """The end, as keys like those of `_gather`, of each row that may end and has no other way to go on.

        Its likeliest continuation may break a phrase that stands when no time is left to write it again; the end is
        not among the candidates of a narrow beam.
        """
        end, rows = self._vocabulary.roles.end, self._rows
        is_stranded_R = torch.ones(len(rows), dtype=torch.bool)
        is_stranded_R[going_rows] = False
        is_stranded_R &= ~torch.isin(rows.sentences_R, self.failed)
        is_stranded_R &= (self._log_probs_RV[:, end] > -torch.inf).cpu()
        return is_stranded_R.nonzero()[:, 0] * self._log_probs_RV.shape[1] + end

    def _is_within_reach(self, candidates: Candidates) -> Tensor:
        """(N,): whether a candidate is near enough to the best of its bank; what has finished is in the last bank.

        Freitag & Al-Onaizan 2017, section 3.2, the absolute threshold: inside a bank, as candidates that have met
        little are always likelier than those that have met much.
        """
        limits, tracker, scores_N = self._limits, self._tracker, candidates.scores_N
        num_numbers = len(limits.reach_B)
        groups_N = candidates.sentences_N * self._num_banks + candidates.banks_N
        best_BC = torch.full((num_numbers, self._num_banks), -torch.inf, dtype=torch.float64)
        best_BC[torch.arange(num_numbers), tracker.num_tokens_B] = limits.best_finished_B
        best_G = best_BC.flatten().scatter_reduce(0, groups_N, scores_N, "amax")
        return scores_N >= best_G[groups_N] - limits.reach_B[candidates.sentences_N]
