"""How many places of the beam each bank gets (Post & Vilar 2018, section 3.2 and figure 3).

The paper gives floor(k / C) places to each of its C + 1 banks; read literally that leaves bank 0 without a place when
C = 1, and no hypothesis ever gets to bank 1. So it is floor(k / (C + 1)) here, the remainder to bank C.
"""

from __future__ import annotations

import torch
from torch import Tensor


def allocate(waiting_BC: Tensor, num_tokens_B: Tensor, beam: int | Tensor, spreads_B: Tensor | None = None) -> Tensor:
    """Places for each bank of each sentence, (B, C + 1), never more than the candidates that wait there.

    `waiting_BC[b, i]` counts the candidates of bank i; sentence b has banks 0 to `num_tokens_B[b]`; `beam` is one for
    all or one for each sentence. What a bank cannot fill goes to the nearest bank with candidates left over, the higher
    one first where two are equally near, nearer transfers before farther ones. Where `spreads_B`, a beam with fewer
    places than banks is spread over the banks instead. So min(beam, candidates) places are filled.
    """
    num_banks = waiting_BC.shape[1]
    banks = torch.arange(num_banks, device=waiting_BC.device)
    top_B1 = num_tokens_B[:, None]
    beam_B1 = torch.as_tensor(beam, device=waiting_BC.device).reshape(-1, 1)
    share_B1 = beam_B1 // (top_B1 + 1)
    places_BC = torch.where(banks <= top_B1, share_B1, 0)
    places_BC = places_BC + torch.where(banks == top_B1, beam_B1 - share_B1 * (top_B1 + 1), 0)

    given_BC = torch.minimum(places_BC, waiting_BC)
    left_BC = places_BC - given_BC  # places that found no candidate
    spare_BC = waiting_BC - given_BC  # candidates that found no place
    for distance in range(1, num_banks):
        if not (left_BC.any() and spare_BC.any()):
            break
        for giver, taker in (  # upwards first
            (slice(0, num_banks - distance), slice(distance, num_banks)),
            (slice(distance, num_banks), slice(0, num_banks - distance)),
        ):
            moved = torch.minimum(left_BC[:, giver], spare_BC[:, taker])
            left_BC[:, giver] -= moved
            spare_BC[:, taker] -= moved
            given_BC[:, taker] += moved
    if spreads_B is not None and (is_spread_B1 := spreads_B[:, None] & (share_B1 == 0)).any():
        given_BC = torch.where(is_spread_B1, _spread(waiting_BC, beam_B1), given_BC)
    return given_BC


def _spread(waiting_BC: Tensor, beam_B1: Tensor) -> Tensor:
    """Places dealt in rounds, one to each bank with candidates left over.

    Where a round has fewer places than such banks, they are evenly spaced, the lowest and the topmost among them.
    """
    given_BC = torch.zeros_like(waiting_BC)
    left_B1 = torch.minimum(beam_B1, waiting_BC.sum(1, keepdim=True))
    while (left_B1 > 0).any():
        is_open_BC = given_BC < waiting_BC
        num_open_B1 = is_open_BC.sum(1, keepdim=True)
        num_dealt_B1 = torch.minimum(left_B1, num_open_B1)
        ranks_BC = is_open_BC.cumsum(1) - 1
        steps_B1, gaps_B1 = (num_dealt_B1 - 1).clamp(min=0), (num_open_B1 - 1).clamp(min=1)
        is_next_BC = ranks_BC * steps_B1 // gaps_B1 > (ranks_BC - 1) * steps_B1 // gaps_B1
        is_next_BC = torch.where(num_dealt_B1 > 1, is_next_BC, ranks_BC == num_open_B1 - 1)  # one place: the topmost
        dealt_BC = is_open_BC & is_next_BC & (num_dealt_B1 > 0)
        given_BC = given_BC + dealt_BC
        left_B1 = left_B1 - dealt_BC.sum(1, keepdim=True)
    return given_BC


def rank_within(groups_N: Tensor, scores_N: Tensor) -> Tensor:
    """Each item's rank by falling score among the items of its group, 0 the best; equal scores keep their order."""
    order_N = scores_N.argsort(descending=True, stable=True)
    order_N = order_N[groups_N[order_N].argsort(stable=True)]
    sizes_G = torch.bincount(groups_N)
    starts_G = sizes_G.cumsum(0) - sizes_G
    ranks_N = torch.empty_like(order_N)
    ranks_N[order_N] = torch.arange(len(order_N), device=order_N.device) - starts_G[groups_N[order_N]]
    return ranks_N
