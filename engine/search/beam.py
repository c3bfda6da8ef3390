"""Dynamic beam allocation (Post & Vilar 2018, algorithm 2) over a batch of sentences with any number of phrases each.

One step: score the live rows, mask what they may not write, gather candidates, follow the phrases, share the beam
among the banks, let the finished ones leave. Rows of all sentences lie end to end; nothing here loops over hypotheses,
except to store the few that finish.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, Self

import torch
from torch import Tensor

from engine.request import SearchOptions
from engine.search.banks import allocate, rank_within
from engine.search.finished import FinishedPool, Found
from engine.search.rows import Candidates, Rows
from engine.search.stopping import Scoring, beam_left, is_over
from engine.search.tracker import ConstraintTracker

Interruption = Literal["deadline", "cancelled"]
Outcome = Literal["complete", "unmet", "failed"] | Interruption


class StepDecoder(Protocol):
    """The model as the search sees it: a batch of sentences, at first with one row each, in their order.

    It knows the sentence of each row by following `select`. The rows of a sentence stay side by side.
    """

    def step(self, tokens_R: Tensor) -> Tensor:
        """Log-probabilities (R, V) of what follows each row's last token; the caller may overwrite them."""
        ...

    def select(self, parents_R: Tensor) -> None:
        """Make the rows of the next step continue these rows of the last, one at least.

        Sentences whose rows are all left out have left the batch.
        """
        ...

    def join(self, other: Self) -> None:
        """Put the sentences and rows of `other`, which is used up, behind these; each row keeps its own position.

        Called before a `step` of both: after their `select`, or before their first step.
        """
        ...


@dataclass(frozen=True, slots=True)
class TokenRoles:
    """The pieces that mean something to the search; `never` are those that no translation contains."""

    begin: int
    end: int
    never: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SentenceResult:
    """What the search found for one sentence, best first: all satisfying, or else the best efforts."""

    outcome: Outcome
    found: tuple[Found, ...]
    num_steps: int


