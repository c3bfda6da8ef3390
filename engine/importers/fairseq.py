"""fairseq folders: a `transformer` trained for translation, with its segmentation model.

    model.pt, checkpoint_best.pt, checkpoint_last.pt   settings and weights: the first that exists, or the only *.pt
    dict.SOURCE.txt, dict.TARGET.txt                   the pieces with their counts, from the folder of binary data
    bpecodes, code, bpe.codes                          the byte-pair merges, applied to Moses tokens
    sentencepiece.bpe.model, or the only *.model       instead of merges

FSMT (fsmt.py) is the same model under the names of the hub. A checkpoint is a pickle. Only tensors, plain values and
`argparse.Namespace`, which contains the settings, are loaded; a file with anything else is refused.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.errors import ModelError
from engine.importers.conversion import Plan, Weights, refuse_pointer
from engine.importers.fsmt import EMPTY, fairseq_plan, in_our_order, moses_texts
from engine.model.checkpoint import MERGES, PIECES, SOURCE_PIECES, SOURCE_SPM, TARGET_SPM
from engine.model.memory_check import check_reading_memory

_CHECKPOINTS = ("model.pt", "checkpoint_best.pt", "checkpoint_last.pt")
_MERGES = ("bpecodes", "code", "bpe.codes")
_SPM = "sentencepiece.bpe.model"
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
_ENTITY = re.compile(r"&#?\w+;")
_OVERWRITE = " #fairseq:overwrite"
_FORBIDDEN = re.compile(r"unsupported global:? (?:GLOBAL )?(\S+)", re.IGNORECASE)  # in PyTorch's message
_LANGUAGE = re.compile(r"\w+", re.ASCII)  # also a part of a file's name
_SIZES = ("layers", "embed_dim", "ffn_embed_dim", "attention_heads")
_ACTIVATIONS = ("relu", "gelu")
_ARCHITECTURES = (
    "transformer", "transformer_tiny", "transformer_iwslt_de_en", "transformer_wmt_en_de",
    "transformer_vaswani_wmt_en_de_big", "transformer_vaswani_wmt_en_fr_big", "transformer_wmt_en_de_big",
    "transformer_wmt_en_de_big_t2t",
)  # fmt: skip
_REFUSED = (  # settings that change the computation or the tokens
    "encoder_learned_pos", "decoder_learned_pos", "no_token_positional_embeddings", "no_scale_embedding",
    "layernorm_embedding", "adaptive_input", "adaptive_softmax_cutoff", "cross_self_attention", "no_cross_attention",
    "no_decoder_final_norm", "char_inputs", "encoder_layers_to_keep", "decoder_layers_to_keep",
    "encoder_xformers_att_config", "decoder_xformers_att_config", "moses_no_dash_splits", "moses_no_escape",
)  # fmt: skip
_NORMED_AT_LAST = {"encoder": 2, "decoder": 3}  # first version that applies the final layer norm
_ATTENTION = ("q_proj", "k_proj", "v_proj", "out_proj")
_NORMS = {  # in the order of their old numbers
    "encoder": ("self_attn_layer_norm", "final_layer_norm"),
    "decoder": ("self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"),
}
_PARTS = {
    "encoder": (*(f"self_attn.{name}" for name in _ATTENTION), "fc1", "fc2", *_NORMS["encoder"]),
    "decoder": (
        *(f"{which}_attn.{name}" for which in ("self", "encoder") for name in _ATTENTION),
        *("fc1", "fc2", *_NORMS["decoder"]),
    ),
}
_OLD_NORM = re.compile(r"((encoder|decoder)\.layers\.\d+)\.layer_norms\.([012])\.(weight|bias)")
_OLD_ATTENTION = re.compile(r"(.+_attn\.)in_proj_(weight|bias)")
_NO_WEIGHT = re.compile(r"(encoder|decoder)\.(version|embed_positions\.(_float_tensor|weights))")
_OUTPUT = "decoder.output_projection.weight"


def plan_fairseq(folder: Path) -> Plan:
    """The conversion of a fairseq folder. Raises ModelError with the wrong file and a solution."""
    path = _checkpoint(folder)
    state = _read(path)
    settings = _settings(path, state)
    sizes = _sizes(path, settings)
    weights = _weights(path, state.get("model"), sizes)
    languages = [str(settings[f"{side}_lang"]) for side in ("source", "target")]
    dictionaries = [folder / f"dict.{language}.txt" for language in languages]
    source, target = map(_pieces, dictionaries)
    for side, dictionary, pieces in zip(("encoder", "decoder"), dictionaries, (source, target), strict=True):
        if (num_rows := len(weights[f"model.{side}.embed_tokens.weight"])) != len(pieces):
            raise ModelError(
                f"{dictionary} has {len(pieces)} pieces with the special ones, and {path.name} {num_rows}; use the "
                "dictionary that the model was trained with"
            )
    merges = next((folder / name for name in _MERGES if (folder / name).is_file()), None)
    if merges is None:
        spm = _sentencepiece(folder)
        if settings.get("tokenizer") == "moses":
            raise ModelError(f"{path}: tokenizer is 'moses'; with {spm.name}, such models are not supported")
        if source != target:
            raise ModelError(
                f"{' and '.join(map(str, dictionaries))} differ; with {spm.name}, such models are not supported"
            )
        listed = {PIECES: in_our_order(target), SOURCE_PIECES: in_our_order(source)}
        copies = {SOURCE_SPM: spm, TARGET_SPM: spm}
        plan = fairseq_plan(languages, source, target, {**sizes, "text": "sentencepiece"}, listed, copies)
    else:
        source, target = map(_as_in_fsmt, dictionaries, (source, target))
        texts = moses_texts(source, target, merges)
        if any("</w>" in merge.split(" ") for merge in texts[MERGES]):
            raise ModelError(f"{merges} has merges of subword-nmt before version 0.2; such models are not supported")
        plan = fairseq_plan(languages, source, target, sizes, texts)
    return replace(plan, weights=weights)


# -- the checkpoint ----------------------------------------------------------------------------------------------------


def _checkpoint(folder: Path) -> Path:
    for name in _CHECKPOINTS:
        if (folder / name).is_file():
            return folder / name
    found = sorted(folder.glob("*.pt"))
    if len(found) > 1:
        raise ModelError(
            f"{folder} has {', '.join(path.name for path in found)}; ensembles of models are not supported: rename "
            f"one of them to {_CHECKPOINTS[0]}"
        )
    return found[0]


def _read(path: Path) -> Mapping[str, Any]:
    """The contents of a checkpoint; ModelError if it is incomplete or contains objects that could run code."""
    try:
        refuse_pointer(path)
        check_reading_memory(path)
        with torch.serialization.safe_globals([Namespace]):
            state = torch.load(path, map_location="cpu", weights_only=True)
    except ModelError:
        raise
    except Exception as error:  # any kind of error, because a broken pickle can raise anything
        if forbidden := _FORBIDDEN.search(str(error)):
            raise ModelError(
                f"{path} contains {forbidden[1]}, which could run code and is not loaded; if you trust its publisher, "
                "load it with PyTorch and save only its entries model and args (or cfg)"
            ) from error
        # PyTorch's message about a broken pickle advises to trust it
        reason = str(error).partition("\n")[0] if isinstance(error, OSError | RuntimeError) else ""
        reason = reason or "it is incomplete or not a PyTorch file"
        raise ModelError(f"{path} cannot be read as a checkpoint ({reason}); download or copy it again") from error
    if not isinstance(state, Mapping):
        raise ModelError(
            f"{path} is not a fairseq checkpoint; give the folder of a checkpoint, or remove it from this folder"
        )
    return state


def _settings(path: Path, state: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in a checkpoint as one flat dictionary, from `args`, or from `cfg` in newer checkpoints."""
    if state.get("args") is not None:
        settings = _flat(state["args"])
    elif isinstance(cfg := state.get("cfg"), Mapping):
        parts = {name: _flat(cfg.get(name)) for name in ("tokenizer", "task", "model")}
        named = {name: part.pop("_name", None) for name, part in parts.items()}
        settings = {**parts["tokenizer"], **parts["task"], **parts["model"]}
        settings |= {"task": named["task"], "arch": named["model"], "tokenizer": named["tokenizer"]}
    else:
        raise ModelError(f"{path} has neither args nor cfg, which fairseq checkpoints have; copy it again")
    allowed = {"task": ("translation", None), "arch": _ARCHITECTURES, "tokenizer": ("moses", "space", None)}
    for name, values in {**allowed, "activation_fn": (*_ACTIVATIONS, None)}.items():
        if settings.get(name) not in values:
            known = ", ".join(filter(None, values))
            raise ModelError(
                f"{path}: {name} is {settings.get(name)!r}; models of {known} are supported: use one of them"
            )
    for name in _REFUSED:
        if settings.get(name):
            raise ModelError(f"{path}: {name} is {settings[name]!r}; such models are not supported: use one without")
    for name in ("source_lang", "target_lang"):
        if not _LANGUAGE.fullmatch(str(settings.get(name) or "")):
            raise ModelError(f"{path}: {name} is {settings.get(name)!r}, not a language; copy it again")
    return settings


