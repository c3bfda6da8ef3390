"""The pieces of a fast tokenizer of the `tokenizers` library, with the interface of the engine's own codecs.

Two kinds are understood: byte-level BPE, whose pieces are bytes with "Ġ" for a space (GPT-2, Llama 3, Qwen), and pieces
with "▁" for a space (SentencePiece: BPE or unigram, with or without byte fallback; Llama 2, Gemma, T5, mBART).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from engine.errors import ModelError
from engine.text import EncodedPieces, byte_surface, surface_of
from engine.transformers_models.model_pieces import ModelPieces

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerBase

SPACE = "▁"
_BYTE_NAME = re.compile(r"<0x([0-9A-F]{2})>")
_IN_NO_TEXT = "\ufffe"


class TokenizerCodec(ModelPieces):
    """A model's tokenizer as a codec."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, num_pieces: int, ends: Sequence[int]) -> None:
        """`num_pieces` are the rows of the output layer, often more than there are pieces.

        Raises ModelError for a tokenizer that has no fast form, or one whose pieces are of another kind.
        """
        state = _state_of(tokenizer)
        self._with_control_tokens = tokenizer.backend_tokenizer
        self._hidden = frozenset(token["id"] for token in state["added_tokens"]) | {*tokenizer.all_special_ids, *ends}
        self._tokenizer = _of_plain_text(state, self._hidden)
        self._names: list[str | None] = [None] * num_pieces
        for name, number in tokenizer.get_vocab().items():
            if number >= num_pieces:
                message = (
                    f"the tokenizer has {name!r} as number {number}, the model's output layer has {num_pieces} rows"
                )
                raise ModelError(f"{message}; load the tokenizer of this model")
            self._names[number] = name
        self._ids = {name: number for number, name in enumerate(self._names) if name is not None}
        super().__init__(self._texts(state), ends)

    def id_of(self, piece: str) -> int:
        """The id of a piece, special ones too; raises KeyError for one that is not in the vocabulary."""
        return self._ids[piece]

    # -- prompts ------------------------------------------------------------------------------------------------------

    def raw_ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def control_ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._with_control_tokens.encode(text, add_special_tokens=False).ids) if text else ()

    def with_specials(self, text: str) -> tuple[int, ...]:
        plain = self._with_control_tokens.encode("x", add_special_tokens=False).ids
        whole = self._with_control_tokens.encode("x").ids
        first = next(place for place in range(len(whole)) if whole[place : place + len(plain)] == plain)
        return (*whole[:first], *self.raw_ids(text), *whole[first + len(plain) :])

    # -- inside -------------------------------------------------------------------------------------------------------

    def _texts(self, state: dict[str, Any]) -> list[str | None]:
        """The text of each piece with its leading space; None for pieces that no text contains."""
        if _is_byte_level(state):
            from transformers.convert_slow_tokenizer import bytes_to_unicode

            byte_of = {character: value for value, character in bytes_to_unicode().items()}
            return [self._of_bytes(number, name, byte_of) for number, name in enumerate(self._names)]
        if not any(name is not None and name.startswith(SPACE) for name in self._names):
            raise ModelError(
                f"the tokenizer's pieces ({state['model']['type']}) mark spaces neither with 'Ġ' nor with '▁', so the "
                "spaces of a text are unknown; use a model with byte-level BPE or SentencePiece pieces"
            )
        has_bytes = bool(state["model"].get("byte_fallback"))
        unknown = state["model"].get("unk_token"), state["model"].get("unk_id")
        return [
            None if number in self._hidden or name is None or name == unknown[0] or number == unknown[1]
            else _text_of(name, has_bytes)
            for number, name in enumerate(self._names)
        ]  # fmt: skip

    def _of_bytes(self, number: int, name: str | None, byte_of: dict[str, int]) -> str | None:
        if name is None or number in self._hidden or not byte_of.keys() >= {*name}:
            return None
        return surface_of(bytes(byte_of[character] for character in name))

    def _inexact(self, text: str, ids: tuple[int, ...]) -> EncodedPieces:
        spans = tuple(self._tokenizer.encode(text, add_special_tokens=False).offsets)
        unknown = [
            span for piece, span in zip(ids, spans, strict=True) if not self.surfaces[piece] and span[0] < span[1]
        ]
        return EncodedPieces(ids, spans, tuple(_joined(unknown)))


def _state_of(tokenizer: PreTrainedTokenizerBase) -> dict[str, Any]:
    """The tokenizer's own description; raises ModelError if it has none or is of a kind without exact texts."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise ModelError(
            f"{type(tokenizer).__name__} has no fast form; load it with AutoTokenizer.from_pretrained(…), or convert "
            "the tokenizer to tokenizer.json"
        )
    state: dict[str, Any] = json.loads(backend.to_str())
    kind = state["model"].get("type") or ("Unigram" if "unk_id" in state["model"] else "BPE")
    if kind not in ("BPE", "Unigram"):
        raise ModelError(
            f"the tokenizer is of the kind {kind}, which does not keep spaces and capitals of a text; use a model with "
            "byte-level BPE or SentencePiece pieces"
        )
    state["model"]["type"] = kind
    return state


def _is_byte_level(state: dict[str, Any]) -> bool:
    return '"ByteLevel"' in json.dumps([state["pre_tokenizer"], state["decoder"]])


def _of_plain_text(state: dict[str, Any], hidden: Iterable[int]) -> Tokenizer:
    """The same tokenizer for plain text, in which no control token is found."""
    from tokenizers import Tokenizer

    plain = state | {"added_tokens": [], "post_processor": None, "truncation": None, "padding": None}
    if state["model"]["type"] == "Unigram":  # its control tokens are pieces with a score; BPE never merges to one
        vocabulary = [*state["model"]["vocab"]]
        for number in hidden:
            if number < len(vocabulary):
                vocabulary[number] = [f"{_IN_NO_TEXT}{number}", vocabulary[number][1]]
        plain["model"] = state["model"] | {"vocab": vocabulary}
    return Tokenizer.from_str(json.dumps(plain))


def _text_of(name: str, has_bytes: bool) -> str:
    byte = _BYTE_NAME.fullmatch(name) if has_bytes else None
    return byte_surface(int(byte[1], 16)) if byte else name.replace(SPACE, " ")


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, adjacent ones as one."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and found[-1][1] >= start:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
