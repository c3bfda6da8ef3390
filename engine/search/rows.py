"""The live hypotheses of all sentences as parallel arrays, one row each; the rows of a sentence are adjacent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np

from engine.interruption import Interruption
from engine.search.arrays import Bools, Floats, Ints
from engine.search.follow import Following
from engine.search.tracker import ConstraintTracker, RemainingCost

_Array = TypeVar("_Array", Ints, Floats)


class ForcedPrefix(NamedTuple):
    """The pieces that a sentence must begin with, the tracker's node after them, and (P,) occurrences met by them."""

    pieces: tuple[int, ...]
    node: int
    met_P: Ints


def forced_prefix(tracker: ConstraintTracker, sentence: int, max_length: int, never: tuple[int, ...]) -> ForcedPrefix:
    """The pieces of a sentence's prefix that leave no choice: the model reads them in one pass instead of step by step.

    If the only row of a sentence may take only one piece, it takes this piece. The forced prefix ends
    before the first piece after which the constraints cannot all be met within `max_length`; the search then reports
    why. `sentence` is the tracker's number, `never` are pieces that no translation contains.
    """
    start = int(tracker.start_B[sentence])
    pieces: list[int] = []
    nodes, met = [start], [np.zeros(tracker.num_phrases, dtype=np.int64)]
    while tracker.in_prefix(np.array(nodes[-1:]))[0]:
        allowed = tracker.prefix_pieces(nodes[-1])
        if len(allowed) != 1 or allowed[0] in never:
            break
        following, completed = tracker.follow(np.array(nodes[-1:]), np.array(allowed))
        if tracker.is_dead(following)[0]:
            break
        pieces += allowed
        nodes.append(int(following[0]))
        met.append(met[-1] + completed[0])
    if not pieces:
        return ForcedPrefix((), start, met[0])
    nodes_T = np.array(nodes[1:])
    remaining = tracker.remaining_cost(np.full(len(pieces), sentence), nodes_T, np.stack(met[1:]))
    needed_T = np.maximum(remaining.needed_N, ~remaining.may_end_N)  # as in `candidates`, where avoided texts are
    is_in_time_T = needed_T + 1 < max_length - np.arange(len(pieces))
    num_read = len(pieces) if is_in_time_T.all() else int(is_in_time_T.argmin())
    return ForcedPrefix(tuple(pieces[:num_read]), nodes[num_read], met[num_read])


