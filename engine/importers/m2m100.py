"""M2M100 and NLLB folders as the hub stores them: many languages in one vocabulary, each with a piece for its name.

The decoder reads `</s>` and the piece of the target language before it writes. The piece of the source language comes
before the source, or behind its end if the tokeniser of the folder requires this (`legacy_behaviour`, for NLLB models
that were trained with its first version).
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
from engine.model.checkpoint import CONFIG, PIECES, TARGET_SPM
from engine.model.config import ModelConfig
from engine.text.languages import short_names

_SPM, _VOCABULARY = "sentencepiece.bpe.model", "vocab.json"
_TOKENISER, _SPECIALS, _FAST = "tokenizer_config.json", "special_tokens_map.json", "tokenizer.json"
_TOKENISERS = ("M2M100Tokenizer", "NllbTokenizer", "NllbTokenizerFast", None)
_SPECIAL = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
_LANGUAGE = re.compile(r"__([a-z]{2,3})__|([a-z]{3}_[A-Z][a-z]{3})")  # M2M100's pieces, and NLLB's


def plan_m2m100(folder: Path, settings: Mapping[str, Any]) -> Plan:
    """The conversion of an M2M100 or NLLB folder. Raises ModelError with the wrong file and a solution."""
    for name, value in (("decoder_start_token_id", 2), ("pad_token_id", 1), ("eos_token_id", 2)):
        require(folder, settings, name, value)
    tokeniser = read_json(folder / _TOKENISER) if (folder / _TOKENISER).is_file() else {}
    if tokeniser.get("tokenizer_class") not in _TOKENISERS:
        raise ModelError(
            f"{folder / _TOKENISER}: tokenizer_class is {tokeniser['tokenizer_class']!r}; such models are not supported"
        )
    theirs, num_text = _pieces(folder, tokeniser, settings["vocab_size"])
    piece_of = {code: piece for piece in theirs[num_text:] if (code := _code_of(piece)) is not None}
    languages = short_names(piece_of)
    order = (1, 0, *range(2, len(theirs)))  # the padding comes first with us
    pieces = [theirs[number] for number in order]
    config = ModelConfig(
        vocabulary_size=len(pieces),
        norm="before",
        text="sentencepiece",
        languages={name: piece_of[code] for name, code in languages.items()},
        source_language="last" if tokeniser.get("legacy_behaviour") else "first",
        start="</s>",
        hidden_pieces=tuple(piece for piece in pieces if piece.startswith("<unused") or piece == "<mask>"),
        positions="fairseq",
        **architecture(folder, settings),
    )

    def vocabulary(weights: Weights) -> Named:
        yield "embedding.weight", tied_embedding(weights, order, settings)
        yield "output_bias", torch.zeros(len(order))

    return Plan(config, {PIECES: pieces}, {TARGET_SPM: folder / _SPM}, vocabulary)


def _code_of(piece: str) -> str | None:
    match = _LANGUAGE.fullmatch(piece)
    return None if match is None else match[1] or match[2]


def _pieces(folder: Path, tokeniser: Mapping[str, Any], size: int) -> tuple[list[str], int]:
    """The pieces by id, and the end of the text pieces; after it come languages, and `<unused9>` for unused ids."""
    if (folder / _VOCABULARY).is_file():  # M2M100; NLLB numbers its pieces as its SentencePiece model does
        ids = read_vocabulary(folder / _VOCABULARY)
    else:
        ids = {**_SPECIAL, **{piece: number + 1 for number, piece in _sentence_pieces(folder / _SPM)}}
    if {piece: ids.get(piece) for piece in _SPECIAL} != _SPECIAL:
        raise ModelError(
            f"{folder}: its vocabulary does not begin with {', '.join(_SPECIAL)}; such models are not supported"
        )
    num_text = len(ids)
    added = _added(folder, tokeniser, num_text)
    if sum(_code_of(piece) is not None for piece in added) < 2:
        raise ModelError(f"{folder}: neither {_FAST} nor {_TOKENISER} nor {_SPECIALS} names its languages; download it")
    if any(piece.startswith("__") for piece in added) and not (folder / _VOCABULARY).is_file():
        raise ModelError(
            f"{folder / _VOCABULARY} is missing, which contains the ids of the pieces; download the folder again"
        )
    for piece, number in added.items():
        if ids.setdefault(piece, number) != number:
            raise ModelError(f"{folder}: {piece!r} has the ids {ids[piece]} and {number}; download the folder again")
    if not num_text <= max(ids.values()) < size or len(set(ids.values())) != len(ids):
        raise ModelError(
            f"{folder}: its vocabulary has {max(ids.values()) + 1} pieces, {CONFIG} says {size}; the files belong to "
            "different models: download the folder again"
        )
    spelling = {number: piece for piece, number in ids.items()}
    return [spelling.get(number, f"<unused{number}>") for number in range(size)], num_text


def _sentence_pieces(path: Path) -> list[tuple[int, str]]:
    """The pieces of text with their ids in a SentencePiece model."""
    from sentencepiece import SentencePieceProcessor

    try:
        processor = SentencePieceProcessor(model_proto=path.read_bytes())
    except FileNotFoundError:  # transformers does not write it if it saves a model again
        raise ModelError(
            f"{path} is missing; download the folder again, or copy the file from the model that this one was made from"
        ) from None
    except (OSError, RuntimeError, ValueError) as error:
        raise ModelError(f"{path} is not an intact SentencePiece model ({error}); download it again") from error
    return [(number, processor.id_to_piece(number)) for number in range(3, processor.vocab_size())]


def _added(folder: Path, tokeniser: Mapping[str, Any], first: int) -> dict[str, int]:
    """The special pieces after the text pieces, by id: as stated, or else numbered from `first` in their order."""
    stated = {int(number): entry for number, entry in tokeniser.get("added_tokens_decoder", {}).items()}
    if not stated and (folder / _FAST).is_file():
        stated = {entry["id"]: entry for entry in read_json(folder / _FAST).get("added_tokens", ())}
    found = {entry["content"]: number for number, entry in stated.items() if number >= first}
    if found:
        return found
    specials = read_json(folder / _SPECIALS) if (folder / _SPECIALS).is_file() else tokeniser
    listed = specials.get("additional_special_tokens") or tokeniser.get("extra_special_tokens") or ()
    return {piece if isinstance(piece, str) else piece["content"]: first + place for place, piece in enumerate(listed)}
