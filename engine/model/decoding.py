"""Decoding step by step: the encoded source, the key/value cache, one decoder per batch.

Rows are ragged: a sentence may have any number of rows, none too, and sentences that joined later are at earlier
positions. This file knows nothing of beams, scores of hypotheses or constraints: it turns last tokens into
log-probabilities and follows the search's choice of parents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.errors import InvalidRequest

if TYPE_CHECKING:
    from engine.model.transformer import CrossAttention, DecoderLayer, Transformer

FIRST_CAPACITY = 16  # steps that the cache holds before it first doubles


def split_heads(x_BTE: Tensor, num_heads: int) -> Tensor:
    """(B, T, E) seen as (B, H, T, D)."""
    return x_BTE.view(*x_BTE.shape[:-1], num_heads, -1).transpose(1, 2)


def source_mask(lengths_B: Tensor, max_length: int) -> Tensor | None:
    """True where a source has a piece, (B, 1, 1, S); None when nothing is padded."""
    if int(lengths_B.min()) == max_length:
        return None
    places_S = torch.arange(max_length, device=lengths_B.device)
    return (places_S < lengths_B.unsqueeze(1))[:, None, None, :]


@dataclass(frozen=True, slots=True)
class Encoded:
    """Encoded sources. Immutable in use, so it may be kept per segment and shared by decoders.

    `memory_BSE` is the encoder's output; `cross_LBSE` holds keys and values of the decoder layers (keys of layer l at
    2l, values at 2l + 1). Places beyond `lengths_B` are padding.
    """

    memory_BSE: Tensor
    cross_LBSE: Tensor
    lengths_B: Tensor

    @property
    def num_sentences(self) -> int:
        return self.memory_BSE.shape[0]

    @staticmethod
    def stack(parts: Sequence[Encoded]) -> Encoded:
        """One batch of all sentences of `parts`, in order."""
        if len(parts) == 1:
            return parts[0]
        longest = max(part.memory_BSE.shape[1] for part in parts)

        def padded(x: Tensor) -> Tensor:
            return F.pad(x, (0, 0, 0, longest - x.shape[-2]))

        return Encoded(
            torch.cat([padded(part.memory_BSE) for part in parts]),
            torch.cat([padded(part.cross_LBSE) for part in parts], dim=1),
            torch.cat([part.lengths_B for part in parts]),
        )

    def take(self, sentences: Tensor) -> Encoded:
        """The given sentences alone, cut to the longest of them."""
        lengths_B = self.lengths_B[sentences]
        longest = int(lengths_B.max())
        return Encoded(self.memory_BSE[sentences, :longest], self.cross_LBSE[:, sentences, :longest], lengths_B)


class SelfAttentionCache:
    """Keys and values of all rows and steps so far, (T, 2 * layers, R, E) with room for more steps.

    The newest entries of all rows stand in the last of the steps; a row that joined later begins in a later one. Steps
    come first, so that to write one and to select rows is one copy each, of whole rows of E numbers. Rows are selected
    into a second buffer and the two change places, so that steady decoding allocates nothing.
    """

    def __init__(
        self, num_rows: int, num_slots: int, model_size: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        self._front = torch.empty(0, num_slots, num_rows, model_size, device=device, dtype=dtype)
        self._back = self._front
        self.num_steps = 0  # steps in use
        # (R,), on the CPU: the step in which each row begins; None where all begin in the first
        self._starts_R: Tensor | None = None

    @property
    def num_rows(self) -> int:
        return self._front.shape[2]

    @property
    def positions(self) -> int | Tensor:
        """The newest entries' place in their rows: one for all or, where they differ, (R,)."""
        newest = self.num_steps - 1
        return newest if self._starts_R is None else (newest - self._starts_R).to(self._front.device, non_blocking=True)

    @property
    def mask(self) -> Tensor | None:
        """(R, 1, 1, T), true where a row has entries; None where every row has one in every step."""
        if self._starts_R is None:
            return None
        mask_RT = torch.arange(self.num_steps) >= self._starts_R[:, None]
        return mask_RT[:, None, None, :].to(self._front.device, non_blocking=True)

    def extend(self) -> None:
        """Make room for the next step's entries."""
        capacity = self._front.shape[0]
        if capacity == self.num_steps:
            grown = self._allocate(max(FIRST_CAPACITY, 2 * capacity), self.num_rows)
            grown[: self.num_steps] = self._front
            self._front = grown
        self.num_steps += 1

    def write(self, slot: int, entries_RZ: Tensor) -> Tensor:
        """Store the newest step's entries of a slot and those behind it; return theirs so far, (T, Z/E, R, E)."""
        model_size = self._front.shape[3]
        entries = entries_RZ.unflatten(1, (-1, model_size)).transpose(0, 1)
        slots = slice(slot, slot + entries.shape[0])
        self._front[self.num_steps - 1, slots] = entries
        return self._front[: self.num_steps, slots]

    def select(self, parents_R2: Tensor) -> None:
        """Row i becomes a copy of row `parents_R2[i]`; steps that no row uses any more are dropped."""
        num_parents = parents_R2.shape[0]
        unused = 0
        if self._starts_R is not None:
            self._starts_R = self._starts_R[parents_R2.cpu()]
            unused = int(self._starts_R.min())
            self._starts_R = self._starts_R - unused if bool((self._starts_R > unused).any()) else None
        if (
            self._back.shape[0] != self._front.shape[0]
            or self._back.shape[2] != num_parents
            or self._back is self._front
        ):
            self._back = self._allocate(self._front.shape[0], num_parents)
        used, self.num_steps = self._front[unused : self.num_steps], self.num_steps - unused
        torch.index_select(used, 2, parents_R2.to(used.device, non_blocking=True), out=self._back[: self.num_steps])
        self._front, self._back = self._back, self._front

    def join(self, other: SelfAttentionCache) -> None:
        """Put the rows of `other` behind these, the newest entries of both in the last step."""
        num_steps = max(self.num_steps, other.num_steps)
        joined = self._allocate(max(FIRST_CAPACITY, num_steps), self.num_rows + other.num_rows)
        starts = []
        for cache, first in ((self, 0), (other, self.num_rows)):
            shift = num_steps - cache.num_steps
            rows = slice(first, first + cache.num_rows)
            joined[:shift, :, rows] = 0  # masked, but not-a-number times nothing would not be nothing
            joined[shift:num_steps, :, rows] = cache._front[: cache.num_steps]
            own = torch.zeros(cache.num_rows, dtype=torch.long) if cache._starts_R is None else cache._starts_R
            starts.append(own + shift)
        starts_R = torch.cat(starts)
        self._starts_R = starts_R if bool((starts_R > 0).any()) else None
        self._front = self._back = joined
        self.num_steps = num_steps

    def _allocate(self, num_steps: int, num_rows: int) -> Tensor:
        _, num_slots, _, model_size = self._front.shape
        return self._front.new_empty(num_steps, num_slots, num_rows, model_size)


