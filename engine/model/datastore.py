"""Learning without training: a datastore of decoder states with the pieces that followed them.

Nearest-neighbour machine translation (Khandelwal et al. 2021): the model's distribution of the next piece is mixed with
the distribution of the pieces that followed the most similar stored states. States come from forced decoding of given
translations. The share of the neighbours falls with their distance (adaptive, as in Zheng et al. 2021, but without a
network: a logistic function, chosen on 21 documents and 1,600 unrelated sentences), so that states without similar
neighbours leave the model as it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.errors import InvalidRequest
from engine.settings import check_settings, setting
from engine.translation import Contribution

_NUM_JUDGED = 16  # the last pairs, which decide whether the datastore helps
_MIN_JUDGED = 3
_LEAST_GAIN = 0.5  # nats a pair; less comes with texts that have hardly anything in common
_MOST_GAIN = 5.0  # nats that one pair counts: a repeated sentence does not outweigh losses in several others
_LEAST_SHARE = 0.01  # below, the model is left as it is, which spares the search for neighbours
_LEAST_NAMED = 0.1  # of a piece's probability; pairs that gave less are not named


@dataclass(frozen=True, slots=True)
class DatastoreOptions:
    """Options for finding neighbours and mixing them into the model's probabilities.

    Distances are squared distances of states of length 1: 0 for the same direction, 2 for a right angle. The weight of
    a neighbour at distance d is proportional to exp(-d / temperature). All neighbours together have the share
    `share` / (1 + exp((d - reach) / fall)) for the nearest one's d, or 0 if that is below 0.01.
    """

    share: float = setting(
        0.99, "largest share of a piece's probability that comes from neighbours", minimum=0, maximum=0.99
    )
    reach: float = setting(0.2, "distance at which the share of all neighbours is half of `share`", minimum=0)
    fall: float = setting(
        0.14, "scale of distance on which the share of all neighbours falls", minimum=0, is_above_minimum=True
    )
    temperature: float = setting(
        0.1, "scale of distance on which the weight of a neighbour falls", minimum=0, is_above_minimum=True
    )
    num_neighbours: int = setting(16, "number of nearest states that are used", minimum=1)
    max_states: int = setting(8192, "maximum number of states; the oldest pairs are dropped", minimum=1)
    least_fit: float = setting(
        1.0, "nats per piece by which a translation must be more probable for its source than for a blank source"
    )

    def __post_init__(self) -> None:
        check_settings(self, InvalidRequest)


@dataclass(frozen=True, slots=True, eq=False)
class StoredPair:
    """The decoder states of one translation, (T, E) of length 1, and the pieces that followed them, (T,).

    `log_probs_T` are the model's own log-probabilities of the pieces.
    """

    origin: Hashable
    states_TE: Tensor
    pieces_T: Tensor
    log_probs_T: Tensor

    def to(self, device: torch.device | str) -> StoredPair:
        """The pair on a device; itself if it is there."""
        tensors = (self.states_TE, self.pieces_T, self.log_probs_T)
        moved = [tensor.to(device) for tensor in tensors]
        is_there = all(one is other for one, other in zip(tensors, moved, strict=True))
        return self if is_there else StoredPair(self.origin, *moved)

    def joined(self, others: Sequence[StoredPair]) -> StoredPair:
        """The pair of this sentence and those behind it, of one translation, as one."""
        pairs = [self, *others]
        return StoredPair(
            self.origin,
            torch.cat([pair.states_TE for pair in pairs]),
            torch.cat([pair.pieces_T for pair in pairs]),
            torch.cat([pair.log_probs_T for pair in pairs]),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled from the CPU, so that a process without a GPU can read it."""
        pair = self.to("cpu")
        return StoredPair, (pair.origin, pair.states_TE, pair.pieces_T, pair.log_probs_T)


