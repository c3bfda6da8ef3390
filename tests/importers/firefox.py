"""Firefox Translations models of random weights, in the files of the real ones: what the tests read."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.importers.marian_binary import FLOAT32, INT8, INTGEMM8, SETTINGS
from tests.importers.marian import SAMPLE


@dataclass(frozen=True)
class Item:
    """A tensor to write: float32 values, or int8 ones with or without a multiplier."""

    name: str
    values: npt.NDArray[np.generic]
    multiplier: float | None = None

    @property
    def kind(self) -> int:
        if self.values.dtype == np.float32:
            return FLOAT32
        return INT8 if self.multiplier is None else INTGEMM8

    @property
    def data(self) -> bytes:
        return self.values.tobytes() + (b"" if self.multiplier is None else struct.pack("<f", self.multiplier))


def settings_item(settings: str) -> Item:
    return Item(SETTINGS, np.frombuffer(settings.encode() + b"\0", np.int8))


def write_binary(path: Path, items: Iterable[Item]) -> None:
    """A file of Marian's; every data block but the last is padded to a multiple of 256 bytes."""
    items = list(items)
    blocks = [item.data + bytes(-len(item.data) % 256) for item in items[:-1]] + [item.data for item in items[-1:]]
    names = [item.name.encode() + b"\0" for item in items]
    content = struct.pack("<QQ", 1, len(items))
    for item, name, block in zip(items, names, blocks, strict=True):
        content += struct.pack("<QQQQ", len(name), item.kind, item.values.ndim, len(block))
    content += b"".join(names)
    content += b"".join(struct.pack(f"<{item.values.ndim}i", *item.values.shape) for item in items)
    gap = -(len(content) + 8) % 256
    path.write_bytes(content + struct.pack("<Q", gap) + bytes(gap) + b"".join(blocks))


# -- whole folders -----------------------------------------------------------------------------------------------------

SIZE, HEADS, FFN = 16, 2, 24
TINY = {"enc-depth": 2, "dec-depth": 2, "dim-emb": SIZE, "transformer-heads": HEADS, "transformer-dim-ffn": FFN}
SETTINGS_OF_ALL = """dec-cell: ssru
layer-normalization: false
tied-embeddings-all: true
transformer-decoder-autoreg: rnn
transformer-decoder-dim-ffn: 0
transformer-ffn-activation: relu
transformer-ffn-depth: 2
transformer-guided-alignment-layer: last
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-preprocess: ""
transformer-tied-layers: []
transformer-train-position-embeddings: false
type: transformer
version: v1.12.14
"""


def settings_text(**changes: object) -> str:
    """Settings as Marian writes them; names have underscores instead of hyphens, None leaves one out."""
    settings = {**TINY, **{name.replace("_", "-"): value for name, value in changes.items()}}
    lines = [line for line in SETTINGS_OF_ALL.splitlines() if line.partition(":")[0] not in settings]
    lines += ["dim-vocabs:", "  - 300", "  - 300"]
    return "\n".join([*lines, *(f"{name}: {value}" for name, value in settings.items() if value is not None), ""])


CONTROLS = ("__source__", "__target__", "__done__", "__start__", "__end__")


def num_pieces(*, byte_fallback: bool) -> int:
    return 300 + (256 + len(CONTROLS)) * byte_fallback


@cache
def learn_firefox_spm(*languages: str, byte_fallback: bool = False) -> bytes:
    """A SentencePiece model like Mozilla's: `</s>` and `<unk>` come first, there are no others.

    With `byte_fallback` as they have been since 2023: 256 byte pieces, control pieces and split digits.
    """
    import sentencepiece

    rows = [line.split("\t") for line in SAMPLE.read_text(encoding="utf-8").splitlines()[1:]]
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(text for own, _, _, text in rows if own in languages),
        model_writer=file,
        vocab_size=num_pieces(byte_fallback=byte_fallback),
        byte_fallback=byte_fallback,
        split_digits=byte_fallback,
        user_defined_symbols=[*CONTROLS] if byte_fallback else [],
        bos_id=-1,
        eos_id=0,
        unk_id=1,
        minloglevel=2,
    )
    return file.getvalue()


