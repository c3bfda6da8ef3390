"""The scores of one model step after masking: the best tokens of each row, and the scores of selected tokens.

`LogProbs` contains all log-probabilities, which a CPU computes and masks in place. `FusedScores` never has them all:
the fused output layer returns the best and the forced tokens in one pass over the logits (`engine.kernels.top_tokens`),
and one transfer brings all of that from the device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import torch
from torch import Tensor

from engine.interruption import NEVER, Interruption
from engine.kernels import Logits, top_tokens
from engine.search.arrays import Bools, Floats, Ints
from engine.search.leaders import leaders
from engine.search.sentence import SearchVocabulary
from engine.search.steps import Output

_ROWS_AT_ONCE = 64  # that are ranked between two looks for an interruption
# The only tokens that a row may write: these, or any piece that does not glue to its right.
Allowed = tuple[int, ...] | Literal["closing"]


@dataclass(frozen=True, slots=True)
class Masks:
    """Row masks of one step, on top of the tokens that no row may write: rows that may not end, and bound rows.

    Free rows do not write bytes that begin no character.
    """

    may_end_R: Bools | None  # None: all may
    allowed: Mapping[int, Allowed]  # by row; other rows are free


class StepScores(Protocol):
    """The masked log-probabilities of each row's next token: -inf for masked tokens, NaN in failed rows."""

    def best(self, width: int) -> tuple[Floats, Ints]:
        """The best tokens of each row, best first: log-probabilities (R, width), padded with -inf, and tokens."""
        ...

    def take(self, rows_N: Ints, tokens_N: Ints) -> Floats:
        """The log-probabilities of these continuations: returned by the last `best`, forced, or the end."""
        ...


def scores_of(
    output: Output,
    masks: Masks,
    forced_RF: Ints,
    vocabulary: SearchVocabulary,
    interruption: Interruption = NEVER,
) -> StepScores:
    """The output of a decoder's step, masked. Overwrites log-probabilities. Asks `interruption` between rows."""
    if isinstance(output, Logits):
        return FusedScores(output, masks, forced_RF, vocabulary)
    return LogProbs(torch.as_tensor(output), masks, vocabulary, interruption)


class LogProbs:
    """All log-probabilities, on the CPU."""

    def __init__(
        self, log_probs_RV: Tensor, masks: Masks, vocabulary: SearchVocabulary, interruption: Interruption = NEVER
    ) -> None:
        self._interruption = interruption
        self._log_probs_RV = log_probs_RV.cpu()
        self._values_RV = self._log_probs_RV.numpy()  # the same memory
        roles = vocabulary.roles
        self._values_RV[:, roles.never] = -np.inf
        if masks.may_end_R is not None:
            self._values_RV[~masks.may_end_R, roles.end] = -np.inf
        if vocabulary.byte_masks.not_first:
            free_rows = [row for row in range(len(self._values_RV)) if row not in masks.allowed]
            self._values_RV[np.ix_(free_rows, vocabulary.byte_masks.not_first)] = -np.inf
        for row, allowed in masks.allowed.items():
            self._log_probs_RV[row].masked_fill_(~_allowed_tokens(allowed, vocabulary), -torch.inf)

    def best(self, width: int) -> tuple[Floats, Ints]:
        """See `StepScores.best`; equal scores come by token at any width, so that no batch changes the result."""
        num_seen = min(width + 1, self._log_probs_RV.shape[1])
        found: list[tuple[Tensor, Tensor]] = []
        for log_probs_RV in self._log_probs_RV.split(_ROWS_AT_ONCE):
            if found:
                self._interruption.check()
            values_RK, tokens_RK = log_probs_RV.topk(num_seen, dim=1)  # ranks not-a-number highest
            is_tied_R = ((values_RK[:, 1:] == values_RK[:, :-1]) & (values_RK[:, 1:] > -torch.inf)).any(1)
            if is_tied_R.any():  # topk returns equal values in any order
                ranked = log_probs_RV[is_tied_R].sort(dim=1, descending=True, stable=True)
                values_RK[is_tied_R] = ranked.values[:, :num_seen]
                tokens_RK[is_tied_R] = ranked.indices[:, :num_seen]
            found.append((values_RK[:, :width], tokens_RK[:, :width]))
        values_RK, tokens_RK = found[0] if len(found) == 1 else map(torch.cat, zip(*found, strict=True))
        return values_RK.double().numpy(), tokens_RK.numpy()

    def leaders(self, before_R: Floats, sentences_R: Ints, beam_B: Ints) -> tuple[Ints, Bools]:
        """Replaces `best` if only the best continuations of a sentence are needed; see `engine.search.leaders`."""
        return leaders(self._log_probs_RV, before_R, sentences_R, beam_B)

    def take(self, rows_N: Ints, tokens_N: Ints) -> Floats:
        return self._values_RV[rows_N, tokens_N].astype(np.float64)


