"""The live hypotheses of all sentences, as parallel tensors: one row each, the rows of a sentence side by side."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Rows:
    """R rows. `log_probs_R` is float64, so that a sum of float32 token scores stays their sum."""

    sentences_R: Tensor  # ascending
    nodes_R: Tensor  # of the phrase tracker
    met_RP: Tensor  # occurrences met so far, by phrase
    log_probs_R: Tensor
    tokens_RT: Tensor
    token_log_probs_RT: Tensor

    @classmethod
    def start(cls, start_nodes_B: Tensor, num_phrases: int) -> Rows:
        """One empty row for each sentence."""
        num_sentences = len(start_nodes_B)
        return cls(
            sentences_R=torch.arange(num_sentences),
            nodes_R=start_nodes_B,
            met_RP=torch.zeros(num_sentences, num_phrases, dtype=torch.long),
            log_probs_R=torch.zeros(num_sentences, dtype=torch.float64),
            tokens_RT=torch.zeros(num_sentences, 0, dtype=torch.long),
            token_log_probs_RT=torch.zeros(num_sentences, 0, dtype=torch.float64),
        )

    def __len__(self) -> int:
        return len(self.sentences_R)

    def keep(self, kept: Tensor) -> Rows:
        """The rows that an index or a mask names."""
        return Rows(
            self.sentences_R[kept],
            self.nodes_R[kept],
            self.met_RP[kept],
            self.log_probs_R[kept],
            self.tokens_RT[kept],
            self.token_log_probs_RT[kept],
        )


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

    def keep(self, kept: Tensor) -> Candidates:
        return Candidates(
            self.rows_N[kept],
            self.tokens_N[kept],
            self.token_log_probs_N[kept],
            self.scores_N[kept],
            self.sentences_N[kept],
            self.nodes_N[kept],
            self.met_NP[kept],
            self.banks_N[kept],
            self.is_end_N[kept],
        )

    def extend(self, rows: Rows) -> Rows:
        """The rows that these candidates become."""
        parents = rows.keep(self.rows_N)
        return Rows(
            self.sentences_N,
            self.nodes_N,
            self.met_NP,
            self.scores_N,
            torch.cat([parents.tokens_RT, self.tokens_N[:, None]], 1),
            torch.cat([parents.token_log_probs_RT, self.token_log_probs_N[:, None]], 1),
        )
