"""Learning without training: a datastore of decoder states with the pieces that followed them.

Nearest-neighbour machine translation (Khandelwal et al. 2021): the model's distribution of the next piece is mixed with
the distribution of the pieces that followed the most similar stored states. States come from forced decoding of given
translations. The share of the neighbours falls with their distance (adaptive, as in Zheng et al. 2021, but without a
network), so that states without similar neighbours leave the model as it is.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.errors import InvalidRequest
from engine.settings import check_settings, setting

_NUM_JUDGED = 16  # the latest pairs, which decide whether the datastore helps
_MIN_JUDGED = 3
_LEAST_SHARE = 0.01  # below, the model is left as it is, which spares the search for neighbours


@dataclass(frozen=True, slots=True)
class DatastoreOptions:
    """How neighbours are found and mixed in.

    Distances are squared distances of states of length 1: 0 for the same direction, 2 for a right angle. The weight of
    a neighbour at distance d is proportional to exp(-d / temperature); the share of all neighbours together is
    `share` * exp(-d / reach) for the nearest one's d, or 0 if that is below 0.01.
    """

    share: float = setting(0.8, "most of a piece's probability that neighbours give", minimum=0, maximum=0.99)
    temperature: float = setting(
        0.1, "distance over which the weight of a neighbour falls", minimum=0, is_above_minimum=True
    )
    reach: float = setting(
        0.2, "distance over which the share of all neighbours falls", minimum=0, is_above_minimum=True
    )
    num_neighbours: int = setting(16, "nearest states that count", minimum=1)
    max_states: int = setting(8192, "states kept; the oldest pairs are dropped", minimum=1)

    def __post_init__(self) -> None:
        check_settings(self, InvalidRequest)


@dataclass(frozen=True, slots=True, eq=False)
class StoredPair:
    """The decoder states of one translation, (T, E) of length 1, and the pieces that followed them, (T,).

    `gain` is how much likelier the datastore before made this translation, in nats; None if it was empty.
    """

    origin: Hashable
    states_TE: Tensor
    pieces_T: Tensor
    gain: float | None = None


@dataclass(frozen=True, eq=False)
class Datastore:
    """The stored pairs of one model, oldest first. Immutable: learning returns a new one, which shares their tensors.

    `model` is the checksum of the model that the states come from. `num_dropped` counts the pairs that were dropped
    because the datastore was full.
    """

    model: str
    options: DatastoreOptions = field(default_factory=DatastoreOptions)
    pairs: tuple[StoredPair, ...] = ()
    num_dropped: int = 0

    @property
    def origins(self) -> tuple[Hashable, ...]:
        """Where the pairs come from, oldest first."""
        return tuple(pair.origin for pair in self.pairs)

    @property
    def num_states(self) -> int:
        return sum(len(pair.pieces_T) for pair in self.pairs)

    @property
    def is_helpful(self) -> bool:
        """Whether it made the latest pairs likelier, each measured before it was added; else requests do without it.

        It is measured on, so a datastore that comes to help is used again.
        """
        gains = [pair.gain for pair in self.pairs if pair.gain is not None][-_NUM_JUDGED:]
        return len(gains) < _MIN_JUDGED or sum(gains) >= 0

    def followed_by(self, pair: StoredPair) -> Datastore:
        """This datastore and one more pair, without the oldest ones if there are too many states."""
        pairs = (*self.pairs, pair)
        excess, num_dropped = self.num_states + len(pair.pieces_T) - self.options.max_states, 0
        while excess > 0 and num_dropped < len(pairs):
            excess -= len(pairs[num_dropped].pieces_T)
            num_dropped += 1
        return replace(self, pairs=pairs[num_dropped:], num_dropped=self.num_dropped + num_dropped)

    def first(self, num_pairs: int) -> Datastore:
        """The datastore as it was after `num_pairs` pairs; only if none has been dropped since."""
        assert not self.num_dropped, "dropped pairs do not come back; learn all of them again"
        return replace(self, pairs=self.pairs[:num_pairs])

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
        return self.options.share * torch.exp(-_distance(similarity_RN.amax(1)) / self.options.reach)

    def _mix(self, similarity_MN: Tensor, share_M1: Tensor, log_probs_MV: Tensor) -> Tensor:
        num_neighbours = min(self.options.num_neighbours, similarity_MN.shape[1])
        similarity_MK, places_MK = similarity_MN.topk(num_neighbours, dim=1)
        weights_MK = torch.softmax(-_distance(similarity_MK) / self.options.temperature, dim=1)
        pieces_MK = self._table[1][places_MK]
        is_same_MKK = pieces_MK[:, :, None] == pieces_MK[:, None, :]
        of_piece_MK = (is_same_MKK * weights_MK[:, None, :]).sum(2)  # equal pieces get equal sums
        log_probs_MV += torch.log1p(-share_M1)
        mixed_MK = torch.logaddexp(log_probs_MV.gather(1, pieces_MK), (share_M1 * of_piece_MK).log())
        return log_probs_MV.scatter_(1, pieces_MK, mixed_MK.clamp_(max=0.0))

    def sources_of(self, states_TE: Tensor, pieces_T: Tensor, log_probs_TV: Tensor) -> list[Hashable]:
        """The origins that made some piece of a translation at least twice as likely, oldest first.

        `log_probs_TV` are the model's own of what follows `states_TE`; overwritten. For each such piece, the origin of
        the most similar state with that piece counts.
        """
        if not self.num_states:
            return []
        pieces_T1 = pieces_T[:, None]
        before_T1 = log_probs_TV.gather(1, pieces_T1)
        is_learned_T = (self.mix(states_TE, log_probs_TV).gather(1, pieces_T1) >= before_T1 + math.log(2))[:, 0]
        similarity_MN = unit_states(states_TE[is_learned_T]) @ self._table[0].T
        similarity_MN.masked_fill_(self._table[1] != pieces_T1[is_learned_T], -torch.inf)
        ends = list(accumulate(len(pair.pieces_T) for pair in self.pairs))
        numbers = {bisect_right(ends, place) for place in similarity_MN.argmax(1).tolist()}
        return list(dict.fromkeys(self.pairs[number].origin for number in sorted(numbers)))

    @cached_property
    def _table(self) -> tuple[Tensor, Tensor]:
        """All states (N, E) and the pieces after them (N,)."""
        return torch.cat([p.states_TE for p in self.pairs]), torch.cat([p.pieces_T for p in self.pairs])


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
