"""MarianMT (OPUS-MT) folders, as the hub has them, converted once to a model folder of our own.

The four special pieces come first in our vocabularies, so ids are dealt anew; a Marian target begins with the padding
piece, whose embedding our `<s>` therefore copies, and no probability may go to `<s>`. A Marian layer normalises after
adding: its norms move on to the sublayer that reads them next (`ModelConfig.norm == "after"`).
"""

from __future__ import annotations

import json
import pickle
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from engine.errors import ModelError
from engine.model.checkpoint import CARD, CONFIG, ORIGIN, PIECES, SOURCE_SPM, TARGET_SPM, WEIGHTS, save_weights
from engine.model.config import ModelConfig
from engine.model.transformer import Transformer

_IMPOSSIBLE = -60_000.0  # a logit that has no probability, and fits half precision
_WEIGHT_FILES = ("model.safetensors", "pytorch_model.bin")
_LANGUAGE_PIECE = re.compile(r">>([A-Za-z_]+)<<")
_TWO_LETTERS = {"eng": "en", "deu": "de", "fra": "fr", "spa": "es", "ita": "it", "nld": "nl", "por": "pt", "rus": "ru"}


def is_marian(folder: Path) -> bool:
    """Whether a folder holds a MarianMT model as the hub has them."""
    try:
        return bool(json.loads((folder / CONFIG).read_text(encoding="utf-8")).get("model_type") == "marian")
    except (OSError, ValueError, AttributeError):
        return False


def convert_marian(folder: Path, target: Path, dtype: torch.dtype = torch.float16, origin: str = "") -> None:
    """Write a MarianMT folder as a model folder; raises ModelError naming the file at fault and the cure.

    `target` is made whole or not at all: it is written beside its place first. Weights are stored as `dtype`; `origin`
    is the name by which a person asked for the model.
    """
    settings = _read_json(folder / CONFIG)
    ids = _read_json(folder / "vocab.json")
    order = _Order.of(ids, settings, folder)
    weights = _read_weights(folder)
    config = _config(folder, settings, order)
    model = Transformer(config)
    expected = model.state_dict()
    state = dict(_renamed(weights, config, order))
    for name, value in expected.items():
        if name not in state or state[name].shape != value.shape:
            found = tuple(state[name].shape) if name in state else "nothing"
            raise ModelError(
                f"{folder}: the weights have {found} for {name} of shape {tuple(value.shape)}; {CONFIG} describes "
                "another model: download the folder again"
            )
    model.load_state_dict(state)
    for name in (SOURCE_SPM, TARGET_SPM):
        if not (folder / name).is_file():
            raise ModelError(f"{folder / name} is missing; download the folder again")
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        config.save(partial / CONFIG)
        (partial / PIECES).write_text("\n".join(order.pieces) + "\n", encoding="utf-8", newline="\n")
        for name in (SOURCE_SPM, TARGET_SPM):
            shutil.copyfile(folder / name, partial / name)
        (partial / ORIGIN).write_text(json.dumps({"name": origin or str(folder)}) + "\n", encoding="utf-8")
        if (folder / "README.md").is_file():
            shutil.copyfile(folder / "README.md", partial / CARD)
        save_weights(partial / WEIGHTS, model, dtype)
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
    except OSError as error:
        raise ModelError(f"{target} cannot be written ({error}); make room there, or set PINPOINT_CACHE") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Order:
    """Our order of the pieces: `old_ids[i]` is Marian's id of our piece i, whose spelling is `pieces[i]`."""

    pieces: tuple[str, ...]
    old_ids: tuple[int, ...]

    @classmethod
    def of(cls, ids: Mapping[str, int], settings: Mapping[str, Any], folder: Path) -> _Order:
        size = settings.get("vocab_size")
        if sorted(ids.values()) != list(range(len(ids))) or len(ids) != size:
            raise ModelError(f"{folder / 'vocab.json'} has {len(ids)} pieces, {CONFIG} says {size}; download it again")
        spelling = {number: piece for piece, number in ids.items()}
        start, end, unknown = settings["decoder_start_token_id"], settings["eos_token_id"], ids.get("<unk>")
        if unknown is None or start != settings["pad_token_id"]:
            raise ModelError(f"{folder}: its targets do not begin with the padding piece, or it has no <unk>")
        rest = [number for number in sorted(spelling) if number not in (start, end, unknown)]
        pieces = ("<pad>", "<s>", "</s>", "<unk>", *(spelling[number] for number in rest))
        if any("\n" in piece for piece in pieces):
            raise ModelError(f"{folder / 'vocab.json'}: a piece holds a line break; this kind is not read")
        return cls(pieces, (start, start, end, unknown, *rest))

    def language_pieces(self) -> dict[str, str]:
        """The pieces that name a target language, by language."""
        return {match[1]: match[0] for piece in self.pieces if (match := _LANGUAGE_PIECE.fullmatch(piece))}


