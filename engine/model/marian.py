"""MarianMT (OPUS-MT) folders, as the hub has them.

A Marian target begins with the padding piece, whose embedding our `<s>` therefore copies, and no probability may go to
`<s>`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from engine.errors import ModelError
from engine.model.checkpoint import CONFIG, PIECES, SOURCE_SPM, TARGET_SPM
from engine.model.config import ModelConfig
from engine.model.conversion import (
    Named,
    Plan,
    Weights,
    architecture,
    read_json,
    read_vocabulary,
    require,
    shared_embedding,
)
from engine.model.directions import named, short_code

_IMPOSSIBLE = -60_000.0  # a logit that has no probability, and fits half precision
_LANGUAGE_PIECE = re.compile(r">>([A-Za-z_]+)<<")


def plan_marian(folder: Path, settings: Mapping[str, Any]) -> Plan:
    """How to read a MarianMT folder; raises ModelError naming the file at fault and the cure."""
    for name, allowed in (
        ("normalize_before", (False, None)),
        ("normalize_embedding", (False, None)),
        ("share_encoder_decoder_embeddings", (True, None)),
    ):
        require(folder, settings, name, *allowed)
    ids, size = read_vocabulary(folder / "vocab.json"), settings["vocab_size"]
    if len(ids) != size:
        raise ModelError(f"{folder / 'vocab.json'} has {len(ids)} pieces, {CONFIG} says {size}; download it again")
    start, end, unknown = settings["decoder_start_token_id"], settings["eos_token_id"], ids.get("<unk>")
    if unknown is None or start != settings["pad_token_id"]:
        raise ModelError(f"{folder}: its targets do not begin with the padding piece, or it has no <unk>")
    for name in ("decoder_start_token_id", "eos_token_id"):
        if not isinstance(settings[name], int) or not 0 <= settings[name] < size:
            raise ModelError(f"{folder / CONFIG}: {name} is {settings[name]!r}, no piece of vocab.json; download both")
    spelling = {number: piece for piece, number in ids.items()}
    rest = [number for number in sorted(spelling) if number not in (start, end, unknown)]
    pieces = ("<pad>", "<s>", "</s>", "<unk>", *(spelling[number] for number in rest))
    order = (start, start, end, unknown, *rest)

    def vocabulary(weights: Weights) -> Named:
        bias = torch.zeros(len(pieces))
        if "final_logits_bias" in weights:
            bias = weights.rows("final_logits_bias", order)
        bias[1] = _IMPOSSIBLE
        yield from shared_embedding(weights, order, settings)
        yield "output_bias", bias

    directions = _directions(folder, settings, pieces)
    config = ModelConfig(
        vocabulary_size=len(pieces),
        directions=tuple(directions),
        norm="after",
        text="sentencepiece",
        direction_pieces=directions,
        **architecture(folder, settings),
    )
    spms = {SOURCE_SPM: folder / "source.spm", TARGET_SPM: folder / "target.spm"}
    return Plan(config, {PIECES: pieces}, spms, vocabulary)


def _directions(folder: Path, settings: Mapping[str, Any], pieces: tuple[str, ...]) -> dict[str, str | None]:
    """The piece that begins a source of each direction, or None where there is but one."""
    source, target = _languages(folder, settings)
    codes = {match[1]: match[0] for piece in pieces if (match := _LANGUAGE_PIECE.fullmatch(piece))}
    if codes:
        return {f"{source}-{name}": codes[code] for name, code in named(codes).items()}
    return {f"{source}-{target}": None}


def _languages(folder: Path, settings: Mapping[str, Any]) -> tuple[str, str]:
    """Source and target language: from the tokeniser's settings, or else from the model's name (opus-mt-en-de)."""
    tokeniser = folder / "tokenizer_config.json"
    found = read_json(tokeniser) if tokeniser.is_file() else {}
    source, target = found.get("source_lang"), found.get("target_lang")
    if not source or not target:
        name = settings.get("_name_or_path") or folder.name
        match = re.search(r"([a-z_]{2,})-([a-z_]{2,})$", str(name))
        if not match:
            raise ModelError(f"{tokeniser} names no languages; add source_lang and target_lang to it")
        source, target = match.groups()
    return short_code(source), short_code(target)
