"""MarianMT (OPUS-MT) folders as the hub stores them.

A Marian target begins with the padding piece. Our `<s>` therefore copies its embedding, and `<s>` must never get any
probability.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from engine.errors import ModelError
from engine.importers.conversion import (
    Named,
    Plan,
    Weights,
    architecture,
    read_vocabulary,
    require,
    tied_embedding,
)
from engine.importers.foreign_files import read_json
from engine.model.checkpoint import CONFIG, PIECES, SOURCE_PIECES, SOURCE_SPM, TARGET_SPM
from engine.model.config import ModelConfig
from engine.text.languages import short_code, short_names

_IMPOSSIBLE = -60_000.0  # a logit that has no probability, and fits half precision
_VOCABULARY, _TARGET_VOCABULARY = (
    "vocab.json",
    "target_vocab.json",
)  # the latter if sources have a vocabulary of their own
_SOURCE_EMBEDDING, _TARGET_EMBEDDING = (f"model.{side}.embed_tokens.weight" for side in ("encoder", "decoder"))
_PAIR = re.compile(r"(?:^|[-/\\])([a-z]{2,3})-([a-z]{2,3})$")  # at the end of a model's name
_LANGUAGE_PIECE = re.compile(r">>([A-Za-z_]+)<<")


def plan_marian(folder: Path, settings: Mapping[str, Any]) -> Plan:
    """The conversion of a MarianMT folder. Raises ModelError with the wrong file and a solution."""
    for name in ("normalize_before", "normalize_embedding"):
        require(folder, settings, name, False, None)
    is_shared = settings.get("share_encoder_decoder_embeddings", True)
    source, target = folder / _VOCABULARY, folder / (_VOCABULARY if is_shared else _TARGET_VOCABULARY)
    ids = _vocabulary(target, settings, "vocab_size" if is_shared else "decoder_vocab_size")
    start, end = settings["decoder_start_token_id"], settings["eos_token_id"]
    if start != settings["pad_token_id"]:
        raise ModelError(f"{folder / CONFIG}: its targets do not begin with the padding; such models are not supported")
    for name in ("decoder_start_token_id", "eos_token_id"):
        if not isinstance(settings[name], int) or not 0 <= settings[name] < len(ids):
            raise ModelError(
                f"{folder / CONFIG}: {name} is {settings[name]!r}, no piece of {target.name}; download both"
            )
    pieces, order = _in_our_order(ids, start, end)
    source_pieces, source_order = pieces, order
    if not is_shared:
        source_ids = _vocabulary(source, settings, "vocab_size")
        source_pieces, source_order = _in_our_order(source_ids, source_ids["<pad>"], source_ids["</s>"])

    def vocabulary(weights: Weights) -> Named:
        bias = torch.zeros(len(pieces))
        if "final_logits_bias" in weights:
            bias = weights.rows("final_logits_bias", order)
        bias[1] = _IMPOSSIBLE
        yield "output_bias", bias
        if is_shared:
            yield "embedding.weight", tied_embedding(weights, order, settings)
        else:
            yield "embedding.weight", tied_embedding(weights, order, settings, [_TARGET_EMBEDDING])
            yield "source_embedding.weight", weights.rows(_SOURCE_EMBEDDING, source_order)

    directions = _directions(folder, settings, source_pieces)
    config = ModelConfig(
        vocabulary_size=len(pieces),
        source_vocabulary_size=None if is_shared else len(source_pieces),
        directions=tuple(directions),
        norm="after",
        text="sentencepiece",
        direction_pieces=directions,
        **architecture(folder, settings),
    )
    texts = {PIECES: pieces} if is_shared else {PIECES: pieces, SOURCE_PIECES: source_pieces}
    spms = {SOURCE_SPM: folder / "source.spm", TARGET_SPM: folder / "target.spm"}
    return Plan(config, texts, spms, vocabulary)


def _vocabulary(path: Path, settings: Mapping[str, Any], size: str) -> dict[str, int]:
    """Ids by piece; their number must equal a setting."""
    ids = read_vocabulary(path)
    if len(ids) != settings[size]:
        raise ModelError(f"{path} has {len(ids)} pieces, {CONFIG} says {settings[size]}; download it again")
    for piece in ("<pad>", "</s>", "<unk>"):
        if piece not in ids:
            raise ModelError(f"{path} has no piece {piece}; such models are not supported")
    return ids


def _in_our_order(ids: Mapping[str, int], padding: int, end: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Pieces and their ids there: our four special ones first, of which `<s>` is the padding once more."""
    spelling, unknown = {number: piece for piece, number in ids.items()}, ids["<unk>"]
    rest = [number for number in sorted(spelling) if number not in (padding, end, unknown)]
    pieces = ("<pad>", "<s>", "</s>", "<unk>", *(spelling[number] for number in rest))
    return pieces, (padding, padding, end, unknown, *rest)


def _directions(folder: Path, settings: Mapping[str, Any], pieces: tuple[str, ...]) -> dict[str, str | None]:
    """The piece that begins a source of each direction, or None if there is but one."""
    source, target = _languages(folder, settings)
    codes = {match[1]: match[0] for piece in pieces if (match := _LANGUAGE_PIECE.fullmatch(piece))}
    if codes:
        return {f"{source}-{name}": codes[code] for name, code in short_names(codes).items()}
    return {f"{source}-{target}": None}


def _languages(folder: Path, settings: Mapping[str, Any]) -> tuple[str, str]:
    """Source and target language: from the tokeniser's settings, or else from the model's name (opus-mt-en-de)."""
    tokeniser = folder / "tokenizer_config.json"
    found = read_json(tokeniser) if tokeniser.is_file() else {}
    source, target = found.get("source_lang"), found.get("target_lang")
    if not source or not target:
        name = settings.get("_name_or_path") or folder.name
        match = _PAIR.search(str(name))
        if not match:
            raise ModelError(f"{tokeniser} does not name its languages; add source_lang and target_lang to it")
        source, target = match.groups()
    return short_code(source), short_code(target)
