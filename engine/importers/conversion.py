"""Converts models of other families to our model folders: the steps that all families share.

A family (marian.py, m2m100.py, fsmt.py, fairseq.py, firefox.py) maps the settings and the vocabulary of a folder to
ours. This module reads the files, renames the weights and writes the result. Our four special pieces come first, so
pieces get new ids. Layers have the same names in all families. Some families normalise after the residual sum, and we
normalise before each sublayer: their norms are moved to the sublayer that reads them next (`ModelConfig.norm ==
"after"`).
"""

from __future__ import annotations

import json
import pickle
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import safetensors.torch
import torch
from torch import Tensor

from engine.errors import ModelError
from engine.importers.foreign_files import WEIGHT_FILES, find_weights, flush, read_json, remove_abandoned
from engine.model.activations import ACTIVATIONS, Ranges, WeightSteps, save_steps
from engine.model.checkpoint import CARD, CONFIG, ORIGIN, SOURCE_SPM, TARGET_SPM, WEIGHTS, file_checksum
from engine.model.config import Activation, ModelConfig
from engine.model.json_files import leads_out
from engine.model.memory_check import check_conversion_memory
from engine.model.transformer import Transformer
from engine.model.weights import save_weights

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

_OUTPUT = "lm_head.weight"
SHARED = tuple(f"model.{name}.weight" for name in ("shared", "encoder.embed_tokens", "decoder.embed_tokens"))
_POINTER = b"version https://git-lfs."
_ACTIVATIONS: Mapping[str, Activation] = {"relu": "relu", "gelu": "gelu", "swish": "swish", "silu": "swish"}
_SIZES = (
    *("d_model", "max_position_embeddings"),
    *(f"{side}_{size}" for side in ("encoder", "decoder") for size in ("layers", "attention_heads", "ffn_dim")),
)
Named = Iterator[tuple[str, Tensor]]


class Weights(dict[str, Tensor]):
    """The weights of another family by their original names, converted to single precision on access.

    Raises ModelError, which names the file, if a weight is missing.
    """

    def __init__(self, path: Path, state: Mapping[str, Tensor]) -> None:
        super().__init__(state)
        self.path = path

    def __getitem__(self, name: str) -> Tensor:
        return super().__getitem__(name).float()

    def __missing__(self, name: str) -> Tensor:
        raise ModelError(f"{self.path}: {name} is missing; the settings describe another model: download both again")

    def named(self, name: str, *others: str) -> str:
        """The name under which the file has a weight that also has other names: of those, most files keep but one."""
        return next((known for known in (name, *others) if known in self), name)

    def rows(self, name: str, order: Sequence[int]) -> Tensor:
        """The rows of a table, or the entries of a bias, in our order, which takes each of them at least once."""
        table = self[name].squeeze(0)  # Marian's bias is a table of one row
        if len(table) != max(order) + 1:
            raise ModelError(
                f"{self.path}: {name} has {len(table)} rows, and the vocabulary {max(order) + 1} pieces; they belong "
                "to different models: download the folder again"
            )
        return table[torch.tensor(order)]


@dataclass(frozen=True, slots=True)
class Plan:
    """The conversion of a folder of one family: our configuration, and the files beside the weights.

    The keys of `texts` (lines to write), `copies` (files of the folder) and `contents` (bytes) are our file names.
    `vocabulary` returns the embeddings and the output layer under our names, with rows in our order. `weights` are
    given if the folder does not have the files of the hub; they have the names of FSMT. `ranges` and `weight_steps` are
    given for a model that was made for 8-bit products.
    """

    config: ModelConfig
    texts: Mapping[str, Sequence[str]]
    copies: Mapping[str, Path]
    vocabulary: Callable[[Weights], Named]
    weights: Weights | None = None
    contents: Mapping[str, bytes] = field(default_factory=dict)
    ranges: Ranges | None = None
    weight_steps: WeightSteps | None = None