def _config(folder: Path, settings: Mapping[str, Any], order: _Order) -> ModelConfig:
    for name, allowed in (
        ("scale_embedding", (True,)),
        ("normalize_before", (False, None)),
        ("normalize_embedding", (False, None)),
        ("share_encoder_decoder_embeddings", (True, None)),
        ("activation_function", ("relu", "swish", "silu", "gelu")),
    ):
        if settings.get(name) not in allowed:
            raise ModelError(f"{folder / CONFIG}: {name} is {settings.get(name)!r}; such models are not read")
    for name in ("attention_heads", "ffn_dim"):
        if settings[f"encoder_{name}"] != settings[f"decoder_{name}"]:
            raise ModelError(f"{folder / CONFIG}: encoder_{name} and decoder_{name} differ; such models are not read")
    languages = order.language_pieces()
    source, target = _languages(folder, settings)
    directions: dict[str, str | None] = {f"{source}-{target}": None}
    if languages:
        directions = {f"{source}-{_two_letters(name)}": piece for name, piece in languages.items()}
    activation = settings["activation_function"]
    return ModelConfig(
        vocabulary_size=len(order.pieces),
        directions=tuple(directions),
        model_size=settings["d_model"],
        num_heads=settings["encoder_attention_heads"],
        feed_forward_size=settings["encoder_ffn_dim"],
        encoder_layers=settings["encoder_layers"],
        decoder_layers=settings["decoder_layers"],
        max_pieces=settings["max_position_embeddings"],
        norm="after",
        activation="swish" if activation == "silu" else activation,
        text="sentencepiece",
        direction_pieces=directions,
    )


def _languages(folder: Path, settings: Mapping[str, Any]) -> tuple[str, str]:
    """Source and target language: from the tokeniser's settings, or else from the model's name (opus-mt-en-de)."""
    tokeniser = folder / "tokenizer_config.json"
    found = _read_json(tokeniser) if tokeniser.is_file() else {}
    source, target = found.get("source_lang"), found.get("target_lang")
    if not source or not target:
        name = settings.get("_name_or_path") or folder.name
        match = re.search(r"([a-z_]{2,})-([a-z_]{2,})$", str(name))
        if not match:
            raise ModelError(f"{tokeniser} names no languages; add source_lang and target_lang to it")
        source, target = match.groups()
    return _two_letters(source), _two_letters(target)


def _two_letters(language: str) -> str:
    """The shorter code of a language, where it is one of the most frequent."""
    return _TWO_LETTERS.get(language, language)