@dataclass(frozen=True, slots=True)
class FoldedSource:
    """One layer's attention to one source, its weights multiplied into the source's keys and values.

    A query meets a key as (W_q x + b_q) . k = x . (W_q' k) + b_q . k, and an output is W_o v + b_o: with these products
    made once, a step neither projects queries nor outputs. Z runs over heads and source places.
    """

    keys_EZ: Tensor
    key_bias_Z: Tensor
    values_ZE: Tensor
    bias_E: Tensor
    num_heads: int

    @classmethod
    def of(cls, cross: CrossAttention, keys_SE: Tensor, values_SE: Tensor) -> FoldedSource:
        num_heads, model_size = cross.num_heads, keys_SE.shape[1]
        k_HSD, v_HSD = (x.unflatten(1, (num_heads, -1)).transpose(0, 1) for x in (keys_SE, values_SE))
        scaled_HSD = k_HSD * k_HSD.shape[2] ** -0.5
        query_HDE = cross.q.weight.unflatten(0, (num_heads, -1))
        out_HDE = cross.out.weight.T.unflatten(0, (num_heads, -1))
        bias_HD1 = cross.q.bias.view(num_heads, -1, 1)
        return cls(
            (scaled_HSD @ query_HDE).reshape(-1, model_size).T.contiguous(),
            (scaled_HSD @ bias_HD1).flatten(),
            (v_HSD @ out_HDE).reshape(-1, model_size),
            cross.out.bias,
            num_heads,
        )

    def attend(self, x_RE: Tensor) -> Tensor:
        """What `CrossAttention` gives for these rows, (R, E)."""
        scores_RHS = torch.addmm(self.key_bias_Z, x_RE, self.keys_EZ).unflatten(1, (self.num_heads, -1))
        return torch.addmm(self.bias_E, scores_RHS.softmax(2).flatten(1), self.values_ZE)


