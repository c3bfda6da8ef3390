"""A model folder, written and read: weights, configuration, text codec, card.

    model.safetensors   the weights, usually in half precision; used in float32
    config.json         architecture, directions, training facts
    vocabulary.txt      the pieces, one a line, in the order of their ids
    bpe.codes           the merges
    pieces.txt, source_pieces.txt, source.spm, target.spm   instead of these two, where the model was imported
    alignment.safetensors   the word alignment head; optional
    activations.json    ranges of activations for 8-bit products; optional
    lexicon.txt.xz      words of a dictionary, for words that the model does not translate; optional
    card.md             what it was trained on, by whom, how well it does

No file is unpickled: a model folder from an unknown source can be wrong, but it cannot run code.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from engine.errors import InvalidRequest, ModelError
from engine.model.activations import ACTIVATIONS, Ranges, WeightSteps, load_ranges, load_weight_steps
from engine.model.alignment import ALIGNMENT, AlignmentHead, GuidedAlignment, load_alignment
from engine.model.config import ModelConfig
from engine.model.directions import offer_of
from engine.model.lexicon import LEXICON, Lexicons
from engine.model.memory_check import check_memory
from engine.model.transformer import Transformer
from engine.text import BOS, EOS

if TYPE_CHECKING:
    from engine.text import Codec

WEIGHTS, CONFIG, CARD = "model.safetensors", "config.json", "card.md"
ORIGIN = "origin.json"  # of an imported model: what it was converted from
PIECES, SOURCE_SPM, TARGET_SPM = "pieces.txt", "source.spm", "target.spm"
SOURCE_PIECES, MERGES = "source_pieces.txt", "bpe.codes"
_OF_TRANSLATIONS = (
    *(WEIGHTS, CONFIG, "vocabulary.txt", MERGES),
    *(PIECES, SOURCE_PIECES, SOURCE_SPM, TARGET_SPM, ALIGNMENT, ACTIVATIONS, LEXICON),
)


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model ready to decode. `checksum` is one of all its files that matter (`model_checksum`), for logs.

    `codec` is that of targets, and of sources too unless these have a `source_codec` of their own: with the same ids,
    but where the configuration has a `source_vocabulary_size`. `ranges` and
    `weight_steps` are for `pack`.
    """

    config: ModelConfig
    codec: Codec
    transformer: Transformer
    checksum: str
    source_codec: Codec | None = None
    alignment: AlignmentHead | GuidedAlignment | None = None
    ranges: Ranges | None = None
    weight_steps: WeightSteps | None = None
    lexicons: Lexicons | None = None

    @property
    def device(self) -> torch.device:
        return self.transformer.device

    @property
    def aligns(self) -> bool:
        """True if the model aligns the words of a translation with those of its source."""
        return self.alignment is not None

    @property
    def hint_id(self) -> int | None:
        """The piece before each hint behind a source; None for a model that does not understand hints."""
        return None if self.config.hints is None else self.codec.id_of(self.config.hints)

    def source_ids(self, piece_ids: Sequence[int], direction: str, marks: Sequence[str] = ()) -> list[int]:
        """The encoder's input for a source: the direction's piece, if it has one, `marks... pieces... </s>`."""
        if direction not in self.config.directions:
            raise InvalidRequest(
                f"direction is {direction!r}; this model translates {offer_of(self.config.directions)}"
            )
        if languages := self.config.language_pieces(direction):
            language = self.codec.id_of(languages[0])
            is_first = self.config.source_language == "first"
            return [language, *piece_ids, EOS] if is_first else [*piece_ids, EOS, language]
        pieces = self.config.direction_pieces
        first = f"<{direction}>" if pieces is None else pieces[direction]
        head = (*(() if first is None else (first,)), *marks)
        return [*map((self.source_codec or self.codec).id_of, head), *piece_ids, EOS]

    def starts(self, directions: Sequence[str], device: torch.device) -> Tensor | None:
        """The first inputs of the decoder for sources of these directions, (B, N); None if that is `<s>`."""
        first = {"<s>": BOS, "</s>": EOS}[self.config.start]
        languages = [self.config.language_pieces(direction) for direction in directions]
        rows = [[first] if pieces is None else [first, self.codec.id_of(pieces[1])] for pieces in languages]
        return None if rows[0] == [BOS] else torch.tensor(rows, device=device)


def save_weights(path: Path, model: Transformer, dtype: torch.dtype = torch.float16) -> None:
    """Write the weights in `dtype`, atomically."""
    state = {name: value.detach().to("cpu", dtype).contiguous() for name, value in model.state_dict().items()}
    for name, value in state.items():
        if not bool(torch.isfinite(value).all()):
            raise ModelError(f"{path}: {name} does not fit {dtype}; save in float32")
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(safetensors.torch.save(state))  # save_file would let the owner alone read it
    os.replace(partial, path)


