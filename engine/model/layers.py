"""The layers of the Transformer: attention, feed-forward, encoder and decoder layers, and shapes that they share.

Projections that read the same input are one matrix, so that a decoding step makes few calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.model.config import Activation, ModelConfig

ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


class FeedForward(nn.Module):
    def __init__(self, config: ModelConfig, size: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.model_size)
        self.inner = nn.Linear(config.model_size, size)
        self.outer = nn.Linear(size, config.model_size)
        self.activation = ACTIVATIONS[config.activation]

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(self.activation(self.inner(x)))  # type: ignore[no-any-return]


class SelfAttention(nn.Module):
    """Attention of a sequence to itself; `qkv` makes queries, keys and values in one product."""

    def __init__(self, config: ModelConfig, is_first: bool) -> None:
        super().__init__()
        self.num_heads = config.num_heads
        # with post-norm a stack's first sublayer reads the embeddings as they are
        self.norm = nn.Identity() if is_first and config.norm == "after" else nn.LayerNorm(config.model_size)
        self.qkv = nn.Linear(config.model_size, 3 * config.model_size)
        self.out = nn.Linear(config.model_size, config.model_size)

    def forward(self, x_BTE: Tensor, mask: Tensor | None = None, is_causal: bool = False) -> Tensor:
        q, k, v = (split_heads(part, self.num_heads) for part in self.qkv(x_BTE).chunk(3, dim=-1))
        mixed_BHTD = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=is_causal)
        return self.out(mixed_BHTD.transpose(1, 2).flatten(2))  # type: ignore[no-any-return]


class Recurrence(nn.Module):
    """A simpler simple recurrent unit in place of self-attention; `gates` makes candidate and forget gate at once.

    With (x, f) = gates(input): cell = sigmoid(f) * cell + (1 - sigmoid(f)) * x, from zero; the output is relu(cell)
    (Kim et al. 2019, "From Research to Production and Back", section 3.1). Gates do not depend on earlier cells.
    """

    def __init__(self, config: ModelConfig, is_first: bool) -> None:
        super().__init__()
        # as in SelfAttention
        self.norm = nn.Identity() if is_first and config.norm == "after" else nn.LayerNorm(config.model_size)
        self.gates = nn.Linear(config.model_size, 2 * config.model_size)

    def forward(self, x_BTE: Tensor) -> Tensor:
        candidates_BTE, forget_BTE = self.gates(x_BTE).chunk(2, dim=-1)
        cells_BTE = scan(torch.zeros_like(x_BTE[:, 0]), forget_BTE.sigmoid(), candidates_BTE)
        return F.relu(cells_BTE)


def scan(cell_BE: Tensor, forget_BTE: Tensor, candidates_BTE: Tensor) -> Tensor:
    """The cells (B, T, E) of a recurrence after each step, from `cell_BE` before the first."""
    cells = []
    for forget_BE, candidate_BE in zip(forget_BTE.unbind(1), candidates_BTE.unbind(1), strict=True):
        cell_BE = torch.lerp(candidate_BE, cell_BE, forget_BE)
        cells.append(cell_BE)
    return torch.stack(cells, dim=1)


class CrossAttention(nn.Module):
    """Attention of the target to the encoded source; `kv` runs once per sentence."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.num_heads = config.num_heads
        self.norm = nn.LayerNorm(config.model_size)
        self.q = nn.Linear(config.model_size, config.model_size)
        self.kv = nn.Linear(config.model_size, 2 * config.model_size)
        self.out = nn.Linear(config.model_size, config.model_size)

    def forward(self, x_BTE: Tensor, memory_BSE: Tensor, mask: Tensor | None) -> Tensor:
        q = split_heads(self.q(x_BTE), self.num_heads)
        k, v = (split_heads(part, self.num_heads) for part in self.kv(memory_BSE).chunk(2, dim=-1))
        mixed_BHTD = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(mixed_BHTD.transpose(1, 2).flatten(2))  # type: ignore[no-any-return]


Sublayer = SelfAttention | Recurrence | CrossAttention | FeedForward


