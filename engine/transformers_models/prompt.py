"""What a model reads before it writes, and what the requests need of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from engine.interruption import Interruption
from engine.search.sentence import SearchVocabulary
from engine.search.steps import StepDecoder
from engine.transformers_models.model_pieces import ModelPieces

if TYPE_CHECKING:
    import torch

Messages: TypeAlias = Sequence[Mapping[str, Any]]  # of a chat template: "role" and "content"


@dataclass(frozen=True, slots=True)
class Prompt:
    """The tokens that a model reads before the first one of its answer.

    An encoder-decoder model reads `ids` with its encoder and then `starts` with its decoder. `never_first` are pieces
    that must not begin the answer. `text` is what was written, for a person.
    """

    ids: tuple[int, ...]
    starts: tuple[int, ...] = ()
    never_first: tuple[int, ...] = ()
    text: str = ""


class PromptableModel(Protocol):
    """A model that reads a prompt and writes the answer, whatever library computes it."""

    @property
    def codec(self) -> ModelPieces: ...
    @property
    def vocabulary(self) -> SearchVocabulary: ...
    @property
    def max_length(self) -> int:
        """The most tokens that it reads and writes."""
        ...

    @property
    def is_encoder_decoder(self) -> bool: ...
    @property
    def starts(self) -> tuple[int, ...]:
        """The first tokens of an encoder-decoder model's answer; none of a decoder-only model's."""
        ...

    @property
    def device(self) -> torch.device: ...
    @property
    def precision(self) -> str: ...
    @property
    def decoder_name(self) -> str:
        """What decodes it, for a person."""
        ...

    def open(self, prompts: Sequence[Prompt], interruptions: Sequence[Interruption]) -> StepDecoder:
        """A decoder of sentences before its first step, which has read all prompts but for their last tokens."""
        ...

    @property
    def has_chat_template(self) -> bool: ...
    def written_chat(self, messages: Messages) -> str:
        """What the model's chat template writes, up to where the answer begins."""
        ...
