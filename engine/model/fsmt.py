"""FSMT folders (wmt19), as the hub has them: Moses tokens and byte pairs, a vocabulary for each side.

A target begins with `</s>`. The output layer must be the targets' embeddings, as it is in all that are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from engine.errors import ModelError
from engine.model.checkpoint import CONFIG, MERGES, PIECES, SOURCE_PIECES
from engine.model.config import ModelConfig
from engine.model.conversion import Named, Plan, Weights, architecture, read_json, read_vocabulary, require
from engine.model.directions import short_code

_SOURCE, _TARGET, _MERGES, _TOKENISER = "vocab-src.json", "vocab-tgt.json", "merges.txt", "tokenizer_config.json"
_SPECIAL = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
_EMPTY = "madeupword"  # rows that stand for nothing


def plan_fsmt(folder: Path, settings: Mapping[str, Any]) -> Plan:
    """How to read an FSMT folder; raises ModelError naming the file at fault and the cure."""
    for name, value in (("decoder_start_token_id", 2), ("pad_token_id", 1), ("eos_token_id", 2)):
        require(folder, settings, name, value, None)
    tokeniser = read_json(folder / _TOKENISER) if (folder / _TOKENISER).is_file() else {}
    if tokeniser.get("do_lower_case"):
        raise ModelError(f"{folder / _TOKENISER}: do_lower_case is true; such models are not read")
    languages = settings["langs"]
    if not isinstance(languages, list) or len(languages) != 2:
        raise ModelError(f"{folder / CONFIG}: langs is {languages!r}, not two languages; download the folder again")
    source = _pieces(folder / _SOURCE, settings["src_vocab_size"])
    target = _pieces(folder / _TARGET, settings["tgt_vocab_size"])
    direction = f"{short_code(languages[0])}-{short_code(languages[1])}"
    config = ModelConfig(
        vocabulary_size=len(target),
        source_vocabulary_size=len(source),
        directions=(direction,),
        norm="after",
        text="moses",
        direction_pieces={direction: None},
        start="</s>",
        hidden_pieces=tuple(sorted({piece for piece in (*source, *target) if piece.startswith(_EMPTY)})),
        positions="fairseq",
        **architecture(folder, settings),
    )

    def vocabulary(weights: Weights) -> Named:
        embedding = weights.rows("model.decoder.embed_tokens.weight", _order(target))
        output = "model.decoder.output_projection.weight"
        if output in weights and not torch.equal(weights.rows(output, _order(target)), embedding):
            raise ModelError(f"{weights.path}: {output} are no embeddings of the target; such models are not read")
        yield "embedding.weight", embedding
        yield "source_embedding.weight", weights.rows("model.encoder.embed_tokens.weight", _order(source))
        yield "output_bias", torch.zeros(len(target))

    texts = {PIECES: target, SOURCE_PIECES: source, MERGES: ["#version: 0.2", *_merges(folder / _MERGES)]}
    return Plan(config, texts, {}, vocabulary)


def _order(pieces: list[str]) -> tuple[int, ...]:
    """Their ids of our pieces: the padding comes first with us."""
    return (1, 0, *range(2, len(pieces)))


def _pieces(path: Path, size: int) -> list[str]:
    ids = read_vocabulary(path)
    if len(ids) != size:
        raise ModelError(f"{path} has {len(ids)} pieces, {CONFIG} says {size}; download it again")
    if {piece: ids.get(piece) for piece in _SPECIAL} != _SPECIAL:
        raise ModelError(f"{path} does not begin with {', '.join(_SPECIAL)}; such models are not read")
    theirs = sorted(ids, key=ids.__getitem__)
    return [theirs[number] for number in _order(theirs)]


def _merges(path: Path) -> list[str]:
    """The merges, without the counts that may stand behind them."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; download the folder again") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read ({error}); download it again") from error
    merges = []
    for number, line in enumerate(lines, start=1):
        pair = line.split(" ")[:2]
        if not line and number == len(lines):
            break
        if len(pair) != 2 or not all(pair):
            raise ModelError(f"{path} line {number}: expected two symbols and a space between, found {line!r}")
        merges.append(" ".join(pair))
    return merges
