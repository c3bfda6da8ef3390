"""The live hypotheses of all sentences, as parallel tensors: one row each, the rows of a sentence side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Rows:
    """R rows. `log_probs_R` is float64, so that a sum of float32 token scores stays their sum.

    Tokens end in the last column, and the begin token stands before the first of them: a row of `lengths_R[i]` tokens
    fills the last `lengths_R[i]` columns.
    """

    sentences_R: Tensor  # by the tracker's numbers
    nodes_R: Tensor  # of the phrase tracker
    met_RP: Tensor  # occurrences met so far, by phrase
    log_probs_R: Tensor
    lengths_R: Tensor
    tokens_RT: Tensor
    token_log_probs_RT: Tensor

    @classmethod
    def start(cls, sentences_B: Tensor, start_nodes_B: Tensor, num_phrases: int, begin: int) -> Rows:
        """One empty row for each sentence."""
        num_sentences = len(sentences_B)
        return cls(
            sentences_R=sentences_B,
            nodes_R=start_nodes_B,
            met_RP=torch.zeros(num_sentences, num_phrases, dtype=torch.long),
            log_probs_R=torch.zeros(num_sentences, dtype=torch.float64),
            lengths_R=torch.zeros(num_sentences, dtype=torch.long),
            tokens_RT=torch.full((num_sentences, 1), begin),
            token_log_probs_RT=torch.zeros(num_sentences, 1, dtype=torch.float64),
        )

    def __len__(self) -> int:
        return len(self.sentences_R)

    def keep(self, kept: Tensor) -> Rows:
        """The rows that an index or a mask names."""
        index = _index(kept)
        if index is None:
            return self
        return Rows(
            self.sentences_R.index_select(0, index),
            self.nodes_R.index_select(0, index),
            self.met_RP.index_select(0, index),
            self.log_probs_R.index_select(0, index),
            self.lengths_R.index_select(0, index),
            self.tokens_RT.index_select(0, index),
            self.token_log_probs_RT.index_select(0, index),
        )

    def followed_by(self, other: Rows, begin: int) -> Rows:
        """These rows and the others behind them."""
        num_columns = max(self.tokens_RT.shape[1], other.tokens_RT.shape[1])
        num_phrases = max(self.met_RP.shape[1], other.met_RP.shape[1])
        both = self, other
        return Rows(
            torch.cat([rows.sentences_R for rows in both]),
            torch.cat([rows.nodes_R for rows in both]),
            torch.cat([rows.with_phrases(num_phrases).met_RP for rows in both]),
            torch.cat([rows.log_probs_R for rows in both]),
            torch.cat([rows.lengths_R for rows in both]),
            torch.cat([_to_the_right(rows.tokens_RT, num_columns, begin) for rows in both]),
            torch.cat([_to_the_right(rows.token_log_probs_RT, num_columns, 0) for rows in both]),
        )

    def with_phrases(self, num_phrases: int) -> Rows:
        """With room for so many phrases; where there is less, those beyond are nobody's."""
        more = num_phrases - self.met_RP.shape[1]
        return replace(self, met_RP=F.pad(self.met_RP, (0, more))) if more else self


@dataclass(frozen=True, slots=True)
class Candidates:
    """N one-token continuations: row `rows_N` goes on with `tokens_N`."""

    rows_N: Tensor
    tokens_N: Tensor
    token_log_probs_N: Tensor
    scores_N: Tensor  # log-probability of the whole, float64
    sentences_N: Tensor
    nodes_N: Tensor
    met_NP: Tensor
    banks_N: Tensor
    is_end_N: Tensor
    is_forced_N: Tensor

    def keep(self, kept: Tensor) -> Candidates:
        """The candidates that an index or a mask names."""
        index = _index(kept)
        if index is None:
            return self
        return Candidates(
            self.rows_N.index_select(0, index),
            self.tokens_N.index_select(0, index),
            self.token_log_probs_N.index_select(0, index),
            self.scores_N.index_select(0, index),
            self.sentences_N.index_select(0, index),
            self.nodes_N.index_select(0, index),
            self.met_NP.index_select(0, index),
            self.banks_N.index_select(0, index),
            self.is_end_N.index_select(0, index),
            self.is_forced_N.index_select(0, index),
        )

    def extend(self, rows: Rows) -> Rows:
        """The rows that these candidates become, without columns that none of them uses."""
        lengths_N = rows.lengths_R[self.rows_N] + 1
        num_columns = int(lengths_N.max()) + 1 if len(lengths_N) else 1
        first = 1 + rows.tokens_RT.shape[1] - num_columns
        tokens_NT, token_log_probs_NT = rows.tokens_RT[self.rows_N], rows.token_log_probs_RT[self.rows_N]
        return Rows(
            self.sentences_N,
            self.nodes_N,
            self.met_NP,
            self.scores_N,
            lengths_N,
            torch.cat([tokens_NT[:, first:], self.tokens_N[:, None]], 1),
            torch.cat([token_log_probs_NT[:, first:], self.token_log_probs_N[:, None]], 1),
        )


def _to_the_right(x_RT: Tensor, num_columns: int, fill: int) -> Tensor:
    return F.pad(x_RT, (num_columns - x_RT.shape[1], 0), value=fill)


def _index(kept: Tensor) -> Tensor | None:
    """What a mask keeps, as an index, made once for all the tensors that follow it; None where that is everything."""
    if kept.dtype != torch.bool:
        return kept
    return None if bool(kept.all()) else kept.nonzero()[:, 0]
