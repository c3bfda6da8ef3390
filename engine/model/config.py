"""The configuration of a model, as saved in `config.json`. Independent of tensors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, get_args

from engine.errors import InvalidRequest, ModelError
from engine.model.directions import Directions, languages_of
from engine.model.json_files import read_json_file
from engine.request import Formality

KIND = "pinpoint-transformer"
Norm = Literal["before", "after"]
Activation = Literal["relu", "gelu", "swish"]
TextKind = Literal["bpe", "sentencepiece", "moses"]
Positions = Literal["sines", "fairseq", "tensor2tensor"]
DecoderKind = Literal["attention", "ssru"]
Precision = Literal["float32", "half", "int8"]  # "half" is for GPUs, "int8" for the compiled core
LanguagePlace = Literal["first", "last"]

# Larger than any known model, so that a damaged file allocates nothing large before its weights are read.
_MAX_SIZES: Final = {
    "vocabulary_size": 4_000_000,
    "model_size": 8_192,
    "num_heads": 1_024,
    "feed_forward_size": 262_144,
    "encoder_layers": 256,
    "decoder_layers": 256,
    "max_pieces": 16_384,
}
_MAX_LENGTH_FACTOR: Final = 1_000


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Architecture, directions and training facts of one model; checked once when made.

    `norm` is "before" where a sublayer normalises its input (pre-norm) and "after" where it normalises its sum
    (post-norm: imported models). `text` is the kind of pieces. `direction_pieces` has the piece that begins a source of
    each direction, or null without one; by default it is the piece `<direction>` of the vocabulary. A source can be
    marked with one of the `domains` and, by direction, one of the `formalities`: the pieces `<domain>` and
    `<formality>` follow the direction's.

    A model of many languages has `languages` instead of directions: the piece of each, by name. It translates between
    any two; a source has its own language's piece at its `source_language`, and a target begins after its. The decoder
    reads the piece `start` first: `<s>`, or the choice of the model's makers. `hidden_pieces` are further pieces that
    never occur in a text. `positions` are sines and cosines as in Vaswani et al., or with the rates of tensor2tensor,
    which Marian uses, or with these from place 2 on, as in fairseq. `decoder` is how a decoder layer reads the pieces
    so far: self-attention, or a simpler simple recurrent unit (SSRU; Kim et al. 2019, section 3.1). With
    `guided_alignment`, the first head of the last decoder layer's attention to the source was trained as a word
    alignment. `source_vocabulary_size` is that of sources where they have pieces, and embeddings, of their own;
    `decoder_feed_forward_size` that of the decoder's layers where it is not the encoder's `feed_forward_size`.

    `max_pieces` is the longest source and the longest target, all special pieces included. `length_ratios` gives
    target pieces per source piece, in the training data or a development set, and `length_rewards` what a piece adds to
    the bounded length reward, both by direction. `training` is free for facts worth keeping
    (updates, tokens seen); nothing depends on it.
    """

    vocabulary_size: int
    directions: Sequence[str] = ()
    model_size: int = 256
    num_heads: int = 4
    feed_forward_size: int = 1024
    encoder_layers: int = 6
    decoder_layers: int = 2
    max_pieces: int = 512
    norm: Norm = "before"
    activation: Activation = "relu"
    text: TextKind = "bpe"
    direction_pieces: Mapping[str, str | None] | None = None
    domains: tuple[str, ...] = ()
    formalities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    languages: Mapping[str, str] | None = None
    source_language: LanguagePlace = "first"
    start: Literal["<s>", "</s>"] = "<s>"
    hidden_pieces: Sequence[str] = ()
    positions: Positions = "sines"
    decoder: DecoderKind = "attention"
    guided_alignment: bool = False
    source_vocabulary_size: int | None = None
    decoder_feed_forward_size: int | None = None
    length_ratios: Mapping[str, float] = field(default_factory=dict)
    length_rewards: Mapping[str, float] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._check_kinds()
        directions = Directions(tuple(self.languages), tuple(self.languages.values())) if self.languages else None
        object.__setattr__(self, "directions", directions or tuple(self.directions))
        object.__setattr__(self, "hidden_pieces", tuple(self.hidden_pieces))
        object.__setattr__(self, "domains", tuple(self.domains))
        formalities = {direction: tuple(offered) for direction, offered in self.formalities.items()}
        object.__setattr__(self, "formalities", formalities)
        for name, allowed in (
            ("norm", Norm),
            ("activation", Activation),
            ("text", TextKind),
            ("positions", Positions),
            ("decoder", DecoderKind),
            ("source_language", LanguagePlace),
            ("start", Literal["<s>", "</s>"]),
        ):
            value = getattr(self, name)
            if value not in get_args(allowed):
                raise ModelError(f"{name} is {value!r}; it must be one of {', '.join(get_args(allowed))}")
        for name, most in _MAX_SIZES.items():
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise ModelError(f"{name} is {value!r}; it must be a whole number from 1 to {most:,}")
        if self.model_size % (2 * self.num_heads):
            raise ModelError(
                f"model_size is {self.model_size} and num_heads {self.num_heads}; "
                "each head needs the same even number of dimensions"
            )
        for name in ("length_ratios", "length_rewards"):
            for direction, value in getattr(self, name).items():
                if not isinstance(value, int | float) or not 0 <= value <= _MAX_LENGTH_FACTOR:
                    raise ModelError(
                        f"{name} of {direction} is {str(value)[:40]}; it must be from 0 to {_MAX_LENGTH_FACTOR}"
                    )
        if not self.directions:
            raise ModelError("directions is empty; name at least one, such as 'en-de'")
        for direction in (f"{name}-{name}" for name in self.languages) if self.languages else self.directions:
            parts = str(direction).split("-")
            if len(parts) != 2 or not all(parts):
                raise ModelError(f"direction {direction!r} is not of the form 'en-de'")
        if self.direction_pieces is not None and (without := set(self.directions) - set(self.direction_pieces)):
            raise ModelError(f"direction_pieces lacks {min(without)}; name a piece for each direction, or null")

    def marks(self, direction: str, domain: str | None, formality: str | None) -> tuple[str, ...]:
        """The pieces that mark a source with domain and formality; InvalidRequest for an unsupported value."""
        marks: list[str] = []
        asked = (("domain", domain, self.domains), ("formality", formality, self.formalities.get(direction, ())))
        for name, value, offered in asked:
            if value is None:
                continue
            if value not in offered:
                known = f"knows {', '.join(offered)}" if offered else f"was trained without {name} for {direction}"
                raise InvalidRequest(
                    f"{name} is {value!r}, but this model {known}; leave it out, or take a model trained with "
                    f"--{name}-tag-rate (engine/train/README.md)"
                )
            marks.append(f"<{value}>")
        return tuple(marks)

    def _check_kinds(self) -> None:
        """Raise ModelError for an entry of the wrong type: JSON may contain anything."""
        for name in ("hidden_pieces", "domains", *(() if self.languages else ("directions",))):
            if not _is_list_of_text(value := getattr(self, name)):
                raise ModelError(f"{name} is {value!r}; it must be a list of strings")
        tables: tuple[tuple[str, tuple[type, ...], str], ...] = (
            ("formalities", (list, tuple), "a list for each direction"),
            ("languages", (str,), "a piece for each language"),
            ("direction_pieces", (str, type(None)), "a piece, or null, for each direction"),
            ("length_ratios", (object,), "a number for each direction"),
            ("length_rewards", (object,), "a number for each direction"),
            ("training", (object,), "facts by name"),
        )
        for name, kinds, holds in tables:
            value = getattr(self, name)
            if value is None and name in ("languages", "direction_pieces"):
                continue
            if not isinstance(value, Mapping) or not all(isinstance(item, kinds) for item in value.values()):
                raise ModelError(f"{name} is {value!r}; it must be an object with {holds}")
        for direction, offered in self.formalities.items():
            if not set(map(str, offered)) <= set(get_args(Formality)):
                raise ModelError(
                    f"formalities of {direction} are {offered!r}; they must be among {', '.join(get_args(Formality))}"
                )
        if not isinstance(self.guided_alignment, bool):
            raise ModelError(f"guided_alignment is {self.guided_alignment!r}; it must be true or false")
        for name in ("source_vocabulary_size", "decoder_feed_forward_size"):
            size: object = getattr(self, name)
            most = _MAX_SIZES[name.removeprefix("source_").removeprefix("decoder_")]
            if size is not None and (not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= most):
                raise ModelError(f"{name} is {size!r}; it must be a whole number from 1 to {most:,}, or null")

    def language_pieces(self, direction: str) -> tuple[str, str] | None:
        """The pieces of source and target language; None for a model that has `directions`."""
        if not self.languages:
            return None
        source, target = (self.languages.get(name, name) for name in languages_of(direction))
        return source, target

    def save(self, path: Path) -> None:
        """Write the configuration as JSON."""
        data = {"kind": KIND, **asdict(self)}
        if self.languages:
            del data["directions"]  # they follow
        path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> ModelConfig:
        """Read a saved configuration; ModelError names the file, the entry and the cure."""
        try:
            data = read_json_file(path)
        except FileNotFoundError:
            raise ModelError(f"{path} is missing; a model folder needs config.json") from None
        except (OSError, ValueError) as error:
            raise ModelError(f"{path} cannot be read as JSON ({error}); copy the model folder again") from error
        if not isinstance(data, dict) or data.get("kind") != KIND:
            found = data.get("kind") if isinstance(data, dict) else type(data).__name__
            raise ModelError(f"{path}: kind is {found!r}, expected {KIND!r}; this is not a model of this program")
        del data["kind"]
        if data.pop("hints", None) is not None:
            raise ModelError(
                f"{path}: hints are not supported; set this entry to null, as the search meets all phrases"
            )
        known = {entry.name for entry in fields(cls)}
        if unknown := sorted(set(data) - known):
            raise ModelError(f"{path}: unknown entry {unknown[0]!r}; a newer version may have written it")
        if missing := sorted({"vocabulary_size", "languages" if data.get("languages") else "directions"} - set(data)):
            raise ModelError(f"{path}: {missing[0]} is missing; copy the model folder again")
        try:
            return cls(**data)
        except (ModelError, TypeError) as error:
            raise ModelError(f"{path}: {error}") from error


def too_long(max_steps: int) -> str:
    """The message about a translation of more pieces than the model writes."""
    return f"the model writes at most {max_steps} pieces; ask for a shorter translation"


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
