"""Word alignment between a source and its translation: a small head beside a frozen model.

The query of a target piece combines its embedding and the output of the first decoder layer after reading that piece,
so that the piece is known rather than predicted (Zenkel et al. 2019; Chen et al. 2020, "shift-att"); the key of a
source piece combines its embedding and its encoder output. Their products are normalised in both directions, over
source pieces and over target pieces, and the two are averaged over words (`word_links.py`). The start of the target and
the end of the source mean "no word".

Works on piece ids, not on text. Trained by `python -m engine.train align`. A model that was trained with guided
alignment needs no such head: `GuidedAlignment` reads the alignment from its attention.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt
import safetensors.torch
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engine.compiled.c_interface import CoreGuidedAlignment
from engine.model.config import ModelConfig
from engine.model.layers import DecoderLayer
from engine.model.transformer import Transformer
from engine.model.word_links import HEAD_SIZE, read_head
from engine.text import BOS


class AlignmentHead(nn.Module):
    """Scores (source piece, target piece) pairs from a translation model's states."""

    def __init__(self, model_size: int, head_size: int = HEAD_SIZE) -> None:
        super().__init__()
        self.query = nn.Linear(2 * model_size, head_size)
        self.key = nn.Linear(2 * model_size, head_size)

    def forward(self, sources_BSX: Tensor, targets_RTX: Tensor) -> Tensor:
        """Logits (R, T, S) of what `source_features` and `target_features` made; R = B, or any R where B is 1."""
        products_RTS = self.query(targets_RTX) @ self.key(sources_BSX).transpose(1, 2)
        return products_RTS / self.query.out_features**0.5  # type: ignore[no-any-return]

    @torch.inference_mode()
    def logits(
        self, model: Transformer, memory_1SE: Tensor, source_ids: Sequence[int], targets: Sequence[Sequence[int]]
    ) -> list[npt.NDArray[np.float32]]:
        """Logits (1 + pieces, S) of each of one sentence's targets, in one pass; row 0 is "no word".

        `memory_1SE` is the encoder's output for `source_ids`. Of a target that fills the model to its last place, the
        last piece (most often the end) gets no row.
        """
        source_ids_1S = torch.tensor([list(source_ids)], device=model.device)
        sources_1SX = source_features(model, source_ids_1S, memory_1SE)
        inputs = [[BOS, *target][: model.config.max_pieces] for target in targets]
        if model.config.decoder == "ssru":  # SSRU cannot decode a prefix tree
            targets_RTX = target_features(model, memory_1SE, None, _padded(inputs, model.device))
            logits_RTS = self(sources_1SX, targets_RTX).cpu().numpy()
            return [logits_TS[: len(row)] for logits_TS, row in zip(logits_RTS, inputs, strict=True)]
        tree = _PrefixTree.of(inputs, model.device)
        targets_1TX = target_features(model, memory_1SE, None, tree.ids_1T, tree)
        logits_TS = self(sources_1SX, targets_1TX)[0].cpu().numpy()
        return [logits_TS[path] for path in tree.paths]


class GuidedAlignment:
    """The alignment of a model that was trained with guided alignment; it has the interface of `AlignmentHead`.

    The first head of the last decoder layer's attention to the source, at the step that writes a piece, is the piece's
    distribution over the source (Chen et al. 2016, "Guided Alignment Training for Topic-Aware Neural Machine
    Translation"); the end of the source means "no word".
    """

    def to(self, device: str | torch.device) -> GuidedAlignment:
        """Returns itself: there are no weights to move."""
        return self

    @torch.inference_mode()
    def logits(
        self, model: Transformer, memory_1SE: Tensor, source_ids: Sequence[int], targets: Sequence[Sequence[int]]
    ) -> list[npt.NDArray[np.float32]]:
        """Like `AlignmentHead.logits`: log-probabilities of the source pieces; row 0 ("no word") is constant."""
        inputs = [[BOS, *target][:-1][: model.config.max_pieces - 1] for target in targets]
        weights_RTS = _guided_attention(model, memory_1SE, _padded(inputs, model.device))
        no_word_1S = np.full((1, memory_1SE.shape[1]), np.log(CoreGuidedAlignment.NO_WORD), dtype=np.float32)
        logits_RTS = weights_RTS.clamp_min(1e-9).log().float().cpu().numpy()
        return [
            np.concatenate([no_word_1S, logits_TS[: len(row)]])
            for logits_TS, row in zip(logits_RTS, inputs, strict=True)
        ]


