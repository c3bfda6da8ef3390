"""The key/value cache of the decoder's self-attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.model.layers import RowLayout, split_heads

FIRST_CAPACITY = 16  # steps that the cache holds before it first doubles


class _Buffer(NamedTuple):
    """Entries (T, layers, R, 2E), keys before values, and the keys and values of each layer as (R, H, T, D) views."""

    entries: Tensor
    past: list[tuple[Tensor, Tensor]]


class SelfAttentionCache:
    """Keys and values of all rows and steps so far, with room for more steps.

    The newest entries of all rows are in the last step; a row that joined later begins at a later step. Steps are the
    first dimension, so that writing a step and selecting rows are one copy each, of whole rows of 2E numbers. Rows are
    selected into a second buffer and the two are swapped, so that steady decoding allocates no memory and makes views
    only of the steps in use.
    """

    def __init__(
        self, num_rows: int, num_layers: int, num_heads: int, model_size: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        self._num_heads = num_heads
        empty = torch.empty(0, num_layers, num_rows, 2 * model_size, device=device, dtype=dtype)
        self._front = self._back = self._buffer(empty)
        self._newest: tuple[Tensor, ...] = ()  # of each layer, (R, 2E)
        self._mask: Tensor | None = None  # of the newest step
        self.num_steps = 0  # steps in use
        # (R,), on the CPU: the step in which each row begins; None where all begin in the first
        self._starts_R: Tensor | None = None

    @property
    def num_rows(self) -> int:
        return self._front.entries.shape[2]

    @property
    def entries(self) -> Tensor:
        """Keys and values of all steps so far, (T, layers, R, 2E)."""
        return self._front.entries[: self.num_steps]

    @property
    def starts(self) -> Tensor:
        """(R,), on the CPU: the step in which each row begins."""
        return torch.zeros(self.num_rows, dtype=torch.long) if self._starts_R is None else self._starts_R

    @property
    def positions(self) -> int | Tensor:
        """The positions of the newest entries in their rows: one for all or, where they differ, (R,)."""
        newest = self.num_steps - 1
        return newest if self._starts_R is None else self._on_device(newest - self._starts_R)

    @property
    def mask(self) -> Tensor | None:
        """(R, 1, 1, T), true where a row has entries; None where every row has one in every step."""
        if self._starts_R is None:
            return None
        mask_RT = torch.arange(self.num_steps) >= self._starts_R[:, None]
        return self._on_device(mask_RT[:, None, None, :])

    def repeat(self, rows: Sequence[int]) -> None:
        """Make row i a copy of row `rows[i]`, of as many steps, in place."""
        self.entries[:] = self.entries[:, :, list(rows)]

    def begin(self, pasts: Sequence[Tensor], lengths: Sequence[int]) -> None:
        """Start row i with `lengths[i]` steps, the first of them with the entries `pasts[i]`, (T, layers, 2E).

        `PrefillAttention` fills the others. Earlier contents are dropped.
        """
        self.num_steps = max(lengths)
        begun = self._allocate(max(FIRST_CAPACITY, self.num_steps), len(lengths))
        begun.entries[: self.num_steps] = 0  # masked, but NaN times zero would not be zero
        for row, (past_TLZ, length) in enumerate(zip(pasts, lengths, strict=True)):
            start = self.num_steps - length
            if len(past_TLZ):
                begun.entries[start : start + len(past_TLZ), :, row] = past_TLZ
        starts_R = self.num_steps - torch.tensor(lengths)
        self._starts_R = starts_R if bool((starts_R > 0).any()) else None
        self._front = self._back = begun

    def extend(self) -> None:
        """Make room for the next step's entries."""
        capacity = self._front.entries.shape[0]
        if capacity == self.num_steps:
            grown = self._allocate(max(FIRST_CAPACITY, 2 * capacity), self.num_rows)
            grown.entries[: self.num_steps] = self._front.entries
            self._front = grown
        self._newest = self._front.entries[self.num_steps].unbind()
        self.num_steps += 1
        self._mask = self.mask

    def attend(self, layer: int, q_RE: Tensor, entries_RZ: Tensor) -> Tensor:
        """Store the newest step's keys and values (R, 2E) of a layer; returns the attention over all steps, (R, E)."""
        self._newest[layer].copy_(entries_RZ)
        k_RHTD, v_RHTD = self.past(layer)
        q_RH1D = q_RE.view(q_RE.shape[0], self._num_heads, 1, -1)
        return F.scaled_dot_product_attention(q_RH1D, k_RHTD, v_RHTD, attn_mask=self._mask).flatten(1)

    def past(self, layer: int) -> tuple[Tensor, Tensor]:
        """Keys and values of a layer in all steps so far, (R, H, T, D) each."""
        k_RHTD, v_RHTD = self._front.past[layer]
        return k_RHTD.narrow(2, 0, self.num_steps), v_RHTD.narrow(2, 0, self.num_steps)

    def select(self, parents_R2: Tensor) -> None:
        """Make row i a copy of row `parents_R2[i]`; drops steps that no row uses any more."""
        num_parents = parents_R2.shape[0]
        unused = 0
        if self._starts_R is not None:
            self._starts_R = self._starts_R[parents_R2.cpu()]
            unused = int(self._starts_R.min())
            self._starts_R = self._starts_R - unused if bool((self._starts_R > unused).any()) else None
        front, back = self._front.entries, self._back.entries
        if back is front or back.shape[0] != front.shape[0] or back.shape[2] != num_parents:
            self._back = self._allocate(front.shape[0], num_parents)
        used, self.num_steps = front[unused : self.num_steps], self.num_steps - unused
        torch.index_select(used, 2, self._on_device(parents_R2), out=self._back.entries[: self.num_steps])
        self._front, self._back = self._back, self._front

    def join(self, other: SelfAttentionCache) -> None:
        """Put the rows of `other` behind these, the newest entries of both in the last step."""
        num_steps = max(self.num_steps, other.num_steps)
        joined = self._allocate(max(FIRST_CAPACITY, num_steps), self.num_rows + other.num_rows)
        starts = []
        for cache, first in ((self, 0), (other, self.num_rows)):
            shift = num_steps - cache.num_steps
            rows = slice(first, first + cache.num_rows)
            joined.entries[:shift, :, rows] = 0  # masked, but NaN times zero would not be zero
            joined.entries[shift:num_steps, :, rows] = cache._front.entries[: cache.num_steps]
            starts.append(cache.starts + shift)
        starts_R = torch.cat(starts)
        self._starts_R = starts_R if bool((starts_R > 0).any()) else None
        self._front = self._back = joined
        self.num_steps = num_steps

    def _on_device(self, x: Tensor) -> Tensor:
        return x.to(self._front.entries.device, non_blocking=True)

    def _allocate(self, num_steps: int, num_rows: int) -> _Buffer:
        _, num_layers, _, size = self._front.entries.shape
        return self._buffer(self._front.entries.new_empty(num_steps, num_layers, num_rows, size))

    def _buffer(self, entries: Tensor) -> _Buffer:
        views = entries.unflatten(3, (2, self._num_heads, -1)).permute(1, 3, 2, 4, 0, 5)  # (layers, 2, R, H, T, D)
        return _Buffer(entries, [(keys, values) for keys, values in views])


