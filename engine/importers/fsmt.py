"""FSMT folders (wmt19) as the hub stores them: Moses tokens and byte pairs, a vocabulary for each side.

A target begins with `</s>`. The output layer must equal the embeddings of the target, as in all known models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch

from engine.errors import ModelError
from engine.importers.conversion import Named, Plan, Weights, architecture, read_vocabulary, require
from engine.importers.foreign_files import read_json
from engine.model.checkpoint import CONFIG, MERGES, PIECES, SOURCE_PIECES
from engine.model.config import ModelConfig
from engine.text.languages import short_code

_SOURCE, _TARGET, _MERGES, _TOKENISER = "vocab-src.json", "vocab-tgt.json", "merges.txt", "tokenizer_config.json"
_SPECIAL = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
EMPTY = "madeupword"  # unused rows
_TABLES = ("encoder.embed_tokens", "decoder.embed_tokens", "decoder.output_projection")
_Piece = TypeVar("_Piece")


def plan_fsmt(folder: Path, settings: Mapping[str, Any]) -> Plan:
    """The conversion of an FSMT folder. Raises ModelError with the wrong file and a solution."""
    for name, value in (("decoder_start_token_id", 2), ("pad_token_id", 1), ("eos_token_id", 2)):
        require(folder, settings, name, value, None)
    tokeniser = read_json(folder / _TOKENISER) if (folder / _TOKENISER).is_file() else {}
    if tokeniser.get("do_lower_case"):
        raise ModelError(f"{folder / _TOKENISER}: do_lower_case is true; such models are not supported")
    languages = settings["langs"]
    if not isinstance(languages, list) or len(languages) != 2:
        raise ModelError(f"{folder / CONFIG}: langs is {languages!r}, not two languages; download the folder again")
    source = _pieces(folder / _SOURCE, settings["src_vocab_size"])
    target = _pieces(folder / _TARGET, settings["tgt_vocab_size"])
    texts = moses_texts(source, target, folder / _MERGES)
    ours = {**architecture(folder, settings), "norm": "after"}
    return fairseq_plan(languages, source, target, ours, texts, is_tied=bool(settings.get("tie_word_embeddings")))


def moses_texts(source: Sequence[str], target: Sequence[str], merges: Path) -> dict[str, Sequence[str]]:
    """The files of Moses tokens and byte pairs; the pieces by their ids there. ModelError names the file of merges."""
    codes = ["#version: 0.2", *_merges(merges)]
    return {PIECES: in_our_order(target), SOURCE_PIECES: in_our_order(source), MERGES: codes}


def fairseq_plan(
    languages: Sequence[str],
    source: Sequence[str],
    target: Sequence[str],
    settings: Mapping[str, Any],
    texts: Mapping[str, Sequence[str]],
    copies: Mapping[str, Path] | None = None,
    *,
    is_tied: bool = False,
) -> Plan:
    """The conversion plan of a fairseq transformer; pieces have the ids of fairseq.

    `settings` are further entries of `ModelConfig`. The weights must have the names of FSMT. `is_tied`: sources and
    targets share one table of embeddings, of which a file may contain one copy.
    """
    direction = "-".join(map(short_code, languages))
    config = ModelConfig(
        vocabulary_size=len(target),
        source_vocabulary_size=len(source),
        directions=(direction,),
        direction_pieces={direction: None},
        start="</s>",
        hidden_pieces=tuple(sorted({piece for piece in (*source, *target) if piece.startswith(EMPTY) or not piece})),
        positions="fairseq",
        **{"text": "moses", **settings},
    )

    def vocabulary(weights: Weights) -> Named:
        order, source_order = in_our_order(range(len(target))), in_our_order(range(len(source)))
        sources, targets, output = (f"model.{name}.weight" for name in _TABLES)
        embedding = weights.rows(weights.named(targets, output, *([sources] if is_tied else [])), order)
        if output in weights and not torch.equal(weights.rows(output, order), embedding):
            raise ModelError(
                f"{weights.path}: {output} are not embeddings of the target; such models are not supported"
            )
        yield "embedding.weight", embedding
        sources = weights.named(sources, *([targets, output] if is_tied else []))
        yield "source_embedding.weight", weights.rows(sources, source_order)
        yield "output_bias", torch.zeros(len(target))

    return Plan(config, texts, copies or {}, vocabulary)


def in_our_order(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Pieces or their ids in our order: the padding comes first."""
    return [pieces[1], pieces[0], *pieces[2:]]


def _pieces(path: Path, size: int) -> list[str]:
    ids = read_vocabulary(path)
    if len(ids) != size:
        raise ModelError(f"{path} has {len(ids)} pieces, {CONFIG} says {size}; download it again")
    if {piece: ids.get(piece) for piece in _SPECIAL} != _SPECIAL:
        raise ModelError(f"{path} does not begin with {', '.join(_SPECIAL)}; such models are not supported")
    return sorted(ids, key=ids.__getitem__)


def _merges(path: Path) -> list[str]:
    """The merges of fastBPE without their counts, or of subword-nmt without its first line."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; download the folder again") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path} cannot be read ({error}); download it again") from error
    merges = []
    for number, line in enumerate(lines, start=1):
        pair = line.split(" ")[:2]
        if (not line and number == len(lines)) or (number == 1 and pair[0] == "#version:"):
            continue
        if len(pair) != 2 or not all(pair):
            raise ModelError(f"{path} line {number}: expected two symbols and a space between, found {line!r}")
        merges.append(" ".join(pair))
    return merges