def _guided_attention(model: Transformer, memory_1SE: Tensor, inputs_RT: Tensor) -> Tensor:
    """The weights (R, T, S) of the first head of the last layer's attention to the source."""
    x_RTE = model.embed(inputs_RT)
    layers = cast(Sequence[DecoderLayer], model.decoder_layers)
    for layer in layers[:-1]:
        x_RTE = layer.read_past(x_RTE)
        x_RTE = _read_source(layer, x_RTE, memory_1SE)
        normal_RTE, x_RTE = layer.split(x_RTE, layer.feed_forward)
        x_RTE = x_RTE + layer.feed_forward(normal_RTE)
    cross = layers[-1].cross
    normal_RTE, _ = layers[-1].split(layers[-1].read_past(x_RTE), cross)
    head_size = model.config.model_size // cross.num_heads
    q_RTD = cross.q(normal_RTE)[..., :head_size]
    k_SD = cross.kv(memory_1SE)[0, :, :head_size]
    return (q_RTD @ k_SD.T * head_size**-0.5).softmax(-1)  # type: ignore[no-any-return]


def _padded(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """The rows in one table, (R, T), zeros behind the shorter ones."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], device=device)


def _read_source(layer: DecoderLayer, x_RTE: Tensor, memory_BSE: Tensor, mask: Tensor | None = None) -> Tensor:
    """The sublayer of attention to the source, rows of one source side by side: their keys are made once."""
    normal_RTE, x_RTE = layer.split(x_RTE, layer.cross)
    mixed = layer.cross(normal_RTE.reshape(memory_BSE.shape[0], -1, normal_RTE.shape[-1]), memory_BSE, mask)
    return x_RTE + mixed.view_as(x_RTE)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class _PrefixTree:
    """Sequences with common prefixes stored once. This halves the length of an n-best list."""

    paths: list[list[int]]  # of each sequence, the places of its ids
    ids_1T: Tensor
    positions_1T: Tensor  # in their sequences
    is_before_TT: Tensor  # whether an id sees another: itself, and what stands before it

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]], device: torch.device) -> _PrefixTree:
        places: dict[tuple[int, int], int] = {}  # of an id behind a place
        positions: list[int] = []
        paths: list[list[int]] = []
        for sequence in sequences:
            path: list[int] = []
            for position, piece in enumerate(sequence):
                place = places.setdefault((path[-1] if path else -1, piece), len(positions))
                if place == len(positions):
                    positions.append(position)
                path.append(place)
            paths.append(path)
        is_before_TT = np.eye(len(positions), dtype=np.bool_)
        for place, (parent, _) in enumerate(places):
            if parent >= 0:
                is_before_TT[place] |= is_before_TT[parent]
        ids_1T = torch.tensor([[piece for _, piece in places]], device=device)
        positions_1T = torch.tensor([positions], device=device)
        return cls(paths, ids_1T, positions_1T, torch.from_numpy(is_before_TT).to(device))


def source_features(model: Transformer, source_ids_BS: Tensor, memory_BSE: Tensor) -> Tensor:
    """The inputs of a head's keys, (B, S, 2E)."""
    return torch.cat([_normal(model.embedding(source_ids_BS)), _normal(memory_BSE)], dim=-1)


def target_features(
    model: Transformer, memory_BSE: Tensor, mask: Tensor | None, inputs_RT: Tensor, tree: _PrefixTree | None = None
) -> Tensor:
    """The inputs of a head's queries, (R, T, 2E), for targets that begin with `<s>`.

    R = B rows, or any number of rows that all translate the one source; or one row that is a `tree` of them.
    """
    layer = cast(DecoderLayer, model.decoder_layers[0])
    positions, seen = (tree.positions_1T, tree.is_before_TT) if tree else (None, None)
    x_RTE = layer.read_past(model.embed(inputs_RT, positions), seen)
    x_RTE = _read_source(layer, x_RTE, memory_BSE, mask)
    normal_RTE, x_RTE = layer.split(x_RTE, layer.feed_forward)
    x_RTE = x_RTE + layer.feed_forward(normal_RTE)
    return torch.cat([_normal(model.embedding(inputs_RT)), _normal(x_RTE)], dim=-1)


def save_alignment(path: Path, head: AlignmentHead, model_checksum: str) -> None:
    """Write the head in half precision, atomically, with the checksum of the weights it was trained on."""
    state = {name: value.detach().to("cpu", torch.float16).contiguous() for name, value in head.state_dict().items()}
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(safetensors.torch.save(state, metadata={"model": model_checksum}))
    os.replace(partial, path)


def load_alignment(path: Path, config: ModelConfig, model_checksum: str) -> AlignmentHead | None:
    """The head stored with a model's weights; None without the file; ModelError names the file and the cure."""
    weights = read_head(path, config, model_checksum)
    if weights is None:
        return None
    head = AlignmentHead(config.model_size, len(weights["query.bias"]))
    head.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
    return head.eval()


def _normal(x: Tensor) -> Tensor:
    return F.layer_norm(x.float(), x.shape[-1:])  # a model in half precision has a head in single
