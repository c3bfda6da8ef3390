"""A model folder, written and read: weights, configuration, text codec, card.

    model.safetensors   the weights, usually in half precision; used in float32
    config.json         architecture, directions, training facts
    vocabulary.txt      the pieces, one a line, in the order of their ids
    bpe.codes           the merges
    pieces.txt, source_pieces.txt, source.spm, target.spm   instead of these two, where the model was imported
    alignment.safetensors   the word alignment head; optional
    activations.json    the steps of a model that was made with 8-bit weights; optional
    lexicon.txt.xz      words of a dictionary, for words that the model does not translate; optional
    set_phrases.tsv     formulas and terms that the model translates word by word; optional
    card.md             what it was trained on, by whom, how well it does

No file is unpickled: a model folder from an unknown source can be wrong, but it cannot run code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from engine.compiled.c_interface import Core
from engine.errors import InvalidRequest, ModelError
from engine.model.activations import ACTIVATIONS, ProductSteps, load_steps
from engine.model.compiled_model import CompiledNetwork, compiled_network
from engine.model.config import ModelConfig
from engine.model.directions import offer_of
from engine.model.lexicon import LEXICON, Lexicons
from engine.model.memory_check import check_memory
from engine.model.set_phrases import SET_PHRASES, SetPhrases
from engine.model.word_links import ALIGNMENT, read_head
from engine.text import BOS, EOS

if TYPE_CHECKING:  # a model in the compiled core needs no PyTorch
    import torch

    from engine.model.alignment import AlignmentHead, GuidedAlignment
    from engine.model.transformer import Transformer
    from engine.text import Codec

WEIGHTS, CONFIG, CARD = "model.safetensors", "config.json", "card.md"
ORIGIN = "origin.json"  # of an imported model: what it was converted from
PIECES, SOURCE_SPM, TARGET_SPM = "pieces.txt", "source.spm", "target.spm"
SOURCE_PIECES, MERGES = "source_pieces.txt", "bpe.codes"
_OF_TRANSLATIONS = (
    *(WEIGHTS, CONFIG, "vocabulary.txt", MERGES),
    *(PIECES, SOURCE_PIECES, SOURCE_SPM, TARGET_SPM, ALIGNMENT, ACTIVATIONS, LEXICON, SET_PHRASES),
)


class Network:
    """A model's weights in PyTorch, which are read when they are first needed."""

    def __init__(self, read: Callable[[], tuple[Transformer, AlignmentHead | GuidedAlignment | None]]) -> None:
        self._read = read

    @cached_property
    def parts(self) -> tuple[Transformer, AlignmentHead | GuidedAlignment | None]:
        return self._read()


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model ready to decode. `checksum` is one of all its files that matter (`model_checksum`), for logs.

    `codec` is that of targets, and of sources too unless these have a `source_codec` of their own: with the same ids,
    but where the configuration has a `source_vocabulary_size`. `compiled` is the model in the compiled core, which then
    decodes all that it covers; `network` is the same in PyTorch. `aligns`: the model has a word alignment. `steps` are
    those of a model that was made with 8-bit weights.
    """

    config: ModelConfig
    codec: Codec
    network: Network
    checksum: str
    source_codec: Codec | None = None
    aligns: bool = False
    steps: Mapping[str, ProductSteps] | None = None
    lexicons: Lexicons | None = None
    set_phrases: SetPhrases | None = None
    is_on_cpu: bool = True
    compiled: CompiledNetwork | None = None

    @classmethod
    def of(
        cls,
        config: ModelConfig,
        codec: Codec,
        transformer: Transformer,
        checksum: str,
        alignment: AlignmentHead | GuidedAlignment | None = None,
    ) -> LoadedModel:
        """A model with these weights in PyTorch."""
        network, is_on_cpu = Network(lambda: (transformer, alignment)), transformer.device.type == "cpu"
        return cls(config, codec, network, checksum, aligns=alignment is not None, is_on_cpu=is_on_cpu)

    @property
    def transformer(self) -> Transformer:
        """The weights in PyTorch."""
        return self.network.parts[0]

    @property
    def alignment(self) -> AlignmentHead | GuidedAlignment | None:
        """The word alignment head in PyTorch."""
        return self.network.parts[1]

    @property
    def device(self) -> torch.device:
        return self.transformer.device

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

    def starts(self, direction: str) -> list[int]:
        """The first inputs of the decoder for a source of this direction: most often `<s>` alone."""
        first = {"<s>": BOS, "</s>": EOS}[self.config.start]
        pieces = self.config.language_pieces(direction)
        return [first] if pieces is None else [first, self.codec.id_of(pieces[1])]


def load_model(folder: str | Path, device: str | torch.device = "cpu") -> LoadedModel:
    """Read a model folder, with its weights in PyTorch; ModelError names the file and the cure."""
    model = read_folder(folder, device)
    assert model.network.parts
    return model


def load_compiled(folder: Path, model: LoadedModel, core: Core) -> LoadedModel:
    """The model of this folder in the compiled core; ModelError names the file and the cure."""
    head = read_head(folder / ALIGNMENT, model.config, file_checksum(folder / WEIGHTS))
    return replace(model, compiled=compiled_network(folder / WEIGHTS, head, model.config, core, model.steps))


def read_folder(folder: str | Path, device: str | torch.device = "cpu") -> LoadedModel:
    """Read a model folder but for its weights; ModelError names the file and the cure."""
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

    def read_weights() -> tuple[Transformer, AlignmentHead | GuidedAlignment | None]:
        from engine.model.alignment import GuidedAlignment, load_alignment
        from engine.model.weights import load_weights
        from engine.threads import limit_pytorch

        limit_pytorch()
        transformer = load_weights(folder / WEIGHTS, config).to(device)
        head = load_alignment(folder / ALIGNMENT, config, file_checksum(folder / WEIGHTS))
        alignment = head or (GuidedAlignment() if config.guided_alignment else None)
        return transformer, alignment and alignment.to(device)

    return LoadedModel(
        config,
        codec,
        Network(read_weights),
        model_checksum(folder),
        source_codec,
        config.guided_alignment or (folder / ALIGNMENT).exists(),
        load_steps(folder / ACTIVATIONS, config, file_checksum(folder / WEIGHTS)),
        Lexicons.load(folder / LEXICON),
        SetPhrases.load(folder / SET_PHRASES),
        is_on_cpu=str(device).partition(":")[0] == "cpu",
    )


def file_checksum(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_checksum(folder: Path) -> str:
    """The SHA-256 of the names and checksums of those files that a translation depends on, a line for each.

    That is how `sha256sum` would list them: weights, configuration, text codec, alignment, ranges, lexicon, set
    phrases; the card is not among them.
    """
    files = (folder / name for name in _OF_TRANSLATIONS)
    listed = "".join(f"{file_checksum(path)}  {path.name}\n" for path in files if path.is_file())
    return hashlib.sha256(listed.encode()).hexdigest()


def _check_pieces(folder: Path, config: ModelConfig, codec: Codec) -> None:
    """Raise ModelError if the vocabulary lacks a piece that marks a source or begins a target."""
    wanted = [
        f"<{mark}>" for mark in (*config.domains, *(f for offered in config.formalities.values() for f in offered))
    ]
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
    if languages:  # many languages are spelt in one way
        return codec, None
    # Firefox Translations models, which have a guided alignment, were trained with typographic marks.
    is_firefox = config.guided_alignment
    return codec, SentencePieceCodec.load(folder / SOURCE_SPM, source_pieces, hidden, reads_ascii_marks=not is_firefox)