class PrefillAttention:
    """Self-attention of several new pieces per sentence: M pieces, those of a sentence adjacent and in order.

    It replaces the cache in `LayerStep.read_past`: it writes the entries of the pieces into the cache, which has
    one row per sentence and already contains the entries before them.
    """

    def __init__(self, cache: SelfAttentionCache, sentences_M: Tensor, positions_M: Tensor, layout: RowLayout) -> None:
        """Piece m is that of sentence `sentences_M[m]` at `positions_M[m]`; both on the CPU.

        `layout` arranges the pieces as (B, pieces of a sentence).
        """
        device = cache.entries.device
        starts_B = cache.starts
        steps_M = positions_M + starts_B[sentences_M]
        last = cache.num_steps - 1
        asked_BT = torch.full((layout.num_sentences * layout.width,), last)
        slots_M = torch.arange(len(steps_M)) if layout.slots_R is None else layout.slots_R.cpu()
        asked_BT[slots_M] = steps_M
        asked_BT = asked_BT.view(layout.num_sentences, layout.width)
        steps_T = torch.arange(cache.num_steps)
        mask_BTT = (steps_T >= starts_B[:, None, None]) & (steps_T <= asked_BT[:, :, None])
        self._mask = mask_BTT.unsqueeze(1).to(device, non_blocking=True)
        self._cache, self._layout = cache, layout
        self._sentences_M = sentences_M.to(device, non_blocking=True)
        self._steps_M = steps_M.to(device, non_blocking=True)

    def attend(self, layer: int, q_ME: Tensor, entries_MZ: Tensor) -> Tensor:
        """Store the pieces' keys and values (M, 2E) of a layer; returns each piece's attention to those up to it."""
        self._cache.entries[self._steps_M, layer, self._sentences_M] = entries_MZ
        k_BHTD, v_BHTD = self._cache.past(layer)
        q_BHTD = split_heads(self._layout.pad(q_ME), k_BHTD.shape[1])
        mixed_BHTD = F.scaled_dot_product_attention(q_BHTD, k_BHTD, v_BHTD, attn_mask=self._mask)
        return self._layout.unpad(mixed_BHTD.transpose(1, 2).flatten(2))

    def entries_of(self, sentence: int) -> Tensor:
        """A copy of the entries of all pieces of a sentence, (T, layers, 2E)."""
        return self._cache.entries[int(self._cache.starts[sentence]) :, :, sentence].clone()