def convert(folder: Path, target: Path, plan: Plan, dtype: torch.dtype | None = None, origin: str = "") -> None:
    """Write a folder of another family as a model folder.

    The result is written to a temporary folder, and then renamed to `target`, so it is complete or absent. An existing
    `target` is kept. Weights are stored as `dtype`, by default in 16 bits; `origin` is the name by which a person
    requested the model. Raises ModelError, which names the file at fault and the cure.
    """
    for name, path in plan.copies.items():
        _check_copied(path, is_sentencepiece=name in (SOURCE_SPM, TARGET_SPM))
    model = _model(folder, plan, origin or folder.name)
    # A name of its own: another program may be converting the same model now.
    partial = target.with_name(f"{target.name}.{secrets.token_hex(8)}.partial")
    remove_abandoned(target)
    try:
        partial.mkdir(parents=True)
        plan.config.save(partial / CONFIG)
        for name, lines in plan.texts.items():
            (partial / name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        for name, path in plan.copies.items():
            shutil.copyfile(path, partial / name)
        for name, content in plan.contents.items():
            (partial / name).write_bytes(content)
        (partial / ORIGIN).write_text(json.dumps({"name": origin or str(folder)}) + "\n", encoding="utf-8")
        card = folder / "README.md"
        if card.is_file() and not leads_out(folder, card):  # the page shows it
            shutil.copyfile(card, partial / CARD)
        save_weights(partial / WEIGHTS, model, dtype or torch.float16)
        if plan.ranges is not None and plan.weight_steps is not None:
            save_steps(partial / ACTIVATIONS, plan.ranges, plan.weight_steps, file_checksum(partial / WEIGHTS))
        flush(partial)
        _put(partial, target)
    except OSError as error:
        raise ModelError(f"{target} cannot be written ({error}); free disk space, or set PINPOINT_CACHE") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _put(partial: Path, target: Path) -> None:
    """Move a whole folder to its place; a model that another program has put there stays, which may be in use."""
    try:
        partial.rename(target)
    except OSError:
        if not (target / WEIGHTS).is_file():
            raise


def _check_copied(path: Path, *, is_sentencepiece: bool) -> None:
    """Raise ModelError for a file with which the converted model could not be loaded."""
    if not path.is_file():
        raise ModelError(f"{path} is missing; download the folder again")
    refuse_pointer(path)
    if is_sentencepiece:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ModelError(f"{path} is not a SentencePiece model ({error}); download the folder again") from error
        check_sentencepiece(path, content)


def check_sentencepiece(path: Path, content: bytes) -> SentencePieceProcessor:
    """The SentencePiece model in a file's content; raises ModelError if we cannot use it."""
    from sentencepiece import SentencePieceProcessor

    try:
        return SentencePieceProcessor(model_proto=content)
    except (OSError, RuntimeError, ValueError) as error:
        raise ModelError(f"{path} is not a SentencePiece model ({error}); download the folder again") from error


def refuse_pointer(path: Path) -> None:
    """Raise ModelError for a Git LFS pointer in place of a large file, or for a file that cannot be opened."""
    try:
        with path.open("rb") as file:
            beginning = file.read(len(_POINTER))
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error}); check its permissions, or download it again") from error
    if beginning == _POINTER:
        raise ModelError(f"{path} is only a Git LFS pointer; run `git lfs pull` in its folder")


# -- files of a family -------------------------------------------------------------------------------------------------


def read_vocabulary(path: Path) -> dict[str, int]:
    """Ids by piece: each number from 0 to the number of pieces less one, once. Raises ModelError otherwise."""
    ids = read_json(path)
    if any(type(number) is not int for number in ids.values()) or sorted(ids.values()) != list(range(len(ids))):
        raise ModelError(f"{path} does not number its {len(ids)} pieces from 0; download it again")
    if any("\n" in piece for piece in ids):
        raise ModelError(f"{path}: a piece contains a line break; such models are not supported")
    return ids


def require(folder: Path, settings: Mapping[str, Any], name: str, *allowed: object) -> None:
    """Raise ModelError unless a setting has one of these values; None means a missing setting."""
    if settings.get(name) not in allowed:
        raise ModelError(f"{folder / CONFIG}: {name} is {settings.get(name)!r}; such models are not supported")