class FusedScores:
    """The best tokens, the forced ones and the end of each row."""

    def __init__(self, logits: Logits, masks: Masks, forced_RF: Ints, vocabulary: SearchVocabulary) -> None:
        self._logits = logits
        device = logits.logits_RV.device
        ends_R1 = np.full((len(logits.logits_RV), 1), vocabulary.roles.end)
        self._queried_RF = np.concatenate([forced_RF, ends_R1], 1)
        self._queried_on_device_RF = uploaded(self._queried_RF, device)
        self._masks_MV, mask_of_R = _mask_table(masks, len(ends_R1), vocabulary, device)
        self._mask_of_R = uploaded(mask_of_R, device)
        self._known_tokens_RA = self._queried_RF
        self._known_values_RA = np.zeros(self._queried_RF.shape)

    def best(self, width: int) -> tuple[Floats, Ints]:
        found = top_tokens(
            self._logits.logits_RV,
            width,
            bias_V=self._logits.bias_V,
            masks_MV=self._masks_MV,
            mask_of_R=self._mask_of_R,
            forced_RF=self._queried_on_device_RF,
        )
        floats_RA = torch.cat([found.log_probs_RK, found.forced_log_probs_RF], 1)
        together = torch.cat([floats_RA.view(torch.int32), found.tokens_RK.int()], 1).cpu()  # a step's only wait
        num_floats = floats_RA.shape[1]
        values_RA = together[:, :num_floats].view(torch.float32).double().numpy()
        tokens_RK = together[:, num_floats:].long().numpy()
        self._known_values_RA = values_RA
        self._known_tokens_RA = np.concatenate([tokens_RK, self._queried_RF], 1)
        return values_RA[:, :width], tokens_RK

    def take(self, rows_N: Ints, tokens_N: Ints) -> Floats:
        is_it_NA = self._known_tokens_RA[rows_N] == tokens_N[:, None]
        places_N = is_it_NA.argmax(1)
        assert is_it_NA[np.arange(len(places_N)), places_N].all(), "only queried tokens have scores here"
        values_N: Floats = self._known_values_RA[rows_N, places_N]
        return values_N


def uploaded(array: Ints, device: torch.device) -> Tensor:
    """A copy on the device, transferred without waiting for it."""
    return torch.from_numpy(array).to(device, non_blocking=True)


def _mask_table(masks: Masks, num_rows: int, vocabulary: SearchVocabulary, device: torch.device) -> tuple[Tensor, Ints]:
    """The distinct masks, (M, V), and each row's. The first two are for free rows: with and without the end."""
    may_end_R = np.ones(num_rows, dtype=np.bool_) if masks.may_end_R is None else masks.may_end_R
    mask_of_R = (~may_end_R).astype(np.int64)
    free_4V = vocabulary.free_masks(device)
    places: dict[tuple[Allowed, bool], int] = {}
    for row, allowed in masks.allowed.items():
        mask_of_R[row] = 2 + places.setdefault((allowed, bool(may_end_R[row])), len(places))
    if not places:
        return free_4V[:2], mask_of_R
    bases_M = uploaded(np.array([2 + (not may_end) for _, may_end in places]).astype(np.int64), device)
    is_banned_MV = torch.stack([~_allowed_tokens(allowed, vocabulary) for allowed, _ in places])
    bound_MV = free_4V[bases_M].masked_fill_(is_banned_MV.to(device, non_blocking=True), -torch.inf)
    return torch.cat([free_4V[:2], bound_MV]), mask_of_R


def _allowed_tokens(allowed: Allowed, vocabulary: SearchVocabulary) -> Tensor:
    """(V,)"""
    if allowed == "closing":
        return torch.from_numpy(vocabulary.closing_V)
    allowed_V = torch.zeros(vocabulary.size, dtype=torch.bool)
    allowed_V[list(allowed)] = True
    return allowed_V
