"""Decoding on an accelerator: rows in a table that keeps its shape for several steps, logits instead of scores.

Each sentence under way has as many places in the table as the one with the most rows. A row that ends leaves its place
empty, as does a sentence that has ended, and places are closed up every few steps (Hoang et al. 2018, section 2.1,
does so at every step). In between, every step of the layers has the same shapes, no source is copied, and the rows of a
sentence are its queries without reordering. Results of empty places are not used; the product with the vocabulary, the
largest one, is computed for the rows only. The CPU knows which row is at which place, so it never waits for the
accelerator.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.kernels import Logits
from engine.model.datastore import Datastore, mix_rows
from engine.model.decoder import Decoder, Ints
from engine.model.encoded import EncodedSources
from engine.model.prefix_cache import PrefixCache
from engine.model.transformer import Transformer

COMPACTION_INTERVAL = 8  # steps; on an accelerator, unless another is asked for


def open_decoder(
    model: Transformer,
    encoded: EncodedSources,
    compaction_interval: int | None = None,
    prefix_caches: Sequence[PrefixCache] | None = None,
    datastores: Sequence[Datastore | None] | None = None,
) -> Decoder | TableDecoder:
    """A new decoder over these sources, before its first step, of the kind that suits the model's device.

    On a CPU, one that drops ended rows at once and returns log-probabilities; on a CUDA device, or with an interval on
    any device, a table. `prefix_caches` and `datastores` are those of the sources.
    """
    if compaction_interval is None:
        if model.device.type != "cuda":
            return Decoder(model, encoded, prefix_caches=prefix_caches, datastores=datastores)
        compaction_interval = COMPACTION_INTERVAL
    return TableDecoder(model, encoded, compaction_interval, prefix_caches, datastores)


class TableDecoder:
    """A `Decoder` whose rows are in a table of sentences by places, with the same `select` and `join`."""

    def __init__(
        self,
        model: Transformer,
        encoded: EncodedSources,
        compaction_interval: int,
        prefix_caches: Sequence[PrefixCache] | None = None,
        datastores: Sequence[Datastore | None] | None = None,
    ) -> None:
        """Empty places are closed up every `compaction_interval` steps, and whenever a sentence needs more places."""
        assert compaction_interval >= 1, compaction_interval
        assert not model.training, "decoding needs model.eval(): dropout would make scores random"
        self._model = model
        self._decoder = Decoder(model, encoded, 1.0, prefix_caches, datastores)
        self._interval = compaction_interval
        self._num_steps = 0  # since places were closed up
        self._num_sentences, self._width = encoded.num_sentences, 1
        self._places_R = torch.arange(encoded.num_sentences)  # of the rows, in the table end to end; on the CPU

    @property
    def shape(self) -> tuple[int, int]:
        """Of the table: sentences, those that have just ended among them, and places of each."""
        return self._num_sentences, self._width

    @property
    def num_rows(self) -> int:
        """The number of rows in a step."""
        return len(self._places_R)

    @torch.inference_mode()
    def step(self, tokens_R: Tensor | Ints) -> Logits:
        """The logits of the next token of each row; see `Decoder.step`."""
        tokens_R = torch.as_tensor(tokens_R)
        tokens_N = tokens_R.new_zeros(self._num_sentences * self._width)
        tokens_N[self._places_R] = tokens_R
        x_RE = self._decoder.hidden(tokens_N)
        if self.num_rows < len(tokens_N):
            x_RE = x_RE.index_select(0, self._places_R.to(x_RE.device, non_blocking=True))
        self._num_steps += 1
        return self._mixed(x_RE, self._model.logits(x_RE))

    def _mixed(self, x_RE: Tensor, output: Logits) -> Logits:
        """The logits, with the logarithms of mixed probabilities, which are logits too, in rows with a datastore."""
        datastores_N = self._decoder.datastores_of_rows()
        datastores_R = [datastores_N[place] for place in self._places_R.tolist()] if datastores_N else []
        rows = [row for row, datastore in enumerate(datastores_R) if datastore is not None]
        if rows:
            rows_N = torch.tensor(rows, device=x_RE.device)
            own = Logits(output.logits_RV[rows_N], output.bias_V)
            mixed_NV = mix_rows([datastores_R[row] for row in rows], x_RE[rows_N], own.log_probs())
            if output.bias_V is not None:
                mixed_NV = mixed_NV - output.bias_V
            output.logits_RV[rows_N] = mixed_NV.to(output.logits_RV.dtype)
        return output

    def read(self, pieces_B: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """Let each sentence's row begin with these pieces; see `Decoder.read`."""
        return self._decoder.read(pieces_B)

    @torch.inference_mode()
    def select(self, parents_R2: Tensor | Ints) -> None:
        """Let new row i go on from old row `parents_R2[i]`; see `Decoder.select`."""
        is_due = self._num_steps >= self._interval or self._decoder.is_full  # with rows that have ended, perhaps
        self._arrange(torch.as_tensor(parents_R2).cpu(), least_width=1, is_due=is_due)

    @torch.inference_mode()
    def join(self, other: TableDecoder) -> None:
        """Put the sentences and rows of `other`, of the same model, behind these; see `Decoder.join`."""
        width = max(self._width, other._width)
        for table in (self, other):
            if table._width < width:
                table._arrange(torch.arange(table.num_rows), least_width=width, is_due=True)
        self._decoder.join(other._decoder)
        self._places_R = torch.cat([self._places_R, other._places_R + self._num_sentences * self._width])
        self._num_sentences += other._num_sentences

    def _arrange(self, parents_R2: Tensor, least_width: int, is_due: bool) -> None:
        """Assign slots to the children of these rows; an empty slot continues any row of its sentence."""
        parent_places_R2 = self._places_R[parents_R2]
        sentences_R2 = parent_places_R2 // self._width
        counts_B = torch.bincount(sentences_R2, minlength=self._num_sentences)
        firsts_B = counts_B.cumsum(0) - counts_B
        ranks_R2 = torch.arange(len(parents_R2)) - firsts_B[sentences_R2]
        own_places_B, width = torch.arange(self._num_sentences) * self._width, self._width
        if is_due or int(counts_B.max()) > width:
            is_live_B = counts_B > 0
            own_places_B, width = own_places_B[is_live_B], max(least_width, int(counts_B.max()))
            sentences_R2 = (is_live_B.cumsum(0) - 1)[sentences_R2]
            self._num_sentences, self._width, self._num_steps = len(own_places_B), width, 0
        parents_N = own_places_B.repeat_interleave(width)
        self._places_R = sentences_R2 * width + ranks_R2
        parents_N[self._places_R] = parent_places_R2
        self._decoder.select(parents_N)
