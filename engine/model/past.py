"""What a decoder has read of a translation whose beginning is given, and how it reads on.

All pieces of a beginning go through the decoder in one pass: the keys and values of each are known before the next
layer, so each piece attends to those before it. What the newest beginning of a source came to is kept, so that one that
goes on from it, or from a part of it, costs its new pieces alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.model.layer_step import Arrangement, split_heads

if TYPE_CHECKING:
    from engine.model.cache import SelfAttentionCache


@dataclass(frozen=True, slots=True)
class Past:
    """A beginning that was read: its pieces, their log-probabilities, and what the decoder remembers of it.

    `entries_TLZ` (T, layers, 2E) are keys and values of all that the decoder reads before the last piece: what it
    starts from, and the pieces but the last, which is for the step that comes next. Without pieces it is all that it
    starts from, but the last.
    """

    pieces: tuple[int, ...]
    log_probs: tuple[float, ...]
    entries_TLZ: Tensor

    def shared_with(self, pieces: Sequence[int]) -> Past:
        """As much of it as `pieces` begin with."""
        num_shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self.pieces, pieces, strict=False)))
        num_entries = len(self.entries_TLZ) - len(self.pieces) + num_shared
        return Past(self.pieces[:num_shared], self.log_probs[:num_shared], self.entries_TLZ[:num_entries])


class NewestPast:
    """The beginning of one source's translation that was read anew last: what is known already is not read."""

    def __init__(self) -> None:
        self._past = Past((), (), torch.empty(0, 0, 0))

    def shared_with(self, pieces: Sequence[int]) -> Past:
        """What is known of these pieces; without any entries where nothing has been read yet."""
        return self._past.shared_with(pieces)

    def keep(self, past: Past) -> None:
        """Remember this instead."""
        self._past = past


@dataclass(eq=False, slots=True)
class Beginning:
    """A beginning that is to be read, of one sentence or of several of one source; `past` is what has been read."""

    newest: NewestPast
    starts: tuple[int, ...]  # what the decoder reads before the pieces
    pieces: tuple[int, ...]
    past: Past

    @classmethod
    def all_of(
        cls, newest_B: Sequence[NewestPast], starts_B: Sequence[Sequence[int]], pieces_B: Sequence[Sequence[int]]
    ) -> list[Beginning]:
        """One for each sentence; those of one source that are equal are one object."""
        beginnings: dict[tuple[NewestPast, tuple[int, ...]], Beginning] = {}
        for newest, starts, pieces in zip(newest_B, starts_B, map(tuple, pieces_B), strict=True):
            if (newest, pieces) not in beginnings:
                beginnings[newest, pieces] = cls(newest, tuple(starts), pieces, newest.shared_with(pieces))
        return [beginnings[newest, tuple(pieces)] for newest, pieces in zip(newest_B, pieces_B, strict=True)]

    @property
    def inputs(self) -> tuple[int, ...]:
        """All that the decoder reads before the step that comes next."""
        return (*self.starts, *self.pieces)[:-1]

    @property
    def unread(self) -> range:
        """The places of the inputs that are still to be read."""
        return range(len(self.past.entries_TLZ), len(self.inputs))

    @property
    def first_before_a_piece(self) -> int:
        """The place of the first input that a piece follows."""
        return len(self.starts) - 1

    @property
    def new_pieces(self) -> tuple[int, ...]:
        """Those that follow what is unread."""
        return self.pieces[len(self.past.pieces) :]

    def take(self, log_probs: Sequence[float], entries_TLZ: Tensor) -> None:
        """Now all is read: log-probabilities of the new pieces, and the entries of all inputs."""
        self.past = Past(self.pieces, (*self.past.log_probs, *log_probs), entries_TLZ)
        self.newest.keep(self.past)


class Reading:
    """Several new pieces of each sentence, read at once: M pieces, those of a sentence side by side and in order.

    It stands in for the cache in `LayerStep.attend_to_past`: the cache, of one row for each sentence, is given their
    entries, and has those of the pieces before them.
    """

    def __init__(
        self, cache: SelfAttentionCache, sentences_M: Tensor, steps_M: Tensor, arrangement: Arrangement
    ) -> None:
        """Piece m is of sentence `sentences_M[m]` and its entries go to `steps_M[m]` of the cache; both on the CPU.

        `arrangement` puts the pieces in a table, (B, pieces of a sentence).
        """
        device = cache.entries.device
        starts_B = cache.starts
        last = cache.num_steps - 1
        asked_BT = torch.full((arrangement.num_sentences * arrangement.width,), last)
        slots_M = torch.arange(len(steps_M)) if arrangement.slots_R is None else arrangement.slots_R.cpu()
        asked_BT[slots_M] = steps_M
        asked_BT = asked_BT.view(arrangement.num_sentences, arrangement.width)
        steps_T = torch.arange(cache.num_steps)
        mask_BTT = (steps_T >= starts_B[:, None, None]) & (steps_T <= asked_BT[:, :, None])
        self._mask = mask_BTT.unsqueeze(1).to(device, non_blocking=True)
        self._cache, self._arrangement = cache, arrangement
        self._sentences_M = sentences_M.to(device, non_blocking=True)
        self._steps_M = steps_M.to(device, non_blocking=True)

    def attend(self, layer: int, q_ME: Tensor, entries_MZ: Tensor) -> Tensor:
        """Store the pieces' keys and values (M, 2E) of a layer; what their queries (M, E) find up to each."""
        self._cache.entries[self._steps_M, layer, self._sentences_M] = entries_MZ
        k_BHTD, v_BHTD = self._cache.past(layer)
        q_BHTD = split_heads(self._arrangement.spread(q_ME), k_BHTD.shape[1])
        mixed_BHTD = F.scaled_dot_product_attention(q_BHTD, k_BHTD, v_BHTD, attn_mask=self._mask)
        return self._arrangement.gather(mixed_BHTD.transpose(1, 2).flatten(2))