def _flat(entries: object) -> dict[str, Any]:
    """Settings by name; `layers` in a group `encoder` becomes `encoder_layers`."""
    flat: dict[str, Any] = {}
    for name, value in _by_name(entries).items():
        inner = _by_name(value)
        flat |= {f"{name}_{key}": entry for key, entry in inner.items()} if inner else {name: value}
    return flat


def _by_name(entries: object) -> dict[str, Any]:
    if isinstance(entries, Namespace):
        entries = vars(entries)
    return (
        {name: value for name, value in entries.items() if isinstance(name, str)} if isinstance(entries, dict) else {}
    )


def _sizes(path: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The sizes under the names of `ModelConfig`."""
    settings = {"max_source_positions": 1024, "max_target_positions": 1024, **settings}
    numbers = [f"{side}_{size}" for side in _PARTS for size in _SIZES]
    for name in (*numbers, "max_source_positions", "max_target_positions"):
        if not isinstance(settings.get(name), int) or settings[name] < 1:
            raise ModelError(f"{path}: {name} is {settings.get(name)!r}, not a number; copy it again")
    for name in ("embed_dim", "attention_heads", "normalize_before"):
        if settings.get(f"encoder_{name}", False) != settings.get(f"decoder_{name}", False):
            raise ModelError(f"{path}: encoder_{name} and decoder_{name} differ; such models are not supported")
    return {
        "model_size": settings["encoder_embed_dim"],
        "num_heads": settings["encoder_attention_heads"],
        "feed_forward_size": settings["encoder_ffn_embed_dim"],
        "decoder_feed_forward_size": settings["decoder_ffn_embed_dim"],
        "encoder_layers": settings["encoder_layers"],
        "decoder_layers": settings["decoder_layers"],
        "max_pieces": min(settings["max_source_positions"], settings["max_target_positions"]),
        "activation": settings.get("activation_fn") or "relu",
        "norm": "before" if settings.get("encoder_normalize_before") else "after",
    }


def _weights(path: Path, state: object, sizes: Mapping[str, Any]) -> Weights:
    """The weights with FSMT's names: exactly the weights of a transformer of these sizes."""
    if not isinstance(state, Mapping) or not all(
        isinstance(name, str) and isinstance(value, Tensor) for name, value in state.items()
    ):
        raise ModelError(
            f"{path} does not contain weights under the key model; copy it again from where it was trained"
        )
    for side, first in _NORMED_AT_LAST.items() if sizes["norm"] == "before" else ():
        version = state.get(f"{side}.version")
        if version is None or version.numel() != 1 or version.item() < first:
            raise ModelError(
                f"{path}: {side}.version is below {first}, so a final layer norm is missing; such models are not "
                "supported"
            )
    found = dict(_renamed(state))
    expected = {
        f"{side}.{name}" for side in _PARTS for name in _names(side, sizes[f"{side}_layers"], sizes["norm"] == "before")
    }
    if missing := sorted(expected - found.keys()):
        raise ModelError(f"{path}: {missing[0]} is missing, but its settings require it; copy it again")
    if unknown := sorted(found.keys() - expected - {_OUTPUT}):
        raise ModelError(
            f"{path}: {unknown[0]} does not belong to a transformer with its settings; such models are not supported"
        )
    return Weights(path, {f"model.{name}": value for name, value in found.items()})


def _names(side: str, num_layers: int, is_normed_before: bool) -> Iterator[str]:
    """The weights of one side, without the output layer."""
    yield "embed_tokens.weight"
    modules = [f"layers.{layer}.{part}" for layer in range(num_layers) for part in _PARTS[side]]
    for module in (*modules, "layer_norm") if is_normed_before else modules:
        yield from (f"{module}.weight", f"{module}.bias")


def _renamed(state: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Weights by their names of today."""
    for name, value in state.items():
        if _NO_WEIGHT.fullmatch(name):
            continue
        if match := _OLD_ATTENTION.fullmatch(name):
            for part, rows in zip(_ATTENTION, value.chunk(3), strict=False):
                yield f"{match[1]}{part}.{match[2]}", rows
        elif match := _OLD_NORM.fullmatch(name):
            norms = _NORMS[match[2]]
            yield f"{match[1]}.{norms[int(match[3]) % len(norms)]}.{match[4]}", value
        else:
            yield _OUTPUT if name == "decoder.embed_out" else name, value


# -- its text ----------------------------------------------------------------------------------------------------------


def _pieces(path: Path) -> list[str]:
    """The pieces of a dictionary by their ids: fairseq's special ones come first, which no line has."""
    try:
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; copy it from the binary data that the model was trained on") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read ({error}); copy it again") from error
    pieces, known = [*_SPECIAL], {*_SPECIAL}
    for number, line in enumerate(lines, start=1):
        entry = line.rstrip()
        piece, _, count = entry.removesuffix(_OVERWRITE).rpartition(" ")
        if not piece or not count.isdecimal():
            raise ModelError(
                f"{path} line {number}: expected a piece, a space and its count, found {line!r}; copy it again"
            )
        if piece in known and not entry.endswith(_OVERWRITE):
            raise ModelError(f"{path} line {number}: {piece!r} occurs twice; copy the dictionary again")
        known.add(piece)
        pieces.append(piece)
    return pieces


def _as_in_fsmt(path: Path, pieces: Sequence[str]) -> list[str]:
    """The pieces of Moses' tokens in FSMT's spelling; ModelError for pieces of lower-cased text."""
    text = _ENTITY.sub("", "".join(piece for piece in pieces[len(_SPECIAL) :] if not piece.startswith(EMPTY)))
    if text == text.lower() != text.upper():
        raise ModelError(
            f"{path} does not have capital letters; models of lower-cased text are not supported: use another one"
        )
    spelt = (piece.removesuffix("@@") if piece.endswith("@@") else piece + "</w>" for piece in pieces)
    return [*_SPECIAL, *islice(spelt, len(_SPECIAL), None)]


def _sentencepiece(folder: Path) -> Path:
    """The one SentencePiece model of a folder without merges."""
    found = [folder / _SPM] if (folder / _SPM).is_file() else sorted(folder.glob("*.model"))
    if len(found) != 1:
        raise ModelError(
            f"{folder} has neither {', '.join(_MERGES)} nor one SentencePiece model ({_SPM}); copy the merges or the "
            "SentencePiece model of the training text into it under one of these names"
        )
    return found[0]