@dataclass(frozen=True, eq=False)
class Datastore:
    """The stored pairs of one model, in order. Immutable: learning returns a new one, which shares their tensors.

    Everything it does follows from its pairs and their order, not from how it came about. `model` is the checksum of
    the model that the states come from.
    """

    model: str
    options: DatastoreOptions = field(default_factory=DatastoreOptions)
    pairs: tuple[StoredPair, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the pairs only; derived fields are computed again."""
        return Datastore, (self.model, self.options, self.pairs)

    @property
    def origins(self) -> tuple[Hashable, ...]:
        """The origins of the pairs, in their order."""
        return tuple(pair.origin for pair in self.pairs)

    @property
    def num_states(self) -> int:
        return sum(len(pair.pieces_T) for pair in self.pairs)

    @property
    def is_helpful(self) -> bool:
        """True if earlier pairs clearly increase the probability of the last pairs; if not, requests do not use it."""
        return helps(self.gains)

    @cached_property
    def gains(self) -> tuple[float, ...]:
        """The gain of each of the last pairs, in nats, from the pairs before it; at most 16, without the first pair.

        All pairs are measured, also while the datastore is not used, so that it is used again once it helps.
        """
        judged = self.pairs[max(1, len(self.pairs) - _NUM_JUDGED) :]
        if not judged:
            return ()
        states_ME, pieces_M = torch.cat([p.states_TE for p in judged]), torch.cat([p.pieces_T for p in judged])
        own_M = torch.cat([p.log_probs_T for p in judged])
        sizes = torch.tensor([len(pair.pieces_T) for pair in judged], device=states_ME.device)
        firsts = self.num_states - sizes.flip(0).cumsum(0).flip(0)  # of each judged pair, among all states
        similarity_MN = states_ME @ self._table[0].T
        places_N = torch.arange(similarity_MN.shape[1], device=states_ME.device)
        similarity_MN.masked_fill_(places_N >= firsts.repeat_interleave(sizes)[:, None], -torch.inf)
        share_M = self._shares(similarity_MN)
        weights_MK, places_MK = self._neighbours(similarity_MN)
        of_piece_M = (weights_MK * (self._table[1][places_MK] == pieces_M[:, None])).sum(1)
        mixed_M = torch.logaddexp(torch.log1p(-share_M) + own_M, (share_M * of_piece_M).log())
        gains_M = torch.where(share_M >= _LEAST_SHARE, mixed_M - own_M, 0.0)
        return tuple(float(part.double().sum()) for part in gains_M.split(sizes.tolist()))

    def with_pairs(self, pairs: Sequence[StoredPair]) -> Datastore:
        """A datastore with these pairs instead, without the first of them if they have too many states."""
        excess = sum(len(pair.pieces_T) for pair in pairs) - self.options.max_states
        first = 0
        while excess > 0 and first < len(pairs):
            excess -= len(pairs[first].pieces_T)
            first += 1
        return Datastore(self.model, self.options, tuple(pairs[first:]))

    def mix(self, states_RE: Tensor, log_probs_RV: Tensor) -> Tensor:
        """Log-probabilities (R, V), normalised, of the next pieces: the model's mixed with the neighbours'.

        In place where `log_probs_RV` allows it. At most 0, as rounding must not let a hypothesis gain by going on.
        """
        if not self.num_states:
            return log_probs_RV
        similarity_RN = unit_states(states_RE) @ self._table[0].T
        share_R = self._shares(similarity_RN)
        near_M = (share_R >= _LEAST_SHARE).nonzero()[:, 0]
        if len(near_M) == len(share_R):
            return self._mix(similarity_RN, share_R[:, None], log_probs_RV)
        if len(near_M):
            log_probs_RV[near_M] = self._mix(similarity_RN[near_M], share_R[near_M, None], log_probs_RV[near_M])
        return log_probs_RV

    def _shares(self, similarity_RN: Tensor) -> Tensor:
        """The neighbours' share in each row (R,), from the cosines of its angles to all states."""
        options = self.options
        return options.share * torch.sigmoid((options.reach - _distance(similarity_RN.amax(1))) / options.fall)

    def _mix(self, similarity_MN: Tensor, share_M1: Tensor, log_probs_MV: Tensor) -> Tensor:
        weights_MK, places_MK = self._neighbours(similarity_MN)
        pieces_MK = self._table[1][places_MK]
        is_same_MKK = pieces_MK[:, :, None] == pieces_MK[:, None, :]
        of_piece_MK = (is_same_MKK * weights_MK[:, None, :]).sum(2)  # equal pieces get equal sums
        log_probs_MV += torch.log1p(-share_M1)
        mixed_MK = torch.logaddexp(log_probs_MV.gather(1, pieces_MK), (share_M1 * of_piece_MK).log())
        return log_probs_MV.scatter_(1, pieces_MK, mixed_MK.clamp_(max=0.0))

    def _neighbours(self, similarity_MN: Tensor) -> tuple[Tensor, Tensor]:
        """The weights (M, neighbours) of the nearest states, and their places among all states."""
        num_neighbours = min(self.options.num_neighbours, similarity_MN.shape[1])
        similarity_MK, places_MK = similarity_MN.topk(num_neighbours, dim=1)
        weights_MK = torch.softmax(-_distance(similarity_MK) / self.options.temperature, dim=1)
        return weights_MK, places_MK

    def contributions(self, states_TE: Tensor, pieces_T: Tensor, log_probs_TV: Tensor) -> list[Contribution]:
        """Contributions of pairs to the pieces of a translation, in the order of the pieces, the largest share first.

        Only pieces that the neighbours made at least twice as likely count, and shares of at least a tenth.
        `log_probs_TV` are the model's own of what follows `states_TE`.
        """
        if not self.num_states:
            return []
        similarity_TN = unit_states(states_TE) @ self._table[0].T
        share_T = self._shares(similarity_TN)
        weights_TK, places_TK = self._neighbours(similarity_TN)
        own_T = log_probs_TV.gather(1, pieces_T[:, None])[:, 0].exp()
        given_TK = share_T[:, None] * weights_TK * (self._table[1][places_TK] == pieces_T[:, None])
        mixed_T = (1 - share_T) * own_T + given_TK.sum(1)
        is_learned_T = (share_T >= _LEAST_SHARE) & (mixed_T >= 2 * own_T)
        found: list[Contribution] = []
        ends = list(accumulate(len(pair.pieces_T) for pair in self.pairs))
        for token in is_learned_T.nonzero()[:, 0].tolist():
            shares: dict[Hashable, float] = {}
            of_token_K = (given_TK[token] / mixed_T[token]).tolist()
            for share, place in zip(of_token_K, places_TK[token].tolist(), strict=True):
                origin = self.pairs[bisect_right(ends, place)].origin
                shares[origin] = shares.get(origin, 0.0) + share
            greatest = sorted(shares.items(), key=lambda item: -item[1])
            found += [Contribution(token, origin, share) for origin, share in greatest if share >= _LEAST_NAMED]
        return found

    @cached_property
    def _table(self) -> tuple[Tensor, Tensor]:
        """All states (N, E) and the pieces after them (N,)."""
        return torch.cat([p.states_TE for p in self.pairs]), torch.cat([p.pieces_T for p in self.pairs])


def helps(gains: Sequence[float]) -> bool:
    """True if the limited gains of pairs (nats) are large enough on average, or if there are too few pairs."""
    limited = [max(-_MOST_GAIN, min(_MOST_GAIN, gain)) for gain in gains]
    return len(limited) < _MIN_JUDGED or sum(limited) >= _LEAST_GAIN * len(limited)


def _distance(similarity: Tensor) -> Tensor:
    """The squared distance of states of length 1, from the cosine of their angle."""
    return (2.0 - 2.0 * similarity).clamp_(min=0.0)


def unit_states(states_NE: Tensor) -> Tensor:
    """The states in float32, scaled to length 1."""
    return F.normalize(states_NE.float(), dim=1)


def mix_rows(datastores_R: Sequence[Datastore | None], states_RE: Tensor, log_probs_RV: Tensor) -> Tensor:
    """The log-probabilities of rows that have different datastores, changed in place; rows without one stay bit by bit.

    Rows of one datastore are looked up together.
    """
    for datastore in dict.fromkeys(datastores_R):
        if datastore is None:
            continue
        rows = [row for row, own in enumerate(datastores_R) if own is datastore]
        if len(rows) == len(datastores_R):
            return datastore.mix(states_RE, log_probs_RV)
        rows_N = torch.tensor(rows, device=log_probs_RV.device)
        log_probs_RV[rows_N] = datastore.mix(states_RE[rows_N], log_probs_RV[rows_N])
    return log_probs_RV
