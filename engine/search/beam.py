"""Dynamic beam allocation (Post & Vilar 2018, algorithm 2) over sentences with any number of phrases each.

One step scores the live rows, gathers their candidates, shares each sentence's beam among its banks, and stores the
finished hypotheses. Rows of all sentences lie end to end; nothing here loops over hypotheses, except to store the few
that finish. Sentences may be at different positions, and batches may join; `engine.search.batching` schedules them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from engine.interruption import Interrupted, JointInterruption
from engine.search.arrays import Bools, Ints
from engine.search.banks import allocate, rank_within
from engine.search.candidates import Expansion, Limits
from engine.search.finished import FinishedPool, KeptPlaces, SearchHypothesis
from engine.search.follow import Following
from engine.search.rows import BeamRows, Candidates, forced_prefix
from engine.search.sentence import EndedSentence, LiveSentence, Outcome, SearchVocabulary, Sentence, SentenceResult
from engine.search.steps import StepDecoder
from engine.search.stopping import is_over, proved_best
from engine.search.tracker import ConstraintTracker


class BeamSearch:
    """A batch of sentences that are searched together, step by step."""

    def __init__(
        self,
        sentences: Sequence[Sentence],
        decoder: StepDecoder,
        tracker: ConstraintTracker,
        vocabulary: SearchVocabulary,
    ) -> None:
        """`decoder` must be before its first step; several batches may share a `tracker`."""
        self._decoder = decoder
        self._tracker = tracker
        self._vocabulary = vocabulary
        numbers = tracker.add([sentence.constraints for sentence in sentences])
        self._live = {
            number: LiveSentence(sentence, FinishedPool(sentence.options, vocabulary.text_of))
            for number, sentence in zip(numbers, sentences, strict=True)
        }
        self._following = self._followed_texts()
        self._rows = self._begin(numbers)
        self._kept = KeptPlaces()
        self._ended: list[EndedSentence] = []
        self._limits_now: tuple[list[object], Limits] = [], Limits.of({}, 0, 0)

    def __len__(self) -> int:
        """The number of sentences that have not ended."""
        return len(self._live)

    @property
    def num_rows(self) -> int:
        return len(self._rows)

    @property
    def position(self) -> int:
        """The number of pieces in the rows of the least advanced sentence."""
        return min(live.num_steps for live in self._live.values())

    @torch.inference_mode()
    def step(self) -> list[EndedSentence]:
        """Take every row one token further (algorithm 2); returns the sentences that ended."""
        self._rows = self._rows.with_phrases(self._tracker.num_phrases)
        limits = self._current_limits()
        # A step is not needed once all sentences are interrupted: a wide beam that follows a long text takes seconds.
        interruption = JointInterruption(live.sentence.interruption for live in self._live.values())
        try:
            output = self._decoder.step(self._rows.tokens_RT[:, -1].copy())
            interruption.check()
            expansion = Expansion(
                self._rows, output, limits, self._tracker, self._vocabulary, self._following, interruption
            )
            interruption.check()
            candidates = expansion.candidates()
            interruption.check()
            chosen = candidates.keep(self._share_beam(candidates, limits))
            going = chosen.keep(~chosen.is_end_N).with_changes(self._rows, self._following, interruption)
        except Interrupted:
            return self.interrupt()
        for live in self._live.values():
            live.num_steps += 1
        self._store_finished(chosen)
        self._advance(going, expansion.failed)
        return self._take_ended()

    def interrupt(self) -> list[EndedSentence]:
        """End the interrupted sentences; returns them, those at their deadline with their best hypotheses so far."""
        for number, live in list(self._live.items()):
            if cause := live.sentence.interruption.cause():
                self._conclude(number, cause)
        if self._ended:
            kept = np.isin(self._rows.sentences_R, list(self._live)).nonzero()[0]
            if len(kept):
                self._decoder.select(kept)
            self._rows = self._rows.keep(kept)
        return self._take_ended()

    def join(self, other: BeamSearch) -> None:
        """Take over the sentences of `other`, which has the same tracker and must not be used again."""
        assert other._tracker is self._tracker
        self._decoder.join(other._decoder)
        self._kept.add(other._kept.sentences, other._kept.scores)
        self._live.update(other._live)
        other._live = {}
        self._following = self._followed_texts()
        self._rows = self._rows.followed_by(other._rows, self._vocabulary.roles.begin, self._following)

    def abandon(self) -> tuple[list[EndedSentence], list[Sentence]]:
        """Drop all work, for instance after a crash; returns the ended sentences and the others."""
        unfinished = [live.sentence for live in self._live.values()]
        self._tracker.remove(list(self._live))
        self._live = {}
        return self._take_ended(), unfinished

    def _begin(self, numbers: Sequence[int]) -> BeamRows:
        """One row for each sentence, after its forced prefix, which the model reads in one pass."""
        roles, tracker = self._vocabulary.roles, self._tracker
        beginnings = [forced_prefix(tracker, n, self._live[n].sentence.max_length, roles.never) for n in numbers]
        pieces_B = [beginning.pieces for beginning in beginnings]
        log_probs_B = self._decoder.read(pieces_B) if any(pieces_B) else pieces_B
        for number, pieces in zip(numbers, pieces_B, strict=True):
            self._live[number].num_steps = len(pieces)
        sentences_B, following = np.array(numbers, dtype=np.int64), self._following
        rows = BeamRows.start(sentences_B, beginnings, log_probs_B, roles.begin)
        if any(live.sentence.options.late_penalty for live in self._live.values()):
            rows = replace(rows, endings_R3=self._vocabulary.endings.behind(pieces_B))
        return replace(rows, changes_RJ=following.start(sentences_B, pieces_B)) if following.is_needed else rows

    def _followed_texts(self) -> Following:
        """The previous texts of the live sentences, as tables."""
        texts = {number: live.sentence.followed for number, live in self._live.items()}
        return Following(texts, len(self._tracker.num_tokens_B))

    def _current_limits(self) -> Limits:
        """The limits of this step, computed again when sentences come or go or hypotheses finish."""
        made_for = [
            len(self._tracker.num_tokens_B),
            *((number, live.sentence, live.pool.num_finished) for number, live in self._live.items()),
        ]
        if made_for != self._limits_now[0]:
            self._limits_now = made_for, self._limits(self._vocabulary.size)
        return self._limits_now[1]

    def _limits(self, vocabulary_size: int) -> Limits:
        return Limits.of(self._live, len(self._tracker.num_tokens_B), vocabulary_size)

    def _share_beam(self, candidates: Candidates, limits: Limits) -> Bools:
        """(N,): which candidates get a place in the beam (section 3.2)."""
        num_tokens_B = self._tracker.num_tokens_B
        num_numbers, num_banks = len(num_tokens_B), int(num_tokens_B.max()) + 1
        sentences, banks, scores = candidates.sentences_N, candidates.banks_N, candidates.scores_N
        if len(self._kept):
            sentences = np.concatenate([sentences, self._kept.sentences])
            banks = np.concatenate([banks, num_tokens_B[self._kept.sentences]])
            scores = np.concatenate([scores, self._kept.scores])
        groups = sentences * num_banks + banks
        waiting_BC = np.bincount(groups, minlength=num_numbers * num_banks).reshape(num_numbers, num_banks)
        is_chosen: Bools = rank_within(groups, scores) < self._places(waiting_BC, limits).ravel()[groups]
        num_candidates = len(candidates.rows_N)
        if len(self._kept):
            self._kept.keep(is_chosen[num_candidates:])
            is_chosen = is_chosen[:num_candidates]
        return is_chosen | self._is_nearest(candidates) if self._following.is_needed else is_chosen

    def _is_nearest(self, candidates: Candidates) -> Bools:
        """(N,): the candidate nearest to the previous text, of each sentence with one.

        It may have met few phrases so far, because the text has them further on, and would lose its place to candidates
        that have met more. With it, the previous text itself is among the finished hypotheses if it meets all
        constraints and is not pruned.
        """
        sentences = candidates.sentences_N
        nearest_first = np.lexsort((-candidates.scores_N, candidates.penalties_N, sentences))
        _, firsts = np.unique(sentences[nearest_first], return_index=True)
        is_nearest = np.zeros(len(sentences), dtype=np.bool_)
        is_nearest[nearest_first[firsts]] = True
        is_nearest &= np.isin(sentences, self._following.numbers)
        return is_nearest

    def _places(self, waiting_BC: Ints, limits: Limits) -> Ints:
        """(B, C + 1): the places of each bank. Baselines override this and `_limits`."""
        return allocate(waiting_BC, self._tracker.num_tokens_B, limits.beam_B, limits.spreads_B)

    def _store_finished(self, chosen: Candidates) -> None:
        ended = chosen.keep(chosen.is_end_N)
        if not len(ended.rows_N):
            return
        numbers = ended.sentences_N.tolist()
        for found, number in zip(self._found(ended.extend(self._rows)), numbers, strict=True):
            self._live[number].pool.add(found)
        keeping = [number for number, live in self._live.items() if live.sentence.options.finished == "keep"]
        if keeping:
            is_kept_N = np.isin(ended.sentences_N, keeping)
            self._kept.add(ended.sentences_N[is_kept_N], ended.scores_N[is_kept_N])

    def _advance(self, going: Candidates, failed: Ints) -> None:
        """Make the chosen candidates the next rows, except in finished sentences."""
        best_B = np.full(len(self._tracker.num_tokens_B), -np.inf)
        np.maximum.at(best_B, going.sentences_N, going.scores_N)
        best, failed_numbers = best_B.tolist(), failed.tolist()
        done: list[int] = []
        for number, live in list(self._live.items()):
            sentence = live.sentence
            if best[number] == float("-inf"):
                self._conclude(number, "failed" if number in failed_numbers else "complete")
            elif sentence.options.finished == "leave" and is_over(
                sentence.options, live.pool, sentence.scoring, best[number], live.num_steps, sentence.max_length
            ):
                self._conclude(number, "complete")
                done.append(number)
            elif sentence.on_best is not None and not live.has_told_best:
                found = proved_best(sentence.options, live.pool, sentence.scoring, best[number], sentence.max_length)
                if found is not None:
                    live.has_told_best = True
                    sentence.on_best(found)
        if done:
            going = going.keep(~np.isin(going.sentences_N, done))
        if len(going.rows_N):
            self._decoder.select(going.rows_N)
        self._rows = going.extend(self._rows)

    def _conclude(self, number: int, outcome: Outcome) -> None:
        """Store the sentence's result: its n-best list or, if no hypothesis meets all, the best of its last rows.

        A cancelled sentence has none, because they are no longer needed.
        """
        live = self._live[number]
        found = [] if outcome == "cancelled" else live.pool.best()
        if not found and outcome != "cancelled":
            outcome = "unmet" if outcome == "complete" else outcome
            rows = self._rows.keep(self._rows.sentences_R == number)
            efforts = [] if outcome == "failed" else self._found(rows, is_satisfying=False)
            efforts.sort(key=lambda effort: (effort.num_missing, -effort.ranking_score))
            found = efforts[: live.sentence.options.nbest]
        self._ended.append(EndedSentence(live.sentence, SentenceResult(outcome, tuple(found), live.num_steps)))
        del self._live[number]
        self._tracker.remove([number])
        self._kept.keep(self._kept.sentences != number)

    def _found(self, rows: BeamRows, is_satisfying: bool = True) -> list[SearchHypothesis]:
        missing_R = np.zeros(len(rows), dtype=np.int64)
        if not is_satisfying:
            rows = rows.with_phrases(self._tracker.num_phrases)
            missing_R = self._tracker.remaining_cost(rows.sentences_R, rows.nodes_R, rows.met_RP).missing_N
        limits = self._current_limits()
        placement_R = limits.placement_penalties(rows.sentences_R, rows.endings_R3, rows.repeats_R)
        return [
            SearchHypothesis(
                tuple(tokens[len(tokens) - length :]),
                tuple(token_log_probs[len(tokens) - length :]),
                log_prob,
                self._live[number].sentence.scoring.score(log_prob, length),
                penalty,
                log_prob - penalty - placement,
                self._live[number].sentence.scoring.score(log_prob - penalty - placement, length),
                missing,
                is_satisfying,
            )
            for number, length, tokens, token_log_probs, log_prob, penalty, placement, missing in zip(
                rows.sentences_R.tolist(),
                rows.lengths_R.tolist(),
                rows.tokens_RT.tolist(),
                rows.token_log_probs_RT.tolist(),
                rows.log_probs_R.tolist(),
                rows.penalties_R.tolist(),
                placement_R.tolist(),
                missing_R.tolist(),
                strict=True,
            )
        ]

    def _take_ended(self) -> list[EndedSentence]:
        ended, self._ended = self._ended, []
        return ended