class Layer(nn.Module):
    """Base of encoder and decoder layers: a sublayer reads a normalised input, and its output is added to a stream."""

    def __init__(self, config: ModelConfig, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.adds_to_normal = config.norm == "after"

    def split(self, x: Tensor, sublayer: Sublayer) -> tuple[Tensor, Tensor]:
        """The input of a sublayer, and the stream to which its output is added: the same tensor with post-norm."""
        normal = sublayer.norm(x)
        return normal, normal if self.adds_to_normal else x


class EncoderLayer(Layer):
    def __init__(self, config: ModelConfig, dropout: float, is_first: bool) -> None:
        super().__init__(config, dropout)
        self.attention = SelfAttention(config, is_first)
        self.feed_forward = FeedForward(config, config.feed_forward_size)

    def forward(self, x_BSE: Tensor, mask: Tensor | None) -> Tensor:
        normal_BSE, x_BSE = self.split(x_BSE, self.attention)
        x_BSE = x_BSE + self.dropout(self.attention(normal_BSE, mask))
        normal_BSE, x_BSE = self.split(x_BSE, self.feed_forward)
        return x_BSE + self.dropout(self.feed_forward(normal_BSE))  # type: ignore[no-any-return]


class DecoderLayer(Layer):
    """A decoder layer; it has either self-attention as `attention` or, in an SSRU model, `recurrence`."""

    def __init__(self, config: ModelConfig, dropout: float, is_first: bool) -> None:
        super().__init__(config, dropout)
        if config.decoder == "ssru":
            self.recurrence = Recurrence(config, is_first)
        else:
            self.attention = SelfAttention(config, is_first)
        self.is_recurrent = config.decoder == "ssru"
        self.cross = CrossAttention(config)
        self.feed_forward = FeedForward(config, config.decoder_feed_forward_size or config.feed_forward_size)

    def forward(self, x_BTE: Tensor, memory_BSE: Tensor, mask: Tensor | None) -> Tensor:
        x_BTE = self.read_past(x_BTE)
        normal_BTE, x_BTE = self.split(x_BTE, self.cross)
        x_BTE = x_BTE + self.dropout(self.cross(normal_BTE, memory_BSE, mask))
        normal_BTE, x_BTE = self.split(x_BTE, self.feed_forward)
        return x_BTE + self.dropout(self.feed_forward(normal_BTE))  # type: ignore[no-any-return]

    def read_past(self, x_BTE: Tensor, mask: Tensor | None = None) -> Tensor:
        """The first sublayer: each piece reads those up to it or, in attention, those in `mask` (T, T)."""
        if self.is_recurrent:
            assert mask is None, "a recurrence reads pieces in their order"
            normal_BTE, x_BTE = self.split(x_BTE, self.recurrence)
            return x_BTE + self.dropout(self.recurrence(normal_BTE))  # type: ignore[no-any-return]
        normal_BTE, x_BTE = self.split(x_BTE, self.attention)
        mixed_BTE = self.attention(normal_BTE, mask, is_causal=mask is None)
        return x_BTE + self.dropout(mixed_BTE)  # type: ignore[no-any-return]


def split_heads(x_BTE: Tensor, num_heads: int) -> Tensor:
    """(B, T, E) seen as (B, H, T, D)."""
    return x_BTE.view(*x_BTE.shape[:-1], num_heads, -1).transpose(1, 2)


@dataclass(frozen=True, slots=True)
class RowLayout:
    """The slot of each row in a (B, K) table, K being the most rows of any sentence; None: the rows fill the table."""

    num_sentences: int
    width: int
    slots_R: Tensor | None

    def pad(self, x_RE: Tensor) -> Tensor:
        """(R, E) to (B, K, E), with zeros in empty slots."""
        if self.slots_R is None:
            return x_RE.view(self.num_sentences, self.width, -1)
        padded = x_RE.new_zeros(self.num_sentences * self.width, x_RE.shape[1])
        padded[self.slots_R] = x_RE
        return padded.view(self.num_sentences, self.width, -1)

    def unpad(self, x_BKE: Tensor) -> Tensor:
        """(B, K, E) back to (R, E)."""
        flat = x_BKE.flatten(0, 1)
        return flat if self.slots_R is None else flat[self.slots_R]