class BeamSearch:
    """One search over one batch; use once."""

    def __init__(
        self,
        decoder: StepDecoder,
        tracker: ConstraintTracker,
        max_lengths: Sequence[int],
        options: SearchOptions,
        roles: TokenRoles,
        closing: Tensor,
        text_of: Callable[[Sequence[int]], str],
        interruption: Callable[[], Interruption | None] = lambda: None,
        scorings: Sequence[Scoring] | None = None,
    ) -> None:
        """`max_lengths[b]` counts the end; `closing` (V,) marks the pieces that do not glue to their right.

        `scorings[b]` ranks what sentence b finishes; it must be given for a bounded length reward.
        """
        self._decoder = decoder
        self._tracker = tracker
        self._max_length_B = torch.tensor(max_lengths, dtype=torch.long)
        self._options = options
        self._roles = roles
        self._never = torch.tensor(roles.never, dtype=torch.long)
        self._closing_V = closing
        self._interruption = interruption
        num_sentences = len(max_lengths)
        self._num_banks = int(tracker.num_tokens_B.max()) + 1 if num_sentences else 1
        self._scorings = scorings or [Scoring.of(options, 0, ratio=None, reward=None)] * num_sentences
        self._pools = [FinishedPool(options, text_of) for _ in range(num_sentences)]
        self._results: list[SentenceResult | None] = [None] * num_sentences
        self._rows = Rows.start(tracker.start_B, tracker.required_BP.shape[1])
        self._num_steps = 0
        # With finished="keep", finished hypotheses go on competing for their places: (sentence, score).
        self._kept_sentences = torch.zeros(0, dtype=torch.long)
        self._kept_scores = torch.zeros(0, dtype=torch.float64)

    def run(self) -> list[SentenceResult]:
        """Search until every sentence has its result."""
        while len(self._rows):
            if interruption := self._interruption():
                for sentence in self._live_sentences():
                    self._conclude(sentence, interruption)
                break
            self._step()
        assert all(result is not None for result in self._results)
        return [result for result in self._results if result is not None]

    def _step(self) -> None:
        rows = self._rows
        if self._num_steps:
            last_R = rows.tokens_RT[:, -1]
        else:
            last_R = torch.full((len(rows),), self._roles.begin)
        log_probs_RV = self._decoder.step(last_R)
        self._num_steps += 1
        remaining_R = self._max_length_B[rows.sentences_R] - self._num_steps + 1  # tokens that may still come
        forced_RF = self._forced()
        self._mask(log_probs_RV, remaining_R, forced_RF)
        keys, failed = self._gather(log_probs_RV, forced_RF)
        candidates = self._weigh(keys, log_probs_RV)
        candidates = candidates.keep(self._is_admissible(candidates, remaining_R))
        chosen = candidates.keep(self._share_beam(candidates))
        self._store_finished(chosen)
        going = chosen.keep(~chosen.is_end_N)
        self._advance(going, failed)

    def _forced(self) -> Tensor:
        """(R, F): pieces that take an unmet phrase forward, -1 as padding."""
        rows = self._rows
        if self._num_banks == 1:
            return torch.zeros(len(rows), 0, dtype=torch.long)
        return self._tracker.forced(rows.sentences_R, rows.nodes_R, rows.met_RP, self._roles.end)

    def _mask(self, log_probs_RV: Tensor, remaining_R: Tensor, forced_RF: Tensor) -> None:
        """Take from each row, in place and without renormalising, what it may not write now."""
        rows, tracker, end = self._rows, self._tracker, self._roles.end
        log_probs_RV[:, self._never.to(log_probs_RV.device)] = -torch.inf
        needed_R = torch.zeros_like(remaining_R)
        if tracker.is_needed:
            unfinished_R = ~tracker.may_end(rows.sentences_R, rows.nodes_R, rows.met_RP)
            log_probs_RV[unfinished_R.to(log_probs_RV.device), end] = -torch.inf
            closes_R = tracker.must_close(rows.sentences_R, rows.nodes_R, rows.met_RP)
            needed_R = tracker.needed(rows.sentences_R, rows.nodes_R, rows.met_RP)
        in_prefix_R = tracker.in_prefix(rows.nodes_R)
        is_bound_R = in_prefix_R | (needed_R + 1 >= remaining_R)  # in the prefix, or without a step to spare
        for row in is_bound_R.nonzero()[:, 0].tolist():
            allowed_V = torch.zeros(log_probs_RV.shape[1], dtype=torch.bool)
            if in_prefix_R[row]:
                allowed_V[tracker.prefix_pieces(int(rows.nodes_R[row]))] = True
            elif remaining_R[row] == 1:
                allowed_V[end] = True
            elif tracker.is_needed and closes_R[row]:
                allowed_V |= self._closing_V
            else:
                forced_F = forced_RF[row]
                allowed_V[forced_F[forced_F >= 0]] = True
            log_probs_RV[row, ~allowed_V.to(log_probs_RV.device)] = -torch.inf

    def _gather(self, log_probs_RV: Tensor, forced_RF: Tensor) -> tuple[Tensor, Tensor]:
        """Candidates as row * V + token, ascending and distinct (section 3.1); and the sentences that failed.

        They are the best k continuations of the sentence, the single best one of each row, and the forced ones.
        """
        rows = self._rows
        vocabulary_size = log_probs_RV.shape[1]
        values_RK, tokens_RK = self._best_living(log_probs_RV)
        failed_R = values_RK[:, 0].isnan()  # topk ranks not-a-number highest
        failed = rows.sentences_R[failed_R].unique()
        scores_RK = rows.log_probs_R[:, None] + values_RK
        is_best_RK = torch.zeros_like(scores_RK, dtype=torch.bool)
        is_best_RK[torch.arange(len(rows)), values_RK.argmax(1)] = True
        sentences_RK = rows.sentences_R[:, None].expand_as(scores_RK)
        is_among_best_RK = self._is_among_best(sentences_RK, scores_RK)
        row_index_R1 = torch.arange(len(rows))[:, None] * vocabulary_size
        keys = (row_index_R1 + tokens_RK)[(is_among_best_RK | is_best_RK) & (values_RK > -torch.inf)]
        if forced_RF.shape[1]:
            forced_keys = (row_index_R1 + forced_RF)[forced_RF >= 0]
            keys = torch.cat([keys, forced_keys]).unique()
        else:
            keys = keys.sort().values
        if len(failed):
            keys = keys[~torch.isin(rows.sentences_R[keys // vocabulary_size], failed)]
        return keys, failed

    def _is_among_best(self, sentences_RK: Tensor, scores_RK: Tensor) -> Tensor:
        """(R, K): whether a continuation is one of the best k of its sentence."""
        ranks = rank_within(sentences_RK.flatten(), scores_RK.flatten()).view_as(scores_RK)
        return ranks < self._beam_left()[sentences_RK]

    def _places(self, waiting_BC: Tensor) -> Tensor:
        """(B, C + 1): places of each bank."""
        return allocate(waiting_BC, self._tracker.num_tokens_B, self._beam_left())

    def _beam_left(self) -> Tensor:
        """(B,): places of each sentence."""
        return torch.tensor([beam_left(self._options, pool.num_finished) for pool in self._pools])

    def _best_living(self, log_probs_RV: Tensor) -> tuple[Tensor, Tensor]:
        """At least the k best continuations of each row that no avoidance forbids: log-probabilities and tokens.

        Forbidden ones get -inf, as if masked beforehand: more are looked at until k living ones are found.
        """
        rows, tracker = self._rows, self._tracker
        beam, vocabulary_size = self._options.beam, log_probs_RV.shape[1]
        width = min(beam, vocabulary_size)
        while True:
            values_RK, tokens_RK = (t.cpu() for t in log_probs_RV.topk(width, dim=1))
            if not tracker.has_guards:
                return values_RK, tokens_RK
            is_text_RK = (tokens_RK != self._roles.end) & (values_RK > -torch.inf)
            nodes_RK = rows.nodes_R[:, None].expand_as(tokens_RK)
            is_dead_RK = torch.zeros_like(is_text_RK)
            is_dead_RK[is_text_RK] = tracker.is_dead(tracker.follow(nodes_RK[is_text_RK], tokens_RK[is_text_RK]))
            num_living_R = ((values_RK > -torch.inf) & ~is_dead_RK).sum(1)
            is_enough_R = (num_living_R >= beam) | (values_RK[:, -1] == -torch.inf)
            if width == vocabulary_size or is_enough_R.all():
                return values_RK.masked_fill(is_dead_RK, -torch.inf), tokens_RK
            width = min(2 * width, vocabulary_size)

    def _weigh(self, keys: Tensor, log_probs_RV: Tensor) -> Candidates:
        """The candidates with their scores, phrases and banks."""
        rows, tracker = self._rows, self._tracker
        vocabulary_size = log_probs_RV.shape[1]
        rows_N, tokens_N = keys // vocabulary_size, keys % vocabulary_size
        device = log_probs_RV.device
        values_N = log_probs_RV[rows_N.to(device), tokens_N.to(device)].cpu().double()
        sentences_N = rows.sentences_R[rows_N]
        is_end_N = tokens_N == self._roles.end
        nodes_N, met_NP = rows.nodes_R[rows_N], rows.met_RP[rows_N]
        banks_N = torch.zeros_like(rows_N)
        if tracker.is_needed:
            nodes_N = nodes_N.clone()
            nodes_N[~is_end_N] = tracker.follow(nodes_N[~is_end_N], tokens_N[~is_end_N])
            met_NP = torch.where(is_end_N[:, None], met_NP, met_NP + tracker.counts(nodes_N))
            missing_N = tracker.missing(sentences_N, nodes_N, met_NP)
            banks_N = tracker.num_tokens_B[sentences_N] - torch.where(is_end_N, 0, missing_N)
        scores_N = rows.log_probs_R[rows_N] + values_N
        return Candidates(rows_N, tokens_N, values_N, scores_N, sentences_N, nodes_N, met_NP, banks_N, is_end_N)

    def _is_admissible(self, candidates: Candidates, remaining_R: Tensor) -> Tensor:
        """(N,): whether a candidate is possible, can still meet everything in time, and is not pruned away."""
        admissible_N = candidates.scores_N > -torch.inf
        if self._tracker.is_needed:
            needed_N = self._tracker.needed(candidates.sentences_N, candidates.nodes_N, candidates.met_NP) + 1
            admissible_N &= candidates.is_end_N | (needed_N < remaining_R[candidates.rows_N])
            admissible_N &= ~self._tracker.is_dead(candidates.nodes_N)
        if self._options.pruning_threshold is not None:
            best_B = torch.tensor([pool.best_log_prob for pool in self._pools], dtype=torch.float64)
            floor_B = best_B - self._options.pruning_threshold
            admissible_N &= candidates.scores_N >= floor_B[candidates.sentences_N]
        return admissible_N

    def _share_beam(self, candidates: Candidates) -> Tensor:
        """(N,): which candidates get a place in the beam (section 3.2)."""
        num_sentences = len(self._pools)
        sentences = torch.cat([candidates.sentences_N, self._kept_sentences])
        banks = torch.cat([candidates.banks_N, self._tracker.num_tokens_B[self._kept_sentences]])
        scores = torch.cat([candidates.scores_N, self._kept_scores])
        groups = sentences * self._num_banks + banks
        waiting_BC = torch.bincount(groups, minlength=num_sentences * self._num_banks)
        waiting_BC = waiting_BC.view(num_sentences, self._num_banks)
        places_BC = self._places(waiting_BC)
        is_chosen = rank_within(groups, scores) < places_BC.flatten()[groups]
        num_candidates = len(candidates.rows_N)
        still_kept = is_chosen[num_candidates:]
        self._kept_sentences = self._kept_sentences[still_kept]
        self._kept_scores = self._kept_scores[still_kept]
        return is_chosen[:num_candidates]

    def _store_finished(self, chosen: Candidates) -> None:
        ended = chosen.keep(chosen.is_end_N)
        if not len(ended.rows_N):
            return
        rows = ended.extend(self._rows)
        for found, sentence in zip(self._found(rows), ended.sentences_N.tolist(), strict=True):
            self._pools[sentence].add(found)
        if self._options.finished == "keep":
            self._kept_sentences = torch.cat([self._kept_sentences, ended.sentences_N])
            self._kept_scores = torch.cat([self._kept_scores, ended.scores_N])

    def _advance(self, going: Candidates, failed: Tensor) -> None:
        """Make the chosen candidates the next rows, less those of sentences that are done."""
        best_B = torch.full((len(self._pools),), -torch.inf, dtype=torch.float64)
        best_B.scatter_reduce_(0, going.sentences_N, going.scores_N, "amax")
        done: list[int] = []
        for sentence in self._live_sentences():
            if best_B[sentence] == -torch.inf:
                self._conclude(sentence, "failed" if sentence in failed.tolist() else "complete")
            elif self._options.finished == "leave" and is_over(
                self._options,
                self._pools[sentence],
                self._scorings[sentence],
                float(best_B[sentence]),
                self._num_steps,
                int(self._max_length_B[sentence]),
            ):
                self._conclude(sentence, "complete")
                done.append(sentence)
        if done:
            going = going.keep(~torch.isin(going.sentences_N, torch.tensor(done)))
        if len(going.rows_N):
            self._decoder.select(going.rows_N)
        self._rows = going.extend(self._rows)

    def _conclude(self, sentence: int, outcome: Outcome) -> None:
        """Store the sentence's result: its n-best list or, where nothing satisfies, the best of its last rows."""
        found = self._pools[sentence].best()
        if not found:
            outcome = "unmet" if outcome == "complete" else outcome
            rows = self._rows.keep(self._rows.sentences_R == sentence)
            efforts = [] if outcome == "failed" else self._found(rows, is_satisfying=False)
            efforts.sort(key=lambda effort: (effort.num_missing, -effort.score))
            found = efforts[: self._options.nbest]
        self._results[sentence] = SentenceResult(outcome, tuple(found), self._num_steps)

    def _found(self, rows: Rows, is_satisfying: bool = True) -> list[Found]:
        missing_R = torch.zeros(len(rows), dtype=torch.long)
        if not is_satisfying:
            missing_R = self._tracker.missing(rows.sentences_R, rows.nodes_R, rows.met_RP)
        return [
            Found(
                tuple(tokens),
                tuple(token_log_probs),
                log_prob,
                self._scorings[sentence].score(log_prob, len(tokens)),
                missing,
                is_satisfying,
            )
            for sentence, tokens, token_log_probs, log_prob, missing in zip(
                rows.sentences_R.tolist(),
                rows.tokens_RT.tolist(),
                rows.token_log_probs_RT.tolist(),
                rows.log_probs_R.tolist(),
                missing_R.tolist(),
                strict=True,
            )
        ]

    def _live_sentences(self) -> list[int]:
        live: list[int] = self._rows.sentences_R.unique().tolist()
        return live