def architecture(folder: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The sizes of a model, in the fields of `ModelConfig`; raises ModelError for an unsupported architecture."""
    if settings["encoder_attention_heads"] != settings["decoder_attention_heads"]:
        raise ModelError(
            f"{folder / CONFIG}: encoder_attention_heads and decoder_attention_heads differ; such models are not "
            "supported"
        )
    for name in _SIZES:
        if not isinstance(settings[name], int) or settings[name] < 1:
            raise ModelError(f"{folder / CONFIG}: {name} is {settings[name]!r}, not a number; download it again")
    require(folder, settings, "scale_embedding", True)
    require(folder, settings, "activation_function", *_ACTIVATIONS)
    return {
        "model_size": settings["d_model"],
        "num_heads": settings["encoder_attention_heads"],
        "feed_forward_size": settings["encoder_ffn_dim"],
        "decoder_feed_forward_size": settings["decoder_ffn_dim"],
        "encoder_layers": settings["encoder_layers"],
        "decoder_layers": settings["decoder_layers"],
        "max_pieces": settings["max_position_embeddings"],
        "activation": _ACTIVATIONS[settings["activation_function"]],
    }


def tied_embedding(
    weights: Weights, order: Sequence[int], settings: Mapping[str, Any], names: Sequence[str] = SHARED
) -> Tensor:
    """The table of embeddings that is also the output layer, in our order.

    `names` are the names that the table may have in a file, apart from the name of the output layer. Raises ModelError
    if the output layer has weights of its own.
    """
    embedding = weights.rows(weights.named(*names, _OUTPUT), order)
    if settings.get("tie_word_embeddings") is False and not torch.equal(weights.rows(_OUTPUT, order), embedding):
        raise ModelError(f"{weights.path}: {_OUTPUT} are not embeddings of the target; such models are not supported")
    return embedding


# -- weights -----------------------------------------------------------------------------------------------------------

_NORMS = {
    "attention": "self_attn_layer_norm",
    "recurrence": "self_attn_layer_norm",
    "cross": "encoder_attn_layer_norm",
    "feed_forward": "final_layer_norm",
}


def _model(folder: Path, plan: Plan, name: str) -> Transformer:
    """The weights in a model of ours, which takes no further memory; `name` is for messages."""
    with torch.device("meta"):
        model = Transformer(plan.config)
    check_conversion_memory(name, sum(value.numel() for value in model.state_dict().values()))
    weights = plan.weights or _read_weights(folder)
    state = dict((*plan.vocabulary(weights), *_layers(weights, plan.config)))
    for name, value in model.state_dict().items():
        if name not in state or state[name].shape != value.shape:
            found = tuple(state[name].shape) if name in state else "nothing"
            raise ModelError(
                f"{folder}: the weights have {found} for {name} of shape {tuple(value.shape)}; the settings "
                "describe another model: download the folder again"
            )
    model.load_state_dict(state, assign=True)
    return model


def _layers(weights: Weights, config: ModelConfig) -> Named:
    """All weights between embeddings and output, under our names, with norms in the places of our layers."""
    first = "recurrence" if config.decoder == "ssru" else "attention"
    for side, ours, num_layers, sublayers in (
        ("encoder", "encoder", config.encoder_layers, ("attention", "feed_forward")),
        ("decoder", "decoder_layers", config.decoder_layers, (first, "cross", "feed_forward")),
    ):
        norm: str | None = None  # of the sublayer before, which the next one reads
        for layer in range(num_layers):
            theirs = f"model.{side}.layers.{layer}."
            for sublayer in sublayers:
                name, own_norm = f"{ours}.{layer}.{sublayer}.", theirs + _NORMS[sublayer]
                before = own_norm if config.norm == "before" else norm
                if before is not None:
                    yield from _both(weights, before, name + "norm")
                yield from _sublayer(weights, theirs, sublayer, name)
                norm = own_norm
        assert norm is not None
        if any(name.startswith(f"model.{side}.layers.{num_layers}.") for name in weights):
            raise ModelError(
                f"{weights.path} has more than {num_layers} {side} layers, the number in the settings; they describe "
                "another model: download both again"
            )
        last = f"model.{side}.layer_norm" if config.norm == "before" else norm
        yield from _both(weights, last, f"{side}_norm")


def _sublayer(weights: Weights, theirs: str, sublayer: str, ours: str) -> Named:
    if sublayer == "feed_forward":
        yield from _both(weights, theirs + "fc1", ours + "inner")
        yield from _both(weights, theirs + "fc2", ours + "outer")
        return
    if sublayer == "recurrence":
        yield from _both(weights, theirs + "recurrence", ours + "gates")
        return
    attention = theirs + ("self_attn." if sublayer == "attention" else "encoder_attn.")
    yield from _both(weights, attention + "out_proj", ours + "out")
    if sublayer == "attention":
        yield from _stacked(weights, attention, ("q_proj", "k_proj", "v_proj"), ours + "qkv")
    else:
        yield from _both(weights, attention + "q_proj", ours + "q")
        yield from _stacked(weights, attention, ("k_proj", "v_proj"), ours + "kv")


def _both(weights: Weights, theirs: str, ours: str) -> Named:
    return ((f"{ours}.{part}", weights[f"{theirs}.{part}"]) for part in ("weight", "bias"))


def _stacked(weights: Weights, prefix: str, names: Sequence[str], ours: str) -> Named:
    return (
        (f"{ours}.{part}", torch.cat([weights[f"{prefix}{name}.{part}"] for name in names]))
        for part in ("weight", "bias")
    )


def _read_weights(folder: Path) -> Weights:
    """All tensors of a folder, from any of the known files, without unpickling."""
    if (found := find_weights(folder)) is None:
        raise ModelError(f"{folder} has neither {' nor '.join(WEIGHT_FILES)}; download the folder again")
    path, parts = found
    for part in parts:
        if not part.is_file():
            raise ModelError(f"{part} is missing, which {path.name} names; download the folder again")
    return Weights(path, {key: value for part in parts for key, value in _tensors(part).items()})


def _tensors(path: Path) -> dict[str, Tensor]:
    refuse_pointer(path)
    try:
        if path.suffix == ".safetensors":
            state = safetensors.torch.load_file(path)
        else:
            # mapped into memory, but for older files
            state = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
        for key, value in state.items():
            if not isinstance(value, Tensor):
                raise TypeError(f"{key} is not a tensor")
        return dict(state)
    except pickle.UnpicklingError as error:
        raise ModelError(
            f"{path} cannot be read as weights: the file is incomplete, or contains objects other than tensors, "
            "which could run code and are not loaded; download the folder again, or use a model with "
            "model.safetensors"
        ) from error
    except Exception as error:  # any kind of error: the file may contain other objects or be incomplete
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(f"{path} cannot be read as weights ({reason}); download the folder again") from error