class Decoder:
    """Decodes one batch of encoded sentences.

    Call `step` with one `<s>` per sentence first; then, in turn, `select` with the parents of the chosen
    continuations and `step` with their last tokens. Between a `select` and the next `step`, or before the first, other
    decoders may `join`. Sentences without rows cost nothing once `crowding` of all are left.
    """

    def __init__(self, model: Transformer, encoded: Encoded, crowding: float = 0.5) -> None:
        self._model = model
        self._crowding = crowding
        self._set_sources(encoded)
        self._layers: list[DecoderLayer] = list(model.decoder_layers)  # type: ignore[arg-type]
        config = model.config
        memory_BSE = encoded.memory_BSE
        self._cache = SelfAttentionCache(
            encoded.num_sentences, 2 * len(self._layers), config.model_size, memory_BSE.device, memory_BSE.dtype
        )
        # place of each row's sentence in _encoded, ascending; on the CPU, so that nothing waits for an accelerator
        self._places_R = torch.arange(encoded.num_sentences)
        self.vocabulary_size = config.vocabulary_size
        self.max_steps = config.max_pieces

    @property
    def is_full(self) -> bool:
        """Whether a row is as long as the model writes."""
        return self._cache.num_steps >= self.max_steps

    @torch.inference_mode()
    def step(self, tokens_R: Tensor) -> Tensor:
        """Log-probabilities (R, V), float32, of what follows the rows' last tokens; their caches grow by one step.

        The tokens may be on any device. Raises InvalidRequest for a row that is as long as the model writes.
        """
        return torch.log_softmax(self._model.project(self.hidden(tokens_R)).float(), dim=-1)

    @torch.inference_mode()
    def hidden(self, tokens_R: Tensor) -> Tensor:
        """What `step` projects onto the vocabulary, (R, E)."""
        model, cache = self._model, self._cache
        if self.is_full:
            raise InvalidRequest(f"the model writes at most {self.max_steps} pieces; ask for a shorter translation")
        cache.extend()
        rows, past_mask, folded = self._arrange(), cache.mask, self._fold()
        x_RE = model.embed(tokens_R.to(model.device, non_blocking=True), cache.positions)
        for index, layer in enumerate(self._layers):
            normal_RE, x_RE = layer.split(x_RE, layer.attention)
            x_RE = x_RE + self._attend_to_past(layer, index, normal_RE, past_mask)
            normal_RE, x_RE = layer.split(x_RE, layer.cross)
            if folded:
                x_RE = x_RE + folded[index].attend(normal_RE)
            else:
                x_RE = x_RE + self._attend_to_source(layer, index, normal_RE, rows)
            normal_RE, x_RE = layer.split(x_RE, layer.feed_forward)
            x_RE = x_RE + layer.feed_forward(normal_RE)
        return model.decoder_norm(x_RE)  # type: ignore[no-any-return]

    @torch.inference_mode()
    def select(self, parents_R2: Tensor) -> None:
        """Let new row i go on from old row `parents_R2[i]`; rows may repeat, be left out, grow or shrink in number.

        The rows of a sentence stay side by side, and sentences in their order.
        """
        self._cache.select(parents_R2)
        if self._encoded.num_sentences == 1:
            self._places_R = self._places_R.new_zeros(len(parents_R2))
            return
        self._places_R = self._places_R[parents_R2.cpu()]
        live, places_R = torch.unique_consecutive(self._places_R, return_inverse=True)
        if len(live) < self._encoded.num_sentences and len(live) <= self._crowding * self._encoded.num_sentences:
            self._set_sources(self._encoded.take(live))
            self._places_R = places_R

    @torch.inference_mode()
    def join(self, other: Decoder) -> None:
        """Go on with the rows of `other`, of the same model, behind these; `other` is used up.

        Each row keeps its own position: the two may have made different numbers of steps, none too.
        """
        self._cache.join(other._cache)
        self._places_R = torch.cat([self._places_R, other._places_R + self._encoded.num_sentences])
        self._set_sources(Encoded.stack([self._encoded, other._encoded]))

    def _set_sources(self, encoded: Encoded) -> None:
        self._encoded = encoded
        mask_B11S = source_mask(encoded.lengths_B, encoded.memory_BSE.shape[1])
        self._mask_B11S = None if mask_B11S is None else mask_B11S.to(encoded.memory_BSE.device, non_blocking=True)
        self._folded: list[FoldedSource] | None = None

    def _fold(self) -> list[FoldedSource] | None:
        """Each layer's attention to the source folded, made when first asked; None for several or long sources."""
        _, length, model_size = self._encoded.memory_BSE.shape
        is_alone = self._encoded.num_sentences == 1 and self._mask_B11S is None
        if self._folded is None and is_alone and length * self._model.config.num_heads <= model_size:
            keys_and_values_LSE = self._encoded.cross_LBSE[:, 0]
            self._folded = [
                FoldedSource.of(layer.cross, keys_and_values_LSE[2 * index], keys_and_values_LSE[2 * index + 1])
                for index, layer in enumerate(self._layers)
            ]
        return self._folded

    def _attend_to_past(self, layer: DecoderLayer, index: int, x_RE: Tensor, mask: Tensor | None) -> Tensor:
        attention = layer.attention
        num_rows, model_size = x_RE.shape
        q_RE, entries_RZ = attention.qkv(x_RE).split((model_size, 2 * model_size), dim=1)
        past_T2RE = self._cache.write(2 * index, entries_RZ)
        q = q_RE.view(num_rows, attention.num_heads, 1, -1)
        k, v = past_T2RE.unflatten(3, (attention.num_heads, -1)).permute(1, 2, 3, 0, 4)  # (R, H, T, D) each
        mixed_RHTD = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return attention.out(mixed_RHTD.transpose(1, 2).flatten(1))  # type: ignore[no-any-return]

    def _attend_to_source(self, layer: DecoderLayer, index: int, x_RE: Tensor, rows: _Arrangement) -> Tensor:
        """Attention with the rows of each sentence side by side as its queries, so that no key is ever copied."""
        attention = layer.cross
        q_RE = attention.q(x_RE)
        q = split_heads(rows.spread(q_RE), attention.num_heads)
        k, v = (split_heads(self._encoded.cross_LBSE[2 * index + i], attention.num_heads) for i in (0, 1))
        mixed_BHKD = F.scaled_dot_product_attention(q, k, v, attn_mask=self._mask_B11S)
        return attention.out(rows.gather(mixed_BHKD.transpose(1, 2).flatten(2)))  # type: ignore[no-any-return]

    def _arrange(self) -> _Arrangement:
        places_R, num_sentences = self._places_R, self._encoded.num_sentences
        num_rows = places_R.shape[0]
        if num_sentences == 1:
            return _Arrangement(1, num_rows, None)
        counts_B = torch.bincount(places_R, minlength=num_sentences)
        width = int(counts_B.max())
        if width * num_sentences == num_rows:
            return _Arrangement(num_sentences, width, None)
        firsts_B = counts_B.cumsum(0) - counts_B
        ranks_R = torch.arange(num_rows) - firsts_B[places_R]
        slots_R = (places_R * width + ranks_R).to(self._model.device, non_blocking=True)
        return _Arrangement(num_sentences, width, slots_R)


@dataclass(frozen=True, slots=True)
class _Arrangement:
    """Where each row stands in a (B, K) table with K the most rows of any sentence; slots None: it fills the table."""

    num_sentences: int
    width: int
    slots_R: Tensor | None

    def spread(self, x_RE: Tensor) -> Tensor:
        """(R, E) to (B, K, E), empty places zero."""
        if self.slots_R is None:
            return x_RE.view(self.num_sentences, self.width, -1)
        table = x_RE.new_zeros(self.num_sentences * self.width, x_RE.shape[1])
        table[self.slots_R] = x_RE
        return table.view(self.num_sentences, self.width, -1)

    def gather(self, x_BKE: Tensor) -> Tensor:
        """(B, K, E) back to (R, E)."""
        flat = x_BKE.flatten(0, 1)
        return flat if self.slots_R is None else flat[self.slots_R]
