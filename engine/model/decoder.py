"""Decoding step by step: the encoded source, the key/value cache, one decoder per batch.

Rows are ragged: a sentence may have any number of rows, also none, and sentences that joined later are at earlier
positions. Independent of beams, hypothesis scores and constraints: it turns last tokens into log-probabilities and
follows the search's choice of parents.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from engine.errors import InvalidRequest
from engine.model.cache import PrefillAttention, SelfAttentionCache
from engine.model.config import ModelConfig, too_long
from engine.model.datastore import Datastore, mix_rows
from engine.model.encoded import EncodedSources, source_mask
from engine.model.layer_step import BatchedSources, FoldedSource, LayerStep, Past, forward_of
from engine.model.layers import DecoderLayer, RowLayout
from engine.model.prefix_cache import PendingPrefix, PrefixCache
from engine.model.recurrent_state import PrefillRecurrence, RecurrentState
from engine.model.transformer import Transformer
from engine.text import BOS

Ints = npt.NDArray[np.int64]

_LOGITS_AT_ONCE = 2**24  # of the pieces of prefixes: 64 MB


class Decoder:
    """Decodes one batch of encoded sentences.

    Call `step` with one `<s>` per sentence first, or after a `read` with its last piece; then, in turn, `select` with
    the parents of the chosen continuations and `step` with their last tokens. Between a `select` and the next `step`,
    or before the first, other decoders may `join`. Sentences without rows cost nothing once `crowding` of all are left.
    """

    def __init__(
        self,
        model: Transformer,
        encoded: EncodedSources,
        crowding: float = 0.5,
        prefix_caches: Sequence[PrefixCache] | None = None,
        datastores: Sequence[Datastore | None] | None = None,
    ) -> None:
        """`prefix_caches` has the cached prefix of each sentence's source; `read` replaces it.

        `datastores` has the datastore whose neighbours count in each sentence, or None. A prefix cache must not be
        shared by sentences of different datastores.
        """
        assert not model.training, "decoding needs model.eval(): dropout would make scores random"
        self._model = model
        self._prefix_caches_B = prefix_caches or [PrefixCache() for _ in range(encoded.num_sentences)]
        self._crowding = crowding
        self._datastores_B = list(datastores or [None] * encoded.num_sentences)
        self._set_sources(encoded)
        self._layers: list[DecoderLayer] = list(model.decoder_layers)  # type: ignore[arg-type]
        self._layer_steps = [LayerStep(layer) for layer in self._layers]
        self._last_norm = forward_of(model.decoder_norm)
        config = model.config
        self._past = _new_past(config, encoded)
        # index of each row's sentence in _encoded, ascending; on the CPU, so that no step waits for an accelerator
        self._places_R = torch.arange(encoded.num_sentences)
        self.vocabulary_size = config.vocabulary_size
        self.max_steps = config.max_pieces
        if encoded.starts_BN is not None:
            self.max_steps += encoded.starts_BN.shape[1] - 1
            if encoded.starts_BN.shape[1] > 1:
                self.read([()] * encoded.num_sentences)

    @property
    def is_full(self) -> bool:
        """True if a row has the maximum length of the model."""
        return self._past.num_steps >= self.max_steps

    @torch.inference_mode()
    def step(self, tokens_R: Tensor | Ints) -> Tensor:
        """Log-probabilities (R, V), float32, of the next token of each row. The caches grow by one step.

        The tokens may be on any device. Raises InvalidRequest for a row that is as long as the model writes.
        """
        x_RE = self.hidden(torch.as_tensor(tokens_R))
        logits_RV = self._model.project(x_RE).float()
        log_probs_RV = torch.log_softmax(logits_RV, dim=-1, out=logits_RV)  # in place: new memory takes time
        return mix_rows(self.datastores_of_rows(), x_RE, log_probs_RV)

    def datastores_of_rows(self) -> list[Datastore | None]:
        """The datastore of each row; empty if no row has one."""
        if not any(self._datastores_B):
            return []
        return [self._datastores_B[place] for place in self._places_R.tolist()]

    def hidden(self, tokens_R: Tensor) -> Tensor:
        """The decoder output before the projection onto the vocabulary, (R, E); call it in inference mode."""
        model, past = self._model, self._past
        if self.is_full:
            raise InvalidRequest(too_long(self.max_steps))
        past.extend()
        tokens_R = tokens_R.to(model.device, non_blocking=True)
        if self._encoded.starts_BN is not None:
            starts_B, places_R = self._encoded.starts_BN[:, -1], self._places_R.to(model.device, non_blocking=True)
            tokens_R = torch.where(tokens_R == BOS, starts_B[places_R], tokens_R)
        x_RE = model.embed(tokens_R, past.positions)
        return self._through_layers(x_RE, past, self._fold() or self._batched_sources(self._layout(self._places_R)))

    @torch.inference_mode()
    def read(self, pieces_B: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """Start each sentence's row with these pieces, which may be empty; returns their log-probabilities.

        Call it before the first step, whose input is then the last of the pieces. All unknown pieces are read in one
        pass, and equal prefixes of one source once. Raises InvalidRequest for more pieces than the model can write.
        """
        past, starts_BN = self._past, self._encoded.starts_BN
        num_sentences = self._encoded.num_sentences
        assert past.num_rows == len(pieces_B) == num_sentences, "rows that have made steps cannot start again"
        starts = [[BOS]] * num_sentences if starts_BN is None else starts_BN.tolist()
        if len(starts[0]) - 1 + max(map(len, pieces_B)) > self.max_steps:
            raise InvalidRequest(too_long(self.max_steps))
        pending_B = PendingPrefix.for_sentences(self._prefix_caches_B, starts, pieces_B)
        past.begin([prefix.known.entries_TLZ for prefix in pending_B], [len(prefix.inputs) for prefix in pending_B])
        first_of: dict[PendingPrefix, int] = {}
        for sentence, prefix in enumerate(pending_B):
            first_of.setdefault(prefix, sentence)
        unread = [(sentence, prefix) for prefix, sentence in first_of.items() if prefix.unread]
        if unread:
            self._read_on(unread)
            if len(first_of) < num_sentences:
                past.repeat([first_of[prefix] for prefix in pending_B])
        return [prefix.known.log_probs for prefix in pending_B]

    def _read_on(self, unread: Sequence[tuple[int, PendingPrefix]]) -> None:
        """Run the unread pieces of these sentences through the layers and store them in the cache."""
        model, past = self._model, self._past
        inputs = [(sentence, prefix, place) for sentence, prefix in unread for place in prefix.unread]
        places_M = torch.tensor([sentence for sentence, _, _ in inputs])
        positions_M = torch.tensor([place for _, _, place in inputs])
        ids_M = torch.tensor([prefix.inputs[place] for _, prefix, place in inputs]).to(model.device)
        layout = self._layout(places_M)
        prefill: PrefillAttention | PrefillRecurrence
        if isinstance(past, RecurrentState):
            prefill = PrefillRecurrence(past, places_M, positions_M, layout)
        else:
            prefill = PrefillAttention(past, places_M, positions_M, layout)
        x_ME = model.embed(ids_M, positions_M.to(model.device))
        x_ME = self._through_layers(x_ME, prefill, self._fold() or self._batched_sources(layout))
        before = [m for m, (_, prefix, place) in enumerate(inputs) if place >= prefix.first_before_a_piece]
        pieces = [piece for _, prefix in unread for piece in prefix.new_pieces]
        datastores = [self._datastores_B[sentence] for sentence, prefix in unread for _ in prefix.new_pieces]
        log_probs = iter(self._log_probs_of(pieces, x_ME[before], datastores))
        for sentence, prefix in unread:
            prefix.finish([next(log_probs) for _ in prefix.new_pieces], prefill.entries_of(sentence))

    def _log_probs_of(self, pieces: Sequence[int], x_NE: Tensor, datastores: Sequence[Datastore | None]) -> list[float]:
        """The log-probability of each piece given the hidden state before it; limits the logits in memory."""
        pieces_N1 = torch.tensor(pieces, dtype=torch.long, device=x_NE.device)[:, None]
        log_probs: list[float] = []
        num_at_once = max(1, _LOGITS_AT_ONCE // self.vocabulary_size)
        for first in range(0, len(pieces), num_at_once):
            some = slice(first, first + num_at_once)
            log_probs_NV = torch.log_softmax(self._model.project(x_NE[some]).float(), dim=-1)
            log_probs_NV = mix_rows(datastores[some], x_NE[some], log_probs_NV)
            log_probs += log_probs_NV.gather(1, pieces_N1[some])[:, 0].tolist()
        return log_probs

    def _through_layers(
        self,
        x_RE: Tensor,
        past: Past,
        sources: Sequence[FoldedSource | BatchedSources],
    ) -> Tensor:
        for index, (layer, source) in enumerate(zip(self._layer_steps, sources, strict=True)):
            x_RE = layer.read_past(x_RE, past, index)
            x_RE = layer.attend_to_source(x_RE, source)
            x_RE = layer.feed_forward(x_RE)
        return self._last_norm(x_RE)

    @torch.inference_mode()
    def select(self, parents_R2: Tensor | Ints) -> None:
        """Continue new row i from old row `parents_R2[i]`; rows may be repeated or dropped.

        The rows of a sentence stay adjacent, and sentences in their order.
        """
        parents_R2 = torch.as_tensor(parents_R2)
        self._past.select(parents_R2)
        if self._encoded.num_sentences == 1:
            self._places_R = self._places_R.new_zeros(len(parents_R2))
            return
        self._places_R = self._places_R[parents_R2.cpu()]
        live, places_R = torch.unique_consecutive(self._places_R, return_inverse=True)
        if len(live) < self._encoded.num_sentences and len(live) <= self._crowding * self._encoded.num_sentences:
            self._datastores_B = [self._datastores_B[sentence] for sentence in live.tolist()]
            self._set_sources(self._encoded.take(live))
            self._places_R = places_R

    @torch.inference_mode()
    def join(self, other: Decoder) -> None:
        """Append the rows of `other`, a decoder of the same model, which must not be used afterwards.

        Each row keeps its own position: the two may have made different numbers of steps.
        """
        self._past.join(other._past)  # type: ignore[arg-type] # of the same model, and so of the same kind
        self._places_R = torch.cat([self._places_R, other._places_R + self._encoded.num_sentences])
        self._datastores_B += other._datastores_B
        self._set_sources(EncodedSources.stack([self._encoded, other._encoded]))

    def _set_sources(self, encoded: EncodedSources) -> None:
        self._encoded = encoded
        mask_B11S = source_mask(encoded.lengths_B, encoded.memory_BSE.shape[1])
        self._mask_B11S = None if mask_B11S is None else mask_B11S.to(encoded.memory_BSE.device, non_blocking=True)
        self._folded: list[FoldedSource] | None = None

    def _fold(self) -> list[FoldedSource] | None:
        """Each layer's folded attention to the source, cached; None for several sources or a long one."""
        _, length, model_size = self._encoded.memory_BSE.shape
        is_alone = self._encoded.num_sentences == 1 and self._mask_B11S is None
        if self._folded is None and is_alone and length * self._model.config.num_heads <= model_size:
            keys_and_values_LSE = self._encoded.cross_LBSE[:, 0]
            self._folded = [
                FoldedSource.of(layer.cross, keys_and_values_LSE[2 * index], keys_and_values_LSE[2 * index + 1])
                for index, layer in enumerate(self._layers)
            ]
        return self._folded

    def _batched_sources(self, layout: RowLayout) -> list[BatchedSources]:
        cross_LBSE, mask_B11S = self._encoded.cross_LBSE, self._mask_B11S
        return [
            BatchedSources(layer.cross, cross_LBSE[2 * index], cross_LBSE[2 * index + 1], mask_B11S, layout)
            for index, layer in enumerate(self._layers)
        ]

    def _layout(self, places_R: Tensor) -> RowLayout:
        """The layout of rows whose sentences are `places_R`, in ascending order."""
        num_sentences = self._encoded.num_sentences
        num_rows = places_R.shape[0]
        if num_sentences == 1:
            return RowLayout(1, num_rows, None)
        counts_B = torch.bincount(places_R, minlength=num_sentences)
        width = int(counts_B.max())
        if width * num_sentences == num_rows:
            return RowLayout(num_sentences, width, None)
        firsts_B = counts_B.cumsum(0) - counts_B
        ranks_R = torch.arange(num_rows) - firsts_B[places_R]
        slots_R = (places_R * width + ranks_R).to(self._model.device, non_blocking=True)
        return RowLayout(num_sentences, width, slots_R)


def _new_past(config: ModelConfig, encoded: EncodedSources) -> SelfAttentionCache | RecurrentState:
    """The initial caches of the decoder layers, one row per sentence, before the first step."""
    sizes, like = (encoded.num_sentences, config.decoder_layers), encoded.memory_BSE
    if config.decoder == "ssru":
        return RecurrentState(*sizes, config.model_size, like.device, like.dtype)
    return SelfAttentionCache(*sizes, config.num_heads, config.model_size, like.device, like.dtype)
