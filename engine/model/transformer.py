"""The translation model: a Transformer, pre-norm, with a deep encoder and a shallow decoder; post-norm if imported.

One embedding table serves source, target and output (with a bias of its own); an imported model's sources may have
their own, and its decoder a recurrence instead of self-attention. A source is `<direction> pieces... </s>`, a target
starts from `<s>`; independent of text and search.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.errors import InvalidRequest
from engine.interruption import NEVER, Interruption
from engine.kernels import Logits
from engine.model.config import ModelConfig, Precision
from engine.model.encoded import EncodedSources, source_mask
from engine.model.layers import DecoderLayer, EncoderLayer
from engine.model.positions import sinusoids
from engine.text import BOS


class _Embedding(nn.Embedding):
    """An embedding without random numbers on the meta device, where PyTorch would import its compiler (1 s)."""

    def reset_parameters(self) -> None:
        if not self.weight.is_meta:
            super().reset_parameters()


class Transformer(nn.Module):
    """The model. `dropout` matters in training mode only. On the meta device it has no weights yet."""

    positions_ME: Tensor

    def __init__(self, config: ModelConfig, dropout: float = 0.0) -> None:
        super().__init__()
        self.config = config
        self.embedding = _Embedding(config.vocabulary_size, config.model_size)
        source_size = config.source_vocabulary_size
        self.source_embedding = None if source_size is None else _Embedding(source_size, config.model_size)
        self.output_bias = nn.Parameter(torch.zeros(config.vocabulary_size))
        self.encoder = nn.ModuleList(EncoderLayer(config, dropout, i == 0) for i in range(config.encoder_layers))
        self.encoder_norm = nn.LayerNorm(config.model_size)
        self.decoder_layers = nn.ModuleList(DecoderLayer(config, dropout, i == 0) for i in range(config.decoder_layers))
        self.decoder_norm = nn.LayerNorm(config.model_size)
        self.precision: Precision = "float32"  # of the weights that it decodes with
        self.dropout = nn.Dropout(dropout)
        with torch.device("cpu"):  # no file has them, so that they are there even where the weights are still to come
            # one more for what a decoder may read before `<s>`
            positions_ME = torch.from_numpy(sinusoids(config.max_pieces + 1, config.model_size, config.positions))
        self.register_buffer("positions_ME", positions_ME, persistent=False)
        if not self.embedding.weight.is_meta:
            self._initialise()

    def _initialise(self) -> None:
        for name, parameter in self.named_parameters():
            if name == "embedding.weight":
                nn.init.normal_(parameter, std=self.config.model_size**-0.5)
            elif name.endswith((".out.weight", ".outer.weight")):  # what enters the residual stream starts small
                depth = 2 * len(self.encoder) if name.startswith("encoder") else 3 * len(self.decoder_layers)
                nn.init.xavier_uniform_(parameter, gain=depth**-0.5)
            elif name.endswith(("qkv.weight", "kv.weight", "gates.weight")):
                for part in parameter.data.split(self.config.model_size):
                    nn.init.xavier_uniform_(part)
            elif parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    @property
    def device(self) -> torch.device:
        return self.embedding.weight.device

    def embed(self, ids: Tensor, positions: int | Tensor | None = None, table: nn.Embedding | None = None) -> Tensor:
        """Embeddings of `ids` at their `positions`: one for all, or one each; None for (..., T) at 0 to T - 1.

        They are those of `table`, if that is given, instead of those of targets.
        """
        places_ME = self.positions_ME
        places = places_ME[: ids.shape[-1]] if positions is None else places_ME[positions]
        rows = F.embedding(ids, (table or self.embedding).weight)
        embedded = torch.add(places, rows, alpha=math.sqrt(self.config.model_size))
        return self.dropout(embedded) if self.training else embedded

    def project(self, x: Tensor) -> Tensor:
        """Logits over the vocabulary."""
        return F.linear(x, self.embedding.weight, self.output_bias)

    def logits(self, x: Tensor) -> Logits:
        """The result of `project`; the bias is not added yet if this saves a pass over the vocabulary."""
        return Logits(F.linear(x, self.embedding.weight), self.output_bias)

    def memory(self, source_ids_BS: Tensor, mask: Tensor | None, interruption: Interruption = NEVER) -> Tensor:
        """The encoder's output (B, S, E); padded positions contain arbitrary numbers.

        For `interruption` see `encode`.
        """
        x_BSE = self.embed(source_ids_BS, table=self.source_embedding)
        for layer in self.encoder:
            interruption.check()
            x_BSE = layer(x_BSE, mask)
        return self.encoder_norm(x_BSE)  # type: ignore[no-any-return]

    def forward(self, source_ids_BS: Tensor, source_lengths_B: Tensor, target_input_BT: Tensor) -> Tensor:
        """The decoder's output (B, T, E) before `project`, the target given: what training needs."""
        mask = source_mask(source_lengths_B, source_ids_BS.shape[1])
        return self._decoded(self.memory(source_ids_BS, mask), mask, target_input_BT)

    def _decoded(self, memory_BSE: Tensor, mask: Tensor | None, target_input_BT: Tensor) -> Tensor:
        x_BTE = self.embed(target_input_BT)
        for layer in self.decoder_layers:
            x_BTE = layer(x_BTE, memory_BSE, mask)
        return self.decoder_norm(x_BTE)  # type: ignore[no-any-return]

    @torch.inference_mode()
    def score(
        self,
        source_ids_BS: Tensor,
        source_lengths_B: Tensor,
        target_ids_BT: Tensor,
        starts_BN: Tensor | None = None,
    ) -> Tensor:
        """Log-probability (B, T) of each target token given those before it.

        What the decoder reads first, `<s>` or `starts_BN`, is not part of the target.
        """
        self._require_evaluation()
        mask = source_mask(source_lengths_B, source_ids_BS.shape[1])
        states_BTE = self.states(self.memory(source_ids_BS, mask), mask, target_ids_BT, starts_BN)
        logits_BTV = self.project(states_BTE).float()
        log_probs_BTV = torch.log_softmax(logits_BTV, dim=-1)
        return log_probs_BTV.gather(2, target_ids_BT.unsqueeze(2)).squeeze(2)

    @torch.inference_mode()
    def states(
        self, memory_BSE: Tensor, mask: Tensor | None, target_ids_BT: Tensor, starts_BN: Tensor | None = None
    ) -> Tensor:
        """The decoder's output (B, T, E) before each target token, which `project` turns into logits; see `score`."""
        self._require_evaluation()
        if starts_BN is None:
            starts_BN = torch.full_like(target_ids_BT[:, :1], BOS)
        inputs_BT = torch.cat([starts_BN, target_ids_BT[:, :-1]], dim=1)
        return self._decoded(memory_BSE, mask, inputs_BT)[:, starts_BN.shape[1] - 1 :]

    @torch.inference_mode()
    def encode(
        self,
        source_ids_BS: Tensor,
        source_lengths_B: Tensor,
        starts_BN: Tensor | None = None,
        interruption: Interruption = NEVER,
    ) -> EncodedSources:
        """The encoded sources: all input of the decoder, computed once; can be cached and stacked.

        `starts_BN` is what the decoder reads first instead of `<s>`. Asks `interruption` before each layer.
        """
        self._require_evaluation()
        length = source_ids_BS.shape[1]
        if length > self.config.max_pieces:
            raise InvalidRequest(
                f"a source has {length} pieces, the model reads at most {self.config.max_pieces}; split the segment"
            )
        mask = source_mask(source_lengths_B, length)
        memory_BSE = self.memory(source_ids_BS, mask, interruption)
        interruption.check()
        return EncodedSources(memory_BSE, self.cross(memory_BSE), source_lengths_B, starts_BN)

    def cross(self, memory_BSE: Tensor) -> Tensor:
        """The keys and values (L, B, S, E) that the decoder layers make of the encoder's output."""
        layers = (layer.get_submodule("cross") for layer in self.decoder_layers)
        return torch.stack(
            [part for layer in layers for part in layer.get_submodule("kv")(memory_BSE).chunk(2, dim=-1)]
        )

    def _require_evaluation(self) -> None:
        assert not self.training, "decoding needs model.eval(): dropout would make scores random"