def _renamed(weights: Mapping[str, Tensor], config: ModelConfig, order: _Order) -> list[tuple[str, Tensor]]:
    """The weights under our names, rows of the vocabulary in our order, norms where our layers have them."""
    taken = torch.tensor(order.old_ids)
    bias = (
        weights["final_logits_bias"].flatten()[taken].clone()
        if "final_logits_bias" in weights
        else torch.zeros(len(taken))
    )
    bias[1] = _IMPOSSIBLE
    named = [("embedding.weight", weights["model.shared.weight"][taken]), ("output_bias", bias)]
    for side, ours, num_layers, sublayers in (
        ("encoder", "encoder", config.encoder_layers, ("attention", "feed_forward")),
        ("decoder", "decoder_layers", config.decoder_layers, ("attention", "cross", "feed_forward")),
    ):
        norm: str | None = None  # of the sublayer before, which the next one reads
        for layer in range(num_layers):
            theirs = f"model.{side}.layers.{layer}."
            for sublayer in sublayers:
                name = f"{ours}.{layer}.{sublayer}."
                if norm is not None:
                    named += _both(weights, norm, name + "norm")
                named += _sublayer(weights, theirs, sublayer, name)
                norm = theirs + _NORMS[sublayer]
        assert norm is not None
        named += _both(weights, norm, f"{side}_norm")
    return named


_NORMS = {
    "attention": "self_attn_layer_norm",
    "cross": "encoder_attn_layer_norm",
    "feed_forward": "final_layer_norm",
}


def _sublayer(weights: Mapping[str, Tensor], theirs: str, sublayer: str, ours: str) -> list[tuple[str, Tensor]]:
    if sublayer == "feed_forward":
        return [*_both(weights, theirs + "fc1", ours + "inner"), *_both(weights, theirs + "fc2", ours + "outer")]
    attention = theirs + ("self_attn." if sublayer == "attention" else "encoder_attn.")
    out = _both(weights, attention + "out_proj", ours + "out")
    if sublayer == "attention":
        return [*_stacked(weights, attention, ("q_proj", "k_proj", "v_proj"), ours + "qkv"), *out]
    return [
        *_both(weights, attention + "q_proj", ours + "q"),
        *_stacked(weights, attention, ("k_proj", "v_proj"), ours + "kv"),
        *out,
    ]


def _both(weights: Mapping[str, Tensor], theirs: str, ours: str) -> list[tuple[str, Tensor]]:
    return [(f"{ours}.{part}", weights[f"{theirs}.{part}"]) for part in ("weight", "bias")]


def _stacked(weights: Mapping[str, Tensor], prefix: str, names: Sequence[str], ours: str) -> list[tuple[str, Tensor]]:
    return [
        (f"{ours}.{part}", torch.cat([weights[f"{prefix}{name}.{part}"] for name in names]))
        for part in ("weight", "bias")
    ]


def _read_weights(folder: Path) -> Mapping[str, Tensor]:
    for name in _WEIGHT_FILES:
        path = folder / name
        if not path.is_file():
            continue
        try:
            if name.endswith(".safetensors"):
                state = safetensors.torch.load_file(path)
            else:
                state = torch.load(path, map_location="cpu", weights_only=True)
        except (OSError, SafetensorError, RuntimeError, ValueError, EOFError, pickle.UnpicklingError) as error:
            reason = str(error).splitlines()[0]
            raise ModelError(f"{path} cannot be read as weights ({reason}); download the folder again") from error
        return _Weights(path, {key: value.float() for key, value in state.items()})
    raise ModelError(f"{folder} has neither {' nor '.join(_WEIGHT_FILES)}; download the folder again")


class _Weights(dict[str, Tensor]):
    """Weights that name their file where one is missing."""

    def __init__(self, path: Path, state: Mapping[str, Tensor]) -> None:
        super().__init__(state)
        self.path = path

    def __missing__(self, name: str) -> Tensor:
        raise ModelError(f"{self.path}: {name} is missing; {CONFIG} describes another model: download the folder again")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; download the folder again") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read as JSON ({error}); download the folder again") from error
    if not isinstance(found, dict):
        raise ModelError(f"{path} holds no JSON object; download the folder again")
    return found
