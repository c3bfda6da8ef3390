"""The kernels of the fused output layer; `output_layer.top_tokens_plain` is the same in plain PyTorch.

Two launches, no synchronisation. `_scan` cuts each row into tiles, one program each (Hoang et al. 2018, algorithm 6),
and reads every logit once: a tile's maximum and sum of exp, and the masked maximum of each group of neighbours.
`_finish`, one program a row, merges the tiles into the normaliser, takes the groups with the greatest maxima, reads
these few again, sorts them, and looks up the forced tokens. Sorting keys are 64-bit integers, the logit above the
complement of the token, so that they are distinct and equal logits come in the order of their tokens.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from engine.kernels.output_layer import GROUP, TopTokens

TILE_GROUPS = 64  # groups of a tile: 2,048 logits


@triton.jit
def _scan(
    logits,
    bias,
    masks,
    mask_of,
    tile_maxima,
    tile_sums,
    group_maxima,
    vocabulary_size,
    logits_stride_r,
    logits_stride_v,
    masks_stride_m,
    masks_stride_v,
    num_tiles,
    has_bias: tl.constexpr,
    has_masks: tl.constexpr,
    tile_groups: tl.constexpr,
    group: tl.constexpr,
):
    row, tile = tl.program_id(0).to(tl.int64), tl.program_id(1)
    groups = tile * tile_groups + tl.arange(0, tile_groups)
    tokens = groups[:, None] * group + tl.arange(0, group)[None, :]
    is_token = tokens < vocabulary_size
    values = _load(logits + row * logits_stride_r, tokens, is_token, logits_stride_v, bias, has_bias)
    maximum = tl.max(tl.max(values, 1), 0)
    base = tl.where(maximum == -float("inf"), 0.0, maximum)  # a tile without probability sums to 0, not to NaN
    total = tl.sum(tl.sum(tl.exp(values - base), 1), 0)
    tl.store(tile_maxima + row * num_tiles + tile, maximum)
    tl.store(tile_sums + row * num_tiles + tile, total)
    if has_masks:
        mask_row = masks + tl.load(mask_of + row) * masks_stride_m
        values += tl.load(mask_row + tokens * masks_stride_v, mask=is_token, other=0.0).to(tl.float32)
    tl.store(group_maxima + row * num_tiles * tile_groups + groups, tl.max(values, 1))


@triton.jit
def _finish(
    logits,
    bias,
    masks,
    mask_of,
    tile_maxima,
    tile_sums,
    group_maxima,
    chosen_groups,
    chosen_keys,
    forced,
    log_probs_out,
    tokens_out,
    forced_out,
    normalisers_out,
    vocabulary_size,
    logits_stride_r,
    logits_stride_v,
    masks_stride_m,
    masks_stride_v,
    num_tiles,
    num_groups,
    num_chosen,
    k,
    num_forced,
    has_bias: tl.constexpr,
    has_masks: tl.constexpr,
    padded_tiles: tl.constexpr,
    padded_groups: tl.constexpr,
    place_bits: tl.constexpr,
    padded_k: tl.constexpr,
    padded_forced: tl.constexpr,
    group: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    logits_row = logits + row * logits_stride_r
    mask_row = masks
    if has_masks:
        mask_row += tl.load(mask_of + row) * masks_stride_m

    # 1. The normaliser: NaN where a sum is, or where no token has any probability.
    tiles = tl.arange(0, padded_tiles)
    is_tile = tiles < num_tiles
    maxima = tl.load(tile_maxima + row * num_tiles + tiles, mask=is_tile, other=-float("inf"))
    sums = tl.load(tile_sums + row * num_tiles + tiles, mask=is_tile, other=0.0)
    maximum = tl.max(maxima, 0)
    log_sum = tl.log(tl.sum(sums * tl.exp(maxima - maximum), 0))
    is_failed = log_sum != log_sum
    tl.store(normalisers_out + row, maximum + log_sum)

    # 2. The groups that hold the best tokens.
    groups = tl.arange(0, padded_groups)
    is_group = groups < num_groups
    maxima = tl.load(group_maxima + row * num_groups + groups, mask=is_group, other=-float("inf"))
    is_chosen = _greatest(_keys(maxima, groups, is_group, place_bits), num_chosen, place_bits)
    places = tl.cumsum(is_chosen.to(tl.int32), 0) - 1
    tl.store(chosen_groups + row * k + places, groups, mask=is_chosen)
    tl.debug_barrier()  # what one thread has written, others read

    # 3. The best tokens of these groups.
    ranks = tl.arange(0, padded_k)
    groups = tl.load(chosen_groups + row * k + ranks, mask=ranks < num_chosen, other=num_groups)
    tokens = tl.reshape(groups[:, None] * group + tl.arange(0, group)[None, :], [padded_k * group])
    is_token = tokens < vocabulary_size
    values = _load(logits_row, tokens, is_token, logits_stride_v, bias, has_bias)
    if has_masks:
        values += tl.load(mask_row + tokens * masks_stride_v, mask=is_token, other=0.0).to(tl.float32)
    keys = _keys(values, tokens, is_token, place_bits)
    is_chosen = _greatest(keys, k, place_bits)
    places = tl.cumsum(is_chosen.to(tl.int32), 0) - 1
    tl.store(chosen_keys + row * k + places, keys, mask=is_chosen)
    tl.debug_barrier()

    # 4. Each at its rank: the number of those before it.
    keys = tl.load(chosen_keys + row * k + ranks, mask=ranks < k, other=0)
    num_before = tl.zeros([padded_k], tl.int32)
    for other in range(k):
        num_before += (tl.load(chosen_keys + row * k + other) > keys).to(tl.int32)
    tokens = ((1 << place_bits) - 1) - (keys & ((1 << place_bits) - 1))
    values = _values(keys, place_bits) - maximum - log_sum  # one by one: large logits would lose digits
    tl.store(log_probs_out + row * k + num_before, values, mask=ranks < k)
    tl.store(tokens_out + row * k + num_before, tl.where(is_failed, 0, tokens), mask=ranks < k)

    # 5. The forced tokens.
    if padded_forced:
        columns = tl.arange(0, padded_forced)
        tokens = tl.load(forced + row * num_forced + columns, mask=columns < num_forced, other=-1)
        is_token = (tokens >= 0) & (tokens < vocabulary_size)
        values = _load(logits_row, tokens, is_token, logits_stride_v, bias, has_bias)
        if has_masks:
            values += tl.load(mask_row + tokens * masks_stride_v, mask=is_token, other=0.0).to(tl.float32)
        values = tl.where(is_token, values - maximum - log_sum, -float("inf"))
        tl.store(forced_out + row * num_forced + columns, values, mask=columns < num_forced)


@triton.jit
def _load(logits_row, tokens, is_token, stride, bias, has_bias: tl.constexpr):
    """Biased logits in float32, -inf beyond the vocabulary."""
    values = tl.load(logits_row + tokens * stride, mask=is_token, other=-float("inf")).to(tl.float32)
    if has_bias:
        values += tl.load(bias + tokens, mask=is_token, other=0.0).to(tl.float32)
    return values


@triton.jit
def _keys(values, places, is_there, place_bits: tl.constexpr):
    """Distinct 64-bit integers that rise with the value and, where values are equal, fall with the place; else -1."""
    bits = (values + 0.0).to(tl.int32, bitcast=True)  # no -0.0
    ordered = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(tl.int64) + 2147483648
    return tl.where(is_there, (ordered << place_bits) | (((1 << place_bits) - 1) - places).to(tl.int64), -1)


@triton.jit
def _values(keys, place_bits: tl.constexpr):
    ordered = ((keys >> place_bits) - 2147483648).to(tl.int32)
    return tl.where(ordered < 0, ordered ^ 0x7FFFFFFF, ordered).to(tl.float32, bitcast=True)


@triton.jit
def _greatest(keys, k, place_bits: tl.constexpr):
    """A mask of the k greatest keys: finds a bound bit by bit, until exactly k keys reach it."""
    bit = tl.full([], 1, tl.int64) << (31 + place_bits)
    bound = tl.zeros([], tl.int64)
    num_reaching = tl.sum((keys >= bound).to(tl.int32), 0)
    while (num_reaching != k) & (bit > 0):
        raised = bound | bit
        num_raised = tl.sum((keys >= raised).to(tl.int32), 0)
        bound = tl.where(num_raised >= k, raised, bound)
        num_reaching = tl.where(num_raised >= k, num_raised, num_reaching)
        bit = bit >> 1
    return keys >= bound


def top_tokens_fused(
    logits_RV: Tensor,
    k: int,
    bias_V: Tensor | None = None,
    masks_MV: Tensor | None = None,
    mask_of_R: Tensor | None = None,
    forced_RF: Tensor | None = None,
) -> TopTokens:
    """`output_layer.top_tokens` by the kernels; at least one row, and k and V within the limits there."""
    num_rows, vocabulary_size = logits_RV.shape
    num_tiles = triton.cdiv(vocabulary_size, TILE_GROUPS * GROUP)
    num_groups = num_tiles * TILE_GROUPS
    num_forced = 0 if forced_RF is None else forced_RF.shape[1]

    def empty(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.empty(shape, dtype=dtype, device=logits_RV.device)

    tile_maxima_RT, tile_sums_RT = empty(num_rows, num_tiles), empty(num_rows, num_tiles)
    group_maxima_RG = empty(num_rows, num_groups)
    chosen_groups_RK, chosen_keys_RK = empty(num_rows, k, dtype=torch.int32), empty(num_rows, k, dtype=torch.int64)
    log_probs_RK, tokens_RK = empty(num_rows, k), empty(num_rows, k, dtype=torch.int64)
    forced_log_probs_RF, normalisers_R = empty(num_rows, num_forced), empty(num_rows)
    bias_V = None if bias_V is None else bias_V.contiguous()
    mask_of_R = None if mask_of_R is None else mask_of_R.contiguous()
    forced_RF = None if forced_RF is None else forced_RF.contiguous()
    given = (logits_RV, bias_V, masks_MV, mask_of_R, tile_maxima_RT, tile_sums_RT, group_maxima_RG)
    mask_strides = (0, 0) if masks_MV is None else masks_MV.stride()
    layout = (vocabulary_size, *logits_RV.stride(), *mask_strides, num_tiles)
    has = {"has_bias": bias_V is not None, "has_masks": masks_MV is not None}
    with torch.cuda.device_of(logits_RV):  # Triton takes the current device, wherever its arguments lie
        _scan[(num_rows, num_tiles)](*given, *layout, **has, tile_groups=TILE_GROUPS, group=GROUP, num_warps=4)
        _finish[(num_rows,)](
            *given,
            chosen_groups_RK,
            chosen_keys_RK,
            forced_RF,
            log_probs_RK,
            tokens_RK,
            forced_log_probs_RF,
            normalisers_R,
            *layout,
            num_groups,
            min(k, num_groups),
            k,
            num_forced,
            **has,
            padded_tiles=triton.next_power_of_2(num_tiles),
            padded_groups=triton.next_power_of_2(num_groups),
            place_bits=(num_groups * GROUP - 1).bit_length(),
            padded_k=triton.next_power_of_2(k),
            padded_forced=triton.next_power_of_2(num_forced) if num_forced else 0,
            group=GROUP,
            num_warps=4 if k * GROUP <= 2048 else 8,
        )
    return TopTokens(log_probs_RK, tokens_RK, forced_log_probs_RF, normalisers_R)
