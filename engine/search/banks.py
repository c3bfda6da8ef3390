"""Dynamic beam allocation: the number of places of each bank (Post & Vilar 2018, section 3.2 and figure 3).

The paper gives floor(k / C) places to each of its C + 1 banks. Read literally, bank 0 has no place when C = 1, and no
hypothesis ever reaches bank 1. So each bank gets floor(k / (C + 1)) places here, and bank C also the remainder.
"""

from __future__ import annotations

import numpy as np

from engine.search.arrays import Bools, Floats, Ints


def allocate(waiting_BC: Ints, num_tokens_B: Ints, beam: int | Ints, spreads_B: Bools | None = None) -> Ints:
    """Places for each bank of each sentence, (B, C + 1), never more than the bank has candidates.

    `waiting_BC[b, i]` counts the candidates of bank i; sentence b has banks 0 to `num_tokens_B[b]`; `beam` is one
    number for all sentences or one for each. Places that a bank cannot fill go to the nearest bank with candidates left
    over: nearer transfers first, and the higher of two equally near banks first. With `spreads_B`, a beam with fewer
    places than banks is spread over the banks instead. So min(beam, candidates) places are filled.
    """
    num_banks = waiting_BC.shape[1]
    banks = np.arange(num_banks)
    top_B1 = num_tokens_B[:, None]
    beam_B1 = np.reshape(beam, (-1, 1))
    share_B1 = beam_B1 // (top_B1 + 1)
    places_BC = np.where(banks <= top_B1, share_B1, 0)
    places_BC += np.where(banks == top_B1, beam_B1 - share_B1 * (top_B1 + 1), 0)

    given_BC = np.minimum(places_BC, waiting_BC)
    left_BC = places_BC - given_BC  # places that found no candidate
    spare_BC = waiting_BC - given_BC  # candidates that found no place
    givers, takers = (np.flatnonzero(table_BC.any(axis=0)).tolist() for table_BC in (left_BC, spare_BC))
    for distance in sorted({abs(giver - taker) for giver in givers for taker in takers}):
        for giver, taker in (  # upwards first
            (slice(0, num_banks - distance), slice(distance, num_banks)),
            (slice(distance, num_banks), slice(0, num_banks - distance)),
        ):
            moved = np.minimum(left_BC[:, giver], spare_BC[:, taker])
            left_BC[:, giver] -= moved
            spare_BC[:, taker] -= moved
            given_BC[:, taker] += moved
    if spreads_B is not None and (is_spread_B1 := spreads_B[:, None] & (share_B1 == 0)).any():
        given_BC = np.where(is_spread_B1, _spread(waiting_BC, beam_B1), given_BC)
    return given_BC


def _spread(waiting_BC: Ints, beam_B1: Ints) -> Ints:
    """Places given in rounds, one to each bank with candidates left over.

    If a round has fewer places than such banks, they are evenly spaced and include the lowest and the topmost bank.
    """
    given_BC = np.zeros_like(waiting_BC)
    left_B1 = np.minimum(beam_B1, waiting_BC.sum(1, keepdims=True))
    while (left_B1 > 0).any():
        is_open_BC = given_BC < waiting_BC
        num_open_B1 = is_open_BC.sum(1, keepdims=True)
        num_dealt_B1 = np.minimum(left_B1, num_open_B1)
        ranks_BC = is_open_BC.cumsum(1) - 1
        steps_B1, gaps_B1 = np.maximum(num_dealt_B1 - 1, 0), np.maximum(num_open_B1 - 1, 1)
        is_next_BC = ranks_BC * steps_B1 // gaps_B1 > (ranks_BC - 1) * steps_B1 // gaps_B1
        is_next_BC = np.where(num_dealt_B1 > 1, is_next_BC, ranks_BC == num_open_B1 - 1)  # one place: the topmost
        dealt_BC = is_open_BC & is_next_BC & (num_dealt_B1 > 0)
        given_BC = given_BC + dealt_BC
        left_B1 = left_B1 - dealt_BC.sum(1, keepdims=True)
    return given_BC


def rank_within(groups_N: Ints, scores_N: Floats) -> Ints:
    """Each item's rank by score within its group, 0 for the highest; equal scores keep their order."""
    order_N = np.lexsort((-scores_N, groups_N))
    sizes_G = np.bincount(groups_N)
    starts_G = sizes_G.cumsum() - sizes_G
    ranks_N = np.empty_like(order_N)
    ranks_N[order_N] = np.arange(len(order_N)) - starts_G[groups_N[order_N]]
    return ranks_N