@dataclass(frozen=True, slots=True)
class BeamRows:
    """R rows. `log_probs_R` is float64, so that sums of float32 token scores stay exact.

    Tokens are aligned to the right, after begin tokens: a row of `lengths_R[i]` tokens fills the last `lengths_R[i]`
    columns.
    """

    sentences_R: Ints  # the tracker's numbers
    nodes_R: Ints  # of the phrase tracker
    met_RP: Ints  # occurrences met so far, by phrase
    log_probs_R: Floats
    lengths_R: Ints
    tokens_RT: Ints
    token_log_probs_RT: Floats
    penalties_R: Floats  # nats lost by leaving a previous text (`engine.search.follow`)
    changes_RJ: Floats  # the state of that
    endings_R3: Ints  # of sentences (`engine.search.endings`)
    repeats_R: Ints  # of runs of pieces (`engine.search.repeats`)
    remaining: RemainingCost | None = None  # if computed already

    @classmethod
    def start(
        cls,
        sentences_B: Ints,
        prefixes_B: Sequence[ForcedPrefix],
        log_probs_B: Sequence[Sequence[float]],
        begin: int,
    ) -> BeamRows:
        """One row for each sentence, with its forced prefix and the log-probabilities of the prefix pieces."""
        lengths = [len(beginning.pieces) for beginning in prefixes_B]
        num_columns = max(lengths)
        pieces = [(*(begin,) * (num_columns - len(b.pieces) + 1), *b.pieces) for b in prefixes_B]
        return cls(
            sentences_R=sentences_B,
            nodes_R=np.array([beginning.node for beginning in prefixes_B]),
            met_RP=np.stack([beginning.met_P for beginning in prefixes_B]),
            log_probs_R=np.array([sum(log_probs) for log_probs in log_probs_B], dtype=np.float64),
            lengths_R=np.array(lengths),
            tokens_RT=np.array(pieces),
            token_log_probs_RT=np.array([(*(0.0,) * (num_columns - len(own) + 1), *own) for own in log_probs_B]),
            penalties_R=np.zeros(len(lengths)),
            changes_RJ=np.zeros((len(lengths), 0)),
            endings_R3=np.zeros((len(lengths), 3), dtype=np.int64),
            repeats_R=np.zeros(len(lengths), dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.sentences_R)

    def keep(self, kept: Ints | Bools) -> BeamRows:
        """The rows selected by an index or a mask."""
        index = _index(kept)
        if index is None:
            return self
        return BeamRows(
            self.sentences_R[index],
            self.nodes_R[index],
            self.met_RP[index],
            self.log_probs_R[index],
            self.lengths_R[index],
            self.tokens_RT[index],
            self.token_log_probs_RT[index],
            self.penalties_R[index],
            self.changes_RJ[index],
            self.endings_R3[index],
            self.repeats_R[index],
            None if self.remaining is None else self.remaining.take(index),
        )

    def followed_by(self, other: BeamRows, begin: int, following: Following) -> BeamRows:
        """These rows followed by the other ones; `following` has the sentences of both."""
        num_columns = max(self.tokens_RT.shape[1], other.tokens_RT.shape[1])
        num_phrases = max(self.met_RP.shape[1], other.met_RP.shape[1])
        both = self, other
        return BeamRows(
            np.concatenate([rows.sentences_R for rows in both]),
            np.concatenate([rows.nodes_R for rows in both]),
            np.concatenate([rows.with_phrases(num_phrases).met_RP for rows in both]),
            np.concatenate([rows.log_probs_R for rows in both]),
            np.concatenate([rows.lengths_R for rows in both]),
            np.concatenate([_to_the_right(rows.tokens_RT, num_columns, begin) for rows in both]),
            np.concatenate([_to_the_right(rows.token_log_probs_RT, num_columns, 0) for rows in both]),
            np.concatenate([rows.penalties_R for rows in both]),
            np.concatenate([following.resized(rows.changes_RJ) for rows in both]),
            np.concatenate([rows.endings_R3 for rows in both]),
            np.concatenate([rows.repeats_R for rows in both]),
        )

    def with_phrases(self, num_phrases: int) -> BeamRows:
        """With `num_phrases` columns of phrases. Columns that are cut off belong to no live sentence."""
        more = num_phrases - self.met_RP.shape[1]
        if not more:
            return self
        met_RP = np.pad(self.met_RP, ((0, 0), (0, more))) if more > 0 else self.met_RP[:, :num_phrases]
        return replace(self, met_RP=met_RP, remaining=None)


@dataclass(frozen=True, slots=True)
class Candidates:
    """N one-token continuations: row `rows_N[i]` continues with `tokens_N[i]`."""

    rows_N: Ints
    tokens_N: Ints
    token_log_probs_N: Floats
    log_probs_N: Floats  # of the whole hypothesis
    scores_N: Floats  # candidates are ranked by the log-probability minus all penalties
    penalties_N: Floats
    changes_NJ: Floats  # the state of following; without columns before `with_changes`, as it can be gigabytes
    endings_N3: Ints
    repeats_N: Ints
    sentences_N: Ints
    nodes_N: Ints
    met_NP: Ints
    banks_N: Ints
    is_end_N: Bools
    remaining: RemainingCost | None  # None: no sentence has constraints

    def keep(self, kept: Ints | Bools) -> Candidates:
        """The candidates selected by an index or a mask."""
        index = _index(kept)
        if index is None:
            return self
        return Candidates(
            self.rows_N[index],
            self.tokens_N[index],
            self.token_log_probs_N[index],
            self.log_probs_N[index],
            self.scores_N[index],
            self.penalties_N[index],
            self.changes_NJ[index],
            self.endings_N3[index],
            self.repeats_N[index],
            self.sentences_N[index],
            self.nodes_N[index],
            self.met_NP[index],
            self.banks_N[index],
            self.is_end_N[index],
            None if self.remaining is None else self.remaining.take(index),
        )

    def with_changes(self, rows: BeamRows, following: Following, interruption: Interruption) -> Candidates:
        """Candidates without end tokens, with their states of following."""
        if not following.is_needed:
            return self
        costs_NJ = rows.changes_RJ[self.rows_N]
        return replace(self, changes_NJ=following.after(self.sentences_N, costs_NJ, self.tokens_N, interruption))

    def extend(self, rows: BeamRows) -> BeamRows:
        """The rows that these candidates become, without unused columns."""
        lengths_N = rows.lengths_R[self.rows_N] + 1
        num_columns = int(lengths_N.max()) + 1 if len(lengths_N) else 1
        first = 1 + rows.tokens_RT.shape[1] - num_columns
        tokens_NT, token_log_probs_NT = rows.tokens_RT[self.rows_N], rows.token_log_probs_RT[self.rows_N]
        return BeamRows(
            self.sentences_N,
            self.nodes_N,
            self.met_NP,
            self.log_probs_N,
            lengths_N,
            np.concatenate([tokens_NT[:, first:], self.tokens_N[:, None]], 1),
            np.concatenate([token_log_probs_NT[:, first:], self.token_log_probs_N[:, None]], 1),
            self.penalties_N,
            self.changes_NJ,
            self.endings_N3,
            self.repeats_N,
            self.remaining,
        )


def _to_the_right(x_RT: _Array, num_columns: int, fill: int) -> _Array:
    return np.pad(x_RT, ((0, 0), (num_columns - x_RT.shape[1], 0)), constant_values=fill)


def _index(kept: Ints | Bools) -> Ints | None:
    """A mask as an index, computed once for all arrays; None for a mask that keeps everything."""
    if kept.dtype != np.bool_:
        return kept.astype(np.int64, copy=False)
    return None if kept.all() else kept.nonzero()[0]