def random_weights(settings: Mapping[str, int], num_pieces: int, tables: Sequence[str], ending: float) -> list[Item]:
    """The items of a model, all but its settings; 8-bit matrices with their multipliers and quantisers."""
    rng = np.random.default_rng(4)
    size, ffn = settings["dim-emb"], settings["transformer-dim-ffn"]
    items: list[Item] = []

    def vector(name: str, length: int, centre: float = 0.0) -> None:
        items.append(Item(name, (centre + 0.1 * rng.standard_normal((1, length))).astype(np.float32)))

    def matrix(name: str, shape: tuple[int, int], spread: float) -> None:
        weight = spread * rng.standard_normal(shape)
        multiplier = float(np.float32(127 / np.abs(weight).max()))
        items.append(Item(name, np.clip(np.rint(weight * multiplier), -127, 127).astype(np.int8), multiplier))
        if "Wemb" in name:  # the output layer's quantiser is an 8-bit item
            items.append(Item(f"{name}_QuantMultA", np.full((1, 1), 127, np.int8), float(np.float32(127 / 30.0))))
        else:
            alpha = items[-2].values if name.endswith("rnn_Wf") else np.full((1, 1), rng.uniform(20, 40), np.float32)
            items.append(Item(f"{name}_QuantMultA", alpha))

    for table in tables:
        matrix(table, (num_pieces, size), 0.8)
    for side, first in (("encoder", "self"), ("decoder", "context")):
        for number in range(1, settings["enc-depth" if side == "encoder" else "dec-depth"] + 1):
            layer = f"{side}_l{number}_"
            for part in "qkvo":
                matrix(f"{layer}{first}_W{part}", (size, size), 0.4)
                vector(f"{layer}{first}_b{part}", size)
            if side == "decoder":
                matrix(f"{layer}rnn_W", (size, size), 0.5)
                matrix(f"{layer}rnn_Wf", (size, size), 0.5)
                vector(f"{layer}rnn_bf", size)
            matrix(f"{layer}ffn_W1", (size, ffn), 0.4)
            matrix(f"{layer}ffn_W2", (ffn, size), 0.4)
            vector(f"{layer}ffn_b1", ffn)
            vector(f"{layer}ffn_b2", size)
            norms = [f"{first}_Wo_ln", "ffn_ffn_ln", *(["rnn_ffn_ln"] if side == "decoder" else [])]
            for norm in norms:
                vector(f"{layer}{norm}_scale", size, 1.0)
                vector(f"{layer}{norm}_bias", size)
    vector("decoder_ff_logit_out_b", num_pieces)
    items[-1].values[0, 0] += ending  # type: ignore[misc] # the more, the sooner a translation ends
    return items


def save_firefox(
    folder: Path,
    pair: str = "ende",
    ending: float = 3.0,
    *,
    has_two_vocabularies: bool = False,
    byte_fallback: bool = False,
    items: Callable[[list[Item]], list[Item]] = lambda items: items,
    **settings: object,
) -> Path:
    """A folder with a model of random weights, which `items` may change; the path of the model file."""
    folder.mkdir(parents=True)
    sizes = {name: int(str(settings.get(name.replace("-", "_"), value))) for name, value in TINY.items()}
    if has_two_vocabularies:
        tables = ["encoder_Wemb", "decoder_Wemb"]
        (folder / f"srcvocab.{pair}.spm").write_bytes(learn_firefox_spm("en", byte_fallback=byte_fallback))
        (folder / f"trgvocab.{pair}.spm").write_bytes(learn_firefox_spm("de", byte_fallback=byte_fallback))
    else:
        tables = ["Wemb"]
        (folder / f"vocab.{pair}.spm").write_bytes(learn_firefox_spm("en", "de", byte_fallback=byte_fallback))
    weights = items(random_weights(sizes, num_pieces(byte_fallback=byte_fallback), tables, ending))
    path = folder / f"model.{pair}.intgemm.alphas.bin"
    write_binary(path, [*weights, settings_item(settings_text(**settings))])
    return path