def load_weights(path: Path, config: ModelConfig) -> Transformer:
    """The model in float32 on the CPU, in evaluation mode; ModelError names the file and the cure."""
    with torch.device("meta"):  # what the file has needs no memory and no random numbers before
        model = Transformer(config)
    try:
        state = safetensors.torch.load_file(path)
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; a model folder needs {WEIGHTS}") from None
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} is not an intact safetensors file ({error}); copy the model folder again") from error
    expected = model.state_dict()
    for name in sorted(expected.keys() | state.keys()):
        if name not in state:
            raise ModelError(f"{path}: {name} is missing; config.json describes another model")
        if name not in expected:
            raise ModelError(f"{path}: {name} is unknown; config.json describes another model")
        if state[name].shape != expected[name].shape:
            raise ModelError(
                f"{path}: {name} has shape {tuple(state[name].shape)}, config.json asks for "
                f"{tuple(expected[name].shape)}; the two files belong to different models"
            )
    # copies: the file is mapped into memory, and may be written again
    loaded = {name: value.to(torch.float32, copy=True) for name, value in state.items()}
    model.load_state_dict(loaded, assign=True)
    return model.eval()


def load_model(folder: str | Path, device: str | torch.device = "cpu") -> LoadedModel:
    """Read a model folder; ModelError names the file and the cure."""
    folder = Path(folder)
    if not folder.is_dir():
        raise ModelError(f"{folder} is not a folder; give the folder that contains {CONFIG} and {WEIGHTS}")
    config = ModelConfig.load(folder / CONFIG)
    if not (folder / WEIGHTS).is_file():
        raise ModelError(f"{folder / WEIGHTS} is missing; a model folder needs {WEIGHTS}")
    check_memory(folder / WEIGHTS)
    codec, source_codec = _load_codecs(folder, config)
    if len(codec.surfaces) != config.vocabulary_size:
        listing = "vocabulary.txt" if config.text == "bpe" else PIECES
        raise ModelError(
            f"{folder}: {listing} has {len(codec.surfaces)} pieces, {CONFIG} says {config.vocabulary_size}; "
            "the two files belong to different models"
        )
    _check_pieces(folder, config, source_codec or codec)
    transformer = load_weights(folder / WEIGHTS, config).to(device)
    weights_checksum = file_checksum(folder / WEIGHTS)
    alignment = load_alignment(folder / ALIGNMENT, config, weights_checksum) or (
        GuidedAlignment() if config.guided_alignment else None
    )
    ranges = load_ranges(folder / ACTIVATIONS, config, weights_checksum)
    weight_steps = load_weight_steps(folder / ACTIVATIONS, config)
    return LoadedModel(
        config,
        codec,
        transformer,
        model_checksum(folder),
        source_codec,
        alignment and alignment.to(device),
        ranges,
        weight_steps,
        Lexicons.load(folder / LEXICON),
    )


def file_checksum(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_checksum(folder: Path) -> str:
    """The SHA-256 of the names and checksums of those files that a translation depends on, a line for each.

    That is how `sha256sum` would list them: weights, configuration, text codec, alignment, ranges, lexicon; the card
    is not among them.
    """
    files = (folder / name for name in _OF_TRANSLATIONS)
    listed = "".join(f"{file_checksum(path)}  {path.name}\n" for path in files if path.is_file())
    return hashlib.sha256(listed.encode()).hexdigest()


def _check_pieces(folder: Path, config: ModelConfig, codec: Codec) -> None:
    """Raise ModelError if the vocabulary lacks a piece that marks a source or begins a target."""
    wanted = [
        f"<{mark}>" for mark in (*config.domains, *(f for offered in config.formalities.values() for f in offered))
    ]
    if config.hints is not None:
        wanted.append(config.hints)
    if config.languages:
        wanted += config.languages.values()
    elif config.direction_pieces is None:
        wanted += (f"<{direction}>" for direction in config.directions)
    else:
        wanted += (piece for piece in config.direction_pieces.values() if piece is not None)
    for piece in wanted:
        try:
            codec.id_of(piece)
        except KeyError:
            raise ModelError(
                f"{folder / CONFIG} asks for the piece {piece}, which the vocabulary beside it lacks; "
                "the two files belong to different models"
            ) from None


def _load_codecs(folder: Path, config: ModelConfig) -> tuple[Codec, Codec | None]:
    """The codec of targets and, where sources have another, that one."""
    from engine.text import (
        BytePairs,
        MosesCodec,
        SentencePieceCodec,
        TextCodec,
        read_pieces,
    )  # here, so that training needs no tokeniser

    if config.text == "bpe":
        return TextCodec.load(folder), None
    directions, languages = config.direction_pieces or {}, config.languages or {}
    named = (*directions.values(), *languages.values(), *config.hidden_pieces)
    hidden = frozenset(piece for piece in named if piece is not None)
    pieces = source_pieces = read_pieces(folder / PIECES)
    if config.source_vocabulary_size is not None:
        source_pieces = read_pieces(folder / SOURCE_PIECES)
        if len(source_pieces) != config.source_vocabulary_size:
            raise ModelError(
                f"{folder / SOURCE_PIECES} has {len(source_pieces)} pieces, {CONFIG} says "
                f"{config.source_vocabulary_size}; the two files belong to different models"
            )
    if config.text == "moses":
        merges, (source, _, target) = BytePairs.load(folder / MERGES), config.directions[0].partition("-")
        return MosesCodec(target, merges, pieces, hidden), MosesCodec(source, merges, source_pieces, hidden)
    codec = SentencePieceCodec.load(folder / TARGET_SPM, pieces, hidden)
    # many languages are spelt in one way
    return codec, None if languages else SentencePieceCodec.load(folder / SOURCE_SPM, source_pieces, hidden)
