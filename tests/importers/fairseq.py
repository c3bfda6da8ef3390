"""Folders as fairseq leaves them, of the random weights of the hub's folders beside them: what the tests read."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor

from tests.importers.fsmt import learn_merges_of_both, save_fsmt
from tests.importers.m2m100 import save_m2m100

HUB = "hub"  # the folder beside, which transformers reads
_ARGS = {"source_lang": "en", "target_lang": "de", "task": "translation", "max_source_positions": 64,
         "max_target_positions": 64, "share_decoder_input_output_embed": True, "activation_fn": "relu",
         "criterion": "label_smoothed_cross_entropy", "lr": [0.0005]}  # fmt: skip
_SIZES = {"layers": 2, "embed_dim": 32, "ffn_embed_dim": 48, "attention_heads": 4}

_TRAINING = {
    "extra_state": {"train_iterator": {"epoch": 3}, "val_loss": 2.5},
    "optimizer_history": [{"optimizer_name": "FairseqAdam", "lr_scheduler_state": {"best": 2.5}, "num_updates": 9}],
}


def save_fairseq(folder: Path, save_hub: Callable[..., None] = save_fsmt, **more: float) -> None:
    """As since fairseq 0.9: an argparse.Namespace, sublayers that are normalised afterwards, Moses and byte pairs."""
    hub = folder.with_name(HUB)
    save_hub(hub, **more)
    folder.mkdir()
    state = _hub_weights(hub)
    for side, name in (("en", "vocab-src.json"), ("de", "vocab-tgt.json")):
        pieces = list(json.loads((hub / name).read_text(encoding="utf-8")))[4:]
        spelt = [piece[:-4] if piece.endswith("</w>") else f"{piece}@@" for piece in pieces[:-1]]
        write_dictionary(folder / f"dict.{side}.txt", [*spelt, pieces[-1]])
    merges = (f"{first} {second}" for first, second in learn_merges_of_both())
    (folder / "bpecodes").write_text("\n".join(["#version: 0.2", *merges, ""]), encoding="utf-8")
    sizes = {f"{side}_{name}": value for side in ("encoder", "decoder") for name, value in _SIZES.items()}
    sizes["encoder_ffn_embed_dim"] = 96  # as wmt19 has it, the double of the decoder's
    args = Namespace(**_ARGS, **sizes, arch="transformer_iwslt_de_en", encoder_normalize_before=False)
    state |= {"encoder.version": torch.tensor([3.0]), "decoder.embed_positions._float_tensor": torch.zeros(1)}
    torch.save({"args": args, "model": state, **_TRAINING}, folder / "checkpoint_best.pt")


def save_fairseq_spm(folder: Path, save_hub: Callable[..., None] = save_m2m100, **more: float) -> None:
    """Sublayers that are normalised before, one SentencePiece model and dictionary for both sides, settings in parts,
    and weights in the names and the kind of file that fairseq had before version 0.9."""
    hub = folder.with_name(HUB)
    save_hub(hub, **more)
    folder.mkdir()
    pieces = list(json.loads((hub / "vocab.json").read_text(encoding="utf-8")))
    state = _hub_weights(hub)
    shared = state.pop("shared.weight")
    extra = [f"extra{number}" for number in range(len(shared) - len(pieces) - 1)]
    for side in ("en", "de"):
        write_dictionary(folder / f"dict.{side}.txt", [*pieces[4:], *extra, "madeupword0000"])
    (folder / "spm.model").write_bytes((hub / "sentencepiece.bpe.model").read_bytes())
    state |= {f"{side}.embed_tokens.weight": shared for side in ("encoder", "decoder")}
    sides = {side: {**_SIZES, "normalize_before": True, "learned_pos": False} for side in ("encoder", "decoder")}
    model = {"_name": "transformer", **sides, "share_all_embeddings": True, "no_scale_embedding": False}
    model |= {name: _ARGS[name] for name in ("max_source_positions", "max_target_positions", "activation_fn")}
    task = {"_name": "translation", "data": "data-bin", "source_lang": "en", "target_lang": "de"}
    cfg = {"_name": None, "task": task, "model": model, "tokenizer": {"_name": "space"}, "bpe": None}
    state |= {f"{side}.version": torch.tensor([3.0]) for side in ("encoder", "decoder")}
    checkpoint = {"cfg": cfg, "args": None, "model": _as_before_0_9(state), **_TRAINING}
    torch.save(checkpoint, folder / "model.pt", _use_new_zipfile_serialization=False)


def write_dictionary(path: Path, pieces: list[str]) -> None:
    path.write_text("".join(f"{piece} {9000 - place}\n" for place, piece in enumerate(pieces)), encoding="utf-8")


def change_checkpoint(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Write a checkpoint again as `change` leaves it."""
    found = torch.load(path, weights_only=False)
    change(found)
    torch.save(found, path)


def _hub_weights(hub: Path) -> dict[str, Tensor]:
    """Without the `model.` that the hub's names begin with, nor what fairseq has no name for."""
    state = safetensors.torch.load_file(hub / "model.safetensors")
    return {
        name.removeprefix("model."): value
        for name, value in state.items()
        if "embed_positions" not in name and name != "lm_head.weight"
    }


def _as_before_0_9(state: dict[str, Tensor]) -> dict[str, Tensor]:
    old = dict(state)
    for name in state:
        if name.endswith(("q_proj.weight", "q_proj.bias")):
            prefix, kind = name.rsplit("q_proj.", 1)
            old[f"{prefix}in_proj_{kind}"] = torch.cat([old.pop(f"{prefix}{part}_proj.{kind}") for part in "qkv"])
    norms = {
        "encoder": ("self_attn_layer_norm", "final_layer_norm"),
        "decoder": ("self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm"),
    }
    for name in state:
        for number, norm in enumerate(norms.get(name.split(".")[0], ())):
            if f".{norm}." in name:
                old[name.replace(norm, f"layer_norms.{number}")] = old.pop(name)
    return {name: value.clone() for name, value in old.items()}
