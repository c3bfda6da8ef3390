"""One decoder layer for a step of few rows, with as few calls around its matrix products as possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.model.cache import PrefillAttention, SelfAttentionCache
from engine.model.layers import CrossAttention, DecoderLayer, RowLayout, split_heads
from engine.model.recurrent_state import PrefillRecurrence, RecurrentState

Past = SelfAttentionCache | PrefillAttention | RecurrentState | PrefillRecurrence


def forward_of(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    """The module's forward function; that of a LayerNorm with its weights bound, valid while it keeps them."""
    if not isinstance(norm, nn.LayerNorm):
        return norm.forward
    shape, weight, bias, eps = norm.normalized_shape, norm.weight, norm.bias, norm.eps
    return lambda x: torch.layer_norm(x, shape, weight, bias, eps, False)


class LayerStep:
    """The sublayers of a decoder layer, each from the residual stream before it, (R, E), to the stream after it.

    The `forward` of each module is looked up once and called without hooks, which decoding does not use: a step of a
    small model is about fifty calls, and the overhead of Python in each is measurable.
    """

    def __init__(self, layer: DecoderLayer) -> None:
        feed_forward = layer.feed_forward
        self._adds_to_normal = layer.adds_to_normal
        # from the residual stream, the past and the layer's index to the stream; the past is the one of this layer
        self.read_past: Callable[[Tensor, Any, int], Tensor]
        if layer.is_recurrent:
            self.read_past = self._recur
            self._norm_for_past, self._gates = forward_of(layer.recurrence.norm), layer.recurrence.gates.forward
        else:
            self.read_past, past = self._attend_to_past, layer.attention
            self._norm_for_past, self._qkv, self._past_out = forward_of(past.norm), past.qkv.forward, past.out.forward
        self._norm_for_source, self._norm_for_feed_forward = forward_of(layer.cross.norm), forward_of(feed_forward.norm)
        self._inner, self._outer = feed_forward.inner.forward, feed_forward.outer.forward
        self._activate = feed_forward.activation

    def _recur(self, x_RE: Tensor, past: RecurrentState | PrefillRecurrence, index: int) -> Tensor:
        """A step of the recurrence, whose new cells replace those in the state."""
        normal_RE = self._norm_for_past(x_RE)
        candidates_RE, forget_RE = self._gates(normal_RE).split_with_sizes((x_RE.shape[1], x_RE.shape[1]), 1)
        cells_RE = past.advance(index, forget_RE.sigmoid_(), candidates_RE)
        return F.relu(cells_RE).add_(normal_RE if self._adds_to_normal else x_RE)

    def _attend_to_past(self, x_RE: Tensor, past: SelfAttentionCache | PrefillAttention, index: int) -> Tensor:
        """Attention to the pieces so far; stores the keys and values of the newest ones in the cache."""
        model_size = x_RE.shape[1]
        normal_RE = self._norm_for_past(x_RE)
        q_RE, entries_RZ = self._qkv(normal_RE).split_with_sizes((model_size, 2 * model_size), 1)
        mixed_RE = past.attend(index, q_RE, entries_RZ)
        return self._past_out(mixed_RE).add_(normal_RE if self._adds_to_normal else x_RE)

    def attend_to_source(self, x_RE: Tensor, source: FoldedSource | BatchedSources) -> Tensor:
        normal_RE = self._norm_for_source(x_RE)
        return source.attend(normal_RE, normal_RE if self._adds_to_normal else x_RE)

    def feed_forward(self, x_RE: Tensor) -> Tensor:
        normal_RE = self._norm_for_feed_forward(x_RE)
        return self._outer(self._activate(self._inner(normal_RE))).add_(normal_RE if self._adds_to_normal else x_RE)


@dataclass(frozen=True, slots=True)
class FoldedSource:
    """One layer's attention to one source, its weights multiplied into the source's keys and values.

    A query meets a key as (W_q x + b_q) . k = x . (W_q' k) + b_q . k, and an output is W_o v + b_o: with these products
    made once, a step neither projects queries nor outputs. Z runs over heads and source places. As the weights of a
    head sum to one, its share of b_o is added to each of its values.
    """

    keys_EZ: Tensor
    key_bias_Z: Tensor
    values_ZE: Tensor
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
            (v_HSD @ out_HDE).reshape(-1, model_size) + cross.out.bias / num_heads,
            num_heads,
        )

    def attend(self, x_RE: Tensor, stream_RE: Tensor) -> Tensor:
        """The output of `CrossAttention` for these rows plus the stream, (R, E)."""
        scores_RHS = torch.addmm(self.key_bias_Z, x_RE, self.keys_EZ).view(x_RE.shape[0], self.num_heads, -1)
        return torch.addmm(stream_RE, scores_RHS.softmax(2).flatten(1), self.values_ZE)


@dataclass(frozen=True, slots=True)
class BatchedSources:
    """One layer's attention to the sources of several sentences, or to a long one; `mask` is theirs, (B, 1, 1, S)."""

    cross: CrossAttention
    keys_BSE: Tensor
    values_BSE: Tensor
    mask: Tensor | None
    layout: RowLayout

    def attend(self, x_RE: Tensor, stream_RE: Tensor) -> Tensor:
        """The output of `CrossAttention` for these rows plus the stream, (R, E).

        The rows of each sentence are its queries side by side, so that no key is copied.
        """
        num_heads, layout = self.cross.num_heads, self.layout
        q = split_heads(layout.pad(self.cross.q(x_RE)), num_heads)
        k, v = split_heads(self.keys_BSE, num_heads), split_heads(self.values_BSE, num_heads)
        mixed_BHKD = F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask)
        out_RE = self.cross.out(layout.unpad(mixed_BHKD.transpose(1, 2).flatten(2)))
        return out_RE.add_(stream_RE)  # type: ignore[no-any-return]
